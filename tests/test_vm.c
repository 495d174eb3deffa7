/* mem/vm.c: mappings that split and replace each other, accesses across their borders, faults,
 * permissions, counters. */
#include "mem/mem.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#define P 4096u

static const struct mem_who shader = { MEM_SHADER, 0x1000, 7 };

static uint8_t byte_at(struct mem_vm *vm, uint64_t va)
{
    uint8_t b = 0xee;

    ck_assert(mem_read(vm, va, &b, 1, NULL));
    return b;
}

START_TEST(ranges_that_cannot_be)
{
    struct mem_vm *vm = mem_vm_create();
    struct err e;
    struct mem_span s;

    ck_assert_int_eq(mem_map(vm, 0, 0, NULL, MEM_RWX, &e), -1);
    ck_assert_int_eq(mem_map(vm, 1, P, NULL, MEM_RWX, &e), -1);
    ck_assert_int_eq(mem_map(vm, P, P + 1, NULL, MEM_RWX, &e), -1);
    ck_assert_int_eq(mem_map(vm, (UINT64_C(1) << 48) - P, 2 * P, NULL, MEM_RWX, &e), -1);
    ck_assert_int_eq(mem_map(vm, P, UINT64_C(0) - P, NULL, MEM_RWX, &e), -1);
    ck_assert_int_eq(mem_map(vm, P, P, NULL, 8, &e), -1);
    ck_assert_int_eq(mem_unmap(vm, P, 0, &e), -1);
    ck_assert_int_eq(mem_unmap(vm, P, P, NULL), 0);
    ck_assert(!mem_find(vm, P, &s));
    ck_assert(!mem_next(vm, 0, &s));
    mem_vm_destroy(vm);
    mem_vm_destroy(NULL);
}
END_TEST

START_TEST(overlaps_replace)
{
    static uint8_t a[8 * P], b[2 * P];
    struct mem_vm *vm = mem_vm_create();
    struct mem_span s;
    uint64_t epoch = mem_epoch(vm);

    ck_assert_uint_ne(epoch, 0);
    for (unsigned i = 0; i < 8; i++)
        memset(a + i * P, 0x10 + (int)i, P);
    memset(b, 0xbb, sizeof b);
    ck_assert_int_eq(mem_map(vm, 8 * P, sizeof a, a, MEM_RWX, NULL), 0);
    ck_assert_uint_ne(mem_epoch(vm), epoch);
    /* A hole in the middle, then something else over its edge. */
    ck_assert_int_eq(mem_unmap(vm, 11 * P, 2 * P, NULL), 0);
    ck_assert_int_eq(mem_map(vm, 12 * P, 2 * P, b, MEM_R, NULL), 0);
    ck_assert_uint_eq(byte_at(vm, 11 * P - 1), 0x12);
    ck_assert(!mem_find(vm, 11 * P, &s));
    ck_assert_uint_eq(byte_at(vm, 12 * P), 0xbb);
    ck_assert_uint_eq(byte_at(vm, 14 * P - 1), 0xbb);
    ck_assert_uint_eq(byte_at(vm, 14 * P), 0x16);
    ck_assert_uint_eq(byte_at(vm, 16 * P - 1), 0x17);

    ck_assert(mem_find(vm, 15 * P + 5, &s));
    ck_assert(s.va == 14 * P && s.end == 16 * P && s.host == a + 6 * P && s.prot == MEM_RWX);
    ck_assert(mem_next(vm, 0, &s) && s.va == 8 * P && s.end == 11 * P);
    ck_assert(mem_next(vm, s.end, &s) && s.va == 12 * P && s.end == 14 * P);
    ck_assert(mem_next(vm, s.end, &s) && s.va == 14 * P);
    ck_assert(!mem_next(vm, s.end, &s));

    ck_assert_ptr_eq(mem_ptr(vm, 12 * P + 8, P, MEM_R), b + 8);
    ck_assert_ptr_null(mem_ptr(vm, 12 * P + 8, P, MEM_W));
    ck_assert_ptr_eq(mem_ptr(vm, 12 * P, 2 * P, MEM_R), b);
    ck_assert_ptr_null(mem_ptr(vm, 12 * P, 2 * P + 1, MEM_R));
    ck_assert_ptr_null(mem_ptr(vm, 12 * P + 1, UINT64_MAX, MEM_R));

    /* One mapping over all of it, and over it again exactly. */
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(mem_map(vm, 4 * P, 16 * P, NULL, MEM_RWX, NULL), 0);
    ck_assert(mem_next(vm, 0, &s) && s.va == 4 * P && s.end == 20 * P);
    ck_assert_uint_eq(byte_at(vm, 9 * P), 0);
    ck_assert(!mem_next(vm, s.end, &s));
    mem_vm_destroy(vm);
}
END_TEST

/* Owned memory that was split must outlive either half (ASan and valgrind watch). */
START_TEST(owned_memory_is_shared_by_halves)
{
    struct mem_vm *vm = mem_vm_create();
    uint32_t v = 0x12345678, r;

    ck_assert_int_eq(mem_map(vm, 0, 3 * P, NULL, MEM_RWX, NULL), 0);
    ck_assert(mem_write(vm, 2 * P + 4, &v, 4, &shader));
    ck_assert_int_eq(mem_unmap(vm, P, P, NULL), 0);
    ck_assert_int_eq(mem_unmap(vm, 0, P, NULL), 0);
    ck_assert(mem_read(vm, 2 * P + 4, &r, 4, &shader));
    ck_assert_uint_eq(r, v);
    mem_vm_destroy(vm);
}
END_TEST

START_TEST(accesses_cross_borders)
{
    static uint8_t a[P], b[P];
    struct mem_vm *vm = mem_vm_create();
    uint8_t buf[3 * P + 2], out[4] = { 1, 2, 3, 4 };
    const struct mem_fault *f;
    size_t n;
    uint64_t total;

    memset(a, 0xaa, P);
    memset(b, 0xbb, P);
    mem_map(vm, P, P, a, MEM_RWX, NULL);
    mem_map(vm, 2 * P, P, b, MEM_RWX, NULL);
    ck_assert(mem_write(vm, 2 * P - 2, out, 4, &shader));
    ck_assert(a[P - 2] == 1 && a[P - 1] == 2 && b[0] == 3 && b[1] == 4);
    ck_assert(mem_read(vm, 2 * P - 3, buf, 6, &shader));
    ck_assert_mem_eq(buf, "\xaa\x01\x02\x03\x04\xbb", 6);

    /* Before, through and past both: one fault, at the first missing byte. */
    memset(buf, 0x55, sizeof buf);
    ck_assert(!mem_read(vm, P - 1, buf, 2 * P + 2, &shader));
    ck_assert(buf[0] == 0 && buf[1] == 0xaa && buf[2 * P] == 0xbb && buf[2 * P + 1] == 0);
    ck_assert_uint_eq(buf[2 * P + 2], 0x55);
    f = mem_faults(vm, &n, &total);
    ck_assert(n == 1 && total == 1);
    ck_assert(f->va == P - 1 && !f->write && f->pc_va == 0x1000 && f->wave_id == 7);
    ck_assert(f->bytes == 2 * P + 2 && f->nearest_bytes == 0);

    /* Nothing to move, nothing to fault. */
    ck_assert(mem_read(vm, 0x900000, NULL, 0, &shader));
    ck_assert(mem_write(vm, 0x900000, NULL, 0, &shader));
    mem_faults(vm, &n, &total);
    ck_assert_uint_eq(total, 1);
    mem_vm_destroy(vm);
}
END_TEST

START_TEST(addresses_wrap_at_48_bits)
{
    const uint64_t top = (UINT64_C(1) << 48) - P;
    struct mem_vm *vm = mem_vm_create();
    uint8_t in[4] = { 1, 2, 3, 4 }, out[4];
    size_t n;

    mem_map(vm, 0xffff000000000000u | top, P, NULL, MEM_RWX, NULL);
    mem_map(vm, 0, P, NULL, MEM_RWX, NULL);
    ck_assert(mem_write(vm, UINT64_MAX - 1, in, 4, &shader));
    ck_assert_uint_eq(byte_at(vm, top + P - 1), 2);
    ck_assert_uint_eq(byte_at(vm, 0), 3);
    ck_assert(mem_read(vm, top + P - 2, out, 4, &shader));
    ck_assert_mem_eq(in, out, 4);

    mem_unmap(vm, 0, P, NULL);
    ck_assert(!mem_read(vm, top + P - 2, out, 4, &shader));
    ck_assert_mem_eq(out, "\x01\x02\0\0", 4);
    ck_assert_uint_eq(mem_faults(vm, &n, NULL)->va, 0);
    mem_vm_destroy(vm);
}
END_TEST

START_TEST(permissions)
{
    struct mem_vm *vm = mem_vm_create();
    const struct mem_who fetch = { MEM_FETCH, 0, 0 }, host = { MEM_HOST, 0, 0 };
    uint32_t v = 5;
    size_t n;
    const struct mem_fault *f;
    char text[256];

    mem_map(vm, 0, P, NULL, MEM_R, NULL);
    mem_map(vm, P, P, NULL, MEM_W, NULL);
    mem_map(vm, 2 * P, P, NULL, MEM_X, NULL);
    ck_assert(!mem_write(vm, 0, &v, 4, &shader));
    ck_assert(mem_read(vm, 0, &v, 4, &shader));
    ck_assert_uint_eq(v, 0);
    ck_assert(!mem_read(vm, P, &v, 4, &shader));
    ck_assert(!mem_read(vm, 0, &v, 4, &fetch));
    ck_assert(mem_read(vm, 2 * P, &v, 4, &fetch));
    ck_assert(mem_write(vm, 0, &v, 4, &host) && mem_read(vm, P, &v, 4, &host));
    ck_assert(!mem_read(vm, 3 * P, &v, 4, &host));

    f = mem_faults(vm, &n, NULL);
    ck_assert_uint_eq(n, 3); /* host ones leave no trace */
    ck_assert(f[0].client == MEM_SHADER && f[0].va == 0 && f[0].write);
    ck_assert(f[1].client == MEM_SHADER && f[1].va == P && !f[1].write);
    ck_assert(f[2].client == MEM_FETCH);
    mem_fault_format(&f[0], text, sizeof text);
    ck_assert_msg(strstr(text, "shader write of 4 bytes at VA 0x0 at PC 0x1000 in wave 7") &&
                  strstr(text, "without permission"), "%s", text);
    mem_vm_destroy(vm);
}
END_TEST

START_TEST(faults_are_merged_and_bounded)
{
    struct mem_vm *vm = mem_vm_create();
    struct mem_who who = { MEM_CB, 0, 0 };
    const struct mem_fault *f;
    uint64_t total;
    size_t n;

    mem_map(vm, 0, P, NULL, MEM_RWX, NULL);
    /* Descending, so that the first kept fall off; each page twice. */
    for (int round = 0; round < 2; round++)
        for (uint64_t page = 5000; page; page--)
            mem_fault_record(vm, page * P + 8 - 4 * (uint64_t)round, 4, true, &who);
    f = mem_faults(vm, &n, &total);
    ck_assert_uint_eq(n, 4096);
    ck_assert_uint_eq(total, 10000);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(f[i].va, (i + 1) * P + 4);
        ck_assert_uint_eq(f[i].count, 2);
        ck_assert(f[i].nearest_va == 0 && f[i].nearest_bytes == P);
    }
    mem_vm_destroy(vm);
}
END_TEST

static void *hammer(void *p)
{
    struct mem_vm *vm = p;
    uint64_t v;

    for (int i = 0; i < 2000; i++) {
        mem_read(vm, 64, &v, 8, &shader);
        mem_read(vm, 0x100000, &v, 8, &shader);
        mem_count(vm, MEM_TEX, 1, 2);
    }
    return NULL;
}

START_TEST(counters_and_threads)
{
    struct mem_vm *vm = mem_vm_create();
    struct mem_traffic t;
    pthread_t th[4];
    uint64_t total;
    size_t n;

    mem_map(vm, 0, P, NULL, MEM_RWX, NULL);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&th[i], NULL, hammer, vm), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(th[i], NULL);
    mem_traffic_get(vm, &t);
    ck_assert_uint_eq(t.read_bytes[MEM_SHADER], 4 * 2000 * 8);
    ck_assert_uint_eq(t.written_bytes[MEM_SHADER], 0);
    ck_assert_uint_eq(t.read_bytes[MEM_TEX], 8000);
    ck_assert_uint_eq(t.written_bytes[MEM_TEX], 16000);
    ck_assert_uint_eq(t.read_bytes[MEM_HOST], 0);
    ck_assert_uint_eq(mem_faults(vm, &n, &total)->count, 8000);
    ck_assert(n == 1 && total == 8000);
    mem_vm_destroy(vm);
}
END_TEST

/* Random map, unmap and access against a flat model of 64 pages. */
START_TEST(against_a_flat_model)
{
    static uint8_t model[64 * P];
    bool mapped[64] = { false };
    struct mem_vm *vm = mem_vm_create();
    uint32_t x = 12345;
    uint8_t buf[3 * P], want[3 * P];

    memset(model, 0, sizeof model);
    for (int step = 0; step < 4000; step++) {
        uint32_t r = x = x * 1664525 + 1013904223, page = r >> 26, n = 1 + (r >> 20 & 15);
        uint64_t at = (r >> 8 & 0x3ffff), bytes = r % sizeof buf;
        bool all = true;

        n = MIN2(n, 64 - page);
        switch (r >> 16 & 3) {
        case 0:
            ck_assert_int_eq(mem_map(vm, page * P, n * P, NULL, MEM_RWX, NULL), 0);
            memset(model + page * P, 0, n * P);
            for (uint32_t i = 0; i < n; i++)
                mapped[page + i] = true;
            break;
        case 1:
            n = MIN2(n, 4);
            ck_assert_int_eq(mem_unmap(vm, page * P, n * P, NULL), 0);
            memset(model + page * P, 0, n * P);
            for (uint32_t i = 0; i < n; i++)
                mapped[page + i] = false;
            break;
        default:
            bytes = MIN2(bytes, sizeof model - at);
            for (uint64_t i = 0; i < bytes; i++)
                all &= mapped[(at + i) / P];
            if (r >> 16 & 1) {
                for (uint64_t i = 0; i < bytes; i++) {
                    buf[i] = (uint8_t)(i + (uint32_t)step);
                    if (mapped[(at + i) / P])
                        model[at + i] = buf[i];
                }
                ck_assert_int_eq(mem_write(vm, at, buf, bytes, &shader), all);
            } else {
                memcpy(want, model + at, bytes);
                ck_assert_int_eq(mem_read(vm, at, buf, bytes, &shader), all);
                ck_assert(!memcmp(buf, want, bytes));
            }
        }
    }
    mem_vm_destroy(vm);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vm");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_test(tc, ranges_that_cannot_be);
    tcase_add_test(tc, overlaps_replace);
    tcase_add_test(tc, owned_memory_is_shared_by_halves);
    tcase_add_test(tc, accesses_cross_borders);
    tcase_add_test(tc, addresses_wrap_at_48_bits);
    tcase_add_test(tc, permissions);
    tcase_add_test(tc, faults_are_merged_and_bounded);
    tcase_add_test(tc, counters_and_threads);
    tcase_add_test(tc, against_a_flat_model);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
