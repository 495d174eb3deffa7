/* solo.c: see solo.h. */
#include "isa/solo.h"
#include "isa/exec.h"

#include <stdlib.h>

static struct isa_solo *solo(struct wave *w)
{
    return w->ops_ctx;
}

static void image(struct wave *w, const struct isa_image *im)
{
    loud_report(w->loud, LOUD_OPCODE, im->op, "image instruction without a texture unit");
}

static void export_(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                    const uint32_t *const src[4])
{
    struct isa_solo *s = solo(w);

    s->exports++;
    s->export_target = target;
    s->export_en = en;
    for (unsigned i = 0; i < 4; i++)
        if (src[i])
            memcpy(s->export_data[i], src[i], sizeof s->export_data[i]);
}

static uint8_t *gds(struct wave *w, uint32_t *bytes)
{
    *bytes = SOLO_LDS_BYTES;
    return solo(w)->gds;
}

static void sendmsg(struct wave *w, uint32_t imm, uint32_t m0)
{
    solo(w)->messages++;
    solo(w)->message = imm;
}

static uint64_t memtime(struct wave *w, bool real)
{
    return solo(w)->clock++;
}

static bool gws(struct wave *w, unsigned op, uint32_t value)
{
    return true;
}

static void trace(struct wave *w, uint64_t pc_va, const struct insn *in, bool after)
{
}

static const struct wave_ops ops = {
    .image = image, .export_ = export_, .gds = gds, .sendmsg = sendmsg, .memtime = memtime,
    .gws = gws, .trace = trace,
};

struct isa_solo *isa_solo_create(const struct isa_target *t, int level)
{
    struct isa_solo *s = calloc(1, sizeof *s);
    struct err e;

    if (!s)
        return NULL;
    s->target = t;
    s->vm = mem_vm_create();
    s->loud = loud_create();
    s->w = aligned_alloc(64, align_up(sizeof *s->w, 64));
    s->v = aligned_alloc(64, SOLO_VGPRS * 256);
    s->lds = calloc(1, SOLO_LDS_BYTES);
    s->gds = calloc(1, SOLO_LDS_BYTES);
    s->text = aligned_alloc(4096, SOLO_CODE_BYTES);
    if (s->w)
        memset(s->w, 0, sizeof *s->w);
    if (s->vm && s->loud)
        s->code = level < 0 ? isa_code_create(t, s->vm, s->loud)
                            : isa_code_create_level(t, s->vm, s->loud, (enum isa_level)level);
    if (!s->code || !s->w || !s->v || !s->lds || !s->gds || !s->text ||
        mem_map(s->vm, SOLO_CODE_VA, SOLO_CODE_BYTES, s->text, MEM_R | MEM_X, &e) < 0) {
        isa_solo_destroy(s);
        return NULL;
    }
    memset(s->text, 0, SOLO_CODE_BYTES);
    loud_set_quiet(s->loud, true);
    isa_solo_reset(s, 1, 0);
    return s;
}

void isa_solo_destroy(struct isa_solo *s)
{
    if (!s)
        return;
    isa_code_destroy(s->code);
    mem_vm_destroy(s->vm);
    loud_destroy(s->loud);
    if (s->w)
        wave_release(s->w);
    free(s->w);
    free(s->v);
    free(s->lds);
    free(s->gds);
    free(s->text);
    free(s);
}

void isa_solo_reset(struct isa_solo *s, uint64_t exec, uint32_t mode)
{
    struct wave *w = s->w;

    wave_release(w);
    memset(w, 0, sizeof *w);
    memset(s->v, 0, SOLO_VGPRS * 256);
    memset(s->lds, 0, SOLO_LDS_BYTES);
    memset(s->gds, 0, SOLO_LDS_BYTES);
    s->exports = s->messages = 0;
    w->v = s->v;
    w->num_vgprs = SOLO_VGPRS;
    w->num_sgprs = s->target->gen >= GFX8 ? 102 : SOLO_SGPRS;
    w->lds = s->lds;
    w->lds_bytes = SOLO_LDS_BYTES;
    w->gen = s->target->gen;
    w->stage = STAGE_CS;
    w->id = 1;
    w->vm = s->vm;
    w->ops = &ops;
    w->ops_ctx = s;
    w->loud = s->loud;
    wave_reset(w, SOLO_CODE_VA, exec, mode & 0xff, mode >> 8 & 1, mode >> 9 & 1);
    w->mode |= mode & 1u << 23; /* FP16_OVFL */
}

void isa_solo_code(struct isa_solo *s, const uint32_t *dw, unsigned n)
{
    memcpy(s->text, dw, 4 * (size_t)n);
    s->text[n] = 0xbf810000; /* s_endpgm, the same on all generations */
    isa_code_sync(s->code);
}
