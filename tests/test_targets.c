/* What reaches memory: every code of every component of every colour format, number type and component swap; depth and
 * stencil values; and HTILE, with which draws leave the same as without.
 *
 * Nothing here is computed by the code under test: formats are AMD's names read from the lowest bit up, what a code
 * means is written out in long double, and the depth test of the reference is a loop over plain arrays. DRAWS
 * (environment, default 200) says how many draws HTILE is compared over. */
#include "raster/cb.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define VA       0x100000
#define Z_VA     0x200000
#define S_VA     0x240000
#define HTILE_VA 0x280000
#define SIDE     64

static struct raster_state state;
static struct raster_counters counters;
static struct mem_vm *vm;
static struct loud *loud;
static uint64_t rng_state = 1;

static uint32_t rnd(void)
{
    rng_state = rng_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rng_state >> 32);
}

static void setup(void)
{
    struct err e;

    memset(&state, 0, sizeof state);
    vm = mem_vm_create();
    loud = loud_create();
    loud_set_quiet(loud, true);
    ck_assert(!mem_map(vm, VA, 0x200000, NULL, MEM_R | MEM_W, &e));
    state.chip = chip_find("bonaire");
    state.gen = GFX7;
    state.cb.mode = V_CBMode__CB_NORMAL;
    state.cb.rop3 = V_ROP3__ROP3_COPY;
}

static void done(void)
{
    mem_vm_destroy(vm);
    loud_destroy(loud);
}

/* ---- colour ------------------------------------------------------------------------------------- */

/* Components from the lowest bit up: the name reads from the highest down. */
static const struct layout {
    const char *name;
    uint8_t format, n, bits[4];
    bool small_floats; /* 10- and 11-bit floats */
} layouts[] = {
#define L(name, n, small, ...) { #name, V_ColorFormat__COLOR_##name, n, { __VA_ARGS__ }, small }
    L(8, 1, false, 8), L(16, 1, false, 16), L(8_8, 2, false, 8, 8), L(32, 1, false, 32), L(16_16, 2, false, 16, 16),
    L(10_11_11, 3, true, 11, 11, 10), L(11_11_10, 3, true, 10, 11, 11), L(10_10_10_2, 4, false, 2, 10, 10, 10),
    L(2_10_10_10, 4, false, 10, 10, 10, 2), L(8_8_8_8, 4, false, 8, 8, 8, 8), L(32_32, 2, false, 32, 32),
    L(16_16_16_16, 4, false, 16, 16, 16, 16), L(32_32_32_32, 4, false, 32, 32, 32, 32),
    L(5_6_5, 3, false, 5, 6, 5), L(1_5_5_5, 4, false, 5, 5, 5, 1), L(5_5_5_1, 4, false, 1, 5, 5, 5),
    L(4_4_4_4, 4, false, 4, 4, 4, 4),
#undef L
};

/* Channel (0 red .. 3 alpha) of each component, by the number of components and the swap: STD, ALT, STD_REV, ALT_REV.
 * Source: SurfaceSwap of the register headers, as drivers translate their formats. */
static const uint8_t swaps[5][4][4] = {
    [1] = { { 0 }, { 1 }, { 2 }, { 3 } },
    [2] = { { 0, 1 }, { 0, 3 }, { 1, 0 }, { 3, 0 } },
    [3] = { { 0, 1, 2 }, { 0, 1, 3 }, { 2, 1, 0 }, { 3, 1, 0 } },
    [4] = { { 0, 1, 2, 3 }, { 2, 1, 0, 3 }, { 3, 2, 1, 0 }, { 3, 0, 1, 2 } },
};

static int32_t sign_extended(uint32_t v, unsigned n)
{
    return n == 32 ? (int32_t)v : v >> (n - 1) & 1 ? (int32_t)v - (1 << n) : (int32_t)v;
}

static unsigned mantissa_of(unsigned bits)
{
    return bits == 32 ? 23 : bits == 16 ? 10 : bits == 11 ? 6 : 5;
}

/* Whether layout and number type go together; what a shader exports for a code: float bits, or an integer. */
static bool valid(const struct layout *l, unsigned num)
{
    const bool packed = l->bits[0] != l->bits[l->n - 1] || l->bits[0] < 8 || l->bits[0] == 11;

    switch (num) {
    case V_SurfaceNumber__NUMBER_FLOAT: return l->small_floats || (!packed && l->bits[0] >= 16);
    case V_SurfaceNumber__NUMBER_UNORM:
    case V_SurfaceNumber__NUMBER_SNORM: return !l->small_floats && l->bits[0] <= 16;
    case V_SurfaceNumber__NUMBER_SRGB: return !packed && l->bits[0] == 8;
    default: return !l->small_floats && (!packed || (l->n == 4 && l->bits[1] == 10));
    }
}

static uint32_t exported(uint32_t code, unsigned bits, unsigned num, bool alpha)
{
    const long double umax = (1ull << bits) - 1, smax = (1ull << (bits - 1)) - 1;
    const int32_t s = sign_extended(code, bits);

    switch (num) {
    case V_SurfaceNumber__NUMBER_UNORM: return f32_bits((float)(code / umax));
    case V_SurfaceNumber__NUMBER_SNORM: return f32_bits((float)(s < -smax ? -1 : bits == 1 ? 0 : s / smax));
    case V_SurfaceNumber__NUMBER_UINT: return code;
    case V_SurfaceNumber__NUMBER_SINT: return (uint32_t)s;
    case V_SurfaceNumber__NUMBER_SRGB: {
        const long double c = code / umax;

        if (alpha)
            return f32_bits((float)c);
        return f32_bits((float)(c <= 0.04045L ? c / 12.92L : powl((c + 0.055L) / 1.055L, 2.4L)));
    }
    default:
        if (bits == 32)
            return code;
        {
            const unsigned m = mantissa_of(bits), e = code >> m & 31, f = code & ((1u << m) - 1);
            const long double v = e == 31 ? (f ? NAN : INFINITY)
                                  : e     ? ldexpl(1 + ldexpl(f, -(int)m), (int)e - 15)
                                          : ldexpl(f, -14 - (int)m);

            return f32_bits((float)(bits == 16 && code >> 15 ? -v : v));
        }
    }
}

/* Codes that another code means too, or none: what is stored for the same value may be the other. */
static uint32_t canonical(uint32_t code, unsigned bits, unsigned num)
{
    if (num == V_SurfaceNumber__NUMBER_SNORM && bits > 1 && code == 1u << (bits - 1))
        return code + 1;
    if (num == V_SurfaceNumber__NUMBER_SNORM && bits == 1)
        return 0; /* there is nothing but zero */
    return code;
}

static bool is_nan_code(uint32_t code, unsigned bits, unsigned num)
{
    const unsigned m = mantissa_of(bits);

    return num == V_SurfaceNumber__NUMBER_FLOAT && bits < 32 && (code >> m & 31) == 31 && code & ((1u << m) - 1);
}

/* Write four codes of component i (others: random), each to a pixel of a quad, and look at memory. */
static void four_codes(struct raster_cb *cb, const struct layout *l, unsigned num, unsigned swap, unsigned i,
                       const uint32_t code[4])
{
    static const uint16_t mask[4] = { 1, 1, 1, 1 };
    struct raster_color c[4];
    unsigned total = 0, at = 0;
    uint8_t texels[4][16] = { { 0 } };

    for (unsigned k = 0; k < l->n; k++) {
        at += k < i ? l->bits[k] : 0;
        total += l->bits[k];
    }
    for (unsigned p = 0; p < 4; p++)
        for (unsigned k = 0; k < 4; k++)
            c[p].c[k] = num == V_SurfaceNumber__NUMBER_UINT || num == V_SurfaceNumber__NUMBER_SINT
                            ? 0
                            : f32_bits((float)(rnd() >> 8) / 0x1000000);
    for (unsigned p = 0; p < 4; p++)
        c[p].c[swaps[l->n][swap][i]] = exported(code[p], l->bits[i], num, swaps[l->n][swap][i] == 3);
    raster_cb_quad(cb, 0, 0, 0, 0, mask, c, c, &counters);
    for (unsigned p = 0; p < 4; p++) {
        uint64_t w[2] = { 0, 0 };
        uint32_t got;

        ck_assert(mem_read(vm, VA + (p / 2 * SIDE + p % 2) * total / 8, texels[p], total / 8, NULL));
        memcpy(w, texels[p], sizeof w);
        got = (uint32_t)(w[at / 64] >> at % 64) & (uint32_t)((1ull << l->bits[i]) - 1);
        if (is_nan_code(code[p], l->bits[i], num) ? !is_nan_code(got, l->bits[i], num)
                                                  : got != canonical(code[p], l->bits[i], num))
            ck_abort_msg("%s, number type %u, swap %u, component %u: code 0x%x came out as 0x%x", l->name, num, swap, i,
                         code[p], got);
    }
}

START_TEST(every_code)
{
    static struct raster_cb cb;
    const struct layout *l = &layouts[_i];

    setup();
    for (unsigned num = 0; num < 8; num++) {
        if (num == V_SurfaceNumber__NUMBER_USCALED || num == V_SurfaceNumber__NUMBER_SSCALED || !valid(l, num))
            continue;
        for (unsigned swap = 0; swap < 4; swap++) {
            struct raster_mrt *m = &state.cb.mrt[0];

            *m = (struct raster_mrt){ .bound = true, .target_mask = 15, .shader_mask = 15, .format = l->format,
                                      .number_type = (uint8_t)num, .comp_swap = (uint8_t)swap };
            m->color.va = VA;
            m->color.pitch_px = SIDE;
            m->color.slice_px = SIDE * SIDE;
            m->color.tile_mode_index = 8; /* linear */
            raster_cb_begin(&cb, &state, vm, loud, 0);
            ck_assert_msg(loud_count(loud) == 0, "%s, number type %u is not known", l->name, num);
            for (unsigned i = 0; i < l->n; i++) {
                const unsigned bits = l->bits[i];
                const bool all = bits <= 11 || (bits == 16 && swap == i % 4);

                for (uint32_t n = 0; n < (all ? 1u << bits : 1024u); n += 4) {
                    uint32_t code[4];

                    for (unsigned p = 0; p < 4; p++)
                        code[p] = (all ? n + p : rnd()) & (uint32_t)((1ull << bits) - 1);
                    four_codes(&cb, l, num, swap, i, code);
                }
            }
            raster_cb_end(&cb);
        }
    }
    done();
}
END_TEST

/* ---- depth and stencil -------------------------------------------------------------------------- */

static void depth_surfaces(uint8_t format, bool stencil, bool htile)
{
    struct raster_db_state *d = &state.db;
    const struct raster_surface z = { .va = Z_VA, .pitch_px = SIDE, .height_px = SIDE, .slice_px = SIDE * SIDE };
    struct raster_surface s = z;

    s.va = S_VA;
    d->z_format = format;
    d->s_format = stencil;
    d->z_read = d->z_write_to = z;
    d->s_read = d->s_write_to = s;
    d->depth_info = regs_insert(GFX7, F_DB_DEPTH_INFO__ARRAY_MODE, 0, V_ArrayMode__ARRAY_1D_TILED_THIN1);
    d->htile = htile;
    d->htile_va = HTILE_VA;
    state.sc.msaa = false;
}

/* Every value of Z_16, and values of the others: to the nearest, and read back as what they mean. */
START_TEST(depth_values)
{
    static const struct { uint8_t format; unsigned bits; } f[] = { { V_ZFormat__Z_16, 16 }, { V_ZFormat__Z_24, 24 },
                                                                   { V_ZFormat__Z_32_FLOAT, 32 } };
    static struct raster_db db;

    setup();
    for (unsigned i = 0; i < ARRAY_LEN(f); i++) {
        const long double max = (1ull << f[i].bits) - 1;

        depth_surfaces(f[i].format, false, false);
        state.db.z_enable = state.db.z_write = state.db.z_export = true;
        state.db.zfunc = V_CompareFrag__FRAG_ALWAYS;
        raster_db_begin(&db, &state, vm, loud, 0);
        for (uint32_t n = 0; n < (f[i].bits == 16 ? 65536u : 100000u); n++) {
            const uint32_t code = f[i].bits == 16 ? n : f[i].bits == 24 ? rnd() & 0xffffff : rnd() % 0x3f800001;
            const struct raster_prim p = { .z = { 0, 0, 0 }, .zmax = 1, .front = true };
            const struct raster_quad q = { .mask = { 1, 1, 1 } };
            struct raster_z_export ex[4] = { { .has_z = true }, { .has_z = true }, { .has_z = true }, { .has_z = true } };
            uint16_t live[4] = { 1, 1, 1 };

            for (unsigned k = 0; k < 3; k++) /* on it, a quarter below and above */
                ex[k].z = f[i].bits == 32 ? bits_f32(code)
                                          : (float)fminl(fmaxl((code + (k == 1 ? -0.25L : k == 2 ? 0.25L : 0)) / max, 0), 1);
            raster_db_quad(&db, &p, &q, live, ex, &counters);
            for (unsigned k = 0; k < 3; k++) {
                float z;
                uint8_t s;

                /* A float near 1 has steps of the size of half a code of 24 bits. */
                raster_db_read(&db, 0, k & 1, k >> 1, 0, &z, &s);
                if (f[i].bits == 24 && k)
                    continue;
                if (z != (f[i].bits == 32 ? bits_f32(code) : (float)(code / max)))
                    ck_abort_msg("%u bits: %a (code 0x%x) came out as %a", f[i].bits, (double)ex[k].z, code, (double)z);
            }
        }
        raster_db_end(&db);
    }
    ck_assert_uint_eq(loud_count(loud), 0);
    done();
}
END_TEST

/* A sample of the reference. */
struct cell {
    uint32_t z; /* float bits, or a code */
    uint8_t s;
};

static bool passes(uint8_t func, bool less, bool equal)
{
    static const uint8_t when[8] = { /* bit 0 less, bit 1 equal, bit 2 greater */
        [V_CompareFrag__FRAG_NEVER] = 0, [V_CompareFrag__FRAG_LESS] = 1, [V_CompareFrag__FRAG_EQUAL] = 2,
        [V_CompareFrag__FRAG_LEQUAL] = 3, [V_CompareFrag__FRAG_GREATER] = 4, [V_CompareFrag__FRAG_NOTEQUAL] = 5,
        [V_CompareFrag__FRAG_GEQUAL] = 6, [V_CompareFrag__FRAG_ALWAYS] = 7,
    };

    return when[func] >> (less ? 0 : equal ? 1 : 2) & 1;
}

static uint8_t stencil_after(uint8_t op, uint8_t old, uint8_t test, uint8_t val)
{
    switch (op) {
    case V_StencilOp__STENCIL_KEEP: return old;
    case V_StencilOp__STENCIL_ZERO: return 0;
    case V_StencilOp__STENCIL_ONES: return 255;
    case V_StencilOp__STENCIL_REPLACE_TEST: return test;
    case V_StencilOp__STENCIL_REPLACE_OP: return val;
    case V_StencilOp__STENCIL_ADD_CLAMP: return (uint8_t)(old + val > 255 ? 255 : old + val);
    case V_StencilOp__STENCIL_SUB_CLAMP: return (uint8_t)(old < val ? 0 : old - val);
    case V_StencilOp__STENCIL_INVERT: return (uint8_t)~old;
    case V_StencilOp__STENCIL_ADD_WRAP: return (uint8_t)(old + val);
    case V_StencilOp__STENCIL_SUB_WRAP: return (uint8_t)(old - val);
    case V_StencilOp__STENCIL_AND: return old & val;
    case V_StencilOp__STENCIL_OR: return old | val;
    case V_StencilOp__STENCIL_XOR: return old ^ val;
    case V_StencilOp__STENCIL_NAND: return (uint8_t)~(old & val);
    case V_StencilOp__STENCIL_NOR: return (uint8_t)~(old | val);
    default: return (uint8_t)~(old ^ val);
    }
}

static float depth_of(uint8_t format, uint32_t code)
{
    return format == V_ZFormat__Z_32_FLOAT ? bits_f32(code)
                                           : (float)((double)code / (format == V_ZFormat__Z_16 ? 65535 : 16777215));
}

/* One pixel of a draw, in the reference; returns whether it is still live. */
static bool reference(struct cell *c, uint8_t format, float z, bool front)
{
    const struct raster_db_state *d = &state.db;
    const struct raster_stencil *s = &d->stencil[!front && d->backface_enable];
    const float old = depth_of(format, c->z);
    const double max = format == V_ZFormat__Z_16 ? 65535 : 16777215;
    const uint32_t code = format == V_ZFormat__Z_32_FLOAT ? f32_bits(z) : (uint32_t)floor((double)z * max + 0.5);
    bool s_ok = true, z_ok = true;

    if (d->depth_bounds && !(old >= d->bounds_min && old <= d->bounds_max))
        return false;
    if (d->stencil_enable) {
        const uint8_t a = s->test_val & s->mask, b = c->s & s->mask;

        s_ok = passes(s->func, a < b, a == b);
    }
    if (d->z_enable)
        z_ok = format == V_ZFormat__Z_32_FLOAT ? passes(d->zfunc, z < old, z == old)
                                               : passes(d->zfunc, code < c->z, code == c->z);
    if (d->stencil_enable) {
        const uint8_t v = stencil_after(!s_ok ? s->fail : z_ok ? s->zpass : s->zfail, c->s, s->test_val, s->op_val);

        c->s = (uint8_t)((v & s->write_mask) | (c->s & ~s->write_mask));
    }
    if (s_ok && z_ok && d->z_enable && d->z_write)
        c->z = code;
    return s_ok && z_ok;
}

static void random_state(void)
{
    struct raster_db_state *d = &state.db;

    d->z_enable = rnd() % 8 != 0;
    d->z_write = rnd() & 1;
    d->zfunc = rnd() & 7;
    d->stencil_enable = rnd() & 1;
    d->backface_enable = rnd() & 1;
    d->depth_bounds = rnd() % 4 == 0;
    d->bounds_min = (float)(rnd() % 65536) / 65535 / 2;
    d->bounds_max = d->bounds_min + 0.4f;
    for (unsigned i = 0; i < 2; i++)
        d->stencil[i] = (struct raster_stencil){ .func = rnd() & 7, .fail = rnd() & 15, .zpass = rnd() & 15,
                                                 .zfail = rnd() & 15, .test_val = rnd() & 255, .mask = rnd() & 255,
                                                 .write_mask = rnd() & 255, .op_val = rnd() & 255 };
    if (!d->backface_enable)
        d->stencil[1] = d->stencil[0];
}

/* Draws over a surface that HTILE says is cleared, over one that was cleared in memory, and over arrays. */
START_TEST(htile_changes_nothing)
{
    static struct cell cell[SIDE][SIDE];
    static const uint8_t formats[] = { V_ZFormat__Z_16, V_ZFormat__Z_24, V_ZFormat__Z_32_FLOAT };
    const uint8_t format = formats[_i / 2 % 3];
    const bool htile = _i % 2;
    static struct raster_db db;
    const char *draws = getenv("DRAWS");
    const uint8_t clear_s = 0x5a;
    const float clear_z = 0.5f;
    uint32_t clear_code;

    setup();
    rng_state = 77 + (unsigned)_i / 2; /* the same with HTILE and without */
    depth_surfaces(format, true, htile);
    state.db.clear_depth = clear_z;
    state.db.clear_stencil = clear_s;
    clear_code = format == V_ZFormat__Z_32_FLOAT ? f32_bits(clear_z)
                                                 : (uint32_t)floor(clear_z * (format == V_ZFormat__Z_16 ? 65535. : 16777215.) + 0.5);
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++)
            cell[y][x] = (struct cell){ clear_code, clear_s };
    if (!htile) { /* the memory of a fast clear is what it was */
        const uint16_t half = (uint16_t)clear_code;

        for (unsigned i = 0; i < SIDE * SIDE; i++) {
            ck_assert(format == V_ZFormat__Z_16 ? mem_write(vm, Z_VA + 2 * i, &half, 2, NULL)
                                                : mem_write(vm, Z_VA + 4 * i, &clear_code, 4, NULL));
            ck_assert(mem_write(vm, S_VA + i, &clear_s, 1, NULL));
        }
    } else {
        for (unsigned i = 0; i < 0x20000; i += 4) {
            const uint32_t junk = rnd() | 1;

            ck_assert(mem_write(vm, Z_VA + i, &junk, 4, NULL));
        }
        rng_state = 77 + (unsigned)_i / 2;
    }
    for (int n = 0; n < (draws ? atoi(draws) : 200); n++) {
        random_state();
        state.db.resummarize = rnd() % 8 == 0;
        raster_db_begin(&db, &state, vm, loud, 0);
        for (unsigned k = 0; k < 40; k++) {
            const float z = (float)(rnd() % 65536) / 65535;
            const struct raster_prim p = { .z = { z, 0, 0 }, .zmax = 1, .front = rnd() & 1 };
            struct raster_quad q = { .x = (int32_t)(rnd() % (SIDE / 2)) * 2, .y = (int32_t)(rnd() % (SIDE / 2)) * 2 };
            uint16_t live[4];

            for (unsigned i = 0; i < 4; i++)
                live[i] = q.mask[i] = rnd() & 1;
            raster_db_quad(&db, &p, &q, live, NULL, &counters);
            for (unsigned i = 0; i < 4; i++) {
                const bool want = q.mask[i] && reference(&cell[q.y + (int)i / 2][q.x + (int)i % 2], format, z, p.front);

                ck_assert_msg(live[i] == want, "draw %d, quad %u, pixel %u: %s", n, k, i, want ? "killed" : "passed");
            }
        }
        raster_db_end(&db);
    }
    state.db.z_enable = state.db.stencil_enable = true;
    raster_db_begin(&db, &state, vm, loud, 0);
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++) {
            float z;
            uint8_t s;

            raster_db_read(&db, 0, x, y, 0, &z, &s);
            ck_assert_msg(z == depth_of(format, cell[y][x].z) && s == cell[y][x].s,
                          "(%u, %u): depth %a, not %a; stencil %u, not %u", x, y, (double)z,
                          (double)depth_of(format, cell[y][x].z), s, cell[y][x].s);
        }
    ck_assert_uint_eq(loud_count(loud), 0);
    done();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("targets");
    TCase *tc = tcase_create("all");
    SRunner *r;
    int failed;

    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, every_code, 0, ARRAY_LEN(layouts));
    tcase_add_test(tc, depth_values);
    tcase_add_loop_test(tc, htile_changes_nothing, 0, 6);
    suite_add_tcase(s, tc);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
