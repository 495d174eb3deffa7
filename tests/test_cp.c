/* The command processor through the public interface: hand-built indirect buffers for
 * each packet that moves data or decides, IBs that never end, and garbage. */
#include "emu/gpu.h"
#include "base/chip.h"
#include "pm4/pm4.h"
#include "regs/enums.h"
#include "regs/regs.h"

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>

#define IB      0x100000000ull /* where the IB of a test lies */
#define IB2     0x100010000ull
#define CE      0x100020000ull
#define DATA    0x200000000ull /* a page of zeros to work on */
#define BYTES   0x10000u
#define NOWHERE 0x300000000ull

struct ib {
    uint32_t dw[BYTES / 4], n;
};

static struct atoll_gpu *gpu;
static enum gfx gen;
static struct ib ib, ib2;

static void start(const char *chip)
{
    struct atoll_options opt = {.quiet = 1, .watchdog_insts = 100000};

    gpu = atoll_gpu_create(chip, &opt);
    ck_assert_ptr_nonnull(gpu);
    gen = chip_find(chip)->gen;
    ck_assert_int_eq(atoll_map(gpu, IB, 3 * BYTES, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, DATA, BYTES, NULL), 0);
    ib.n = ib2.n = 0;
}

static void stop(void)
{
    atoll_gpu_destroy(gpu);
}

/* A type-3 packet of n body dwords. */
static void packet(struct ib *b, unsigned op, unsigned n, ...)
{
    va_list ap;

    b->dw[b->n++] = pm4_header(op, n, false);
    va_start(ap, n);
    for (unsigned i = 0; i < n; i++)
        b->dw[b->n++] = va_arg(ap, uint32_t);
    va_end(ap);
}

static uint32_t lo(uint64_t va)
{
    return (uint32_t)va;
}

static uint32_t hi(uint64_t va)
{
    return (uint32_t)(va >> 32);
}

static int submit(void)
{
    struct atoll_ib list = {ATOLL_RING_GFX, IB, ib.n};

    ck_assert_int_eq(atoll_write(gpu, IB, ib.dw, 4 * ib.n), 0);
    ck_assert_int_eq(atoll_write(gpu, IB2, ib2.dw, 4 * MAX2(ib2.n, 1)), 0);
    return atoll_submit(gpu, &list, 1);
}

static uint32_t peek(uint64_t va)
{
    uint32_t v = 0;

    ck_assert_int_eq(atoll_read(gpu, va, &v, 4), 0);
    return v;
}

static uint64_t peek64(uint64_t va)
{
    return peek(va) | (uint64_t)peek(va + 4) << 32;
}

static void poke(uint64_t va, uint32_t v)
{
    ck_assert_int_eq(atoll_write(gpu, va, &v, 4), 0);
}

static uint32_t reg(enum reg_id r)
{
    return atoll_register_read(gpu, regs_by_id(gen, r)->offset);
}

static uint32_t reg_dw(enum reg_id r)
{
    return regs_by_id(gen, r)->offset / 4;
}

#define WRITE(sel) pm4_put(PM4F_WRITE_CONTROL__DST_SEL, PM4V_WRITE_DST__##sel)

static void write_data(struct ib *b, uint64_t va, uint32_t v)
{
    packet(b, PM4_WRITE_DATA, 4, WRITE(MEM), lo(va), hi(va), v);
}

/* ---- data ------------------------------------------------------------------------- */

START_TEST(write_data_everywhere)
{
    start("bonaire");
    packet(&ib, PM4_WRITE_DATA, 5, WRITE(MEM), lo(DATA), hi(DATA), 1, 2);
    packet(&ib, PM4_WRITE_DATA, 5,
           WRITE(TC_L2) | pm4_put(PM4F_WRITE_CONTROL__WR_ONE_ADDR, 1), lo(DATA + 16),
           hi(DATA), 3, 4);
    packet(&ib, PM4_WRITE_DATA, 4, WRITE(MEM_MAPPED_REGISTER), reg_dw(R_CB_BLEND_RED), 0,
           0x3f800000);
    packet(&ib, PM4_WRITE_DATA, 4, WRITE(GDS), 64, 0, 77);
    packet(&ib, PM4_COPY_DATA, 5,
           pm4_put(PM4F_COPY_CONTROL__SRC_SEL, PM4V_COPY_SRC__GDS) |
               pm4_put(PM4F_COPY_CONTROL__DST_SEL, PM4V_COPY_DST__MEMORY),
           64, 0, lo(DATA + 32), hi(DATA));
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA), 1);
    ck_assert_uint_eq(peek(DATA + 4), 2);
    ck_assert_uint_eq(peek(DATA + 16), 4);
    ck_assert_uint_eq(peek(DATA + 20), 0);
    ck_assert_uint_eq(reg(R_CB_BLEND_RED), 0x3f800000);
    ck_assert_uint_eq(peek(DATA + 32), 77);
    stop();
}
END_TEST

START_TEST(copy_data)
{
    start("polaris10");
    poke(DATA, 0x11111111);
    poke(DATA + 4, 0x22222222);
#define COPY(s, d, n)                                                                    \
    (pm4_put(PM4F_COPY_CONTROL__SRC_SEL, PM4V_COPY_SRC__##s) |                           \
     pm4_put(PM4F_COPY_CONTROL__DST_SEL, PM4V_COPY_DST__##d) |                           \
     pm4_put(PM4F_COPY_CONTROL__COUNT_SEL, n))
    packet(&ib, PM4_COPY_DATA, 5, COPY(MEMORY, MEMORY, 1), lo(DATA), hi(DATA),
           lo(DATA + 8), hi(DATA));
    packet(&ib, PM4_COPY_DATA, 5, COPY(MEMORY, REGISTER, 0), lo(DATA), hi(DATA),
           reg_dw(R_CB_BLEND_GREEN), 0);
    packet(&ib, PM4_COPY_DATA, 5, COPY(REGISTER, MEMORY, 0), reg_dw(R_CB_BLEND_GREEN), 0,
           lo(DATA + 16), hi(DATA));
    packet(&ib, PM4_COPY_DATA, 5, COPY(IMMEDIATE, MEMORY, 1), 5, 6, lo(DATA + 24),
           hi(DATA));
    packet(&ib, PM4_COPY_DATA, 5, COPY(GPU_CLOCK_COUNT, MEMORY, 1), 0, 0, lo(DATA + 32),
           hi(DATA));
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek64(DATA + 8), 0x2222222211111111ull);
    ck_assert_uint_eq(reg(R_CB_BLEND_GREEN), 0x11111111);
    ck_assert_uint_eq(peek(DATA + 16), 0x11111111);
    ck_assert_uint_eq(peek64(DATA + 24), 0x600000005ull);
    ck_assert_uint_ne(peek64(DATA + 32), 0);
    stop();
}
END_TEST

/* Copy, fill and prefetch, by both packets. */
START_TEST(dma)
{
    const char *chips[] = {"pitcairn", "bonaire", "polaris10", "vega10"};
    const char *chip = chips[_i];
    uint32_t from_data = pm4_put(PM4F_DMA_WORD0__SRC_SEL, PM4V_DMA_SRC__DATA);
    uint32_t l2 = pm4_put(PM4F_DMA_WORD0__SRC_SEL, PM4V_DMA_SRC__SRC_ADDR_TC_L2) |
                  pm4_put(PM4F_DMA_WORD0__DST_SEL, PM4V_DMA_DST__DST_ADDR_TC_L2);

    start(chip);
    for (unsigned i = 0; i < 64; i++)
        poke(DATA + 4 * i, i);
    if (gen == GFX6) {
        uint32_t hi6 = hi(DATA);

        packet(&ib, PM4_CP_DMA, 5, lo(DATA), hi6, lo(DATA + 1024), hi6, 256);
        packet(&ib, PM4_CP_DMA, 5, 0xabcd1234,
               pm4_put(PM4F_CP_DMA_WORD1__SRC_SEL, PM4V_DMA_SRC__DATA), lo(DATA + 2048),
               hi6, 62);
    } else {
        packet(&ib, PM4_DMA_DATA, 6, l2, lo(DATA), hi(DATA), lo(DATA + 1024), hi(DATA),
               256);
        packet(&ib, PM4_DMA_DATA, 6, from_data, 0xabcd1234, 0, lo(DATA + 2048), hi(DATA),
               62);
        /* onto itself: a prefetch, that may hang over the end of a mapping */
        packet(&ib, PM4_DMA_DATA, 6, l2, lo(NOWHERE), hi(NOWHERE), lo(NOWHERE),
               hi(NOWHERE), 64);
    }
    ck_assert_int_eq(submit(), 0);
    for (unsigned i = 0; i < 64; i++)
        ck_assert_uint_eq(peek(DATA + 1024 + 4 * i), i);
    ck_assert_uint_eq(peek(DATA + 1024 + 256), 0);
    for (unsigned i = 0; i < 15; i++)
        ck_assert_uint_eq(peek(DATA + 2048 + 4 * i), 0xabcd1234);
    ck_assert_uint_eq(peek(DATA + 2048 + 60), 0x1234);
    stop();
}
END_TEST

START_TEST(atomics)
{
    start("bonaire");
    poke(DATA, 5);
    poke(DATA + 8, 0xffffffff);
    poke(DATA + 12, 0);
    packet(&ib, PM4_ATOMIC_MEM, 8, PM4V_TC_OP_G7__ATOMIC_ADD_RTN_32, lo(DATA), hi(DATA),
           7, 0, 0, 0, 0);
    packet(&ib, PM4_ATOMIC_MEM, 8, PM4V_TC_OP_G7__ATOMIC_ADD_64, lo(DATA + 8), hi(DATA),
           1, 0, 0, 0, 0);
    packet(&ib, PM4_ATOMIC_MEM, 8, PM4V_TC_OP_G7__ATOMIC_CMPSWAP_32, lo(DATA), hi(DATA),
           99, 0, 12, 0, 0);
    packet(&ib, PM4_ATOMIC_MEM, 8, PM4V_TC_OP_G7__ATOMIC_CMPSWAP_32, lo(DATA), hi(DATA),
           1, 0, 12, 0, 0);
    packet(&ib, PM4_ATOMIC_MEM, 8, PM4V_TC_OP_G7__ATOMIC_SMIN_32, lo(DATA), hi(DATA),
           0xfffffff0, 0, 0, 0, 0);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA), 0xfffffff0);
    ck_assert_uint_eq(peek64(DATA + 8), 0x100000000ull);
    stop();
    /* GFX6 numbers the integer operations one higher. */
    start("tahiti");
    poke(DATA, 6);
    packet(&ib, PM4_ATOMIC_MEM, 8, PM4V_TC_OP_G6__ATOMIC_XOR_32, lo(DATA), hi(DATA), 3, 0,
           0, 0, 0);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA), 5);
    stop();
}
END_TEST

/* ---- registers -------------------------------------------------------------------- */

START_TEST(registers)
{
    const struct pm4_desc *context;

    start("vega10");
    context = pm4_describe(gen, PM4_SET_CONTEXT_REG);
    packet(&ib, PM4_SET_CONTEXT_REG, 3, reg_dw(R_CB_BLEND_RED) - context->reg_base / 4, 1,
           2);
    packet(&ib, PM4_SET_UCONFIG_REG_INDEX, 2,
           (reg_dw(R_VGT_PRIMITIVE_TYPE) -
            pm4_describe(gen, PM4_SET_UCONFIG_REG)->reg_base / 4) |
               1u << 28,
           17);
    packet(&ib, PM4_CONTEXT_REG_RMW, 3, reg_dw(R_CB_BLEND_BLUE) - context->reg_base / 4,
           0xff00, 0x12345678);
    poke(DATA + 0x100, 41);
    poke(DATA + 0x104, 42);
    packet(&ib, PM4_LOAD_CONTEXT_REG_INDEX, 4, lo(DATA + 0x100), hi(DATA),
           reg_dw(R_PA_CL_VPORT_XSCALE) - context->reg_base / 4, 2);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(reg(R_CB_BLEND_RED), 1);
    ck_assert_uint_eq(reg(R_CB_BLEND_GREEN), 2);
    ck_assert_uint_eq(reg(R_VGT_PRIMITIVE_TYPE), 17);
    ck_assert_uint_eq(reg(R_CB_BLEND_BLUE), 0x5600);
    ck_assert_uint_eq(reg(R_PA_CL_VPORT_XSCALE), 41);
    ck_assert_uint_eq(reg(R_PA_CL_VPORT_XOFFSET), 42);
    stop();
}
END_TEST

/* LOAD_*_REG reads an image of the register space, unless CONTEXT_CONTROL forbids it. */
START_TEST(load_registers)
{
    uint32_t at;

    start("bonaire");
    at = reg_dw(R_CB_BLEND_RED) - pm4_describe(gen, PM4_SET_CONTEXT_REG)->reg_base / 4;
    poke(DATA + 4 * at, 7);
    packet(&ib, PM4_LOAD_CONTEXT_REG, 4, lo(DATA), hi(DATA), at, 1);
    packet(&ib, PM4_CONTEXT_CONTROL, 2,
           pm4_put(PM4F_LOAD_CONTROL__UPDATE_LOAD_ENABLES, 1),
           pm4_put(PM4F_SHADOW_CONTROL__UPDATE_SHADOW_ENABLES, 1));
    write_data(&ib, DATA + 4 * at, 8);
    packet(&ib, PM4_LOAD_CONTEXT_REG, 4, lo(DATA), hi(DATA), at, 1);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(reg(R_CB_BLEND_RED), 7);
    stop();
}
END_TEST

START_TEST(clear_state_loads_defaults)
{
    start("bonaire");
    packet(&ib, PM4_SET_CONTEXT_REG, 2,
           reg_dw(R_PA_SC_EDGERULE) -
               pm4_describe(gen, PM4_SET_CONTEXT_REG)->reg_base / 4,
           0);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(reg(R_PA_SC_EDGERULE), 0);
    packet(&ib, PM4_CLEAR_STATE, 1, 0);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(reg(R_PA_SC_EDGERULE), 0xaa99aaaa);
    stop();
}
END_TEST

static unsigned report_has(const char *what)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    unsigned n = 0;

    atoll_report(gpu, f);
    fclose(f);
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    free(text);
    return n;
}

START_TEST(unknown_is_loud)
{
    start("bonaire");
    packet(&ib, PM4_WRITE_DATA, 4, WRITE(MEM_MAPPED_REGISTER), 0xffff, 0, 1);
    packet(&ib, PM4_WRITE_DATA, 4, WRITE(MEM_MAPPED_REGISTER), 0x12345678, 0, 1);
    packet(&ib, 0xfe, 1, 0);
    packet(&ib, PM4_DRAW_INDEX_MULTI_AUTO, 3, 0, 0, 0);
    ib.dw[ib.n++] = 0x00010000 | 0xfffe; /* type 0: two registers from 0xfffe on */
    ib.dw[ib.n++] = 1;
    ib.dw[ib.n++] = 1;
    write_data(&ib, DATA, 1);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA), 1);
    ck_assert_uint_eq(report_has("register 0x3fffc"), 1);
    ck_assert_uint_eq(report_has("register 0x48d159e0"), 1);
    ck_assert_uint_eq(report_has("opcode 0xfe"), 1);
    ck_assert_uint_eq(report_has("DRAW_INDEX_MULTI_AUTO"), 1);
    stop();
}
END_TEST

START_TEST(strict_fails)
{
    struct atoll_options opt = {.quiet = 1, .strict = 1};

    start("bonaire");
    stop();
    gpu = atoll_gpu_create("bonaire", &opt);
    ck_assert_int_eq(atoll_map(gpu, IB, 3 * BYTES, NULL), 0);
    packet(&ib, 0xfe, 1, 0);
    ck_assert_int_eq(submit(), -1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "strict"));
    stop();
}
END_TEST

/* ---- indirect buffers ------------------------------------------------------------- */

#define CHAIN pm4_put(PM4F_IB_CONTROL_G7__CHAIN, 1)

START_TEST(nested_and_chained)
{
    start("bonaire");
    /* IB calls IB2, then goes on; then chains to IB2 and does not. */
    packet(&ib2, PM4_ATOMIC_MEM, 8, PM4V_TC_OP_G7__ATOMIC_ADD_32, lo(DATA), hi(DATA), 1,
           0, 0, 0, 0);
    packet(&ib, PM4_INDIRECT_BUFFER, 3, lo(IB2), hi(IB2), ib2.n);
    write_data(&ib, DATA + 4, 1);
    packet(&ib, PM4_INDIRECT_BUFFER, 3, lo(IB2), hi(IB2), ib2.n | CHAIN);
    write_data(&ib, DATA + 4, 2);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA), 2);
    ck_assert_uint_eq(peek(DATA + 4), 1);
    stop();
}
END_TEST

START_TEST(ib_that_loops)
{
    start("bonaire");
    packet(&ib, PM4_NOP, 1, 0);
    packet(&ib, PM4_INDIRECT_BUFFER, 3, lo(IB), hi(IB), 6 | CHAIN);
    ck_assert_int_eq(submit(), -1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "0x100000000"));
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "dword 0x2"));
    stop();
    /* Without CHAIN it nests. */
    start("bonaire");
    packet(&ib, PM4_INDIRECT_BUFFER, 3, lo(IB), hi(IB), 4);
    ck_assert_int_eq(submit(), -1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "nested"));
    stop();
}
END_TEST

START_TEST(ib_not_mapped)
{
    struct atoll_ib list = {ATOLL_RING_GFX, NOWHERE, 16};

    start("bonaire");
    ck_assert_int_eq(atoll_submit(gpu, &list, 1), -1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "0x300000000"));
    packet(&ib, PM4_INDIRECT_BUFFER, 3, lo(IB + 3 * BYTES - 8), hi(IB), 4);
    ck_assert_int_eq(submit(), -1);
    stop();
}
END_TEST

/* An IB over two mappings is read whole. */
START_TEST(ib_over_two_mappings)
{
    static uint8_t host[2][4096] __attribute__((aligned(4096)));
    struct atoll_ib list = {ATOLL_RING_GFX, NOWHERE + 4096 - 8, 5};

    start("bonaire");
    ck_assert_int_eq(atoll_map(gpu, NOWHERE, 4096, host[0]), 0);
    ck_assert_int_eq(atoll_map(gpu, NOWHERE + 4096, 4096, host[1]), 0);
    write_data(&ib, DATA, 9);
    ck_assert_int_eq(atoll_write(gpu, list.va, ib.dw, 4 * ib.n), 0);
    ck_assert_int_eq(atoll_submit(gpu, &list, 1), 0);
    ck_assert_uint_eq(peek(DATA), 9);
    stop();
}
END_TEST

START_TEST(malformed)
{
    start("bonaire");
    packet(&ib, PM4_WRITE_DATA, 2, 0, 0); /* too short */
    ck_assert_int_eq(submit(), -1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "WRITE_DATA"));
    ib.n = 0;
    ib.dw[ib.n++] = 0x40000000; /* type 1 */
    ck_assert_int_eq(submit(), -1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "0x100000000"));
    ib.n = 0;
    ib.dw[ib.n++] = pm4_header(PM4_NOP, 100, false); /* runs past the end */
    ib.dw[ib.n++] = 0;
    ck_assert_int_eq(submit(), -1);
    stop();
}
END_TEST

/* ---- conditions ------------------------------------------------------------------- */

START_TEST(cond_exec)
{
    const char *chips[] = {"tahiti", "hawaii", "fiji", "raven"};

    start(chips[_i]);
    poke(DATA, 0);
    poke(DATA + 4, 1);
    for (unsigned i = 0; i < 2; i++) {
        if (gen == GFX6)
            packet(&ib, PM4_COND_EXEC, 3, lo(DATA + 4 * i), hi(DATA), 5);
        else
            packet(&ib, PM4_COND_EXEC, 4, lo(DATA + 4 * i), hi(DATA), 0, 5);
        write_data(&ib, DATA + 8 + 4 * i, 1);
    }
    write_data(&ib, DATA + 16, 1);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA + 8), 0);
    ck_assert_uint_eq(peek(DATA + 12), 1);
    ck_assert_uint_eq(peek(DATA + 16), 1);
    stop();
}
END_TEST

START_TEST(cond_write)
{
#define COND(f, w)                                                                       \
    (pm4_put(PM4F_COND_WRITE__FUNCTION, PM4V_COMPARE__##f) |                             \
     pm4_put(PM4F_COND_WRITE__POLL_SPACE, PM4V_REG_OR_MEM__MEMORY) |                     \
     pm4_put(PM4F_COND_WRITE__WRITE_SPACE, PM4V_WRITE_SPACE__##w))
    start("bonaire");
    poke(DATA, 0x105);
    packet(&ib, PM4_COND_WRITE, 8, COND(EQUAL, MEMORY), lo(DATA), hi(DATA), 5, 0xff,
           lo(DATA + 4), hi(DATA), 1);
    packet(&ib, PM4_COND_WRITE, 8, COND(NOT_EQUAL, MEMORY), lo(DATA), hi(DATA), 5, 0xff,
           lo(DATA + 8), hi(DATA), 1);
    packet(&ib, PM4_COND_WRITE, 8, COND(GREATER, MEMORY), lo(DATA), hi(DATA), 5, ~0u,
           lo(DATA + 12), hi(DATA), 1);
    packet(&ib, PM4_COND_WRITE, 8, COND(ALWAYS, REGISTER), lo(DATA), hi(DATA), 0, 0,
           reg_dw(R_CB_BLEND_RED), 0, 3);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA + 4), 1);
    ck_assert_uint_eq(peek(DATA + 8), 0);
    ck_assert_uint_eq(peek(DATA + 12), 1);
    ck_assert_uint_eq(reg(R_CB_BLEND_RED), 3);
    stop();
}
END_TEST

START_TEST(predication)
{
    uint32_t bool64 = pm4_put(PM4F_PRED_G6__PRED_OP, PM4V_PRED_OP__BOOL64);
    uint32_t when_set =
        pm4_put(PM4F_PRED_G6__PREDICATION_BOOLEAN, PM4V_PRED_BOOL__DRAW_VISIBLE);

    start("bonaire");
    poke(DATA + 4, 1); /* a 64-bit true */
    for (unsigned i = 0; i < 4; i++) {
        uint64_t at = DATA + (i & 1 ? 64 : 0); /* true, false */

        packet(&ib, PM4_SET_PREDICATION, 2, lo(at),
               bool64 | (i & 2 ? when_set : 0) | hi(at));
        write_data(&ib, DATA + 16 + 4 * i, 1);
        ib.dw[ib.n - 5] |= 1;
    }
    packet(&ib, PM4_SET_PREDICATION, 2, 0, 0);
    write_data(&ib, DATA + 32, 1);
    ib.dw[ib.n - 5] |= 1;
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA + 16), 0); /* draw when not set, is set */
    ck_assert_uint_eq(peek(DATA + 20), 1);
    ck_assert_uint_eq(peek(DATA + 24), 1);
    ck_assert_uint_eq(peek(DATA + 28), 0);
    ck_assert_uint_eq(peek(DATA + 32), 1);
    stop();
}
END_TEST

/* ---- waiting ---------------------------------------------------------------------- */

#define WAIT_MEM(f)                                                                      \
    (pm4_put(PM4F_WAIT__FUNCTION, PM4V_COMPARE__##f) |                                   \
     pm4_put(PM4F_WAIT__MEM_SPACE, PM4V_POLL_SPACE__MEMORY))

START_TEST(waits)
{
    start("vega10");
    /* A fence that RELEASE_MEM writes, then the wait for it. */
    packet(&ib, PM4_RELEASE_MEM, 7,
           pm4_put(PM4F_EOP_EVENT_G9__EVENT_TYPE, V_VGT_EVENT_TYPE__BOTTOM_OF_PIPE_TS) |
               pm4_put(PM4F_EOP_EVENT_G9__EVENT_INDEX, PM4V_EVENT_INDEX__END_OF_PIPE),
           pm4_put(PM4F_RELEASE_SEL__DATA_SEL, PM4V_EOP_DATA__VALUE_32BIT), lo(DATA),
           hi(DATA), 5, 0, 0);
    packet(&ib, PM4_WAIT_REG_MEM, 6, WAIT_MEM(EQUAL), lo(DATA), hi(DATA), 5, ~0u, 4);
    write_data(&ib, DATA + 4, 1);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA), 5);
    ck_assert_uint_eq(peek(DATA + 4), 1);
    /* One that never comes: a guest fault, not a hang. */
    ib.n = 0;
    packet(&ib, PM4_WAIT_REG_MEM, 6, WAIT_MEM(EQUAL), lo(DATA), hi(DATA), 6, ~0u, 4);
    write_data(&ib, DATA + 4, 2);
    ck_assert_int_eq(submit(), 1);
    ck_assert_ptr_nonnull(
        strstr(atoll_error(gpu), "WAIT_REG_MEM at IB 0x100000000 dword 0x0"));
    ck_assert_uint_eq(peek(DATA + 4), 2);
    stop();
}
END_TEST

START_TEST(end_of_pipe)
{
    uint32_t event =
        pm4_put(PM4F_EOP_EVENT_G7__EVENT_TYPE,
                V_VGT_EVENT_TYPE__CACHE_FLUSH_AND_INV_TS_EVENT) |
        pm4_put(PM4F_EOP_EVENT_G7__EVENT_INDEX, PM4V_EVENT_INDEX__END_OF_PIPE);

    start("bonaire");
    packet(&ib, PM4_EVENT_WRITE_EOP, 5, event, lo(DATA),
           hi(DATA) | pm4_put(PM4F_EOP_ADDR_HI__DATA_SEL, PM4V_EOP_DATA__VALUE_64BIT), 1,
           2);
    packet(&ib, PM4_EVENT_WRITE_EOP, 5, event, lo(DATA + 8),
           hi(DATA) | pm4_put(PM4F_EOP_ADDR_HI__DATA_SEL, PM4V_EOP_DATA__TIMESTAMP), 0,
           0);
    packet(&ib, PM4_EVENT_WRITE_EOP, 5, event, lo(DATA + 16),
           hi(DATA) | pm4_put(PM4F_EOP_ADDR_HI__DATA_SEL, PM4V_EOP_DATA__TIMESTAMP), 0,
           0);
    packet(&ib, PM4_EVENT_WRITE_EOS, 4, V_VGT_EVENT_TYPE__CS_DONE, lo(DATA + 24),
           hi(DATA) | pm4_put(PM4F_EOS_ADDR_HI__COMMAND, PM4V_EOS_CMD__STORE_32BIT_DATA),
           3);
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek64(DATA), 0x200000001ull);
    ck_assert_uint_gt(peek64(DATA + 16), peek64(DATA + 8));
    ck_assert_uint_eq(peek(DATA + 24), 3);
    stop();
}
END_TEST

START_TEST(semaphores)
{
    start("bonaire");
    packet(&ib, PM4_MEM_SEMAPHORE, 2, lo(DATA),
           hi(DATA) | pm4_put(PM4F_MEM_SEM_G7__SEM_SEL, PM4V_SEM_SEL__SIGNAL));
    packet(&ib, PM4_MEM_SEMAPHORE, 2, lo(DATA),
           hi(DATA) | pm4_put(PM4F_MEM_SEM_G7__SEM_SEL, PM4V_SEM_SEL__SIGNAL));
    packet(&ib, PM4_MEM_SEMAPHORE, 2, lo(DATA),
           hi(DATA) | pm4_put(PM4F_MEM_SEM_G7__SEM_SEL, PM4V_SEM_SEL__WAIT));
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek64(DATA), 1);
    stop();
}
END_TEST

/* ---- queries and stream-out ------------------------------------------------------- */

START_TEST(queries)
{
    start("bonaire"); /* 4 RBs */
    packet(&ib, PM4_EVENT_WRITE, 3,
           pm4_put(PM4F_EVENT__EVENT_TYPE, V_VGT_EVENT_TYPE__ZPASS_DONE) |
               pm4_put(PM4F_EVENT__EVENT_INDEX, PM4V_EVENT_INDEX__ZPASS_DONE),
           lo(DATA), hi(DATA));
    packet(&ib, PM4_EVENT_WRITE, 3,
           pm4_put(PM4F_EVENT__EVENT_TYPE, V_VGT_EVENT_TYPE__SAMPLE_PIPELINESTAT) |
               pm4_put(PM4F_EVENT__EVENT_INDEX, PM4V_EVENT_INDEX__SAMPLE_PIPELINESTAT),
           lo(DATA + 256), hi(DATA));
    poke(DATA + 256, 1);
    ck_assert_int_eq(submit(), 0);
    for (unsigned rb = 0; rb < 4; rb++) {
        ck_assert_uint_eq(peek64(DATA + 16 * rb), 1ull << 63);
        ck_assert_uint_eq(peek64(DATA + 16 * rb + 8), 0);
    }
    ck_assert_uint_eq(peek64(DATA + 64), 0);
    ck_assert_uint_eq(peek64(DATA + 256), 0);
    stop();
}
END_TEST

START_TEST(stream_out_offsets)
{
#define SO(src, store)                                                                   \
    (pm4_put(PM4F_STRMOUT_CNTL__OFFSET_SOURCE, PM4V_STRMOUT_SOURCE__##src) |             \
     pm4_put(PM4F_STRMOUT_CNTL__DATA_TYPE, PM4V_STRMOUT_UNIT__BYTES) |                   \
     pm4_put(PM4F_STRMOUT_CNTL__BUFFER_SELECT, 1) |                                      \
     pm4_put(PM4F_STRMOUT_CNTL__STORE_BUFFER_FILLED_SIZE, store))
    start("bonaire");
    packet(&ib, PM4_STRMOUT_BUFFER_UPDATE, 5, SO(FROM_PACKET, 0), 0, 0, 64, 0);
    packet(&ib, PM4_STRMOUT_BUFFER_UPDATE, 5, SO(NONE, 1), lo(DATA), hi(DATA), 0, 0);
    packet(&ib, PM4_EVENT_WRITE, 1,
           pm4_put(PM4F_EVENT__EVENT_TYPE, V_VGT_EVENT_TYPE__SO_VGTSTREAMOUT_FLUSH));
    ck_assert_int_eq(submit(), 0);
    ck_assert_uint_eq(peek(DATA), 64);
    ck_assert_uint_eq(reg(R_VGT_STRMOUT_BUFFER_OFFSET_1), 16);
    ck_assert_uint_eq(reg(R_CP_STRMOUT_CNTL), 1);
    stop();
}
END_TEST

/* ---- the constant engine ---------------------------------------------------------- */

START_TEST(constant_engine)
{
    struct ib ce = {.n = 0};
    struct atoll_ib list[2];

    start("bonaire");
    /* Two versions of a constant at one address; the drawing engine copies each before it
     * lets the next one come. */
    for (unsigned i = 0; i < 2; i++) {
        packet(&ce, PM4_WAIT_ON_DE_COUNTER_DIFF, 1, 1);
        packet(&ce, PM4_WRITE_CONST_RAM, 2, 32, 100 + i);
        packet(&ce, PM4_DUMP_CONST_RAM, 4, 32, 1, lo(DATA), hi(DATA));
        packet(&ce, PM4_INCREMENT_CE_COUNTER, 1, 1);
        packet(&ib, PM4_WAIT_ON_CE_COUNTER, 1, 0);
        packet(&ib, PM4_COPY_DATA, 5, COPY(MEMORY, MEMORY, 0), lo(DATA), hi(DATA),
               lo(DATA + 4 + 4 * i), hi(DATA));
        packet(&ib, PM4_INCREMENT_DE_COUNTER, 1, 0);
    }
    ck_assert_int_eq(atoll_write(gpu, IB, ib.dw, 4 * ib.n), 0);
    ck_assert_int_eq(atoll_write(gpu, CE, ce.dw, 4 * ce.n), 0);
    list[0] = (struct atoll_ib){ATOLL_RING_GFX, IB, ib.n};
    list[1] = (struct atoll_ib){ATOLL_RING_CE, CE, ce.n};
    ck_assert_int_eq(atoll_submit(gpu, list, 2), 0);
    ck_assert_uint_eq(peek(DATA + 4), 100);
    ck_assert_uint_eq(peek(DATA + 8), 101);
    /* Past the end of CE RAM. */
    ce.n = 0;
    packet(&ce, PM4_LOAD_CONST_RAM, 4, lo(DATA), hi(DATA), 0x7fff, 0xfffc);
    packet(&ce, PM4_DUMP_CONST_RAM, 4, 0xfffc, 0x7fff, lo(DATA), hi(DATA));
    packet(&ce, PM4_WRITE_CONST_RAM, 4, 0xfffc, 1, 2, 3);
    ck_assert_int_eq(atoll_write(gpu, CE, ce.dw, 4 * ce.n), 0);
    list[1].size_dw = ce.n;
    ck_assert_int_eq(atoll_submit(gpu, list + 1, 1), 0);
    stop();
}
END_TEST

/* ---- the DMA engines -------------------------------------------------------------- */

enum { SDMA_COPY = 1, SDMA_WRITE = 2, SDMA_FENCE = 5, SDMA_FILL = 11 }; /* opcodes, GFX7 on */

static int submit_dma(void)
{
    struct atoll_ib list = {ATOLL_RING_DMA, IB, ib.n};

    ck_assert_int_eq(atoll_write(gpu, IB, ib.dw, 4 * ib.n), 0);
    return atoll_submit(gpu, &list, 1);
}

static void dwords(unsigned n, ...)
{
    va_list ap;

    va_start(ap, n);
    for (unsigned i = 0; i < n; i++)
        ib.dw[ib.n++] = va_arg(ap, uint32_t);
    va_end(ap);
}

START_TEST(dma_ring)
{
    const char *chips[] = {"bonaire", "tonga", "vega10"};
    uint32_t less;

    start(chips[_i]);
    less = gen == GFX9; /* counts are one less there */
    dwords(6, SDMA_WRITE | 0u << 8, lo(DATA), hi(DATA), 2 - less, 0x11111111, 0x22222222);
    dwords(7, SDMA_COPY | 0u << 8, 8 - less, 0, lo(DATA), hi(DATA), lo(DATA + 16), hi(DATA));
    dwords(5, SDMA_FILL | pm4_put(PM4F_SDMA_FILL_HDR__FILL_SIZE, PM4V_SDMA_FILL_SIZE__DWORD),
           lo(DATA + 64), hi(DATA), 0xabcd1234, 12 - less);
    dwords(4, SDMA_FENCE, lo(DATA + 128), hi(DATA), 5);
    ck_assert_msg(submit_dma() == 0, "%s", atoll_error(gpu));
    ck_assert_uint_eq(peek64(DATA), 0x2222222211111111ull);
    ck_assert_uint_eq(peek64(DATA + 16), 0x2222222211111111ull);
    ck_assert_uint_eq(peek(DATA + 24), 0);
    ck_assert_uint_eq(peek(DATA + 64), 0xabcd1234);
    ck_assert_uint_eq(peek(DATA + 72), 0xabcd1234);
    ck_assert_uint_eq(peek(DATA + 76), 0);
    ck_assert_uint_eq(peek(DATA + 128), 5);
    stop();
}
END_TEST

/* Asynchronous DMA of GFX6: counts in the header, in dwords. */
START_TEST(dma_ring_gfx6)
{
    enum { WRITE6 = 2, COPY6 = 3, FENCE6 = 6, FILL6 = 13 };

    start("tahiti");
    dwords(4, pm4_put(PM4F_DMA6_HDR__CMD, WRITE6) | 1, lo(DATA), hi(DATA), 0x33333333);
    dwords(5, pm4_put(PM4F_DMA6_HDR__CMD, COPY6) | 1, lo(DATA + 16), lo(DATA), hi(DATA), hi(DATA));
    dwords(4, pm4_put(PM4F_DMA6_HDR__CMD, FILL6) | 2, lo(DATA + 64), 7,
           pm4_put(PM4F_DMA6_FILL_HI__DST_HI, hi(DATA)));
    dwords(4, pm4_put(PM4F_DMA6_HDR__CMD, FENCE6), lo(DATA + 128), hi(DATA), 5);
    ck_assert_msg(submit_dma() == 0, "%s", atoll_error(gpu));
    ck_assert_uint_eq(peek(DATA), 0x33333333);
    ck_assert_uint_eq(peek64(DATA + 16), 0x33333333);
    ck_assert_uint_eq(peek64(DATA + 64), 0x700000007ull);
    ck_assert_uint_eq(peek(DATA + 72), 0);
    ck_assert_uint_eq(peek(DATA + 128), 5);
    stop();
}
END_TEST

/* ---- faults ----------------------------------------------------------------------- */

START_TEST(unmapped)
{
    start("bonaire");
    write_data(&ib, NOWHERE, 1);
    packet(&ib, PM4_COPY_DATA, 5, COPY(MEMORY, MEMORY, 1), lo(NOWHERE), hi(NOWHERE),
           lo(DATA), hi(DATA));
    poke(DATA, 7);
    ck_assert_int_eq(submit(), 1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "0x300000000"));
    ck_assert_uint_eq(peek(DATA), 0);
    ib.n = 0;
    write_data(&ib, DATA, 1);
    ck_assert_int_eq(submit(), 0); /* the fault is not the next submission's */
    stop();
}
END_TEST

/* ---- garbage ---------------------------------------------------------------------- */

static uint64_t rng;

static uint32_t random32(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)(rng >> 16);
}

/* Random dwords end at the first that is no packet, so there are many short IBs of them.
 */
START_TEST(random_dwords)
{
    const char *chips[] = {"tahiti", "bonaire", "tonga", "vega10"};

    start(chips[_i]);
    rng = 88172645463325252ull + (unsigned)_i;
    for (unsigned total = 0; total < 1000000; total += ib.n) {
        ib.n = 256;
        for (unsigned i = 0; i < ib.n; i++)
            ib.dw[i] = random32();
        submit();
    }
    stop();
}
END_TEST

/* The same for the DMA engines, each dword with a known opcode more often than not. */
START_TEST(random_dma)
{
    const char *chips[] = {"tahiti", "bonaire", "tonga", "vega10"};

    start(chips[_i]);
    rng = 521288629ull + (unsigned)_i;
    for (unsigned round = 0; round < 2000; round++) {
        for (ib.n = 0; ib.n < 64;) {
            uint32_t v = random32();

            ib.dw[ib.n++] = v % 4 == 0   ? lo(DATA) + (v >> 16)
                            : v % 4 == 1 ? hi(DATA)
                            : v % 4 == 2 ? (v >> 8) % 16 | (v & 0xf0000000)
                                         : v;
        }
        submit_dma();
    }
    stop();
}
END_TEST

/* Every opcode with random bodies; addresses are often mapped. */
START_TEST(random_bodies)
{
    const char *chips[] = {"tahiti", "bonaire", "tonga", "vega10"};

    start(chips[_i]);
    rng = 362436069ull + (unsigned)_i;
    for (unsigned round = 0; round < 100; round++) {
        ib.n = 0;
        while (ib.n < 4000) {
            unsigned op = random32() % 256, n = 1 + random32() % 16;

            if (op == PM4_DISPATCH_DIRECT || op == PM4_DISPATCH_INDIRECT)
                continue; /* a real one of 2^90 groups: see the watchdog's test */
            ib.dw[ib.n++] = pm4_header(op, n, random32() & 1) | (random32() & 1);
            for (unsigned i = 0; i < n; i++) {
                uint32_t v = random32();

                ib.dw[ib.n++] = v % 4 == 0   ? lo(DATA) + (v >> 16)
                                : v % 4 == 1 ? hi(DATA)
                                : v % 4 == 2 ? v >> 20
                                             : v;
            }
        }
        submit();
    }
    stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cp");
    TCase *tc = tcase_create("packets"), *garbage = tcase_create("garbage");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_test(tc, write_data_everywhere);
    tcase_add_test(tc, copy_data);
    tcase_add_loop_test(tc, dma, 0, 4);
    tcase_add_test(tc, atomics);
    tcase_add_test(tc, registers);
    tcase_add_test(tc, load_registers);
    tcase_add_test(tc, clear_state_loads_defaults);
    tcase_add_test(tc, unknown_is_loud);
    tcase_add_test(tc, strict_fails);
    tcase_add_test(tc, nested_and_chained);
    tcase_add_test(tc, ib_that_loops);
    tcase_add_test(tc, ib_not_mapped);
    tcase_add_test(tc, ib_over_two_mappings);
    tcase_add_test(tc, malformed);
    tcase_add_loop_test(tc, cond_exec, 0, 4);
    tcase_add_test(tc, cond_write);
    tcase_add_test(tc, predication);
    tcase_add_test(tc, waits);
    tcase_add_test(tc, end_of_pipe);
    tcase_add_test(tc, semaphores);
    tcase_add_test(tc, queries);
    tcase_add_test(tc, stream_out_offsets);
    tcase_add_test(tc, constant_engine);
    tcase_add_loop_test(tc, dma_ring, 0, 3);
    tcase_add_test(tc, dma_ring_gfx6);
    tcase_add_test(tc, unmapped);
    suite_add_tcase(s, tc);
    tcase_set_timeout(garbage, 120);
    tcase_add_loop_test(garbage, random_dwords, 0, 4);
    tcase_add_loop_test(garbage, random_bodies, 0, 4);
    tcase_add_loop_test(garbage, random_dma, 0, 4);
    suite_add_tcase(s, garbage);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
