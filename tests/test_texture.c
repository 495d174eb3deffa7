/* Image instructions against a plain reference in doubles: random descriptors, samplers and coordinates of every
 * resource type, on a chip of each generation, through the whole instruction (isa/, emu/image*.c, raster/lod.c, td.c,
 * ta.c).
 *
 * The reference has one loop over weighted texels for all filters, finds a cube's neighbours by geometry in space, and
 * knows nothing of the code under test but what the manuals say of the hardware: coordinates are rounded to 1/256 of a
 * texel and levels of detail to 1/256, as the weights have 8 bits; border and cube corner rules and the anisotropic
 * taps as in docs/errata.md (E-border, E-aniso). Some instructions have A16, D16, TFE. Where a footprint's logarithm or ratio lies so near a rounding step
 * that doubles and floats may differ, the sample is not compared; those are counted, and must be few.
 *
 * SAMPLES: how many of each resource type (make check-long: 100,000). */
#include "emu/internal.h"
#include "isa/exec.h"
#include "isa/solo.h"
#include "raster/raster.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define EXPECT(cond, ...)                                                                      \
    do {                                                                                        \
        if (!(cond))                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                          \
    } while (0)

#define MEMORY_VA    UINT64_C(0x100000000)
#define MEMORY_BYTES (64u << 20)
#define TABLE_VA     (MEMORY_VA + MEMORY_BYTES - 65536)

enum { LEVELS = 7, SIDE = 48, SLICES = 20 };
enum kind { IMG_1D, IMG_1D_ARRAY, IMG_2D, IMG_2D_ARRAY, IMG_3D, IMG_CUBE, IMG_CUBE_ARRAY, KINDS };
static const char *const kind_names[KINDS] = { "1D", "1D array", "2D", "2D array", "3D", "cube", "cube array" };

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

/* A multiple of 2^-16, so that differences of coordinates are exact in floats. */
static double number(double from, double to)
{
    return rint((from + (to - from) * below(1 << 24) / (1 << 24)) * 65536) / 65536;
}

static unsigned count_of_samples(unsigned otherwise)
{
    const char *s = getenv("SAMPLES");

    return s ? (unsigned)strtoul(s, NULL, 0) : otherwise;
}

/* ---- the device ------------------------------------------------------------------------------- */

static const struct { const char *chip, *target; } chips[] = {
    { "tahiti", "gfx600" }, { "bonaire", "gfx704" }, { "polaris10", "gfx803" }, { "vega10", "gfx900" },
};

static struct atoll_gpu *gpu;
static struct isa_solo *solo;
static const struct chip *chip;
static enum gfx gen;
static uint8_t *memory;

static void device(unsigned i)
{
    struct atoll_options opt = { .threads = 1, .quiet = 1 };
    struct err e;

    gpu = atoll_gpu_create(chips[i].chip, &opt);
    solo = isa_solo_create(isa_target_find(chips[i].target), -1);
    memory = calloc(1, MEMORY_BYTES);
    ck_assert(gpu && solo && memory);
    chip = gpu->chip;
    gen = chip->gen;
    ck_assert_int_eq(mem_map(solo->vm, MEMORY_VA, MEMORY_BYTES, memory, MEM_R | MEM_W, &e), 0);
    ck_assert_int_eq(mem_map(gpu->vm, MEMORY_VA, MEMORY_BYTES, memory, MEM_R | MEM_W, &e), 0);
    regs_set(&gpu->regs, R_TA_CS_BC_BASE_ADDR, (uint32_t)(TABLE_VA >> 8));
    if (gen > GFX6)
        regs_set(&gpu->regs, R_TA_CS_BC_BASE_ADDR_HI, (uint32_t)(TABLE_VA >> 40));
}

static void device_done(void)
{
    isa_solo_destroy(solo);
    atoll_gpu_destroy(gpu);
    free(memory);
}

/* One instruction on the wave's registers: v[0...] addresses, v[64...] data. */
static void run(unsigned opcode, unsigned dmask, bool da, bool a16, bool d16, bool tfe, uint64_t exec, const uint32_t t[8], const uint32_t s[4],
                const uint32_t (*v)[64], unsigned vgprs)
{
    static struct emu_counters counters;
    struct emu_wave_ctx ctx = { .gpu = gpu, .counters = &counters };
    const uint32_t code[2] = { 0xf0000000 | opcode << 18 | (uint32_t)tfe << 16 | (uint32_t)a16 << 15 | (uint32_t)da << 14 |
                                   dmask << 8, (uint32_t)d16 << 31 | 2u << 21 | 64u << 8 };
    struct wave *w = solo->w;

    isa_solo_reset(solo, exec, 0xf0);
    isa_solo_code(solo, code, 2);
    w->ops = emu_compute_ops();
    w->ops_ctx = &ctx;
    memcpy(w->s, t, 32);
    memcpy(w->s + 8, s, 16);
    memcpy(solo->v, v, vgprs * 256);
    memset(solo->v + 64 * 64, 0xa5, 8 * 256);
    for (unsigned n = 0; n < 4 && w->state == WAVE_READY; n++)
        isa_run(solo->code, w, 4);
    ck_assert_int_eq(w->state, WAVE_ENDED);
}

/* ---- images ------------------------------------------------------------------------------------- */

enum data { UNORM8, FLOAT32, UINT32, DATA };

static struct {
    enum kind kind;
    enum data data;
    int width, height, depth, slices; /* slices: of the memory; depth: of 3D */
    int base_level, last_level, base_array, last_array;
    double min_lod;
    int sel[4], bc_swizzle;
    uint32_t t[8];
    double texel[LEVELS][SLICES][SIDE][SIDE][4]; /* X, Y, Z, W; slices or planes */
} im;

static int dims(void)
{
    return im.kind <= IMG_1D_ARRAY ? 1 : im.kind == IMG_3D ? 3 : 2;
}

static bool is_cube(void)
{
    return im.kind >= IMG_CUBE;
}

static int size_of(int n, int level)
{
    return n >> level > 1 ? n >> level : 1;
}

static void make_t(void)
{
    static const int types[KINDS] = { V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_1D, V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_1D_ARRAY,
        V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D, V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D_ARRAY,
        V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_3D, V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_CUBE,
        V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_CUBE };
    static const int tile_modes[] = { 8, 13, 14 }, swizzles[] = { 0, 5, 9, 10, 25 };
    static const int formats[DATA][2] = { { 10, 0 }, { 14, 7 }, { 14, 4 } };

    memset(im.t, 0, sizeof im.t);
    im.t[0] = (uint32_t)(MEMORY_VA >> 8);
#define T(word, field, v) im.t[word] = regs_insert(gen, F_SQ_IMG_RSRC_WORD##word##__##field, im.t[word], (uint32_t)(v))
    T(1, DATA_FORMAT, formats[im.data][0]);
    T(1, NUM_FORMAT, formats[im.data][1]);
    T(1, MIN_LOD, im.min_lod * 256);
    T(2, WIDTH, im.width - 1);
    T(2, HEIGHT, im.height - 1);
    T(3, DST_SEL_X, im.sel[0]);
    T(3, DST_SEL_Y, im.sel[1]);
    T(3, DST_SEL_Z, im.sel[2]);
    T(3, DST_SEL_W, im.sel[3]);
    T(3, BASE_LEVEL, im.base_level);
    T(3, LAST_LEVEL, im.last_level);
    T(3, TYPE, types[im.kind]);
    T(4, DEPTH, im.kind == IMG_3D ? im.depth - 1 : gen == GFX9 ? im.last_array : 0);
    T(4, PITCH, align_up((uint64_t)im.width, 64) - 1);
    T(5, BASE_ARRAY, im.base_array);
    if (gen == GFX9) {
        T(3, SW_MODE, im.kind <= IMG_1D_ARRAY ? 0 : swizzles[below(ARRAY_LEN(swizzles))]);
        T(4, BC_SWIZZLE, im.bc_swizzle);
        T(5, MAX_MIP, im.last_level);
    } else {
        T(3, TILING_INDEX, im.kind <= IMG_1D_ARRAY ? 8 : tile_modes[below(gen == GFX6 ? 2 : 3)]);
        T(3, POW2_PAD, im.last_level > 0);
        T(5, LAST_ARRAY, im.kind == IMG_3D ? 0 : im.last_array);
    }
}

static void store(struct raster_image *r, struct raster_access *a, int level, int z, int y, int x)
{
    double *out = im.texel[level][z][y][x];
    uint32_t v[4];

    for (int c = 0; c < 4; c++)
        switch (im.data) {
        case UNORM8:
            out[c] = below(256) / 255.0;
            v[c] = f32_bits((float)out[c]);
            break;
        case FLOAT32:
            out[c] = number(-1, 1);
            v[c] = f32_bits((float)out[c]);
            break;
        default: out[c] = v[c] = rng(); break;
        }
    raster_texel_store(r, a, &(struct raster_texel){ x, y, z, 0, (uint32_t)level }, v);
}

/* A random image, with its texels in memory and in im.texel. */
static void make_image(enum kind kind)
{
    static const uint8_t sels[] = { 0, 1, 4, 5, 6, 7, 4, 5, 6, 7 };
    static struct raster_image r;
    struct raster_access a = { .vm = solo->vm, .client = MEM_TEX };
    const int last_level_wanted = (int)below(LEVELS), first_level = (int)below(3), base_array = (int)below(4);
    uint32_t t[8];
    int most;
    struct err e;

    im.kind = kind;
    im.data = below(8) ? (below(2) ? UNORM8 : FLOAT32) : UINT32;
    im.width = 1 + (int)below(SIDE);
    im.height = dims() == 1 ? 1 : is_cube() ? im.width : 1 + (int)below(SIDE);
    im.depth = kind == IMG_3D ? 1 + (int)below(SLICES) : 1;
    im.slices = kind == IMG_CUBE ? 6 : kind == IMG_CUBE_ARRAY ? 18 : kind == IMG_1D_ARRAY || kind == IMG_2D_ARRAY ? 1 + (int)below(7) : 1;
    most = im.width > im.height ? im.width : im.height;
    most = most > im.depth ? most : im.depth;
    im.last_level = below(4) ? last_level_wanted : 0;
    while (im.last_level && !(most >> im.last_level))
        im.last_level--;
    im.base_level = 0;
    im.base_array = 0;
    im.last_array = im.slices - 1;
    im.min_lod = 0;
    for (int c = 0; c < 4; c++)
        im.sel[c] = 4 + c;
    im.bc_swizzle = 0;
    make_t();
    ck_assert_msg(raster_image_decode(&r, chip, im.t, &e) == 0, "%s", e.text);
    for (int l = 0; l <= im.last_level; l++)
        for (int z = 0; z < (kind == IMG_3D ? size_of(im.depth, l) : im.slices); z++)
            for (int y = 0; y < size_of(im.height, l); y++)
                for (int x = 0; x < size_of(im.width, l); x++)
                    store(&r, &a, l, z, y, x);
    /* The view: part of it. */
    memcpy(t, im.t, sizeof t);
    im.base_level = first_level < im.last_level ? first_level : im.last_level;
    if (kind == IMG_1D_ARRAY || kind == IMG_2D_ARRAY)
        im.base_array = base_array < im.last_array ? base_array : im.last_array;
    else if (kind == IMG_CUBE_ARRAY)
        im.base_array = 6 * (base_array % 3);
    im.min_lod = below(4) ? 0 : below(1024) / 256.0;
    for (int c = 0; c < 4; c++)
        im.sel[c] = below(3) ? sels[below(sizeof sels)] : 4 + c;
    im.bc_swizzle = (int)below(6);
    make_t();
    /* make_t() chose another tiling. */
    im.t[3] = regs_insert(gen, F_SQ_IMG_RSRC_WORD3__TILING_INDEX, im.t[3],
                          regs_extract(gen, F_SQ_IMG_RSRC_WORD3__TILING_INDEX, t[3]));
    if (gen == GFX9)
        im.t[3] = regs_insert(gen, F_SQ_IMG_RSRC_WORD3__SW_MODE, im.t[3],
                              regs_extract(gen, F_SQ_IMG_RSRC_WORD3__SW_MODE, t[3]));
}

/* ---- samplers ----------------------------------------------------------------------------------- */

static struct {
    int clamp[3], compare, mag, min, mip, z, reduce, aniso_log2, threshold, border;
    bool unnormalised, trunc, no_cube_wrap;
    double min_lod, max_lod, bias, table[4];
    uint32_t s[4];
} sm;

static void make_sampler(void)
{
    const unsigned entry = below(4096);

    for (int d = 0; d < 3; d++)
        sm.clamp[d] = (int)below(8);
    sm.compare = (int)below(8);
    sm.mag = (int)below(4);
    sm.min = (int)below(4);
    sm.mip = (int)below(3);
    sm.z = (int)below(3);
    sm.reduce = below(3) ? 0 : (int)below(3);
    sm.aniso_log2 = below(2) ? 0 : (int)below(5);
    sm.threshold = below(2) ? 0 : (int)below(8);
    sm.border = (int)below(4);
    sm.unnormalised = !is_cube() && im.last_level == 0 && below(4) == 0;
    sm.trunc = below(4) == 0;
    sm.no_cube_wrap = below(4) == 0;
    sm.min_lod = below(2) ? 0 : below(1024) / 256.0;
    sm.max_lod = below(2) ? 15 : below(2048) / 256.0;
    sm.bias = below(2) ? 0 : ((int)below(2048) - 1024) / 256.0;
    for (int c = 0; c < 4; c++) {
        sm.table[c] = im.data == UINT32 ? (double)rng() : number(-2, 2);
        store_le32(memory + (TABLE_VA - MEMORY_VA) + 16 * (entry % 4096) + 4 * c,
                   im.data == UINT32 ? (uint32_t)sm.table[c] : f32_bits((float)sm.table[c]));
    }
    memset(sm.s, 0, sizeof sm.s);
#define S(word, field, v) sm.s[word] = regs_insert(gen, F_SQ_IMG_SAMP_WORD##word##__##field, sm.s[word], (uint32_t)(v))
    S(0, CLAMP_X, sm.clamp[0]);
    S(0, CLAMP_Y, sm.clamp[1]);
    S(0, CLAMP_Z, sm.clamp[2]);
    S(0, MAX_ANISO_RATIO, sm.aniso_log2);
    S(0, ANISO_THRESHOLD, sm.threshold);
    S(0, DEPTH_COMPARE_FUNC, sm.compare);
    S(0, FORCE_UNNORMALIZED, sm.unnormalised);
    S(0, TRUNC_COORD, sm.trunc);
    S(0, DISABLE_CUBE_WRAP, sm.no_cube_wrap);
    S(0, FILTER_MODE, sm.reduce);
    S(1, MIN_LOD, sm.min_lod * 256);
    S(1, MAX_LOD, sm.max_lod * 256);
    S(2, LOD_BIAS, (int)(sm.bias * 256) & 0x3fff);
    S(2, XY_MAG_FILTER, sm.mag);
    S(2, XY_MIN_FILTER, sm.min);
    S(2, Z_FILTER, sm.z);
    S(2, MIP_FILTER, sm.mip);
    S(3, BORDER_COLOR_TYPE, sm.border);
    S(3, BORDER_COLOR_PTR, entry);
}

/* ---- the reference ------------------------------------------------------------------------------ */

struct request {
    double coord[3], offset[3], ref;
    bool compare, gather;
    int channel;
    double lod, axis[3];
    int taps;
    bool stepped;   /* out: the coordinate of a tap lies near a step of 1/256 texel */
};

/* What a channel of the result is made of: values and weights. */
struct sum {
    double v[4], least[4], most[4];
};

static void choose(const double xyzw[4], double out[4])
{
    for (int c = 0; c < 4; c++)
        out[c] = im.sel[c] == 0 ? 0 : im.sel[c] == 1 ? 1 : xyzw[im.sel[c] - 4];
}

static void border_of(double out[4])
{
    static const char *const order[] = { "xyzw", "xwyz", "wzyx", "wxyz", "zyxw", "yxwz" };
    double c[4] = { 0, 0, 0, 0 }, sw[4];

    if (sm.border == 1)
        c[3] = 1;
    if (sm.border == 2)
        c[0] = c[1] = c[2] = c[3] = 1;
    if (sm.border == 3)
        memcpy(c, sm.table, sizeof c);
    if (gen == GFX9) {
        for (int i = 0; i < 4; i++)
            sw[i] = c[strchr("xyzw", order[im.bc_swizzle][i]) - "xyzw"];
        choose(sw, out);
        return;
    }
    for (int i = 0; i < 4; i++)
        out[i] = im.sel[i] == 0 ? 0 : im.sel[i] == 1 ? 1 : c[i];
}

/* Texel i of n by the clamp mode; -1: the border. The numbers are SQ_TEX_CLAMP's. */
static int wrap_ref(int i, int n, int mode)
{
    const int flipped = i < 0 ? -1 - i : i; /* mirrored at 0 */

    switch (mode) {
    case 0: return i - n * (int)floor((double)i / n);
    case 1: {
        int p = i - 2 * n * (int)floor(i / (2.0 * n));

        return p < n ? p : 2 * n - 1 - p;
    }
    case 2: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case 3: return flipped >= n ? n - 1 : flipped;
    case 4: case 6: return i < 0 || i >= n ? -1 : i;
    default: return flipped >= n ? -1 : flipped;
    }
}

enum way { NEAREST, LINEAR, FROM_TEXEL };

struct along {
    int count, raw[2], i[2];
    double w[2];
};

static struct along along_ref(double v, double offset, int n, int mode, enum way way)
{
    double t = (sm.unnormalised ? v : v * n) + offset, first;
    struct along a = { .count = way == NEAREST ? 1 : 2 };

    if (mode == 4 || mode == 5) /* half of the border at most */
        t = fmin(fmax(t, mode == 4 ? 0 : -n), n);
    t = floor(t * 256 + (sm.trunc ? 0 : 0.5)) / 256;
    first = floor(way == LINEAR ? t - 0.5 : t);
    a.w[1] = way == LINEAR ? t - 0.5 - first : 0;
    a.w[0] = 1 - a.w[1];
    for (int k = 0; k < 2; k++) {
        a.raw[k] = (int)first + k;
        a.i[k] = wrap_ref(a.raw[k], n, mode);
    }
    if (way == NEAREST && (mode == 4 || mode == 5) && a.i[0] < 0)
        a.i[0] = n - 1; /* a point never falls into the half of the border */
    return a;
}

static bool passes(double a, double b)
{
    return (sm.compare & 1 && a < b) || (sm.compare & 2 && a == b) || (sm.compare & 4 && a > b);
}

static void fetch_ref(const struct request *q, int level, int x, int y, int z, double out[4])
{
    const bool inside = x >= 0 && y >= 0 && z >= 0;
    double ref = q->ref, said[4] = { 0, 0, 0, 1 };

    if (inside)
        choose(im.texel[level][z][y][x], out);
    else
        border_of(out);
    if (!q->compare)
        return;
    if (im.data == UNORM8)
        ref = fmin(fmax(ref, 0), 1);
    /* Of X; DST_SEL spreads the answer (OpenGL's DEPTH_TEXTURE_MODE, which drivers put there). */
    said[0] = passes(ref, (float)(inside ? im.texel[level][z][y][x][0] : out[0]));
    choose(said, out);
}

/* The point in space of (s, t) of a face, both -1..1, and back; OpenGL's table of faces. */
static void to_space(int face, double s, double t, double p[3])
{
    const double table[6][3] = { { 1, -t, -s }, { -1, -t, s }, { s, 1, t }, { s, -1, -t }, { s, -t, 1 }, { -s, -t, -1 } };

    memcpy(p, table[face], 3 * sizeof *p);
}

static void on_face(int face, const double p[3], double *s, double *t)
{
    const double m = fabs(p[face / 2]);
    const double x = p[0] / m, y = p[1] / m, z = p[2] / m;
    const double table[6][2] = { { -z, -y }, { z, -y }, { x, z }, { x, -z }, { x, -y }, { -x, -y } };

    *s = table[face][0];
    *t = table[face][1];
}

/* A tap beyond the edges of its face lies on another: the one that its direction meets. */
static void turn(double coord[3])
{
    const int slice = (int)rint(coord[2]), face = slice % 8;
    double p[3], s, t;
    int d = 0;

    if (fmin(coord[0], coord[1]) >= 0 && fmax(coord[0], coord[1]) <= 1)
        return;
    to_space(face, 2 * coord[0] - 1, 2 * coord[1] - 1, p);
    for (int k = 1; k < 3; k++)
        if (fabs(p[k]) > fabs(p[d]))
            d = k;
    on_face(2 * d + (p[d] < 0), p, &s, &t);
    coord[0] = (s + 1) / 2;
    coord[1] = (t + 1) / 2;
    coord[2] = slice - face + 2 * d + (p[d] < 0);
}

/* Texel (x, y) of a face, one beyond an edge: its centre is bent around the edge onto the next face. */
static void cube_ref(const struct request *q, int level, int first, int face, int x, int y, double out[4])
{
    const int n = size_of(im.width, level);
    double s = (2 * x + 1.0) / n - 1, t = (2 * y + 1.0) / n - 1, p[3];

    if (x < 0 || x >= n || y < 0 || y >= n) {
        to_space(face, fmin(fmax(s, -1), 1), fmin(fmax(t, -1), 1), p);
        p[face / 2] *= 1 - 1.0 / n;
        for (int d = 0; d < 3; d++)
            if (d != face / 2 && fabs(p[d]) == 1)
                face = 2 * d + (p[d] < 0);
        on_face(face, p, &s, &t);
        x = (int)rint(((s + 1) * n - 1) / 2);
        y = (int)rint(((t + 1) * n - 1) / 2);
    }
    fetch_ref(q, level, x, y, first + face, out);
}

static void add(struct sum *sum, const double v[4], double w)
{
    for (int c = 0; c < 4 && w > 0; c++) {
        sum->v[c] += v[c] * w;
        sum->least[c] = fmin(sum->least[c], v[c]);
        sum->most[c] = fmax(sum->most[c], v[c]);
    }
}

static void level_ref(const struct request *q, const double coord[3], bool linear, int level, double weight,
                      struct sum *sum, double gathered[4])
{
    const enum way way = q->gather && im.data == UINT32 && gen < GFX9 ? FROM_TEXEL : linear ? LINEAR : NEAREST;
    const bool meet = is_cube() && !sm.no_cube_wrap;
    const bool z_linear = im.kind == IMG_3D && im.data != UINT32 && !q->gather && (sm.z == 2 || (sm.z == 0 && linear));
    struct along a[3] = { [1] = { 1, { 0 }, { 0 }, { 1, 0 } }, [2] = { 1, { 0 }, { 0 }, { 1, 0 } } };
    int first = 0, face = 0;
    double v[2][2][2][4];

    a[0] = along_ref(coord[0], q->offset[0], size_of(im.width, level), meet ? 2 : sm.clamp[0], way);
    if (dims() > 1)
        a[1] = along_ref(coord[1], q->offset[1], size_of(im.height, level), meet ? 2 : sm.clamp[1], way);
    if (im.kind == IMG_3D)
        a[2] = along_ref(coord[2], q->offset[2], size_of(im.depth, level), sm.clamp[2], z_linear ? LINEAR : NEAREST);
    if (im.kind == IMG_1D_ARRAY || im.kind == IMG_2D_ARRAY) {
        double slice = rint(coord[2]);

        a[2].i[0] = im.base_array + (int)fmin(fmax(slice, 0), im.last_array - im.base_array);
    }
    if (is_cube()) {
        first = im.base_array + 6 * ((int)rint(coord[2]) / 8);
        face = (int)rint(coord[2]) % 8;
        a[2].i[0] = first + face;
    }
    for (int k = 0; k < a[2].count; k++)
        for (int j = 0; j < a[1].count; j++)
            for (int i = 0; i < a[0].count; i++)
                if (meet && way != NEAREST) {
                    const int n = size_of(im.width, level), x = a[0].raw[i], y = a[1].raw[j];

                    if ((x < 0 || x >= n) && (y < 0 || y >= n))
                        memset(v[k][j][i], 0, sizeof v[k][j][i]);
                    else
                        cube_ref(q, level, first, face, x, y, v[k][j][i]);
                } else {
                    fetch_ref(q, level, a[0].i[i], a[1].i[j], a[2].i[k], v[k][j][i]);
                }
    if (meet && way != NEAREST)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++) {
                const int n = size_of(im.width, level), x = a[0].raw[i], y = a[1].raw[j];

                if ((x >= 0 && x < n) || (y >= 0 && y < n))
                    continue;
                for (int c = 0; c < 4; c++)
                    v[0][j][i][c] = im.data == UINT32 ? v[0][j][!i][c]
                                                      : (v[0][j][!i][c] + v[0][!j][i][c] + v[0][!j][!i][c]) / 3;
                j = i = 2;
            }
    if (q->gather) {
        const int low = a[1].count - 1;

        gathered[0] = v[0][low][0][q->channel];
        gathered[1] = v[0][low][1][q->channel];
        gathered[2] = v[0][0][1][q->channel];
        gathered[3] = v[0][0][0][q->channel];
        return;
    }
    for (int k = 0; k < a[2].count; k++)
        for (int j = 0; j < a[1].count; j++)
            for (int i = 0; i < a[0].count; i++)
                add(sum, v[k][j][i], weight * a[0].w[i] * a[1].w[j] * a[2].w[k]);
}

static double clamp_lod(double lod, double instruction_min)
{
    lod = floor(lod * 256 + 0.5) / 256;
    lod = fmin(fmax(lod, sm.min_lod), sm.max_lod);
    return fmax(fmax(lod, instruction_min), im.min_lod - im.base_level);
}

/* The level from the base level. */
static double level_of(double lod)
{
    lod = fmin(fmax(floor(lod * 256 + 0.5) / 256, 0), im.last_level - im.base_level);
    if (sm.mip == 0)
        return 0;
    return sm.mip == 2 && im.data != UINT32 ? lod : ceil(lod + 0.5) - 1;
}

static void sample_ref(struct request *q, double out[4])
{
    const int filter = q->lod <= 0 ? sm.mag : sm.min;
    const bool linear = q->gather || (filter & 1 && (im.data != UINT32 || q->compare));
    const int taps = filter & 2 && im.data != UINT32 && !q->gather && q->taps > 1 ? q->taps : 1;
    double level = level_of(q->lod), part;
    struct sum sum;

    if (q->gather)
        level = ceil(level + 0.5) - 1;
    part = level - floor(level);
    for (int c = 0; c < 4; c++)
        sum.v[c] = 0, sum.least[c] = INFINITY, sum.most[c] = -INFINITY;
    for (int k = 0; k < taps; k++) {
        double coord[3];

        for (int d = 0; d < 3; d++)
            coord[d] = q->coord[d] + (taps > 1 && d < dims() ? ((k + 0.5) / taps - 0.5) * q->axis[d] : 0);
        if (is_cube() && !sm.no_cube_wrap && taps > 1)
            turn(coord);
        for (int d = 0; d < dims() && taps > 1; d++)
            for (int l = 0; l < 2; l++) {
                const int n = size_of(d == 0 ? im.width : d == 1 ? im.height : im.depth, im.base_level + (int)level + l);
                const double step = coord[d] * (sm.unnormalised ? 1 : n) * 256 + (sm.trunc ? 0 : 0.5);

                q->stepped |= fabs(step - rint(step)) < 0.02;
            }
        level_ref(q, coord, linear, im.base_level + (int)level, (1 - part) / taps, &sum, out);
        if (part > 0)
            level_ref(q, coord, linear, im.base_level + (int)level + 1, part / taps, &sum, out);
    }
    if (!q->gather)
        memcpy(out, sm.reduce == 1 ? sum.least : sm.reduce == 2 ? sum.most : sum.v, sizeof sum.v);
}

/* ---- instructions ------------------------------------------------------------------------------- */

/* Opcodes, from the manuals: 0x20 SAMPLE, 0x40 GATHER4, + 0x08 _C, + 0x10 _O, + kind. */
enum { KIND_PLAIN, KIND_CL, KIND_D, KIND_D_CL, KIND_L, KIND_B, KIND_B_CL, KIND_LZ };
enum { OP_GET_LOD = 0x60, OP_SAMPLE_CD = 0x68 };

struct op {
    unsigned opcode;
    bool gather, compare, offset, bias, deriv, lod, zero, clamp, get_lod;
};

static struct op random_op(void)
{
    struct op o = { 0 };
    const bool can_gather = im.kind == IMG_2D || im.kind == IMG_2D_ARRAY || is_cube();
    const unsigned kind = below(8), what = below(16);

    o.offset = !is_cube() && below(3) == 0;
    o.compare = im.data != UINT32 && below(3) == 0;
    if (what == 0) {
        o = (struct op){ .get_lod = true, .opcode = OP_GET_LOD };
        return o;
    }
    if (what == 1) {
        o.deriv = true;
        o.clamp = kind & 1;
        o.opcode = OP_SAMPLE_CD + o.clamp + 2u * o.compare + 4u * o.offset;
        return o;
    }
    o.gather = can_gather && what < 6;
    o.bias = kind == KIND_B || kind == KIND_B_CL;
    o.deriv = kind == KIND_D || kind == KIND_D_CL;
    o.lod = kind == KIND_L;
    o.zero = kind == KIND_LZ;
    o.clamp = kind == KIND_CL || kind == KIND_D_CL || kind == KIND_B_CL;
    if (o.gather && o.deriv) /* there is none */
        o.deriv = o.clamp = false;
    o.opcode = (o.gather ? 0x40 : 0x20) + (o.gather && (kind == KIND_D || kind == KIND_D_CL) ? KIND_PLAIN : kind) + 8u * o.compare +
               16u * o.offset;
    return o;
}

/* Coordinates of the lanes, quad by quad. */
static void make_coords(float c[3][64])
{
    for (unsigned q = 0; q < 64; q += 4) {
        const double step = exp2(-(double)below(9)) * 0.5, face = below(6), cube = below(im.kind == IMG_CUBE_ARRAY ? 3 : 1);
        const bool far = below(4) == 0;
        double at[3], ddx[3], ddy[3];

        for (int d = 0; d < 3; d++) {
            const double scale = !sm.unnormalised ? 1 : d == 0 ? im.width : d == 1 ? im.height : im.depth;

            at[d] = is_cube() ? number(1, 2) : scale * number(far ? -3 : -0.2, far ? 4 : 1.2);
            if (below(8) == 0) /* on texels' edges and centres */
                at[d] = rint(at[d] * 2 * im.width) / (2 * im.width);
            ddx[d] = number(-step, step) * scale;
            ddy[d] = number(-step, step) * scale;
        }
        for (unsigned l = 0; l < 4; l++) {
            for (int d = 0; d < 3; d++) {
                double v = at[d] + (l & 1 ? ddx[d] : 0) + (l & 2 ? ddy[d] : 0);

                v = rint(v * 65536) / 65536;
                c[d][q + l] = (float)(is_cube() ? fmin(fmax(v, 1), 2) : v);
            }
            if (im.kind == IMG_1D_ARRAY || im.kind == IMG_2D_ARRAY)
                c[dims()][q + l] = (float)number(-1, im.slices + 1);
            if (is_cube()) {
                const double f = below(8) ? face : below(6);
                const double cubes = im.kind == IMG_CUBE_ARRAY ? (im.last_array - im.base_array + 1) / 6 : 1;

                c[2][q + l] = (float)(8 * fmin(cube, cubes - 1) + f + number(-0.4, 0.4));
            }
        }
    }
}

/* Differences of lane `to` from lane `from`. */
static void difference(float c[3][64], unsigned from, unsigned to, double d[3])
{
    for (int i = 0; i < dims(); i++)
        d[i] = (double)c[i][to] - c[i][from];
    if (is_cube() && (int)rint(c[2][from]) % 8 != (int)rint(c[2][to]) % 8) {
        const int face = (int)rint(c[2][from]) % 8;
        double p[3], s, t;

        to_space((int)rint(c[2][to]) % 8, 2 * c[0][to] - 3, 2 * c[1][to] - 3, p);
        if (p[face / 2] * (face & 1 ? -1 : 1) <= 0)
            return;
        on_face(face, p, &s, &t);
        d[0] = s / 2 - (c[0][from] - 1.5);
        d[1] = t / 2 - (c[1][from] - 1.5);
    }
}

/* Level of detail and taps of a footprint; *doubt: near a step. */
static double footprint(const double ddx[3], const double ddy[3], struct request *q, bool *doubt)
{
    const int size[3] = { size_of(im.width, im.base_level), size_of(im.height, im.base_level),
                          size_of(im.depth, im.base_level) };
    double x = 0, y = 0, major, minor, taps = 1;

    for (int d = 0; d < dims(); d++) {
        const double n = sm.unnormalised ? 1 : size[d];

        x += pow(ddx[d] * n, 2);
        y += pow(ddy[d] * n, 2);
    }
    major = sqrt(fmax(x, y));
    minor = sqrt(fmin(x, y));
    if (fabs(x - y) < 1e-6 * x && sm.aniso_log2)
        *doubt = true;
    if (sm.aniso_log2 && ((sm.mag | sm.min) & 2) && major > minor) {
        const double most = 1 << sm.aniso_log2, ratio = fmin(minor > 0 ? major / minor : INFINITY, most) -
                                                        sm.threshold / 8.0;

        taps = fmin(fmax(ceil(ratio), 1), most);
        if (fabs(ratio - rint(ratio)) < 1e-5 && ratio < most - sm.threshold / 8.0 - 1e-5)
            *doubt = true;
        memcpy(q->axis, x > y ? ddx : ddy, sizeof q->axis);
    }
    q->taps = (int)taps;
    return major > 0 ? log2(major / taps) : -128;
}

static bool near_step(double lod)
{
    const double f = lod * 256 + 0.5;

    return fabs(f - rint(f)) < 2e-3;
}

struct totals {
    unsigned compared, doubtful;
};

static void check_lane(const struct op *o, float c[3][64], float (*deriv)[3][64], unsigned lane, struct request *q,
                       double bias, double lod, double lod_clamp, bool halves, const uint32_t got[4], unsigned n, const int *channel,
                       struct totals *totals)
{
    const unsigned quad = lane & ~3u;
    double ddx[3] = { 0, 0, 0 }, ddy[3] = { 0, 0, 0 }, raw, out[4], tolerance = 3e-6;
    bool doubt = false;

    q->taps = 1;
    memset(q->axis, 0, sizeof q->axis);
    for (int d = 0; d < 3; d++)
        q->coord[d] = c[d][lane] - (is_cube() && d < 2 ? 1.0 : 0);
    if (im.kind == IMG_1D_ARRAY)
        q->coord[2] = c[1][lane];
    if (o->zero || o->lod) {
        raw = o->lod ? lod : 0;
    } else {
        if (o->deriv) {
            for (int d = 0; d < dims(); d++)
                ddx[d] = deriv[0][d][lane], ddy[d] = deriv[1][d][lane];
        } else {
            difference(c, quad, quad + 1, ddx);
            difference(c, quad, quad + 2, ddy);
        }
        raw = footprint(ddx, ddy, q, &doubt);
        doubt |= near_step(raw + sm.bias + (o->bias ? bias : 0)); /* a logarithm that is not a float */
    }
    raw += sm.bias + (o->bias ? bias : 0);
    q->lod = clamp_lod(raw, o->clamp ? lod_clamp : -INFINITY);
    if (o->get_lod) {
        out[0] = level_of(q->lod);
        out[1] = raw;
        tolerance = 1e-4;
    } else {
        sample_ref(q, out);
    }
    if (q->taps > 1 && !o->get_lod) {
        /* The taps' coordinates are floats: one of them may be rounded to another 1/256 of a texel. */
        tolerance += (im.data == UNORM8 ? 1 : 4) * 2.0 / 256 / q->taps;
        doubt |= q->stepped && (sm.reduce != 0 || !(sm.min & 1) || !(sm.mag & 1) || o->compare || sm.z == 1);
    }
    /* Rounded up to the face's far edge, a gather of integers before GFX9 has no texel of the face. */
    if (is_cube() && o->gather && im.data == UINT32 && gen < GFX9)
        doubt |= fmax(q->coord[0], q->coord[1]) > 255.0 / 256;
    if (doubt) {
        totals->doubtful++;
        return;
    }
    totals->compared++;
    for (unsigned k = 0; k < n; k++) {
        const bool integer = im.data == UINT32 && !o->get_lod;
        const double is = integer ? (double)got[k] : (double)bits_f32(got[k]);
        const double want = integer && halves ? (uint32_t)out[channel[k]] & 0xffff : out[channel[k]];

        EXPECT(fabs(is - want) <= tolerance + (halves && !integer ? fabs(want) / 2048 + 0x1p-24 : 0),
               "%s %s, opcode 0x%x, lane %u, channel %d: %.9g, not %.9g (%dx%dx%d, levels %d..%d, data %d; coord %g %g %g; "
               "lod %g raw %g; clamp %d %d %d, mag %d min %d mip %d z %d reduce %d taps %d cmp %d border %d%s%s%s)",
               chip->name, kind_names[im.kind], o->opcode, lane, channel[k], is, want, im.width, im.height, im.depth,
               im.base_level, im.last_level, im.data, q->coord[0], q->coord[1], q->coord[2], q->lod, raw, sm.clamp[0],
               sm.clamp[1], sm.clamp[2], sm.mag, sm.min, sm.mip, sm.z, sm.reduce, q->taps, sm.compare, sm.border,
               sm.unnormalised ? " unnormalised" : "", sm.trunc ? " trunc" : "", sm.no_cube_wrap ? " no cube wrap" : "");
    }
}

static float to_half(float f)
{
    return bits_f32(mem_f16_to_f32(mem_f32_to_f16(f32_bits(f))));
}

/* A group of operands from VGPR n on, with A16 two in each; the number of the next VGPR. */
static unsigned put_group(uint32_t (*v)[64], unsigned n, bool a16, int count, float (*c)[64], const float *more,
                          const float *last)
{
    const float *each[5];
    int total = 0;

    for (int d = 0; d < count; d++)
        each[total++] = c[d];
    if (more)
        each[total++] = more;
    if (last)
        each[total++] = last;
    for (int k = 0; k < total; k++)
        for (unsigned l = 0; l < 64; l++)
            if (a16)
                v[n + k / 2][l] |= (uint32_t)mem_f32_to_f16(f32_bits(each[k][l])) << (16 * (k & 1));
            else
                v[n + k][l] = f32_bits(each[k][l]);
    return n + (unsigned)(a16 ? (total + 1) / 2 : total);
}

/* One instruction with 64 lanes. */
static void check_instruction(struct totals *totals)
{
    const struct op o = random_op();
    const unsigned dmask = o.get_lod ? 3 : o.gather ? 1u << below(4) : 1 + below(15);
    uint32_t v[16][64] = { { 0 } };
    float c[3][64] = { { 0 } }, deriv[2][3][64] = { { { 0 } } }, ref[64], bias[64], lod[64], clamp[64];
    const bool da = im.kind == IMG_1D_ARRAY || im.kind == IMG_2D_ARRAY || is_cube();
    const int coords = dims() + da;
    int offset[64][3], channel[4];
    unsigned n = 0, results = 0;
    uint64_t exec = rng() & 1 ? UINT64_MAX : rng() | (uint64_t)rng() << 32;
    const bool a16 = gen == GFX9 && below(4) == 0, d16 = gen >= GFX8 && !o.get_lod && below(4) == 0, tfe = below(8) == 0;
    const bool packed = d16 && gen == GFX9;

    make_coords(c);
    for (unsigned l = 0; l < 64; l++) {
        const double step = exp2(-(double)below(9)) * 0.5;

        for (int d = 0; d < 3; d++) {
            offset[l][d] = o.offset ? (int)below(16) - 8 : 0;
            deriv[0][d][l] = (float)number(-step, step);
            deriv[1][d][l] = (float)number(-step, step);
        }
        ref[l] = below(4) ? (float)number(-0.5, 1.5) : (float)im.texel[0][0][0][0][0];
        bias[l] = (float)(((int)below(4096) - 2048) / 256.0);
        lod[l] = (float)(((int)below(16384) - 4096) / 1024.0);
        clamp[l] = (float)(((int)below(8192) - 2048) / 1024.0);
    }
    for (unsigned l = 0; l < 64 && a16; l++) {
        for (int d = 0; d < 3; d++) {
            c[d][l] = to_half(c[d][l]);
            deriv[0][d][l] = to_half(deriv[0][d][l]);
            deriv[1][d][l] = to_half(deriv[1][d][l]);
        }
        bias[l] = to_half(bias[l]);
        lod[l] = to_half(lod[l]);
        clamp[l] = to_half(clamp[l]);
    }
#define OPERAND(expr)                                                                          \
    do {                                                                                        \
        for (unsigned l = 0; l < 64; l++)                                                       \
            v[n][l] = (expr);                                                                   \
        n++;                                                                                    \
    } while (0)
    if (o.offset)
        OPERAND((uint32_t)(offset[l][0] & 63) | (uint32_t)(offset[l][1] & 63) << 8 | (uint32_t)(offset[l][2] & 63) << 16);
    if (o.bias)
        OPERAND(a16 ? mem_f32_to_f16(f32_bits(bias[l])) : f32_bits(bias[l]));
    if (o.compare)
        OPERAND(f32_bits(ref[l]));
    for (int k = 0; k < 2 && o.deriv; k++)
        n = put_group(v, n, a16, dims(), deriv[k], NULL, NULL);
    n = put_group(v, n, a16, coords, c, o.lod ? lod : NULL, o.clamp ? clamp : NULL);
    run(o.opcode, dmask, da, a16, d16, tfe, exec, im.t, sm.s, v, 16);
    for (int k = 0; k < 4; k++)
        if (o.gather || dmask >> k & 1)
            channel[results++] = k;
    for (unsigned l = 0; l < 64; l++) {
        struct request q = { .compare = o.compare, .gather = o.gather, .ref = ref[l],
                             .channel = __builtin_ctz(dmask) };
        uint32_t got[4];

        if (!(exec >> l & 1))
            continue;
        for (int d = 0; d < 3; d++)
            q.offset[d] = offset[l][d];
        for (unsigned k = 0; k < results; k++) {
            got[k] = solo->v[(64 + (packed ? k / 2 : k)) * 64 + l];
            if (packed && k & 1)
                got[k] >>= 16;
            if (d16)
                got[k] = im.data == UINT32 ? got[k] & 0xffff : mem_f16_to_f32((uint16_t)got[k]);
        }
        n = 64 + (packed ? (results + 1) / 2 : results); /* the first VGPR after the data */
        EXPECT(solo->v[n * 64 + l] == (tfe ? 0 : 0xa5a5a5a5), "opcode 0x%x dmask 0x%x tfe %d: v%u is 0x%x", o.opcode, dmask,
               tfe, n, solo->v[n * 64 + l]);
        check_lane(&o, c, deriv, l, &q, bias[l], lod[l], clamp[l], d16, got, results, channel, totals);
    }
}

START_TEST(samples)
{
    const enum kind kind = (enum kind)_i;
    const unsigned wanted = count_of_samples(10000) / ARRAY_LEN(chips) + 1;
    struct totals all = { 0, 0 };

    for (unsigned i = 0; i < ARRAY_LEN(chips); i++) {
        struct totals t = { 0, 0 };

        device(i);
        while (t.compared < wanted) {
            make_image(kind);
            for (unsigned k = 0; k < 12; k++) {
                make_sampler();
                check_instruction(&t);
            }
        }
        all.compared += t.compared;
        all.doubtful += t.doubtful;
        device_done();
    }
    if (getenv("SAMPLES"))
        printf("%s: %u samples compared, %u too near a step\n", kind_names[kind], all.compared, all.doubtful);
    EXPECT(all.doubtful < all.compared / 2, "%u of %u samples not compared", all.doubtful, all.compared);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("texture");
    TCase *t = tcase_create("texture");
    SRunner *r;
    int failed;

    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, samples, 0, KINDS);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
