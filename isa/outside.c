/* Instructions whose work lies outside the CU: MIMG and EXP gather their operands here and hand
 * them to the device through struct wave_ops. */
#include "isa/row.h"
#include "isa/vmem_priv.h"

/* VGPRs from operand `opd` on that lie within the wave's allocation. */
static unsigned vgprs_from(const struct wave *w, unsigned opd)
{
    unsigned r = opd - OPD_VGPR0;

    return opd >= OPD_VGPR0 && r < w->num_vgprs ? w->num_vgprs - r : 0;
}

static uint32_t image_flags(uint64_t row)
{
    uint32_t what = 0;

#define F(name) what |= row & (name) ? (uint32_t)ISA_IMAGE_##name : 0;
    ISA_IMAGE_FLAGS(F)
#undef F
    return what;
}

void vmem_image(struct wave *w, const struct insn *in)
{
    struct isa_image im = {
        .op = (enum isa_op)in->op,
        .what = image_flags(isa_rows[in->op].flags),
        .in = in,
        .dmask = in->dmask,
        .unorm = in->unorm,
        .glc = in->glc,
        .slc = in->slc,
        .da = in->da,
        .tfe = in->tfe,
        .lwe = in->lwe,
        .r128 = in->r128,
        .d16 = in->d16,
        .a16 = in->a16,
    };
    unsigned data = in->dst != OPD_NONE ? in->dst : in->data;

    /* The decoder gives SGPR fields their full range; a descriptor stays inside s[]. */
    memcpy(im.tsharp, &w->s[in->base & 0x7c], in->r128 ? 16 : 32);
    if (in->samp != OPD_NONE)
        memcpy(im.ssharp, &w->s[in->samp & 0x7c], 16);
    im.vaddr = vmem_vgpr(w, in->vaddr);
    im.vaddr_count = vgprs_from(w, in->vaddr);
    im.vdata_count = vgprs_from(w, data);
    im.vdata = im.vdata_count ? w->v + 64 * (data - OPD_VGPR0) : NULL;
    w->ops->image(w, &im);
}

void vmem_export(struct wave *w, const struct insn *in)
{
    const uint32_t *src[4] = {NULL, NULL, NULL, NULL};

    for (unsigned i = 0; i < 4; i++)
        if (in->src[i] != OPD_NONE)
            src[i] = vmem_vgpr(w, in->src[i]);
    w->ops->export_(w, in->target, in->en, in->compr, in->done, in->vm, src);
}
