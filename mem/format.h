/* format.h: what format.c and format_tables.c share; private to mem/. */
#ifndef ATOLL_MEM_FORMAT_H
#define ATOLL_MEM_FORMAT_H

#include "mem/mem.h"

extern const uint32_t mem_unorm8_table[256], mem_srgb_table[256];

#endif
