/* insn.h: what a decoded instruction is, and what a row of the instruction table says.
 *
 * isa_decode fills a struct insn; the printer, the assembler's encoder, the interpreter, the
 * tracer and the JIT all read it. It holds everything that the words say, as numbers, and nothing
 * that depends on the wave. Field positions: the encodings chapters of the Southern Islands, Sea
 * Islands, Volcanic Islands and Vega ISA manuals. */
#ifndef ATOLL_INSN_H
#define ATOLL_INSN_H

#include "base/base.h"
#include "isa/ids.h"

/* An operand as a number: 0..255 a scalar register, constant or special source as SSRC encodes
 * it, 256..511 VGPR n + 256 (gfx908: 512..767 accumulation VGPRs). Every register field is widened to this: an 8-bit VGPR field gives
 * 256 + n, an SGPR field n, a field that counts SGPR pairs or quads the first SGPR. */
enum {
    OPD_VCC = 106,
    OPD_M0 = 124,
    OPD_EXEC = 126,
    OPD_INT0 = 128,      /* 128..192: 0..64; 193..208: -1..-16 */
    OPD_INT_LAST = 208,
    OPD_SHARED_BASE = 235, /* GFX9: 235 shared_base, 236 shared_limit, 237 private_base, */
    OPD_POPS_ID = 239,     /* 238 private_limit, 239 pops_exiting_wave_id */
    OPD_FLOAT0 = 240,    /* 240..247: +-0.5, 1, 2, 4; 248 (GFX8+): 1/(2 pi) */
    OPD_SDWA = 249,      /* in a src0 field only: a second word follows; never left in src[] */
    OPD_DPP = 250,
    OPD_VCCZ = 251, OPD_EXECZ = 252, OPD_SCC = 253,
    OPD_LDS_DIRECT = 254,
    OPD_LITERAL = 255,   /* the value is insn.literal */
    OPD_VGPR0 = 256,
    OPD_AGPR0 = 512,     /* accumulation VGPRs (gfx908): in MAI instructions only */
    OPD_NONE = 0xffff,   /* the instruction has no such operand */
};

enum insn_form { FORM_PLAIN, FORM_SDWA, FORM_DPP };

struct insn {
    uint16_t op;      /* enum isa_op: the row */
    uint8_t enc;      /* enum isa_enc of these words: ENC_VOP3 for a VOP2 row in its VOP3 form,
                       * ENC_SMRD for an SMEM row on GFX6/7 */
    uint8_t form;     /* enum insn_form: SDWA and DPP forms of VOP1, VOP2, VOPC */
    uint8_t ndw;      /* 1..3, literal or control word included */
    uint32_t dw[3];   /* the words, zero beyond ndw */
    uint32_t literal; /* where an operand is OPD_LITERAL, else 0 */

    /* Operands in the order of the assembly text.
     *
     *   SOP*    dst, src[0], src[1]; a SOPK field that is read (s_cmpk, s_setreg, i_fork) is
     *           src[0]; s_addk, s_mulk, s_cmovk read and write dst
     *   VOP*    dst, src[0..2]. The literal K of v_madmk/madak is the source at its place in
     *           a * b + c. A carry-in or v_cndmask's mask is src[2], VCC in the 32-bit forms.
     *           VOPC: dst is the mask (VCC in the 32-bit form). v_readlane: dst is an SGPR.
     *   VOP3B   sdst is the carry-out / div_scale's flag; in 32-bit forms VCC
     *   VINTRP  dst, src[0] the barycentric VGPR (v_interp_mov: OPD_NONE, imm is P10/P20/P0),
     *           attr, attr_chan; v_interp_p1lv, p2_f16 (VOP3): src[2] the third operand
     *   EXP     src[0..3], OPD_NONE where not enabled
     *   memory  dst is what returns (OPD_NONE for stores and atomics without GLC/_rtn), data and
     *           data1 what is sent, see below */
    uint16_t dst, sdst, src[4];
    int32_t imm;      /* SOPK, SOPP: SIMM16 sign-extended; s_set_gpr_idx_on: its 4 mode bits;
                       * s_dcache probes: SDATA; v_interp_mov: parameter */

    /* VOP3, VOP3P, SDWA, DPP input and output modifiers; bit i is source i. */
    uint8_t abs, neg;
    uint8_t omod;     /* 0 none, 1 *2, 2 *4, 3 /2 */
    bool clamp;
    uint8_t op_sel;   /* VOP3 on GFX9: bit i source i, bit 3 destination; VOP3P: low half */
    uint8_t op_sel_hi, neg_hi; /* VOP3P; its `neg` is neg_lo */

    uint8_t cbsz, abid, blgp; /* MAI: broadcast and lane group controls */
    uint8_t dst_sel, dst_unused;  /* SDWA: 0..3 byte, 4..5 word, 6 dword; 0 pad 1 sext 2 keep */
    uint8_t src_sel[2], sext;     /* sext: bit i source i */

    uint16_t dpp_ctrl;
    uint8_t row_mask, bank_mask;
    bool bound_ctrl;  /* the bit; "bound_ctrl:0" in text sets it */

    /* SMRD/SMEM: base an SGPR pair or quad; soffset an SGPR or OPD_NONE; offset.
     * DS: vaddr, data, data1; offset (16 bits), or offset0 = low and offset1 = high byte of it.
     * MUBUF/MTBUF: vaddr (also when neither offen nor idxen), data or dst, base the V#, soffset,
     *   offset.   MIMG: vaddr, data or dst, base the T#, samp the S# or OPD_NONE.
     * FLAT: vaddr, saddr (base; OPD_NONE when off), data, dst, offset; scratch with saddr:
     *   vaddr OPD_NONE. */
    uint16_t vaddr, data, data1, base, samp, soffset, saddr;
    int32_t offset;   /* SMRD: in dwords (8 bits); with a literal (GFX7) too; SMEM: bytes, and
                       * on GFX9 with soffset too, then offen is set */
    uint8_t dmask, dfmt, nfmt;
    bool glc, slc, tfe, lwe, lds, gds, idxen, offen, addr64, unorm, da, r128, a16, d16, nv;

    uint8_t target, en;      /* EXP: TGT and EN as encoded */
    bool compr, done, vm;

    uint8_t attr, attr_chan; /* VINTRP: 0..63 (parameter number), 0..3 */
    bool high;               /* VOP3 v_interp on GFX8+: the high half of the parameter */
};

#endif
