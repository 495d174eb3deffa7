/* The constant engine: a small RAM that it fills, dumps to memory and so versions
 * descriptors ahead of the draws, and the two counters by which it and the drawing engine
 * stay in step.
 *
 * Sources: AMD's PAL (packet structures) and how its and Mesa's drivers pair the
 * counters. */
#include "emu/cp.h"

#define CE_RAM_BYTES ((uint32_t)sizeof((struct emu_cp *)0)->ce_ram)

/* The part of [offset, offset + bytes) that is in the RAM; the rest is dropped and loud.
 */
static uint32_t in_ram(struct cp_engine *e, const struct pm4_packet *p, uint32_t offset,
                       uint32_t bytes)
{
    if (offset + (uint64_t)bytes <= CE_RAM_BYTES)
        return bytes;
    cp_loud(e, p, "0x%x bytes at 0x%x: past the end of CE RAM", bytes, offset);
    return offset < CE_RAM_BYTES ? CE_RAM_BYTES - offset : 0;
}

enum cp_result cp_load_const_ram(struct cp_engine *e, const struct pm4_packet *p)
{
    static const struct mem_who who = {.client = MEM_CP};
    uint32_t offset =
        pm4_get(pm4_dw(p, PM4_AT(LOAD_CONST_RAM, OFFSET)), PM4F_CE_LOAD_OFFSET__OFFSET) &
        ~3u;
    uint32_t n = 4 * pm4_get(pm4_dw(p, PM4_AT(LOAD_CONST_RAM, NUM_DWORDS)),
                             PM4F_CE_COUNT__NUM_DWORDS);

    n = in_ram(e, p, offset, n);
    mem_read(e->gpu->vm,
             cp_va(pm4_dw(p, PM4_AT(LOAD_CONST_RAM, ADDR_LO)) & ~3u,
                   pm4_dw(p, PM4_AT(LOAD_CONST_RAM, ADDR_HI))),
             e->gpu->cp.ce_ram + offset, n, &who);
    return CP_DONE;
}

enum cp_result cp_write_const_ram(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t offset =
        pm4_get(pm4_dw(p, PM4_AT(WRITE_CONST_RAM, OFFSET)), PM4F_CE_OFFSET__OFFSET) & ~3u;
    uint32_t first = PM4_AT(WRITE_CONST_RAM, DATA);

    memcpy(e->gpu->cp.ce_ram + offset, p->body + 4 * first,
           in_ram(e, p, offset, 4 * (p->body_dw - first)));
    return CP_DONE;
}

static enum cp_result dump(struct cp_engine *e, const struct pm4_packet *p, uint64_t va)
{
    bool g9 = e->gpu->regs.gen == GFX9;
    uint32_t where = pm4_dw(p, PM4_AT(DUMP_CONST_RAM, OFFSET));
    uint32_t offset = pm4_get(where, PM4F_CE_DUMP_G6__OFFSET) & ~3u;
    uint32_t n = 4 * pm4_get(pm4_dw(p, PM4_AT(DUMP_CONST_RAM, NUM_DWORDS)),
                             PM4F_CE_COUNT__NUM_DWORDS);

    _Static_assert(PM4F_CE_DUMP_G6__OFFSET == PM4F_CE_DUMP_G9__OFFSET &&
                       PM4_AT(DUMP_CONST_RAM, OFFSET) ==
                           PM4_AT(DUMP_CONST_RAM_OFFSET, OFFSET) &&
                       PM4_AT(DUMP_CONST_RAM, NUM_DWORDS) ==
                           PM4_AT(DUMP_CONST_RAM_OFFSET, NUM_DWORDS),
                   "one decoding for both packets and all generations");
    cp_write(e->gpu, va, e->gpu->cp.ce_ram + offset, in_ram(e, p, offset, n));
    if (g9 ? pm4_get(where, PM4F_CE_DUMP_G9__INCREMENT_CE)
           : pm4_get(where, PM4F_CE_DUMP_G6__INCREMENT_CE))
        e->gpu->cp.ce_counter++;
    return CP_DONE;
}

enum cp_result cp_dump_const_ram(struct cp_engine *e, const struct pm4_packet *p)
{
    return dump(e, p,
                cp_va(pm4_dw(p, PM4_AT(DUMP_CONST_RAM, ADDR_LO)) & ~3u,
                      pm4_dw(p, PM4_AT(DUMP_CONST_RAM, ADDR_HI))));
}

enum cp_result cp_dump_const_ram_offset(struct cp_engine *e, const struct pm4_packet *p)
{
    return dump(e, p,
                e->gpu->cp.ce_dst_va +
                    (pm4_dw(p, PM4_AT(DUMP_CONST_RAM_OFFSET, ADDR_OFFSET)) & ~3u));
}

enum cp_result cp_increment_ce_counter(struct cp_engine *e, const struct pm4_packet *p)
{
    e->gpu->cp.ce_counter++;
    return CP_DONE;
}

enum cp_result cp_increment_de_counter(struct cp_engine *e, const struct pm4_packet *p)
{
    e->gpu->cp.de_counter++;
    return CP_DONE;
}

/* The drawing engine may go on when the constant engine is ahead of it. */
enum cp_result cp_wait_on_ce_counter(struct cp_engine *e, const struct pm4_packet *p)
{
    if (e->gpu->cp.ce_counter > e->gpu->cp.de_counter)
        return CP_DONE;
    return cp_wait(e, p, "CE counter %llu, DE counter %llu",
                   (unsigned long long)e->gpu->cp.ce_counter,
                   (unsigned long long)e->gpu->cp.de_counter);
}

/* The constant engine may go on when it is less than so much ahead. */
enum cp_result cp_wait_on_de_counter_diff(struct cp_engine *e, const struct pm4_packet *p)
{
    uint64_t ce = e->gpu->cp.ce_counter, de = e->gpu->cp.de_counter;

    if (ce < de || ce - de < pm4_dw(p, PM4_AT(WAIT_ON_DE_COUNTER_DIFF, COUNTER_DIFF)))
        return CP_DONE;
    return cp_wait(e, p, "CE counter %llu, DE counter %llu", (unsigned long long)ce,
                   (unsigned long long)de);
}

enum cp_result cp_set_ce_de_counters(struct cp_engine *e, const struct pm4_packet *p)
{
    e->gpu->cp.ce_counter = e->gpu->cp.de_counter =
        pm4_dw(p, PM4_AT(SET_CE_DE_COUNTERS, COUNTER_LO)) |
        (uint64_t)pm4_dw(p, PM4_AT(SET_CE_DE_COUNTERS, COUNTER_HI)) << 32;
    return CP_DONE;
}
