/* The tessellator: domains are covered exactly once, edges of neighbouring patches have the same points,
 * and some results are kept whole. */
#include "raster/raster.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define TYPE(n) V_VGT_TESS_TYPE__TESS_##n
#define PART(n) V_VGT_TESS_PARTITION__PART_##n
#define OUT(n)  V_VGT_TESS_TOPOLOGY__OUTPUT_##n

static struct raster_tess t, u;

static void run(struct raster_tess *r, uint32_t type, uint32_t part, uint32_t topology, const float f[6])
{
    r->type = type;
    r->partitioning = part;
    r->topology = topology;
    raster_tessellate(r, f);
}

/* Twice the area of a triangle in units of 2^-32: exact, as all coordinates are multiples of 2^-16. */
static int64_t area(const struct raster_tess *r, const uint16_t *i)
{
    int64_t p[3][2];

    for (unsigned k = 0; k < 3; k++)
        for (unsigned c = 0; c < 2; c++)
            p[k][c] = (int64_t)((double)r->uv[i[k]][c] * 65536);
    return (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
}

static float factor(uint64_t *rng)
{
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    switch (*rng >> 61) {
    case 0: return 1;
    case 1: return (float)(1 + (*rng >> 40) % 8);
    case 2: return (float)(1 + (*rng >> 40) % 64);
    case 3: return 1 + (float)((*rng >> 32) & 0xffff) / 65536;
    default: return 1 + (float)((*rng >> 32) & 0xffffff) / 0x1000000 * 63;
    }
}

/* All triangles have the winding that was asked for, and together the area of the domain. */
START_TEST(covers_domain)
{
    uint64_t rng = 1;

    for (unsigned n = 0; n < 4000; n++) {
        const bool quad = n & 1, ccw = n & 2;
        const uint32_t part = n / 4 % 4;
        int64_t sum = 0;
        float f[6];

        for (unsigned i = 0; i < 6; i++)
            f[i] = factor(&rng);
        run(&t, quad ? TYPE(QUAD) : TYPE(TRIANGLE), part, ccw ? OUT(TRIANGLE_CCW) : OUT(TRIANGLE_CW), f);
        ck_assert_uint_eq(t.indices % 3, 0);
        ck_assert_uint_gt(t.points, 2);
        for (unsigned i = 0; i < t.indices; i += 3) {
            int64_t a = area(&t, t.index + i);

            for (unsigned k = 0; k < 3; k++)
                ck_assert_uint_lt(t.index[i + k], t.points);
            /* v points down in a quad domain; (u, v) of a triangle turns the other way. */
            a = quad == ccw ? -a : a;
            if (quad)
                ck_assert_int_ge(a, 0);
            sum += a;
        }
        if (quad)
            ck_assert_int_eq(sum, INT64_C(2) << 32);
        else
            ck_assert_int_eq(llabs(sum), INT64_C(1) << 32);
    }
}
END_TEST

/* An edge's points depend on its own factor only, and lie symmetrically: no cracks. */
START_TEST(edges_agree)
{
    uint64_t rng = 2;

    for (unsigned n = 0; n < 1000; n++) {
        const uint32_t part = n % 4;
        float f[6], g[6], left[66], right[66];
        unsigned nl = 0, nr = 0;

        for (unsigned i = 0; i < 6; i++) {
            f[i] = factor(&rng);
            g[i] = factor(&rng);
        }
        g[2] = f[0]; /* the right edge of one patch, the left edge of the other */
        run(&t, TYPE(QUAD), part, OUT(POINT), f);
        run(&u, TYPE(QUAD), part, OUT(POINT), g);
        /* The outline comes first: up the left side, and down the right one from (1, 0) on. */
        for (unsigned i = 0; nl == 0 || left[nl - 1] > 0; i++) {
            ck_assert_float_eq(t.uv[i][0], 0);
            left[nl++] = t.uv[i][1];
        }
        for (unsigned i = 0; nr == 0 || right[nr - 1] < 1; i++)
            if (nr || (u.uv[i][0] == 1 && u.uv[i][1] == 0)) {
                ck_assert_float_eq(u.uv[i][0], 1);
                right[nr++] = u.uv[i][1];
            }
        ck_assert_uint_eq(nl, nr);
        for (unsigned i = 0; i < nl; i++) {
            bool found = false, mirrored = false;

            for (unsigned k = 0; k < nr; k++) {
                found |= left[i] == right[k];
                mirrored |= left[i] == 1 - right[k];
            }
            ck_assert(found && mirrored);
        }
    }
}
END_TEST

START_TEST(small_patches)
{
    static const struct {
        uint32_t type, part, topology;
        float f[6];
        unsigned points, indices;
    } cases[] = {
        { TYPE(TRIANGLE), PART(INTEGER), OUT(TRIANGLE_CW), { 1, 1, 1, 1 }, 3, 3 },
        { TYPE(TRIANGLE), PART(INTEGER), OUT(TRIANGLE_CW), { 2, 2, 2, 2 }, 7, 18 },
        { TYPE(TRIANGLE), PART(INTEGER), OUT(TRIANGLE_CW), { 3, 3, 3, 3 }, 12, 39 },
        { TYPE(TRIANGLE), PART(INTEGER), OUT(LINE), { 1, 1, 1, 1 }, 3, 4 },
        { TYPE(QUAD), PART(POW2), OUT(TRIANGLE_CW), { 1, 1, 1, 1, 1, 1 }, 4, 6 },
        { TYPE(QUAD), PART(INTEGER), OUT(TRIANGLE_CW), { 2, 2, 2, 2, 2, 2 }, 9, 24 },
        { TYPE(QUAD), PART(INTEGER), OUT(TRIANGLE_CW), { 64, 64, 64, 64, 64, 64 }, 4225, 24576 },
        { TYPE(QUAD), PART(FRAC_EVEN), OUT(POINT), { 1, 1, 1, 1, 1, 1 }, 9, 9 },
        { TYPE(QUAD), PART(FRAC_ODD), OUT(TRIANGLE_CCW), { 1, 1, 1, 1, 1, 1 }, 4, 6 },
        { TYPE(QUAD), PART(FRAC_ODD), OUT(TRIANGLE_CCW), { 3, 3, 3, 3, 3, 3 }, 16, 54 },
        { TYPE(QUAD), PART(INTEGER), OUT(TRIANGLE_CW), { 1, 0, 1, 1, 1, 1 }, 0, 0 },
        { TYPE(QUAD), PART(INTEGER), OUT(TRIANGLE_CW), { 1, 1, NAN, 1, 1, 1 }, 0, 0 },
        { TYPE(QUAD), PART(INTEGER), OUT(TRIANGLE_CW), { 1, 1, 1, 1, NAN, -5 }, 4, 6 },
        { TYPE(ISOLINE), PART(INTEGER), OUT(LINE), { 3, 2 }, 8, 12 },
        { TYPE(ISOLINE), PART(FRAC_EVEN), OUT(LINE), { 3, 2.5f }, 15, 24 },
        { TYPE(ISOLINE), PART(INTEGER), OUT(POINT), { 64, 64 }, 65 * 64, 65 * 64 },
        { TYPE(ISOLINE), PART(INTEGER), OUT(LINE), { 3, -1 }, 0, 0 },
    };

    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        run(&t, cases[i].type, cases[i].part, cases[i].topology, cases[i].f);
        ck_assert_msg(t.points == cases[i].points && t.indices == cases[i].indices,
                      "case %u: %u points, %u indices", i, t.points, t.indices);
    }
}
END_TEST

/* Points and order of one patch of each kind, as Direct3D's reference gives them. */
START_TEST(kept_whole)
{
    static const float tri[][2] = { { 0, 1 }, { 0, 0.5f }, { 0, 0 }, { 0.5f, 0 }, { 1, 0 }, { 0.5f, 0.5f },
                                    { 0x5555 / 65536.0f, 0x5555 / 65536.0f } };
    static const uint16_t tri_index[] = { 0, 1, 6, 1, 2, 6, 2, 3, 6, 3, 4, 6, 4, 5, 6, 5, 0, 6 };
    static const float odd[] = { 0, 0x3aaa / 65536.0f, 1 - 0x3aaa / 65536.0f, 1 };
    const float two[6] = { 2, 2, 2, 2 }, f[6] = { 2.375f, 1 };

    run(&t, TYPE(TRIANGLE), PART(INTEGER), OUT(TRIANGLE_CW), two);
    ck_assert_mem_eq(t.uv, tri, sizeof tri);
    ck_assert_mem_eq(t.index, tri_index, sizeof tri_index);
    run(&t, TYPE(ISOLINE), PART(FRAC_ODD), OUT(LINE), f);
    ck_assert_uint_eq(t.points, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_float_eq(t.uv[i][0], odd[i]);
        ck_assert_float_eq(t.uv[i][1], 0);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tess");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, covers_domain);
    tcase_add_test(tc, edges_agree);
    tcase_add_test(tc, small_patches);
    tcase_add_test(tc, kept_whole);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
