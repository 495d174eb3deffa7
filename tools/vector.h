/* vector: one line of a test vector file (.tv): an instruction as words and as text, the state
 * before and after it.
 *
 *   gfx8 32020501 v_add_u32 v1, vcc, v1, v2 | v1=ffffffff v2=1 vcc=0 -> v1=0 vcc=1
 *
 * The first word names the target: gfx6 .. gfx9 for a generation's default, or an LLVM processor
 * (gfx906). Then the instruction's 32-bit words in hex, as many as it has; then its text, in the
 * spelling that `atoll dis` prints. `|` starts the inputs, `->` the results: cells, KEY=VALUE.
 * `#` starts a comment.
 *
 *   sN s[N:M] vcc exec m0 flat_scratch ttmpN ttmp[N:M]  scalar registers (vcc_lo, exec_hi ...)
 *   vN v[N:M]           vector registers: an input sets all lanes; a result is that of all
 *                       lanes that were active before
 *   vN[L] v[N:M][L]     lane L, active or not
 *   vN[K:L] v[N:M][K:L] lanes K to L: a list with a value for each, as long as the register is wide
 *   aN a[N:M] aN[L]     accumulation registers (gfx908), likewise; a result is that of all 64 lanes
 *   scc mode status trapsts hw_id gpr_alloc lds_alloc ib_sts tba tma
 *   mem[A] lds[A] gds[A]  dwords from byte address A on
 *   shared_base private_base   apertures: bits 63..32 of the address
 *   vgprs sgprs         registers that the wave has (inputs only)
 *   pc                  where the wave goes on, relative to the instruction: +8 (a result)
 *   state               ready barrier ended halted (a result)
 *   msg                 what s_sendmsg sent: the immediate (a result)
 *   exp=TARGET,EN,FLAGS,A,B,C,D   an export: FLAGS 1 done, 2 compr, 4 vm; what the first active lane
 *                       exports, 0 for what is off (a result)
 *   image=WHAT,DMASK,FLAGS,VDATA,VADDR,T#...,S#...  what reaches the texture unit: WHAT as ISA_IMAGE_* in
 *                       isa.h; FLAGS 1 unorm, 2 glc, 4 slc, 8 da, 10 tfe, 20 lwe, 40 r128, 80 d16,
 *                       100 a16; numbers of VGPRs; 8 and 4 dwords of descriptors (a result)
 *   gws=OP,VALUE        a wave sync or ordered count (a result)
 *   gws_wait            1: the wave may not go on (an input)
 *   loud fault          1: something not modelled was reported; a memory fault (a result)
 *
 * Values are hex (0x may precede them), as long as the register is wide; or comma-separated
 * dwords, the lowest first; or f:1.5 (f32), d:1.5 (f64), h:1.5 (f16) in decimal.
 *
 * What is no input has a value that tells where it came from (see cmd_test.c); what is no result
 * must stay as it was. */
#ifndef ATOLL_VECTOR_H
#define ATOLL_VECTOR_H

#include "isa/isa.h"

enum vector_kind {
    CELL_SGPR, CELL_VGPR, CELL_AGPR, CELL_SCC, CELL_MODE, CELL_STATUS, CELL_TRAPSTS, CELL_HW_ID,
    CELL_GPR_ALLOC, CELL_LDS_ALLOC, CELL_IB_STS, CELL_TBA, CELL_TMA, CELL_MEM, CELL_LDS,
    CELL_GDS, CELL_SHARED_BASE, CELL_PRIVATE_BASE, CELL_VGPRS, CELL_SGPRS, CELL_PC, CELL_STATE,
    CELL_MSG, CELL_LOUD, CELL_FAULT, CELL_EXP, CELL_IMAGE, CELL_GWS, CELL_GWS_WAIT
};

#define VECTOR_CELL_WORDS 256
#define VECTOR_CELLS      256

/* Words of the cells that say what reached the wave's surroundings. */
enum { VECTOR_EXP_WORDS = 7, VECTOR_IMAGE_WORDS = 17, VECTOR_GWS_WORDS = 2 };

struct vector_cell {
    enum vector_kind kind;
    int lane;          /* of CELL_VGPR, CELL_AGPR: -1 for all, else the first of `lanes` */
    unsigned lanes;
    uint64_t index;    /* first register; byte address */
    unsigned words;    /* of a lane */
    bool relative;     /* CELL_PC: value is a distance */
    uint32_t value[VECTOR_CELL_WORDS]; /* lane by lane */
};

struct vector {
    const struct isa_target *target;
    uint32_t code[4];
    unsigned ndw;
    char text[256];
    struct vector_cell in[VECTOR_CELLS], out[VECTOR_CELLS];
    unsigned n_in, n_out;
};

/* Parse a line, which is changed. Returns 1; 0 for a line without a vector (blank, comment); -1 with
 * *e set for a malformed one. */
int vector_parse(char *line, struct vector *out, struct err *e);

/* The name of a cell, for messages: "s[2:3]". Returns the length, as snprintf does. */
int vector_cell_name(const struct vector *v, const struct vector_cell *c, char *out,
                     size_t out_bytes);

#endif
