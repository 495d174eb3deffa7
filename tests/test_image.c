/* Image instructions without a sampler, on every resource type and a chip of each generation: loads, stores, PCK forms
 * and atomics with and without a level, sizes, coordinates out of range; multisampled images read through their FMASK.
 *
 * A model holds the dwords of every texel; each instruction is done on it in plain C, lane after lane. At the end of an
 * image all of its texels are read back, so that a write to another place is seen.
 *
 * SAMPLES: how many lanes of each resource type (make check-long: 100,000). */
#include "emu/internal.h"
#include "isa/exec.h"
#include "isa/solo.h"
#include "raster/raster.h"

#include <check.h>
#include <stdlib.h>

#define EXPECT(cond, ...)                                                                      \
    do {                                                                                        \
        if (!(cond))                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                          \
    } while (0)

#define MEMORY_VA    UINT64_C(0x100000000)
#define MEMORY_BYTES (32u << 20)
#define FMASK_VA     (MEMORY_VA + (MEMORY_BYTES >> 1))

enum { LEVELS = 5, SIDE = 24, SLICES = 12, SAMPLES_MAX = 8 };

/* In the order of SQ_RSRC_IMG_*, from 8 on. */
static const struct { const char *name; unsigned dims; bool array, msaa; } kinds[] = {
    { "1D", 1, false, false },       { "2D", 2, false, false },     { "3D", 3, false, false },
    { "cube", 2, true, false },      { "1D array", 1, true, false }, { "2D array", 2, true, false },
    { "2D MSAA", 2, false, true },   { "2D MSAA array", 2, true, true },
};
enum { IMG_3D = 2, IMG_CUBE = 3 };

static const struct { const char *chip, *target; } chips[] = {
    { "tahiti", "gfx600" }, { "bonaire", "gfx704" }, { "polaris10", "gfx803" }, { "vega10", "gfx900" },
};

static struct atoll_gpu *gpu;
static struct isa_solo *solo;
static enum gfx gen;
static uint8_t *memory;
static uint64_t rng_state = 88172645463325252u;

static uint32_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 16);
}

static uint32_t below(uint32_t n)
{
    return rng() % n;
}

static void device(unsigned i)
{
    struct atoll_options opt = { .threads = 1, .quiet = 1 };
    struct err e;

    gpu = atoll_gpu_create(chips[i].chip, &opt);
    solo = isa_solo_create(isa_target_find(chips[i].target), -1);
    memory = calloc(1, MEMORY_BYTES);
    ck_assert(gpu && solo && memory);
    gen = gpu->chip->gen;
    ck_assert_int_eq(mem_map(solo->vm, MEMORY_VA, MEMORY_BYTES, memory, MEM_R | MEM_W, &e), 0);
}

static void device_done(void)
{
    isa_solo_destroy(solo);
    atoll_gpu_destroy(gpu);
    free(memory);
}

/* v[0...] addresses, v[64...] data, in and out. */
static void run(unsigned opcode, unsigned dmask, bool da, bool glc, uint64_t exec, const uint32_t t[8],
                const uint32_t (*address)[64], uint32_t (*data)[64])
{
    static struct emu_counters counters;
    struct emu_wave_ctx ctx = { .gpu = gpu, .counters = &counters };
    const uint32_t code[2] = { 0xf0000000 | opcode << 18 | (uint32_t)da << 14 | (uint32_t)glc << 13 | dmask << 8,
                               64u << 8 };
    struct wave *w = solo->w;

    isa_solo_reset(solo, exec, 0xf0);
    isa_solo_code(solo, code, 2);
    w->ops = emu_compute_ops();
    w->ops_ctx = &ctx;
    memcpy(w->s, t, 32);
    memcpy(solo->v, address, 6 * 256);
    memcpy(solo->v + 64 * 64, data, 4 * 256);
    for (unsigned n = 0; n < 4 && w->state == WAVE_READY; n++)
        isa_run(solo->code, w, 4);
    EXPECT(w->state == WAVE_ENDED, "opcode 0x%x does not end", opcode);
    memcpy(data, solo->v + 64 * 64, 4 * 256);
}

/* ---- images ------------------------------------------------------------------------------------- */

static struct {
    unsigned kind, dwords, samples;
    int width, height, depth, slices; /* slices of the memory, planes of 3D: depth */
    int base_level, last_level, base_array, samples_log2;
    uint32_t t[8];
    uint32_t texel[LEVELS][SLICES][SAMPLES_MAX][SIDE][SIDE][4];
} im;

static int size_of(int n, int level)
{
    return n >> level > 1 ? n >> level : 1;
}

static void make_t(uint32_t t[8], uint64_t va, unsigned type, unsigned data, unsigned num, unsigned tile)
{
    memset(t, 0, 32);
    t[0] = (uint32_t)(va >> 8);
#define T(word, field, v) t[word] = regs_insert(gen, F_SQ_IMG_RSRC_WORD##word##__##field, t[word], (uint32_t)(v))
    T(1, DATA_FORMAT, data);
    T(1, NUM_FORMAT, num);
    T(2, WIDTH, im.width - 1);
    T(2, HEIGHT, im.height - 1);
    T(3, DST_SEL_X, 4);
    T(3, DST_SEL_Y, 5);
    T(3, DST_SEL_Z, 6);
    T(3, DST_SEL_W, 7);
    T(3, TYPE, type);
    T(3, BASE_LEVEL, kinds[im.kind].msaa ? 0 : im.base_level);
    T(3, LAST_LEVEL, type >= 14 ? im.samples_log2 : im.last_level);
    T(4, DEPTH, im.kind == IMG_3D ? im.depth - 1 : gen == GFX9 ? im.slices - 1 : 0);
    T(4, PITCH, kinds[im.kind].msaa ? 255 : 63);
    T(5, BASE_ARRAY, im.base_array);
    if (gen == GFX9) {
        T(3, SW_MODE, tile);
        T(5, MAX_MIP, type >= 14 ? im.samples_log2 : im.last_level);
    } else {
        T(3, TILING_INDEX, tile);
        T(3, POW2_PAD, im.last_level > 0);
        T(5, LAST_ARRAY, im.kind == IMG_3D ? 0 : im.slices - 1);
    }
#undef T
}

static unsigned tile_of(unsigned bits)
{
    if (kinds[im.kind].msaa) /* 2D tiled; GFX6 has a mode for each size of element */
        return gen == GFX9 ? 10 : gen > GFX6 ? 14 : bits == 8 ? 14 : bits == 32 ? 16 : 17;
    if (kinds[im.kind].dims == 1)
        return gen == GFX9 ? 0 : 8;
    return gen == GFX9 ? (below(2) ? 9 : 5) : below(2) ? 13 : 8;
}

static struct raster_image whole;

/* All texels: written with random numbers, or compared with the model. */
static void all_texels(bool write)
{
    struct raster_access a = { .vm = solo->vm, .client = MEM_TEX };

    for (int l = 0; l <= im.last_level; l++)
        for (int z = 0; z < (im.kind == IMG_3D ? size_of(im.depth, l) : im.slices); z++)
            for (unsigned s = 0; s < im.samples; s++)
                for (int y = 0; y < size_of(im.height, l); y++)
                    for (int x = 0; x < size_of(im.width, l); x++) {
                        uint32_t *m = im.texel[l][z][s][y][x], got[4];
                        const struct raster_texel at = { x, y, z, s, (uint32_t)l };

                        for (unsigned c = 0; write && c < 4; c++)
                            m[c] = c < im.dwords ? rng() : c == 3;
                        if (write)
                            raster_texel_store(&whole, &a, &at, m);
                        raster_texel_load(&whole, &a, &at, got);
                        EXPECT(!memcmp(got, m, sizeof got), "%s %s: level %d slice %d sample %u (%d, %d): %x, not %x",
                               gpu->chip->name, kinds[im.kind].name, l, z, s, x, y, got[0], m[0]);
                    }
}

static void make_image(unsigned kind)
{
    static const unsigned formats[3][2] = { { 4, 1 }, { 11, 2 }, { 14, 4 } };
    const bool msaa = kinds[kind].msaa;
    const unsigned f = below(msaa ? 2 : 3);
    unsigned tile;
    struct err e;
    int most;

    im.kind = kind;
    im.dwords = formats[f][1];
    im.samples_log2 = msaa ? 1 + (int)below(3) : 0;
    im.samples = 1u << im.samples_log2;
    im.width = 1 + (int)below(SIDE);
    im.height = kinds[kind].dims == 1 ? 1 : kind == IMG_CUBE ? im.width : 1 + (int)below(SIDE);
    im.depth = kind == IMG_3D ? 1 + (int)below(SLICES) : 1;
    im.slices = kind == IMG_CUBE ? 12 : kinds[kind].array ? 1 + (int)below(5) : 1;
    most = MAX2(MAX2(im.width, im.height), im.depth);
    im.last_level = msaa ? 0 : (int)below(LEVELS);
    while (im.last_level && !(most >> im.last_level))
        im.last_level--;
    im.base_level = im.base_array = 0;
    tile = tile_of(32 * im.dwords);
    make_t(im.t, MEMORY_VA, 8 + kind, formats[f][0], 4, tile);
    ck_assert_msg(raster_image_decode(&whole, gpu->chip, im.t, &e) == 0, "%s: %s", kinds[kind].name, e.text);
    all_texels(true);
    im.base_level = (int)below((uint32_t)im.last_level + 1);
    im.base_array = kind == IMG_CUBE ? 6 * (int)below(2) : kinds[kind].array ? (int)below((uint32_t)im.slices) : 0;
    make_t(im.t, MEMORY_VA, 8 + kind, formats[f][0], 4, tile);
}

/* ---- instructions ------------------------------------------------------------------------------- */

enum { A_SWAP, A_CMPSWAP, A_ADD, A_SUB, A_RSUB, A_SMIN, A_UMIN, A_SMAX, A_UMAX, A_AND, A_OR, A_XOR, A_INC, A_DEC, A_FCMPSWAP, A_FMIN, A_FMAX, ATOMICS };

static unsigned atomic_opcode(unsigned a)
{
    if (gen >= GFX8)
        return a <= A_SUB ? 0x10 + a : a >= A_SMIN && a <= A_DEC ? 0x14 + a - A_SMIN : 0;
    return 0x0f + a;
}

static double real(uint64_t v, bool wide)
{
    double d;

    memcpy(&d, &v, sizeof d);
    return wide ? d : (double)bits_f32((uint32_t)v);
}

static uint64_t atomic(unsigned a, uint64_t old, uint64_t v, uint64_t cmp, bool wide)
{
    const uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
    const int64_t so = wide ? (int64_t)old : (int32_t)old, sv = wide ? (int64_t)v : (int32_t)v;

    switch (a) {
    case A_SWAP: return v;
    case A_CMPSWAP: return old == cmp ? v : old;
    case A_ADD: return (old + v) & mask;
    case A_SUB: return (old - v) & mask;
    case A_RSUB: return (v - old) & mask;
    case A_SMIN: return sv < so ? v : old;
    case A_UMIN: return v < old ? v : old;
    case A_SMAX: return sv > so ? v : old;
    case A_UMAX: return v > old ? v : old;
    case A_AND: return old & v;
    case A_OR: return old | v;
    case A_XOR: return old ^ v;
    case A_INC: return old >= v ? 0 : old + 1;
    case A_DEC: return old == 0 || old > v ? v : old - 1;
    case A_FCMPSWAP: return real(old, wide) == real(cmp, wide) ? v : old;
    case A_FMIN: return real(v, wide) < real(old, wide) ? v : old;
    default: return real(v, wide) > real(old, wide) ? v : old;
    }
}

/* The model's texel at a lane's address; NULL: out of range. */
static uint32_t *texel(const int32_t c[3], int32_t slice, uint32_t sample, uint32_t level)
{
    const uint32_t l = level + (uint32_t)im.base_level;
    const int32_t z = im.kind == IMG_3D ? c[2] : slice + im.base_array;

    if (level > (uint32_t)im.last_level || l > (uint32_t)im.last_level || sample >= im.samples || c[0] < 0 || c[1] < 0 ||
        c[0] >= size_of(im.width, (int)l) || c[1] >= size_of(im.height, (int)l) || z < 0 || slice < 0 ||
        z >= (im.kind == IMG_3D ? size_of(im.depth, (int)l) : im.slices))
        return NULL;
    return im.texel[l][z][sample][c[1]][c[0]];
}

/* Mostly inside of n, else anywhere. */
static int32_t place(int n)
{
    return below(12) ? (int32_t)below((uint32_t)n) : below(2) ? (int32_t)rng() : n + (int32_t)below(3) - (below(2) ? n + 2 : 0);
}

static void check_instruction(unsigned *lanes)
{
    enum { DO_LOAD, DO_STORE, DO_ATOMIC, DO_SIZE } what = below(4);
    const bool msaa = kinds[im.kind].msaa, mip = what < DO_ATOMIC && !msaa && below(2), pck = what < DO_ATOMIC && below(3) == 0;
    const bool da = kinds[im.kind].array;
    const bool wide = im.dwords == 2, glc = what == DO_ATOMIC && below(2);
    uint32_t address[6][64] = { { 0 } }, data[4][64], before[4][64], *at[64];
    unsigned op = 0, dmask = 1 + below(15), n = 0, a = 0, opcode;
    const uint64_t exec = below(2) ? UINT64_MAX : rng() | (uint64_t)rng() << 32;

    if (what == DO_ATOMIC && im.dwords == 4)
        what = DO_LOAD;
    for (unsigned l = 0; l < 64; l++) {
        int32_t c[3] = { place(im.width), place(im.height), place(im.depth) }, slice = da ? place(im.slices) : 0;
        const uint32_t sample = msaa ? (uint32_t)place((int)im.samples) : 0, level = mip ? (uint32_t)place(im.last_level + 1) : 0;

        n = 0;
        for (unsigned d = 0; d < kinds[im.kind].dims; d++)
            address[n++][l] = (uint32_t)c[d];
        if (da)
            address[n++][l] = (uint32_t)slice;
        if (msaa)
            address[n++][l] = sample;
        if (mip)
            address[n++][l] = level;
        if (kinds[im.kind].dims == 1)
            c[1] = 0;
        at[l] = texel(c, slice, sample, level);
        for (unsigned k = 0; k < 4; k++)
            data[k][l] = below(4) || !at[l] ? rng() : at[l][k];
        if (what == DO_SIZE)
            address[0][l] = (uint32_t)place(im.last_level + 1);
    }
    memcpy(before, data, sizeof before);
    switch (what) {
    case DO_LOAD: op = (mip ? 1u : 0u) + (pck ? mip ? 3u : 2u : 0u); break; /* 0, 1, 2, 4 */
    case DO_STORE: op = 8 + mip + 2u * pck; break;
    case DO_SIZE: op = 0x0e; break;
    case DO_ATOMIC:
        do
            op = atomic_opcode(a = below(ATOMICS));
        while (!op);
        dmask = (wide ? 3u : 1u) * (a == A_CMPSWAP || a == A_FCMPSWAP ? wide ? 5 : 3 : 1);
        break;
    }
    opcode = op;
    run(opcode, dmask, da, glc, exec, im.t, address, data);
    for (unsigned l = 0; l < 64; l++) {
        uint32_t want[4], texel_now[4], v = 0;

        for (unsigned k = 0; k < 4; k++)
            want[k] = before[k][l];
        if (!(exec >> l & 1))
            goto compare;
        ++*lanes;
        for (unsigned k = 0; k < 4; k++)
            texel_now[k] = at[l] ? pck && k >= im.dwords ? 0 : at[l][k] : 0;
        if (what == DO_SIZE) {
            const uint32_t level = address[0][l], levels = msaa ? 1 : (uint32_t)(im.last_level - im.base_level) + 1;
            const int ll = (int)level + im.base_level;
            const bool in = level < levels;

            texel_now[0] = in ? (uint32_t)size_of(im.width, ll) : 0;
            texel_now[1] = in ? (uint32_t)size_of(im.height, ll) : 0;
            texel_now[2] = in ? (uint32_t)(im.kind == IMG_3D ? size_of(im.depth, ll) : im.slices - im.base_array) : 0;
            texel_now[3] = msaa ? 0 : levels;
        }
        for (unsigned k = 0; k < 4 && (what == DO_LOAD || what == DO_SIZE); k++)
            if (dmask >> k & 1)
                want[v++] = texel_now[k];
        if (what == DO_STORE && at[l]) {
            uint32_t fresh[4] = { 0, 0, 0, 0 };

            for (unsigned k = 0; k < 4; k++)
                if (dmask >> k & 1)
                    fresh[k] = before[v++][l];
                else if (pck)
                    fresh[k] = at[l][k]; /* bytes not written */
            memcpy(at[l], fresh, 4 * im.dwords);
        }
        if (what == DO_ATOMIC) {
            uint64_t old = 0;

            if (at[l]) {
                const uint64_t x = wide ? before[0][l] | (uint64_t)before[1][l] << 32 : before[0][l];
                const uint64_t cmp = wide ? before[2][l] | (uint64_t)before[3][l] << 32 : before[1][l];
                uint64_t now;

                old = wide ? at[l][0] | (uint64_t)at[l][1] << 32 : at[l][0];
                now = atomic(a, old, x, cmp, wide);
                at[l][0] = (uint32_t)now;
                if (wide)
                    at[l][1] = (uint32_t)(now >> 32);
            }
            if (glc)
                want[0] = (uint32_t)old, want[1] = wide ? (uint32_t)(old >> 32) : want[1];
        }
    compare:
        for (unsigned k = 0; k < 4; k++)
            EXPECT(data[k][l] == want[k],
                   "%s %s, opcode 0x%x dmask %u lane %u: v%u is 0x%x, not 0x%x (%dx%dx%d, %d slices from %d, levels %d..%d, "
                   "%u dwords, %u samples; address %x %x %x %x)",
                   gpu->chip->name, kinds[im.kind].name, opcode, dmask, l, k, data[k][l], want[k], im.width, im.height,
                   im.depth, im.slices, im.base_array, im.base_level, im.last_level, im.dwords, im.samples, address[0][l],
                   address[1][l], address[2][l], address[3][l]);
    }
}

/* Each sample through the FMASK: its fragment's number, four bits each, then the colour of that fragment. */
static void check_fmask(unsigned *lanes)
{
    static const unsigned formats[4] = { 0, 47, 49, 54 }, gfx9_numbers[4] = { 0, 3, 5, 10 }, index_bits[4] = { 0, 1, 2, 4 };
    static struct raster_image map;
    static uint8_t fragment[SLICES][SIDE][SIDE][SAMPLES_MAX];
    struct raster_access a = { .vm = solo->vm, .client = MEM_TEX };
    const unsigned k = (unsigned)im.samples_log2;
    const bool da = kinds[im.kind].array;
    uint32_t t[8], address[6][64] = { { 0 } }, data[4][64], at[64][4];
    struct err e;

    make_t(t, FMASK_VA, da ? 13 : 9, gen == GFX9 ? 45 : formats[k], gen == GFX9 ? gfx9_numbers[k] : 4,
           tile_of(k == 3 ? 32 : 8));
    ck_assert_msg(raster_image_decode(&map, gpu->chip, t, &e) == 0, "FMASK: %s", e.text);
    for (int z = 0; z < im.slices - im.base_array; z++)
        for (int y = 0; y < im.height; y++)
            for (int x = 0; x < im.width; x++) {
                uint8_t *p = raster_texel_ptr(&map, &a, &(struct raster_texel){ x, y, z, 0, 0 }, true);
                uint32_t v = 0;

                ck_assert_ptr_nonnull(p);
                for (unsigned s = 0; s < im.samples; s++) {
                    fragment[z][y][x][s] = (uint8_t)below(im.samples);
                    v |= (uint32_t)fragment[z][y][x][s] << (s * index_bits[k]);
                }
                memcpy(p, &v, k == 3 ? 4 : 1);
            }
    for (unsigned l = 0; l < 64; l++) {
        at[l][0] = address[0][l] = below((uint32_t)im.width);
        at[l][1] = address[1][l] = below((uint32_t)im.height);
        at[l][2] = da ? address[2][l] = below((uint32_t)(im.slices - im.base_array)) : 0;
        at[l][3] = below(im.samples);
    }
    run(0, 3, da, false, UINT64_MAX, t, address, data);
    for (unsigned l = 0; l < 64; l++) {
        const uint8_t *f = fragment[at[l][2]][at[l][1]][at[l][0]];

        for (unsigned s = 0; s < im.samples; s++)
            EXPECT((data[0][l] >> (4 * s) & 15) == f[s], "%s %u samples: FMASK is %x", gpu->chip->name, im.samples, data[0][l]);
        address[2 + da][l] = data[0][l] >> (4 * at[l][3]) & 15;
    }
    run(0, 1, da, false, UINT64_MAX, im.t, address, data);
    for (unsigned l = 0; l < 64; l++) {
        const uint8_t *f = fragment[at[l][2]][at[l][1]][at[l][0]];
        const uint32_t want = im.texel[0][at[l][2] + (uint32_t)im.base_array][f[at[l][3]]][at[l][1]][at[l][0]][0];

        EXPECT(data[0][l] == want, "%s %u samples: %x, not %x", gpu->chip->name, im.samples, data[0][l], want);
    }
    *lanes += 64;
}

START_TEST(instructions)
{
    const char *samples = getenv("SAMPLES");
    const unsigned wanted = (samples ? (unsigned)strtoul(samples, NULL, 0) : 8000) / ARRAY_LEN(chips) + 1;
    unsigned all = 0;

    for (unsigned i = 0; i < ARRAY_LEN(chips); i++) {
        unsigned lanes = 0;

        device(i);
        while (lanes < wanted) {
            make_image((unsigned)_i);
            for (unsigned k = 0; k < 24; k++) {
                check_instruction(&lanes);
                if (kinds[im.kind].msaa && k % 8 == 0)
                    check_fmask(&lanes);
            }
            all_texels(false);
        }
        all += lanes;
        device_done();
    }
    if (samples)
        printf("%s: %u lanes of loads, stores, atomics, sizes\n", kinds[_i].name, all);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("image");
    TCase *t = tcase_create("image");
    SRunner *r;
    int failed;

    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, instructions, 0, ARRAY_LEN(kinds));
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
