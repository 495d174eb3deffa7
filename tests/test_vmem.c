/* isa/vmem.c, smem.c, lds.c: addresses, range checks, data movement; each expected value is worked
 * out here from the manuals' formulas, one lane at a time. */
#include "isa/lanes.h"
#include "isa/lds.h"
#include "isa/vmem.h"

#include <check.h>
#include <stdlib.h>

enum { BUF_VA = 0x100000, BUF_BYTES = 0x10000 };

static struct mem_vm *vm;
static uint8_t *mem; /* host memory behind BUF_VA */
static uint32_t vgprs[16][64] __attribute__((aligned(64)));
static uint8_t lds[4096] __attribute__((aligned(16)));

static struct wave *wave_new(enum gfx gen)
{
    static struct wave the_wave;
    struct wave *w = &the_wave;

    memset(w, 0, sizeof *w);
    memset(vgprs, 0, sizeof vgprs);
    memset(lds, 0, sizeof lds);
    w->v = vgprs[0];
    w->num_vgprs = 16;
    w->num_sgprs = 104;
    w->gen = gen;
    w->vm = vm;
    w->priv.lanes = &isa_lanes_base;
    w->lds = lds;
    w->lds_bytes = sizeof lds;
    w->s[SREG_M0] = 0xffffffff;
    wave_set_exec(w, ~UINT64_C(0));
    w->priv.lanes = &isa_lanes_base;
    return w;
}

/* A V# in s[4..7]. dw3 bits beyond the swizzle parameters are of no concern here. */
static void vsharp(struct wave *w, uint32_t stride, bool swizzle, uint32_t records, uint32_t dw3)
{
    w->s[4] = BUF_VA;
    w->s[5] = stride << 16 | (uint32_t)swizzle << 31;
    w->s[6] = records;
    w->s[7] = dw3;
}

static struct insn load_insn(void)
{
    struct insn in = {.enc = ENC_MUBUF, .dst = OPD_VGPR0 + 8, .data = OPD_NONE,
                      .vaddr = OPD_VGPR0, .base = 4, .soffset = OPD_INT0};
    return in;
}

static void setup(void)
{
    vm = mem_vm_create();
    mem = calloc(1, BUF_BYTES);
    ck_assert_int_eq(mem_map(vm, BUF_VA, BUF_BYTES, mem, MEM_RWX, NULL), 0);
    for (uint32_t i = 0; i < BUF_BYTES / 4; i++)
        store_le32(mem + 4 * i, 0xa0000000 + 4 * i); /* each dword says where it lies */
}

static void teardown(void)
{
    mem_vm_destroy(vm);
    free(mem);
}

START_TEST(linear_index_and_offset)
{
    struct wave *w = wave_new(GFX7);
    struct insn in = load_insn();

    vsharp(w, 20, false, 64, 0);
    in.idxen = in.offen = true;
    in.offset = 8;
    for (unsigned l = 0; l < 64; l++) {
        vgprs[0][l] = 63 - l; /* index */
        vgprs[1][l] = 4;      /* offset */
    }
    vmem_buffer_load(w, &in, VM_DW, 1);
    for (unsigned l = 0; l < 64; l++)
        ck_assert_uint_eq(vgprs[8][l], 0xa0000000 + (63 - l) * 20 + 12);
}
END_TEST

START_TEST(contiguous_equals_lane_by_lane)
{
    struct wave *w = wave_new(GFX8);
    struct insn in = load_insn();

    vsharp(w, 0, false, BUF_BYTES, 0);
    in.offen = true;
    for (unsigned l = 0; l < 64; l++)
        vgprs[0][l] = 4 * l;
    vmem_buffer_load(w, &in, VM_DW, 1);
    for (unsigned l = 0; l < 64; l++)
        ck_assert_uint_eq(vgprs[8][l], 0xa0000000 + 4 * l);
    /* With a lane off it keeps its value. */
    vgprs[8][5] = 55;
    wave_set_exec(w, ~(UINT64_C(1) << 5));
    vgprs[0][6] = 400;
    vmem_buffer_load(w, &in, VM_DW, 1);
    ck_assert_uint_eq(vgprs[8][5], 55);
    ck_assert_uint_eq(vgprs[8][6], 0xa0000000 + 400);
}
END_TEST

/* NUM_RECORDS counts records or bytes: by generation, stride, swizzle and IDXEN. */
START_TEST(range_units)
{
    static const struct {
        enum gfx gen;
        bool swizzle, idxen;
        bool records;
    } rows[] = {
        {GFX6, false, true, true}, {GFX7, false, true, true},  {GFX7, true, true, true},
        {GFX8, false, true, false}, {GFX8, true, true, true},  {GFX9, false, true, true},
        {GFX9, false, false, false},
    };
    for (unsigned r = 0; r < ARRAY_LEN(rows); r++) {
        struct wave *w = wave_new(rows[r].gen);
        struct insn in = load_insn();

        /* 10 records of 16 bytes, or 10 bytes. Element size 4, index stride 8 when swizzled. */
        vsharp(w, 16, rows[r].swizzle, 10, 1u << 19);
        in.idxen = rows[r].idxen;
        in.offen = !rows[r].idxen;
        for (unsigned l = 0; l < 64; l++)
            vgprs[0][l] = in.idxen ? l : 4 * l;
        vmem_buffer_load(w, &in, VM_DW, 1);
        for (unsigned l = 0; l < 64; l++) {
            bool want = rows[r].records ? l < 10
                        : in.idxen      ? l * 16 + 4 <= 10
                                        : l * 4 + 4 <= 10;

            ck_assert_msg((vgprs[8][l] != 0) == want, "row %u lane %u: %x", r, l, vgprs[8][l]);
        }
    }
}
END_TEST

/* Raw: each dword of a vector on its own, against what SOFFSET leaves. */
START_TEST(raw_partial_vector)
{
    struct wave *w = wave_new(GFX7);
    struct insn in = load_insn();

    vsharp(w, 0, false, 40, 0);
    in.offen = true;
    in.soffset = 20;
    w->s[20] = 16; /* leaves 24 bytes */
    for (unsigned l = 0; l < 64; l++)
        vgprs[0][l] = 16;
    vmem_buffer_load(w, &in, VM_DW, 4);
    ck_assert_uint_eq(vgprs[8][0], 0xa0000000 + 32);
    ck_assert_uint_eq(vgprs[9][0], 0xa0000000 + 36);
    ck_assert_uint_eq(vgprs[10][0], 0);
    ck_assert_uint_eq(vgprs[11][0], 0);
}
END_TEST

START_TEST(swizzled)
{
    struct wave *w = wave_new(GFX7);
    struct insn in = load_insn();

    /* stride 32, element 4 bytes (code 1), index stride 16 (code 1), ADD_TID. */
    vsharp(w, 32, true, 1000, 1u << 19 | 1u << 21 | 1u << 23);
    in.offen = true;
    in.offset = 4;
    for (unsigned l = 0; l < 64; l++)
        vgprs[0][l] = 8 + (l & 3); /* low bits: inside an element */
    vmem_buffer_load(w, &in, VM_U8, 1);
    for (unsigned l = 0; l < 64; l++) {
        uint32_t idx = l, off = 12 + (l & 3);
        uint32_t at = (idx / 16 * 32 + off / 4 * 4) * 16 + idx % 16 * 4 + off % 4;

        ck_assert_uint_eq(vgprs[8][l], mem[at]);
    }
}
END_TEST

START_TEST(sub_dword_and_stores)
{
    struct wave *w = wave_new(GFX9);
    struct insn in = load_insn(), st = load_insn();

    vsharp(w, 0, false, BUF_BYTES, 0);
    in.offen = true;
    mem[100] = 0x80;
    for (unsigned l = 0; l < 64; l++)
        vgprs[0][l] = 100;
    vmem_buffer_load(w, &in, VM_S8, 1);
    ck_assert_uint_eq(vgprs[8][7], 0xffffff80);
    vmem_buffer_load(w, &in, VM_U8, 1);
    ck_assert_uint_eq(vgprs[8][7], 0x80);
    vgprs[8][7] = 0x11112222;
    vmem_buffer_load(w, &in, VM_S8_HI, 1);
    ck_assert_uint_eq(vgprs[8][7], 0xff802222);
    st.dst = OPD_NONE;
    st.data = OPD_VGPR0 + 8;
    st.offen = true;
    wave_set_exec(w, UINT64_C(1) << 7);
    vmem_buffer_store(w, &st, VM_B16_HI, 1);
    ck_assert_uint_eq(load_le16(mem + 100), 0xff80);
}
END_TEST

START_TEST(faults_are_recorded_and_read_zero)
{
    struct wave *w = wave_new(GFX7);
    struct insn in = load_insn();
    size_t n;
    const struct mem_fault *f;

    vsharp(w, 0, false, 0xffffffff, 0);
    in.offen = true;
    w->insn_va = 0x4242;
    for (unsigned l = 0; l < 64; l++)
        vgprs[0][l] = l < 63 ? 0 : 2 * BUF_BYTES;
    vgprs[8][63] = 1;
    vmem_buffer_load(w, &in, VM_DW, 1);
    ck_assert_uint_eq(vgprs[8][0], 0xa0000000);
    ck_assert_uint_eq(vgprs[8][63], 0);
    f = mem_faults(vm, &n, NULL);
    ck_assert_uint_eq(n, 1);
    ck_assert(f->va == BUF_VA + 2 * BUF_BYTES && f->pc_va == 0x4242 && !f->write);
}
END_TEST

START_TEST(atomics)
{
    struct wave *w = wave_new(GFX7);
    struct insn in = load_insn();

    vsharp(w, 0, false, BUF_BYTES, 0);
    in.data = OPD_VGPR0 + 8;
    in.offen = true;
    store_le32(mem + 64, 5);
    for (unsigned l = 0; l < 64; l++) {
        vgprs[0][l] = 64;
        vgprs[8][l] = 1;
    }
    vmem_buffer_atomic(w, &in, AT_ADD, false);
    ck_assert_uint_eq(load_le32(mem + 64), 69);
    ck_assert_uint_eq(vgprs[8][0], 5); /* lanes in ascending order */
    ck_assert_uint_eq(vgprs[8][63], 68);

    ck_assert_uint_eq(vmem_atomic_value(AT_INC, false, 7, 7, 0), 0);
    ck_assert_uint_eq(vmem_atomic_value(AT_DEC, false, 0, 7, 0), 7);
    ck_assert_uint_eq(vmem_atomic_value(AT_SMIN, false, 0xffffffff, 1, 0), 0xffffffff);
    ck_assert_uint_eq(vmem_atomic_value(AT_UMIN, false, 0xffffffff, 1, 0), 1);
    ck_assert_uint_eq(vmem_atomic_value(AT_CMPSWAP, true, 9, 4, 9), 4);
    ck_assert_uint_eq(vmem_atomic_value(AT_FMAX, false, f32_bits(-1), f32_bits(2), 0),
                      f32_bits(2));
    ck_assert_uint_eq(vmem_atomic_value(AT_RSUB, false, 1, 0, 0), 0xffffffff);
}
END_TEST

START_TEST(scalar)
{
    struct wave *w = wave_new(GFX7);
    struct insn in = {.enc = ENC_SMRD, .dst = 8, .data = OPD_NONE, .base = 4,
                      .soffset = OPD_NONE, .offset = 3};

    w->s[4] = BUF_VA;
    vmem_scalar_load(w, &in, 4, false); /* GFX7: the offset counts dwords */
    ck_assert_uint_eq(w->s[8], 0xa000000c);
    ck_assert_uint_eq(w->s[11], 0xa0000018);
    w->gen = GFX8; /* bytes */
    in.offset = 12;
    vmem_scalar_load(w, &in, 1, false);
    ck_assert_uint_eq(w->s[8], 0xa000000c);
    /* A buffer of 4 records of 4 bytes: the last two dwords lie outside. */
    vsharp(w, 4, false, 4, 0);
    in.offset = 8;
    w->s[10] = w->s[11] = 77;
    vmem_scalar_load(w, &in, 4, true);
    ck_assert_uint_eq(w->s[9], 0xa000000c);
    ck_assert_uint_eq(w->s[10], 0);
    ck_assert_uint_eq(w->s[11], 0);
    /* Into EXEC: the lane mask follows. */
    w->s[4] = BUF_VA;
    w->s[5] = 0;
    store_le32(mem, 2);
    store_le32(mem + 4, 0);
    in.offset = 0;
    in.dst = SREG_EXEC;
    vmem_scalar_load(w, &in, 2, false);
    ck_assert(wave_exec(w) == 2 && !w->lane_mask[0] && w->lane_mask[1] == ~0u);
}
END_TEST

START_TEST(lds_access)
{
    struct wave *w = wave_new(GFX7);
    struct insn in = {.enc = ENC_DS, .dst = OPD_VGPR0 + 8, .data = OPD_VGPR0 + 1,
                      .data1 = OPD_VGPR0 + 2, .vaddr = OPD_VGPR0, .offset = 0};

    for (unsigned l = 0; l < 64; l++) {
        vgprs[0][l] = 4 * l + 3; /* aligned down */
        vgprs[1][l] = 100 + l;
        vgprs[2][l] = 200 + l;
    }
    lds_write(w, &in, VM_DW, 1);
    ck_assert_uint_eq(load_le32(lds + 4 * 9), 109);
    lds_read(w, &in, VM_DW, 1);
    ck_assert_uint_eq(vgprs[8][9], 109);
    in.offset = 0 | 4 << 8; /* offset0 0, offset1 4: in rows of 64 dwords */
    lds_write2(w, &in, false, 64);
    ck_assert_uint_eq(load_le32(lds + 4 * 256 + 4 * 9), 209);
    lds_read2(w, &in, false, 64);
    ck_assert_uint_eq(vgprs[9][9], 209);
    /* M0 limits on GFX7, not on GFX9. */
    w->s[SREG_M0] = 8;
    in.offset = 0;
    lds_read(w, &in, VM_DW, 1);
    ck_assert_uint_eq(vgprs[8][1], 101);
    ck_assert_uint_eq(vgprs[8][2], 0);
    w->gen = GFX9;
    for (unsigned l = 0; l < 64; l++)
        vgprs[0][l] = 4 * l;
    lds_read(w, &in, VM_DW, 1);
    ck_assert_uint_eq(vgprs[8][2], 102);
    /* cmpst: the comparand comes first. */
    w->s[SREG_M0] = ~0u;
    vgprs[1][0] = 100;
    vgprs[2][0] = 7;
    vgprs[1][1] = 0;
    vgprs[2][1] = 7;
    wave_set_exec(w, 3);
    lds_atomic(w, &in, LDS_PLAIN, AT_CMPSWAP, false);
    ck_assert_uint_eq(load_le32(lds), 7);
    ck_assert_uint_eq(load_le32(lds + 4), 101);
    ck_assert_uint_eq(vgprs[8][0], 100);
}
END_TEST

START_TEST(lane_moves)
{
    struct wave *w = wave_new(GFX8);
    struct insn in = {.enc = ENC_DS, .dst = OPD_VGPR0 + 8, .data = OPD_VGPR0 + 1,
                      .vaddr = OPD_VGPR0, .offset = 0x8000 | 0x1b}; /* quad reversed: 3 2 1 0 */

    for (unsigned l = 0; l < 64; l++) {
        vgprs[0][l] = 1000 + l;
        vgprs[1][l] = 2000 + l;
    }
    lds_swizzle(w, &in);
    ck_assert_uint_eq(vgprs[8][4], 1007);
    in.offset = 0x1f | 1 << 10; /* xor 1 in groups of 32 */
    lds_swizzle(w, &in);
    ck_assert_uint_eq(vgprs[8][4], 1005);
    in.offset = 0;
    for (unsigned l = 0; l < 64; l++)
        vgprs[0][l] = 4 * (63 - l);
    lds_permute(w, &in, true);
    ck_assert_uint_eq(vgprs[8][10], 2053);
    wave_set_exec(w, ~(UINT64_C(1) << 53)); /* a source lane that is off gives 0 */
    lds_permute(w, &in, true);
    ck_assert_uint_eq(vgprs[8][10], 0);
}
END_TEST

/* ---- the wave at once against one lane after another -------------------------------------- */

static uint32_t rnd(void)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x >> 16);
}

#define PICK(...) ((uint32_t[]){__VA_ARGS__}[rnd() % (sizeof((uint32_t[]){__VA_ARGS__}) / 4)])

/* Mostly first + lane * step; sometimes one lane differs. */
static void sequence(uint32_t v[64], uint32_t first, uint32_t step)
{
    for (unsigned l = 0; l < 64; l++)
        v[l] = first + l * step;
    if (rnd() % 4 == 0)
        v[rnd() % 64] += PICK(1, 4, -4, 64, 0x80000000u);
}

enum what { BUFFER, FORMATTED, FLAT, SHARE };

static void access(struct wave *w, const struct insn *in, enum what what, bool store,
                   enum vmem_data t, unsigned n)
{
    switch (what) {
    case BUFFER:
        (store ? vmem_buffer_store : vmem_buffer_load)(w, in, t, n);
        break;
    case FORMATTED:
        (store ? vmem_format_store : vmem_format_load)(w, in, n, D16_NONE);
        break;
    case FLAT:
        (store ? vmem_flat_store : vmem_flat_load)(w, in, t, n);
        break;
    case SHARE:
        (store ? lds_write : lds_read)(w, in, t, n);
    }
}

START_TEST(wave_equals_lanes)
{
    static uint8_t before[BUF_BYTES], after[BUF_BYTES], share[2][sizeof lds];
    static uint32_t regs[2][16][64];
    unsigned full = 0;

    for (unsigned round = 0; round < 4000; round++) {
        struct wave *w = wave_new((enum gfx)(rnd() % 4));
        struct insn in = load_insn();
        enum what what = (enum what)(rnd() % 4);
        bool store = rnd() & 1;
        enum vmem_data t = rnd() % 4 ? VM_DW : PICK(VM_U8, VM_S8, VM_U16, VM_S16);
        unsigned n = t == VM_DW ? 1 + rnd() % 4 : 1;
        uint64_t exec = rnd() % 4 ? ~UINT64_C(0) : (uint64_t)rnd() << 32 | rnd();
        uint64_t bytes[2];
        uint32_t step = PICK(0, 4, 4, 8, 12, 16, 16, 20, 1, 100, 0x10000, -4);

        in.data = OPD_VGPR0 + 8;
        for (unsigned i = 0; i < 16 * 64; i++)
            vgprs[i / 64][i % 64] = rnd();
        for (unsigned i = 0; i < sizeof lds / 4; i++)
            store_le32(lds + 4 * i, rnd());
        in.offset = (int32_t)PICK(0, 0, 16, 4092, 3);
        if (what <= FORMATTED) {
            uint32_t stride = PICK(0, 4, 16, 16, 20, 16383);

            in.idxen = rnd() & 1;
            in.offen = rnd() & 1;
            in.addr64 = w->gen <= GFX7 && rnd() % 8 == 0 && !in.idxen && !in.offen;
            w->s[20] = PICK(0, 0, 4, 1000, 0xfffff000u);
            in.soffset = 20;
            vsharp(w, stride, rnd() % 8 == 0,
                   PICK(64, 63, 127, 1024, BUF_BYTES, 4096 + 252, 0xffffffffu),
                   1u << 19 | (rnd() % 8 == 0) << 23);
            if (what == FORMATTED) { /* DST_SEL, NUM_FORMAT, DATA_FORMAT; not element size 4 */
                n = 1 + rnd() % 4;
                w->s[7] = (w->s[7] & 1u << 23) | PICK(0xfac, 0xfac, 0x2ac, 0x977, 01234) |
                          PICK(7, 7, 0, 1, 4, 5) << 12 | PICK(14, 14, 4, 10, 11, 13, 5, 2) << 15;
            }
            w->s[4] += PICK(0, 0, 4, BUF_BYTES - 300, BUF_BYTES - 256, -128);
            sequence(vgprs[0], PICK(0, 0, 1, 100, 0xffffffe0u), in.idxen ? PICK(0, 1, 1, 2) : step);
            sequence(vgprs[1], in.addr64 ? 0 : PICK(0, 8, 256), in.addr64 ? 0 : step);
        } else if (what == FLAT) {
            in.enc = rnd() & 1 ? ENC_FLAT : ENC_GLOBAL;
            in.saddr = OPD_NONE;
            if (in.enc == ENC_GLOBAL && rnd() & 1) {
                in.saddr = 4;
                w->s[4] = PICK(BUF_VA, BUF_VA + BUF_BYTES - 256);
                sequence(vgprs[0], PICK(0, 16, 0xffffff80u), step);
            } else {
                sequence(vgprs[0], PICK(BUF_VA, BUF_VA + BUF_BYTES - 256, 0xffffff80u), step);
                sequence(vgprs[1], rnd() % 8 == 0, 0);
                w->flat.shared_hi = PICK(0, 1);
            }
        } else {
            w->s[SREG_M0] = PICK(0xffffffffu, 0xffff, 1000, 256, 255, 3);
            sequence(vgprs[0], PICK(0, 0, 2, 512, 3840, 4000, 0xffffff80u), step);
        }
        for (unsigned i = 0; i < BUF_BYTES / 4; i++)
            store_le32(mem + 4 * i, 0xa0000000 + 4 * i);
        memcpy(before, mem, BUF_BYTES);
        memcpy(regs[0], vgprs, sizeof vgprs);
        memcpy(share[0], lds, sizeof lds);

        wave_set_exec(w, exec);
        access(w, &in, what, store, t, n);
        memcpy(after, mem, BUF_BYTES);
        memcpy(regs[1], vgprs, sizeof vgprs);
        memcpy(share[1], lds, sizeof lds);
        bytes[0] = w->counters.read_bytes + w->counters.written_bytes + w->counters.lds_bytes;
        full += !memcmp(before, mem, BUF_BYTES) != store;

        memcpy(mem, before, BUF_BYTES);
        memcpy(lds, share[0], sizeof lds);
        memset(&w->counters, 0, sizeof w->counters);
        memcpy(vgprs, regs[0], sizeof vgprs);
        for (unsigned l = 0; l < 64; l++)
            if (exec >> l & 1) {
                wave_set_exec(w, UINT64_C(1) << l);
                access(w, &in, what, store, t, n);
                /* The address may be overwritten only afterwards. */
                memcpy(vgprs[0], regs[0][0], 512);
            }
        bytes[1] = w->counters.read_bytes + w->counters.written_bytes + w->counters.lds_bytes;
        ck_assert_msg(!memcmp(after, mem, BUF_BYTES), "round %u: memory", round);
        ck_assert_msg(!memcmp(share[1], lds, sizeof lds), "round %u: LDS", round);
        ck_assert_msg(!memcmp(regs[1], vgprs, sizeof vgprs), "round %u: VGPRs", round);
        ck_assert_msg(bytes[0] == bytes[1], "round %u: %llu bytes, not %llu", round,
                      (unsigned long long)bytes[0], (unsigned long long)bytes[1]);
    }
    ck_assert_uint_gt(full, 1000); /* most rounds do something */
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vmem");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, linear_index_and_offset);
    tcase_add_test(tc, contiguous_equals_lane_by_lane);
    tcase_add_test(tc, range_units);
    tcase_add_test(tc, raw_partial_vector);
    tcase_add_test(tc, swizzled);
    tcase_add_test(tc, sub_dword_and_stores);
    tcase_add_test(tc, faults_are_recorded_and_read_zero);
    tcase_add_test(tc, atomics);
    tcase_add_test(tc, scalar);
    tcase_add_test(tc, lds_access);
    tcase_add_test(tc, lane_moves);
    tcase_add_test(tc, wave_equals_lanes);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
