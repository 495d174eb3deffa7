/* The `atoll` program: finds the command and runs it. */
#include "tools/tools.h"
#include "emu/gpu.h"

#include <argp.h>
#include <stdlib.h>

/* One row a command, in the order that --help lists them. */
static const struct command commands[] = {
    {"replay", cmd_replay, "run a capture: images, counters, a report"},
    {"run", cmd_run, "run a program on its own driver over the emulated chip"},
    {"exec", cmd_exec, "launch a kernel of a code object, or list its kernels"},
    {"occupancy", cmd_occupancy, "waves per SIMD from registers, LDS and group size"},
    {"regs", cmd_regs, "explain registers and their values"},
    {"pm4", cmd_pm4, "print command buffers: packets, registers, fields"},
    {"import", cmd_import, "convert a raw capture folder to a capture file"},
    {"capture-info", cmd_capture_info, "what a capture holds, and whether it is whole"},
    {"dis", cmd_dis, "disassemble machine code"},
    {"asm", cmd_asm, "assemble"},
    {"isa", cmd_isa, "which instructions lack semantics or a test vector"},
    {"bench", cmd_bench, "measure the emulator against the host"},
    {"test", cmd_test, "run test vectors"},
    {NULL, NULL, NULL},
};

static void print_help(FILE *out)
{
    fprintf(out, "usage: atoll COMMAND [ARGUMENTS]\n\n"
                 "A register-level emulator of AMD GCN GPUs.\n\n");
    for (const struct command *c = commands; c->name; c++)
        fprintf(out, "  %-14s %s\n", c->name, c->summary);
    fprintf(out, "\n`atoll COMMAND --help` explains a command; `atoll --version` names the version.\n");
}

int main(int argc, char **argv)
{
    char name[64];

    argp_err_exit_status = EXIT_USAGE;
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("atoll %s\n", atoll_version());
        return EXIT_DONE;
    }
    for (const struct command *c = commands; c->name; c++) {
        if (strcmp(argv[1], c->name))
            continue;
        snprintf(name, sizeof name, "atoll %s", c->name);
        argv[1] = name;
        return c->run(argc - 1, argv + 1);
    }
    fprintf(stderr, "atoll: no command '%s'; `atoll --help` lists them\n", argv[1]);
    return EXIT_USAGE;
}
