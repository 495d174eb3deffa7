/* Decoder, printer and assembler against each other: fixed vectors, every row, random words and
 * random text. LLVM judges them in check-isa.sh. */
#include "isa/codec.h"
#include "isa/isa.h"

#include <check.h>
#include <stdlib.h>

static uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 16);
}

/* ---- vectors ------------------------------------------------------------------------------ */

static const struct {
    const char *target;
    uint32_t dw[3];
    int n; /* what isa_decode returns */
    const char *text;
} vectors[] = {
    /* opcodes that moved between generations */
    {"gfx704", {0xbe800386}, 1, "s_mov_b32 s0, 6"},
    {"gfx803", {0xbe800086}, 1, "s_mov_b32 s0, 6"},
    {"gfx704", {0xbe800086}, 0, NULL},
    {"gfx900", {0xf1080100, 0x0062fc01}, 2,
     "image_gather4h v[252:255], v[1:2], s[8:15], s[12:15] dmask:0x1"},
    {"gfx704", {0xf1080100, 0x0062fc01}, 0, NULL},
    {"gfx802", {0x32020501}, 1, "v_add_u32_e32 v1, vcc, v1, v2"},
    {"gfx900", {0x32020501}, 1, "v_add_co_u32_e32 v1, vcc, v1, v2"},
    {"gfx900", {0xd3a00805, 0x1c0a0703}, 2, "v_mad_mix_f32 v5, v3, v3, v2 op_sel:[1,0,0] "
                                            "op_sel_hi:[1,1,0]"},
    /* literals */
    {"gfx600", {0xc0000dff}, 1, NULL},
    {"gfx704", {0x7e0002ff, 0x12345678}, 2, "v_mov_b32_e32 v0, 0x12345678"},
    {"gfx704", {0xc0000cff, 0x00000123}, 2, "s_load_dword s0, s[12:13], 0x123"},
    {"gfx704", {0xbe8003ff, 0x00000001}, 2, "s_mov_b32 s0, lit(0x1)"},
    {"gfx704", {0xd2820000, 0x040402ff}, 0, NULL}, /* none in VOP3 */
    {"gfx704", {0x42000280, 0xc0000000}, 2, "v_madak_f32 v0, 0, v1, 0xc0000000"},
    /* operands that do not exist */
    {"gfx704", {0xbe830068}, 0, NULL},             /* ssrc as sdst, opcode of none */
    {"gfx803", {0xbe800064}, 1, "s_mov_b32 s0, s100"},
    {"gfx803", {0xbe800068}, 0, NULL},             /* 104 is xnack_mask_lo where there is XNACK */
    {"gfx801", {0xbe800068}, 1, "s_mov_b32 s0, xnack_mask_lo"},
    {"gfx600", {0x87810102}, 1, "s_and_b64 s[1:2], s[2:3], s[1:2]"}, /* pairs that start odd */
    {"gfx600", {0xbe80046b}, 0, NULL},             /* but none in the middle of VCC */
    {"gfx600", {0xdc300000, 0x00000000}, 0, NULL}, /* no FLAT on GFX6 */
    /* reserved bits: GFX9's global_load_dword, op_sel and D16 have no meaning before it */
    {"gfx900", {0xdc508000, 0x007f0000}, 2, "global_load_dword v0, v[0:1], off"},
    {"gfx803", {0xdc508000, 0x007f0000}, 0, NULL},
    {"gfx803", {0xd1f40800, 0x04020300}, 0, NULL},
    {"gfx704", {0xf0000100, 0x80000000}, 0, NULL},
};

START_TEST(test_vectors)
{
    const struct isa_target *t = isa_target_find(vectors[_i].target);
    struct insn in;
    char text[256];
    uint32_t dw[4];
    int n = isa_decode(t, vectors[_i].dw, 3, &in);

    if (!vectors[_i].text && vectors[_i].n == 0) {
        ck_assert_int_eq(n, 0);
        return;
    }
    ck_assert_int_eq(n, vectors[_i].n);
    if (!vectors[_i].text)
        return;
    isa_print(t, &in, text, sizeof text);
    ck_assert_str_eq(text, vectors[_i].text);
    ck_assert_int_eq(isa_assemble(t, text, dw, NULL), n);
    ck_assert_mem_eq(dw, vectors[_i].dw, (size_t)n * 4);
}
END_TEST

START_TEST(test_targets)
{
    for (enum gfx gen = GFX6; gen < GFX_COUNT; gen++)
        ck_assert_int_eq(isa_target_default(gen)->gen, gen);
    ck_assert_str_eq(isa_target_find("bonaire")->name, "gfx704");
    ck_assert_ptr_null(isa_target_find("gfx1030"));
    ck_assert_ptr_null(isa_target_find(""));
}
END_TEST

/* Features decide between rows that share an opcode. */
START_TEST(test_features)
{
    static const uint32_t mix[2] = {0xd3a00805, 0x1c0a0703};
    struct insn in;

    ck_assert_int_eq(isa_decode(isa_target_find("gfx900"), mix, 2, &in), 2);
    ck_assert_int_eq(in.op, I_V_MAD_MIX_F32);
    ck_assert_int_eq(isa_decode(isa_target_find("gfx906"), mix, 2, &in), 2);
    ck_assert_int_eq(in.op, I_V_FMA_MIX_F32);
}
END_TEST

/* An instruction is never read past its end: the words lie at the end of an allocation, which
 * the address sanitizer watches. */
START_TEST(test_truncated)
{
    static const struct {
        uint32_t dw[3];
        int n;
    } cases[] = {
        {{0xbe8003ff, 1}, 2},          /* literal */
        {{0xd2820000, 0x04040300}, 2}, /* VOP3 */
        {{0xe0300000, 0x80000000}, 2}, /* MUBUF */
        {{0xba800000 | 5 << 16, 7}, 2},
    };
    const struct isa_target *t = isa_target_find("gfx704");

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        for (int k = 0; k <= cases[i].n; k++) {
            uint32_t *p = malloc((size_t)k * 4 + 1);
            struct insn in;

            memcpy(p, cases[i].dw, (size_t)k * 4);
            ck_assert_int_eq(isa_decode(t, p, (size_t)k, &in), k < cases[i].n ? -1 : k);
            free(p);
        }
    }
}
END_TEST

/* ---- round trip --------------------------------------------------------------------------- */

/* Check's own assertions write to a pipe each: too slow for millions. */
#define REQUIRE(condition, ...) \
    do { \
        if (!(condition)) \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

/* Words that decode print, and the text assembles to words that print the same and are their own
 * reassembly. Returns the row, I_NONE when the words are no instruction. */
static enum isa_op round_trip(const struct isa_target *t, const uint32_t dw[3])
{
    struct insn in, back;
    char text[512], again[512], cut[16], where[64];
    uint32_t out[4], out2[4];
    struct err e = {""};
    int n = isa_decode(t, dw, 3, &in), length, m;

    if (n == 0)
        return I_NONE;
    snprintf(where, sizeof where, "%s %08x %08x %08x", t->name, dw[0], dw[1], dw[2]);
    REQUIRE(n >= 1 && n <= 3, "%s: %d dwords", where, n);
    length = isa_print(t, &in, text, sizeof text);
    REQUIRE(length == (int)strlen(text) && length == isa_print(t, &in, cut, sizeof cut),
            "%s: '%s' is not %d long", where, text, length);
    REQUIRE(!strchr(text, '?'), "%s: '%s'", where, text);
    m = isa_assemble(t, text, out, &e);
    REQUIRE(m > 0, "%s: '%s': %s", where, text, e.text);
    REQUIRE(isa_decode(t, out, (size_t)m, &back) == m, "%s: '%s': the words decode otherwise",
            where, text);
    isa_print(t, &back, again, sizeof again);
    REQUIRE(!strcmp(text, again), "%s: '%s' became '%s'", where, text, again);
    REQUIRE(isa_assemble(t, again, out2, &e) == m && !memcmp(out, out2, (size_t)m * 4) &&
                in.op == back.op,
            "%s: '%s' assembles otherwise the second time", where, text);
    return in.op;
}

static const char *const all_targets[] = {
    "gfx600", "gfx704", "gfx801", "gfx803", "gfx810", "gfx900", "gfx904", "gfx906", "gfx908",
};

START_TEST(test_random_words)
{
    const struct isa_target *t = isa_target_find(all_targets[_i]);
    uint64_t seed = 0x9e3779b97f4a7c15u + (uint64_t)_i;
    unsigned decoded = 0;

    for (unsigned i = 0; i < 20000; i++) {
        uint32_t dw[3] = {next_random(&seed), next_random(&seed), next_random(&seed)};

        decoded += round_trip(t, dw) != I_NONE;
    }
    ck_assert_uint_gt(decoded, 1000);
}
END_TEST

/* Each layout with each opcode and random operands: every row of the target comes up. */
START_TEST(test_every_row)
{
    const struct isa_target *t = isa_target_find(all_targets[_i]);
    uint64_t seed = 0x2545f4914f6cdd1du + (uint64_t)_i;
    static bool seen[I_COUNT];
    const struct layout *l;

    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; (l = isa_layout(i)); i++) {
        unsigned opcodes = l->op_hi < l->op_lo ? 1 : 1u << (l->op_hi - l->op_lo + 1);

        for (unsigned op = 0; op < opcodes; op++) {
            for (unsigned k = 0, hits = 0; k < 256 && hits < 12; k++) {
                uint32_t dw[3] = {next_random(&seed), next_random(&seed), next_random(&seed)};

                enum isa_op row;

                if (k % 2) { /* registers below 64, few modifiers: what rarely comes by chance */
                    dw[0] &= 0x03c3ff3f;
                    dw[1] &= 0x040c0606;
                }
                dw[0] = (dw[0] & ~l->mask & ~l->reserved[0]) | l->match;
                dw[1] &= ~l->reserved[1];
                if (l->op_lo <= l->op_hi)
                    dw[0] = (dw[0] & ~((opcodes - 1) << l->op_lo)) | op << l->op_lo;
                row = round_trip(t, dw);
                seen[row] = true;
                hits += row != I_NONE;
            }
        }
    }
    for (unsigned op = I_NONE + 1; op < I_COUNT; op++)
        ck_assert_msg(seen[op] == isa_has(t, (enum isa_op)op), "%s: %s %s", t->name,
                      isa_rows[op].id, seen[op] ? "decodes" : "never came up");
}
END_TEST

/* ---- text --------------------------------------------------------------------------------- */

START_TEST(test_assembler_rejects)
{
    static const struct {
        const char *target, *text;
    } bad[] = {
        {"gfx704", ""},
        {"gfx704", "   "},
        {"gfx704", "no_such_instruction v0"},
        {"gfx704", "v_add_f32"},
        {"gfx704", "v_add_f32 v0, v1"},
        {"gfx704", "v_add_f32 v0, v1, v2, v3"},
        {"gfx704", "v_add_f32 v256, v1, v2"},
        {"gfx704", "v_add_f32 v[0:1], v1, v2"},
        {"gfx704", "v_add_f32 v0, v1, v2 glc"},
        {"gfx704", "v_add_f32_e32 v0, v1, s2"},
        {"gfx704", "v_add_f32_e32 v0, -v1, v2"},
        {"gfx704", "v_add_f32_e64 v0, 0x12345678, v2"},
        {"gfx704", "v_add_f32_sdwa v0, v1, v2 dst_sel:DWORD"},
        {"gfx704", "v_and_b32_e64 v0, -v1, v2"},
        {"gfx704", "s_mov_b64 s[103:104], s[4:5]"},
        {"gfx704", "s_mov_b32 s104, 0"},
        {"gfx704", "s_mov_b32 0, s0"},
        {"gfx704", "s_mov_b32 s0, 0x123456789"},
        {"gfx704", "s_add_u32 s0, 0x12345678, 0x12345679"},
        {"gfx600", "s_load_dword s0, s[2:3], 0x100"},
        {"gfx704", "buffer_load_dword v0, off, s[0:3], 0 offset:4096"},
        {"gfx704", "buffer_load_dword v0, v1, s[0:3], 0"},
        {"gfx704", "flat_load_dword v0, v[0:1] offset:4"},
        {"gfx600", "flat_load_dword v0, v[0:1]"},
        {"gfx900", "flat_load_dword v0, v[0:1] offset:-1"},
        {"gfx704", "ds_read2_b32 v[0:1], v0 offset:4"},
        {"gfx704", "ds_read_b32 v0, v0 offset0:4"},
        {"gfx704", "ds_read_b32 v0, v0 offset:65536"},
        {"gfx704", "exp mrt8 v0, v0, v0, v0"},
        {"gfx704", "s_waitcnt vmcnt(16)"},
        {"gfx704", "s_branch 65536"},
        {"gfx803", "v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,4] row_mask:0xf bank_mask:0xf"},
        {"gfx803", "v_mov_b32_dpp v0, v1 row_shl:16"},
        {"gfx803", "v_cndmask_b32_sdwa v0, v1, v2, s[0:1] dst_sel:DWORD"},
    };
    struct err e = {""};
    uint32_t dw[4];

    ck_assert_msg(isa_assemble(isa_target_find(bad[_i].target), bad[_i].text, dw, &e) < 0,
                  "'%s' assembles", bad[_i].text);
    ck_assert_uint_gt(strlen(e.text), 0);
}
END_TEST

/* Text with characters replaced, dropped and doubled: an error or words, never a crash. */
START_TEST(test_random_text)
{
    static const char *const lines[] = {
        "v_add_f32_e64 v5, -|v1|, neg(0x3e22f983) clamp mul:2",
        "buffer_load_dwordx4 [v1,v2,v3,v4], off, s[4:7], s1 offset:-1+1 glc slc",
        "s_waitcnt vmcnt(0) & expcnt(1) lgkmcnt_sat(99)",
        "s_getreg_b32 s2, {size: 32, id: 51}",
        "ds_swizzle_b32 v8, v2 offset:swizzle(BITMASK_PERM, \"01pip\")",
        "tbuffer_store_format_xyzw v[1:4], off, ttmp[4:7], s0 format:(2 + 3 * 16)",
        "v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0x5 bank_mask:0x3 bound_ctrl:0",
        "exp param31 off, v1, off, v3 done vm",
        "v_pk_fma_f16 v0, v1, v2, v3 op_sel:[1,0,1] op_sel_hi:[0,1,0] neg_lo:[1,1,1]",
        "image_sample_c_b_cl_o v[0:3], v[4:11], s[8:15], s[4:7] dmask:0xf unorm da",
    };
    static const char junk[] = "()[]{}|-+*/:,.0123456789xabfvs\" \t_~";
    const struct isa_target *t = isa_target_find("gfx900");
    uint64_t seed = 88172645463325252u;

    for (unsigned i = 0; i < 40000; i++) {
        char *text = strdup(lines[i % ARRAY_LEN(lines)]);
        size_t n = strlen(text);
        uint32_t dw[4];
        struct err e;

        for (unsigned k = next_random(&seed) % 4 + 1; k; k--) {
            size_t at = next_random(&seed) % n;

            if (next_random(&seed) % 4)
                text[at] = junk[next_random(&seed) % (sizeof junk - 1)];
            else
                memmove(text + at, text + at + 1, n - at); /* one less, NUL included */
            n = strlen(text);
            if (!n)
                break;
        }
        isa_assemble(t, text, dw, &e);
        free(text);
    }
}
END_TEST

/* ---- programs ----------------------------------------------------------------------------- */

START_TEST(test_program)
{
    static const uint32_t code[] = {
        0xbf880002, /* s_cbranch_execz to the second s_endpgm */
        0xbf810000, /* s_endpgm that a branch goes past */
        0xbf800000,
        0xbf810000,
        0xffffffff, /* not code any more */
    };
    const struct isa_target *t = isa_target_find("gfx704");
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    ck_assert_uint_eq(isa_program_dwords(t, code, ARRAY_LEN(code)), 4);
    ck_assert_uint_eq(isa_list(t, code, 4, f), 0);
    ck_assert_uint_eq(isa_list(t, code + 4, 1, f), 1);
    fclose(f);
    ck_assert_ptr_nonnull(strstr(text, "s_cbranch_execz L00000c"));
    ck_assert_ptr_nonnull(strstr(text, "L00000c:\n"));
    ck_assert_ptr_nonnull(strstr(text, "error: 000000: ffffffff"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("isa");
    TCase *fixed = tcase_create("fixed"), *random = tcase_create("random");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_loop_test(fixed, test_vectors, 0, ARRAY_LEN(vectors));
    tcase_add_test(fixed, test_targets);
    tcase_add_test(fixed, test_features);
    tcase_add_test(fixed, test_truncated);
    tcase_add_loop_test(fixed, test_assembler_rejects, 0, 34);
    tcase_add_test(fixed, test_program);
    suite_add_tcase(s, fixed);
    tcase_set_timeout(random, 60);
    tcase_add_loop_test(random, test_random_words, 0, ARRAY_LEN(all_targets));
    tcase_add_loop_test(random, test_every_row, 0, ARRAY_LEN(all_targets));
    tcase_add_test(random, test_random_text);
    suite_add_tcase(s, random);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
