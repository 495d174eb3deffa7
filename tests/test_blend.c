/* Colour into memory against an exact reference: blending with all factors and functions, at the precision of each
 * format; logic operations; write masks; targets of different formats at once.
 *
 * The reference works in __float128 (113 bits: products and sums of these inputs are exact, or as good as), has its own
 * idea of what codes mean, and rounds once, to nearest even. BLENDS (environment, default 2) says how many colours each
 * combination of factors and function meets. */
#include "raster/cb.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define VA    0x100000
#define SIDE  64
#define MRTS  4
#define BLEND(name) V_BlendOp__BLEND_##name
#define COMB(name)  V_CombFunc__COMB_##name

typedef __float128 exact;

static struct raster_state state;
static struct raster_counters counters;
static struct raster_cb cb;
static struct mem_vm *vm;
static struct loud *loud;
static uint64_t rng_state = 1;

static uint32_t rnd(void)
{
    rng_state = rng_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rng_state >> 33);
}

static void setup(void)
{
    struct err e;

    memset(&state, 0, sizeof state);
    vm = mem_vm_create();
    loud = loud_create();
    loud_set_quiet(loud, true);
    ck_assert(!mem_map(vm, VA, MRTS << 17, NULL, MEM_R | MEM_W, &e));
    state.chip = chip_find("bonaire");
    state.gen = GFX7;
    state.cb.mode = V_CBMode__CB_NORMAL;
    state.cb.rop3 = V_ROP3__ROP3_COPY;
    for (unsigned i = 0; i < MRTS; i++) {
        struct raster_mrt *m = &state.cb.mrt[i];

        m->target_mask = m->shader_mask = 15;
        m->color.va = VA + (i << 17);
        m->color.pitch_px = SIDE;
        m->color.slice_px = SIDE * SIDE;
        m->color.tile_mode_index = 8; /* linear */
    }
}

static void done(void)
{
    mem_vm_destroy(vm);
    loud_destroy(loud);
}

/* ---- formats ------------------------------------------------------------------------------------ */

enum num { UNORM, SNORM, FLOAT };

static const struct format {
    const char *name;
    uint8_t format, number_type; /* V_ColorFormat__*, V_SurfaceNumber__* */
    enum num num;
    uint8_t components, bits[4]; /* from the lowest bit up */
} formats[] = {
    { "8 UNORM", V_ColorFormat__COLOR_8, V_SurfaceNumber__NUMBER_UNORM, UNORM, 1, { 8 } },
    { "8_8_8_8 UNORM", V_ColorFormat__COLOR_8_8_8_8, V_SurfaceNumber__NUMBER_UNORM, UNORM, 4, { 8, 8, 8, 8 } },
    { "8_8_8_8 SNORM", V_ColorFormat__COLOR_8_8_8_8, V_SurfaceNumber__NUMBER_SNORM, SNORM, 4, { 8, 8, 8, 8 } },
    { "5_6_5 UNORM", V_ColorFormat__COLOR_5_6_5, V_SurfaceNumber__NUMBER_UNORM, UNORM, 3, { 5, 6, 5 } },
    { "4_4_4_4 UNORM", V_ColorFormat__COLOR_4_4_4_4, V_SurfaceNumber__NUMBER_UNORM, UNORM, 4, { 4, 4, 4, 4 } },
    { "1_5_5_5 UNORM", V_ColorFormat__COLOR_1_5_5_5, V_SurfaceNumber__NUMBER_UNORM, UNORM, 4, { 5, 5, 5, 1 } },
    { "2_10_10_10 UNORM", V_ColorFormat__COLOR_2_10_10_10, V_SurfaceNumber__NUMBER_UNORM, UNORM, 4,
      { 10, 10, 10, 2 } },
    { "16_16 UNORM", V_ColorFormat__COLOR_16_16, V_SurfaceNumber__NUMBER_UNORM, UNORM, 2, { 16, 16 } },
    { "16_16_16_16 SNORM", V_ColorFormat__COLOR_16_16_16_16, V_SurfaceNumber__NUMBER_SNORM, SNORM, 4,
      { 16, 16, 16, 16 } },
    { "16_16_16_16 FLOAT", V_ColorFormat__COLOR_16_16_16_16, V_SurfaceNumber__NUMBER_FLOAT, FLOAT, 4,
      { 16, 16, 16, 16 } },
    { "10_11_11 FLOAT", V_ColorFormat__COLOR_10_11_11, V_SurfaceNumber__NUMBER_FLOAT, FLOAT, 3, { 11, 11, 10 } },
    { "32_32_32_32 FLOAT", V_ColorFormat__COLOR_32_32_32_32, V_SurfaceNumber__NUMBER_FLOAT, FLOAT, 4,
      { 32, 32, 32, 32 } },
};

static unsigned texel_bits(const struct format *f)
{
    return f->bits[0] + f->bits[1] + f->bits[2] + f->bits[3];
}

static uint32_t code_of(const struct format *f, const uint64_t texel[2], unsigned i)
{
    unsigned at = 0;

    for (unsigned k = 0; k < i; k++)
        at += f->bits[k];
    return (uint32_t)(texel[at / 64] >> at % 64) & (uint32_t)((UINT64_C(1) << f->bits[i]) - 1);
}

static unsigned mantissa_bits(unsigned bits)
{
    return bits == 32 ? 23 : bits == 16 ? 10 : bits == 11 ? 6 : 5;
}

/* The float that a code is: the nearest one. */
static float meaning(const struct format *f, uint32_t code, unsigned bits)
{
    if (f->num == UNORM)
        return (float)((double)code / (double)((1u << bits) - 1));
    if (f->num == SNORM) {
        const int32_t v = (int32_t)(code << (32 - bits)) >> (32 - bits);

        return (float)fmax((double)v / (double)((1u << (bits - 1)) - 1), -1);
    }
    if (bits == 32)
        return bits_f32(code);
    {
        const unsigned m = mantissa_bits(bits), e = code >> m & 31;
        const double frac = (double)(code & ((1u << m) - 1)) / (double)(1u << m);
        const double v = e ? ldexp(1 + frac, (int)e - 15) : ldexp(frac, -14);

        return (float)(bits == 16 && code >> 15 ? -v : v);
    }
}

/* ---- rounding --------------------------------------------------------------------------------------- */

static exact floor_exact(exact v) /* |v| < 2^62 */
{
    exact t = (exact)(int64_t)v;

    return t > v ? t - 1 : t;
}

static exact nearest_even(exact v)
{
    exact lo = floor_exact(v), rest = v - lo;

    if (rest < 0.5Q || (rest == 0.5Q && (int64_t)lo % 2 == 0))
        return lo;
    return lo + 1;
}

static exact pow2(int e)
{
    exact v = 1;

    for (; e > 0; e--)
        v *= 2;
    for (; e < 0; e++)
        v /= 2;
    return v;
}

static uint32_t encode_float(exact v, unsigned bits)
{
    const unsigned m = mantissa_bits(bits);
    const int bias = bits == 32 ? 127 : 15;
    const bool negative = v < 0;
    exact q, mag = negative ? -v : v;
    int e = 1 - bias;
    uint32_t code;

    if (bits < 16 && negative)
        return 0; /* these have no sign */
    while (mag >= pow2(e + 1))
        e++;
    q = nearest_even(mag / pow2(e - (int)m));
    if (q >= pow2((int)m + 1)) {
        q /= 2;
        e++;
    }
    code = q >= pow2((int)m) ? ((uint32_t)(e + bias) << m) + (uint32_t)((uint64_t)q - (UINT64_C(1) << m))
                             : (uint32_t)(uint64_t)q;
    return code | (negative ? (uint32_t)(bits == 32 ? 1u << 31 : 1u << 15) : 0);
}

static uint32_t encode(const struct format *f, exact v, unsigned bits)
{
    const exact lo = f->num == SNORM ? -1 : 0;
    exact max;

    if (f->num == FLOAT)
        return encode_float(v, bits);
    if (v < lo)
        v = lo;
    if (v > 1)
        v = 1;
    max = f->num == SNORM ? (exact)((1u << (bits - 1)) - 1) : (exact)((1u << bits) - 1);
    return (uint32_t)(int64_t)nearest_even(v * max) & (uint32_t)((UINT64_C(1) << bits) - 1);
}

/* ---- the equation ----------------------------------------------------------------------------------- */

static const uint8_t factors[] = {
    BLEND(ZERO), BLEND(ONE), BLEND(SRC_COLOR), BLEND(ONE_MINUS_SRC_COLOR), BLEND(SRC_ALPHA),
    BLEND(ONE_MINUS_SRC_ALPHA), BLEND(DST_ALPHA), BLEND(ONE_MINUS_DST_ALPHA), BLEND(DST_COLOR),
    BLEND(ONE_MINUS_DST_COLOR), BLEND(SRC_ALPHA_SATURATE), BLEND(CONSTANT_COLOR),
    BLEND(ONE_MINUS_CONSTANT_COLOR), BLEND(SRC1_COLOR), BLEND(INV_SRC1_COLOR), BLEND(SRC1_ALPHA),
    BLEND(INV_SRC1_ALPHA), BLEND(CONSTANT_ALPHA), BLEND(ONE_MINUS_CONSTANT_ALPHA),
};
static const uint8_t functions[] = { COMB(DST_PLUS_SRC), COMB(SRC_MINUS_DST), COMB(DST_MINUS_SRC),
                                     COMB(MIN_DST_SRC), COMB(MAX_DST_SRC) };

struct colours {
    float src[4], src1[4], dst[4], cst[4];
};

static exact factor(uint8_t f, const struct colours *k, unsigned c)
{
    const exact as = k->src[3], ad = k->dst[3];

    switch (f) {
    case BLEND(ZERO): return 0;
    case BLEND(ONE): return 1;
    case BLEND(SRC_COLOR): return k->src[c];
    case BLEND(ONE_MINUS_SRC_COLOR): return 1 - (exact)k->src[c];
    case BLEND(SRC_ALPHA): return as;
    case BLEND(ONE_MINUS_SRC_ALPHA): return 1 - as;
    case BLEND(DST_ALPHA): return ad;
    case BLEND(ONE_MINUS_DST_ALPHA): return 1 - ad;
    case BLEND(DST_COLOR): return k->dst[c];
    case BLEND(ONE_MINUS_DST_COLOR): return 1 - (exact)k->dst[c];
    case BLEND(SRC_ALPHA_SATURATE): return c == 3 ? 1 : as < 1 - ad ? as : 1 - ad;
    case BLEND(CONSTANT_COLOR): return k->cst[c];
    case BLEND(ONE_MINUS_CONSTANT_COLOR): return 1 - (exact)k->cst[c];
    case BLEND(SRC1_COLOR): return k->src1[c];
    case BLEND(INV_SRC1_COLOR): return 1 - (exact)k->src1[c];
    case BLEND(SRC1_ALPHA): return k->src1[3];
    case BLEND(INV_SRC1_ALPHA): return 1 - (exact)k->src1[3];
    case BLEND(CONSTANT_ALPHA): return k->cst[3];
    default: return 1 - (exact)k->cst[3];
    }
}

static exact equation(const struct raster_blend *b, const struct colours *k, unsigned c)
{
    const unsigned a = c == 3;
    const exact s = factor(b->src[a], k, c) * k->src[c], d = factor(b->dst[a], k, c) * k->dst[c];

    switch (b->fcn[a]) {
    case COMB(DST_PLUS_SRC): return s + d;
    case COMB(SRC_MINUS_DST): return s - d;
    case COMB(DST_MINUS_SRC): return d - s;
    case COMB(MIN_DST_SRC): return k->src[c] < k->dst[c] ? k->src[c] : k->dst[c];
    default: return k->src[c] > k->dst[c] ? k->src[c] : k->dst[c];
    }
}

/* ---- blending ---------------------------------------------------------------------------------------- */

/* In [lo, 1] often, at its ends sometimes, sometimes beyond. */
static float random_float(float lo)
{
    switch (rnd() % 8) {
    case 0: return 0;
    case 1: return 1;
    case 2: return (float)(rnd() % 256) / 255;
    case 3: return 0.5f;
    case 4: return lo - (float)(rnd() % 4096) / 4096;
    case 5: return 1 + (float)(rnd() % 4096) / 4096;
    default: return lo + (1 - lo) * (float)(rnd() & 0xffffff) / 16777216;
    }
}

static float clamped(const struct format *f, float v)
{
    const float lo = f->num == SNORM ? -1 : 0;

    return f->num == FLOAT ? v : v < lo ? lo : v > 1 ? 1 : v;
}

static void random_texel(const struct format *f, uint64_t texel[2])
{
    for (unsigned w = 0; w < 2; w++)
        texel[w] = (uint64_t)rnd() << 33 ^ (uint64_t)rnd() << 10 ^ rnd();
    if (f->num != FLOAT)
        return;
    /* Finite numbers that are not too far apart. */
    texel[0] = texel[1] = 0;
    for (unsigned i = 0, at = 0; i < f->components; at += f->bits[i++]) {
        float v = random_float(f->bits[i] < 16 ? 0 : -2);

        texel[at / 64] |= (uint64_t)encode_float(v, f->bits[i]) << at % 64;
    }
}

START_TEST(blending)
{
    const struct format *f = &formats[_i];
    struct raster_mrt *m = &state.cb.mrt[0];
    const unsigned bytes = texel_bits(f) / 8;
    const char *env = getenv("BLENDS");
    const unsigned samples = env ? (unsigned)atoi(env) : 2;
    uint8_t *texel;

    setup();
    texel = mem_ptr(vm, VA, 16, MEM_W);
    ck_assert_ptr_nonnull(texel);
    m->bound = true;
    m->format = f->format;
    m->number_type = f->number_type;
    m->blend_clamp = f->num != FLOAT;
    m->blend.enable = m->blend.separate_alpha = true;
    rng_state = 100 + (unsigned)_i;
    for (size_t s = 0; s < ARRAY_LEN(factors); s++)
        for (size_t d = 0; d < ARRAY_LEN(factors); d++)
            for (size_t fn = 0; fn < ARRAY_LEN(functions); fn++) {
                m->blend.src[0] = factors[s];
                m->blend.dst[0] = factors[d];
                m->blend.fcn[0] = functions[fn];
                m->blend.src[1] = factors[rnd() % ARRAY_LEN(factors)];
                m->blend.dst[1] = factors[rnd() % ARRAY_LEN(factors)];
                m->blend.fcn[1] = functions[rnd() % ARRAY_LEN(functions)];
                m->target_mask = rnd() & 15;
                for (unsigned c = 0; c < 4; c++)
                    state.cb.blend_const[c] = random_float(0);
                raster_cb_begin(&cb, &state, vm, loud, 0);
                for (unsigned t = 0; t < samples; t++) {
                    struct colours k = { .dst = { 0, 0, 0, 1 } };
                    struct raster_color src[4], src1[4];
                    const uint16_t mask[4] = { 1 };
                    uint64_t old[2], got[2] = { 0, 0 };

                    random_texel(f, old);
                    memcpy(texel, old, bytes);
                    for (unsigned c = 0; c < 4; c++) {
                        const float a = random_float(-1), b = random_float(-1);

                        src[0].c[c] = f32_bits(a);
                        src1[0].c[c] = f32_bits(b);
                        k.src[c] = clamped(f, a);
                        k.src1[c] = clamped(f, b);
                        k.cst[c] = state.cb.blend_const[c];
                    }
                    for (unsigned i = 0; i < f->components; i++)
                        k.dst[i] = meaning(f, code_of(f, old, i), f->bits[i]);
                    raster_cb_quad(&cb, 0, 0, 0, 0, mask, src, src1, &counters);
                    memcpy(got, texel, bytes);
                    for (unsigned i = 0; i < f->components; i++) {
                        uint32_t want = code_of(f, old, i);

                        if (m->target_mask >> i & 1)
                            want = encode(f, equation(&m->blend, &k, i), f->bits[i]);
                        /* Zero of either sign is zero. */
                        if (code_of(f, got, i) != want &&
                            !(f->num == FLOAT && meaning(f, want, f->bits[i]) == 0 &&
                              meaning(f, code_of(f, got, i), f->bits[i]) == 0))
                            ck_abort_msg("%s component %u: 0x%x, want 0x%x; factors %u %u, function %u; "
                                         "src %a dst %a", f->name, i, code_of(f, got, i), want,
                                         m->blend.src[i == 3], m->blend.dst[i == 3],
                                         m->blend.fcn[i == 3], (double)k.src[i], (double)k.dst[i]);
                    }
                }
            }
    ck_assert_uint_eq(loud_count(loud), 0);
    done();
}
END_TEST

/* ---- logic operations ---------------------------------------------------------------------------------- */

/* All that do not look at a pattern, on the bits of the texel, under a write mask. */
START_TEST(logic_operations)
{
    struct raster_mrt *m = &state.cb.mrt[0];

    setup();
    m->bound = true;
    m->format = V_ColorFormat__COLOR_8_8_8_8;
    m->number_type = V_SurfaceNumber__NUMBER_UINT;
    for (unsigned op = 0; op < 16; op++)
        for (unsigned t = 0; t < 64; t++) {
            const uint32_t d = rnd() << 16 ^ rnd(), s = rnd() << 16 ^ rnd();
            const uint16_t mask[4] = { 1 };
            struct raster_color c[4];
            uint32_t got = 0, want = 0, kept = 0;

            state.cb.rop3 = op | op << 4;
            m->target_mask = rnd() & 15;
            for (unsigned i = 0; i < 4; i++) {
                c[0].c[i] = s >> 8 * i & 0xff;
                kept |= m->target_mask >> i & 1 ? 0 : 0xffu << 8 * i;
            }
            for (unsigned bit = 0; bit < 32; bit++)
                want |= (op >> ((s >> bit & 1) * 2 + (d >> bit & 1)) & 1) << bit;
            want = (want & ~kept) | (d & kept);
            ck_assert(mem_write(vm, VA, &d, 4, NULL));
            raster_cb_begin(&cb, &state, vm, loud, 0);
            raster_cb_quad(&cb, 0, 0, 0, 0, mask, c, c, &counters);
            ck_assert(mem_read(vm, VA, &got, 4, NULL));
            ck_assert_msg(got == want, "operation %u: 0x%08x 0x%08x gives 0x%08x, want 0x%08x", op, s, d, got,
                          want);
        }
    ck_assert_uint_eq(loud_count(loud), 0);
    state.cb.rop3 = 0xf0; /* the pattern */
    raster_cb_begin(&cb, &state, vm, loud, 0);
    ck_assert_uint_eq(loud_count(loud), 1);
    done();
}
END_TEST

/* ---- several targets -------------------------------------------------------------------------------- */

START_TEST(targets_of_different_formats)
{
    static const struct { uint8_t format, number, bytes; } t[MRTS] = {
        { V_ColorFormat__COLOR_8_8_8_8, V_SurfaceNumber__NUMBER_UNORM, 4 },
        { V_ColorFormat__COLOR_16_16_16_16, V_SurfaceNumber__NUMBER_FLOAT, 8 },
        { V_ColorFormat__COLOR_32, V_SurfaceNumber__NUMBER_UINT, 4 },
        { V_ColorFormat__COLOR_2_10_10_10, V_SurfaceNumber__NUMBER_UNORM, 4 },
    };
    const struct raster_color c = { { f32_bits(1), f32_bits(0.5f), 0, f32_bits(0.25f) } };
    const struct raster_color i = { { 0xdeadbeef, 1, 2, 3 } };
    const uint64_t want[MRTS] = { 0x400080ff, 0x3400000038003c00, 0xdeadbeef, 0x400803ff };
    const uint16_t mask[4] = { 0, 0, 0, 1 };

    setup();
    for (unsigned k = 0; k < MRTS; k++) {
        state.cb.mrt[k].bound = true;
        state.cb.mrt[k].format = t[k].format;
        state.cb.mrt[k].number_type = t[k].number;
        state.cb.mrt[k].blend_clamp = true;
    }
    raster_cb_begin(&cb, &state, vm, loud, 0);
    for (unsigned k = 0; k < MRTS; k++) {
        const struct raster_color four[4] = { c, c, c, k == 2 ? i : c };
        uint64_t got = 0;

        raster_cb_quad(&cb, k, 0, 6, 8, mask, four, four, &counters);
        ck_assert(mem_read(vm, VA + (k << 17) + t[k].bytes * (9 * SIDE + 7), &got, t[k].bytes, NULL));
        ck_assert_msg(got == want[k], "MRT %u: 0x%llx", k, (unsigned long long)got);
    }
    ck_assert_uint_eq(loud_count(loud), 0);
    done();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("blend");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, blending, 0, ARRAY_LEN(formats));
    tcase_add_test(tc, logic_operations);
    tcase_add_test(tc, targets_of_different_formats);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
