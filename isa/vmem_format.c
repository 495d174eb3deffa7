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
    struct lanes l;
};

/* False when there is no such format: loud, and nothing is read or written. */
static bool prepare(struct wave *w, const struct insn *in, struct access *a)
{
    struct vsharp v;
    unsigned dfmt, nfmt;
    const struct mem_layout_info *info;

    vmem_decode_vsharp(w, &w->s[in->base & 0xfc], &v);
    if (in->enc == ENC_MTBUF) {
        static const uint8_t identity[4] = {SEL_X, SEL_X + 1, SEL_X + 2, SEL_X + 3};

        dfmt = in->dfmt;
        nfmt = in->nfmt;
        memcpy(a->sel, identity, sizeof a->sel);
    } else {
        dfmt = v.dfmt;
        nfmt = v.nfmt;
        memcpy(a->sel, v.sel, sizeof a->sel);
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
    vmem_buffer_lanes(w, in, &v, a->bytes, 1, &a->l);
    return true;
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

void vmem_format_load(struct wave *w, const struct insn *in, unsigned n, enum vmem_d16 d16)
{
    struct access a = {0};
    bool known = prepare(w, in, &a);
    mem_unpack_fn unpack = known ? mem_unpacker(a.format) : NULL;
    uint64_t exec = wave_exec(w);

    if (known && !unpack)
        no_function(w, &a, "load");
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
    struct access a = {0};
    bool known = prepare(w, in, &a);
    mem_pack_fn pack = known ? mem_packer(a.format) : NULL;

    if (known && !pack)
        no_function(w, &a, "store");
    if (!pack)
        return;
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
