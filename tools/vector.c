/* vector.c: reads lines of test vectors. The format is described in vector.h. */
#include "tools/vector.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- names ------------------------------------------------------------------------------- */

/* Cells with a name of their own: the first register of scalar ones, how many words. */
static const struct {
    const char *name;
    enum vector_kind kind;
    uint16_t index, words;
} names[] = {
    {"vcc", CELL_SGPR, SREG_VCC, 2},         {"vcc_lo", CELL_SGPR, SREG_VCC, 1},
    {"vcc_hi", CELL_SGPR, SREG_VCC + 1, 1},  {"exec", CELL_SGPR, SREG_EXEC, 2},
    {"exec_lo", CELL_SGPR, SREG_EXEC, 1},    {"exec_hi", CELL_SGPR, SREG_EXEC + 1, 1},
    {"m0", CELL_SGPR, SREG_M0, 1},           {"scc", CELL_SCC, 0, 1},
    {"mode", CELL_MODE, 0, 1},               {"status", CELL_STATUS, 0, 1},
    {"trapsts", CELL_TRAPSTS, 0, 1},         {"hw_id", CELL_HW_ID, 0, 1},
    {"gpr_alloc", CELL_GPR_ALLOC, 0, 1},     {"lds_alloc", CELL_LDS_ALLOC, 0, 1},
    {"ib_sts", CELL_IB_STS, 0, 1},           {"tba", CELL_TBA, 0, 2},
    {"tma", CELL_TMA, 0, 2},                 {"shared_base", CELL_SHARED_BASE, 0, 1},
    {"private_base", CELL_PRIVATE_BASE, 0, 1}, {"vgprs", CELL_VGPRS, 0, 1},
    {"sgprs", CELL_SGPRS, 0, 1},             {"pc", CELL_PC, 0, 2},
    {"state", CELL_STATE, 0, 1},             {"msg", CELL_MSG, 0, 1},
    {"loud", CELL_LOUD, 0, 1},               {"fault", CELL_FAULT, 0, 1},
    {"exp", CELL_EXP, 0, VECTOR_EXP_WORDS},  {"image", CELL_IMAGE, 0, VECTOR_IMAGE_WORDS},
    {"gws", CELL_GWS, 0, VECTOR_GWS_WORDS},  {"gws_wait", CELL_GWS_WAIT, 0, 1},
};

static const struct {
    const char *name;
    enum wave_state state;
} states[] = {
    {"ready", WAVE_READY},
    {"barrier", WAVE_AT_BARRIER},
    {"ended", WAVE_ENDED},
    {"halted", WAVE_HALTED},
};

/* Where FLAT_SCRATCH and the trap temporaries lie among the scalar registers. */
static unsigned flat_scratch(enum gfx gen)
{
    return gen == GFX7 ? SREG_FLAT_SCRATCH + 2 : SREG_FLAT_SCRATCH;
}

static unsigned ttmp0(enum gfx gen)
{
    return gen >= GFX9 ? SREG_TTMP0 - 4 : SREG_TTMP0;
}

int vector_cell_name(const struct vector *v, const struct vector_cell *c, char *out,
                     size_t out_bytes)
{
    char reg[32], lane[32] = "";
    unsigned i = (unsigned)c->index, t = ttmp0(v->target->gen);
    const char *file = c->kind == CELL_VGPR ? "v" : c->kind == CELL_AGPR ? "a" : "s";

    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (names[k].kind == c->kind && names[k].index == i && names[k].words == c->words)
            return snprintf(out, out_bytes, "%s", names[k].name);
    if (c->kind == CELL_MEM || c->kind == CELL_LDS || c->kind == CELL_GDS)
        return snprintf(out, out_bytes, "%s[%llx]",
                        c->kind == CELL_MEM ? "mem" : c->kind == CELL_LDS ? "lds" : "gds",
                        (unsigned long long)c->index);
    if (c->kind == CELL_SGPR && i >= t && i < SREG_M0) {
        file = "ttmp";
        i -= t;
    }
    if (c->lane >= 0 && c->lanes > 1)
        snprintf(lane, sizeof lane, "[%d:%d]", c->lane, c->lane + (int)c->lanes - 1);
    else if (c->lane >= 0)
        snprintf(lane, sizeof lane, "[%d]", c->lane);
    if (c->words > 1)
        snprintf(reg, sizeof reg, "%s[%u:%u]", file, i, i + c->words - 1);
    else
        snprintf(reg, sizeof reg, "%s%u", file, i);
    return snprintf(out, out_bytes, "%s%s", reg, lane);
}

/* ---- keys -------------------------------------------------------------------------------- */

/* `3` or `[3:5]` after a register file's letter; returns where it ends, NULL when it is neither. */
static const char *parse_range(const char *s, uint64_t *first, unsigned *words)
{
    char *end;
    unsigned long a, b;

    if (isdigit((unsigned char)*s)) {
        *first = strtoul(s, &end, 10);
        *words = 1;
        return end;
    }
    if (*s != '[' || !isdigit((unsigned char)s[1]))
        return NULL;
    a = strtoul(s + 1, &end, 10);
    if (*end != ':' || !isdigit((unsigned char)end[1]))
        return NULL;
    b = strtoul(end + 1, &end, 10);
    if (*end != ']' || b < a || b - a >= VECTOR_CELL_WORDS)
        return NULL;
    *first = a;
    *words = (unsigned)(b - a) + 1;
    return end + 1;
}

static bool parse_address(const char *key, const char *name, uint64_t *at)
{
    size_t n = strlen(name);
    char *end;

    if (strncmp(key, name, n) || key[n] != '[' || !isxdigit((unsigned char)key[n + 1]))
        return false;
    *at = strtoull(key + n + 1, &end, 16);
    return !strcmp(end, "]") && *at % 4 == 0;
}

static bool parse_vgpr(const char *key, struct vector_cell *c)
{
    const char *s = parse_range(key + 1, &c->index, &c->words);
    unsigned long first, last;
    char *end;

    if (!s || c->index + c->words > 256)
        return false;
    c->kind = *key == 'a' ? CELL_AGPR : CELL_VGPR;
    if (!*s)
        return true;
    if (*s != '[' || !isdigit((unsigned char)s[1]))
        return false;
    first = strtoul(s + 1, &end, 10);
    last = first;
    if (*end == ':' && isdigit((unsigned char)end[1]))
        last = strtoul(end + 1, &end, 10);
    if (last > 63 || last < first || strcmp(end, "]"))
        return false;
    c->lane = (int)first;
    c->lanes = (unsigned)(last - first) + 1;
    return c->words * c->lanes <= VECTOR_CELL_WORDS;
}

static bool parse_scalar(const char *digits, unsigned base, unsigned limit, struct vector_cell *c)
{
    const char *s = parse_range(digits, &c->index, &c->words);

    c->kind = CELL_SGPR;
    c->index += base;
    return s && !*s && c->index + c->words <= limit;
}

static bool parse_key(const char *key, enum gfx gen, struct vector_cell *c)
{
    c->lane = -1;
    c->lanes = 1;
    c->words = 1;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!strcmp(key, names[i].name)) {
            c->kind = names[i].kind;
            c->index = names[i].index;
            c->words = names[i].words;
            if (gen <= GFX8 && (c->kind == CELL_TBA || c->kind == CELL_TMA)) {
                c->index = c->kind == CELL_TBA ? SREG_TBA : SREG_TMA;
                c->kind = CELL_SGPR;
            }
            return true;
        }
    }
    if (!strcmp(key, "flat_scratch") && gen >= GFX7) {
        c->kind = CELL_SGPR;
        c->index = flat_scratch(gen);
        c->words = 2;
        return true;
    }
    if (!strncmp(key, "ttmp", 4))
        return parse_scalar(key + 4, ttmp0(gen), SREG_M0, c);
    c->kind = CELL_MEM;
    if (parse_address(key, "mem", &c->index))
        return true;
    c->kind = CELL_LDS;
    if (parse_address(key, "lds", &c->index))
        return true;
    c->kind = CELL_GDS;
    if (parse_address(key, "gds", &c->index))
        return true;
    if (*key == 'v' || *key == 'a')
        return parse_vgpr(key, c);
    return *key == 's' && parse_scalar(key + 1, 0, SREG_VCC, c);
}

/* ---- values ------------------------------------------------------------------------------ */

/* Nearest even, from a double: h:1.5 is for numbers that a half holds exactly. */
static bool half_of(double d, uint32_t *out)
{
    _Float16 h = (_Float16)d;
    uint16_t u;

    memcpy(&u, &h, sizeof u);
    *out = u;
    return true;
}

static bool parse_decimal(const char *s, struct vector_cell *c)
{
    char *end;
    double d;
    uint64_t u;

    if (s[1] != ':' || !s[2])
        return false;
    if (*s == 'f') {
        c->value[0] = f32_bits(strtof(s + 2, &end));
        return !*end && c->words == 1;
    }
    d = strtod(s + 2, &end);
    if (*end)
        return false;
    if (*s == 'h')
        return c->words == 1 && half_of(d, &c->value[0]);
    memcpy(&u, &d, sizeof u);
    c->value[0] = (uint32_t)u;
    c->value[1] = (uint32_t)(u >> 32);
    return *s == 'd' && c->words == 2;
}

static bool parse_hex(const char *s, size_t n, uint32_t *words, unsigned n_words)
{
    if (n > 2 && s[0] == '0' && s[1] == 'x') {
        s += 2;
        n -= 2;
    }
    if (!n || n > 8 * (size_t)n_words)
        return false;
    memset(words, 0, n_words * sizeof *words);
    for (size_t i = 0; i < n; i++) {
        char ch = (char)tolower((unsigned char)s[n - 1 - i]);

        if (!isxdigit((unsigned char)ch))
            return false;
        words[i / 8] |= (uint32_t)(ch <= '9' ? ch - '0' : ch - 'a' + 10) << (i % 8 * 4);
    }
    return true;
}

/* A value for each lane. */
static bool parse_lanes(const char *s, struct vector_cell *c)
{
    for (unsigned i = 0; i < c->lanes; i++) {
        size_t len = strcspn(s, ",");

        if (!parse_hex(s, len, &c->value[i * c->words], c->words))
            return false;
        s += len;
        if (*s != (i + 1 < c->lanes ? ',' : 0))
            return false;
        s += *s != 0;
    }
    return true;
}

static bool parse_list(const char *s, struct vector_cell *c)
{
    bool memory = c->kind == CELL_MEM || c->kind == CELL_LDS || c->kind == CELL_GDS;
    unsigned n = 0, limit = memory ? VECTOR_CELL_WORDS : c->words;

    for (;; s++) {
        size_t len = strcspn(s, ",");

        if (n == limit || !parse_hex(s, len, &c->value[n], 1))
            return false;
        n++;
        s += len;
        if (!*s)
            break;
    }
    if (memory)
        c->words = n;
    return n == c->words;
}

static bool parse_value(const char *s, struct vector_cell *c)
{
    if (c->kind == CELL_STATE) {
        for (size_t i = 0; i < ARRAY_LEN(states); i++) {
            if (!strcmp(s, states[i].name)) {
                c->value[0] = states[i].state;
                return true;
            }
        }
        return false;
    }
    if (c->kind == CELL_PC && (*s == '+' || *s == '-')) {
        uint64_t v;

        if (!parse_hex(s + 1, strlen(s + 1), c->value, 2))
            return false;
        v = c->value[0] | (uint64_t)c->value[1] << 32;
        v = *s == '-' ? 0 - v : v;
        c->value[0] = (uint32_t)v;
        c->value[1] = (uint32_t)(v >> 32);
        c->relative = true;
        return true;
    }
    if (c->lanes > 1)
        return parse_lanes(s, c);
    if (s[0] && s[1] == ':')
        return parse_decimal(s, c);
    if (strchr(s, ',') || c->kind == CELL_MEM || c->kind == CELL_LDS || c->kind == CELL_GDS)
        return parse_list(s, c);
    return parse_hex(s, strlen(s), c->value, c->words);
}

static bool is_input(enum vector_kind k)
{
    return k != CELL_PC && k != CELL_STATE && k != CELL_MSG && k != CELL_LOUD &&
           k != CELL_FAULT && k != CELL_EXP && k != CELL_IMAGE && k != CELL_GWS;
}

static int parse_cells(char *s, enum gfx gen, bool input, struct vector_cell *cells, unsigned *n,
                       struct err *e)
{
    char *save = NULL;

    *n = 0;
    for (char *t = strtok_r(s, " \t", &save); t; t = strtok_r(NULL, " \t", &save)) {
        char *eq = strchr(t, '=');
        struct vector_cell *c = &cells[*n];

        if (*n == VECTOR_CELLS)
            return err_set(e, "more than %d cells", VECTOR_CELLS);
        if (!eq)
            return err_set(e, "'%s' is not KEY=VALUE", t);
        *eq = 0;
        memset(c, 0, sizeof *c);
        if (!parse_key(t, gen, c))
            return err_set(e, "no register or memory is called '%s'", t);
        if (input && !is_input(c->kind))
            return err_set(e, "'%s' is a result only", t);
        if (!input && (c->kind == CELL_VGPRS || c->kind == CELL_SGPRS ||
                       c->kind == CELL_GWS_WAIT))
            return err_set(e, "'%s' is an input only", t);
        if (!parse_value(eq + 1, c))
            return err_set(e, "'%s' is no value of %s", eq + 1, t);
        ++*n;
    }
    return 0;
}

/* ---- the line ---------------------------------------------------------------------------- */

static const struct isa_target *find_target(const char *name)
{
    for (unsigned g = 0; g < GFX_COUNT; g++)
        if (!strcmp(name, gfx_name((enum gfx)g)))
            return isa_target_default((enum gfx)g);
    return isa_target_find(name);
}

static char *skip_space(char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/* Cut the next word off *s. */
static char *next_word(char **s)
{
    char *w = skip_space(*s), *end = w + strcspn(w, " \t");

    *s = *end ? end + 1 : end;
    *end = 0;
    return w;
}

static bool is_code_word(const char *s)
{
    size_t n = strspn(s, "0123456789abcdefABCDEF");

    return n == 8 && (s[n] == ' ' || s[n] == '\t');
}

int vector_parse(char *line, struct vector *v, struct err *e)
{
    char *s, *bar, *arrow, *name;
    size_t n;

    line[strcspn(line, "#\r\n")] = 0;
    s = skip_space(line);
    if (!*s)
        return 0;
    bar = strstr(s, " | "); /* v_add_f32 v0, |v1|, v2 has bars too */
    arrow = bar ? strstr(bar, "->") : NULL;
    if (!arrow)
        return err_set(e, "not TARGET WORDS TEXT | INPUTS -> RESULTS");
    *bar = 0;
    *arrow = 0;
    name = next_word(&s);
    v->target = find_target(name);
    if (!v->target)
        return err_set(e, "no target is called '%s'", name);
    v->ndw = 0;
    for (s = skip_space(s); is_code_word(s); s = skip_space(s)) {
        if (v->ndw == ARRAY_LEN(v->code))
            return err_set(e, "no instruction has so many words");
        v->code[v->ndw++] = (uint32_t)strtoul(next_word(&s), NULL, 16);
    }
    if (!v->ndw)
        return err_set(e, "no words of eight hex digits after the target");
    n = strlen(s);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    if (!n || n >= sizeof v->text)
        return err_set(e, "no text, or too much");
    memcpy(v->text, s, n);
    v->text[n] = 0;
    if (parse_cells(bar + 3, v->target->gen, true, v->in, &v->n_in, e) < 0)
        return -1;
    return parse_cells(arrow + 2, v->target->gen, false, v->out, &v->n_out, e) < 0 ? -1 : 1;
}
