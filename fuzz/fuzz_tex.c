/* Any bytes as image instructions: whatever T#, S#, addresses and modifiers say, an instruction reads and writes
 * nothing but mapped memory and the wave's registers, in bounded time.
 *
 * Input: byte 0 chooses the chip, byte 1 what is left as it comes and what is made plausible (a descriptor of nothing
 * but random bits seldom gets as far as a texel), byte 2 the contents of address VGPRs; then dwords, again from the
 * first when they run out: T#, S#, border table, two instructions, EXEC, addresses. Memory is two blocks of odd sizes,
 * from malloc, so that AddressSanitizer sees one byte too far. */
#include "fuzz/fuzz.h"
#include "emu/internal.h"
#include "isa/exec.h"
#include "isa/solo.h"

#include <stdlib.h>

#define DATA_VA UINT64_C(0x100000000)

enum {
    PAGE = 4096,
    BLOCK_PAGES = 63,           /* then a hole of a page, then as many read-only ones */
    REPAIR_BASE = 1, REPAIR_SIZE = 2, REPAIR_TYPE = 4, REPAIR_COMPRESSION = 8, REPAIR_FORMAT = 16,
    FEW_LANES = 32, HUGE_ALLOCATION = 64,
};

struct input {
    const uint8_t *data;
    size_t bytes, at;
    uint32_t round;             /* how often the data have begun again */
};

static uint32_t take(struct input *in)
{
    uint32_t v = in->round * 0x9e3779b9u;

    for (unsigned i = 0; i < 4; i++) {
        if (in->at == in->bytes) {
            in->at = 3;
            v ^= ++in->round * 0x85ebca6bu;
        }
        v ^= (uint32_t)in->data[in->at++] << (8 * i);
    }
    return v;
}

/* What is kept between inputs: creating a device takes longer than an instruction. */
struct device {
    struct atoll_gpu *gpu;
    struct isa_solo *solo;
    struct emu_counters counters;
    uint8_t *block[2];
    uint64_t written;           /* bytes, up to the last time that the blocks were filled */
    bool filled;
};

static struct device *device(unsigned i)
{
    static const struct { const char *chip, *target; } kinds[] = {
        { "tahiti", "gfx600" }, { "bonaire", "gfx704" }, { "polaris10", "gfx803" }, { "vega10", "gfx900" },
        { "verde", "gfx600" },  { "hawaii", "gfx704" },  { "carrizo", "gfx801" },   { "raven", "gfx900" },
    };
    static struct device devices[ARRAY_LEN(kinds)];
    struct device *d = &devices[i %= ARRAY_LEN(kinds)];
    struct atoll_options opt = { .threads = 1, .quiet = 1 };
    struct err e;

    if (d->gpu)
        return d;
    d->gpu = atoll_gpu_create(kinds[i].chip, &opt);
    d->solo = isa_solo_create(isa_target_find(kinds[i].target), -1);
    for (unsigned b = 0; b < 2; b++) {
        const uint64_t va = DATA_VA + b * (BLOCK_PAGES + 1) * PAGE;

        if (!d->gpu || !d->solo || !(d->block[b] = malloc(BLOCK_PAGES * PAGE)) ||
            mem_map(d->solo->vm, va, BLOCK_PAGES * PAGE, d->block[b], b ? MEM_R : MEM_R | MEM_W, &e) ||
            mem_map(d->gpu->vm, va, BLOCK_PAGES * PAGE, d->block[b], MEM_R, &e))
            abort();
    }
    return d;
}

/* The blocks as they were before the first input. */
static void fill(struct device *d)
{
    struct mem_traffic traffic;

    mem_traffic_get(d->solo->vm, &traffic);
    if (d->filled && traffic.written_bytes[MEM_TEX] == d->written)
        return;
    d->written = traffic.written_bytes[MEM_TEX];
    d->filled = true;
    for (unsigned b = 0; b < 2; b++)
        for (unsigned i = 0; i < BLOCK_PAGES * PAGE; i += 4)
            store_le32(d->block[b] + i, (i ^ i >> 13) * 0x9e3779b1u + b);
}

/* A T# that describes something: some of its fields put right. */
static void repair(enum gfx gen, uint32_t t[8], unsigned how)
{
#define SET(word, field, v) t[word] = regs_insert(gen, F_SQ_IMG_RSRC_WORD##word##__##field, t[word], v)
#define GET(word, field)    regs_extract(gen, F_SQ_IMG_RSRC_WORD##word##__##field, t[word])
    if (how & REPAIR_BASE) {
        SET(1, BASE_ADDRESS_HI, 0);
        t[0] = (uint32_t)(DATA_VA >> 8) + t[0] % (2 * BLOCK_PAGES * PAGE >> 8);
    }
    if (how & REPAIR_SIZE) {
        SET(2, WIDTH, GET(2, WIDTH) % 70);
        SET(2, HEIGHT, GET(2, HEIGHT) % 70);
        SET(4, DEPTH, GET(4, DEPTH) % 9);
        SET(4, PITCH, t[4] >> 20 & 1 ? GET(2, WIDTH) | 63 : GET(4, PITCH) % 300);
        SET(5, BASE_ARRAY, GET(5, BASE_ARRAY) % 5);
        if (gen < GFX9)
            SET(5, LAST_ARRAY, GET(5, LAST_ARRAY) % 14);
        SET(3, BASE_LEVEL, GET(3, BASE_LEVEL) % 3);
        SET(3, LAST_LEVEL, GET(3, LAST_LEVEL) % 7);
    }
    if (how & REPAIR_TYPE)
        SET(3, TYPE, GET(3, TYPE) | 8);
    if (how & REPAIR_COMPRESSION) {
        if (gen >= GFX8)
            SET(6, COMPRESSION_EN, 0);
    } else if (how & REPAIR_BASE) {
        t[7] = (uint32_t)(DATA_VA >> 8) + t[7] % (2 * BLOCK_PAGES * PAGE >> 8);
        if (gen == GFX9)
            SET(5, META_DATA_ADDRESS, 0);
    }
    if (how & REPAIR_FORMAT) {
        struct mem_format f;
        uint32_t n = 64 * 16;

        while (n-- && !mem_format_image(gen, GET(1, DATA_FORMAT), GET(1, NUM_FORMAT), &f)) {
            SET(1, NUM_FORMAT, (GET(1, NUM_FORMAT) + 1) & 15);
            if (n % 16 == 0)
                SET(1, DATA_FORMAT, (GET(1, DATA_FORMAT) + 1) & 63);
        }
    }
#undef SET
#undef GET
}

/* What an address VGPR holds. */
static uint32_t address(uint32_t v, unsigned how)
{
    static const uint32_t odd[] = { 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x80000000, 1,
                                    0x7fffffff, 0xffffffff, 0x4f000000, 0xcf000000, 0x3f800000, 0, 0x49800000,
                                    0xc9800000, 0x47800000 };

    switch (how % 6) {
    case 0: return f32_bits((float)(int32_t)(v & 0xffff) / 8192 - 4);
    case 1: return v % 80;
    case 2: return f32_bits((float)(v % 4096) / 16 - 64);
    case 3: return (v & 0x00ff00ff) % 0x00500050; /* two small integers */
    case 4: return odd[v % ARRAY_LEN(odd)];
    default: return v;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct input in = { .data = data, .bytes = bytes, .at = 3 };
    struct emu_wave_ctx ctx;
    struct device *d;
    struct wave *w;
    uint32_t t[8], s[4], code[4];
    uint64_t exec;

    if (bytes < 4)
        return 0;
    d = device(data[0]);
    ctx = (struct emu_wave_ctx){ .gpu = d->gpu, .counters = &d->counters };
    for (unsigned i = 0; i < 8; i++)
        t[i] = take(&in);
    repair(d->gpu->chip->gen, t, data[1] | (data[1] & 128 ? 31 : 0));
    for (unsigned i = 0; i < 4; i++)
        s[i] = take(&in);
    if (data[1] & REPAIR_BASE)
        s[3] &= ~0xf00u; /* entries of the border table that exist */
    regs_set(&d->gpu->regs, R_TA_CS_BC_BASE_ADDR, data[1] & REPAIR_BASE ? (uint32_t)(DATA_VA >> 8) : take(&in));
    for (unsigned i = 0; i < 4; i += 2) {
        const uint32_t v = take(&in);

        /* Opcode and modifiers as they come; bits of no field are 0, as decoding wants. Registers are mostly
         * v[0...], v[64...], s[0:7], s[8:11]. */
        code[i] = 0xf0000000 | (v & 0x03ffff00);
        code[i + 1] = data[2] & 128 ? take(&in) & 0x03ffffff : 2u << 21 | 64u << 8;
        if (d->gpu->chip->gen >= GFX8)
            code[i + 1] |= (v & 1) << 31; /* D16 */
    }
    exec = take(&in) | (uint64_t)take(&in) << 32;
    if (data[1] & FEW_LANES)
        exec = 1ull << (exec % 64) | 1;
    isa_solo_reset(d->solo, exec, 0xf0);
    isa_solo_code(d->solo, code, 4);
    w = d->solo->w;
    w->ops = emu_compute_ops();
    w->ops_ctx = &ctx;
    memcpy(w->s, t, sizeof t);
    memcpy(w->s + 8, s, sizeof s);
    if (data[1] & HUGE_ALLOCATION)
        w->num_vgprs = 66; /* data and addresses run out of the allocation */
    for (unsigned i = 0; i < 16 * 64; i++)
        d->solo->v[i] = address(take(&in), data[2] % 7 == 6 ? i / 64 : data[2]);
    fill(d);
    for (unsigned n = 0; n < 8 && w->state != WAVE_ENDED && w->state != WAVE_HALTED; n++)
        isa_run(d->solo->code, w, 8);
    return 0;
}
