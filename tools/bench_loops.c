/* bench_loops.c: loops of one kind of instruction, run by one wave with all lanes on, on one thread: what the
 * interpreter makes of each class. */
#include "isa/exec.h"
#include "isa/solo.h"
#include "tools/bench.h"

#define MEMORY_VA UINT64_C(0x900000000)
#define FAR_BYTES (64u << 20)

enum unit { LANES32, LANES64, BYTES, INSTS };
enum lanes_at { ANYWHERE, CONTIGUOUS, STRIDED, SCATTERED };

/* `line` stands in the loop `copies` times, with $d, $a, $b, $D, $A, $B replaced: registers of each copy (the
 * capitals: aligned pairs) and $o by its number times `step`. `next` follows once a round. */
struct loop {
    const char *target, *line, *next[4];
    unsigned step;
    enum unit unit;
    unsigned each; /* lane operations (of a lane), bytes (of a lane) or instructions of a line */
    double (*host)(void);
    const char *host_what;
    enum lanes_at lanes;
    unsigned bytes;  /* of memory that is walked through */
    unsigned copies; /* of the line; 0: COPIES */
};

enum { COPIES = 16, WORK_INSTS = 1 << 14 };

struct work {
    struct isa_solo *s;
    const struct loop *loop;
    double per_inst; /* units that an instruction of the whole loop stands for */
};

static double run_wave(void *arg)
{
    struct work *k = arg;
    double t = bench_now_s();
    uint64_t n = isa_run(k->s->code, k->s->w, WORK_INSTS);

    return (double)n * k->per_inst / (bench_now_s() - t);
}

/* The line of copy i. */
static void expand(const struct loop *l, unsigned i, char *out, size_t room)
{
    size_t n = 0;

    for (const char *p = l->line; *p && n + 16 < room; p++) {
        if (*p != '$') {
            out[n++] = *p;
            continue;
        }
        switch (*++p) {
        case 'd': n += (size_t)snprintf(out + n, room - n, "v%u", 16 + i); break;
        case 'a': n += (size_t)snprintf(out + n, room - n, "v%u", 32 + i % 8); break;
        case 'b': n += (size_t)snprintf(out + n, room - n, "v%u", 40 + i % 8); break;
        case 'D': n += (size_t)snprintf(out + n, room - n, "v[%u:%u]", 64 + 2 * i, 65 + 2 * i); break;
        case 'A': n += (size_t)snprintf(out + n, room - n, "v[%u:%u]", 32 + i % 8 * 2, 33 + i % 8 * 2); break;
        case 'B': n += (size_t)snprintf(out + n, room - n, "v[%u:%u]", 48 + i % 8 * 2, 49 + i % 8 * 2); break;
        case 'Q': n += (size_t)snprintf(out + n, room - n, "v[%u:%u]", 64 + 4 * i, 67 + 4 * i); break;
        default: n += (size_t)snprintf(out + n, room - n, "%u", i * l->step);
        }
    }
    out[n] = 0;
}

static unsigned copies_of(const struct loop *l)
{
    return l->copies ? l->copies : COPIES;
}

/* The loop as machine code; returns its instructions, 0 with *e set. */
static unsigned assemble(const struct isa_target *t, const struct loop *l, uint32_t *dw, unsigned *ndw,
                         struct err *e)
{
    unsigned insts = 0, n = 0;
    char line[128];
    int k;

    for (unsigned i = 0; i < copies_of(l) + ARRAY_LEN(l->next); i++) {
        const char *text = line;

        if (i < copies_of(l))
            expand(l, i, line, sizeof line);
        else
            text = l->next[i - copies_of(l)];
        if (!text)
            break;
        k = isa_assemble(t, text, dw + n, e);
        if (k < 0)
            return 0;
        n += (unsigned)k;
        insts++;
    }
    dw[n] = 0xbf820000u | (uint16_t)-(int)(n + 1); /* s_branch to the start */
    *ndw = n + 1;
    return insts + 1;
}

/* Registers that the loops rely on. */
static void set_registers(struct isa_solo *s, const struct loop *l)
{
    struct wave *w = s->w;

    for (unsigned i = 0; i < SOLO_VGPRS * 64; i++)
        s->v[i] = f32_bits(1.0f / (float)(1 + i % 61));
    for (unsigned i = 32; i < 64; i++) /* doubles: not of chance bits, which would be denormal */
        for (unsigned lane = 0; l->unit == LANES64 && lane < 64; lane++)
            s->v[64 * i + lane] = i & 1 ? 0x3ff00000u + lane : lane * 0x1234567u;
    for (unsigned lane = 0; lane < 64; lane++) {
        const unsigned at = l->lanes == CONTIGUOUS ? l->each * lane
                            : l->lanes == STRIDED  ? 64 * lane
                                                   : (lane * 2654435761u >> 12 & 0x3fff) * 16;

        if (l->lanes != ANYWHERE)
            s->v[lane] = at;
        /* Addresses for FLAT: v[2:3]. */
        s->v[128 + lane] = (uint32_t)MEMORY_VA + at;
        s->v[192 + lane] = (uint32_t)(MEMORY_VA >> 32);
    }
    w->s[SREG_M0] = UINT32_MAX;
    w->s[0] = (uint32_t)MEMORY_VA; /* V# */
    w->s[1] = (uint32_t)(MEMORY_VA >> 32);
    w->s[2] = UINT32_MAX;
    w->s[3] = 0x00027fac;
    w->s[4] = 0; /* where the round is */
    w->s[6] = (uint32_t)MEMORY_VA;
    w->s[7] = (uint32_t)(MEMORY_VA >> 32);
}

static int run_loop(const struct bench *b, struct bench_result *out, struct err *e)
{
    static const char *const units[] = {"lane-ops", "lane-ops", "bytes", "insts"};
    const struct loop *l = b->arg;
    const struct isa_target *t = isa_target_find(l->target);
    struct isa_solo *s = isa_solo_create(t, -1);
    struct work k = {s, l, 0};
    uint32_t dw[4 * (COPIES + 8)];
    unsigned n, insts;

    if (!s)
        return err_set(e, "out of memory");
    insts = assemble(t, l, dw, &n, e);
    if (!insts || (l->bytes && mem_map(s->vm, MEMORY_VA, FAR_BYTES + (1 << 20), NULL, MEM_RWX, e) < 0)) {
        isa_solo_destroy(s);
        return -1;
    }
    for (uint64_t at = 0; at < l->bytes; at += 4096) /* so that pages are there */
        *(volatile uint8_t *)mem_ptr(s->vm, MEMORY_VA + at, 1, MEM_W) = 1;
    isa_solo_reset(s, ~UINT64_C(0), 0xc0);
    isa_solo_code(s, dw, n);
    set_registers(s, l);
    k.per_inst = (double)l->each * 64 * copies_of(l) / insts;
    if (l->unit == INSTS) /* all of the loop's count */
        k.per_inst = 1;
    out->unit = units[l->unit];
    out->host_what = l->host_what;
    out->threads = 1;
    bench_against(run_wave, &k, l->host, out);
    isa_solo_destroy(s);
    return 0;
}

/* ---- the loops ---------------------------------------------------------------------------- */

#define ALU(id, target, text, unit, host, host_text)                                                              \
    static const struct loop id = {target, text, {NULL}, 0, unit, 1, host, host_text, ANYWHERE, 0, 0};

ALU(mac, "gfx704", "v_mac_f32 $d, $a, $b", LANES32, bench_host_fma32, "FMA of floats")
ALU(fma_, "gfx704", "v_fma_f32 $d, $a, $b, $d", LANES32, bench_host_fma32, "FMA of floats")
ALU(add, "gfx704", "v_add_f32 $d, $a, $b", LANES32, bench_host_fma32, "FMA of floats")
ALU(addi, "gfx900", "v_add_u32 $d, $a, $b", LANES32, bench_host_add32, "addition of integers")
ALU(xor, "gfx704", "v_xor_b32 $d, $a, $b", LANES32, bench_host_add32, "addition of integers")
ALU(muli, "gfx704", "v_mul_lo_u32 $d, $a, $b", LANES32, bench_host_mul32, "multiplication of integers")
ALU(addd, "gfx704", "v_add_f64 $D, $A, $B", LANES64, bench_host_fma64, "FMA of doubles")
ALU(fmad, "gfx704", "v_fma_f64 $D, $A, $B, $A", LANES64, bench_host_fma64, "FMA of doubles")
ALU(rcp, "gfx704", "v_rcp_f32 $d, $a", LANES32, bench_host_div32, "division of floats")
ALU(sqrt_, "gfx704", "v_sqrt_f32 $d, $a", LANES32, bench_host_sqrt32, "square roots of floats")
ALU(exp_, "gfx704", "v_exp_f32 $d, $a", LANES32, bench_host_exp, "expf of libm")
ALU(sin_, "gfx704", "v_sin_f32 $d, $a", LANES32, bench_host_sin, "sinf of libm")

#define NEAR 16384
#define AROUND(mask) {"s_add_u32 s4, s4, 0x1000", "s_and_b32 s4, s4, " mask, NULL}
#define NEAR_MASK "0x3fff"
#define FAR_MASK  "0x3ffffff"
#define MEMORY(id, target, text, mask, step, copies, each, lanes, bytes, host, host_text)                                 \
    static const struct loop id = {target, text, AROUND(mask), step, BYTES, each, host, host_text, lanes, bytes, copies};

MEMORY(lds_read, "gfx704", "ds_read_b32 $d, v0 offset:$o", NEAR_MASK, 256, 16, 4, CONTIGUOUS, 0, bench_host_memcpy_near,
       "memcpy in 32 KiB")
MEMORY(lds_write, "gfx704", "ds_write_b32 v0, $a offset:$o", NEAR_MASK, 256, 16, 4, CONTIGUOUS, 0,
       bench_host_memcpy_near, "memcpy in 32 KiB")
#define BUFFER(id, verb, data, mask, step, copies, each, lanes, bytes, host, host_text)                                  \
    MEMORY(id, "gfx704", verb " " data ", v0, s[0:3], s4 offen offset:$o", mask, step, copies, each, lanes, bytes, host,  \
           host_text)

BUFFER(load_near, "buffer_load_dword", "$d", NEAR_MASK, 256, 16, 4, CONTIGUOUS, NEAR, bench_host_memcpy_near,
       "memcpy in 32 KiB")
BUFFER(load_far, "buffer_load_dword", "$d", FAR_MASK, 256, 16, 4, CONTIGUOUS, FAR_BYTES, bench_host_memcpy_far,
       "memcpy in 64 MiB")
BUFFER(load4_far, "buffer_load_dwordx4", "$Q", FAR_MASK, 1024, 4, 16, CONTIGUOUS, FAR_BYTES, bench_host_memcpy_far,
       "memcpy in 64 MiB")
BUFFER(store_far, "buffer_store_dword", "$a", FAR_MASK, 256, 16, 4, CONTIGUOUS, FAR_BYTES, bench_host_memcpy_far,
       "memcpy in 64 MiB")
BUFFER(load_strided, "buffer_load_dword", "$d", FAR_MASK, 4, 16, 4, STRIDED, FAR_BYTES, bench_host_memcpy_far,
       "memcpy in 64 MiB")
BUFFER(load_scattered, "buffer_load_dword", "$d", FAR_MASK, 4, 16, 4, SCATTERED, FAR_BYTES, bench_host_memcpy_far,
       "memcpy in 64 MiB")
BUFFER(store_scattered, "buffer_store_dword", "$a", FAR_MASK, 4, 16, 4, SCATTERED, FAR_BYTES, bench_host_memcpy_far,
       "memcpy in 64 MiB")

#define FLAT(id, text, lanes)                                                                                     \
    static const struct loop id = {"gfx900", text, {"v_add_u32 v2, 0x1000, v2", "v_and_b32 v2, 0x3ffffff, v2", NULL}, \
                                   256, BYTES, 4, bench_host_memcpy_far, "memcpy in 64 MiB", lanes, FAR_BYTES, 0};

FLAT(flat_far, "flat_load_dword $d, v[2:3] offset:$o", CONTIGUOUS)
FLAT(flat_store, "flat_store_dword v[2:3], $a offset:$o", CONTIGUOUS)
FLAT(flat_scattered, "flat_load_dword $d, v[2:3] offset:$o", SCATTERED)

static const struct loop salu = {"gfx704", "s_add_u32 s8, s9, s10", {NULL}, 0, INSTS, 1, bench_host_scalar,
                                 "scalar additions", ANYWHERE, 0, 0};
static const struct loop smem = {"gfx704", "s_load_dword s8, s[6:7], 0x10", {NULL}, 0, INSTS, 1, bench_host_scalar,
                                 "scalar additions", ANYWHERE, NEAR, 0};
static const struct loop branches = {"gfx704", "s_cbranch_execz 0", {"v_cmp_gt_f32 vcc, v16, v17",
                                     "s_and_saveexec_b64 s[8:9], vcc", "s_mov_b64 exec, s[8:9]", NULL}, 0, INSTS, 1,
                                     bench_host_scalar, "scalar additions", ANYWHERE, 0, 0};

const struct bench bench_loops[] = {
    {"v_mac_f32", "multiply and add of floats", run_loop, &mac},
    {"v_fma_f32", "fused multiply and add of floats", run_loop, &fma_},
    {"v_add_f32", "addition of floats", run_loop, &add},
    {"v_add_u32", "addition of integers", run_loop, &addi},
    {"v_xor_b32", "bits", run_loop, &xor},
    {"v_mul_lo_u32", "multiplication of integers", run_loop, &muli},
    {"v_add_f64", "addition of doubles", run_loop, &addd},
    {"v_fma_f64", "fused multiply and add of doubles", run_loop, &fmad},
    {"v_rcp_f32", "reciprocals", run_loop, &rcp},
    {"v_sqrt_f32", "square roots", run_loop, &sqrt_},
    {"v_exp_f32", "powers of 2", run_loop, &exp_},
    {"v_sin_f32", "sines", run_loop, &sin_},
    {"ds_read", "LDS, contiguous", run_loop, &lds_read},
    {"ds_write", "LDS, contiguous", run_loop, &lds_write},
    {"buffer_load_near", "contiguous dwords, 16 KiB in all", run_loop, &load_near},
    {"buffer_load", "contiguous dwords, 64 MiB in all", run_loop, &load_far},
    {"buffer_load_x4", "contiguous, four dwords a lane, 64 MiB", run_loop, &load4_far},
    {"buffer_store", "contiguous dwords, 64 MiB", run_loop, &store_far},
    {"buffer_load_strided", "dwords 64 bytes apart", run_loop, &load_strided},
    {"buffer_load_scattered", "dwords within 256 KiB, in no order", run_loop, &load_scattered},
    {"buffer_store_scattered", "dwords within 256 KiB, in no order", run_loop, &store_scattered},
    {"flat_load", "contiguous dwords, 64 MiB", run_loop, &flat_far},
    {"flat_store", "contiguous dwords, 64 MiB", run_loop, &flat_store},
    {"flat_load_scattered", "dwords within 256 KiB, in no order", run_loop, &flat_scattered},
    {"scalar", "s_add_u32", run_loop, &salu},
    {"scalar_load", "s_load_dword", run_loop, &smem},
    {"branches", "compares, EXEC saved and restored, branches not taken", run_loop, &branches},
    {0},
};
