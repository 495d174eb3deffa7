/* `atoll regs`: explains registers and their values, by name, field, address or pattern; dumps the
 * register database of a chip. The database itself is regs/. */
#include "config.h"

#include "base/chip.h"
#include "regs/regs.h"
#include "tools/tools.h"

#include <argp.h>
#include <ctype.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>

struct request {
    const char *chip; /* as named by the user */
    enum gfx gen;
    unsigned ext;
    bool tsv, json;
    char **queries; /* into argv */
    unsigned count;
};

/* One question: registers, perhaps one field of them, perhaps a value. */
struct query {
    char name[128];
    char field[128]; /* "" when none was asked for */
    bool has_value;
    uint32_t value;
};

enum { OPT_CHIP = 'c', OPT_TSV = 't', OPT_JSON = 'j' };

static const struct argp_option options[] = {
    {"chip", OPT_CHIP, "CHIP", 0,
     "chip, LLVM processor or generation whose registers to show (default bonaire)", 0},
    {"tsv", OPT_TSV, NULL, 0, "one line a field: register, byte offset, field, low bit, high bit", 0},
    {"json", OPT_JSON, NULL, 0, "print a JSON array", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case OPT_CHIP: r->chip = arg; break;
    case OPT_TSV: r->tsv = true; break;
    case OPT_JSON: r->json = true; break;
    case ARGP_KEY_ARGS:
        r->queries = state->argv + state->next;
        r->count = (unsigned)(state->argc - state->next);
        break;
    case ARGP_KEY_END:
        if (r->tsv && r->json)
            argp_error(state, "--tsv and --json exclude each other");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* "bonaire", "gfx704" or "gfx7". */
static bool find_chip(struct request *r)
{
    const struct chip *c = chip_find(r->chip);

    for (unsigned i = 0; !c && chip_list(i); i++)
        if (!strcmp(chip_list(i)->llvm, r->chip) && !(chip_list(i)->ext & CHIP_EXT_VRS))
            c = chip_list(i);
    if (c) {
        r->gen = c->gen;
        r->ext = c->ext & CHIP_EXT_VRS ? REG_EXT_VRS : 0;
        return true;
    }
    for (r->gen = GFX6; r->gen < GFX_COUNT; r->gen++)
        if (!strcmp(gfx_name(r->gen), r->chip))
            return true;
    fprintf(stderr, "atoll regs: no chip '%s'; known are", r->chip);
    for (unsigned i = 0; chip_list(i); i++)
        fprintf(stderr, " %s", chip_list(i)->name);
    fprintf(stderr, ", and gfx6 to gfx9\n");
    return false;
}

/* A 32-bit number in C's notation and nothing else. */
static bool number(const char *text, uint32_t *out)
{
    char *end;
    unsigned long long v;

    if (!isdigit((unsigned char)*text))
        return false;
    v = strtoull(text, &end, 0);
    *out = (uint32_t)v;
    return !*end && v <= UINT32_MAX;
}

/* NAME[.FIELD][=VALUE] */
static bool parse_query(const char *text, struct query *q)
{
    size_t len = strcspn(text, "=");
    const char *dot = memchr(text, '.', len);
    size_t name_len = dot ? (size_t)(dot - text) : len;

    memset(q, 0, sizeof *q);
    if (name_len == 0 || name_len >= sizeof q->name || len - name_len >= sizeof q->field) {
        fprintf(stderr, "atoll regs: '%s' names no register\n", text);
        return false;
    }
    memcpy(q->name, text, name_len);
    if (dot)
        memcpy(q->field, dot + 1, len - name_len - 1);
    q->has_value = text[len] == '=';
    if (q->has_value && !number(text + len + 1, &q->value)) {
        fprintf(stderr, "atoll regs: '%s' is not a 32-bit value (decimal, or hexadecimal with 0x)\n",
                text + len + 1);
        return false;
    }
    return true;
}

/* ---- finding ----------------------------------------------------------------------------- */

static const struct reg *next_match(const struct request *r, const char *pattern,
                                    const struct reg *after)
{
    bool glob = strpbrk(pattern, "*?[") != NULL;

    while ((after = regs_next(r->gen, r->ext, after)))
        if (glob ? !fnmatch(pattern, after->name, FNM_CASEFOLD)
                 : strcasestr(after->name, pattern) != NULL)
            break;
    return after;
}

/* A register by its whole name in any case, or by its address: a byte offset, or "dw:" and a
 * dword index. NULL when there is none. */
static const struct reg *find_one(const struct request *r, const char *name)
{
    uint32_t n;

    if (!strncmp(name, "dw:", 3))
        return number(name + 3, &n) && n < REGS_FILE_DWORDS
                   ? regs_by_offset(r->gen, r->ext, 4 * n) : NULL;
    if (number(name, &n))
        return regs_by_offset(r->gen, r->ext, n);
    for (const struct reg *g = NULL; (g = regs_next(r->gen, r->ext, g));)
        if (!strcasecmp(g->name, name))
            return g;
    return NULL;
}

/* How many characters to insert, delete or replace to get from a to b, case aside. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[128], la = (unsigned)strlen(a), lb = (unsigned)strlen(b);

    if (lb + 1 > ARRAY_LEN(row))
        return UINT32_MAX;
    for (unsigned j = 0; j <= lb; j++)
        row[j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            unsigned change = diagonal + (toupper((unsigned char)a[i - 1]) !=
                                          toupper((unsigned char)b[j - 1]));

            diagonal = row[j];
            row[j] = MIN2(change, 1 + MIN2(row[j], row[j - 1]));
        }
    }
    return row[lb];
}

/* Say why nothing was found: other chips' registers, addresses near by, names that look alike. */
static void explain_miss(const struct request *r, const char *name)
{
    const struct reg *near[5] = {NULL};
    unsigned far[5] = {0}, limit = 1 + (unsigned)strlen(name) / 3, shown = 0;
    uint32_t n;

    if (!strncmp(name, "dw:", 3)) {
        fprintf(stderr, "atoll regs: %s has no register at dword index %s\n", r->chip, name + 3);
        return;
    }
    if (number(name, &n)) {
        const struct reg *g, *below = NULL;

        fprintf(stderr, "atoll regs: %s has no register at byte offset %#x", r->chip, n);
        g = n < REGS_FILE_DWORDS ? regs_by_offset(r->gen, r->ext, 4 * n) : NULL;
        if (g)
            fprintf(stderr, "; dword index %#x (write dw:%#x) is %s", n, n, g->name);
        for (g = NULL; (g = regs_next(r->gen, r->ext, g)) && g->offset < n;)
            below = g;
        if (below)
            fprintf(stderr, "; nearest below: %s at %#x", below->name, below->offset);
        if (g)
            fprintf(stderr, "; above: %s at %#x", g->name, g->offset);
        fputc('\n', stderr);
        return;
    }
    fprintf(stderr, "atoll regs: %s has no register '%s'", r->chip, name);
    for (unsigned gen = GFX6; gen < GFX_COUNT; gen++) {
        struct request other = {.gen = (enum gfx)gen, .ext = REG_EXT_VRS};
        const struct reg *g = find_one(&other, name);

        if (g && g->ext) {
            fprintf(stderr, "; it exists on chips with the VRS extension (bonaire-vrs)");
            shown++;
            break;
        }
        if (g)
            fprintf(stderr, "%s%s", shown++ ? ", " : "; it exists on ", gfx_name((enum gfx)gen));
    }
    for (const struct reg *g = NULL; !shown && (g = regs_next(r->gen, r->ext, g));) {
        unsigned d = distance(name, g->name);

        for (unsigned i = 0; i < ARRAY_LEN(near) && d <= limit; i++) {
            if (!near[i] || d < far[i]) {
                memmove(near + i + 1, near + i, (ARRAY_LEN(near) - 1 - i) * sizeof near[0]);
                memmove(far + i + 1, far + i, (ARRAY_LEN(far) - 1 - i) * sizeof far[0]);
                near[i] = g;
                far[i] = d;
                break;
            }
        }
    }
    for (unsigned i = 0; i < ARRAY_LEN(near) && near[i]; i++)
        fprintf(stderr, "%s%s", i ? ", " : "; near: ", near[i]->name);
    fputc('\n', stderr);
}

/* ---- printing ---------------------------------------------------------------------------- */

static const char *space_name(enum reg_space s)
{
    static const char *const names[] = {
        [REG_CONFIG] = "config", [REG_SH] = "sh", [REG_CONTEXT] = "context",
        [REG_UCONFIG] = "uconfig", [REG_OTHER] = "other",
    };
    return names[s];
}

/* The bits of a value that no field has. */
static uint32_t unknown_bits(const struct reg *g, uint32_t value)
{
    if (!g->field_count)
        return 0;
    for (unsigned i = 0; i < g->field_count; i++)
        value &= ~(bits(0xffffffff, 0, g->fields[i].hi - g->fields[i].lo) << g->fields[i].lo);
    return value;
}

static bool wanted(const struct query *q, const struct reg_field *f)
{
    return !q->field[0] || !strcasecmp(q->field, f->name);
}

static void print_tsv(const struct reg *g, const struct query *q)
{
    if (!g->field_count)
        printf("%s\t0x%05x\t-\t0\t31\n", g->name, g->offset);
    for (unsigned i = 0; i < g->field_count; i++)
        if (wanted(q, &g->fields[i]))
            printf("%s\t0x%05x\t%s\t%u\t%u\n", g->name, g->offset, g->fields[i].name,
                   g->fields[i].lo, g->fields[i].hi);
}

static void print_line(const struct reg *g)
{
    printf("0x%05x  %-8s %s\n", g->offset, space_name(g->space), g->name);
}

static void print_field(const struct reg_field *f, const struct query *q)
{
    char range[8];

    snprintf(range, sizeof range, f->lo == f->hi ? "%u" : "%u:%u", f->hi, f->lo);
    printf(q->has_value || (f->entries && !q->field[0]) ? "  %5s  %-34s" : "  %5s  %s", range,
           f->name);
    if (q->has_value) {
        uint32_t v = bits(q->value, f->lo, f->hi);
        const char *entry = regs_enum_name(f, v);

        printf(v > 9 ? " %u (%#x)" : " %u", v, v);
        if (entry)
            printf("  %s", entry);
        else if (f->entries)
            printf("  (no name)");
    } else if (q->field[0]) {
        for (unsigned i = 0; i < f->entry_count; i++)
            printf("\n           %3u  %s", f->entries[i].value, f->entries[i].name);
    } else if (f->entries) {
        printf(" %u = %s", f->entries[0].value, f->entries[0].name);
        if (f->entry_count > 1)
            printf(" .. %u = %s", f->entries[f->entry_count - 1].value,
                   f->entries[f->entry_count - 1].name);
    }
    putchar('\n');
}

static void print_text(const struct reg *g, const struct query *q)
{
    printf("%s", g->name);
    if (q->has_value)
        printf(" = 0x%08x", q->value);
    printf("  [%#x, dword %#x, %s;", g->offset, g->offset / 4, space_name(g->space));
    for (unsigned gen = GFX6; gen < GFX_COUNT; gen++) {
        const struct reg *other = regs_by_id((enum gfx)gen, g->id);

        if (!other)
            printf(" no %s", gfx_name((enum gfx)gen));
        else if (other->offset != g->offset)
            printf(" %s %#x", gfx_name((enum gfx)gen), other->offset);
        else
            printf(" %s", gfx_name((enum gfx)gen));
    }
    printf("%s]\n", g->ext ? "; VRS extension" : "");
    if (!g->field_count && q->has_value)
        printf("  no fields: %u, as float %g\n", q->value, (double)bits_f32(q->value));
    else if (!g->field_count)
        printf("  no fields\n");
    for (unsigned i = 0; i < g->field_count; i++)
        if (wanted(q, &g->fields[i]))
            print_field(&g->fields[i], q);
    if (q->has_value && unknown_bits(g, q->value))
        printf("  bits that no field has: 0x%08x\n", unknown_bits(g, q->value));
}

static json_t *field_json(const struct reg_field *f, const struct query *q)
{
    json_t *o = json_pack("{s:s, s:i, s:i}", "name", f->name, "lo", f->lo, "hi", f->hi);

    if (q->has_value) {
        uint32_t v = bits(q->value, f->lo, f->hi);
        const char *entry = regs_enum_name(f, v);

        json_object_set_new(o, "value", json_integer(v));
        if (entry)
            json_object_set_new(o, "value_name", json_string(entry));
    } else if (f->entries) {
        json_t *all = json_array();

        for (unsigned i = 0; i < f->entry_count; i++)
            json_array_append_new(all, json_pack("{s:s, s:I}", "name", f->entries[i].name,
                                                 "value", (json_int_t)f->entries[i].value));
        json_object_set_new(o, "enum", all);
    }
    return o;
}

static json_t *reg_json(const struct reg *g, const struct query *q)
{
    json_t *o = json_pack("{s:s, s:I, s:I, s:s}", "name", g->name, "offset", (json_int_t)g->offset,
                          "dword", (json_int_t)(g->offset / 4), "space", space_name(g->space));
    json_t *fields = json_array();

    if (q->has_value) {
        json_object_set_new(o, "value", json_integer(q->value));
        json_object_set_new(o, "unknown_bits", json_integer(unknown_bits(g, q->value)));
    }
    for (unsigned i = 0; i < g->field_count; i++)
        if (wanted(q, &g->fields[i]))
            json_array_append_new(fields, field_json(&g->fields[i], q));
    json_object_set_new(o, "fields", fields);
    return o;
}

/* `list`: of several registers found by a pattern, one line each. */
static void print(const struct request *r, const struct reg *g, const struct query *q, bool list,
                  json_t *out)
{
    if (r->tsv)
        print_tsv(g, q);
    else if (r->json)
        json_array_append_new(out, reg_json(g, q));
    else if (list && !q->has_value && !q->field[0])
        print_line(g);
    else
        print_text(g, q);
}

static bool has_field(const struct reg *g, const struct query *q)
{
    for (unsigned i = 0; i < g->field_count; i++)
        if (wanted(q, &g->fields[i]))
            return true;
    return !q->field[0];
}

/* Answer one query. False, with a message, when nothing matches. */
static bool answer(const struct request *r, const char *text, json_t *out)
{
    struct query q;
    const struct reg *one, *g = NULL;
    unsigned registers = 0, shown = 0;

    if (!parse_query(text, &q))
        return false;
    one = find_one(r, q.name);
    if (!one && !isdigit((unsigned char)q.name[0]) && strncmp(q.name, "dw:", 3)) {
        one = next_match(r, q.name, NULL);
        if (one && next_match(r, q.name, one))
            one = NULL; /* several */
        for (; !one && (g = next_match(r, q.name, g)); registers++) {
            if (has_field(g, &q)) {
                print(r, g, &q, true, out);
                shown++;
            }
        }
    }
    if (one) {
        registers = 1;
        if (has_field(one, &q)) {
            print(r, one, &q, false, out);
            shown++;
        }
    }
    if (shown)
        return true;
    if (!registers) {
        explain_miss(r, q.name);
    } else {
        fprintf(stderr, "atoll regs: no field '%s' in %s on %s", q.field, one ? one->name : q.name,
                r->chip);
        for (unsigned i = 0; one && i < one->field_count; i++)
            fprintf(stderr, "%s%s", i ? ", " : "; it has ", one->fields[i].name);
        fputc('\n', stderr);
    }
    return false;
}

int cmd_regs(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "[NAME[.FIELD][=VALUE]...]",
        "Explain registers: by name, byte offset (0x28C70), dword index (dw:0xA31C), pattern "
        "(CB_COLOR*_INFO) or part of a name; with a value, decode it. Without arguments, list "
        "the registers of the chip.", NULL, NULL, NULL};
    struct request r = {.chip = "bonaire"};
    json_t *out = NULL;
    bool ok = true;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
    if (!find_chip(&r))
        return EXIT_USAGE;
    if (r.json)
        out = json_array();
    if (!r.count)
        ok = answer(&r, "*", out);
    for (unsigned i = 0; i < r.count; i++)
        ok = answer(&r, r.queries[i], out) && ok;
    if (out) {
        json_dumpf(out, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(out);
    }
    return ok ? EXIT_DONE : EXIT_USAGE;
}
