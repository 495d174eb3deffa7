/* tools: the commands of the `atoll` program. Each command is one file with one function, which
 * gets its own argv (argv[0] = "atoll NAME") and returns the exit status:
 * 0 done; 1 the guest faulted or a comparison failed; 2 bad usage or input. */
#ifndef ATOLL_TOOLS_H
#define ATOLL_TOOLS_H

#include "base/base.h"

enum { EXIT_DONE = 0, EXIT_GUEST = 1, EXIT_USAGE = 2 };

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
};

int cmd_capture_info(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_isa(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_asm(int argc, char **argv);
int cmd_dis(int argc, char **argv);
int cmd_occupancy(int argc, char **argv);
int cmd_pm4(int argc, char **argv);
int cmd_regs(int argc, char **argv);
int cmd_test(int argc, char **argv);

#endif
