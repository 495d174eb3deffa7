/* base/: bit fields, the registry of unknown things. */
#include "base/base.h"

#include <check.h>
#include <stdlib.h>

START_TEST(bits_and_signs)
{
    ck_assert_uint_eq(bits(0xdeadbeef, 0, 31), 0xdeadbeef);
    ck_assert_uint_eq(bits(0xdeadbeef, 8, 15), 0xbe);
    ck_assert_int_eq(sext32(0xff, 8), -1);
    ck_assert_int_eq(sext32(0x7f, 8), 127);
}
END_TEST

START_TEST(loud_counts_and_sorts)
{
    struct loud *l = loud_create();
    enum loud_kind kind;
    uint64_t key, count;
    const char *text;

    loud_set_quiet(l, true);
    loud_report(l, LOUD_OPCODE, 7, "seven");
    loud_report(l, LOUD_PACKET, 9, "nine");
    loud_report(l, LOUD_OPCODE, 7, "seven again");
    ck_assert_uint_eq(loud_count(l), 2);
    ck_assert(loud_get(l, 0, &kind, &key, &count, &text));
    ck_assert(kind == LOUD_PACKET && key == 9 && count == 1);
    ck_assert(loud_get(l, 1, &kind, &key, &count, &text));
    ck_assert(kind == LOUD_OPCODE && count == 2);
    ck_assert_str_eq(text, "seven");
    ck_assert(!loud_get(l, 2, &kind, &key, &count, &text));
    loud_destroy(l);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("base");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_test(tc, bits_and_signs);
    tcase_add_test(tc, loud_counts_and_sorts);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
