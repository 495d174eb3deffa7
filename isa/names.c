/* names.c: the symbolic values of the assembly language, one table each, read in both directions.
 *
 * Spellings: LLVM's AMDGPU assembler ("AMDGPUOperandSyntax", "AMDGPUModifierSyntax"). Values: the
 * ISA manuals. */
#include "isa/codec.h"

#include <ctype.h>

#define G6   1
#define G7   2
#define G8   4
#define G9   8
#define ALL  15
#define NONE9 (ALL & ~G9)

const struct isa_name isa_hwreg_names[] = {
#define HWREG(name, number, has, named, value, write) {"HW_REG_" #name, number, named},
#include "isa/hwreg.def"
    {NULL, 0, 0},
};

const struct isa_name isa_msg_names[] = {
    {"MSG_INTERRUPT", 1, ALL},      {"MSG_GS", 2, ALL},
    {"MSG_GS_DONE", 3, ALL},        {"MSG_SAVEWAVE", 4, G8 | G9},
    {"MSG_STALL_WAVE_GEN", 5, G9},  {"MSG_HALT_WAVES", 6, G9},
    {"MSG_ORDERED_PS_DONE", 7, G9}, {"MSG_EARLY_PRIM_DEALLOC", 8, G9},
    {"MSG_GS_ALLOC_REQ", 9, G9},    {"MSG_GET_DOORBELL", 10, G9},
    {"MSG_SYSMSG", 15, ALL},        {NULL, 0, 0},
};

const struct isa_name isa_gs_op_names[] = {
    {"GS_OP_NOP", 0, ALL},
    {"GS_OP_CUT", 1, ALL},
    {"GS_OP_EMIT", 2, ALL},
    {"GS_OP_EMIT_CUT", 3, ALL},
    {NULL, 0, 0},
};

const struct isa_name isa_sysmsg_op_names[] = {
    {"SYSMSG_OP_ECC_ERR_INTERRUPT", 1, ALL},
    {"SYSMSG_OP_REG_RD", 2, ALL},
    {"SYSMSG_OP_HOST_TRAP_ACK", 3, NONE9},
    {"SYSMSG_OP_TTRACE_PC", 4, ALL},
    {NULL, 0, 0},
};

const struct isa_name isa_gpr_idx_names[] = {
    {"SRC0", 1, G8 | G9},
    {"SRC1", 2, G8 | G9},
    {"SRC2", 4, G8 | G9},
    {"DST", 8, G8 | G9},
    {NULL, 0, 0},
};

const struct isa_name isa_dfmt_names[] = {
    {"BUF_DATA_FORMAT_INVALID", 0, ALL},
    {"BUF_DATA_FORMAT_8", 1, ALL},
    {"BUF_DATA_FORMAT_16", 2, ALL},
    {"BUF_DATA_FORMAT_8_8", 3, ALL},
    {"BUF_DATA_FORMAT_32", 4, ALL},
    {"BUF_DATA_FORMAT_16_16", 5, ALL},
    {"BUF_DATA_FORMAT_10_11_11", 6, ALL},
    {"BUF_DATA_FORMAT_11_11_10", 7, ALL},
    {"BUF_DATA_FORMAT_10_10_10_2", 8, ALL},
    {"BUF_DATA_FORMAT_2_10_10_10", 9, ALL},
    {"BUF_DATA_FORMAT_8_8_8_8", 10, ALL},
    {"BUF_DATA_FORMAT_32_32", 11, ALL},
    {"BUF_DATA_FORMAT_16_16_16_16", 12, ALL},
    {"BUF_DATA_FORMAT_32_32_32", 13, ALL},
    {"BUF_DATA_FORMAT_32_32_32_32", 14, ALL},
    {"BUF_DATA_FORMAT_RESERVED_15", 15, ALL},
    {NULL, 0, 0},
};

const struct isa_name isa_nfmt_names[] = {
    {"BUF_NUM_FORMAT_UNORM", 0, ALL},
    {"BUF_NUM_FORMAT_SNORM", 1, ALL},
    {"BUF_NUM_FORMAT_USCALED", 2, ALL},
    {"BUF_NUM_FORMAT_SSCALED", 3, ALL},
    {"BUF_NUM_FORMAT_UINT", 4, ALL},
    {"BUF_NUM_FORMAT_SINT", 5, ALL},
    {"BUF_NUM_FORMAT_SNORM_OGL", 6, G6 | G7},
    {"BUF_NUM_FORMAT_RESERVED_6", 6, G8 | G9},
    {"BUF_NUM_FORMAT_FLOAT", 7, ALL},
    {NULL, 0, 0},
};

const struct isa_name isa_sel_names[] = {
    {"BYTE_0", 0, ALL}, {"BYTE_1", 1, ALL}, {"BYTE_2", 2, ALL}, {"BYTE_3", 3, ALL},
    {"WORD_0", 4, ALL}, {"WORD_1", 5, ALL}, {"DWORD", 6, ALL},  {NULL, 0, 0},
};

const struct isa_name isa_unused_names[] = {
    {"UNUSED_PAD", 0, ALL},
    {"UNUSED_SEXT", 1, ALL},
    {"UNUSED_PRESERVE", 2, ALL},
    {NULL, 0, 0},
};

const struct isa_name isa_param_names[] = {
    {"p10", 0, ALL},
    {"p20", 1, ALL},
    {"p0", 2, ALL},
    {NULL, 0, 0},
};

const char *isa_name_of(const struct isa_name *table, enum gfx gen, unsigned value)
{
    for (; table->name; table++)
        if (table->value == value && table->gens >> gen & 1)
            return table->name;
    return NULL;
}

int isa_value_of(const struct isa_name *table, enum gfx gen, const char *name, size_t len)
{
    for (; table->name; table++)
        if (table->gens >> gen & 1 && strlen(table->name) == len &&
            !strncmp(table->name, name, len))
            return table->value;
    return -1;
}

/* ---- registers --------------------------------------------------------------------- */

/* The printer takes the first name that fits, the assembler any. */
const struct isa_sreg isa_sregs[] = {
    {"flat_scratch_lo", 104, 1, G7, 0},
    {"flat_scratch_hi", 105, 1, G7, 0},
    {"flat_scratch", 104, 2, G7, 0},
    {"flat_scratch_lo", 102, 1, G8 | G9, 0},
    {"flat_scratch_hi", 103, 1, G8 | G9, 0},
    {"flat_scratch", 102, 2, G8 | G9, 0},
    {"xnack_mask_lo", 104, 1, G8 | G9, FEAT_XNACK},
    {"xnack_mask_hi", 105, 1, G8 | G9, FEAT_XNACK},
    {"xnack_mask", 104, 2, G8 | G9, FEAT_XNACK},
    {"vcc_lo", 106, 1, ALL, 0},
    {"vcc_hi", 107, 1, ALL, 0},
    {"vcc", 106, 2, ALL, 0},
    {"tba_lo", 108, 1, NONE9, 0},
    {"tba_hi", 109, 1, NONE9, 0},
    {"tba", 108, 2, NONE9, 0},
    {"tma_lo", 110, 1, NONE9, 0},
    {"tma_hi", 111, 1, NONE9, 0},
    {"tma", 110, 2, NONE9, 0},
    {"m0", 124, 1, ALL, 0},
    {"exec_lo", 126, 1, ALL, 0},
    {"exec_hi", 127, 1, ALL, 0},
    {"exec", 126, 2, ALL, 0},
    {"src_shared_base", 235, 1, G9, 0},
    {"src_shared_limit", 236, 1, G9, 0},
    {"src_private_base", 237, 1, G9, 0},
    {"src_private_limit", 238, 1, G9, 0},
    {"src_pops_exiting_wave_id", 239, 1, G9, 0},
    {"src_vccz", 251, 1, ALL, 0},
    {"src_execz", 252, 1, ALL, 0},
    {"src_scc", 253, 1, ALL, 0},
    {"src_lds_direct", 254, 1, ALL, 0},
    {"shared_base", 235, 1, G9, 0},
    {"shared_limit", 236, 1, G9, 0},
    {"private_base", 237, 1, G9, 0},
    {"private_limit", 238, 1, G9, 0},
    {"pops_exiting_wave_id", 239, 1, G9, 0},
    {"vccz", 251, 1, ALL, 0},
    {"execz", 252, 1, ALL, 0},
    {"scc", 253, 1, ALL, 0},
    {"lds_direct", 254, 1, ALL, 0},
    {NULL, 0, 0, 0, 0},
};

unsigned isa_sgpr_count(const struct isa_target *t)
{
    return t->gen <= GFX7 ? 104 : 102;
}

unsigned isa_ttmp_first(enum gfx gen)
{
    return gen == GFX9 ? 108 : 112;
}

unsigned isa_ttmp_count(enum gfx gen)
{
    return gen == GFX9 ? 16 : 12;
}

const struct isa_float *isa_inline_float(const struct isa_target *t, unsigned i)
{
    static const struct isa_float floats[] = {
        {"0.5", "0.5", 0x3800, 0x3f000000, UINT64_C(0x3fe0000000000000), ALL},
        {"-0.5", "-0.5", 0xb800, 0xbf000000, UINT64_C(0xbfe0000000000000), ALL},
        {"1.0", "1.0", 0x3c00, 0x3f800000, UINT64_C(0x3ff0000000000000), ALL},
        {"-1.0", "-1.0", 0xbc00, 0xbf800000, UINT64_C(0xbff0000000000000), ALL},
        {"2.0", "2.0", 0x4000, 0x40000000, UINT64_C(0x4000000000000000), ALL},
        {"-2.0", "-2.0", 0xc000, 0xc0000000, UINT64_C(0xc000000000000000), ALL},
        {"4.0", "4.0", 0x4400, 0x40800000, UINT64_C(0x4010000000000000), ALL},
        {"-4.0", "-4.0", 0xc400, 0xc0800000, UINT64_C(0xc010000000000000), ALL},
        {"0.15915494", "0.15915494309189532", 0x3118, 0x3e22f983, UINT64_C(0x3fc45f306dc9c882),
         G8 | G9},
    };

    return i < ARRAY_LEN(floats) && floats[i].gens >> t->gen & 1 ? &floats[i] : NULL;
}

const struct isa_dpp isa_dpp_ctrls[] = {
    {"quad_perm", 0, 0, 255},
    {"row_shl", 0x100, 1, 15},
    {"row_shr", 0x110, 1, 15},
    {"row_ror", 0x120, 1, 15},
    {"wave_shl", 0x12f, 1, 1},
    {"wave_rol", 0x133, 1, 1},
    {"wave_shr", 0x137, 1, 1},
    {"wave_ror", 0x13b, 1, 1},
    {"row_mirror", 0x140, 0, 0},
    {"row_half_mirror", 0x141, 0, 0},
    {"row_bcast", 0x142 - 15, 15, 15},
    {"row_bcast", 0x143 - 31, 31, 31},
    {NULL, 0, 0, 0},
};

const struct isa_waitcnt *isa_waitcnt_fields(enum gfx gen)
{
    static const struct isa_waitcnt old[3] = {
        {"vmcnt", 0, 4, 0, 0}, {"expcnt", 4, 3, 0, 0}, {"lgkmcnt", 8, 4, 0, 0}};
    static const struct isa_waitcnt gfx9[3] = {
        {"vmcnt", 0, 4, 14, 2}, {"expcnt", 4, 3, 0, 0}, {"lgkmcnt", 8, 4, 0, 0}};

    return gen == GFX9 ? gfx9 : old;
}

/* ---- mnemonics --------------------------------------------------------------------- */

static const struct spelling {
    uint16_t op;
    uint8_t gens;
    bool alias;
    const char *name;
} spellings[] = {
#define SPELL(id, gens, name) {I_##id, gens, false, name},
#define ALIAS(id, gens, name) {I_##id, gens, true, name},
#include "isa/spell.def"
};

void isa_mnemonic(enum gfx gen, enum isa_op op, char out[64])
{
    const char *id = isa_rows[op].id;
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
        if (spellings[i].op == op && !spellings[i].alias && spellings[i].gens >> gen & 1) {
            snprintf(out, 64, "%s", spellings[i].name);
            return;
        }
    }
    for (; id[n] && n < 63; n++)
        out[n] = (char)tolower((unsigned char)id[n]);
    out[n] = 0;
}

bool isa_spelling(enum gfx gen, enum isa_op op, unsigned i, char out[64])
{
    isa_mnemonic(gen, op, out);
    for (size_t k = 0; i && k < ARRAY_LEN(spellings); k++) {
        if (spellings[k].op != op || !spellings[k].alias || !(spellings[k].gens >> gen & 1))
            continue;
        if (!--i)
            snprintf(out, 64, "%s", spellings[k].name);
    }
    return !i;
}
