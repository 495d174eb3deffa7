/* SMRD (GFX6/7) and SMEM (GFX8/9): scalar loads, stores, atomics.
 *
 * Addresses are dword-aligned: the low two bits of base and offset are dropped. Destinations that
 * run past the last SGPR are dropped. Source: the "Scalar Memory Operations" chapters of the four
 * ISA manuals; NUM_RECORDS of scalar buffer loads counts bytes when STRIDE is 0, records
 * otherwise, on every generation (Mesa's radeonsi). */
#include "isa/vmem_priv.h"

/* The offset of an instruction in bytes. */
static uint32_t offset_bytes(const struct wave *w, const struct insn *in)
{
    uint32_t reg = in->soffset == OPD_NONE ? 0 : w->s[in->soffset & 0xff];

    if (w->gen <= GFX7) /* the immediate (or GFX7's literal) counts dwords, a register bytes */
        return in->soffset == OPD_NONE ? (uint32_t)in->offset * 4 : reg;
    return (uint32_t)in->offset + reg;
}

static void write_sgpr(struct wave *w, unsigned r, uint32_t value)
{
    if (r == SREG_EXEC)
        wave_set_exec(w, (wave_exec(w) & ~(uint64_t)UINT32_MAX) | value);
    else if (r == SREG_EXEC + 1)
        wave_set_exec(w, (uint32_t)wave_exec(w) | (uint64_t)value << 32);
    else if (r < SREG_CONST)
        w->s[r] = value;
}

static struct mem_who who(const struct wave *w)
{
    return (struct mem_who){MEM_SCALAR, w->insn_va, w->id};
}

static uint32_t load_dword(struct wave *w, uint64_t va)
{
    const uint8_t *p = vmem_host(w, va, 4, MEM_R);
    uint32_t v = 0;

    if (p) {
        vmem_touch(w, p, 4, false);
        return load_le32(p);
    }
    if (vmem_gives_up(w))
        return 0;
    struct mem_who me = who(w);

    if (!mem_read(w->vm, va, &v, 4, &me))
        isa_memory_violation(w);
    return v;
}

static void store_dword(struct wave *w, uint64_t va, uint32_t v)
{
    uint8_t *p = vmem_host(w, va, 4, MEM_W);

    if (p) {
        if (vmem_touch(w, p, 4, true))
            store_le32(p, v);
        return;
    }
    if (vmem_gives_up(w))
        return;
    struct mem_who me = who(w);

    if (!mem_write(w->vm, va, &v, 4, &me))
        isa_memory_violation(w);
}

/* Address of the first dword, and how many bytes from there are in range. */
static uint64_t address(const struct wave *w, const struct insn *in, bool buffer,
                        uint64_t *in_range)
{
    uint32_t off = offset_bytes(w, in) & ~3u;

    if (buffer) {
        const uint32_t *d = &w->s[in->base & 0xfc];
        uint64_t base = d[0] | (uint64_t)bits(d[1], 0, 15) << 32;
        uint64_t stride = bits(d[1], 16, 29);
        uint64_t size = d[2] * (stride ? stride : 1);

        *in_range = size > off ? size - off : 0;
        return (base & ~UINT64_C(3)) + off;
    }
    *in_range = UINT64_MAX;
    /* GFX9's immediate is signed (21 bits); so is what the decoder puts into offset. */
    return (wave_s64(w, in->base & 0xfe) & ~UINT64_C(3)) +
           (w->gen == GFX9 ? (uint64_t)(int64_t)(int32_t)off : off);
}

void vmem_scalar_load(struct wave *w, const struct insn *in, unsigned n, bool buffer)
{
    uint64_t in_range;
    uint64_t va = address(w, in, buffer, &in_range);
    uint32_t v[16];

    /* All dwords are read before any is written: the destination may hold the base. */
    for (unsigned i = 0; i < n; i++)
        v[i] = 4 * (uint64_t)i + 4 <= in_range ? load_dword(w, va + 4 * i) : 0;
    for (unsigned i = 0; i < n; i++)
        write_sgpr(w, in->dst + i, v[i]);
    w->counters.scalar_bytes += 4 * n;
}

void vmem_scalar_store(struct wave *w, const struct insn *in, unsigned n, bool buffer)
{
    uint64_t in_range;
    uint64_t va = address(w, in, buffer, &in_range);

    for (unsigned i = 0; i < n; i++)
        if (4 * (uint64_t)i + 4 <= in_range)
            store_dword(w, va + 4 * i, w->s[(in->data + i) & 0xff]);
    w->counters.scalar_bytes += 4 * n;
}

void vmem_scalar_atomic(struct wave *w, const struct insn *in, enum vmem_atomic op, bool wide,
                        bool buffer)
{
    unsigned bytes = wide ? 8 : 4, r = in->data & 0xff;
    uint64_t in_range, old = 0;
    uint64_t va = address(w, in, buffer, &in_range) & ~(uint64_t)(bytes - 1);
    uint64_t data = wide ? wave_s64(w, r) : w->s[r];
    uint64_t cmp = wide ? wave_s64(w, r + 2) : w->s[r + 1];

    if (in_range >= bytes && !vmem_gives_up(w)) {
        uint8_t *p = vmem_host(w, va, bytes, MEM_R | MEM_W);

        if (p) {
            old = vmem_atomic_host(p, op, wide, data, cmp);
        } else {
            struct mem_who me = who(w);

            mem_fault_record(w->vm, va, bytes, true, &me);
            isa_memory_violation(w);
        }
    }
    w->counters.scalar_bytes += 2 * bytes;
    if (in->glc) {
        write_sgpr(w, r, (uint32_t)old);
        if (wide)
            write_sgpr(w, r + 1, (uint32_t)(old >> 32));
    }
}

/* s_scratch_*: base is FLAT_SCRATCH-like (a 64-bit address in SGPRs), the register offset counts
 * units of 64 bytes (Vega ISA, S_SCRATCH_LOAD_DWORD). */
static uint64_t scratch_address(const struct wave *w, const struct insn *in)
{
    uint64_t reg = in->soffset == OPD_NONE ? 0 : w->s[in->soffset & 0xff];

    return (wave_s64(w, in->base & 0xfe) & ~UINT64_C(3)) + reg * 64 +
           ((uint64_t)(int64_t)in->offset & ~UINT64_C(3));
}

void vmem_scratch_scalar_load(struct wave *w, const struct insn *in, unsigned n)
{
    uint64_t va = scratch_address(w, in);
    uint32_t v[4];

    for (unsigned i = 0; i < n; i++)
        v[i] = load_dword(w, va + 4 * i);
    for (unsigned i = 0; i < n; i++)
        write_sgpr(w, in->dst + i, v[i]);
    w->counters.scalar_bytes += 4 * n;
}

void vmem_scratch_scalar_store(struct wave *w, const struct insn *in, unsigned n)
{
    uint64_t va = scratch_address(w, in);

    for (unsigned i = 0; i < n; i++)
        store_dword(w, va + 4 * i, w->s[(in->data + i) & 0xff]);
    w->counters.scalar_bytes += 4 * n;
}

void vmem_scalar_time(struct wave *w, const struct insn *in, bool real)
{
    uint64_t t = w->ops->memtime(w, real);

    write_sgpr(w, in->dst, (uint32_t)t);
    write_sgpr(w, in->dst + 1u, (uint32_t)(t >> 32));
}
