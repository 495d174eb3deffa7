/* The values of fields as C constants, expanded from enums.def:
 * V_ColorFormat__COLOR_8_8_8_8 is entry COLOR_8_8_8_8 of enum ColorFormat, which is the enum of
 * CB_COLOR0_INFO.FORMAT (`atoll regs CB_COLOR0_INFO` shows which enum a field has). An entry
 * exists when any generation has it; regs_enum_name() knows which do. */
#ifndef ATOLL_REGS_ENUMS_H
#define ATOLL_REGS_ENUMS_H

#include "regs/enums.def"

#define REG_ENUM_ENTRY_(en, entry, value, gens) V_##en##__##entry = (value),
#define REG_ENUM_(en)                           enum V_##en { ENUM_##en(REG_ENUM_ENTRY_) };
REG_ENUMS(REG_ENUM_)
#undef REG_ENUM_ENTRY_
#undef REG_ENUM_

#endif
