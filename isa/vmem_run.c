/* vmem_run.c: memory instructions of whole waves whose lanes lie at equal distances: lane t at
 * va + t * step. Most loads and stores of real programs are such (buffers indexed by the thread's number,
 * rows of vertices), and are one range check and a few moves of the host instead of 64 of each.
 * What is not, or lies in more than one mapping, or out of range, goes lane by lane in vmem.c with
 * the same result. */
#include "isa/vmem_priv.h"

typedef uint32_t u32x4 __attribute__((vector_size(16), may_alias));

/* Beyond this distance nothing is gained, and sums below cannot overflow. */
enum { STEP_MAX = 1 << 16 };

static u32x4 load4(const void *p)
{
    u32x4 v;

    memcpy(&v, p, sizeof v);
    return v;
}

static void store4(void *p, u32x4 v)
{
    memcpy(p, &v, sizeof v);
}

/* The last value of a sequence of 64 that does not wrap; false when it does. */
static bool last(uint32_t first, uint32_t step, uint32_t *out)
{
    uint64_t v = first + 63 * (uint64_t)step;

    *out = (uint32_t)v;
    return step <= STEP_MAX && v <= UINT32_MAX;
}

bool vmem_buffer_run(const struct wave *w, const struct insn *in, const struct vsharp *v,
                     unsigned bytes, struct run *r)
{
    uint32_t soffset = vmem_soffset(w, in);
    uint32_t idx = 0, didx = v->add_tid, off = 0, doff = 0, idx_end, at, at_end;

    if (~wave_exec(w) || in->addr64 || v->swizzle)
        return false;
    if (in->idxen) {
        const uint32_t *index = vmem_vgpr(w, in->vaddr);
        uint32_t d;

        if (!w->priv.lanes->affine(index, &d))
            return false;
        idx = index[0];
        didx += d;
    }
    if (in->offen) {
        const uint32_t *offset = vmem_vgpr(w, in->vaddr + (in->idxen ? 1u : 0u));

        if (!w->priv.lanes->affine(offset, &doff))
            return false;
        off = offset[0];
    }
    at = idx * v->stride + off + (uint32_t)in->offset;
    r->step = didx * v->stride + doff;
    if (!last(idx, didx, &idx_end) || !last(at, r->step, &at_end))
        return false;
    if (vmem_counts_records(w, in, v)) {
        if (idx_end >= v->num_records)
            return false;
    } else if ((uint64_t)at_end + soffset + bytes > v->num_records) {
        return false;
    }
    r->va = v->base + soffset + at;
    return true;
}

bool vmem_flat_run(const struct wave *w, const struct insn *in, struct run *r)
{
    const uint32_t *lo, *hi;
    uint64_t base = (uint64_t)(int64_t)in->offset;
    uint32_t zero, end;

    if (~wave_exec(w) || in->enc == ENC_SCRATCH)
        return false;
    lo = vmem_vgpr(w, in->vaddr);
    if (!w->priv.lanes->affine(lo, &r->step) || !last(lo[0], r->step, &end))
        return false;
    if (in->enc == ENC_GLOBAL && in->saddr != OPD_NONE) {
        r->va = wave_s64(w, in->saddr & 0xff) + base + lo[0];
        return true;
    }
    hi = vmem_vgpr(w, in->vaddr + 1u);
    if (!w->priv.lanes->affine(hi, &zero) || zero)
        return false;
    r->va = (lo[0] | (uint64_t)hi[0] << 32) + base;
    if (in->enc == ENC_FLAT && (w->flat.shared_hi || w->flat.private_hi)) {
        uint64_t first = r->va >> 32, upper = (r->va + 63 * (uint64_t)r->step) >> 32;

        /* Addresses of an aperture are not memory's. */
        if (first != upper || (w->flat.shared_hi && first == w->flat.shared_hi) ||
            (w->flat.private_hi && first == w->flat.private_hi))
            return false;
    }
    return true;
}

/* n dwords a lane; n is a constant where this is inlined. */
static inline __attribute__((always_inline)) void load_n(uint32_t *out, const uint8_t *p,
                                                         uint32_t step, unsigned n)
{
    for (unsigned t = 0; t < 64; t++, p += step)
        for (unsigned i = 0; i < n; i++)
            out[64 * i + t] = load_le32(p + 4 * i);
}

static inline __attribute__((always_inline)) void store_n(uint8_t *p, const uint32_t *in,
                                                          uint32_t step, unsigned n)
{
    for (unsigned t = 0; t < 64; t++, p += step)
        for (unsigned i = 0; i < n; i++)
            store_le32(p + 4 * i, in[64 * i + t]);
}

/* Rows to columns. */
static inline __attribute__((always_inline)) void transpose(u32x4 r[4])
{
    u32x4 a = __builtin_shuffle(r[0], r[1], (u32x4){0, 4, 1, 5});
    u32x4 b = __builtin_shuffle(r[0], r[1], (u32x4){2, 6, 3, 7});
    u32x4 c = __builtin_shuffle(r[2], r[3], (u32x4){0, 4, 1, 5});
    u32x4 d = __builtin_shuffle(r[2], r[3], (u32x4){2, 6, 3, 7});

    r[0] = __builtin_shuffle(a, c, (u32x4){0, 1, 4, 5});
    r[1] = __builtin_shuffle(a, c, (u32x4){2, 3, 6, 7});
    r[2] = __builtin_shuffle(b, d, (u32x4){0, 1, 4, 5});
    r[3] = __builtin_shuffle(b, d, (u32x4){2, 3, 6, 7});
}

static void load_4(uint32_t *out, const uint8_t *p, uint32_t step)
{
    for (unsigned t = 0; t < 64; t += 4, p += 4 * (size_t)step) {
        u32x4 r[4] = {load4(p), load4(p + step), load4(p + 2 * (size_t)step),
                      load4(p + 3 * (size_t)step)};

        transpose(r);
        for (unsigned i = 0; i < 4; i++)
            store4(out + 64 * i + t, r[i]);
    }
}

static void store_4(uint8_t *p, const uint32_t *in, uint32_t step)
{
    for (unsigned t = 0; t < 64; t += 4, p += 4 * (size_t)step) {
        u32x4 r[4] = {load4(in + t), load4(in + 64 + t), load4(in + 128 + t), load4(in + 192 + t)};

        transpose(r);
        for (unsigned i = 0; i < 4; i++)
            store4(p + i * (size_t)step, r[i]);
    }
}

void vmem_run_load(uint32_t *out, const uint8_t *p, uint32_t step, unsigned n)
{
    switch (n) {
    case 1:
        if (step == 4)
            memcpy(out, p, 256);
        else
            load_n(out, p, step, 1);
        break;
    case 2: load_n(out, p, step, 2); break;
    case 3: load_n(out, p, step, 3); break;
    default: load_4(out, p, step);
    }
}

void vmem_run_store(uint8_t *p, const uint32_t *in, uint32_t step, unsigned n)
{
    switch (n) {
    case 1:
        if (step == 4)
            memcpy(p, in, 256);
        else
            store_n(p, in, step, 1);
        break;
    case 2: store_n(p, in, step, 2); break;
    case 3: store_n(p, in, step, 3); break;
    default: store_4(p, in, step);
    }
}
