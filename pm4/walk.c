/* The packet walker: cuts a buffer of dwords into packets and finds the register writes among them.
 *
 * It executes nothing and never reads outside the buffer, whatever the bytes are.
 * Header layout: bits 31:30 type; type 3: 29:16 dwords of body - 1, 15:8 opcode, 1 shader type,
 * 0 predicate; type 0: 29:16 dwords of body - 1, 15:0 dword index of the first register; type 2:
 * one dword of padding. Type 1 has not existed since R600.
 * Sources: Linux cikd.h (PACKET_TYPE0..3), AMD's PAL, Mesa's sid.h. */
#include "pm4/pm4.h"

#define NOP_PAD_COUNT 0x3fff /* a NOP with this count is its header alone (GFX7+ firmware) */

void pm4_walk(struct pm4_walker *w, enum gfx gen, const void *bytes, uint32_t dw)
{
    w->gen = gen;
    w->bytes = bytes;
    w->dw = dw;
    w->at_dw = 0;
}

int pm4_next(struct pm4_walker *w, struct pm4_packet *out, struct err *e)
{
    if (w->at_dw >= w->dw)
        return 0;

    const uint8_t *at = w->bytes + 4 * (size_t)w->at_dw;
    uint32_t header = load_le32(at);
    uint32_t left_dw = w->dw - w->at_dw - 1;
    struct pm4_packet p = {
        .type = bits(header, 30, 31),
        .header = header,
        .body = at + 4,
        .offset_dw = w->at_dw,
    };

    switch (p.type) {
    case 3:
        p.opcode = bits(header, 8, 15);
        p.predicate = bits(header, 0, 0);
        p.compute = bits(header, 1, 1);
        p.body_dw = bits(header, 16, 29) + 1;
        if (p.opcode == PM4_NOP && p.body_dw == NOP_PAD_COUNT + 1)
            p.body_dw = 0;
        break;
    case 2:
        break;
    case 0:
        p.opcode = bits(header, 0, 15);
        p.body_dw = bits(header, 16, 29) + 1;
        break;
    default:
        return err_set(e, "dword 0x%x of the buffer: 0x%08x is a packet of type 1, which no GCN "
                          "chip has", w->at_dw, header);
    }
    if (p.body_dw > left_dw) {
        const struct pm4_desc *d = p.type == 3 ? pm4_describe(w->gen, p.opcode) : NULL;
        return err_set(e, "dword 0x%x of the buffer: packet 0x%08x (%s) has %u dwords of body, but "
                          "the buffer has %u more", w->at_dw, header,
                       d ? d->name : p.type ? "unknown opcode" : "type 0", p.body_dw, left_dw);
    }
    w->at_dw += 1 + p.body_dw;
    *out = p;
    return 1;
}

int pm4_sdma_next(struct pm4_walker *w, struct pm4_packet *out, struct err *e)
{
    if (w->at_dw >= w->dw)
        return 0;

    const uint8_t *at = w->bytes + 4 * (size_t)w->at_dw;
    uint32_t left_dw = w->dw - w->at_dw - 1;
    struct pm4_sdma_count count;
    struct pm4_packet p = {
        .type = PM4_TYPE_SDMA,
        .header = load_le32(at),
        .body = at + 4,
        .offset_dw = w->at_dw,
    };
    const struct pm4_desc *d = pm4_sdma_describe(w->gen, p.header, &count);
    if (!d)
        return err_set(e, "dword 0x%x of the buffer: 0x%08x begins no DMA packet of %s", w->at_dw,
                       p.header, gfx_name(w->gen));

    uint64_t body_dw = d->dword_count;
    if (count.at != PM4_SDMA_NO_COUNT) {
        body_dw -= 1; /* the data is counted */
        if (count.at == PM4_SDMA_COUNT_IN_HEADER)
            body_dw += pm4_get(p.header, count.field) + count.add;
        else if ((uint32_t)count.at < left_dw)
            body_dw += pm4_get(load_le32(p.body + 4 * count.at), count.field) + count.add;
    }
    if (body_dw > left_dw)
        return err_set(e, "dword 0x%x of the buffer: DMA packet 0x%08x (%s) has %llu dwords of body, "
                          "but the buffer has %u more", w->at_dw, p.header, d->name,
                       (unsigned long long)body_dw, left_dw);
    p.body_dw = (uint32_t)body_dw;
    w->at_dw += 1 + p.body_dw;
    *out = p;
    return 1;
}

uint32_t pm4_register_writes(enum gfx gen, const struct pm4_packet *p, uint32_t *first,
                             uint32_t *value_dw, uint32_t *index)
{
    if (p->type == 0) {
        *first = p->opcode * 4;
        *value_dw = 0;
        *index = 0;
        return p->body_dw;
    }
    if (p->type != 3 || p->body_dw < 2)
        return 0;

    const struct pm4_desc *d = pm4_describe(gen, p->opcode);
    if (!d || !d->sets_regs)
        return 0;

    uint32_t where = pm4_dw(p, 0);
    *first = d->reg_base + 4 * bits(where, 0, 15);
    *value_dw = 1;
    *index = bits(where, 28, 31);
    return p->body_dw - 1;
}

uint32_t pm4_header(unsigned opcode, uint32_t body_dw, bool compute)
{
    return 3u << 30 | ((body_dw - 1) & 0x3fff) << 16 | (opcode & 0xff) << 8 |
           (uint32_t)compute << 1;
}
