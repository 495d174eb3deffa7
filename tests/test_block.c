/* mem/block.c and mem/bptc.c against small decoders of another make: BC1 to BC5 in doubles, whole blocks at
 * a time; BC6 and BC7 by reading the block bit after bit in the order of the specification, every mode and
 * every partition. (tests/check-texture.sh compares all of them with Mesa's decoders, check-blocks.py with Pillow's.) */
#include "mem/mem.h"

#include <check.h>
#include <math.h>
#include <stdio.h>

#define EXPECT(cond, ...)                                                                      \
    do {                                                                                        \
        if (!(cond))                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                          \
    } while (0)

static uint64_t rng_state = 88172645463325252u;

static uint32_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 16);
}

static void random_block(uint8_t *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        b[i] = (uint8_t)rng();
}

static float as_float(uint32_t v)
{
    float f;

    memcpy(&f, &v, 4);
    return f;
}

static void get(enum mem_layout l, enum mem_num n, const uint8_t *b, unsigned t, float out[4])
{
    const mem_block_fn fn = mem_block_unpacker((struct mem_format){ l, n });
    uint32_t v[4];

    EXPECT(fn, "layout %d", l);
    fn(b, t % 4, t / 4, v);
    for (unsigned i = 0; i < 4; i++)
        out[i] = as_float(v[i]);
}

/* ---- BC1 to BC5 ------------------------------------------------------------------------------- */

static void expand565(unsigned c, double rgb[3])
{
    rgb[0] = (c >> 11) * 8 + (c >> 13);
    rgb[1] = (c >> 5 & 63) * 4 + (c >> 9 & 3);
    rgb[2] = (c & 31) * 8 + (c >> 2 & 7);
}

static void ref_colour(const uint8_t *b, bool four_always, double out[16][4])
{
    const unsigned c0 = b[0] + 256u * b[1], c1 = b[2] + 256u * b[3];
    double p[4][4] = { { 0 } };

    expand565(c0, p[0]);
    expand565(c1, p[1]);
    p[0][3] = p[1][3] = p[2][3] = 255;
    for (unsigned i = 0; i < 3; i++)
        if (c0 > c1 || four_always) {
            p[2][i] = floor((43 * p[0][i] + 21 * p[1][i]) / 64 + 0.5);
            p[3][i] = floor((21 * p[0][i] + 43 * p[1][i]) / 64 + 0.5);
            p[3][3] = 255;
        } else {
            p[2][i] = floor((p[0][i] + p[1][i]) / 2 + 0.5);
        }
    for (unsigned t = 0; t < 16; t++)
        memcpy(out[t], p[b[4 + t / 4] >> (2 * (t % 4)) & 3], sizeof out[t]);
}

static void ref_channel(const uint8_t *b, bool is_signed, double out[16])
{
    double p[8];
    uint64_t index = 0;

    p[0] = is_signed ? fmax((int8_t)b[0] / 127.0, -1) : b[0] / 255.0;
    p[1] = is_signed ? fmax((int8_t)b[1] / 127.0, -1) : b[1] / 255.0;
    if (is_signed ? (int8_t)b[0] > (int8_t)b[1] : b[0] > b[1]) {
        for (unsigned i = 1; i < 7; i++)
            p[i + 1] = ((7 - i) * p[0] + i * p[1]) / 7;
    } else {
        for (unsigned i = 1; i < 5; i++)
            p[i + 1] = ((5 - i) * p[0] + i * p[1]) / 5;
        p[6] = is_signed ? -1 : 0;
        p[7] = 1;
    }
    for (unsigned i = 0; i < 6; i++)
        index |= (uint64_t)b[2 + i] << (8 * i);
    for (unsigned t = 0; t < 16; t++)
        out[t] = p[index >> (3 * t) & 7];
}

static double linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

START_TEST(bc1_to_bc5)
{
    for (unsigned n = 0; n < 1500; n++) {
        uint8_t b[16];
        double rgba[16][4], chan[2][16];
        float f[4];

        random_block(b, 16);
        if (n % 4 == 0) /* equal ends */
            b[2] = b[0], b[3] = b[1], b[10] = b[8], b[11] = b[9];
        ref_colour(b, false, rgba);
        for (unsigned t = 0; t < 16; t++) {
            get(MEM_LAYOUT_BC1, MEM_UNORM, b, t, f);
            for (unsigned i = 0; i < 4; i++)
                EXPECT(fabs(f[i] - rgba[t][i] / 255) < 1e-7, "BC1 block %u texel %u.%u: %g", n, t, i, f[i]);
            get(MEM_LAYOUT_BC1, MEM_SRGB, b, t, f);
            for (unsigned i = 0; i < 3; i++)
                EXPECT(fabs(f[i] - linear(rgba[t][i] / 255)) < 1e-7, "BC1 sRGB %u.%u: %g", t, i, f[i]);
        }
        ref_colour(b + 8, true, rgba);
        ref_channel(b, false, chan[0]);
        for (unsigned t = 0; t < 16; t++) {
            get(MEM_LAYOUT_BC2, MEM_UNORM, b, t, f);
            for (unsigned i = 0; i < 3; i++)
                EXPECT(fabs(f[i] - rgba[t][i] / 255) < 1e-7, "BC2 block %u texel %u.%u", n, t, i);
            EXPECT(fabs(f[3] - (b[t / 2] >> (4 * (t % 2)) & 15) / 15.0) < 1e-7, "BC2 alpha %u", t);
            get(MEM_LAYOUT_BC3, MEM_UNORM, b, t, f);
            for (unsigned i = 0; i < 3; i++)
                EXPECT(fabs(f[i] - rgba[t][i] / 255) < 1e-7, "BC3 block %u texel %u.%u", n, t, i);
            EXPECT(fabs(f[3] - chan[0][t]) < 1e-7, "BC3 alpha %u: %g, not %g", t, f[3], chan[0][t]);
        }
        for (unsigned s = 0; s < 2; s++) {
            ref_channel(b, s, chan[0]);
            ref_channel(b + 8, s, chan[1]);
            for (unsigned t = 0; t < 16; t++) {
                get(MEM_LAYOUT_BC5, s ? MEM_SNORM : MEM_UNORM, b, t, f);
                EXPECT(fabs(f[0] - chan[0][t]) < 1e-7 && fabs(f[1] - chan[1][t]) < 1e-7 && f[2] == 0 &&
                           f[3] == 1, "BC5 signed %u texel %u: %g %g", s, t, f[0], f[1]);
                get(MEM_LAYOUT_BC4, s ? MEM_SNORM : MEM_UNORM, b, t, f);
                EXPECT(fabs(f[0] - chan[0][t]) < 1e-7 && f[1] == 0, "BC4 signed %u texel %u: %g", s, t, f[0]);
            }
        }
    }
}
END_TEST

/* ---- BC7 ---------------------------------------------------------------------------------------- */

static const uint16_t two[64] = {
#define PARTITION(n, mask, a, map, a1, a2) mask,
#include "mem/bptc.def"
#undef PARTITION
};
static const uint32_t three[64] = {
#define PARTITION(n, mask, a, map, a1, a2) map,
#include "mem/bptc.def"
#undef PARTITION
};

struct reader {
    const uint8_t *b;
    unsigned at;
};

static unsigned next(struct reader *r, unsigned n)
{
    unsigned v = 0;

    for (unsigned i = 0; i < n; i++, r->at++)
        v |= (r->b[r->at / 8] >> r->at % 8 & 1u) << i;
    return v;
}

static double weight(unsigned index, unsigned n)
{
    return floor(index * 64.0 / ((1 << n) - 1) + 0.5); /* what the tables of the specification hold */
}

/* Anchors, found again: the specification's tables name the texel of a subset that comes first or last in
 * some order; tests trust bptc.def for them. */
static const uint8_t anchors[3][64] = {
#define PARTITION(n, mask, a, map, a1, a2) a,
    {
#include "mem/bptc.def"
    },
#undef PARTITION
#define PARTITION(n, mask, a, map, a1, a2) a1,
    {
#include "mem/bptc.def"
    },
#undef PARTITION
#define PARTITION(n, mask, a, map, a1, a2) a2,
    {
#include "mem/bptc.def"
    },
#undef PARTITION
};

static void ref_bc7(const uint8_t *b, double out[16][4])
{
    /* subsets, partition, rotation, selection, colour, alpha, P, index, second index bits */
    static const uint8_t modes[8][9] = {
        { 3, 4, 0, 0, 4, 0, 1, 3, 0 }, { 2, 6, 0, 0, 6, 0, 2, 3, 0 }, { 3, 6, 0, 0, 5, 0, 0, 2, 0 },
        { 2, 6, 0, 0, 7, 0, 1, 2, 0 }, { 1, 0, 2, 1, 5, 6, 0, 2, 3 }, { 1, 0, 2, 0, 7, 8, 0, 2, 2 },
        { 1, 0, 0, 0, 7, 7, 1, 4, 0 }, { 2, 6, 0, 0, 5, 5, 1, 2, 0 },
    };
    struct reader r = { b, 0 };
    unsigned mode = 0, partition, rotation, selection, end[6][4], width[4], index[2][16], last = 0;
    const uint8_t *m;

    memset(out, 0, 16 * sizeof *out);
    while (mode < 8 && !next(&r, 1))
        mode++;
    if (mode == 8)
        return;
    m = modes[mode];
    partition = next(&r, m[1]);
    rotation = next(&r, m[2]);
    selection = next(&r, m[3]);
    for (unsigned c = 0; c < 4; c++)
        for (unsigned e = 0; e < 2u * m[0]; e++)
            end[e][c] = next(&r, width[c] = c < 3 ? m[4] : m[5]);
    for (unsigned e = 0; m[6] && e < 2u * m[0]; e++) {
        if (m[6] == 1 || e % 2 == 0)
            last = next(&r, 1);
        for (unsigned c = 0; c < 4; c++)
            end[e][c] = 2 * end[e][c] + last;
    }
    for (unsigned c = 0; c < 4; c++) {
        width[c] += width[c] && m[6] ? 1 : 0;
        for (unsigned e = 0; e < 2u * m[0]; e++)
            end[e][c] = width[c] ? (end[e][c] << (8 - width[c])) | end[e][c] >> (2 * width[c] - 8) : 255;
    }
    for (unsigned t = 0; t < 16; t++) {
        bool anchor = t == 0 || (m[0] == 2 && t == anchors[0][partition]) ||
                      (m[0] == 3 && (t == anchors[1][partition] || t == anchors[2][partition]));

        index[0][t] = next(&r, m[7] - anchor);
    }
    for (unsigned t = 0; m[8] && t < 16; t++)
        index[1][t] = next(&r, m[8] - (t == 0));
    EXPECT(r.at == 128, "mode %u: %u bits", mode, r.at);
    for (unsigned t = 0; t < 16; t++) {
        const unsigned s = m[0] == 2 ? two[partition] >> t & 1 : m[0] == 3 ? three[partition] >> 2 * t & 3 : 0;

        for (unsigned c = 0; c < 4; c++) {
            const unsigned which = m[8] && (c < 3 ? selection : !selection);
            const double w = weight(index[which][t], m[7 + which]);

            out[t][c] = floor(((64 - w) * end[2 * s][c] + w * end[2 * s + 1][c]) / 64 + 0.5);
        }
        if (rotation) {
            double a = out[t][3];

            out[t][3] = out[t][rotation - 1];
            out[t][rotation - 1] = a;
        }
    }
}

START_TEST(bc7)
{
    for (unsigned n = 0; n < 9 * 1024; n++) {
        uint8_t b[16];
        double rgba[16][4];
        float f[4];

        random_block(b, 16);
        b[0] = (uint8_t)(n % 9 == 8 ? 0 : (b[0] & ~((2u << n % 9) - 1)) | 1u << n % 9);
        ref_bc7(b, rgba);
        for (unsigned t = 0; t < 16; t++) {
            get(MEM_LAYOUT_BC7, MEM_UNORM, b, t, f);
            for (unsigned i = 0; i < 4; i++)
                EXPECT(fabs(f[i] - rgba[t][i] / 255) < 1e-7, "BC7 mode %u texel %u.%u: %g, not %g", n % 9, t,
                       i, f[i] * 255, rgba[t][i]);
        }
    }
}
END_TEST

/* ---- BC6: mode 3 (0x03) by hand, all others by Mesa --------------------------------------------- */

START_TEST(bc6_ten_bits)
{
    for (unsigned n = 0; n < 4000; n++) {
        struct reader r;
        unsigned end[2][3], index[16];
        uint8_t b[16];
        float f[4];

        random_block(b, 16);
        b[0] = (uint8_t)((b[0] & 0xe0) | 3);
        r = (struct reader){ b, 5 };
        for (unsigned e = 0; e < 2; e++)
            for (unsigned c = 0; c < 3; c++)
                end[e][c] = next(&r, 10);
        for (unsigned t = 0; t < 16; t++)
            index[t] = next(&r, 4 - (t == 0));
        for (unsigned t = 0; t < 16; t++)
            for (unsigned s = 0; s < 2; s++) {
                get(MEM_LAYOUT_BC6, s ? MEM_SNORM : MEM_UNORM, b, t, f);
                for (unsigned c = 0; c < 3; c++) {
                    double v[2], x, w = weight(index[t], 4), half;

                    for (unsigned e = 0; e < 2; e++) {
                        double q = end[e][c];

                        if (s) {
                            double sign;

                            q = q >= 512 ? q - 1024 : q;
                            sign = q < 0 ? -1 : 1;
                            q = fabs(q);
                            v[e] = sign * (q == 0 ? 0 : q >= 511 ? 32767 : floor((q * 32768 + 16384) / 512));
                        } else {
                            v[e] = q == 0 ? 0 : q == 1023 ? 65535 : floor((q * 32768 + 16384) / 512);
                        }
                    }
                    x = floor(((64 - w) * v[0] + w * v[1] + 32) / 64);
                    half = s ? floor(fabs(x) * 31 / 32) : floor(x * 31 / 64);
                    x = (x < 0 ? -1 : 1) * as_float(mem_f16_to_f32((uint16_t)half));
                    EXPECT(f[c] == x, "BC6 signed %u texel %u.%u: %g, not %g", s, t, c, f[c], x);
                }
                EXPECT(f[3] == 1, "BC6 W");
            }
    }
}
END_TEST

START_TEST(pairs_and_bits)
{
    const uint8_t b[4] = { 10, 20, 30, 40 };
    float f[4];

    get(MEM_LAYOUT_GB_GR, MEM_UNORM, b, 0, f);
    ck_assert(f[0] == 10 / 255.0f && f[1] == 20 / 255.0f && f[2] == 30 / 255.0f && f[3] == 1);
    get(MEM_LAYOUT_GB_GR, MEM_UNORM, b, 1, f);
    ck_assert(f[0] == 10 / 255.0f && f[1] == 40 / 255.0f && f[2] == 30 / 255.0f);
    get(MEM_LAYOUT_BG_RG, MEM_UNORM, b, 0, f);
    ck_assert(f[0] == 20 / 255.0f && f[1] == 10 / 255.0f && f[2] == 40 / 255.0f);
    get(MEM_LAYOUT_BG_RG, MEM_UNORM, b, 1, f);
    ck_assert(f[0] == 20 / 255.0f && f[1] == 30 / 255.0f && f[2] == 40 / 255.0f);
    for (unsigned x = 0; x < 8; x++) {
        uint32_t v[4];

        mem_block_unpacker((struct mem_format){ MEM_LAYOUT_1, MEM_UINT })(b, x, 0, v);
        ck_assert_uint_eq(v[0], 10u >> x & 1);
        mem_block_unpacker((struct mem_format){ MEM_LAYOUT_1_REVERSED, MEM_UINT })(b, x, 0, v);
        ck_assert_uint_eq(v[0], 10u >> (7 - x) & 1);
    }
    ck_assert_ptr_null(mem_block_unpacker((struct mem_format){ MEM_LAYOUT_BC1, MEM_UINT }));
    ck_assert_uint_eq(mem_layout_info(MEM_LAYOUT_BC7)->block_width, 4);
    ck_assert_uint_eq(mem_layout_info(MEM_LAYOUT_GB_GR)->block_width, 2);
    ck_assert_uint_eq(mem_layout_info(MEM_LAYOUT_8)->block_width, 1);
}
END_TEST

/* test_block LAYOUT [signed] <BLOCKS >FLOATS: for check-blocks.py, the texels of each block as four floats. */
static int decode(enum mem_layout l, enum mem_num num)
{
    const size_t bytes = mem_layout_info(l)->bits / 8;
    uint8_t b[16];

    while (fread(b, 1, bytes, stdin) == bytes)
        for (unsigned t = 0; t < 16; t++) {
            float f[4];

            get(l, num, b, t, f);
            fwrite(f, sizeof f, 1, stdout);
        }
    return 0;
}

int main(int argc, char **argv)
{
    for (int l = MEM_LAYOUT_BC1; argc > 1 && l <= MEM_LAYOUT_BC7; l++)
        if (!strcmp(argv[1], mem_layout_info((enum mem_layout)l)->name))
            return decode((enum mem_layout)l, argc > 2 ? MEM_SNORM : MEM_UNORM);
    Suite *s = suite_create("block");
    TCase *t = tcase_create("block");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_test(t, bc1_to_bc5);
    tcase_add_test(t, bc7);
    tcase_add_test(t, bc6_ten_bits);
    tcase_add_test(t, pairs_and_bits);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
