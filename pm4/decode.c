/* What the dwords of a packet say: the table applied to one packet, dword by dword. Printers (text,
 * JSON) are loops over pm4_item() and pm4_item_field(). Reads nothing but the packet. */
#include "pm4/pm4.h"

/* Dwords that hold a register's dword index when a field of another dword says so. */
static const struct {
    uint8_t opcode, at;
    uint8_t control_at;
    uint8_t value; /* of the field, that means registers */
    enum pm4_field_id field;
} reg_address[] = {
    {PM4_WRITE_DATA, PM4_AT(WRITE_DATA, DST_ADDR_LO), PM4_AT(WRITE_DATA, CONTROL),
     PM4V_WRITE_DST__MEM_MAPPED_REGISTER, PM4F_WRITE_CONTROL__DST_SEL},
    {PM4_COPY_DATA, PM4_AT(COPY_DATA, SRC_ADDR_LO), PM4_AT(COPY_DATA, CONTROL),
     PM4V_COPY_SRC__REGISTER, PM4F_COPY_CONTROL__SRC_SEL},
    {PM4_COPY_DATA, PM4_AT(COPY_DATA, DST_ADDR_LO), PM4_AT(COPY_DATA, CONTROL),
     PM4V_COPY_DST__REGISTER, PM4F_COPY_CONTROL__DST_SEL},
    {PM4_WAIT_REG_MEM, PM4_AT(WAIT_REG_MEM, ADDRESS_LO), PM4_AT(WAIT_REG_MEM, OP),
     PM4V_POLL_SPACE__REGISTER, PM4F_WAIT__MEM_SPACE},
    {PM4_WAIT_REG_MEM64, PM4_AT(WAIT_REG_MEM64, ADDRESS_LO), PM4_AT(WAIT_REG_MEM64, OP),
     PM4V_POLL_SPACE__REGISTER, PM4F_WAIT__MEM_SPACE},
    {PM4_COND_WRITE, PM4_AT(COND_WRITE, POLL_ADDRESS_LO), PM4_AT(COND_WRITE, CONTROL),
     PM4V_REG_OR_MEM__REGISTER, PM4F_COND_WRITE__POLL_SPACE},
    {PM4_COND_WRITE, PM4_AT(COND_WRITE, WRITE_ADDRESS_LO), PM4_AT(COND_WRITE, CONTROL),
     PM4V_WRITE_SPACE__REGISTER, PM4F_COND_WRITE__WRITE_SPACE},
    {PM4_REG_RMW, PM4_AT(REG_RMW, AND_MASK), PM4_AT(REG_RMW, CONTROL), PM4V_IMM_OR_REG__REGISTER,
     PM4F_REG_RMW__AND_MASK_SRC},
    {PM4_REG_RMW, PM4_AT(REG_RMW, OR_MASK), PM4_AT(REG_RMW, CONTROL), PM4V_IMM_OR_REG__REGISTER,
     PM4F_REG_RMW__OR_MASK_SRC},
};

bool pm4_item_register(enum gfx gen, const struct pm4_packet *p, uint32_t i, uint32_t *offset)
{
    const struct pm4_desc *d = pm4_layout(gen, p);
    if (!d || i >= p->body_dw || p->type != 3)
        return false;

    const struct pm4_dword *dw = pm4_dword_at(d, i);
    if (!dw)
        return false;
    if (d->reg_base && !strcmp(dw->name, "REG_OFFSET")) {
        *offset = d->reg_base + 4 * bits(pm4_dw(p, i), 0, 15);
        return true;
    }
    if (p->opcode == PM4_REG_RMW && i == PM4_AT(REG_RMW, CONTROL)) {
        *offset = 4 * pm4_get(pm4_dw(p, i), PM4F_REG_RMW__MOD_ADDR);
        return true;
    }
    for (size_t k = 0; k < ARRAY_LEN(reg_address); k++) {
        if (reg_address[k].opcode != p->opcode || reg_address[k].at != i)
            continue;
        uint32_t control = pm4_dw(p, reg_address[k].control_at);
        if (pm4_get(control, reg_address[k].field) != reg_address[k].value)
            return false;
        *offset = 4 * bits(pm4_dw(p, i), 0, 17);
        return true;
    }
    return false;
}

/* "X_HI" after "X_LO", and the register pair VGT_DMA_BASE, VGT_DMA_BASE_HI. */
static bool is_pair(const char *lo, const char *hi)
{
    size_t n = strlen(hi);
    if (n < 4 || strcmp(hi + n - 3, "_HI"))
        return false;
    if (strncmp(lo, hi, n - 3))
        return false;
    return !lo[n - 3] || !strcmp(lo + n - 3, "_LO");
}

/* The part of a half that belongs to the 64-bit number: its field named so, or all of it. */
static uint32_t half(const struct pm4_dword *dw, uint32_t value)
{
    for (unsigned i = 0; i < dw->field_count; i++) {
        const struct pm4_field *f = &dw->fields[i];
        if (strstr(f->name, "ADDR"))
            return bits(value, f->lo, f->hi) << (f->lo == 2 ? 2 : 0);
    }
    return value;
}

void pm4_item(enum gfx gen, unsigned ext, const struct pm4_packet *p, uint32_t i,
              struct pm4_item *out)
{
    uint32_t first, value_dw, index;
    uint32_t writes = pm4_register_writes(gen, p, &first, &value_dw, &index);

    *out = (struct pm4_item){.value = pm4_dw(p, i)};
    if (writes && i >= value_dw) {
        out->writes_reg = true;
        out->reg_offset = first + 4 * (i - value_dw);
        out->reg = regs_by_offset(gen, ext, out->reg_offset);
        out->name = out->reg ? out->reg->name : NULL;
        return;
    }

    const struct pm4_desc *d = pm4_layout(gen, p);
    const struct pm4_dword *dw = d ? pm4_dword_at(d, i) : NULL;
    if (!dw && d && p->type == PM4_TYPE_SDMA) /* data past the named dwords */
        dw = &d->dwords[d->dword_count - 1];
    if (!dw)
        return;
    out->dword = dw;
    out->name = dw->name;
    if (dw->reg)
        out->reg = regs_by_name(gen, ext, dw->reg);

    const struct pm4_dword *before = i ? pm4_dword_at(d, i - 1) : NULL;
    if (before && is_pair(before->name, dw->name)) {
        out->has_u64 = true;
        out->u64 = half(before, pm4_dw(p, i - 1)) | (uint64_t)half(dw, out->value) << 32;
    }
}

static void table_field(enum gfx gen, unsigned ext, const struct pm4_field *f, uint32_t dw,
                        struct pm4_item_field *out)
{
    out->name = f->name;
    out->lo = f->lo;
    out->hi = f->hi;
    out->value = bits(dw, f->lo, f->hi);
    out->text = NULL;
    for (unsigned i = 0; i < f->entry_count; i++)
        if (f->entries[i].value == out->value)
            out->text = f->entries[i].name;
    if (f->like_reg) {
        const struct reg *r = regs_by_name(gen, ext, f->like_reg);
        const struct reg_field *rf = r ? regs_field_by_name(r, f->like_field) : NULL;
        if (rf)
            out->text = regs_enum_name(rf, out->value);
    }
}

bool pm4_header_field(enum gfx gen, const struct pm4_packet *p, unsigned n,
                      struct pm4_item_field *out)
{
    const struct pm4_desc *d = pm4_layout(gen, p);
    if (!d || n >= d->header_field_count)
        return false;
    table_field(gen, 0, &d->header_fields[n], p->header, out);
    return true;
}

bool pm4_item_field(enum gfx gen, unsigned ext, const struct pm4_item *it, unsigned n,
                    struct pm4_item_field *out)
{
    unsigned of_reg = it->reg ? it->reg->field_count : 0;

    if (n < of_reg) {
        const struct reg_field *f = &it->reg->fields[n];
        out->name = f->name;
        out->lo = f->lo;
        out->hi = f->hi;
        out->value = bits(it->value, f->lo, f->hi);
        out->text = regs_enum_name(f, out->value);
        return true;
    }
    n -= of_reg;
    if (!it->dword || n >= it->dword->field_count)
        return false;

    const struct pm4_field *f = &it->dword->fields[n];
    table_field(gen, ext, f, it->value, out);
    return true;
}

static struct pm4_ib ib_at(const struct pm4_packet *p, unsigned lo)
{
    /* The size sits in the same bits in every layout, as does CHAIN where there is one. */
    _Static_assert(PM4F_IB_CONTROL_G6__IB_SIZE == (int)PM4F_IB_CONTROL_G7__IB_SIZE &&
                   PM4F_IB_CONTROL_G6__CHAIN == (int)PM4F_IB_CONTROL_G7__CHAIN &&
                   PM4F_IB_CONTROL_G7__IB_SIZE == (int)PM4F_COND_IB_SIZE__IB_SIZE, "IB_CONTROL");
    return (struct pm4_ib){
        .va = (pm4_dw(p, lo) & ~UINT32_C(3)) | (uint64_t)bits(pm4_dw(p, lo + 1), 0, 15) << 32,
        .dw = pm4_get(pm4_dw(p, lo + 2), PM4F_IB_CONTROL_G7__IB_SIZE),
    };
}

unsigned pm4_indirect_buffers(enum gfx gen, const struct pm4_packet *p, struct pm4_ib out[2])
{
    const struct pm4_desc *d = pm4_layout(gen, p);
    if (!d || p->body_dw < d->min_dw || !d->dword_count)
        return 0;
    if (p->type == PM4_TYPE_SDMA && !strcmp(d->dwords[0].name, "IB_BASE_LO")) {
        uint32_t lo = pm4_dw(p, 0), hi = pm4_dw(p, 1);
        if (d->dword_count == 2) /* GFX6 */
            out[0] = (struct pm4_ib){lo | (uint64_t)pm4_get(hi, PM4F_DMA6_IB__ADDR_HI) << 32,
                                     pm4_get(hi, PM4F_DMA6_IB__IB_SIZE), false};
        else
            out[0] = (struct pm4_ib){lo | (uint64_t)(hi & 0xffff) << 32,
                                     pm4_get(pm4_dw(p, 2), PM4F_SDMA_IB_SIZE__IB_SIZE), false};
        return 1;
    }
    if (p->opcode == PM4_COND_INDIRECT_BUFFER && d->dword_count > 3) {
        uint32_t mode = pm4_get(pm4_dw(p, PM4_AT(COND_INDIRECT_BUFFER, CONTROL)),
                                PM4F_COND_IB__MODE);
        out[0] = ib_at(p, PM4_AT(COND_INDIRECT_BUFFER, IB1_BASE_LO));
        out[1] = ib_at(p, PM4_AT(COND_INDIRECT_BUFFER, IB2_BASE_LO));
        return mode == PM4V_COND_IB_MODE__IF_ELSE ? 2 : 1;
    }
    if (strcmp(d->dwords[0].name, "IB_BASE_LO"))
        return 0;
    out[0] = ib_at(p, 0);
    out[0].chain = pm4_get(pm4_dw(p, 2), PM4F_IB_CONTROL_G7__CHAIN);
    return 1;
}
