/* DCC: what keys stand for, in CB and in the texture unit, on GFX8 and GFX9; what eliminating, decompressing and
 * writing make of them; and compressed depth and FMASK as textures see them. */
#include "raster/cb.h"

#include <check.h>
#include <stdlib.h>

#define COLOR_VA 0x1000000
#define DCC_VA   0x2000000
#define META_BYTES (1u << 20)
#define SIDE     128u
#define WHITE    0xffffffffu
#define REG_WORD 0x44332211u

static struct raster_state state;
static struct raster_counters counters;
static struct raster_cb cb;
static struct mem_vm *vm;
static struct loud *loud;

static const char *const chips[] = { "polaris10", "vega10" };

/* An 8_8_8_8 target of SIDE x SIDE pixels, its keys all `key`, its memory all 0x5a. */
static void setup(const char *chip, uint8_t key, unsigned comp_swap)
{
    struct raster_mrt *m = &state.cb.mrt[0];
    struct err e;

    memset(&state, 0, sizeof state);
    memset(&counters, 0, sizeof counters);
    vm = mem_vm_create();
    loud = loud_create();
    loud_set_quiet(loud, true);
    ck_assert_int_eq(mem_map(vm, COLOR_VA, META_BYTES, NULL, MEM_R | MEM_W, &e), 0);
    ck_assert_int_eq(mem_map(vm, DCC_VA, META_BYTES, NULL, MEM_R | MEM_W, &e), 0);
    memset(mem_ptr(vm, COLOR_VA, META_BYTES, MEM_W), 0x5a, META_BYTES);
    memset(mem_ptr(vm, DCC_VA, META_BYTES, MEM_W), key, META_BYTES);
    state.chip = chip_find(chip);
    state.gen = state.chip->gen;
    state.cb.mode = V_CBMode__CB_NORMAL;
    state.cb.rop3 = V_ROP3__ROP3_COPY;
    m->bound = m->dcc = true;
    m->target_mask = m->shader_mask = 15;
    m->format = V_ColorFormat__COLOR_8_8_8_8;
    m->comp_swap = comp_swap;
    m->blend_clamp = m->pipe_aligned = m->rb_aligned = true;
    m->clear_word[0] = REG_WORD;
    m->color.va = COLOR_VA;
    m->color.pitch_px = SIDE;
    m->color.slice_px = SIDE * SIDE;
    m->color.tile_mode_index = 14; /* 2D thin */
    m->color.sw.mode = MEM_SW_64KB_S_X;
    m->color.sw.levels = 1;
    m->color.sw.width_px = m->color.sw.height_px = m->color.sw.pitch_px = SIDE;
    m->color.sw.depth = 1;
    m->dcc_va = DCC_VA;
}

static void done(void)
{
    mem_vm_destroy(vm);
    loud_destroy(loud);
}

static void begin(void)
{
    raster_cb_begin(&cb, &state, vm, loud, 0);
    ck_assert(cb.target[0].on && cb.target[0].dcc_on);
}

static uint8_t *key_at(uint32_t x, uint32_t y)
{
    const struct raster_target *t = &cb.target[0];

    return mem_ptr(vm, t->dcc.va + raster_meta_nibble(&t->dcc, &t->surface, x, y, 0, 0) / 2, 1, MEM_W);
}

static uint32_t memory_at(uint32_t x, uint32_t y)
{
    const struct mem_surface *s = &cb.target[0].surface;

    return load_le32(mem_ptr(vm, s->base_va + mem_surface_offset(s, x, y, 0, 0), 4, MEM_R));
}

static uint32_t read_at(uint32_t x, uint32_t y)
{
    uint32_t rgba[4];
    uint8_t raw[16];

    raster_cb_read(&cb, 0, 0, x, y, 0, rgba, raw);
    return load_le32(raw);
}

static const struct { uint8_t key; uint32_t std, rev; } codes[] = {
    { DCC_KEY_0000, 0, 0 },
    { DCC_KEY_0001, 0xff000000, 0x000000ff },
    { DCC_KEY_1110, 0x00ffffff, 0xffffff00 },
    { DCC_KEY_1111, WHITE, WHITE },
    { DCC_KEY_REG, REG_WORD, REG_WORD },
    { DCC_KEY_SINGLE, 0x5a5a5a5a, 0x5a5a5a5a },
    { DCC_KEY_UNCOMPRESSED, 0x5a5a5a5a, 0x5a5a5a5a },
};

/* Reading says what the key says and changes nothing; writing puts the whole block into memory. */
START_TEST(keys)
{
    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        for (unsigned swap = 0; swap < 4; swap++) {
            const struct raster_color red = { { f32_bits(1), 0, 0, f32_bits(1) } };
            const struct raster_color c[4] = { red, red, red, red };
            const uint16_t mask[4] = { 1, 0, 0, 0 };
            const uint32_t want = swap < 2 ? codes[i].std : codes[i].rev;
            const uint32_t drawn[4] = { 0xff0000ff, 0xffff0000, 0xff0000ff, 0x0000ffff };
            unsigned opened = 0;

            setup(chips[_i], codes[i].key, swap);
            begin();
            for (uint32_t p = 0; p < SIDE; p += 3)
                ck_assert_uint_eq(read_at(p, 127 - p), want);
            ck_assert_uint_eq(memory_at(3, 5), 0x5a5a5a5a);
            ck_assert_uint_eq(*key_at(40, 72), codes[i].key);
            raster_cb_quad(&cb, 0, 0, 40, 72, mask, c, c, &counters);
            ck_assert_uint_eq(memory_at(40, 72), drawn[swap]);
            ck_assert_uint_eq(memory_at(41, 73), want);
            for (uint32_t y = 0; y < SIDE; y += 4)
                for (uint32_t x = 0; x < SIDE; x += 4)
                    opened += *key_at(x, y) == DCC_KEY_UNCOMPRESSED;
            /* 64 pixels of 32 bits: 8 x 8 */
            ck_assert_uint_eq(opened, codes[i].key == DCC_KEY_UNCOMPRESSED ? SIDE * SIDE / 16 : 4);
            ck_assert_uint_eq(loud_count(loud), 0);
            done();
        }
}
END_TEST

static void special(uint32_t mode)
{
    state.cb.mode = mode;
    begin();
    for (int32_t y = 0; y < (int32_t)SIDE; y += 2)
        for (int32_t x = 0; x < (int32_t)SIDE; x += 2)
            raster_cb_special(&cb, 0, x, y, (const uint16_t[4]){ 1, 1, 1, 1 }, &counters);
}

START_TEST(eliminate_and_decompress)
{
    setup(chips[_i], DCC_KEY_REG, 0);
    special(V_CBMode__CB_ELIMINATE_FAST_CLEAR);
    ck_assert_uint_eq(memory_at(17, 99), REG_WORD);
    ck_assert_uint_eq(*key_at(17, 99), DCC_KEY_UNCOMPRESSED);
    done();
    setup(chips[_i], DCC_KEY_1110, 0);
    special(V_CBMode__CB_ELIMINATE_FAST_CLEAR);
    ck_assert_uint_eq(memory_at(17, 99), 0x5a5a5a5a);
    ck_assert_uint_eq(*key_at(17, 99), DCC_KEY_1110);
    special(V_CBMode__CB_DCC_DECOMPRESS);
    for (uint32_t p = 0; p < SIDE; p++) {
        ck_assert_uint_eq(memory_at(p, 127 - p), 0x00ffffff);
        ck_assert_uint_eq(*key_at(p, 127 - p), DCC_KEY_UNCOMPRESSED);
    }
    ck_assert_uint_eq(loud_count(loud), 0);
    done();
    /* What hardware compressed is said. */
    setup(chips[_i], 0x33, 0);
    special(V_CBMode__CB_DCC_DECOMPRESS);
    ck_assert_uint_eq(memory_at(17, 99), 0x5a5a5a5a);
    ck_assert_uint_eq(loud_count(loud), 1);
    done();
}
END_TEST

/* A T# of the same memory. */
static void texture(struct raster_image *im, unsigned data_format, unsigned num_format, uint64_t va,
                    uint64_t meta_va, unsigned sw_mode, unsigned tiling)
{
    const enum gfx gen = state.gen;
    uint32_t t[8] = { (uint32_t)(va >> 8) };
    struct err e;

#define T(word, field, v) t[word] |= regs_insert(gen, F_SQ_IMG_RSRC_WORD##word##__##field, 0, v)
    T(1, DATA_FORMAT, data_format);
    T(1, NUM_FORMAT, num_format);
    T(2, WIDTH, SIDE - 1);
    T(2, HEIGHT, SIDE - 1);
    T(3, DST_SEL_X, V_SQ_SEL_XYZW01__SQ_SEL_X);
    T(3, TYPE, V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D);
    T(3, TILING_INDEX, tiling);
    T(3, SW_MODE, sw_mode);
    T(4, PITCH, SIDE - 1);
    T(5, META_PIPE_ALIGNED, 1);
    T(5, META_RB_ALIGNED, 1);
    T(6, COMPRESSION_EN, 1);
    T(6, ALPHA_IS_ON_MSB, 1);
#undef T
    t[7] = (uint32_t)(meta_va >> 8);
    ck_assert_msg(!raster_image_decode(im, state.chip, t, &e), "%s", e.text);
}

static struct raster_image image;

START_TEST(textures_read_keys)
{
    struct raster_access a;

    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        uint32_t xyzw[4], texel = 0;

        setup(chips[_i], codes[i].key, 0);
        begin();
        texture(&image, 10, 0, COLOR_VA, DCC_VA, MEM_SW_64KB_S_X, 14); /* 8_8_8_8 UNORM */
        a = (struct raster_access){ .vm = vm, .client = MEM_TEX };
        *key_at(64, 64) = DCC_KEY_UNCOMPRESSED;
        ck_assert(raster_texel_load(&image, &a, &(struct raster_texel){ 5, 77, 0, 0, 0 }, xyzw));
        image.pack(xyzw, &texel);
        if (codes[i].key == DCC_KEY_REG)
            ck_assert(image.has_bad_key && image.bad_key == DCC_KEY_REG);
        else
            ck_assert_uint_eq(texel, codes[i].std);
        ck_assert(raster_texel_load(&image, &a, &(struct raster_texel){ 66, 67, 0, 0, 0 }, xyzw));
        image.pack(xyzw, &texel);
        ck_assert_uint_eq(texel, 0x5a5a5a5a);
        done();
    }
}
END_TEST

/* An FMASK element is four bits a sample; CMASK says where it is not needed. 4 samples, 4 fragments: 2 bits. */
START_TEST(fmask_loads)
{
    const bool gfx9 = !strcmp(chips[_i], "vega10");
    struct raster_access a;
    uint32_t xyzw[4];
    uint32_t t[8] = { COLOR_VA >> 8 };
    struct err e;

    for (unsigned nibble = 0; nibble < 16; nibble += 4) {
        setup(chips[_i], (uint8_t)(nibble * 0x11), 0);
        memset(mem_ptr(vm, COLOR_VA, META_BYTES, MEM_W), 0x87, META_BYTES); /* 3, 1, 0, 2 */
        memset(t + 1, 0, sizeof t - sizeof *t);
#define T(word, field, v) t[word] |= regs_insert(state.gen, F_SQ_IMG_RSRC_WORD##word##__##field, 0, v)
        T(1, DATA_FORMAT, gfx9 ? 45 : 49);
        T(1, NUM_FORMAT, gfx9 ? 5 : 4);
        T(2, WIDTH, SIDE - 1);
        T(2, HEIGHT, SIDE - 1);
        T(3, TYPE, V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D);
        T(3, TILING_INDEX, 14);
        T(3, SW_MODE, MEM_SW_64KB_Z_X);
        T(4, PITCH, SIDE - 1);
        T(5, META_PIPE_ALIGNED, 1);
        T(5, META_RB_ALIGNED, 1);
        T(6, COMPRESSION_EN, 1);
#undef T
        t[7] = DCC_VA >> 8;
        ck_assert_msg(!raster_image_decode(&image, state.chip, t, &e), "%s", e.text);
        a = (struct raster_access){ .vm = vm, .client = MEM_TEX };
        ck_assert(raster_texel_load(&image, &a, &(struct raster_texel){ 5, 77, 0, 0, 0 }, xyzw));
        ck_assert_uint_eq(xyzw[0], nibble == 0 || nibble == 12 ? 0 : 0x2013);
        ck_assert_uint_eq(xyzw[1], 0);
        done();
    }
}
END_TEST

/* Depth that is only marked as cleared. */
START_TEST(textures_read_htile)
{
    static const struct { uint32_t htile; float want; } rows[] = {
        { 0xfffffff0, 1 }, { 0x00000000, 0 }, { 0xfffc0000, 1 }, { 0xfffc000f, 3.5f },
    };
    struct raster_access a;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t *p, xyzw[4];

        setup(chips[_i], 0, 0);
        p = mem_ptr(vm, DCC_VA, META_BYTES, MEM_W);
        for (unsigned k = 0; k < META_BYTES / 4; k++)
            p[k] = rows[i].htile;
        p = mem_ptr(vm, COLOR_VA, META_BYTES, MEM_W);
        for (unsigned k = 0; k < META_BYTES / 4; k++)
            p[k] = f32_bits(3.5f);
        texture(&image, 4, 7, COLOR_VA, DCC_VA, MEM_SW_64KB_Z_X, 2); /* 32 FLOAT */
        a = (struct raster_access){ .vm = vm, .client = MEM_TEX };
        ck_assert_int_eq(image.compressed, RASTER_IMAGE_HTILE);
        ck_assert(raster_texel_load(&image, &a, &(struct raster_texel){ 99, 3, 0, 0, 0 }, xyzw));
        ck_assert_float_eq(bits_f32(xyzw[0]), rows[i].want);
        done();
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dcc");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_loop_test(tc, keys, 0, ARRAY_LEN(chips));
    tcase_add_loop_test(tc, eliminate_and_decompress, 0, ARRAY_LEN(chips));
    tcase_add_loop_test(tc, textures_read_keys, 0, ARRAY_LEN(chips));
    tcase_add_loop_test(tc, fmask_loads, 0, ARRAY_LEN(chips));
    tcase_add_loop_test(tc, textures_read_htile, 0, ARRAY_LEN(chips));
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
