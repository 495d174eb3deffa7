/* cu/: occupancy against LLVM's figures and against what the machine really allocates. */
#include "cu/cu.h"

#include <check.h>
#include <stdlib.h>

static struct cu_occupancy occupancy(enum gfx gen, unsigned vgprs, unsigned sgprs,
                                     unsigned lds, unsigned waves)
{
    struct cu_config cfg;
    struct cu_occupancy o;

    cu_config_init(&cfg, gen, 2, 1, 7);
    cu_occupancy(&cfg, &(struct cu_need){vgprs, sgprs, lds, waves}, &o);
    return o;
}

START_TEST(known_rows)
{
    ck_assert_uint_eq(occupancy(GFX7, 52, 1, 0, 1).waves_per_simd, 4);
    ck_assert_uint_eq(occupancy(GFX7, 52, 1, 0, 1).waves_per_cu, 16);
    ck_assert_uint_eq(occupancy(GFX7, 84, 1, 0, 1).waves_per_simd, 3);
    ck_assert_uint_eq(occupancy(GFX7, 85, 1, 0, 1).waves_per_simd, 2);
    ck_assert_uint_eq(occupancy(GFX8, 1, 96, 0, 1).waves_per_simd, 8);
    ck_assert_uint_eq(occupancy(GFX7, 1, 96, 0, 1).waves_per_simd, 5);
    ck_assert_int_eq(occupancy(GFX7, 1, 96, 0, 1).limited_by, LIMIT_SGPRS);
    ck_assert_uint_eq(occupancy(GFX7, 1, 1, 0, 1).waves_per_cu, 40);
    ck_assert_int_eq(occupancy(GFX7, 1, 1, 0, 1).limited_by, LIMIT_SLOTS);
    ck_assert_uint_eq(occupancy(GFX7, 1, 1, 32768, 4).groups_per_cu, 2);
    ck_assert_int_eq(occupancy(GFX7, 1, 1, 32768, 4).limited_by, LIMIT_LDS);
    ck_assert_uint_eq(occupancy(GFX7, 1, 1, 0, 2).groups_per_cu, 16);
    ck_assert_int_eq(occupancy(GFX7, 1, 1, 0, 2).limited_by, LIMIT_BARRIERS);
    ck_assert_int_eq(occupancy(GFX7, 300, 1, 0, 1).limited_by, LIMIT_NOTHING_FITS);
    ck_assert_int_eq(occupancy(GFX6, 1, 1, 32769, 1).limited_by, LIMIT_NOTHING_FITS);
}
END_TEST

/* ../shared/oracle/llvm_occupancy.txt: "gfx704 vgpr=52 ; NumVgprs: 52; Occupancy: 4". */
START_TEST(rows_of_llvm)
{
    const char *shared = getenv("SHARED");
    char path[4096], line[256];
    unsigned rows = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/oracle/llvm_occupancy.txt", shared ? shared : "");
    f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "SKIPPED: no %s\n", path);
        return;
    }
    while (fgets(line, sizeof line, f)) {
        unsigned target, vgprs, waves;

        if (sscanf(line, "gfx%u vgpr=%u ; NumVgprs: %*u; Occupancy: %u", &target, &vgprs,
                   &waves) != 3)
            continue;
        ck_assert_msg(occupancy(target / 100 - 6 + GFX6, vgprs, 1, 0, 1).waves_per_simd ==
                          waves,
                      "%s", line);
        rows++;
    }
    fclose(f);
    ck_assert_uint_eq(rows, 72);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cu");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_test(tc, known_rows);
    tcase_add_test(tc, rows_of_llvm);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
