/* Any bytes as a shader: a wave that runs them neither crashes, hangs nor reaches beyond
 * what it was given, and leaves the same registers, LDS and memory whichever build of the
 * vector bodies runs it.
 *
 * Input: byte 0 chooses the target, byte 1 the float mode, byte 2 EXEC, then instruction
 * words. The wave has small numbers in its VGPRs and, in s[0:3] and s[4:5], a V# and the
 * address of 64 KiB of memory. */
#include "fuzz/fuzz.h"
#include "isa/exec.h"
#include "isa/row.h"
#include "isa/solo.h"

#include <stdlib.h>

enum {
    DATA_BYTES = 65536,
    STEPS = 2000, /* instructions of one run */
    MAX_WORDS = 512,
};

#define DATA_VA UINT64_C(0x100000000)

struct input {
    const struct isa_target *target;
    uint32_t mode;
    uint64_t exec;
    uint32_t code[MAX_WORDS];
    unsigned words;
};

static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* The words as they are (`all`), or only those that are instructions and go on to the
 * next. */
static void take_words(struct input *in, const uint8_t *data, unsigned words, bool all)
{
    uint32_t dw[MAX_WORDS];

    for (unsigned i = 0; i < words; i++)
        dw[i] = load_le32(data + 4 * i);
    for (unsigned i = 0; i < words;) {
        struct insn insn = {0};
        int n = isa_decode(in->target, dw + i, words - i, &insn);
        bool leaves = n > 0 && isa_rows[insn.op].flags & (END | JUMP | BRANCH);

        n = MAX2(n, 1);
        if (all || (insn.ndw == n && !leaves)) {
            memcpy(in->code + in->words, dw + i, (size_t)n * 4);
            in->words += (unsigned)n;
        }
        i += (unsigned)n;
    }
}

static void prepare(struct isa_solo *s, const struct input *in)
{
    struct wave *w = s->w;

    isa_solo_reset(s, in->exec, in->mode);
    isa_solo_code(s, in->code, in->words);
    for (unsigned i = 0; i < SOLO_VGPRS * 64; i++)
        s->v[i] = i * 4 & 0xfffc;
    for (unsigned i = 0; i < 64; i++)
        w->s[i] = i;
    w->s[0] = w->s[4] = (uint32_t)DATA_VA;
    w->s[1] = w->s[5] = (uint32_t)(DATA_VA >> 32);
    w->s[2] = DATA_BYTES;
    w->s[3] = 0x24fac; /* DST_SEL xyzw, float, 32 bits */
}

/* What the run leaves, as one number. */
static uint64_t run(const struct input *in, enum isa_level level)
{
    struct isa_solo *s = isa_solo_create(in->target, (int)level);
    uint8_t *data = aligned_alloc(4096, DATA_BYTES);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    struct err e;

    if (!s || !data)
        abort();
    memset(data, 0x3c, DATA_BYTES);
    if (mem_map(s->vm, DATA_VA, DATA_BYTES, data, MEM_R | MEM_W, &e))
        abort();
    prepare(s, in);
    for (uint64_t left = STEPS;
         left && s->w->state != WAVE_ENDED && s->w->state != WAVE_HALTED;) {
        uint64_t n = isa_run(s->code, s->w, left);

        s->w->state = s->w->state == WAVE_AT_BARRIER ? WAVE_READY : s->w->state;
        left -= n ? MIN2(n, left) : 1;
    }
    h = hash(h, s->v, SOLO_VGPRS * 256);
    h = hash(h, s->w->s, 128 * sizeof s->w->s[0]);
    h = hash(h, s->lds, SOLO_LDS_BYTES);
    h = hash(h, data, DATA_BYTES);
    h = hash(h, &s->w->pc_va, sizeof s->w->pc_va);
    isa_solo_destroy(s);
    free(data);
    return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const names[] = {"gfx600", "gfx704", "gfx801", "gfx803",
                                        "gfx900", "gfx906", "gfx908"};
    struct input in = {0};
    uint64_t first;

    if (bytes < 7)
        return 0;
    in.target = isa_target_find(names[data[0] % ARRAY_LEN(names)]);
    in.mode = data[1] | (data[2] & 3u) << 8;
    in.exec = data[2] & 4 ? UINT64_MAX : data[2] * UINT64_C(0x0123456789abcdef);
    take_words(&in, data + 3, (unsigned)MIN2((bytes - 3) / 4, (size_t)MAX_WORDS),
               data[2] >> 6 == 3);
    first = run(&in, ISA_LEVEL_BASE);
    for (int l = ISA_LEVEL_BASE + 1; l <= (int)isa_level_host(); l++)
        if (run(&in, (enum isa_level)l) != first)
            return 1;
    return 0;
}
