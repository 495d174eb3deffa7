/* `atoll test`: runs test vectors (vector.h has their format). Each line is checked four ways: its words
 * decode, to the text that stands beside them; the text assembles to the same words; and the
 * instruction, run alone on the given state, changes what the line says and nothing else.
 *
 * Before the inputs are applied, scalar register n holds 0x5a5a0000 + n, lane l of vector register n
 * 0xa5000000 + n * 256 + l (accumulation register: 0xac000000 + ...); EXEC = 1, VCC = 0, SCC = 0, M0 = 0xffffffff, MODE = 0xf0 (nearest even,
 * all denormals kept); the trap registers are 0. Memory is 64 KiB from address 0x100000 on, LDS 32 KiB
 * and GDS 64 KiB; all are zero. The instruction lies at 0x1234567000. */
#include "isa/exec.h" /* levels */
#include "tools/tools.h"
#include "tools/vector.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#define CODE_VA    UINT64_C(0x1234567000)
#define MEM_VA     UINT64_C(0x100000)
#define MEM_BYTES  0x10000u
#define LDS_BYTES  0x8000u
#define GDS_BYTES  0x10000u
#define VGPRS      256
#define VGPR_WORDS (VGPRS * 64)

/* Everything that an instruction may change: compared as a whole, before and after. */
struct state {
    uint32_t v[VGPR_WORDS] __attribute__((aligned(64)));
    uint32_t acc[VGPR_WORDS] __attribute__((aligned(64)));
    uint8_t mem[MEM_BYTES], lds[LDS_BYTES], gds[GDS_BYTES];
    uint32_t s[SREG_CONST];
    uint32_t scc, mode, status, trapsts, hw_id, gpr_alloc, lds_alloc, ib_sts;
    uint64_t tba_va, tma_va;
    uint64_t pc_va;
    uint32_t wave_state, msgs, msg, loud, fault;
    uint32_t exps, images, gwss; /* how many */
    uint32_t exp[VECTOR_EXP_WORDS], image[VECTOR_IMAGE_WORDS], gws[VECTOR_GWS_WORDS];
};

/* A machine of one wave for each target that the vectors name, and each level of the host. */
struct machine {
    const struct isa_target *target;
    enum isa_level level;
    struct mem_vm *vm;
    struct isa_code *code;
    struct loud *loud;
    struct wave *wave;
    struct state *now; /* memory and registers of the wave */
    uint8_t *code_page;
    uint64_t faults;   /* so far */
    bool gws_wait;
    struct machine *next;
};


struct run {
    struct machine *machines;
    struct state *want;
    unsigned passed, failed, malformed;
    bool json, quiet;
    unsigned levels; /* mask of enum isa_level */
    json_t *failures;
};

/* ---- what surrounds the wave ------------------------------------------------------------- */

static uint32_t vgpr_number(const struct wave *w, const uint32_t *p)
{
    return p ? (uint32_t)((size_t)(p - w->v) / 64) : UINT32_MAX;
}

static void on_image(struct wave *w, const struct isa_image *im)
{
    struct state *st = ((struct machine *)w->ops_ctx)->now;
    const bool flags[] = {im->unorm, im->glc, im->slc, im->da, im->tfe,
                          im->lwe, im->r128, im->d16, im->a16};
    uint32_t mask = 0;

    for (unsigned i = 0; i < ARRAY_LEN(flags); i++)
        mask |= (uint32_t)flags[i] << i;
    st->images++;
    st->image[0] = im->what;
    st->image[1] = im->dmask;
    st->image[2] = mask;
    st->image[3] = vgpr_number(w, im->vdata);
    st->image[4] = vgpr_number(w, im->vaddr);
    memcpy(&st->image[5], im->tsharp, sizeof im->tsharp);
    memcpy(&st->image[13], im->ssharp, sizeof im->ssharp);
}

static void on_export(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                      const uint32_t *const src[4])
{
    struct state *st = ((struct machine *)w->ops_ctx)->now;
    uint64_t exec = wave_exec(w);

    st->exps++;
    st->exp[0] = target;
    st->exp[1] = en;
    st->exp[2] = done | (uint32_t)compr << 1 | (uint32_t)vm << 2;
    for (unsigned i = 0; i < 4; i++)
        st->exp[3 + i] = src[i] && exec ? src[i][__builtin_ctzll(exec)] : 0;
}

static uint8_t *on_gds(struct wave *w, uint32_t *bytes)
{
    struct machine *m = w->ops_ctx;

    *bytes = GDS_BYTES;
    return m->now->gds;
}

static void on_sendmsg(struct wave *w, uint32_t imm, uint32_t m0)
{
    struct machine *m = w->ops_ctx;

    (void)m0;
    m->now->msgs++;
    m->now->msg = imm;
}

static uint64_t on_memtime(struct wave *w, bool real)
{
    (void)w;
    return real ? UINT64_C(0x1122334455667788) : UINT64_C(0x99aabbccddeeff00);
}

static bool on_gws(struct wave *w, unsigned op, uint32_t value)
{
    struct machine *m = w->ops_ctx;

    m->now->gwss++;
    m->now->gws[0] = op;
    m->now->gws[1] = value;
    return !m->gws_wait;
}

static void on_trace(struct wave *w, uint64_t pc_va, const struct insn *in, bool after)
{
    (void)w, (void)pc_va, (void)in, (void)after;
}

static const struct wave_ops ops = {
    .image = on_image,
    .export_ = on_export,
    .gds = on_gds,
    .sendmsg = on_sendmsg,
    .memtime = on_memtime,
    .gws = on_gws,
    .trace = on_trace,
};

/* ---- machines ---------------------------------------------------------------------------- */

static void *take(size_t bytes)
{
    void *p = aligned_alloc(4096, align_up(bytes, 4096));

    if (!p)
        abort();
    return memset(p, 0, align_up(bytes, 4096));
}

static struct machine *machine_for(struct run *r, const struct isa_target *t,
                                   enum isa_level level)
{
    struct machine *m = r->machines;

    while (m && (m->target != t || m->level != level))
        m = m->next;
    if (m)
        return m;
    m = take(sizeof *m);
    m->target = t;
    m->level = level;
    m->vm = mem_vm_create();
    m->loud = loud_create();
    loud_set_quiet(m->loud, true);
    m->now = take(sizeof *m->now);
    m->wave = take(sizeof *m->wave);
    m->code_page = take(4096);
    if (mem_map(m->vm, CODE_VA, 4096, m->code_page, MEM_RWX, NULL) < 0 ||
        mem_map(m->vm, MEM_VA, MEM_BYTES, take(MEM_BYTES), MEM_RWX, NULL) < 0)
        abort();
    m->code = isa_code_create_level(t, m->vm, m->loud, level);
    m->next = r->machines;
    r->machines = m;
    return m;
}

static uint8_t *machine_memory(const struct machine *m)
{
    return mem_ptr(m->vm, MEM_VA, MEM_BYTES, MEM_R);
}

static void machines_free(struct run *r)
{
    for (struct machine *m = r->machines, *next; m; m = next) {
        void *memory = machine_memory(m);

        next = m->next;
        isa_code_destroy(m->code);
        mem_vm_destroy(m->vm);
        loud_destroy(m->loud);
        free(memory);
        free(m->now);
        free(m->wave);
        free(m->code_page);
        free(m);
    }
}

/* ---- state ------------------------------------------------------------------------------- */

static void state_fill(struct state *st)
{
    memset(st, 0, sizeof *st);
    for (unsigned i = 0; i < SREG_VCC; i++)
        st->s[i] = 0x5a5a0000u + i;
    for (unsigned i = 0; i < VGPR_WORDS; i++) {
        st->v[i] = 0xa5000000u + i / 64 * 256 + i % 64;
        st->acc[i] = 0xac000000u + i / 64 * 256 + i % 64;
    }
    st->s[SREG_M0] = 0xffffffffu;
    st->s[SREG_EXEC] = 1;
    st->mode = 0xf0;
    st->status = 1u << 16; /* VALID */
}

static uint32_t *state_word(struct state *st, enum vector_kind k)
{
    switch (k) {
    case CELL_SCC: return &st->scc;
    case CELL_MODE: return &st->mode;
    case CELL_STATUS: return &st->status;
    case CELL_TRAPSTS: return &st->trapsts;
    case CELL_HW_ID: return &st->hw_id;
    case CELL_GPR_ALLOC: return &st->gpr_alloc;
    case CELL_LDS_ALLOC: return &st->lds_alloc;
    case CELL_IB_STS: return &st->ib_sts;
    case CELL_STATE: return &st->wave_state;
    case CELL_MSG: return &st->msg;
    case CELL_LOUD: return &st->loud;
    case CELL_FAULT: return &st->fault;
    default: return NULL;
    }
}

/* The bytes of a memory cell, NULL when they lie outside. */
static uint8_t *state_bytes(struct state *st, const struct vector_cell *c)
{
    uint64_t at = c->kind == CELL_MEM ? c->index - MEM_VA : c->index, n = 4 * (uint64_t)c->words;
    uint64_t size = c->kind == CELL_MEM ? MEM_BYTES : c->kind == CELL_LDS ? LDS_BYTES : GDS_BYTES;
    uint8_t *p = c->kind == CELL_MEM ? st->mem : c->kind == CELL_LDS ? st->lds : st->gds;

    return at < size && n <= size - at ? p + at : NULL;
}

/* `lanes`: those that v3=... sets. */
static int state_apply(struct state *st, const struct vector_cell *c, uint64_t lanes,
                       struct err *e)
{
    uint64_t wide = c->value[0] | (uint64_t)c->value[1] << 32;
    uint32_t *word = state_word(st, c->kind);
    uint8_t *p;

    if (word) {
        *word = c->value[0];
        st->msgs += c->kind == CELL_MSG;
        return 0;
    }
    switch (c->kind) {
    case CELL_SGPR:
        memcpy(&st->s[c->index], c->value, 4 * c->words);
        return 0;
    case CELL_VGPR:
    case CELL_AGPR:
        lanes |= -(uint64_t)(c->kind == CELL_AGPR);
        for (unsigned i = 0; i < c->words; i++)
            for (unsigned l = 0, k = (unsigned)c->lane; l < 64; l++)
                if (c->lane < 0 ? lanes >> l & 1 : l - k < c->lanes)
                    (c->kind == CELL_VGPR ? st->v : st->acc)[(c->index + i) * 64 + l] =
                        c->value[c->lane < 0 ? i : (l - k) * c->words + i];
        return 0;
    case CELL_EXP:
        st->exps++;
        memcpy(st->exp, c->value, sizeof st->exp);
        return 0;
    case CELL_IMAGE:
        st->images++;
        memcpy(st->image, c->value, sizeof st->image);
        return 0;
    case CELL_GWS:
        st->gwss++;
        memcpy(st->gws, c->value, sizeof st->gws);
        return 0;
    case CELL_TBA:
        st->tba_va = wide;
        return 0;
    case CELL_TMA:
        st->tma_va = wide;
        return 0;
    case CELL_PC:
        st->pc_va = c->relative ? CODE_VA + wide : wide;
        return 0;
    case CELL_MEM:
    case CELL_LDS:
    case CELL_GDS:
        p = state_bytes(st, c);
        if (!p)
            return err_set(e, "a cell lies outside the test's memory");
        for (unsigned i = 0; i < c->words; i++)
            store_le32(p + 4 * i, c->value[i]);
        return 0;
    default:
        return 0; /* inputs of the wave: wave_load() */
    }
}

/* ---- the wave ---------------------------------------------------------------------------- */

static void wave_load(struct machine *m, const struct vector *v)
{
    struct wave *w = m->wave;
    struct state *st = m->now;

    memset(w, 0, sizeof *w);
    w->v = st->v;
    w->acc = st->acc;
    w->num_vgprs = VGPRS;
    w->num_sgprs = SREG_FLAT_SCRATCH;
    w->gen = v->target->gen;
    w->stage = STAGE_CS;
    w->lds = st->lds;
    w->lds_bytes = LDS_BYTES;
    w->vm = m->vm;
    w->ops = &ops;
    w->ops_ctx = m;
    w->id = 1;
    w->hw_id = st->hw_id;
    w->gpr_alloc = st->gpr_alloc;
    w->lds_alloc = st->lds_alloc;
    w->tba_va = st->tba_va;
    w->tma_va = st->tma_va;
    wave_reset(w, CODE_VA, 0, 0, false, false);
    memcpy(w->s, st->s, sizeof st->s);
    wave_set_exec(w, wave_exec(w));
    m->gws_wait = false;
    w->scc = st->scc;
    w->mode = st->mode;
    w->status = st->status;
    w->trapsts = st->trapsts;
    w->ib_sts = st->ib_sts;
    for (unsigned i = 0; i < v->n_in; i++) {
        const struct vector_cell *c = &v->in[i];

        if (c->kind == CELL_SHARED_BASE)
            w->flat.shared_hi = c->value[0];
        else if (c->kind == CELL_PRIVATE_BASE)
            w->flat.private_hi = c->value[0];
        else if (c->kind == CELL_GWS_WAIT)
            m->gws_wait = c->value[0];
        else if (c->kind == CELL_VGPRS)
            w->num_vgprs = MIN2(c->value[0], VGPRS);
        else if (c->kind == CELL_SGPRS)
            w->num_sgprs = MIN2(c->value[0], SREG_FLAT_SCRATCH + 2);
    }
    w->loud = loud_create();
    loud_set_quiet(w->loud, true);
    memcpy(machine_memory(m), st->mem, MEM_BYTES);
    memset(m->code_page, 0, 4096);
    for (unsigned i = 0; i < v->ndw; i++)
        store_le32(m->code_page + 4 * i, v->code[i]);
    isa_code_sync(m->code);
}

/* Back into m->now. Returns what the loud reports said, to be freed, or NULL. */
static char *wave_store(struct machine *m)
{
    struct wave *w = m->wave;
    struct state *st = m->now;
    enum loud_kind kind;
    uint64_t key, count, total = 0;
    const char *text;
    size_t n;
    char *said = NULL;

    memcpy(st->s, w->s, sizeof st->s);
    memcpy(st->mem, machine_memory(m), MEM_BYTES);
    st->scc = w->scc;
    st->mode = w->mode;
    st->status = w->status;
    st->trapsts = w->trapsts;
    st->hw_id = w->hw_id;
    st->gpr_alloc = w->gpr_alloc;
    st->lds_alloc = w->lds_alloc;
    st->ib_sts = w->ib_sts;
    st->tba_va = w->tba_va;
    st->tma_va = w->tma_va;
    st->pc_va = w->pc_va;
    st->wave_state = w->state;
    st->loud = loud_count(w->loud) != 0;
    mem_faults(m->vm, &n, &total);
    st->fault = total != m->faults;
    m->faults = total;
    if (loud_get(w->loud, 0, &kind, &key, &count, &text))
        said = strdup(text);
    loud_destroy(w->loud);
    w->loud = NULL;
    return said;
}

/* ---- comparing --------------------------------------------------------------------------- */

#define DIFF_WHERE 64

static bool differ32(const char *name, uint32_t got, uint32_t want, struct err *e)
{
    if (got == want)
        return false;
    err_set(e, "%s = %x, not %x", name, got, want);
    return true;
}

static bool differ64(const char *name, uint64_t got, uint64_t want, struct err *e)
{
    if (got == want)
        return false;
    err_set(e, "%s = %llx, not %llx", name, (unsigned long long)got, (unsigned long long)want);
    return true;
}

static bool differ_words(const char *name, uint32_t count, uint32_t want_count,
                         const uint32_t *got, const uint32_t *want, unsigned n, struct err *e)
{
    char where[DIFF_WHERE];

    snprintf(where, sizeof where, "number of %s", name);
    if (differ32(where, count, want_count, e))
        return true;
    for (unsigned i = 0; i < n; i++) {
        snprintf(where, sizeof where, "word %u of %s", i, name);
        if (differ32(where, got[i], want[i], e))
            return true;
    }
    return false;
}

static bool differ_bytes(const char *name, const uint8_t *got, const uint8_t *want, size_t bytes,
                         uint64_t base, struct err *e)
{
    char where[DIFF_WHERE];

    if (!memcmp(got, want, bytes))
        return false;
    for (size_t i = 0; i < bytes; i += 4) {
        if (load_le32(got + i) == load_le32(want + i))
            continue;
        snprintf(where, sizeof where, "%s[%llx]", name, (unsigned long long)(base + i));
        return differ32(where, load_le32(got + i), load_le32(want + i), e);
    }
    return true;
}

static bool differ_lanes(char file, const uint32_t *got, const uint32_t *want, struct err *e)
{
    char where[DIFF_WHERE];

    if (!memcmp(got, want, sizeof(uint32_t[VGPR_WORDS])))
        return false;
    for (unsigned i = 0; i < VGPR_WORDS; i++) {
        if (got[i] == want[i])
            continue;
        snprintf(where, sizeof where, "%c%u[%u]", file, i / 64, i % 64);
        return differ32(where, got[i], want[i], e);
    }
    return true;
}

static bool differ_registers(const struct vector *v, const struct state *got,
                             const struct state *want, struct err *e)
{
    struct vector_cell c = {.kind = CELL_SGPR, .lane = -1, .words = 1};
    char where[DIFF_WHERE];

    for (unsigned i = 0; i < SREG_CONST; i++) {
        if (got->s[i] == want->s[i])
            continue;
        c.index = i;
        vector_cell_name(v, &c, where, sizeof where);
        return differ32(where, got->s[i], want->s[i], e);
    }
    return differ_lanes('v', got->v, want->v, e) || differ_lanes('a', got->acc, want->acc, e);
}

static bool lane_mask_stale(const struct wave *w)
{
    for (unsigned l = 0; l < 64; l++)
        if (w->lane_mask[l] != -(uint32_t)(wave_exec(w) >> l & 1))
            return true;
    return false;
}

static bool differ(const struct vector *v, const struct machine *m, const struct state *want,
                   struct err *e)
{
    static const char *const state_names[] = {
        [WAVE_READY] = "ready", [WAVE_AT_BARRIER] = "barrier", [WAVE_ENDED] = "ended",
        [WAVE_HALTED] = "halted"};
    const struct state *got = m->now;

    if (got->wave_state != want->wave_state) {
        err_set(e, "the wave is %s, not %s%s%s", state_names[got->wave_state],
                state_names[want->wave_state], m->wave->why ? ": " : "",
                m->wave->why ? m->wave->why : "");
        return true;
    }
    if (lane_mask_stale(m->wave)) {
        err_set(e, "the lane mask is not that of EXEC");
        return true;
    }
    return differ_registers(v, got, want, e) || differ32("scc", got->scc, want->scc, e) ||
           differ32("mode", got->mode, want->mode, e) ||
           differ32("status", got->status, want->status, e) ||
           differ32("trapsts", got->trapsts, want->trapsts, e) ||
           differ32("hw_id", got->hw_id, want->hw_id, e) ||
           differ32("gpr_alloc", got->gpr_alloc, want->gpr_alloc, e) ||
           differ32("lds_alloc", got->lds_alloc, want->lds_alloc, e) ||
           differ32("ib_sts", got->ib_sts, want->ib_sts, e) ||
           differ64("tba", got->tba_va, want->tba_va, e) ||
           differ64("tma", got->tma_va, want->tma_va, e) ||
           differ64("pc", got->pc_va - CODE_VA, want->pc_va - CODE_VA, e) ||
           differ32("messages sent", got->msgs, want->msgs, e) ||
           differ32("msg", got->msg, want->msg, e) ||
           differ_bytes("mem", got->mem, want->mem, MEM_BYTES, MEM_VA, e) ||
           differ_bytes("lds", got->lds, want->lds, LDS_BYTES, 0, e) ||
           differ_bytes("gds", got->gds, want->gds, GDS_BYTES, 0, e) ||
           differ_words("exp", got->exps, want->exps, got->exp, want->exp, VECTOR_EXP_WORDS, e) ||
           differ_words("image", got->images, want->images, got->image, want->image,
                        VECTOR_IMAGE_WORDS, e) ||
           differ_words("gws", got->gwss, want->gwss, got->gws, want->gws, VECTOR_GWS_WORDS, e) ||
           differ32("fault", got->fault, want->fault, e) ||
           differ32("loud", got->loud, want->loud, e);
}

/* ---- one vector -------------------------------------------------------------------------- */

/* A vector may leave out the suffix of the 32-bit form. */
static bool same_text(const char *printed, const char *wanted)
{
    size_t n = strcspn(printed, " ");

    if (!strcmp(printed, wanted))
        return true;
    return n > 4 && !memcmp(printed + n - 4, "_e32", 4) && !strncmp(printed, wanted, n - 4) &&
           !strcmp(printed + n, wanted + n - 4);
}

/* 0 when the words, the text and the assembler agree. */
static int check_coding(const struct vector *v, struct err *e)
{
    struct insn in;
    struct err why;
    char text[256];
    uint32_t code[4];
    int n = isa_decode(v->target, v->code, v->ndw, &in);

    if (n <= 0)
        return err_set(e, "the words are %s", n ? "cut off" : "no instruction");
    if ((unsigned)n != v->ndw)
        return err_set(e, "the instruction has %d words, the line %u", n, v->ndw);
    isa_print(v->target, &in, text, sizeof text);
    if (!same_text(text, v->text))
        return err_set(e, "disassembles to '%s'", text);
    n = isa_assemble(v->target, v->text, code, &why);
    if (n < 0)
        return err_set(e, "does not assemble: %s", why.text);
    if ((unsigned)n != v->ndw || memcmp(code, v->code, 4 * v->ndw))
        return err_set(e, "assembles to %08x%s", code[0], n > 1 ? " ..." : "");
    return 0;
}

static int check_run(struct run *r, const struct vector *v, enum isa_level level, struct err *e)
{
    struct machine *m = machine_for(r, v->target, level);
    struct state *now = m->now, *want = r->want;
    uint64_t exec;
    char *said;
    bool bad;

    state_fill(now);
    for (unsigned i = 0; i < v->n_in; i++)
        if (state_apply(now, &v->in[i], ~UINT64_C(0), e) < 0)
            return -1;
    *want = *now;
    want->pc_va = CODE_VA + 4 * v->ndw;
    exec = want->s[SREG_EXEC] | (uint64_t)want->s[SREG_EXEC + 1] << 32;
    for (unsigned i = 0; i < v->n_out; i++)
        if (state_apply(want, &v->out[i], exec, e) < 0)
            return -1;
    wave_load(m, v);
    isa_run(m->code, m->wave, 1);
    said = wave_store(m);
    bad = differ(v, m, want, e);
    if (bad && said) {
        size_t n = strlen(e->text);

        snprintf(e->text + n, sizeof e->text - n, " (reported: %s)", said);
    }
    free(said);
    return bad ? -1 : 0;
}

static int check_levels(struct run *r, const struct vector *v, struct err *e)
{
    for (unsigned l = 0; l < ISA_LEVELS; l++) {
        size_t n;

        if (!(r->levels >> l & 1) || check_run(r, v, (enum isa_level)l, e) == 0)
            continue;
        n = strlen(e->text);
        if (r->levels & (r->levels - 1)) /* more than one */
            snprintf(e->text + n, sizeof e->text - n, " (%s)", isa_level_name((enum isa_level)l));
        return -1;
    }
    return 0;
}

static void fail(struct run *r, const char *file, unsigned line_number, const struct vector *v,
                 const char *why)
{
    if (r->json) {
        json_array_append_new(r->failures,
                              json_pack("{s:s, s:i, s:s, s:s}", "file", file, "line",
                                        (int)line_number, "text", v ? v->text : "", "why", why));
    } else if (!r->quiet) {
        printf("%s:%u: %s%s%s\n", file, line_number, v ? v->text : "", v ? ": " : "", why);
    }
}

static int run_file(struct run *r, const char *path)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
    struct vector *v = take(sizeof *v);
    char *line = NULL;
    size_t cap = 0;
    unsigned n = 0;
    struct err e;

    if (!f) {
        fprintf(stderr, "atoll test: %s: %s\n", path, strerror(errno));
        free(v);
        return -1;
    }
    while (getline(&line, &cap, f) > 0) {
        int ok = vector_parse(line, v, &e);

        n++;
        if (ok < 0) {
            r->malformed++;
            fail(r, path, n, NULL, e.text);
        } else if (ok && (check_coding(v, &e) < 0 || check_levels(r, v, &e) < 0)) {
            r->failed++;
            fail(r, path, n, v, e.text);
        } else if (ok) {
            r->passed++;
        }
    }
    free(line);
    free(v);
    if (f != stdin)
        fclose(f);
    return 0;
}

/* ---- the command ------------------------------------------------------------------------- */

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print an object: passed, failed, malformed, failures", 0},
    {"level", 'l', "LEVEL", 0,
     "the host's instruction set: x86-64, x86-64-v3, x86-64-v4, or all that it has", 0},
    {"quiet", 'q', NULL, 0, "print only the summary", 0},
    {0},
};

struct request {
    struct run *run;
    char **files;
    int n;
};

/* 0 when the host has none of that name. */
static unsigned levels_named(const char *name)
{
    unsigned m = 0;

    for (unsigned l = 0; l <= (unsigned)isa_level_host(); l++)
        if (!strcmp(name, "all") || !strcmp(name, isa_level_name((enum isa_level)l)))
            m |= 1u << l;
    return m;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 'l':
        q->run->levels = levels_named(arg);
        if (!q->run->levels)
            argp_error(state, "this host has no level '%s'", arg);
        break;
    case 'j': q->run->json = true; break;
    case 'q': q->run->quiet = true; break;
    case ARGP_KEY_ARGS:
        q->files = state->argv + state->next;
        q->n = state->argc - state->next;
        break;
    case ARGP_KEY_NO_ARGS: argp_error(state, "no files"); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

int cmd_test(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE...",
        .doc = "Run test vectors: instructions with the state before and after them. FILE may be - "
               "for standard input. Exit status: 0 all passed, 1 some failed, 2 a file or a line "
               "cannot be read.",
    };
    struct run r = {.levels = 1u << isa_level_host()};
    struct request q = {.run = &r};
    bool unreadable = false;

    argp_parse(&argp, argc, argv, 0, NULL, &q);
    r.want = take(sizeof *r.want);
    if (r.json)
        r.failures = json_array();
    for (int i = 0; i < q.n; i++)
        unreadable |= run_file(&r, q.files[i]) < 0;
    if (r.json) {
        json_t *o = json_pack("{s:i, s:i, s:i, s:o}", "passed", (int)r.passed, "failed",
                              (int)r.failed, "malformed", (int)r.malformed, "failures", r.failures);

        json_dumpf(o, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(o);
    } else {
        printf("%u passed, %u failed", r.passed, r.failed);
        printf(r.malformed ? ", %u malformed\n" : "\n", r.malformed);
    }
    machines_free(&r);
    free(r.want);
    if (unreadable || r.malformed)
        return EXIT_USAGE;
    return r.failed ? EXIT_GUEST : EXIT_DONE;
}
