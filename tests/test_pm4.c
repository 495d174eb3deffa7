/* pm4/: the walker on good and bad bytes, the table's consistency, register writes, the builder and
 * the printer. Guest bytes are random here: run under valgrind or ASan to see reads out of bounds. */
#include "pm4/pm4.h"

#include <check.h>
#include <stdlib.h>

/* A copy that ends exactly at the buffer's end, so that tools see a read beyond it. */
static uint8_t *exact(const uint32_t *dw, uint32_t n)
{
    uint8_t *bytes = malloc(n ? 4 * (size_t)n : 1);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, dw, 4 * (size_t)n);
    return bytes;
}

static int first(const uint32_t *dw, uint32_t n, struct pm4_packet *p, struct err *e)
{
    uint8_t *bytes = exact(dw, n);
    struct pm4_walker w;
    int r;

    pm4_walk(&w, GFX7, bytes, n);
    r = pm4_next(&w, p, e);
    if (r < 0)
        ck_assert_int_eq(pm4_next(&w, p, e), -1); /* it stays there */
    p->body = NULL;
    free(bytes);
    return r;
}

START_TEST(walks_types)
{
    const uint32_t dw[] = {
        0x80000000,                         /* type 2 */
        0xc0016900, 0x00000081, 0x12345678, /* type 3 */
        0xffff1000,                         /* NOP, header only */
        0x00010123, 0xaa, 0xbb,             /* type 0, two registers */
        0xc0032703, 1, 2, 3, 4,             /* predicated, compute */
    };
    struct pm4_walker w;
    struct pm4_packet p;
    struct err e;

    pm4_walk(&w, GFX7, dw, ARRAY_LEN(dw));
    ck_assert_int_eq(pm4_next(&w, &p, &e), 1);
    ck_assert_uint_eq(p.type, 2);
    ck_assert_uint_eq(p.body_dw, 0);
    ck_assert_int_eq(pm4_next(&w, &p, &e), 1);
    ck_assert_uint_eq(p.type, 3);
    ck_assert_uint_eq(p.opcode, PM4_SET_CONTEXT_REG);
    ck_assert_uint_eq(p.body_dw, 2);
    ck_assert_uint_eq(p.offset_dw, 1);
    ck_assert_uint_eq(pm4_dw(&p, 1), 0x12345678);
    ck_assert(!p.predicate && !p.compute);
    ck_assert_int_eq(pm4_next(&w, &p, &e), 1);
    ck_assert_uint_eq(p.opcode, PM4_NOP);
    ck_assert_uint_eq(p.body_dw, 0);
    ck_assert_int_eq(pm4_next(&w, &p, &e), 1);
    ck_assert_uint_eq(p.type, 0);
    ck_assert_uint_eq(p.opcode, 0x123);
    ck_assert_uint_eq(p.body_dw, 2);
    ck_assert_int_eq(pm4_next(&w, &p, &e), 1);
    ck_assert_uint_eq(p.opcode, PM4_DRAW_INDEX_2);
    ck_assert(p.predicate && p.compute);
    ck_assert_int_eq(pm4_next(&w, &p, &e), 0);
    ck_assert_int_eq(pm4_next(&w, &p, &e), 0);
}
END_TEST

START_TEST(refuses_bad_packets)
{
    struct pm4_packet p;
    struct err e;
    uint32_t dw[4] = {0};

    ck_assert_int_eq(first(dw, 0, &p, &e), 0);
    dw[0] = 0x40000000;
    ck_assert_int_eq(first(dw, 4, &p, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "type 1"));
    dw[0] = pm4_header(PM4_DRAW_INDEX_AUTO, 4, false); /* one dword too many */
    ck_assert_int_eq(first(dw, 4, &p, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "DRAW_INDEX_AUTO"));
    ck_assert_ptr_nonnull(strstr(e.text, "dword 0x0"));
    ck_assert_int_eq(first(dw, 1, &p, &e), -1);
    dw[0] = pm4_header(PM4_DRAW_INDEX_AUTO, 3, false); /* just fits */
    ck_assert_int_eq(first(dw, 4, &p, &e), 1);
    dw[0] = 3u << 16; /* type 0, four registers */
    ck_assert_int_eq(first(dw, 4, &p, &e), -1);
    dw[0] = pm4_header(PM4_DRAW_INDEX_AUTO, 0x4000, false);
    ck_assert_int_eq(first(dw, 4, &p, &e), -1);
}
END_TEST

START_TEST(finds_register_writes)
{
    const struct {
        enum gfx gen;
        uint32_t header, where, first, index;
    } cases[] = {
        {GFX6, pm4_header(PM4_SET_CONFIG_REG, 3, false), 0x256, 0x8958, 0},
        {GFX7, pm4_header(PM4_SET_CONTEXT_REG, 3, false), 0x318, 0x28c60, 0},
        {GFX7, pm4_header(PM4_SET_SH_REG, 3, true), 0x30000046, 0xb118, 3},
        {GFX8, pm4_header(PM4_SET_UCONFIG_REG, 3, false), 0x10000242, 0x30908, 1},
        {GFX9, pm4_header(PM4_SET_UCONFIG_REG_INDEX, 3, false), 0x20000243, 0x3090c, 2},
        {GFX7, 0x00022345, 0, 0x8d14, 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint32_t dw[] = {cases[i].header, cases[i].where, 11, 12};
        uint32_t f, v, x;
        struct pm4_walker w;
        struct pm4_packet p;
        bool type0 = cases[i].header >> 30 == 0;

        pm4_walk(&w, cases[i].gen, dw, 4);
        ck_assert_int_eq(pm4_next(&w, &p, NULL), 1);
        ck_assert_uint_eq(pm4_register_writes(cases[i].gen, &p, &f, &v, &x), type0 ? 3 : 2);
        ck_assert_uint_eq(f, cases[i].first);
        ck_assert_uint_eq(v, type0 ? 0 : 1);
        ck_assert_uint_eq(x, cases[i].index);
    }

    /* GFX6 has ME_WRITE where GFX9 has SET_UCONFIG_REG_INDEX; LOAD packets write nothing here. */
    const struct {
        enum gfx gen;
        unsigned op;
    } none[] = {{GFX6, 0x7a}, {GFX7, PM4_LOAD_SH_REG}, {GFX7, PM4_CONTEXT_REG_RMW}, {GFX7, PM4_NOP}};
    for (size_t i = 0; i < ARRAY_LEN(none); i++) {
        uint32_t dw[] = {pm4_header(none[i].op, 4, false), 1, 2, 3, 4};
        uint32_t f, v, x;
        struct pm4_walker w;
        struct pm4_packet p;

        pm4_walk(&w, none[i].gen, dw, 5);
        ck_assert_int_eq(pm4_next(&w, &p, NULL), 1);
        ck_assert_uint_eq(pm4_register_writes(none[i].gen, &p, &f, &v, &x), 0);
    }
}
END_TEST

START_TEST(table_is_consistent)
{
    const struct pm4_desc *d, *other;
    unsigned gens, gens2, rows = 0;

    for (unsigned i = 0; (d = pm4_list(i, &gens)); i++, rows++) {
        ck_assert_msg(gens && gens < 1u << GFX_COUNT, "%s: generations", d->name);
        ck_assert_msg(d->opcode < 0x100, "%s: opcode", d->name);
        ck_assert_msg(d->dword_count >= 1, "%s: no dwords", d->name);
        ck_assert_msg(d->repeats <= d->dword_count, "%s: repeats", d->name);
        ck_assert_msg(d->min_dw <= d->dword_count, "%s: min > dwords", d->name);
        /* All dwords are needed, but for EVENT_WRITE's address, repeated data, driver data. */
        ck_assert_msg(d->repeats || d->min_dw == d->dword_count ||
                          d->opcode == PM4_EVENT_WRITE || d->opcode == PM4_SET_SH_REG_OFFSET,
                      "%s: %u of %u dwords", d->name, d->min_dw, d->dword_count);
        ck_assert_msg(!d->sets_regs || (d->reg_base && d->dword_count == 2 && d->repeats == 1),
                      "%s: not the shape of a SET packet", d->name);
        for (unsigned k = 0; k < d->dword_count; k++) {
            const struct pm4_dword *dw = &d->dwords[k];
            for (unsigned m = 0; m < k; m++)
                ck_assert_msg(strcmp(dw->name, d->dwords[m].name), "%s: two %s", d->name, dw->name);
            for (unsigned f = 0; f < dw->field_count; f++) {
                const struct pm4_field *fl = &dw->fields[f];
                ck_assert_msg(fl->lo <= fl->hi && fl->hi < 32, "%s.%s.%s", d->name, dw->name,
                              fl->name);
                ck_assert_msg(!f || fl->lo > dw->fields[f - 1].hi, "%s.%s.%s overlaps or order",
                              d->name, dw->name, fl->name);
                for (unsigned v = 0; v < fl->entry_count; v++)
                    ck_assert_msg(fl->hi - fl->lo == 31 ||
                                      fl->entries[v].value < 1u << (fl->hi - fl->lo + 1),
                                  "%s.%s.%s: %s does not fit", d->name, dw->name, fl->name,
                                  fl->entries[v].name);
            }
            /* A dword that goes into a register: some generation of the row has the register. */
            bool found = !dw->reg;
            for (unsigned g = 0; g < GFX_COUNT && !found; g++)
                found = gens & 1u << g && regs_by_name(g, 0, dw->reg);
            ck_assert_msg(found, "%s: no register %s", d->name, dw->reg);
        }
        /* Rows of one opcode and generation differ in length, so that the length decides. */
        for (unsigned k = 0; k < i; k++) {
            other = pm4_list(k, &gens2);
            ck_assert_msg(other->opcode != d->opcode || !(gens & gens2) ||
                              (other->dword_count != d->dword_count && !d->repeats),
                          "%s and %s", d->name, other->name);
        }
    }
    ck_assert_uint_gt(rows, 120);
    ck_assert_str_eq(pm4_describe(GFX6, 0x36)->name, "DRAW_INDEX_MULTI_ELEMENT");
    ck_assert_str_eq(pm4_describe(GFX7, 0x36)->name, "DRAW_PREAMBLE");
    ck_assert_ptr_null(pm4_describe(GFX7, 0x00));
    ck_assert_ptr_null(pm4_describe(GFX6, PM4_DMA_DATA));
}
END_TEST

START_TEST(layout_follows_length)
{
    uint32_t dw[14] = {0};
    struct pm4_walker w;
    struct pm4_packet p;
    struct pm4_ib ib[2];

    dw[0] = pm4_header(PM4_DISPATCH_INDIRECT, 3, true);
    pm4_walk(&w, GFX7, dw, 4);
    ck_assert_int_eq(pm4_next(&w, &p, NULL), 1);
    ck_assert_str_eq(pm4_layout(GFX7, &p)->dwords[0].name, "ADDRESS_LO");
    dw[0] = pm4_header(PM4_DISPATCH_INDIRECT, 2, false);
    pm4_walk(&w, GFX7, dw, 3);
    ck_assert_int_eq(pm4_next(&w, &p, NULL), 1);
    ck_assert_str_eq(pm4_layout(GFX7, &p)->dwords[0].name, "DATA_OFFSET");

    dw[0] = pm4_header(PM4_INDIRECT_BUFFER, 3, false);
    dw[1] = 0x1000;
    dw[2] = 0x1;
    dw[3] = 0x100070;
    pm4_walk(&w, GFX7, dw, 4);
    ck_assert_int_eq(pm4_next(&w, &p, NULL), 1);
    ck_assert_uint_eq(pm4_indirect_buffers(GFX7, &p, ib), 1);
    ck_assert_uint_eq(ib[0].va, UINT64_C(0x100001000));
    ck_assert_uint_eq(ib[0].dw, 0x70);
    ck_assert(ib[0].chain);

    dw[0] = pm4_header(PM4_INDIRECT_BUFFER, 13, false);
    memset(dw + 1, 0, sizeof dw - 4);
    dw[1] = 2;
    dw[11] = 0x2000;
    dw[13] = 5;
    pm4_walk(&w, GFX9, dw, 14);
    ck_assert_int_eq(pm4_next(&w, &p, NULL), 1);
    ck_assert_str_eq(pm4_layout(GFX9, &p)->name, "COND_INDIRECT_BUFFER");
    ck_assert_uint_eq(pm4_indirect_buffers(GFX9, &p, ib), 2);
    ck_assert_uint_eq(ib[1].va, 0x2000);
    ck_assert_uint_eq(ib[1].dw, 5);
    ck_assert(!ib[1].chain);
}
END_TEST

START_TEST(walks_dma_packets)
{
    const uint32_t copy[] = {
        0x00000001, 0xff, 0, 0x1000, 1, 0x2000, 2, /* COPY_LINEAR */
        0x08000001, 0xff, 0, 1, 2, 3, 4, 5, 6,     /* COPY_BROADCAST_LINEAR */
        0x00000002, 0x3000, 0, 2, 0xaa, 0xbb,      /* WRITE_UNTILED: two dwords on GFX7, */
        0x00020000, 0, 0,                          /*   three on GFX9; NOP with two dwords */
        0x00000004, 0x1000, 1, 0x40, 0, 0,         /* INDIRECT */
    };
    const struct {
        const char *name;
        uint32_t body_dw;
    } want[] = {{"COPY_LINEAR", 6}, {"COPY_BROADCAST_LINEAR", 8}, {"WRITE_UNTILED", 5}, {"NOP", 2},
                {"INDIRECT", 5}};
    struct pm4_walker w;
    struct pm4_packet p;
    struct pm4_ib ib[2];
    struct err e;

    pm4_walk(&w, GFX7, copy, ARRAY_LEN(copy));
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        ck_assert_int_eq(pm4_sdma_next(&w, &p, &e), 1);
        ck_assert_str_eq(pm4_layout(GFX7, &p)->name, want[i].name);
        ck_assert_uint_eq(p.body_dw, want[i].body_dw);
    }
    ck_assert_uint_eq(pm4_indirect_buffers(GFX7, &p, ib), 1);
    ck_assert_uint_eq(ib[0].va, UINT64_C(0x100001000));
    ck_assert_uint_eq(ib[0].dw, 0x40);
    ck_assert_int_eq(pm4_sdma_next(&w, &p, &e), 0);

    pm4_walk(&w, GFX9, copy + 16, 7);
    ck_assert_int_eq(pm4_sdma_next(&w, &p, &e), 1);
    ck_assert_uint_eq(p.body_dw, 6);
    pm4_walk(&w, GFX7, copy, 6); /* cut short */
    ck_assert_int_eq(pm4_sdma_next(&w, &p, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "COPY_LINEAR"));
    pm4_walk(&w, GFX7, copy + 16, 3); /* cut before its count */
    ck_assert_int_eq(pm4_sdma_next(&w, &p, &e), -1);
    pm4_walk(&w, GFX7, (uint32_t[]){0xfe}, 1);
    ck_assert_int_eq(pm4_sdma_next(&w, &p, &e), -1);

    /* Every row with a count: it lies in the header or before the data, the last dword. */
    for (uint32_t header = 0; header < 0x2000; header++) {
        for (enum gfx g = GFX7; g < GFX_COUNT; g++) {
            struct pm4_sdma_count c;
            const struct pm4_desc *d = pm4_sdma_describe(g, header, &c);
            if (d && c.at != PM4_SDMA_NO_COUNT) {
                ck_assert_int_lt(c.at, d->dword_count - 1);
                ck_assert_str_eq(d->dwords[d->dword_count - 1].name, "DATA");
            }
        }
    }

    /* GFX6: command on top. */
    const uint32_t gfx6[] = {0xf0000000, 0x20000002, 0x1000, 0, 1, 2, 0x30000004, 1, 2, 3, 4, 0x70000000};
    pm4_walk(&w, GFX6, gfx6, ARRAY_LEN(gfx6));
    static const char *const names[] = {"NOP", "WRITE", "COPY", "TRAP"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        ck_assert_int_eq(pm4_sdma_next(&w, &p, &e), 1);
        ck_assert_str_eq(pm4_layout(GFX6, &p)->name, names[i]);
    }
    ck_assert_int_eq(pm4_sdma_next(&w, &p, &e), 0);
}
END_TEST

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Random bytes, and random bytes that look like packets, through everything that reads packets. */
START_TEST(random_bytes_stay_inside)
{
    enum { DW = 64, ROUNDS = 20000 };
    uint64_t seed = 88172645463325252u;
    FILE *out = fopen("/dev/null", "w");
    uint64_t packets = 0, errors = 0;

    ck_assert_ptr_nonnull(out);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t dw[DW];
        enum gfx gen = round % GFX_COUNT;
        uint32_t n = 1 + next_random(&seed) % DW;

        for (unsigned i = 0; i < n; i++) {
            dw[i] = (uint32_t)next_random(&seed);
            if (round & 1 && !(next_random(&seed) & 3)) /* a plausible header */
                dw[i] = pm4_header(dw[i] & 0xff, 1 + (dw[i] >> 8) % 15, dw[i] >> 31);
        }
        if (round & 2)
            dw[0] = pm4_header(dw[0] & 0xff, 1 + (dw[0] >> 8) % 15, false);

        uint8_t *bytes = exact(dw, n);
        struct pm4_walker w;
        struct pm4_packet p;
        struct err e;
        uint32_t seen = 0;
        int r;

        bool dma = round % 8 >= 6;
        if (dma) /* a plausible header: small numbers, or GFX6's command on top */
            store_le32(bytes, gen == GFX6 ? (dw[0] & 0xfc800007) : (dw[0] & 0x0803030f));
        pm4_walk(&w, gen, bytes, n);
        while ((r = dma ? pm4_sdma_next(&w, &p, &e) : pm4_next(&w, &p, &e)) == 1) {
            struct pm4_ib ib[2];

            ck_assert_uint_eq(p.offset_dw, seen);
            seen += 1 + p.body_dw;
            ck_assert_uint_le(seen, n);
            pm4_indirect_buffers(gen, &p, ib);
            pm4_print_packet(&(struct pm4_print){.gen = gen, .out = out, .all_fields = round & 4},
                             &p);
            packets++;
        }
        errors += r < 0;
        free(bytes);
    }
    fclose(out);
    ck_assert_uint_gt(packets, 10000);
    ck_assert_uint_gt(errors, 1000);
}
END_TEST

/* A million random dwords through the walker alone. */
START_TEST(a_million_random_dwords)
{
    enum { DW = 1000000 };
    uint32_t *dw = malloc(DW * 4);
    uint64_t seed = 2463534242u;
    uint32_t at = 0;

    ck_assert_ptr_nonnull(dw);
    for (unsigned i = 0; i < DW; i++)
        dw[i] = (uint32_t)(next_random(&seed) >> 11);
    while (at < DW) {
        struct pm4_walker w;
        struct pm4_packet p;
        struct err e;
        uint32_t sum = 0;

        pm4_walk(&w, GFX9, dw + at, DW - at);
        while (pm4_next(&w, &p, &e) == 1)
            for (uint32_t i = 0; i < p.body_dw; i++)
                sum += pm4_dw(&p, i);
        (void)sum;
        at += w.at_dw + 1; /* past the bad packet */
    }
    free(dw);
}
END_TEST

START_TEST(builds_and_prints)
{
    struct pm4_builder b;
    struct pm4_walker w;
    struct pm4_packet p;
    char *text = NULL;
    size_t bytes;

    pm4_builder_init(&b, GFX7);
    pm4_emit_set(&b, R_DB_RENDER_CONTROL, 1);
    pm4_emit_set(&b, R_SPI_SHADER_PGM_LO_PS, 0x1008);
    pm4_emit_set_at(&b, 0x30908, 1, &(uint32_t){4}); /* VGT_PRIMITIVE_TYPE */
    PM4_EMIT(&b, PM4_DRAW_INDEX_AUTO, 3, 2);
    PM4_EMIT(&b, PM4_EVENT_WRITE, 0x19);
    PM4_EMIT(&b, PM4_WRITE_DATA, pm4_put(PM4F_WRITE_CONTROL__DST_SEL, PM4V_WRITE_DST__MEM), 0x1000,
             1, 0xdeadbeef);
    PM4_EMIT(&b, PM4_NOP, 0xcafe0007);
    pm4_emit_pad(&b, 8);
    ck_assert(!b.failed);
    ck_assert_uint_eq(b.count % 8, 0);

    FILE *out = open_memstream(&text, &bytes);
    pm4_walk(&w, GFX7, b.dw, b.count);
    while (pm4_next(&w, &p, NULL) == 1)
        pm4_print_packet(&(struct pm4_print){.gen = GFX7, .out = out}, &p);
    ck_assert_uint_eq(w.at_dw, b.count);
    fclose(out);

    static const char *const want[] = {
        "000000  c0016900  SET_CONTEXT_REG\n", "DB_RENDER_CONTROL DEPTH_CLEAR_ENABLE=1\n",
        "SET_SH_REG\n", "SPI_SHADER_PGM_LO_PS = 0x1008\n", "SET_UCONFIG_REG\n",
        "VGT_PRIMITIVE_TYPE PRIM_TYPE=DI_PT_TRILIST\n",
        "VGT_DRAW_INITIATOR SOURCE_SELECT=DI_SRC_SEL_AUTO_INDEX\n",
        "EVENT EVENT_TYPE=PIPELINESTAT_START\n", "CONTROL DST_SEL=MEM\n",
        "DST_ADDR_HI = 1 -> 0x100001000\n", "DATA = 0xdeadbeef\n", "NOP trace point 7\n",
        "NOP padding\n"};
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        ck_assert_msg(strstr(text, want[i]), "no '%s' in:\n%s", want[i], text);
    free(text);
    pm4_builder_free(&b);

    /* What cannot be built fails for good. */
    pm4_builder_init(&b, GFX6);
    pm4_emit_set(&b, R_NONE, 1);
    ck_assert(b.failed);
    pm4_emit(&b, 1);
    ck_assert_uint_eq(b.count, 0);
    pm4_builder_free(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pm4");
    TCase *t = tcase_create("pm4");

    tcase_add_test(t, walks_types);
    tcase_add_test(t, refuses_bad_packets);
    tcase_add_test(t, finds_register_writes);
    tcase_add_test(t, table_is_consistent);
    tcase_add_test(t, layout_follows_length);
    tcase_add_test(t, walks_dma_packets);
    tcase_add_test(t, random_bytes_stay_inside);
    tcase_add_test(t, a_million_random_dwords);
    tcase_add_test(t, builds_and_prints);
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);

    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
