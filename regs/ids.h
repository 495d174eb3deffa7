/* Register and field ids: expanded from the tables. */
#ifndef ATOLL_REGS_IDS_H
#define ATOLL_REGS_IDS_H
enum reg_id { R_NONE };
enum reg_field_id { F_NONE };
#endif
