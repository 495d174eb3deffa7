/* base/chip: every row is whole, and the tile-mode registers have their fields where the hardware
 * has them. */
#include "base/chip.h"

#include <check.h>
#include <stdlib.h>

START_TEST(rows_are_whole)
{
    static const char *const names[] = {
        "tahiti", "pitcairn", "verde", "oland", "hainan", "bonaire", "kabini", "kaveri", "hawaii",
        "mullins", "liverpool", "durango", "tonga", "iceland", "fiji", "carrizo", "polaris10",
        "polaris11", "polaris12", "vega10", "vega12", "vega20", "raven", "bonaire-vrs", "stoney",
    };
    const struct chip *c;
    unsigned n = 0;

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        ck_assert_msg(chip_find(names[i]) != NULL, "%s", names[i]);
    ck_assert(!chip_find("bonair") && !chip_find("") && !chip_find(NULL));

    for (; (c = chip_list(n)); n++) {
        ck_assert_ptr_eq(chip_find(c->name), c);
        ck_assert(c->gen < GFX_COUNT && c->llvm[0] == 'g' && c->llvm[3] == '6' + (int)c->gen);
        ck_assert(c->se && c->sh_per_se && c->cu_per_sh && c->rbs);
        ck_assert_int_eq(c->tile_modes != NULL, c->gen != GFX9);
        ck_assert_int_eq(c->macrotile_modes != NULL, c->gen == GFX7 || c->gen == GFX8);
    }
    ck_assert_uint_eq(n, ARRAY_LEN(names));
}
END_TEST

START_TEST(tile_mode_fields)
{
    const struct chip *bonaire = chip_find("bonaire"), *verde = chip_find("verde");

    /* 14: 2D_TILED_THIN1, P4_16x16, thin micro tiles, sample split 2. */
    ck_assert_uint_eq(bonaire->tile_modes[14], 4 << 2 | 5 << 6 | 1 << 22 | 1 << 25);
    /* 4: depth with a tile split of one 2 KiB memory row. */
    ck_assert_uint_eq(bonaire->tile_modes[4], 4 << 2 | 5 << 6 | 5 << 11 | 2 << 22);
    /* Macro mode 8: bank width 2, bank height 8, aspect 4, 16 banks. */
    ck_assert_uint_eq(bonaire->macrotile_modes[8], 1 | 3 << 2 | 2 << 4 | 3 << 6);
    ck_assert_uint_eq(bonaire->macrotile_modes[7], 0);
    /* GFX6 has it all in one register: depth, 2D, P4_8x16, split 64, 1, 4, 4, 16. */
    ck_assert_uint_eq(verde->tile_modes[0],
                      2 | 4 << 2 | 4 << 6 | 0 << 11 | 0 << 14 | 2 << 16 | 2 << 18 | 3 << 20);
    ck_assert_uint_eq(chip_find("bonaire-vrs")->ext, CHIP_EXT_VRS);
    ck_assert_uint_eq(chip_find("bonaire")->ext, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("chip");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_test(tc, rows_are_whole);
    tcase_add_test(tc, tile_mode_fields);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
