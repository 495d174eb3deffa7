/* buffer_load/store_format_* and tbuffer_load/store_format_*: converts by the V#'s format (MUBUF,
 * through DST_SEL) or the instruction's (MTBUF, components as they are).
 *
 * A texel is in range or out of it as a whole. Out of range reads give zero in every component.
 * Source: the vector memory chapters of the ISA manuals; docs/errata.md, E-format-range. */
#include "isa/vmem_priv.h"

enum { SEL_0 = 0, SEL_1 = 1, SEL_X = 4 };

struct access {
    struct mem_format format;
    unsigned bytes;     /* of a texel */
    unsigned components;
    uint8_t sel[4];
    bool integer;
    struct vsharp v;
    struct lanes l;     /* set_lanes() */
};

/* False when there is no such format: loud, and nothing is read or written. */
static bool prepare(struct wave *w, const struct insn *in, struct access *a)
{
    unsigned dfmt, nfmt;
    const struct mem_layout_info *info;

    a->integer = false;
    a->l.ok[0] = 0;
    vmem_decode_vsharp(w, &w->s[in->base & 0xfc], &a->v);
    if (in->enc == ENC_MTBUF) {
        static const uint8_t identity[4] = {SEL_X, SEL_X + 1, SEL_X + 2, SEL_X + 3};

        dfmt = in->dfmt;
        nfmt = in->nfmt;
        memcpy(a->sel, identity, sizeof a->sel);
    } else {
        dfmt = a->v.dfmt;
        nfmt = a->v.nfmt;
        memcpy(a->sel, a->v.sel, sizeof a->sel);
    }
    if (!mem_format_buffer(w->gen, dfmt, nfmt, &a->format)) {
        loud_report(w->loud, LOUD_FORMAT, dfmt | nfmt << 16,
                    "buffer format %u, number format %u at PC 0x%llx", dfmt, nfmt,
                    (unsigned long long)w->insn_va);
        return false;
    }
    info = mem_layout_info(a->format.layout);
    a->bytes = info->bits / 8;
    a->components = info->components;
    a->integer = a->format.num == MEM_UINT || a->format.num == MEM_SINT;
    return true;
}

static void set_lanes(struct wave *w, const struct insn *in, struct access *a)
{
    vmem_buffer_lanes(w, in, &a->v, a->bytes, 1, &a->l);
}

static void no_function(struct wave *w, const struct access *a, const char *verb)
{
    loud_report(w->loud, LOUD_FORMAT, a->format.layout | a->format.num << 16 | 1u << 31,
                "%s of buffer format %s %s at PC 0x%llx", verb,
                mem_layout_info(a->format.layout)->name, mem_num_name(a->format.num),
                (unsigned long long)w->insn_va);
}

/* Component i of the result: what DST_SEL takes out of the texel. */
static uint32_t select(const struct access *a, const uint32_t texel[4], unsigned i)
{
    unsigned s = a->sel[i];

    if (s >= SEL_X)
        return texel[s - SEL_X];
    return s == SEL_1 ? (a->integer ? 1 : f32_bits(1)) : 0;
}

static uint32_t to_half(const struct access *a, uint32_t v)
{
    return a->integer ? v & 0xffff : mem_f32_to_f16(v);
}

static uint32_t from_half(const struct access *a, uint32_t v)
{
    if (!a->integer)
        return mem_f16_to_f32((uint16_t)v);
    return a->format.num == MEM_SINT ? (uint32_t)(int16_t)v : v & 0xffff;
}

/* Put component i into the lane's VGPRs. */
static void put(struct wave *w, const struct access *a, unsigned dst, unsigned i, unsigned lane,
                enum vmem_d16 d16, uint32_t v)
{
    bool packed = d16 == D16_HALVES && !w->d16_unpacked;
    uint32_t *out = vmem_vgpr_out(w, dst, packed ? i / 2 : i);

    if (!out)
        return;
    if (d16 == D16_NONE) {
        out[lane] = v;
        return;
    }
    v = to_half(a, v);
    if (d16 == D16_HI)
        out[lane] = (out[lane] & 0xffff) | v << 16;
    else if (packed && i % 2)
        out[lane] |= v << 16; /* its even neighbour has cleared it */
    else
        out[lane] = v;
}

static uint32_t get(const struct wave *w, const struct access *a, unsigned src, unsigned i,
                    unsigned lane, enum vmem_d16 d16)
{
    bool packed = d16 == D16_HALVES && !w->d16_unpacked;
    uint32_t v = vmem_vgpr(w, src + (packed ? i / 2 : i))[lane];

    if (d16 == D16_NONE)
        return v;
    return from_half(a, d16 == D16_HI || (packed && i % 2) ? v >> 16 : v & 0xffff);
}

/* How an access that needs no lane-by-lane care becomes dwords. */
struct plan {
    mem_unpack_fn unpack;
    unsigned components; /* of the texel */
    bool dwords;         /* that are dwords: nothing to convert */
    uint32_t texel[6];   /* what unpack writes; then 0 and 1 */
    unsigned from[4];    /* which of these each component of the result takes */
};

static void make_plan(const struct access *a, mem_unpack_fn unpack, unsigned n, struct plan *p)
{
    uint32_t one = a->integer ? 1 : f32_bits(1);

    *p = (struct plan){unpack, a->components, false, {0, 0, 0, one, 0, one}, {0}};
    p->dwords = a->bytes == 4 * a->components && (a->integer || a->format.num == MEM_FLOAT);
    for (unsigned i = 0; i < n; i++)
        p->from[i] = a->sel[i] >= SEL_X ? a->sel[i] - SEL_X : a->sel[i] == SEL_1 ? 5 : 4;
}

static inline void load_planned(struct plan *p, const uint8_t *q, uint32_t *out, unsigned n)
{
    if (p->dwords) {
        for (unsigned i = 0; i < n; i++)
            out[64 * i] = p->from[i] < p->components ? load_le32(q + 4 * p->from[i])
                                                     : p->texel[p->from[i]];
    } else {
        p->unpack(q, p->texel);
        for (unsigned i = 0; i < n; i++)
            out[64 * i] = p->texel[p->from[i]];
    }
}

/* All lanes active, at equal distances, in range and in one mapping: false when it is not so. */
static bool load_run(struct wave *w, const struct insn *in, const struct access *a,
                     mem_unpack_fn unpack, unsigned n)
{
    uint32_t *out = vmem_vgpr_out(w, in->dst, n - 1);
    bool straight = a->components == n;
    const uint8_t *q;
    struct run r;
    struct plan p;

    if (!out || !vmem_buffer_run(w, in, &a->v, a->bytes, &r))
        return false;
    q = vmem_host(w, r.va, 63 * (uint64_t)r.step + a->bytes, MEM_R);
    if (!q)
        return false;
    vmem_touch_run(w, q, r.step, a->bytes, false);
    out -= 64 * (n - 1);
    make_plan(a, unpack, n, &p);
    for (unsigned i = 0; i < n; i++)
        straight &= p.from[i] == i;
    if (p.dwords && straight)
        vmem_run_load(out, q, r.step, n);
    else
        for (unsigned t = 0; t < 64; t++)
            load_planned(&p, q + t * (size_t)r.step, out + t, n);
    w->counters.read_bytes += 64 * a->bytes;
    return true;
}

/* All active lanes in range and in one mapping: false when it is not so. */
static bool load_at_once(struct wave *w, const struct access *a, mem_unpack_fn unpack,
                         unsigned dst, unsigned n)
{
    uint64_t exec = wave_exec(w);
    uint32_t *out = vmem_vgpr_out(w, dst, n - 1), above[64] __attribute__((aligned(64)));
    const uint8_t *q;
    struct plan p;

    if (!out || exec & ~a->l.ok[0])
        return false;
    q = vmem_host_of_lanes(w, &a->l, exec, a->bytes, MEM_R, above);
    if (!q)
        return false;
    vmem_touch_lanes(w, exec, q, above, a->bytes, false);
    out -= 64 * (n - 1);
    make_plan(a, unpack, n, &p);
    for (uint64_t left = exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);

        load_planned(&p, q + above[lane], out + lane, n);
    }
    w->counters.read_bytes += (uint64_t)a->bytes * (unsigned)__builtin_popcountll(exec);
    return true;
}

void vmem_format_load(struct wave *w, const struct insn *in, unsigned n, enum vmem_d16 d16)
{
    struct access a;
    bool known = prepare(w, in, &a);
    mem_unpack_fn unpack = known ? mem_unpacker(a.format) : NULL;
    uint64_t exec = wave_exec(w);

    if (known && !unpack)
        no_function(w, &a, "load");
    if (unpack && d16 == D16_NONE && load_run(w, in, &a, unpack, n)) {
        exec = 0; /* done */
    } else if (unpack) {
        set_lanes(w, in, &a);
        if (d16 == D16_NONE && load_at_once(w, &a, unpack, in->dst, n))
            exec = 0;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t texel[4] = {0};
        uint8_t raw[16] = {0};
        bool in_range = unpack && (a.l.ok[0] >> lane & 1);

        if (!(exec >> lane & 1))
            continue;
        if (in_range) {
            vmem_read_lane(w, a.l.va[lane], raw, a.bytes);
            w->counters.read_bytes += a.bytes;
            unpack(raw, texel);
        }
        for (unsigned i = 0; i < n; i++)
            put(w, &a, in->dst, i, lane, d16, in_range ? select(&a, texel, i) : 0);
    }
    if (in->tfe)
        vmem_tfe(w, in->dst, d16 == D16_HALVES && !w->d16_unpacked ? (n + 1) / 2 : n);
}

void vmem_format_store(struct wave *w, const struct insn *in, unsigned n, enum vmem_d16 d16)
{
    struct access a;
    bool known = prepare(w, in, &a);
    mem_pack_fn pack = known ? mem_packer(a.format) : NULL;

    if (known && !pack)
        no_function(w, &a, "store");
    if (!pack)
        return;
    set_lanes(w, in, &a);
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t texel[4] = {0};
        uint8_t raw[16] = {0};

        if (!(a.l.ok[0] >> lane & 1))
            continue;
        for (unsigned i = 0; i < n; i++)
            if (a.sel[i] >= SEL_X)
                texel[a.sel[i] - SEL_X] = get(w, &a, in->data, i, lane, d16);
        pack(texel, raw);
        vmem_write_lane(w, a.l.va[lane], raw, a.bytes);
        w->counters.written_bytes += a.bytes;
    }
}
