/* Random words as code, against LLVM: does either see an instruction where the other sees
 * none, of another length, or of another name?
 *
 *   llvm_words TARGET COUNT SEED [SHOW]     gfx803 10000000 1
 *
 * LLVM's decoder is loaded at run time through its stable C interface
 * (llvm-c/Disassembler.h), so nothing is needed to build. Half of the words are uniform;
 * the other half are instructions that one of the two accepted before, with a few bits
 * changed, since uniform words rarely reach the long encodings. Differences are counted
 * by kind and name and shown with up to SHOW examples each.
 *
 * LLVM has no decoder for GFX6 and GFX7: there every instruction is printed, assembled and decoded again, and must
 * come out the same.
 *
 * Differences of the kinds that docs/errata.md explains (E-llvm-words) are only counted.
 *
 * Exit 0: no difference beyond those; 1: some; 77: no LLVM. */
#include "isa/index.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4, NAMES_MAX = 4096, NAME_BYTES = 40, TEXT_BYTES = 512 };

struct llvm {
    void *ctx;
    size_t (*disassemble)(void *ctx, uint8_t *bytes, uint64_t nbytes, uint64_t pc,
                          char *text, size_t text_bytes);
};

static void *symbol(void *lib, const char *name)
{
    void *f = dlsym(lib, name);

    if (!f) {
        fprintf(stderr, "llvm_words: %s\n", dlerror());
        exit(2);
    }
    return f;
}

static bool llvm_open(struct llvm *l, const char *cpu)
{
    static const char *const files[] = {"libLLVM.so.19.1", "libLLVM-19.so.1",
                                        "libLLVM-19.so"};
    static const char *const init[] = {
        "LLVMInitializeAMDGPUTargetInfo", "LLVMInitializeAMDGPUTarget",
        "LLVMInitializeAMDGPUTargetMC", "LLVMInitializeAMDGPUDisassembler"};
    void *lib = NULL;
    void *(*create)(const char *triple, const char *cpu, const char *features,
                    void *dis_info, int tag_type, void *get_op_info, void *symbol_lookup);

    for (size_t i = 0; i < ARRAY_LEN(files) && !lib; i++)
        lib = dlopen(files[i], RTLD_NOW);
    if (!lib)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(init); i++) {
        void (*f)(void);

        *(void **)&f = symbol(lib, init[i]);
        f();
    }
    *(void **)&create = symbol(lib, "LLVMCreateDisasmCPUFeatures");
    *(void **)&l->disassemble = symbol(lib, "LLVMDisasmInstruction");
    l->ctx = create("amdgcn--amdhsa", cpu, "", NULL, 0, NULL, NULL);
    return l->ctx;
}

/* xorshift64*: the same inputs on every host. */
static uint64_t next(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * UINT64_C(2685821657736338717);
}

/* Differences of one kind under one name. */
struct group {
    char kind; /* of kind_text */
    char name[NAME_BYTES];
    uint64_t count;
};

struct groups {
    struct group g[NAMES_MAX];
    size_t n;
};

/* Capitals: kinds that need an explanation. */
static const char *kind_text(char kind)
{
    switch (kind) {
    case 'A':
        return "only atoll";
    case 'L':
        return "only LLVM";
    case 'N':
        return "length";
    case 'u':
        return "unused fields: only atoll";
    case 'r':
        return "reserved bits: only LLVM";
    case 'm':
        return "modifiers LLVM does not have: only atoll";
    case 'g':
        return "registers unchecked: only LLVM";
    case 's':
        return "SDWA selects undefined: only LLVM";
    case 'o':
        return "data past v255: only LLVM";
    default:
        return "text";
    }
}

/* How often this kind and name has been seen, this time included. */
static uint64_t note(struct groups *gs, char kind, const char *text)
{
    char name[NAME_BYTES];
    size_t i;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " \t"), text);
    for (i = 0; i < gs->n; i++)
        if (gs->g[i].kind == kind && !strcmp(gs->g[i].name, name))
            return ++gs->g[i].count;
    if (gs->n == NAMES_MAX)
        return NAMES_MAX;
    gs->g[gs->n].kind = kind;
    gs->g[gs->n].count = 1;
    memcpy(gs->g[gs->n++].name, name, sizeof name);
    return 1;
}

/* Four words: uniform, or an instruction that was seen before with a few bits changed. */
static void make_words(uint64_t *rng, uint32_t seen[][WORDS], size_t nseen,
                       uint32_t w[WORDS])
{
    uint64_t how = next(rng);

    for (int i = 0; i < WORDS; i++)
        w[i] = (uint32_t)(next(rng) >> 32);
    if ((how >> 60) < 8 || !nseen)
        return;
    memcpy(w, seen[(how & 0xffffffff) % nseen], 8);
    for (uint64_t n = how >> 56 & 3; n; n--) {
        unsigned bit = (unsigned)(next(rng) >> 58);

        w[bit / 32] ^= UINT32_C(1) << bit % 32;
    }
}

static void trim(char *text)
{
    size_t skip = strspn(text, " \t"), n;

    memmove(text, text + skip, strlen(text + skip) + 1);
    for (n = strlen(text); n && strchr(" \t\n", text[n - 1]); n--)
        text[n - 1] = 0;
}

/* LLVM prints it, and says that something in it is not valid: no evidence for either
 * side. */
static bool doubtful(const char *text)
{
    static const char *const says[] = {"/*Invalid",      "/* Invalid",
                                       "Warning",        "invalid_param",
                                       "invalid_target", "not supported on ASICs"};

    for (size_t i = 0; i < ARRAY_LEN(says); i++)
        if (strstr(text, says[i]))
            return true;
    return false;
}

/* LLVM's decoder knows the scalar registers of all generations on each, and takes
 * LDS_DIRECT for any source. */
static bool unchecked_register(const char *text)
{
    static const char *const names[] = {
        "null",           "xnack_mask", "src_shared_", "src_private_", "src_pops_",
        "s[100:103]",     "s[96:103]",  "s[88:103]",   "ttmp[8:15]",   "ttmp[12:15]",
        "src_lds_direct", "src_scc",    "src_vccz",    "src_execz",    "ttmp[0:15]"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

static sigjmp_buf crashed;

static void on_crash(int sig)
{
    siglongjmp(crashed, sig);
}

/* LLVM 19's decoder itself crashes on some words: -1 then. Else the dwords of the
 * instruction. */
static int llvm_decode(struct llvm *l, uint8_t *bytes, size_t nbytes, char *text)
{
    if (sigsetjmp(crashed, 1))
        return -1;
    text[0] = 0;
    return (int)l->disassemble(l->ctx, bytes, nbytes, 0, text, TEXT_BYTES) / 4;
}

enum { SEEN = 1 << 16 };

/* Only we see an instruction: whether LLVM sees it too when the text says all that there
 * is. The two then differ about bits that say nothing. */
static bool unused_fields(const struct isa_target *t, struct llvm *l, const char *text)
{
    uint32_t plain[WORDS] = {0};
    uint8_t bytes[4 * WORDS];
    char theirs[TEXT_BYTES], ours[TEXT_BYTES];
    struct insn in;
    int n = isa_assemble(t, text, plain, NULL);

    for (int i = 0; i < WORDS; i++)
        store_le32(bytes + 4 * i, plain[i]);
    if (n <= 0 || isa_decode(t, plain, WORDS, &in) != n ||
        llvm_decode(l, bytes, sizeof bytes, theirs) != n)
        return false;
    isa_print(t, &in, ours, sizeof ours);
    return !strcmp(ours, text);
}

/* Only LLVM sees one: whether we do too without the reserved bits. */
static bool reserved_bits(const struct isa_target *t, const uint32_t w[WORDS], int m)
{
    enum isa_op op;
    const struct layout *l = isa_layout_find(t, w[0], &op);
    uint32_t plain[WORDS];
    struct insn in;

    memcpy(plain, w, sizeof plain);
    for (int i = 0; l && i < 2 && i < l->ndw; i++)
        plain[i] &= ~l->reserved[i];
    return l && memcmp(plain, w, sizeof plain) && isa_decode(t, plain, WORDS, &in) == m;
}

/* Only we see one: whether LLVM does without the modifiers that it does not know for the
 * row. */
static bool modifiers(const struct isa_target *t, struct llvm *l, struct insn in)
{
    uint64_t flags = isa_rows[in.op].flags;
    char text[TEXT_BYTES];

    if (in.lds && in.enc != ENC_MUBUF) {
        in.lds = false;
        in.dst = (uint16_t)(OPD_VGPR0 + bits(in.dw[1], 24, 31));
    }
    in.tfe = in.nv = in.high = in.clamp = in.glc = in.slc = in.d16 = false;
    in.gds = flags & GWS;
    in.lds |= (flags & LDS_DMA) != 0;
    in.omod = in.op_sel = 0;
    if (flags & (NO_ADDR | LDS_DMA)) {
        in.idxen = in.offen = false;
        in.offset = 0;
    }
    isa_print(t, &in, text, sizeof text);
    return unused_fields(t, l, text);
}

/* SDWA selects that the manuals leave undefined. */
static bool sdwa_undefined(const uint32_t w[WORDS])
{
    return bits(w[1], 11, 12) == 3 || bits(w[1], 8, 10) == 7 || bits(w[1], 16, 18) == 7 ||
           bits(w[1], 24, 26) == 7;
}

/* An image instruction whose data starts so high that it runs past v255. */
static bool data_past_end(const char *text)
{
    const char *v = strstr(text, " v");

    if (strncmp(text, "image_", 6) || !v)
        return false;
    return strtoul(v + (v[2] == '[' ? 3 : 2), NULL, 10) > 256 - 6;
}

/* How the two differ about w; 0 when they do not. n, m: their dwords. */
static char difference(const struct isa_target *t, struct llvm *l,
                       const uint32_t w[WORDS], const struct insn *in, int n, int m,
                       const char *ours, const char *theirs)
{
    if (n <= 0 && !m)
        return 0;
    if (n > 0 && !m)
        return unused_fields(t, l, ours) ? 'u' : modifiers(t, l, *in) ? 'm' : 'A';
    if (n <= 0 && unchecked_register(theirs))
        return 'g';
    if (n <= 0 && strstr(theirs, "_sdwa ") && sdwa_undefined(w))
        return 's';
    if (n <= 0 && data_past_end(theirs))
        return 'o';
    if (n <= 0)
        return reserved_bits(t, w, m) ? 'r' : 'L';
    if (n != m)
        return 'N';
    return strcmp(ours, theirs) ? 't' : 0;
}

static int run(const struct isa_target *t, struct llvm *l, uint64_t count, uint64_t seed,
               uint64_t show)
{
    static struct groups gs;
    static uint32_t seen[SEEN][WORDS];
    size_t nseen = 0;
    uint64_t rng = seed * 2 + 1, both = 0, differ = 0, crashes = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t w[WORDS];
        uint8_t bytes[4 * WORDS];
        char theirs[TEXT_BYTES] = "", ours[TEXT_BYTES] = "";
        struct insn in;
        int n, m;
        char kind;

        make_words(&rng, seen, nseen, w);
        for (int k = 0; k < WORDS; k++)
            store_le32(bytes + 4 * k, w[k]);
        n = isa_decode(t, w, WORDS, &in);
        m = llvm_decode(l, bytes, sizeof bytes, theirs);
        if (m < 0) {
            if (++crashes <= show)
                printf("LLVM crashes: %08x %08x %08x\n", w[0], w[1], w[2]);
            continue;
        }
        if (n > 0)
            isa_print(t, &in, ours, sizeof ours);
        if (n > 0 || m > 0)
            memcpy(seen[nseen < SEEN ? nseen++ : next(&rng) % SEEN], w, sizeof w);
        trim(theirs);
        if (doubtful(theirs))
            continue;
        kind = difference(t, l, w, &in, n, m, ours, theirs);
        both += n > 0 && m;
        if (!kind)
            continue;
        differ += kind == 'A' || kind == 'L' || kind == 'N';
        if (note(&gs, kind, n > 0 ? ours : theirs) <= show)
            printf("%s: %08x %08x %08x: atoll '%s' LLVM '%s'\n", kind_text(kind), w[0],
                   w[1], w[2], ours, theirs);
    }
    for (size_t i = 0; i < gs.n; i++)
        printf("%-38s %-32s %llu\n", kind_text(gs.g[i].kind), gs.g[i].name,
               (unsigned long long)gs.g[i].count);
    printf("%s: %llu words, %llu instructions for both, %llu unexplained differences, "
           "LLVM crashed %llu times\n",
           t->name, (unsigned long long)count, (unsigned long long)both,
           (unsigned long long)differ, (unsigned long long)crashes);
    return differ ? 1 : 0;
}

/* Without LLVM. */
static int run_alone(const struct isa_target *t, uint64_t count, uint64_t seed)
{
    static uint32_t seen[SEEN][WORDS];
    size_t nseen = 0;
    uint64_t rng = seed * 2 + 1, instructions = 0, differ = 0;

    for (uint64_t i = 0; i < count; i++) {
        char text[TEXT_BYTES], again[TEXT_BYTES] = "no instruction";
        uint32_t w[WORDS], back[WORDS];
        struct insn in, other;
        struct err e;
        int n, m;

        make_words(&rng, seen, nseen, w);
        n = isa_decode(t, w, WORDS, &in);
        if (n <= 0)
            continue;
        instructions++;
        memcpy(seen[nseen < SEEN ? nseen++ : next(&rng) % SEEN], w, sizeof w);
        isa_print(t, &in, text, sizeof text);
        m = isa_assemble(t, text, back, &e);
        if (m > 0 && isa_decode(t, back, (size_t)m, &other) == m)
            isa_print(t, &other, again, sizeof again);
        if (!strcmp(text, again))
            continue;
        if (differ++ < 10)
            printf("%08x %08x %08x: '%s', and back '%s'\n", w[0], w[1], w[2], text, m > 0 ? again : e.text);
    }
    printf("%s: %llu words, %llu instructions, %llu of them not the same when printed, assembled and decoded again\n",
           t->name, (unsigned long long)count, (unsigned long long)instructions, (unsigned long long)differ);
    return differ ? 1 : 0;
}

int main(int argc, char **argv)
{
    const struct isa_target *t = argc > 3 ? isa_target_find(argv[1]) : NULL;
    struct llvm l;

    signal(SIGSEGV, on_crash);
    if (!t) {
        fprintf(stderr, "usage: llvm_words TARGET COUNT SEED [SHOW]\n");
        return 2;
    }
    if (t->gen < GFX8)
        return run_alone(t, strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
    if (!llvm_open(&l, t->name)) {
        fprintf(stderr, "SKIPPED llvm_words: no libLLVM 19 with AMDGPU\n");
        return 77;
    }
    return run(t, &l, strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0),
               argc > 4 ? strtoull(argv[4], NULL, 0) : 0);
}
