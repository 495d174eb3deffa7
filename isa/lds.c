/* DS instructions on LDS and GDS. See lds.h. */
#include "isa/lds.h"
#include "isa/vmem_priv.h"

/* The memory that an instruction works on. */
struct share {
    uint8_t *p;
    uint32_t bytes;
};

static struct share share_of(struct wave *w, const struct insn *in)
{
    struct share s = {w->lds, w->lds_bytes};

    if (in->gds) {
        uint32_t total = 0, base = w->s[SREG_M0] >> 16, size = w->s[SREG_M0] & 0xffff;
        uint8_t *p = w->ops->gds(w, &total);

        s.p = base < total ? p + base : p;
        s.bytes = base < total ? MIN2(size, total - base) : 0;
    } else if (w->gen < GFX9) {
        s.bytes = MIN2(s.bytes, w->s[SREG_M0]);
    }
    return s;
}

/* Host pointer of an element, NULL out of range. */
static uint8_t *at(const struct wave *w, const struct share *s, uint32_t addr, unsigned bytes)
{
    if (w->gen < GFX9)
        addr &= ~(bytes - 1);
    return addr < s->bytes && s->bytes - addr >= bytes ? s->p + addr : NULL;
}

static uint64_t load(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    if (!p)
        return 0;
    switch (bytes) { /* a copy of known size is a move */
    case 4: return load_le32(p);
    case 8: return load_le64(p);
    default: memcpy(&v, p, bytes);
    }
    return v;
}

/* As vmem_atomic_value, but the f32 denormals of ds_add_f32 are MODE's. */
static uint64_t atomic_value(const struct wave *w, enum vmem_atomic op, bool wide, uint64_t old,
                             uint64_t data, uint64_t cmp)
{
    if (op == AT_ADD_F32)
        return vmem_add_f32((uint32_t)old, (uint32_t)data, w->fm.in32, w->fm.out32);
    return vmem_atomic_value(op, wide, old, data, cmp);
}

static void store(uint8_t *p, uint64_t v, unsigned bytes)
{
    if (!p)
        return;
    switch (bytes) {
    case 4: store_le32(p, (uint32_t)v); break;
    case 8: store_le64(p, v); break;
    default: memcpy(p, &v, bytes);
    }
}

static void set(struct wave *w, unsigned dst, unsigned i, unsigned lane, uint32_t v)
{
    uint32_t *out = vmem_vgpr_out(w, dst, i);

    if (out)
        out[lane] = v;
}

static void set_wide(struct wave *w, unsigned dst, unsigned i, unsigned lane, uint64_t v,
                     bool wide)
{
    set(w, dst, i, lane, (uint32_t)v);
    if (wide)
        set(w, dst, i + 1, lane, (uint32_t)(v >> 32));
}

static uint64_t get_wide(const struct wave *w, unsigned src, unsigned lane, bool wide)
{
    uint64_t v = vmem_vgpr(w, src)[lane];

    return wide ? v | (uint64_t)vmem_vgpr(w, src + 1)[lane] << 32 : v;
}

#define FOR_LANES(lane)                                                                     \
    for (uint64_t left_ = wave_exec(w), lane = left_ ? (unsigned)__builtin_ctzll(left_) : 0; \
         left_; left_ &= left_ - 1, lane = left_ ? (unsigned)__builtin_ctzll(left_) : 0)

/* ---- dwords of all lanes that lie inside -------------------------------------------------- */

/* The byte offsets of n dwords a lane, aligned as the generation does; the lanes that have all of them
 * inside. */
static uint64_t dword_lanes(const struct wave *w, const struct share *s, const uint32_t *addr,
                            uint32_t offset, unsigned n, uint32_t at[64])
{
    uint32_t mask = w->gen < GFX9 ? ~((n == 3 ? 16 : 4 * n) - 1) : ~0u;

    if (s->bytes < 4 * n)
        return 0;
    return w->priv.lanes->offsets(at, addr, offset, mask, s->bytes - 4 * n);
}

/* n dwords a lane, all active lanes inside: false when it is not so. */
static bool read_dwords(struct wave *w, const struct share *s, unsigned vaddr, uint32_t offset, unsigned dst,
                        unsigned n)
{
    uint64_t exec = wave_exec(w);
    uint32_t at[64] __attribute__((aligned(64))), step, *last = vmem_vgpr_out(w, dst, n - 1), *out;

    if (!last || exec & ~dword_lanes(w, s, vmem_vgpr(w, vaddr), offset, n, at))
        return false;
    out = last - 64 * (n - 1);
    if (!~exec && w->priv.lanes->affine(at, &step) && step == 4 * n)
        vmem_run_load(out, s->p + at[0], step, n);
    else
        for (unsigned i = 0; i < n; i++)
            w->priv.lanes->gather(out + 64 * i, s->p + 4 * i, at, exec);
    w->counters.lds_bytes += UINT64_C(4) * n * (unsigned)__builtin_popcountll(exec);
    return true;
}

static bool write_dwords(struct wave *w, const struct share *s, unsigned vaddr, uint32_t offset, unsigned data,
                         unsigned n)
{
    uint64_t exec = wave_exec(w);
    uint32_t at[64] __attribute__((aligned(64))), step;
    const uint32_t *last = vmem_vgpr_out(w, data, n - 1), *from;

    if (!last || exec & ~dword_lanes(w, s, vmem_vgpr(w, vaddr), offset, n, at))
        return false;
    from = last - 64 * (n - 1);
    if (!~exec && w->priv.lanes->affine(at, &step) && step == 4 * n)
        vmem_run_store(s->p + at[0], from, step, n);
    else if (n == 1)
        w->priv.lanes->scatter(s->p, at, from, exec);
    else
        for (uint64_t left = exec; left; left &= left - 1) {
            unsigned t = (unsigned)__builtin_ctzll(left);

            for (unsigned i = 0; i < n; i++)
                store_le32(s->p + at[t] + 4 * i, from[64 * i + t]);
        }
    w->counters.lds_bytes += UINT64_C(4) * n * (unsigned)__builtin_popcountll(exec);
    return true;
}

/* ---- read and write ----------------------------------------------------------------------- */

void lds_read(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n)
{
    struct share s = share_of(w, in);
    const uint32_t *addr = vmem_vgpr(w, in->vaddr);
    unsigned elem = vmem_data_bytes(t);
    /* 96 bits align as 128 do. */
    unsigned align = n == 3 ? 16 : elem * n;

    if (t == VM_DW && read_dwords(w, &s, in->vaddr, (uint32_t)in->offset, in->dst, n))
        return;
    FOR_LANES (lane) {
        uint32_t a = addr[lane] + (uint32_t)in->offset;

        if (w->gen < GFX9)
            a &= ~(align - 1);
        for (unsigned i = 0; i < n; i++) {
            uint32_t m = (uint32_t)load(at(w, &s, a + elem * i, elem), elem);
            uint32_t *out = vmem_vgpr_out(w, in->dst, i);

            if (out)
                out[lane] = vmem_widen(t, m, out[lane]);
        }
        w->counters.lds_bytes += elem * n;
    }
}

void lds_write(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n)
{
    struct share s = share_of(w, in);
    const uint32_t *addr = vmem_vgpr(w, in->vaddr);
    unsigned elem = vmem_data_bytes(t);
    unsigned align = n == 3 ? 16 : elem * n;

    if (t == VM_DW && write_dwords(w, &s, in->vaddr, (uint32_t)in->offset, in->data, n))
        return;
    FOR_LANES (lane) {
        uint32_t a = addr[lane] + (uint32_t)in->offset;

        if (w->gen < GFX9)
            a &= ~(align - 1);
        for (unsigned i = 0; i < n; i++)
            store(at(w, &s, a + elem * i, elem),
                  vmem_narrow(t, vmem_vgpr(w, in->data + i)[lane]), elem);
        w->counters.lds_bytes += elem * n;
    }
}

/* offset0 and offset1 count elements, or rows of 64 of them. */
static uint32_t offset2(const struct insn *in, unsigned which, unsigned bytes, unsigned stride)
{
    uint32_t off = which ? bits((uint32_t)in->offset, 8, 15) : bits((uint32_t)in->offset, 0, 7);

    return off * bytes * stride;
}

/* The offsets of both elements of each lane; false when an active lane has one outside. */
static bool lanes2(const struct wave *w, const struct share *s, const struct insn *in, unsigned bytes,
                   unsigned stride, uint32_t at[2][64])
{
    const uint32_t *addr = vmem_vgpr(w, in->vaddr);
    uint64_t out = 0;

    for (unsigned i = 0; i < 2; i++)
        out |= ~dword_lanes(w, s, addr, offset2(in, i, bytes, stride), bytes / 4, at[i]);
    return !(wave_exec(w) & out);
}

void lds_read2(struct wave *w, const struct insn *in, bool wide, unsigned stride)
{
    struct share s = share_of(w, in);
    const uint32_t *addr = vmem_vgpr(w, in->vaddr);
    const unsigned bytes = wide ? 8 : 4, n = bytes / 4;
    uint32_t at2[2][64] __attribute__((aligned(64))), *last = vmem_vgpr_out(w, in->dst, 2 * n - 1);

    if (last && lanes2(w, &s, in, bytes, stride, at2)) {
        for (unsigned i = 0; i < 2 * n; i++)
            w->priv.lanes->gather(last - 64 * (2 * n - 1 - i), s.p + i % n * 4, at2[i / n], wave_exec(w));
        w->counters.lds_bytes += UINT64_C(2) * bytes * (unsigned)__builtin_popcountll(wave_exec(w));
        return;
    }
    FOR_LANES (lane) {
        uint32_t base = addr[lane];

        for (unsigned i = 0; i < 2; i++)
            set_wide(w, in->dst, i * n, lane,
                     load(at(w, &s, base + offset2(in, i, bytes, stride), bytes), bytes), wide);
        w->counters.lds_bytes += 2 * bytes;
    }
}

void lds_write2(struct wave *w, const struct insn *in, bool wide, unsigned stride)
{
    struct share s = share_of(w, in);
    const uint32_t *addr = vmem_vgpr(w, in->vaddr);
    const unsigned bytes = wide ? 8 : 4;
    uint32_t at2[2][64] __attribute__((aligned(64)));

    if (lanes2(w, &s, in, bytes, stride, at2)) {
        const uint32_t *from[2][2];

        for (unsigned i = 0; i < 2; i++)
            for (unsigned k = 0; k < 2; k++)
                from[i][k] = vmem_vgpr(w, (i ? in->data1 : in->data) + k);
        FOR_LANES (lane)
            for (unsigned i = 0; i < 2; i++) {
                store_le32(s.p + at2[i][lane], from[i][0][lane]);
                if (wide)
                    store_le32(s.p + at2[i][lane] + 4, from[i][1][lane]);
            }
        w->counters.lds_bytes += UINT64_C(2) * bytes * (unsigned)__builtin_popcountll(wave_exec(w));
        return;
    }
    FOR_LANES (lane) {
        for (unsigned i = 0; i < 2; i++)
            store(at(w, &s, addr[lane] + offset2(in, i, bytes, stride), bytes),
                  get_wide(w, i ? in->data1 : in->data, lane, wide), bytes);
        w->counters.lds_bytes += 2 * bytes;
    }
}

/* ---- atomics ------------------------------------------------------------------------------ */

static uint64_t condxchg(uint64_t old, uint64_t data)
{
    uint64_t out = old;

    for (unsigned i = 0; i < 64; i += 32)
        if (data >> (i + 31) & 1)
            out = (out & ~(UINT64_C(0xffffffff) << i)) | ((data >> i & 0x7fffffff) << i);
    return out;
}

void lds_atomic(struct wave *w, const struct insn *in, enum lds_atomic kind, enum vmem_atomic op,
                bool wide)
{
    struct share s = share_of(w, in);
    const uint32_t *addr = vmem_vgpr(w, in->vaddr);
    unsigned bytes = wide ? 8 : 4;
    bool compare = op == AT_CMPSWAP || op == AT_FCMPSWAP;
    bool two = kind == LDS_MSKOR || kind == LDS_WRAP || (kind == LDS_PLAIN && compare);

    FOR_LANES (lane) {
        uint8_t *p = at(w, &s, addr[lane] + (uint32_t)in->offset, bytes);
        uint64_t old = load(p, bytes), v = old;
        uint64_t d0 = get_wide(w, in->data, lane, wide);
        uint64_t d1 = two ? get_wide(w, in->data1, lane, wide) : 0;

        switch (kind) {
        case LDS_PLAIN:
            v = compare ? atomic_value(w, op, wide, old, d1, d0)
                        : atomic_value(w, op, wide, old, d0, 0);
            break;
        case LDS_MSKOR: v = (old & ~d0) | d1; break;
        case LDS_WRAP: v = old >= d0 ? old - d0 : old + d1; break;
        case LDS_CONDXCHG: v = condxchg(old, d0); break;
        }
        store(p, v, bytes);
        if (in->dst != OPD_NONE)
            set_wide(w, in->dst, 0, lane, old, wide);
        w->counters.lds_bytes += 2 * bytes;
    }
}

void lds_wrxchg2(struct wave *w, const struct insn *in, bool wide, unsigned stride)
{
    struct share s = share_of(w, in);
    const uint32_t *addr = vmem_vgpr(w, in->vaddr);
    unsigned bytes = wide ? 8 : 4;

    FOR_LANES (lane) {
        uint32_t base = addr[lane];
        uint64_t d[2] = {get_wide(w, in->data, lane, wide), get_wide(w, in->data1, lane, wide)};

        for (unsigned i = 0; i < 2; i++) {
            uint8_t *p = at(w, &s, base + offset2(in, i, bytes, stride), bytes);

            set_wide(w, in->dst, i * bytes / 4, lane, load(p, bytes), wide);
            store(p, d[i], bytes);
        }
        w->counters.lds_bytes += 4 * bytes;
    }
}

void lds_src2(struct wave *w, const struct insn *in, enum vmem_atomic op, bool wide)
{
    struct share s = share_of(w, in);
    const uint32_t *addr = vmem_vgpr(w, in->vaddr);
    unsigned bytes = wide ? 8 : 4;
    uint32_t off = (uint32_t)in->offset & 0xffff;

    FOR_LANES (lane) {
        uint32_t v = addr[lane], a, dw;

        /* Bit 15 of the offset takes the distance of the second operand (dwords, signed 16 bits)
         * from the address instead of from the offset. */
        if (off & 0x8000) {
            a = v & 0x1fffc;
            dw = (v >> 17) | (v >> 16 & 0x8000);
        } else {
            a = v & ~3u;
            dw = (off & 0x7fff) | (off << 1 & 0x8000);
        }

        uint8_t *pa = at(w, &s, a, bytes);
        uint8_t *pb = at(w, &s, a + (uint32_t)(int16_t)dw * 4, bytes);

        store(pa, atomic_value(w, op, wide, load(pa, bytes), load(pb, bytes), 0), bytes);
        w->counters.lds_bytes += 3 * bytes;
    }
}

/* ---- one access for the whole wave, or by lane number ---------------------------------------- */

void lds_append(struct wave *w, const struct insn *in, bool consume)
{
    struct share s = share_of(w, in);
    uint32_t a = (uint32_t)in->offset + (in->gds ? 0 : w->s[SREG_M0] & 0xffff);
    uint32_t n = (uint32_t)__builtin_popcountll(wave_exec(w));
    uint8_t *p;
    uint32_t old;

    if (!in->gds) /* here M0 is a base, not a limit */
        s.bytes = w->lds_bytes;
    p = at(w, &s, a, 4);
    old = (uint32_t)load(p, 4);
    store(p, consume ? old - n : old + n, 4);
    FOR_LANES (lane)
        set(w, in->dst, 0, (unsigned)lane, old);
    w->counters.lds_bytes += 8;
}

void lds_addtid(struct wave *w, const struct insn *in, bool write)
{
    struct share s = {w->lds, w->lds_bytes};

    FOR_LANES (lane) {
        uint32_t a = (w->s[SREG_M0] & 0xffff) + (uint32_t)in->offset + 4 * (uint32_t)lane;
        uint8_t *p = at(w, &s, a, 4);

        if (write)
            store(p, vmem_vgpr(w, in->data)[lane], 4);
        else
            set(w, in->dst, 0, (unsigned)lane, (uint32_t)load(p, 4));
        w->counters.lds_bytes += 4;
    }
}

/* ---- lane moves --------------------------------------------------------------------------- */

void lds_swizzle(struct wave *w, const struct insn *in)
{
    uint64_t exec = wave_exec(w);
    uint32_t src[64], off = (uint32_t)in->offset;

    memcpy(src, vmem_vgpr(w, in->vaddr), sizeof src);
    FOR_LANES (lane) {
        unsigned from;

        if (w->gen >= GFX9 && (off & 0xe000) == 0xc000) {
            /* GFX9: rotate within 32 lanes; bit 10 the direction, 9:5 the count, 4:0 a mask of
             * lane bits that stay. */
            unsigned n = bits(off, 5, 9), keep = off & 31, l = lane & 31;
            unsigned r = bits(off, 10, 10) ? l - n : l + n;

            from = (lane & 32) | (l & keep) | (r & 31 & ~keep);
        } else if (off & 0x8000) {
            from = (lane & 0x3c) | (off >> (2 * (lane & 3)) & 3);
        } else {
            from = (lane & 32) |
                   ((((lane & 31) & (off & 31)) | (off >> 5 & 31)) ^ (off >> 10 & 31));
        }
        set(w, in->dst, 0, (unsigned)lane, exec >> from & 1 ? src[from] : 0);
    }
}

void lds_permute(struct wave *w, const struct insn *in, bool backward)
{
    uint64_t exec = wave_exec(w);
    uint32_t src[64], addr[64], out[64] = {0};

    memcpy(src, vmem_vgpr(w, in->data), sizeof src);
    memcpy(addr, vmem_vgpr(w, in->vaddr), sizeof addr);
    FOR_LANES (lane) {
        unsigned other = (addr[lane] + (uint32_t)in->offset) / 4 % 64;

        if (backward)
            out[lane] = exec >> other & 1 ? src[other] : 0;
        else
            out[other] = src[lane];
    }
    FOR_LANES (lane)
        set(w, in->dst, 0, (unsigned)lane, out[lane]);
}

/* OFFSET0 names a dword of GDS, counted from M0[31:16] on; OFFSET1 bits 5:4 say what becomes of it: 0 the sum
 * of it and the first active lane's value, 1 that value. Waves get here in the order of their launch,
 * since they run so; M0[15:0], the wave's place in the order, and OFFSET1 3:0 (wave release and done,
 * shader type) then say nothing new. Source: LLVM's ds.ordered.add and .swap. */
void lds_ordered_count(struct wave *w, const struct insn *in)
{
    uint64_t exec = wave_exec(w);
    uint32_t total = 0, old, value;
    uint8_t *p = w->ops->gds(w, &total);
    struct share s = {p, total};
    unsigned what = bits((uint32_t)in->offset, 12, 13);

    if (!exec)
        return;
    if (what > 1)
        loud_report(w->loud, LOUD_OTHER, w->insn_va, "ds_ordered_count at 0x%llx: operation %u",
                    (unsigned long long)w->insn_va, what);
    value = vmem_vgpr(w, in->data)[__builtin_ctzll(exec)];
    p = at(w, &s, (w->s[SREG_M0] >> 16) + ((uint32_t)in->offset & 0xff), 4);
    old = (uint32_t)load(p, 4);
    store(p, what == 1 ? value : old + value, 4);
    FOR_LANES (lane)
        set(w, in->dst, 0, (unsigned)lane, old);
}

void lds_gws(struct wave *w, const struct insn *in, unsigned op)
{
    uint64_t exec = wave_exec(w);
    uint32_t value = 0;

    /* The value is that of the first active lane. */
    if (in->data != OPD_NONE && exec)
        value = vmem_vgpr(w, in->data)[__builtin_ctzll(exec)];
    if (!w->ops->gws(w, op, value))
        w->pc_va = w->insn_va;
}
