/* MUBUF, MTBUF (untyped part), FLAT, GLOBAL, SCRATCH: addresses, range checks, data movement.
 *
 * Each instruction forms the 64 addresses of its lanes at once (struct lanes), then moves data
 * lane by lane through a cached mapping. Lanes at equal distances take a short way (vmem_run.c).
 * Formats are in vmem_format.c, scalar memory in smem.c. */
#include "isa/vmem_priv.h"

#include <math.h>

/* ---- addresses through the cached mapping ------------------------------------------------- */

uint8_t *vmem_host(struct wave *w, uint64_t va, uint64_t bytes, unsigned prot)
{
    struct mem_span *s = &w->priv.span[prot == MEM_R ? 0 : 1];
    uint64_t epoch = mem_epoch(w->vm);

    va &= VMEM_VA_MASK;
    if (w->priv.span_epoch != epoch) {
        memset(w->priv.span, 0, sizeof w->priv.span);
        w->priv.span_epoch = epoch;
    }
    if (va < s->va || va + bytes > s->end) {
        if (!mem_find(w->vm, va, s)) {
            memset(s, 0, sizeof *s);
            return NULL;
        }
        if (va + bytes > s->end)
            return NULL; /* across mappings: the caller takes mem_read / mem_write */
    }
    return (s->prot & prot) == prot ? s->host + (va - s->va) : NULL;
}

bool vmem_touch_run(struct wave *w, const uint8_t *p, uint32_t step, unsigned bytes, bool write)
{
    bool ok = true;

    if (!w->touch)
        return true;
    if (step <= bytes)
        return mem_touch(w->touch, p, 63 * (uint64_t)step + bytes, write);
    for (unsigned t = 0; t < 64; t++)
        ok &= mem_touch(w->touch, p + (size_t)t * step, bytes, write);
    return ok;
}

bool vmem_touch_lanes(struct wave *w, uint64_t on, const uint8_t *p, const uint32_t above[64], unsigned bytes,
                      bool write)
{
    uint32_t from = 0, to = 0; /* lanes next to each other are noted at once, and those of one place */
    bool ok = true;

    for (uint64_t left = w->touch ? on : 0; left; left &= left - 1) {
        const uint32_t at = above[__builtin_ctzll(left)];

        if (at >= from && at <= to && to != from) {
            to = MAX2(to, at + bytes);
            continue;
        }
        ok &= mem_touch(w->touch, p + from, to - from, write);
        from = at;
        to = at + bytes;
    }
    return ok & (!w->touch || mem_touch(w->touch, p + from, to - from, write));
}

bool vmem_gives_up(struct wave *w)
{
    if (!w->touch)
        return false;
    mem_touch_give_up(w->touch);
    w->priv.yield = true;
    return true;
}

static struct mem_who who(const struct wave *w)
{
    return (struct mem_who){MEM_SHADER, w->insn_va, w->id};
}

void vmem_read_lane(struct wave *w, uint64_t va, void *dst, unsigned bytes)
{
    const uint8_t *p = vmem_host(w, va, bytes, MEM_R);

    if (p) {
        vmem_touch(w, p, bytes, false);
        memcpy(dst, p, bytes);
    } else if (!vmem_gives_up(w)) {
        struct mem_who me = who(w);

        if (!mem_read(w->vm, va, dst, bytes, &me))
            isa_memory_violation(w);
    }
}

void vmem_write_lane(struct wave *w, uint64_t va, const void *src, unsigned bytes)
{
    uint8_t *p = vmem_host(w, va, bytes, MEM_W);

    if (p) {
        if (vmem_touch(w, p, bytes, true))
            memcpy(p, src, bytes);
    } else if (!vmem_gives_up(w)) {
        struct mem_who me = who(w);

        if (!mem_write(w->vm, va, src, bytes, &me))
            isa_memory_violation(w);
    }
}

/* ---- the V# ------------------------------------------------------------------------------- */

void vmem_decode_vsharp(const struct wave *w, const uint32_t d[4], struct vsharp *v)
{
    v->base = (d[0] | (uint64_t)bits(d[1], 0, 15) << 32);
    v->stride = bits(d[1], 16, 29);
    v->swizzle = bits(d[1], 31, 31);
    v->num_records = d[2];
    v->nfmt = bits(d[3], 12, 14);
    v->dfmt = bits(d[3], 15, 18);
    v->index_stride = 8u << bits(d[3], 21, 22);
    /* GFX9 has no ELEMENT_SIZE: it is 4 bytes. */
    v->element_bytes = w->gen == GFX9 ? 4 : 2u << bits(d[3], 19, 20);
    v->add_tid = bits(d[3], 23, 23);
    for (unsigned i = 0; i < 4; i++)
        v->sel[i] = bits(d[3], 3 * i, 3 * i + 2);
    /* GFX8/9: with ADD_TID_ENABLE the data format field extends the stride. */
    if (w->gen >= GFX8 && v->add_tid)
        v->stride |= v->dfmt << 14;
}

bool vmem_counts_records(const struct wave *w, const struct insn *in, const struct vsharp *v)
{
    switch (w->gen) {
    case GFX6:
    case GFX7:
        return v->stride != 0;
    case GFX8:
        return v->stride != 0 && v->swizzle;
    default:
        return v->stride != 0 && (in->idxen || v->add_tid);
    }
}

const uint32_t *vmem_vgpr(const struct wave *w, unsigned opd)
{
    static const uint32_t zero[64];
    unsigned r = opd - OPD_VGPR0;

    return r < w->num_vgprs ? w->v + 64 * r : zero;
}

uint32_t *vmem_vgpr_out(struct wave *w, unsigned opd, unsigned i)
{
    unsigned r = opd - OPD_VGPR0 + i;

    return r < w->num_vgprs ? w->v + 64 * r : NULL;
}

uint32_t vmem_soffset(const struct wave *w, const struct insn *in)
{
    if (in->soffset == OPD_NONE)
        return 0;
    return in->soffset == OPD_LITERAL ? in->literal : w->s[in->soffset & 0xff];
}

void vmem_buffer_lanes(struct wave *w, const struct insn *in, const struct vsharp *v,
                       unsigned elem_bytes, unsigned n, struct lanes *l)
{
    uint32_t soffset = vmem_soffset(w, in);
    uint64_t exec = wave_exec(w);
    const uint32_t *va0 = vmem_vgpr(w, in->vaddr);

    for (unsigned i = 0; i < n; i++)
        l->ok[i] = exec;
    if (in->addr64) { /* GFX6/7: no range check */
        const uint32_t *va1 = vmem_vgpr(w, in->vaddr + 1u);

        for (unsigned t = 0; t < 64; t++)
            l->va[t] = v->base + (va0[t] | (uint64_t)va1[t] << 32) + soffset +
                       (uint32_t)in->offset;
        return;
    }

    const uint32_t *index = in->idxen ? va0 : NULL;
    const uint32_t *offset = in->offen ? vmem_vgpr(w, in->vaddr + (in->idxen ? 1u : 0u)) : NULL;
    uint64_t base = v->base + soffset, bad = 0;
    uint32_t idx[64], off[64], at[64];

    for (unsigned t = 0; t < 64; t++) {
        idx[t] = (index ? index[t] : 0) + (v->add_tid ? t : 0);
        off[t] = (offset ? offset[t] : 0) + (uint32_t)in->offset;
    }
    if (v->swizzle) /* also with a stride of 0, as the V# of scratch has */
        for (unsigned t = 0; t < 64; t++) {
            uint32_t imsb = idx[t] / v->index_stride, ilsb = idx[t] % v->index_stride;
            uint32_t omsb = off[t] / v->element_bytes, olsb = off[t] % v->element_bytes;

            at[t] = (imsb * v->stride + omsb * v->element_bytes) * v->index_stride +
                    ilsb * v->element_bytes + olsb;
        }
    else
        for (unsigned t = 0; t < 64; t++)
            at[t] = idx[t] * v->stride + off[t];
    for (unsigned t = 0; t < 64; t++)
        l->va[t] = base + at[t];
    if (vmem_counts_records(w, in, v)) {
        uint32_t limit = v->swizzle ? v->stride : UINT32_MAX;

        for (unsigned t = 0; t < 64; t++)
            bad |= (uint64_t)(idx[t] >= v->num_records || (v->swizzle && off[t] >= limit)) << t;
        for (unsigned i = 0; i < n; i++)
            l->ok[i] &= ~bad;
    } else {
        /* Raw: each dword on its own, against what SOFFSET leaves of the buffer. */
        uint64_t end = v->num_records > soffset ? v->num_records - soffset : 0;

        for (unsigned i = 0; i < n; i++) {
            bad = 0;
            for (unsigned t = 0; t < 64; t++)
                bad |= (uint64_t)((uint64_t)at[t] + (uint64_t)elem_bytes * (i + 1) > end) << t;
            l->ok[i] &= ~bad;
        }
    }
}

/* ---- FLAT --------------------------------------------------------------------------------- */

/* Where the lanes of a FLAT instruction point: memory, LDS (bit set in `lds`) or scratch (bit set
 * in `scratch`); `va` is a memory address or an offset in the latter two. */
static void flat_lanes(struct wave *w, const struct insn *in, unsigned n, struct lanes *l,
                       uint64_t *lds, uint64_t *scratch)
{
    uint64_t exec = wave_exec(w);
    const uint32_t *lo = vmem_vgpr(w, in->vaddr);
    const uint32_t *hi = vmem_vgpr(w, in->vaddr + 1u);

    *lds = *scratch = 0;
    for (unsigned i = 0; i < n; i++)
        l->ok[i] = exec;
    if (in->enc == ENC_SCRATCH) {
        uint32_t base = (in->saddr == OPD_NONE ? 0 : w->s[in->saddr & 0xff]);

        for (unsigned t = 0; t < 64; t++)
            l->va[t] = base + (in->vaddr == OPD_NONE ? 0 : lo[t]) + (uint32_t)in->offset;
        *scratch = exec;
        return;
    }
    if (in->enc == ENC_GLOBAL && in->saddr != OPD_NONE) {
        uint64_t base = wave_s64(w, in->saddr & 0xff) + (uint64_t)(int64_t)in->offset;

        for (unsigned t = 0; t < 64; t++)
            l->va[t] = base + lo[t];
        return;
    }
    /* An aperture is 4 GiB: the upper half of the address selects it. */
    w->priv.lanes->flat(l->va, lo, hi, (uint64_t)(int64_t)in->offset, in->enc == ENC_FLAT ? w->flat.shared_hi : 0,
                        in->enc == ENC_FLAT ? w->flat.private_hi : 0, lds, scratch);
    *scratch &= ~*lds;
    for (uint64_t left = *lds | *scratch; left; left &= left - 1) {
        const unsigned t = (unsigned)__builtin_ctzll(left);

        l->va[t] = (uint32_t)l->va[t];
    }
    *lds &= exec;
    *scratch &= exec;
}

/* ---- data --------------------------------------------------------------------------------- */

unsigned vmem_data_bytes(enum vmem_data t)
{
    switch (t) {
    case VM_U8: case VM_S8: case VM_U8_LO: case VM_U8_HI: case VM_S8_LO: case VM_S8_HI:
        return 1;
    case VM_U16: case VM_S16: case VM_B16_LO: case VM_B16_HI:
        return 2;
    case VM_DW:
        break;
    }
    return 4;
}

/* A loaded element as the VGPR receives it; `old` is the VGPR's value. */
uint32_t vmem_widen(enum vmem_data t, uint32_t m, uint32_t old)
{
    switch (t) {
    case VM_U8: return m & 0xff;
    case VM_S8: return (uint32_t)(int8_t)m;
    case VM_U16: return m & 0xffff;
    case VM_S16: return (uint32_t)(int16_t)m;
    case VM_U8_LO: return (old & 0xffff0000) | (m & 0xff);
    case VM_U8_HI: return (old & 0xffff) | (m & 0xff) << 16;
    case VM_S8_LO: return (old & 0xffff0000) | (uint16_t)(int8_t)m;
    case VM_S8_HI: return (old & 0xffff) | (uint32_t)(uint16_t)(int8_t)m << 16;
    case VM_B16_LO: return (old & 0xffff0000) | (m & 0xffff);
    case VM_B16_HI: return (old & 0xffff) | m << 16;
    case VM_DW: break;
    }
    return m;
}

uint32_t vmem_narrow(enum vmem_data t, uint32_t v)
{
    return t == VM_U8_HI || t == VM_S8_HI || t == VM_B16_HI ? v >> 16 : v;
}

uint8_t *vmem_host_of_lanes(struct wave *w, const struct lanes *l, uint64_t on, unsigned bytes,
                            unsigned prot, uint32_t above[64])
{
    uint64_t lo, hi;

    if (!on)
        return NULL;
    w->priv.lanes->span(l->va, on, &lo, &hi, above);
    return hi - lo < INT32_MAX - 64u ? vmem_host(w, lo, hi - lo + bytes, prot) : NULL;
}

static void load_lanes(struct wave *w, unsigned dst, const struct lanes *l, enum vmem_data t,
                       unsigned n)
{
    unsigned bytes = vmem_data_bytes(t);
    uint64_t exec = wave_exec(w);

    uint32_t above[64] __attribute__((aligned(64)));
    uint32_t *regs = vmem_vgpr_out(w, dst, n - 1);
    const uint8_t *p = exec & ~l->ok[n - 1] || !regs
                           ? NULL
                           : vmem_host_of_lanes(w, l, exec, bytes * n, MEM_R, above);

    if (p) {
        regs -= 64 * (n - 1);
        vmem_touch_lanes(w, exec, p, above, bytes * n, false);
        for (unsigned i = 0; t == VM_DW && i < n; i++)
            w->priv.lanes->gather(regs + 64 * i, p + 4 * i, above, exec);
        for (uint64_t left = t == VM_DW ? 0 : exec; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            const uint8_t *q = p + above[lane];

            regs[lane] = vmem_widen(t, bytes == 1 ? *q : load_le16(q), regs[lane]);
        }
        w->counters.read_bytes += (uint64_t)bytes * n * (uint64_t)__builtin_popcountll(exec);
        return;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t m[4] = {0};
        uint64_t bit = UINT64_C(1) << lane;

        if (!(exec & bit))
            continue;
        if (l->ok[n - 1] & bit) {
            vmem_read_lane(w, l->va[lane], m, bytes * n);
            w->counters.read_bytes += bytes * n;
        } else {
            for (unsigned i = 0; i < n; i++)
                if (l->ok[i] & bit) {
                    vmem_read_lane(w, l->va[lane] + bytes * i, &m[i], bytes);
                    w->counters.read_bytes += bytes;
                }
        }
        for (unsigned i = 0; i < n; i++) {
            uint32_t *out = vmem_vgpr_out(w, dst, i);

            if (out)
                out[lane] = vmem_widen(t, m[i], out[lane]);
        }
    }
}

static void store_lanes(struct wave *w, unsigned src, const struct lanes *l, enum vmem_data t,
                        unsigned n)
{
    unsigned bytes = vmem_data_bytes(t);
    uint64_t exec = wave_exec(w);

    uint32_t above[64] __attribute__((aligned(64)));
    const uint32_t *regs = vmem_vgpr_out(w, src, n - 1);
    uint8_t *p = exec & ~l->ok[n - 1] || !regs || t != VM_DW
                     ? NULL
                     : vmem_host_of_lanes(w, l, exec, 4 * n, MEM_W, above);

    if (p) {
        regs -= 64 * (n - 1);
        if (!vmem_touch_lanes(w, exec, p, above, 4 * n, true))
            return;
        if (n == 1)
            w->priv.lanes->scatter(p, above, regs, exec);
        for (uint64_t left = n == 1 ? 0 : exec; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);

            for (unsigned i = 0; i < n; i++)
                store_le32(p + above[lane] + 4 * i, regs[64 * i + lane]);
        }
        w->counters.written_bytes += UINT64_C(4) * n * (uint64_t)__builtin_popcountll(exec);
        return;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t m[4];
        uint64_t bit = UINT64_C(1) << lane;

        if (!(exec & bit))
            continue;
        for (unsigned i = 0; i < n; i++)
            m[i] = vmem_narrow(t, vmem_vgpr(w, src + i)[lane]);
        if (l->ok[n - 1] & bit) {
            vmem_write_lane(w, l->va[lane], m, bytes * n);
            w->counters.written_bytes += bytes * n;
            continue;
        }
        for (unsigned i = 0; i < n; i++)
            if (l->ok[i] & bit) {
                vmem_write_lane(w, l->va[lane] + bytes * i, &m[i], bytes);
                w->counters.written_bytes += bytes;
            }
    }
}

/* ---- atomics ------------------------------------------------------------------------------ */

/* Of memory a and data b. A number wins over a NaN; of equals (zeros) what is in memory stays:
 * docs/errata.md, E-atomic-floats. */
static uint32_t f32_minmax(uint32_t a, uint32_t b, bool max)
{
    float x = bits_f32(a), y = bits_f32(b);

    if (isnan(x))
        return b;
    if (isnan(y))
        return a;
    return (max ? y > x : y < x) ? b : a;
}

static uint64_t f64_minmax(uint64_t a, uint64_t b, bool max)
{
    double x, y;

    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    if (isnan(x))
        return b;
    if (isnan(y))
        return a;
    return (max ? y > x : y < x) ? b : a;
}

static uint32_t flushed(uint32_t v, bool keep)
{
    return !keep && !(v & 0x7f800000u) ? v & 0x80000000u : v;
}

uint32_t vmem_add_f32(uint32_t a, uint32_t b, bool keep_in, bool keep_out)
{
    a = flushed(a, keep_in);
    b = flushed(b, keep_in);
    if (isnan(bits_f32(a)) || isnan(bits_f32(b)))
        return (isnan(bits_f32(a)) ? a : b) | 0x400000u;
    return flushed(f32_bits(bits_f32(a) + bits_f32(b)), keep_out);
}

/* Halves add exactly in a float; denormals are kept. */
static uint32_t add_f16(uint32_t a, uint32_t b)
{
    float x = bits_f32(mem_f16_to_f32((uint16_t)a)), y = bits_f32(mem_f16_to_f32((uint16_t)b));

    if (isnan(x) || isnan(y))
        return ((isnan(x) ? a : b) & 0xffff) | 0x200u;
    return isnan(x + y) ? 0xfe00 : mem_f32_to_f16(f32_bits(x + y));
}

static bool float_equal(bool wide, uint64_t a, uint64_t b)
{
    double x, y;

    if (!wide)
        return bits_f32((uint32_t)a) == bits_f32((uint32_t)b);
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

uint64_t vmem_atomic_value(enum vmem_atomic op, bool wide, uint64_t old, uint64_t data,
                           uint64_t cmp)
{
    uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
    int64_t so = wide ? (int64_t)old : (int32_t)old;
    int64_t sd = wide ? (int64_t)data : (int32_t)data;

    switch (op) {
    case AT_SWAP: return data;
    case AT_CMPSWAP: return old == cmp ? data : old;
    case AT_ADD: return (old + data) & mask;
    case AT_SUB: return (old - data) & mask;
    case AT_RSUB: return (data - old) & mask;
    case AT_SMIN: return so < sd ? old : data;
    case AT_UMIN: return old < data ? old : data;
    case AT_SMAX: return so > sd ? old : data;
    case AT_UMAX: return old > data ? old : data;
    case AT_AND: return old & data;
    case AT_OR: return old | data;
    case AT_XOR: return old ^ data;
    case AT_INC: return old >= data ? 0 : old + 1;
    case AT_DEC: return old == 0 || old > data ? data : old - 1;
    case AT_FCMPSWAP: return float_equal(wide, old, cmp) ? data : old;
    case AT_FMIN:
        return wide ? f64_minmax(old, data, false)
                    : f32_minmax((uint32_t)old, (uint32_t)data, false);
    case AT_FMAX:
        return wide ? f64_minmax(old, data, true)
                    : f32_minmax((uint32_t)old, (uint32_t)data, true);
    case AT_ADD_F32: return vmem_add_f32((uint32_t)old, (uint32_t)data, false, false);
    case AT_PK_ADD_F16:
        return add_f16((uint32_t)old, (uint32_t)data) |
               (uint64_t)add_f16((uint32_t)old >> 16, (uint32_t)data >> 16) << 16;
    }
    return old;
}

/* One lane's atomic on host memory: a compare-exchange loop, since other waves may run on other
 * threads. Addresses are aligned down to the element, as the hardware does. */
uint64_t vmem_atomic_host(uint8_t *p, enum vmem_atomic op, bool wide, uint64_t data, uint64_t cmp)
{
    if (wide) {
        uint64_t *m = (uint64_t *)p;
        uint64_t old = __atomic_load_n(m, __ATOMIC_RELAXED);

        while (!__atomic_compare_exchange_n(m, &old, vmem_atomic_value(op, true, old, data, cmp),
                                            false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            ;
        return old;
    }
    uint32_t *m = (uint32_t *)p;
    uint32_t old = __atomic_load_n(m, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n(m, &old,
                                        (uint32_t)vmem_atomic_value(op, false, old, data, cmp),
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
    return old;
}

/* The data of a lane: 1 or 2 dwords, then the compare value for the two compare forms. */
static void atomic_data(const struct wave *w, const struct insn *in, bool wide, unsigned lane,
                        uint64_t *data, uint64_t *cmp)
{
    unsigned r = in->data;

    if (wide) {
        *data = vmem_vgpr(w, r)[lane] | (uint64_t)vmem_vgpr(w, r + 1)[lane] << 32;
        *cmp = vmem_vgpr(w, r + 2)[lane] | (uint64_t)vmem_vgpr(w, r + 3)[lane] << 32;
    } else {
        *data = vmem_vgpr(w, r)[lane];
        *cmp = vmem_vgpr(w, r + 1)[lane];
    }
}

static void atomic_lanes(struct wave *w, const struct insn *in, const struct lanes *l,
                         uint64_t lds, enum vmem_atomic op, bool wide)
{
    unsigned bytes = wide ? 8 : 4;
    uint64_t exec = wave_exec(w);

    if (exec & ~lds && vmem_gives_up(w))
        return;
    for (unsigned lane = 0; lane < 64; lane++) {
        uint64_t bit = UINT64_C(1) << lane, data, cmp, old = 0;

        if (!(exec & bit))
            continue;
        atomic_data(w, in, wide, lane, &data, &cmp);
        if (l->ok[0] & bit) {
            uint64_t va = l->va[lane] & ~(uint64_t)(bytes - 1);
            uint8_t *p = lds & bit ? (va + bytes <= w->lds_bytes ? w->lds + va : NULL)
                                   : vmem_host(w, va, bytes, MEM_R | MEM_W);

            if (p) {
                old = vmem_atomic_host(p, op, wide, data, cmp);
                w->counters.read_bytes += bytes;
                w->counters.written_bytes += bytes;
            } else if (!(lds & bit)) {
                struct mem_who me = who(w);

                mem_fault_record(w->vm, va, bytes, true, &me);
                isa_memory_violation(w);
            }
        }
        if (in->dst == OPD_NONE)
            continue;
        for (unsigned i = 0; i < bytes / 4; i++) {
            uint32_t *out = vmem_vgpr_out(w, in->dst, i);

            if (out)
                out[lane] = (uint32_t)(old >> (32 * i));
        }
    }
}

/* ---- MUBUF -------------------------------------------------------------------------------- */

/* TFE returns one more dword: 0, since nothing here is non-resident. */
void vmem_tfe(struct wave *w, unsigned dst, unsigned n)
{
    uint32_t *out = vmem_vgpr_out(w, dst, n);

    for (unsigned t = 0; out && t < 64; t++)
        out[t] &= ~w->lane_mask[t];
}

/* LDS = 1: the data go to LDS at M0[15:0] + offset + lane * 4 instead of VGPRs. */
static void load_to_lds(struct wave *w, const struct insn *in, const struct lanes *l,
                        enum vmem_data t)
{
    uint64_t exec = wave_exec(w);

    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t at = (w->s[SREG_M0] & 0xffff) + (uint32_t)in->offset + 4 * lane, m = 0;
        uint64_t bit = UINT64_C(1) << lane;

        if (!(exec & bit))
            continue;
        if (l->ok[0] & bit)
            vmem_read_lane(w, l->va[lane], &m, vmem_data_bytes(t));
        if (at + 4 <= w->lds_bytes)
            store_le32(w->lds + at, vmem_widen(t, m, 0));
        w->counters.read_bytes += vmem_data_bytes(t);
        w->counters.lds_bytes += 4;
    }
}

void vmem_buffer_store_lds(struct wave *w, const struct insn *in)
{
    struct vsharp v;
    struct lanes l;

    vmem_decode_vsharp(w, &w->s[in->base & 0xfc], &v);
    vmem_buffer_lanes(w, in, &v, 4, 1, &l);
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t at = (w->s[SREG_M0] & 0xffff) + (uint32_t)in->offset + 4 * lane;
        uint32_t m = at + 4 <= w->lds_bytes ? load_le32(w->lds + at) : 0;

        if (!(l.ok[0] >> lane & 1))
            continue;
        vmem_write_lane(w, l.va[lane], &m, 4);
        w->counters.written_bytes += 4;
        w->counters.lds_bytes += 4;
    }
}

/* Lanes at equal distances; false when the other way must be taken. */
static bool load_run(struct wave *w, unsigned dst, const struct run *r, unsigned n)
{
    const uint8_t *p = vmem_host(w, r->va, 63 * (uint64_t)r->step + 4 * n, MEM_R);
    uint32_t *last = vmem_vgpr_out(w, dst, n - 1);

    if (!p || !last)
        return false;
    vmem_touch_run(w, p, r->step, 4 * n, false);
    vmem_run_load(last - 64 * (n - 1), p, r->step, n);
    w->counters.read_bytes += 256 * n;
    return true;
}

static bool store_run(struct wave *w, unsigned src, const struct run *r, unsigned n)
{
    uint8_t *p = vmem_host(w, r->va, 63 * (uint64_t)r->step + 4 * n, MEM_W);
    const uint32_t *last = vmem_vgpr_out(w, src, n - 1);

    if (!p || !last)
        return false;
    if (vmem_touch_run(w, p, r->step, 4 * n, true))
        vmem_run_store(p, last - 64 * (n - 1), r->step, n);
    w->counters.written_bytes += 256 * n;
    return true;
}

/* GFX6 drops the low bits of an untyped element's address. Later chips do so too unless
 * SH_MEM_CONFIG.ALIGNMENT_MODE says otherwise, as drivers have it. */
static bool drops_low_bits(const struct wave *w)
{
    return w->gen == GFX6;
}

static void align_lanes(const struct wave *w, struct lanes *l, unsigned bytes)
{
    for (unsigned t = 0; t < 64 && drops_low_bits(w); t++)
        l->va[t] &= ~(uint64_t)(bytes - 1);
}

static bool run_is_aligned(const struct wave *w, const struct run *r)
{
    return !drops_low_bits(w) || ((r->va | r->step) & 3) == 0;
}

void vmem_buffer_load(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n)
{
    struct vsharp v;
    struct lanes l;
    struct run r;

    vmem_decode_vsharp(w, &w->s[in->base & 0xfc], &v);
    if (t == VM_DW && !in->lds &&
        vmem_buffer_run(w, in, &v, 4 * n, &r) && run_is_aligned(w, &r) &&
        load_run(w, in->dst, &r, n)) {
        if (in->tfe)
            vmem_tfe(w, in->dst, n);
        return;
    }
    vmem_buffer_lanes(w, in, &v, vmem_data_bytes(t), n, &l);
    align_lanes(w, &l, vmem_data_bytes(t));
    if (in->lds) {
        load_to_lds(w, in, &l, t);
        return;
    }
    load_lanes(w, in->dst, &l, t, n);
    if (in->tfe)
        vmem_tfe(w, in->dst, n);
}

void vmem_buffer_store(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n)
{
    struct vsharp v;
    struct lanes l;
    struct run r;

    vmem_decode_vsharp(w, &w->s[in->base & 0xfc], &v);
    if (t == VM_DW &&
        vmem_buffer_run(w, in, &v, 4 * n, &r) && run_is_aligned(w, &r) &&
        store_run(w, in->data, &r, n))
        return;
    vmem_buffer_lanes(w, in, &v, vmem_data_bytes(t), n, &l);
    align_lanes(w, &l, vmem_data_bytes(t));
    store_lanes(w, in->data, &l, t, n);
}

void vmem_buffer_atomic(struct wave *w, const struct insn *in, enum vmem_atomic op, bool wide)
{
    struct vsharp v;
    struct lanes l;

    vmem_decode_vsharp(w, &w->s[in->base & 0xfc], &v);
    vmem_buffer_lanes(w, in, &v, wide ? 8 : 4, 1, &l);
    atomic_lanes(w, in, &l, 0, op, wide);
    if (in->tfe && in->dst != OPD_NONE)
        vmem_tfe(w, in->dst, wide ? 2 : 1);
}

/* ---- FLAT --------------------------------------------------------------------------------- */

/* Lanes that point into LDS; the others have been done through memory before. */
static void flat_lds(struct wave *w, const struct insn *in, const struct lanes *l, uint64_t lds,
                     enum vmem_data t, unsigned n, bool store)
{
    unsigned bytes = vmem_data_bytes(t);

    for (unsigned lane = 0; lane < 64; lane++) {
        uint64_t at = l->va[lane];

        if (!(lds >> lane & 1))
            continue;
        w->counters.lds_bytes += bytes * n;
        for (unsigned i = 0; i < n; i++, at += bytes) {
            bool inside = at + bytes <= w->lds_bytes;
            uint32_t m = 0;

            if (store) {
                m = vmem_narrow(t, vmem_vgpr(w, in->data + i)[lane]);
                if (inside)
                    memcpy(w->lds + at, &m, bytes);
            } else {
                uint32_t *out = vmem_vgpr_out(w, in->dst, i);

                if (inside)
                    memcpy(&m, w->lds + at, bytes);
                if (out)
                    out[lane] = vmem_widen(t, m, out[lane]);
            }
        }
    }
}

void vmem_flat_load(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n)
{
    struct lanes l;
    uint64_t lds, scratch, exec = wave_exec(w);
    struct run r;

    if (t == VM_DW && !in->lds && vmem_flat_run(w, in, &r) && load_run(w, in->dst, &r, n))
        return;
    flat_lanes(w, in, n, &l, &lds, &scratch);
    if (in->lds) { /* GLOBAL and SCRATCH: one element, which scratch does not split */
        for (unsigned i = 0; i < 64; i++)
            if (scratch >> i & 1)
                l.va[i] = vmem_scratch_va(w, (uint32_t)l.va[i], i);
        load_to_lds(w, in, &l, t);
        return;
    }
    if (lds | scratch) {
        wave_set_exec(w, exec & ~(lds | scratch));
        for (unsigned i = 0; i < n; i++)
            l.ok[i] &= ~(lds | scratch);
        if (exec & ~(lds | scratch))
            load_lanes(w, in->dst, &l, t, n);
        wave_set_exec(w, exec);
        if (lds)
            flat_lds(w, in, &l, lds, t, n, false);
        if (scratch)
            vmem_scratch_load(w, in->dst, l.va, scratch, t, n);
        return;
    }
    load_lanes(w, in->dst, &l, t, n);
}

void vmem_flat_store(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n)
{
    struct lanes l;
    uint64_t lds, scratch, exec = wave_exec(w);
    struct run r;

    if (t == VM_DW && vmem_flat_run(w, in, &r) && store_run(w, in->data, &r, n))
        return;
    flat_lanes(w, in, n, &l, &lds, &scratch);
    if (lds | scratch) {
        wave_set_exec(w, exec & ~(lds | scratch));
        for (unsigned i = 0; i < n; i++)
            l.ok[i] &= ~(lds | scratch);
        if (exec & ~(lds | scratch))
            store_lanes(w, in->data, &l, t, n);
        wave_set_exec(w, exec);
        if (lds)
            flat_lds(w, in, &l, lds, t, n, true);
        if (scratch)
            vmem_scratch_store(w, in->data, l.va, scratch, t, n);
        return;
    }
    store_lanes(w, in->data, &l, t, n);
}

void vmem_flat_atomic(struct wave *w, const struct insn *in, enum vmem_atomic op, bool wide)
{
    struct lanes l;
    uint64_t lds, scratch;

    flat_lanes(w, in, 1, &l, &lds, &scratch);
    if (scratch && wide)
        loud_report(w->loud, LOUD_OTHER, UINT64_C(0x73637261) << 32 | (uint32_t)w->insn_va,
                    "an atomic of 64 bits on scratch at 0x%llx: its dwords do not lie together",
                    (unsigned long long)w->insn_va);
    for (unsigned t = 0; t < 64; t++)
        if (scratch >> t & 1)
            l.va[t] = vmem_scratch_va(w, (uint32_t)l.va[t] & ~3u, t);
    atomic_lanes(w, in, &l, lds, op, wide);
}
