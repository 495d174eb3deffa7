/* mem/format.c: every code of every 8- and 16-bit component, both directions, against an
 * independent computation in long double; positions of components; the maps of register numbers. */
#include "mem/mem.h"

#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>

/* Check's assertions cost a system call each; loops use this. */
#define EXPECT(cond, ...)                                                                      \
    do {                                                                                        \
        if (!(cond))                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                          \
    } while (0)

static int32_t sign_extend(uint32_t v, unsigned n)
{
    return v >> (n - 1) & 1 ? (int32_t)v - (1 << n) : (int32_t)v;
}

/* What a code of n bits means, exactly (as far as long double goes). */
static long double meaning(uint32_t v, unsigned n, enum mem_num num)
{
    long double umax = (1u << n) - 1, smax = (1u << (n - 1)) - 1;
    int32_t s = sign_extend(v, n);

    switch (num) {
    case MEM_UNORM: return v / umax;
    case MEM_SNORM: return s == -(1 << (n - 1)) ? -1 : s / smax;
    case MEM_SNORM_OGL: return (2 * s + 1) / umax;
    case MEM_USCALED: return v;
    case MEM_SSCALED: return s;
    case MEM_SRGB: {
        long double c = v / umax;

        return c <= 0.04045L ? c / 12.92L : powl((c + 0.055L) / 1.055L, 2.4L);
    }
    case MEM_FLOAT: {
        unsigned e = n == 16 ? v >> 10 & 31 : v >> (n - 5), m = v & ((1u << (n == 16 ? 10 : n - 5)) - 1);
        unsigned mbits = n == 16 ? 10 : n - 5;
        long double a = e == 31 ? (m ? NAN : INFINITY)
                                : e ? ldexpl(1 + ldexpl(m, -(int)mbits), (int)e - 15)
                                    : ldexpl(m, -14 - (int)mbits);

        return n == 16 && v >> 15 ? -a : a;
    }
    default: return 0;
    }
}

static float as_float(uint32_t u)
{
    return bits_f32(u);
}

static const enum mem_num converted[] = { MEM_UNORM, MEM_SNORM, MEM_SNORM_OGL, MEM_USCALED,
                                          MEM_SSCALED };

/* Codes of one component of n bits in a one-component layout. */
static void check_unpack(enum mem_layout l, unsigned n, enum mem_num num)
{
    mem_unpack_fn unpack = mem_unpacker((struct mem_format){ l, num });

    EXPECT(unpack, "layout %s %s", mem_layout_info(l)->name, mem_num_name(num));
    for (uint32_t v = 0; v < 1u << n; v++) {
        uint32_t out[4];
        long double want = meaning(v, n, num);

        unpack(&v, out);
        if (num == MEM_UINT)
            EXPECT(out[0] == v && out[3] == 1, "UINT %u: %u", v, out[0]);
        else if (num == MEM_SINT)
            EXPECT((int32_t)out[0] == sign_extend(v, n) && out[3] == 1, "SINT %u", v);
        else if (isnan(want))
            EXPECT(isnan(as_float(out[0])), "%s %x is not NaN", mem_num_name(num), v);
        else
            EXPECT(as_float(out[0]) == (float)want && out[3] == f32_bits(1),
                   "%s %u bits %x: %a, want %a", mem_num_name(num), n, v, as_float(out[0]),
                   (float)want);
        EXPECT(!out[1] && !out[2], "components that are not there");
    }
}

START_TEST(unpack_every_code)
{
    for (size_t i = 0; i < ARRAY_LEN(converted); i++) {
        check_unpack(MEM_LAYOUT_8, 8, converted[i]);
        check_unpack(MEM_LAYOUT_16, 16, converted[i]);
    }
    check_unpack(MEM_LAYOUT_8, 8, MEM_UINT);
    check_unpack(MEM_LAYOUT_16, 16, MEM_SINT);
    check_unpack(MEM_LAYOUT_8, 8, MEM_SRGB);
    check_unpack(MEM_LAYOUT_16, 16, MEM_FLOAT);
    for (unsigned n = 1; n <= 16; n++)
        for (uint32_t v = 0; v < 1u << n; v++)
            EXPECT(as_float(mem_unorm_to_f32(v, n)) == (float)meaning(v, n, MEM_UNORM),
                   "unorm%u %u", n, v);
    for (uint32_t v = 0; v < 1u << 24; v += 7)
        EXPECT(as_float(mem_unorm_to_f32(v, 24)) == (float)meaning(v, 24, MEM_UNORM),
               "unorm24 %u", v);
    ck_assert_uint_eq(mem_unorm_to_f32(0xffffff, 24), f32_bits(1));
}
END_TEST

/* The nearest code to f, by looking at what the neighbours mean; ties to even. */
static uint32_t nearest(float f, unsigned n, enum mem_num num)
{
    long double umax = (1u << n) - 1, smax = (1u << (n - 1)) - 1, r;

    if (isnan(f))
        f = 0;
    switch (num) {
    case MEM_UNORM: r = rintl(fminl(fmaxl(f, 0), 1) * umax); break;
    case MEM_SNORM: r = rintl(fminl(fmaxl(f, -1), 1) * smax); break;
    case MEM_SNORM_OGL: /* of (f umax - 1) / 2, without a subtraction that rounds */
        r = floorl(fminl(fmaxl(f, -1), 1) * umax / 2);
        if (r * 2 == fminl(fmaxl(f, -1), 1) * umax && fmodl(r, 2) != 0)
            r -= 1;
        break;
    case MEM_USCALED: r = rintl(fminl(fmaxl(f, 0), umax)); break;
    case MEM_SSCALED: r = rintl(fminl(fmaxl(f, -smax - 1), smax)); break;
    default: abort();
    }
    return (uint32_t)(int32_t)r & ((1u << n) - 1);
}

static void check_pack_one(mem_pack_fn pack, float f, unsigned n, enum mem_num num)
{
    uint32_t in[4] = { f32_bits(f), 0, 0, 0 }, got = 0, want = nearest(f, n, num);

    pack(in, &got);
    EXPECT(got == want, "%s %u bits of %a: %x, want %x", mem_num_name(num), n, f, got, want);
}

static const uint32_t special[] = {
    0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0xbf800000,
    0xbf800001, 0x3f000000, 0x4f000000, 0xcf000000, 0x33000000, 0x47800000, 0x477fffff,
};

START_TEST(pack_around_every_boundary)
{
    static const struct { enum mem_layout l; unsigned n; } one[] = {
        { MEM_LAYOUT_8, 8 }, { MEM_LAYOUT_16, 16 },
    };

    for (size_t k = 0; k < ARRAY_LEN(one); k++)
        for (size_t i = 0; i < ARRAY_LEN(converted); i++) {
            unsigned n = one[k].n;
            mem_pack_fn pack = mem_packer((struct mem_format){ one[k].l, converted[i] });
            mem_unpack_fn unpack = mem_unpacker((struct mem_format){ one[k].l, converted[i] });

            for (uint32_t v = 0; v < 1u << n; v++) {
                long double a = meaning(v, n, converted[i]);
                long double b = meaning((v + 1) & ((1u << n) - 1), n, converted[i]);
                float mid = (float)((a + b) / 2);
                uint32_t out[4], back = 0;

                check_pack_one(pack, mid, n, converted[i]);
                check_pack_one(pack, nextafterf(mid, 2), n, converted[i]);
                check_pack_one(pack, nextafterf(mid, -2), n, converted[i]);
                unpack(&v, out);
                pack(out, &back);
                EXPECT(back == v || (converted[i] == MEM_SNORM && v == 1u << (n - 1)),
                       "%s %x comes back as %x", mem_num_name(converted[i]), v, back);
            }
            for (size_t j = 0; j < ARRAY_LEN(special); j++)
                check_pack_one(pack, as_float(special[j]), n, converted[i]);
        }
    for (unsigned n = 1; n <= 24; n++)
        for (size_t j = 0; j < ARRAY_LEN(special); j++)
            ck_assert_uint_eq(mem_f32_to_unorm(special[j], n),
                              n < 24 ? nearest(as_float(special[j]), n, MEM_UNORM)
                                     : (uint32_t)rintl(fminl(fmaxl(isnan(as_float(special[j])) ? 0
                                       : as_float(special[j]), 0), 1) * 0xffffff));
}
END_TEST

/* Small floats: every code comes back; halfway goes to even; overflow. */
START_TEST(small_floats)
{
    for (uint32_t v = 0; v < 0x7c00; v++) {
        float a = as_float(mem_f16_to_f32((uint16_t)v)), b = as_float(mem_f16_to_f32((uint16_t)(v + 1)));
        float mid = isinf(b) ? 65520 : (a + b) / 2;

        EXPECT(mem_f32_to_f16(f32_bits(a)) == v, "half %x", v);
        EXPECT(mem_f32_to_f16(f32_bits(-a)) == (v | 0x8000), "half -%x", v);
        EXPECT(mem_f32_to_f16(f32_bits(mid)) == v + (v & 1), "half after %x", v);
        EXPECT(mem_f32_to_f16(f32_bits(nextafterf(mid, 0))) == v, "half below %x", v);
        EXPECT(mem_f32_to_f16(f32_bits(nextafterf(mid, INFINITY))) == v + 1, "half above %x", v);
    }
    ck_assert_uint_eq(mem_f32_to_f16(0x7f7fffff), 0x7c00);
    ck_assert_uint_eq(mem_f32_to_f16(0xff800000), 0xfc00);
    ck_assert_uint_eq(mem_f32_to_f16(0x7f800001), 0x7e00);
    ck_assert_uint_eq(mem_f32_to_f16(0x80000001), 0x8000);

    /* 10_11_11: X, Y of 11 bits, Z of 10. */
    for (uint32_t v = 0; v < 1u << 11; v++) {
        const struct mem_format f = { MEM_LAYOUT_10_11_11, MEM_FLOAT };
        uint32_t in = v | (2047 - v) << 11 | (v >> 1) << 22, out[4], back = 0;

        mem_unpacker(f)(&in, out);
        for (unsigned i = 0; i < 3; i++) {
            uint32_t code = i == 0 ? v : i == 1 ? 2047 - v : v >> 1;
            long double want = meaning(code, i == 2 ? 10 : 11, MEM_FLOAT);

            EXPECT(isnan(want) ? isnan(as_float(out[i])) : as_float(out[i]) == (float)want,
                   "component %u of %x", i, in);
        }
        EXPECT(out[3] == f32_bits(1), "W");
        if (isnan(as_float(out[0])) || isnan(as_float(out[1])) || isnan(as_float(out[2])))
            continue;
        mem_packer(f)(out, &back);
        EXPECT(back == in, "%x comes back as %x", in, back);
    }
    {
        /* Finite numbers that would round up to infinity stay below it. */
        const uint32_t in[4] = { 0x477ff000, 0x477e0000, 0x477ff000, 0 }; /* 65520, 65024 */
        uint32_t v;

        mem_packer((struct mem_format){ MEM_LAYOUT_10_11_11, MEM_FLOAT })(in, &v);
        ck_assert_uint_eq(v, 0x7bfu | 0x7bfu << 11 | 0x3dfu << 22);
    }
    {
        const uint32_t in[4] = { 0x7f7fffff, 0xbf800000, 0x7f800000, 0 };
        uint32_t v;

        mem_packer((struct mem_format){ MEM_LAYOUT_10_11_11, MEM_FLOAT })(in, &v);
        ck_assert_uint_eq(v, 0x7bfu | 0u << 11 | 0x3e0u << 22);
    }
}
END_TEST

START_TEST(srgb_both_ways)
{
    for (unsigned k = 0; k < 256; k++) {
        long double c = (k + 0.5L) / 255;
        long double l = c <= 0.04045L ? c / 12.92L : powl((c + 0.055L) / 1.055L, 2.4L);
        float f = (float)l;

        EXPECT(mem_f32_to_srgb(mem_srgb_to_f32((uint8_t)k)) == k, "code %u", k);
        if (k == 255)
            break;
        /* The two floats around the boundary belong to k and k + 1. */
        if (f >= l)
            f = nextafterf(f, 0);
        EXPECT(mem_f32_to_srgb(f32_bits(f)) == k, "below %u", k);
        EXPECT(mem_f32_to_srgb(f32_bits(nextafterf(f, 1))) == k + 1, "above %u", k);
    }
    ck_assert_uint_eq(mem_f32_to_srgb(0x7f800000), 255);
    ck_assert_uint_eq(mem_f32_to_srgb(0x7fc00000), 0);
    ck_assert_uint_eq(mem_f32_to_srgb(0x80000000), 0);
    ck_assert_uint_eq(mem_f32_to_srgb(0xbf800000), 0);
    {
        /* Alpha is linear. */
        const uint8_t texel[4] = { 128, 128, 128, 128 };
        uint32_t out[4];

        mem_unpacker((struct mem_format){ MEM_LAYOUT_8_8_8_8, MEM_SRGB })(texel, out);
        ck_assert_uint_eq(out[0], mem_srgb_to_f32(128));
        ck_assert_uint_eq(out[3], mem_unorm_to_f32(128, 8));
    }
}
END_TEST

/* Every component of every layout lies where the table says, alone. */
START_TEST(components_in_place)
{
    for (int l = 1; l < MEM_LAYOUT_COUNT; l++) {
        const struct mem_layout_info *info = mem_layout_info(l);
        mem_unpack_fn unpack = mem_unpacker((struct mem_format){ l, MEM_UINT });
        mem_pack_fn pack = mem_packer((struct mem_format){ l, MEM_UINT });
        unsigned total = 0;

        if (info->kind != MEM_KIND_PLAIN || l == MEM_LAYOUT_X24_8_32)
            continue;
        for (unsigned i = 0; i < 4; i++)
            total += info->component_bits[i];
        ck_assert_uint_eq(total, info->bits);
        for (unsigned i = 0; i < info->components; i++) {
            uint8_t texel[17], back[17];
            uint32_t out[4];

            memset(texel, 0, sizeof texel);
            memset(back, 0xcc, sizeof back);
            for (unsigned b = 0; b < info->component_bits[i]; b++) {
                unsigned at = info->component_shift[i] + b;

                texel[at / 8] |= (uint8_t)(1 << at % 8);
            }
            unpack(texel, out);
            for (unsigned k = 0; k < 4; k++)
                ck_assert_uint_eq(out[k], k == i ? UINT32_MAX >> (32 - info->component_bits[i])
                                         : k == 3 && info->components < 4 ? 1 : 0);
            out[i] = UINT32_MAX; /* clamped */
            pack(out, back);
            ck_assert_mem_eq(texel, back, info->bits / 8);
            ck_assert_uint_eq(back[info->bits / 8], 0xcc);
        }
    }
    {
        /* Depth beside stencil. */
        const uint8_t texel[8] = { 0, 0, 0x80, 0x3f, 0x12, 0xff, 0xff, 0xff };
        uint32_t out[4];

        mem_unpacker((struct mem_format){ MEM_LAYOUT_X24_8_32, MEM_FLOAT })(texel, out);
        ck_assert(out[0] == f32_bits(1) && out[1] == 0x12);
        mem_unpacker((struct mem_format){ MEM_LAYOUT_8_24, MEM_UNORM })("\xff\xff\xff\x34", out);
        ck_assert(out[0] == f32_bits(1) && out[1] == 0x34);
        mem_unpacker((struct mem_format){ MEM_LAYOUT_24_8, MEM_UNORM })("\x34\xff\xff\xff", out);
        ck_assert(out[0] == 0x34 && out[1] == f32_bits(1));
    }
}
END_TEST

START_TEST(integers_clamp)
{
    const uint32_t in[4] = { 300, UINT32_MAX, (uint32_t)-300, 5 };
    uint8_t t[4];

    mem_packer((struct mem_format){ MEM_LAYOUT_8_8_8_8, MEM_UINT })(in, t);
    ck_assert_mem_eq(t, "\xff\xff\xff\x05", 4);
    mem_packer((struct mem_format){ MEM_LAYOUT_8_8_8_8, MEM_SINT })(in, t);
    ck_assert_mem_eq(t, "\x7f\xff\x80\x05", 4);
}
END_TEST

START_TEST(shared_exponent)
{
    const struct mem_format f = { MEM_LAYOUT_5_9_9_9, MEM_FLOAT };
    uint32_t r = 1, v, out[4], again[4];

    for (uint32_t e = 0; e < 32; e++)
        for (uint32_t m = 0; m < 512; m++) {
            v = m | (511 - m) << 9 | (m ^ 0x155) << 18 | e << 27;
            mem_unpacker(f)(&v, out);
            EXPECT(as_float(out[0]) == ldexpf((float)m, (int)e - 24) &&
                   as_float(out[1]) == ldexpf((float)(511 - m), (int)e - 24) &&
                   out[3] == f32_bits(1), "%x", v);
            mem_packer(f)(out, &v);
            mem_unpacker(f)(&v, again);
            EXPECT(!memcmp(out, again, sizeof out), "%x", v);
        }
    for (int i = 0; i < 100000; i++) {
        float c[3], top = 0;
        uint32_t in[4];

        for (unsigned k = 0; k < 3; k++) {
            r = r * 1664525 + 1013904223;
            c[k] = ldexpf((float)(r >> 8), (int)(r % 48) - 44); /* up to 2^28 */
            in[k] = f32_bits(c[k]);
            c[k] = fminf(c[k], 65408);
            top = fmaxf(top, c[k]);
        }
        mem_packer(f)(in, &v);
        mem_unpacker(f)(&v, out);
        /* Half a step of the shared exponent, and that exponent no larger than needed. */
        for (unsigned k = 0; k < 3; k++)
            EXPECT(fabsf(as_float(out[k]) - c[k]) <= ldexpf(0.5f, (int)(v >> 27) - 24), "%a", c[k]);
        EXPECT(v >> 27 == 0 || top >= ldexpf(255.75f, (int)(v >> 27) - 24), "exponent of %a", top);
    }
    {
        const uint32_t in[4] = { 0x7f800000, 0x7fc00000, 0xbf800000, 0 };

        mem_packer(f)(in, &v);
        ck_assert_uint_eq(v, 511u | 31u << 27);
    }
}
END_TEST

START_TEST(register_numbers)
{
    struct mem_format f;

    ck_assert(mem_format_cb(GFX7, 10, 0, &f) && f.layout == MEM_LAYOUT_8_8_8_8 && f.num == MEM_UNORM);
    ck_assert(mem_format_cb(GFX7, 10, 6, &f) && f.num == MEM_SRGB);
    ck_assert(!mem_format_cb(GFX7, 0, 0, &f) && !mem_format_cb(GFX7, 13, 0, &f));
    ck_assert(!mem_format_cb(GFX7, 34, 7, &f));
    ck_assert(mem_format_buffer(GFX6, 13, 7, &f) && f.layout == MEM_LAYOUT_32_32_32 && f.num == MEM_FLOAT);
    ck_assert(mem_format_buffer(GFX7, 1, 6, &f) && f.num == MEM_SNORM_OGL);
    ck_assert(!mem_format_buffer(GFX8, 1, 6, &f));
    ck_assert(!mem_format_buffer(GFX8, 16, 0, &f) && !mem_format_buffer(GFX8, 0, 0, &f));
    ck_assert(mem_format_image(GFX8, 10, 9, &f) && f.num == MEM_SRGB);
    ck_assert(mem_format_image(GFX8, 49, 4, &f) && f.layout == MEM_LAYOUT_FMASK8_S4_F4);
    ck_assert(mem_format_image(GFX9, 45, 4, &f) && f.layout == MEM_LAYOUT_FMASK);
    ck_assert(mem_format_image(GFX7, 35, 0, &f) && f.layout == MEM_LAYOUT_BC1);
    ck_assert(!mem_unpacker(f) && !mem_packer(f));
    ck_assert(!mem_unpacker((struct mem_format){ MEM_LAYOUT_32, MEM_UNORM }));
    ck_assert(!mem_unpacker((struct mem_format){ MEM_LAYOUT_COUNT, MEM_UNORM }));
    /* Every number is taken or refused without surprise. */
    for (unsigned gen = 0; gen <= GFX_COUNT; gen++)
        for (unsigned n = 0; n < 1024; n++) {
            mem_format_cb(gen, n % 64, n / 64, &f);
            mem_format_buffer(gen, n % 64, n / 64, &f);
            if (mem_format_image(gen, n % 64, n / 64, &f))
                ck_assert_ptr_nonnull(mem_layout_info(f.layout)->name);
        }
}
END_TEST

START_TEST(component_swaps)
{
    uint8_t m[4];

    mem_cb_swap(4, 1, m);
    ck_assert_mem_eq(m, "\2\1\0\3", 4); /* BGRA */
    mem_cb_swap(1, 3, m);
    ck_assert_mem_eq(m, "\3\xff\xff\xff", 4);
    for (unsigned n = 1; n <= 4; n++)
        for (unsigned swap = 0; swap < 4; swap++) {
            unsigned seen = 0;

            mem_cb_swap(n, swap, m);
            for (unsigned i = 0; i < 4; i++)
                if (m[i] != 0xff)
                    seen |= 1u << m[i];
            ck_assert_int_eq(__builtin_popcount(seen), n);
        }
}
END_TEST

/* The same bytes whatever rounding mode a wave has set. */
START_TEST(host_rounding_does_not_matter)
{
    static const int modes[] = { FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD };
    uint64_t want = 0;

    for (size_t m = 0; m < ARRAY_LEN(modes); m++) {
        uint64_t sum = 0;

        fesetround(modes[m]);
        for (int l = 1; l < MEM_LAYOUT_COUNT; l++)
            for (int num = 0; num < MEM_NUM_COUNT; num++) {
                mem_unpack_fn unpack = mem_unpacker((struct mem_format){ l, num });
                mem_pack_fn pack = mem_packer((struct mem_format){ l, num });
                uint32_t r = 7, texel[4], out[4];

                for (int i = 0; unpack && i < 200; i++) {
                    for (unsigned k = 0; k < 4; k++)
                        texel[k] = r = r * 1664525 + 1013904223;
                    unpack(texel, out);
                    for (unsigned k = 0; k < 4; k++)
                        sum = (sum ^ out[k]) * 0x100000001b3;
                    out[0] ^= r >> 9 & 0xff;
                    pack(out, texel);
                    for (unsigned k = 0; k < 4; k++)
                        sum = (sum ^ texel[k]) * 0x100000001b3;
                }
            }
        fesetround(FE_TONEAREST);
        if (!m)
            want = sum;
        ck_assert_uint_eq(sum, want);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("format");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, unpack_every_code);
    tcase_add_test(tc, pack_around_every_boundary);
    tcase_add_test(tc, small_floats);
    tcase_add_test(tc, srgb_both_ways);
    tcase_add_test(tc, components_in_place);
    tcase_add_test(tc, integers_clamp);
    tcase_add_test(tc, shared_exponent);
    tcase_add_test(tc, register_numbers);
    tcase_add_test(tc, component_swaps);
    tcase_add_test(tc, host_rounding_does_not_matter);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
