/* `atoll isa --coverage`: which rows of the instruction table have no semantics (executing them halts
 * the wave), and which appear in no test vector, generation by generation. A row counts for a
 * generation when one of its targets has it; a vector for the row that its words decode to,
 * whatever its form (32 bits, VOP3, SDWA, DPP). Whether vectors pass says `atoll test`. */
#include "isa/codec.h"
#include "isa/exec.h"
#include "tools/tools.h"
#include "tools/vector.h"

#include <argp.h>
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>

#define DEFAULT_FILES "testvectors/*.tv"

static const char *const enc_names[ENC_COUNT] = {
    [ENC_SOP2] = "SOP2", [ENC_SOPK] = "SOPK", [ENC_SOP1] = "SOP1", [ENC_SOPC] = "SOPC",
    [ENC_SOPP] = "SOPP", [ENC_SMRD] = "SMRD", [ENC_SMEM] = "SMEM", [ENC_VOP2] = "VOP2",
    [ENC_VOP1] = "VOP1", [ENC_VOPC] = "VOPC", [ENC_VOP3] = "VOP3", [ENC_VOP3P] = "VOP3P",
    [ENC_VINTRP] = "VINTRP", [ENC_DS] = "DS", [ENC_MUBUF] = "MUBUF", [ENC_MTBUF] = "MTBUF",
    [ENC_MIMG] = "MIMG", [ENC_EXP] = "EXP", [ENC_FLAT] = "FLAT", [ENC_GLOBAL] = "GLOBAL",
    [ENC_SCRATCH] = "SCRATCH", [ENC_MAI] = "MAI",
};

struct count {
    unsigned rows, no_body, no_vector;
};

struct coverage {
    bool has[I_COUNT], body[I_COUNT], vector[I_COUNT];
    struct count all, enc[ENC_COUNT];
};

struct request {
    bool coverage, json, all_gens;
    bool gens[GFX_COUNT];
    char **files;
    size_t n;
};

/* The encoding that a row has in a generation. */
static enum isa_enc encoding(enum gfx gen, unsigned op)
{
    const struct isa_row *r = &isa_rows[op];

    if (r->op[gen] & OP_V3)
        return ENC_VOP3;
    return r->enc == ENC_SMEM && gen <= GFX7 ? ENC_SMRD : (enum isa_enc)r->enc;
}

/* ---- looking ----------------------------------------------------------------------------- */

static void look_at_rows(struct coverage all[GFX_COUNT])
{
    const struct isa_target *t;

    for (unsigned i = 0; (t = isa_target_at(i)); i++)
        for (unsigned op = I_NONE + 1; op < I_COUNT; op++)
            all[t->gen].has[op] |= isa_has(t, (enum isa_op)op);
    for (unsigned g = 0; g < GFX_COUNT; g++) {
        struct loud *loud = loud_create();
        struct mem_vm *vm = mem_vm_create();
        struct isa_code *c = isa_code_create(isa_target_default((enum gfx)g), vm, loud);
        bool call;

        for (unsigned op = I_NONE + 1; op < I_COUNT; op++)
            all[g].body[op] = isa_code_fn(c, op, &call) != NULL;
        isa_code_destroy(c);
        mem_vm_destroy(vm);
        loud_destroy(loud);
    }
}

/* Returns -1 when the file cannot be read or has a line that is no vector. */
static int look_at_file(struct coverage all[GFX_COUNT], const char *path)
{
    FILE *f = fopen(path, "r");
    struct vector *v = malloc(sizeof *v);
    char *line = NULL;
    size_t cap = 0;
    unsigned n = 0;
    int status = 0;

    if (!f || !v) {
        fprintf(stderr, "atoll isa: %s: %s\n", path, strerror(errno));
        status = -1;
    }
    while (!status && getline(&line, &cap, f) > 0) {
        struct insn in;
        struct err e;
        int ok = vector_parse(line, v, &e);

        n++;
        if (ok > 0 && isa_decode(v->target, v->code, v->ndw, &in) <= 0)
            ok = err_set(&e, "the words are no instruction");
        if (ok > 0)
            all[v->target->gen].vector[in.op] = true;
        if (ok >= 0)
            continue;
        fprintf(stderr, "atoll isa: %s:%u: %s\n", path, n, e.text);
        status = -1;
    }
    free(line);
    free(v);
    if (f)
        fclose(f);
    return status;
}

static void count(struct coverage *c, enum gfx gen)
{
    for (unsigned op = I_NONE + 1; op < I_COUNT; op++) {
        struct count *to[2] = {&c->all, &c->enc[encoding(gen, op)]};

        for (unsigned i = 0; i < 2 && c->has[op]; i++) {
            to[i]->rows++;
            to[i]->no_body += !c->body[op];
            to[i]->no_vector += !c->vector[op];
        }
    }
}

/* ---- printing ---------------------------------------------------------------------------- */

static void print_missing(const struct coverage *c, enum gfx gen, const bool *there, const char *what)
{
    char name[64];

    for (unsigned op = I_NONE + 1; op < I_COUNT; op++) {
        if (!c->has[op] || there[op])
            continue;
        isa_mnemonic(gen, (enum isa_op)op, name);
        printf("%s %-7s %-12s %s\n", gfx_name(gen), enc_names[encoding(gen, op)], what, name);
    }
}

static void print_count(const char *name, const struct count *n)
{
    printf("%-8s %5u rows, %5u without semantics, %5u without a vector\n", name, n->rows, n->no_body,
           n->no_vector);
}

static void print_text(const struct coverage *c, enum gfx gen)
{
    print_missing(c, gen, c->body, "no-semantics");
    print_missing(c, gen, c->vector, "no-vector");
    for (unsigned e = 0; e < ENC_COUNT; e++)
        if (c->enc[e].rows)
            print_count(enc_names[e], &c->enc[e]);
    print_count(gfx_name(gen), &c->all);
}

static json_t *json_missing(const struct coverage *c, enum gfx gen, const bool *there)
{
    json_t *list = json_array();
    char name[64];

    for (unsigned op = I_NONE + 1; op < I_COUNT; op++) {
        if (!c->has[op] || there[op])
            continue;
        isa_mnemonic(gen, (enum isa_op)op, name);
        json_array_append_new(list, json_pack("{s:s, s:s}", "encoding", enc_names[encoding(gen, op)],
                                              "name", name));
    }
    return list;
}

static json_t *json_of(const struct coverage *c, enum gfx gen)
{
    json_t *encodings = json_object();

    for (unsigned e = 0; e < ENC_COUNT; e++)
        if (c->enc[e].rows)
            json_object_set_new(encodings, enc_names[e],
                                json_pack("{s:i, s:i, s:i}", "rows", (int)c->enc[e].rows,
                                          "without_semantics", (int)c->enc[e].no_body,
                                          "without_vector", (int)c->enc[e].no_vector));
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "generation", gfx_name(gen), "rows",
                     (int)c->all.rows, "without_semantics", json_missing(c, gen, c->body),
                     "without_vector", json_missing(c, gen, c->vector), "encodings", encodings);
}

/* ---- the command ------------------------------------------------------------------------- */

static const struct argp_option options[] = {
    {"coverage", 'c', NULL, 0, "list the rows without semantics or without a test vector", 0},
    {"gfx", 'g', "N", 0, "only this generation, 6 .. 9 (may be given more than once)", 0},
    {"json", 'j', NULL, 0, "print an array with an object for each generation", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case 'c':
        r->coverage = true;
        break;
    case 'j':
        r->json = true;
        break;
    case 'g':
        if (arg[0] < '6' || arg[0] > '9' || arg[1])
            argp_error(state, "'%s' is no generation: 6, 7, 8 or 9", arg);
        r->gens[GFX6 + (arg[0] - '6')] = true;
        r->all_gens = false;
        break;
    case ARGP_KEY_ARGS:
        r->files = state->argv + state->next;
        r->n = (size_t)(state->argc - state->next);
        break;
    case ARGP_KEY_END:
        if (!r->coverage)
            argp_error(state, "say what: --coverage");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

int cmd_isa(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[FILE.tv...]",
        .doc = "Rows of the instruction table that lack semantics or a test vector. The vector files "
               "are " DEFAULT_FILES " unless some are named.",
    };
    static const struct coverage none;
    struct coverage *all = calloc(GFX_COUNT, sizeof none);
    struct request r = {.all_gens = true};
    glob_t found = {0};
    int status = all ? EXIT_DONE : EXIT_USAGE;
    json_t *root = NULL;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
    if (!r.n) {
        if (glob(DEFAULT_FILES, 0, NULL, &found)) {
            fprintf(stderr, "atoll isa: no files %s here\n", DEFAULT_FILES);
            status = EXIT_USAGE;
        }
        r.files = found.gl_pathv;
        r.n = found.gl_pathc;
    }
    if (status == EXIT_DONE)
        look_at_rows(all);
    for (size_t i = 0; status == EXIT_DONE && i < r.n; i++)
        if (look_at_file(all, r.files[i]) < 0)
            status = EXIT_USAGE;
    if (status == EXIT_DONE && r.json)
        root = json_array();
    for (unsigned g = 0; status != EXIT_USAGE && g < GFX_COUNT; g++) {
        if (!r.all_gens && !r.gens[g])
            continue;
        count(&all[g], (enum gfx)g);
        if (all[g].all.no_body || all[g].all.no_vector)
            status = EXIT_GUEST;
        if (r.json)
            json_array_append_new(root, json_of(&all[g], (enum gfx)g));
        else
            print_text(&all[g], (enum gfx)g);
    }
    if (root) {
        json_dumpf(root, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(root);
    }
    globfree(&found);
    free(all);
    return status;
}
