/* regs/: the database (names, offsets, ids, arrays, fields, enums) and the register file. */
#include "regs/enums.h"
#include "regs/regs.h"

#include <check.h>
#include <stdlib.h>

static struct reg_file rf;

START_TEST(one_register_by_each_key)
{
    const struct reg *r = regs_by_name(GFX7, 0, "CB_COLOR0_INFO");

    ck_assert_ptr_nonnull(r);
    ck_assert_uint_eq(r->offset, 0x28c70);
    ck_assert(r->space == REG_CONTEXT && r->id == R_CB_COLOR0_INFO);
    ck_assert_ptr_eq(regs_by_offset(GFX7, 0, 0x28c70), r);
    ck_assert_ptr_eq(regs_by_id(GFX7, R_CB_COLOR0_INFO), r);
    ck_assert_ptr_null(regs_by_name(GFX7, 0, "CB_COLOR0_INF"));
    ck_assert_ptr_null(regs_by_offset(GFX7, 0, 0x28c71));
    ck_assert_ptr_null(regs_by_offset(GFX7, 0, 0x28fff0));
    ck_assert_ptr_null(regs_by_offset(GFX7, 0, 0xfffffffc));
    ck_assert_ptr_null(regs_by_id(GFX7, R_NONE));
    ck_assert(regs_is_gap(GFX7, 0x28c78) && regs_is_gap(GFX6, 0x28c78 + 7 * 60));
    ck_assert(!regs_is_gap(GFX7, 0x28c78 + 8 * 60) && !regs_is_gap(GFX7, 0x28c7c));
    ck_assert(!regs_is_gap(GFX8, 0x28c78) && !regs_is_gap(GFX8, 0xffffffff));
}
END_TEST

START_TEST(generations_differ)
{
    ck_assert_uint_eq(regs_by_id(GFX6, R_VGT_PRIMITIVE_TYPE)->offset, 0x8958);
    ck_assert_uint_eq(regs_by_id(GFX7, R_VGT_PRIMITIVE_TYPE)->offset, 0x30908);
    ck_assert(regs_by_id(GFX6, R_VGT_PRIMITIVE_TYPE)->space == REG_CONFIG);
    ck_assert(regs_by_id(GFX7, R_VGT_PRIMITIVE_TYPE)->space == REG_UCONFIG);
    ck_assert_ptr_null(regs_by_id(GFX7, R_CB_COLOR0_DCC_BASE));
    ck_assert_ptr_nonnull(regs_by_id(GFX8, R_CB_COLOR0_DCC_BASE));
    ck_assert_uint_eq(regs_by_id(GFX8, R_DB_Z_INFO)->offset, 0x28040);
    ck_assert_uint_eq(regs_by_id(GFX9, R_DB_Z_INFO)->offset, 0x28038);
}
END_TEST

/* Walking a generation meets each register once, ascending, and each by name, offset and id. */
START_TEST(every_register)
{
    enum gfx gen = (enum gfx)(_i % GFX_COUNT);
    unsigned ext = _i < GFX_COUNT ? 0 : REG_EXT_VRS;
    uint32_t last = 0;
    unsigned n = 0;

    for (const struct reg *r = regs_next(gen, ext, NULL); r; r = regs_next(gen, ext, r)) {
        unsigned lo = 0;

        ck_assert(n == 0 || r->offset > last);
        ck_assert_ptr_eq(regs_by_name(gen, ext, r->name), r);
        ck_assert_ptr_eq(regs_by_offset(gen, ext, r->offset), r);
        ck_assert_uint_eq(regs_by_id(gen, r->id)->offset, r->offset);
        for (unsigned i = 0; i < r->field_count; i++) {
            const struct reg_field *f = &r->fields[i];

            ck_assert_msg(f->lo >= lo && f->hi >= f->lo && f->hi <= 31, "%s.%s", r->name,
                          f->name);
            ck_assert_msg(regs_field_by_name(r, f->name) == f, "%s.%s twice", r->name, f->name);
            ck_assert((f->entries != NULL) == (f->entry_count != 0));
            lo = f->lo;
        }
        last = r->offset;
        n++;
    }
    ck_assert_uint_gt(n, 1100);
}
END_TEST

START_TEST(every_field_id)
{
    unsigned nowhere = 0;

    for (unsigned f = 1; f < REG_FIELD_ID_COUNT; f++) {
        enum reg_id id = regs_field_register((enum reg_field_id)f);
        unsigned lo, hi, seen = 0;

        ck_assert_uint_ne(id, R_NONE);
        for (enum gfx gen = GFX6; gen < GFX_COUNT; gen++) {
            const struct reg *r = regs_by_id(gen, id);
            bool found = false;

            if (!regs_field_bits(gen, (enum reg_field_id)f, &lo, &hi))
                continue;
            seen++;
            ck_assert_ptr_nonnull(r);
            r = regs_by_offset(gen, regs_field_ext(gen, (enum reg_field_id)f), r->offset);
            for (unsigned i = 0; i < r->field_count; i++)
                found |= r->fields[i].lo == lo && r->fields[i].hi == hi;
            ck_assert_msg(found, "field %u of %s", f, r->name);
        }
        nowhere += seen == 0;
    }
    /* A type shared with a register of other generations can bring an id that none has. */
    ck_assert_uint_lt(nowhere, 10);
}
END_TEST

START_TEST(arrays)
{
    ck_assert_int_eq(R_CB_COLOR0_INFO + 3, R_CB_COLOR3_INFO);
    ck_assert_int_eq(regs_element(R_CB_COLOR0_INFO, 7), R_CB_COLOR7_INFO);
    ck_assert_int_eq(regs_element(R_CB_COLOR0_INFO, 8), R_NONE);
    ck_assert_int_eq(regs_element(R_CB_COLOR3_INFO, 5), R_NONE);
    ck_assert_int_eq(regs_element(R_CB_COLOR0_INFO, 0xffffffff), R_NONE);
    ck_assert_int_eq(regs_element(R_DB_EQAA, 0), R_DB_EQAA);
    ck_assert_int_eq(regs_element(R_DB_EQAA, 1), R_NONE);
    ck_assert_uint_eq(regs_by_id(GFX7, R_CB_COLOR3_INFO)->offset, 0x28c70 + 3 * 0x3c);
    /* Arrays of more than one row. */
    ck_assert_int_eq(regs_element(R_SPI_PS_INPUT_CNTL_0, 31), R_SPI_PS_INPUT_CNTL_31);
    ck_assert_int_eq(regs_element(R_PA_CL_VPORT_XSCALE, 15), R_PA_CL_VPORT_XSCALE_15);
    ck_assert_int_eq(regs_element(R_PA_CL_VPORT_XSCALE, 16), R_NONE);
    ck_assert_int_eq(regs_element(R_SPI_SHADER_USER_DATA_PS_0, 31), R_SPI_SHADER_USER_DATA_PS_31);
    ck_assert_int_eq(regs_element(R_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0, 3),
                     R_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_3);
    ck_assert_ptr_null(regs_by_id(GFX7, R_SPI_SHADER_USER_DATA_PS_31));
    ck_assert_uint_eq(regs_by_id(GFX9, R_SPI_SHADER_USER_DATA_PS_31)->offset, 0xb030 + 31 * 4);
}
END_TEST

START_TEST(fields_and_enums)
{
    const struct reg *r = regs_by_id(GFX7, R_CB_COLOR0_INFO);
    const struct reg_field *f = regs_field_by_name(r, "FORMAT");

    ck_assert_ptr_nonnull(f);
    ck_assert(f->lo == 2 && f->hi == 6);
    ck_assert_str_eq(regs_enum_name(f, V_ColorFormat__COLOR_8_8_8_8), "COLOR_8_8_8_8");
    ck_assert_ptr_null(regs_enum_name(f, 31));
    ck_assert_ptr_null(regs_field_by_name(r, "DCC_ENABLE"));
    ck_assert_ptr_nonnull(regs_field_by_name(regs_by_id(GFX8, R_CB_COLOR0_INFO), "DCC_ENABLE"));
    ck_assert_int_eq(regs_field_register(F_CB_COLOR0_INFO__FORMAT), R_CB_COLOR0_INFO);
    /* EQAA, 8 coverage, 4 depth, 2 colour samples. */
    ck_assert_uint_eq(regs_extract(GFX7, F_DB_EQAA__MAX_ANCHOR_SAMPLES, 0x00173302), 2);
    ck_assert_uint_eq(regs_extract(GFX7, F_CB_COLOR0_ATTRIB__NUM_SAMPLES, 0xb1ce), 3);
    ck_assert_uint_eq(regs_extract(GFX7, F_CB_COLOR0_ATTRIB__NUM_FRAGMENTS, 0xb1ce), 1);
    ck_assert_uint_eq(regs_extract(GFX7, F_CB_COLOR0_INFO__DCC_ENABLE, 0xffffffff), 0);
    ck_assert_uint_eq(regs_insert(GFX7, F_CB_COLOR0_INFO__FORMAT, 0xffffffff, 0xa),
                      0xffffffff - (0x1f << 2) + (0xa << 2));
    ck_assert_uint_eq(regs_insert(GFX7, F_CB_COLOR0_INFO__FORMAT, 0, 0xffffffff), 0x1f << 2);
    ck_assert_uint_eq(regs_insert(GFX7, F_CB_COLOR0_INFO__DCC_ENABLE, 5, 1), 5);
}
END_TEST

START_TEST(file)
{
    regs_reset(&rf, GFX7, 0);
    regs_set(&rf, R_CB_COLOR0_INFO, 0x1234);
    ck_assert_uint_eq(rf.dw[0x28c70 / 4], 0x1234);
    ck_assert_uint_eq(regs_get(&rf, R_CB_COLOR0_INFO), 0x1234);
    regs_set_i(&rf, R_CB_COLOR0_INFO, 2, 10 << 2);
    ck_assert_uint_eq(regs_get_i(&rf, R_CB_COLOR0_INFO, 2), 10 << 2);
    ck_assert_uint_eq(regs_get(&rf, R_CB_COLOR2_INFO), 10 << 2);
    ck_assert_uint_eq(regs_field_i(&rf, F_CB_COLOR0_INFO__FORMAT, 2), 10);
    regs_field_set_i(&rf, F_CB_COLOR0_INFO__FORMAT, 2, 5);
    ck_assert_uint_eq(regs_get(&rf, R_CB_COLOR2_INFO), 5 << 2);
    ck_assert_uint_eq(regs_get_i(&rf, R_CB_COLOR0_INFO, 8), 0);
    /* A register that this generation does not have. */
    regs_set(&rf, R_CB_COLOR0_DCC_BASE, 1);
    ck_assert_uint_eq(regs_get(&rf, R_CB_COLOR0_DCC_BASE), 0);
    ck_assert_uint_eq(regs_field(&rf, F_NONE), 0);
}
END_TEST

START_TEST(vrs_extension)
{
    const struct reg *r;

    ck_assert_ptr_null(regs_by_name(GFX7, 0, "GE_VRS_RATE"));
    ck_assert_ptr_null(regs_by_offset(GFX7, 0, 0x3098c));
    r = regs_by_name(GFX7, REG_EXT_VRS, "GE_VRS_RATE");
    ck_assert_ptr_nonnull(r);
    ck_assert_uint_eq(r->offset, 0x3098c);
    ck_assert_ptr_null(
        regs_field_by_name(regs_by_name(GFX7, 0, "PA_CL_VS_OUT_CNTL"), "USE_VTX_VRS_RATE"));
    ck_assert_ptr_nonnull(regs_field_by_name(
        regs_by_name(GFX7, REG_EXT_VRS, "PA_CL_VS_OUT_CNTL"), "USE_VTX_VRS_RATE"));

    regs_reset(&rf, GFX7, 0);
    regs_set(&rf, R_PA_CL_VS_OUT_CNTL, 1u << 28);
    regs_set(&rf, R_GE_VRS_RATE, 0x11);
    ck_assert_uint_eq(regs_field(&rf, F_PA_CL_VS_OUT_CNTL__USE_VTX_VRS_RATE), 0);
    ck_assert_uint_eq(regs_field(&rf, F_GE_VRS_RATE__RATE_X), 0);
    regs_reset(&rf, GFX7, REG_EXT_VRS);
    regs_set(&rf, R_PA_CL_VS_OUT_CNTL, 1u << 28);
    regs_set(&rf, R_GE_VRS_RATE, 0x21);
    ck_assert_uint_eq(regs_field(&rf, F_PA_CL_VS_OUT_CNTL__USE_VTX_VRS_RATE), 1);
    ck_assert_uint_eq(regs_field(&rf, F_GE_VRS_RATE__RATE_X), 1);
    ck_assert_uint_eq(regs_field(&rf, F_GE_VRS_RATE__RATE_Y), 2);
}
END_TEST

/* Exact: how many dwords are loaded, and a hash over their offsets and values as they stand in the kernel
 * driver's tables. */
START_TEST(clear_state)
{
    static const struct {
        unsigned count, hash;
    } want[GFX_COUNT] = {{882, 0x10146862}, {885, 0xf2b10f42}, {885, 0xd189dd82}, {879, 0x4546cca9}};
    unsigned count = 0, hash = 0;

    regs_reset(&rf, (enum gfx)_i, 0);
    memset(rf.dw, 0x5a, sizeof rf.dw);
    regs_clear_state(&rf);
    for (uint32_t dw = 0; dw < REGS_FILE_DWORDS; dw++) {
        if (rf.dw[dw] != 0x5a5a5a5a) {
            count++;
            hash = hash * 31 + (4 * dw ^ rf.dw[dw]);
        }
    }
    ck_assert_uint_eq(count, want[_i].count);
    ck_assert_uint_eq(hash, want[_i].hash);
    ck_assert_uint_eq(regs_get(&rf, R_PA_SC_EDGERULE), 0xaa99aaaa);
    ck_assert_uint_eq(regs_get_i(&rf, R_PA_SC_VPORT_ZMAX_0, 15), 0x3f800000);
    ck_assert_uint_eq(regs_get_i(&rf, R_CB_COLOR0_INFO, 7), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("regs");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, one_register_by_each_key);
    tcase_add_test(tc, generations_differ);
    tcase_add_loop_test(tc, every_register, 0, 2 * GFX_COUNT);
    tcase_add_test(tc, every_field_id);
    tcase_add_test(tc, arrays);
    tcase_add_test(tc, fields_and_enums);
    tcase_add_test(tc, file);
    tcase_add_test(tc, vrs_extension);
    tcase_add_loop_test(tc, clear_state, 0, GFX_COUNT);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
