/* raster: the fixed-function pipeline (IA, PA, SC, DB, CB, TA), testable with no shader.
 * Sees base/, mem/, regs/. */
#ifndef ATOLL_RASTER_H
#define ATOLL_RASTER_H

#include "base/base.h"
#include "mem/mem.h"
#include "regs/regs.h"

#endif
