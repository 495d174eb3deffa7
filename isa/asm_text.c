/* asm_text.c: lines, expressions, registers and numbers of the assembly language. */
#include "isa/asm_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

bool span_is(struct span s, const char *word)
{
    return strlen(word) == s.n && !memcmp(s.p, word, s.n);
}

struct span span_trim(struct span s)
{
    while (s.n && isspace((unsigned char)*s.p))
        s.p++, s.n--;
    while (s.n && isspace((unsigned char)s.p[s.n - 1]))
        s.n--;
    return s;
}

static int depth_step(char c)
{
    return c == '[' || c == '(' || c == '{'   ? 1
           : c == ']' || c == ')' || c == '}' ? -1
                                              : 0;
}

bool span_next(struct span *list, struct span *item)
{
    int depth = 0;
    size_t i;

    if (!list->p)
        return false;
    for (i = 0; i < list->n && (depth || list->p[i] != ','); i++)
        depth += depth_step(list->p[i]);
    *item = span_trim((struct span){list->p, i});
    if (i < list->n) {
        list->p += i + 1;
        list->n -= i + 1;
    } else {
        list->p = NULL;
    }
    return true;
}

/* ---- lines ------------------------------------------------------------------------- */

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A word at the start of s, up to its first character that is no word's. */
static size_t word_length(struct span s)
{
    size_t n = 0;

    if (!s.n || isdigit((unsigned char)*s.p))
        return 0;
    while (n < s.n && word_char(s.p[n]))
        n++;
    return n;
}

/* The next piece of a line: up to a blank or comma outside brackets. */
static bool next_piece(struct span *rest, struct span *piece, bool *comma)
{
    int depth = 0;
    size_t i;

    *comma = false;
    while (rest->n && (isspace((unsigned char)*rest->p) || *rest->p == ',')) {
        *comma |= *rest->p == ',';
        rest->p++;
        rest->n--;
    }
    if (!rest->n)
        return false;
    for (i = 0; i < rest->n; i++) {
        char c = rest->p[i];

        if (!depth && (c == ',' || isspace((unsigned char)c)))
            break;
        depth += depth_step(c);
    }
    *piece = (struct span){rest->p, i};
    rest->p += i;
    rest->n -= i;
    return true;
}

/* Whether two pieces with a blank between them are one expression. */
static bool joins(struct span a, struct span b)
{
    return strchr("+-*/%&:(~", a.p[a.n - 1]) || strchr("+*/%&:)", *b.p) ||
           (b.n == 1 && *b.p == '-');
}

int asm_split(const char *text, bool (*is_flag)(struct span word), struct asm_line *out,
              struct err *e)
{
    struct span rest = span_trim((struct span){text, strcspn(text, ";")}), piece;
    bool comma, joinable = false;
    const char *slashes = strstr(text, "//");

    if (slashes && slashes < rest.p + rest.n)
        rest = span_trim((struct span){rest.p, (size_t)(slashes - rest.p)});
    memset(out, 0, sizeof *out);
    if (!next_piece(&rest, &out->mnemonic, &comma))
        return err_set(e, "no instruction");
    out->rest = span_trim(rest);
    while (next_piece(&rest, &piece, &comma)) {
        size_t w = word_length(piece);

        if (w && w < piece.n && piece.p[w] == ':') {
            struct asm_mod *m = &out->mods[out->nmods++];

            if (out->nmods >= ASM_MODS_MAX)
                return err_set(e, "too many modifiers");
            m->name = (struct span){piece.p, w};
            m->value = (struct span){piece.p + w + 1, piece.n - w - 1};
            while ((!m->value.n || strchr("+-*/", m->value.p[m->value.n - 1])) &&
                   next_piece(&rest, &piece, &comma)) {
                if (!m->value.n)
                    m->value.p = piece.p;
                m->value.n = (size_t)(piece.p + piece.n - m->value.p);
            }
            joinable = false;
        } else if (w == piece.n && is_flag(piece) &&
                   !(span_is(piece, "a16") &&
                     (comma || !out->nargs))) { /* the register */
            if (out->nmods >= ASM_MODS_MAX - 1)
                return err_set(e, "too many modifiers");
            out->mods[out->nmods++].name = piece;
            joinable = false;
        } else if (joinable && !comma && joins(out->args[out->nargs - 1], piece)) {
            struct span *a = &out->args[out->nargs - 1];

            a->n = (size_t)(piece.p + piece.n - a->p);
        } else {
            if (out->nargs == ASM_ARGS_MAX)
                return err_set(e, "too many operands");
            out->args[out->nargs++] = piece;
            joinable = true;
        }
    }
    return 0;
}

/* ---- integer expressions ----------------------------------------------------------- */

struct expr {
    const char *p, *end;
    unsigned depth;
    bool bad;
};

static int64_t expr_or(struct expr *x);

static void expr_blanks(struct expr *x)
{
    while (x->p < x->end && isspace((unsigned char)*x->p))
        x->p++;
}

static bool expr_take(struct expr *x, const char *token)
{
    size_t n = strlen(token);

    expr_blanks(x);
    if ((size_t)(x->end - x->p) < n || memcmp(x->p, token, n))
        return false;
    x->p += n;
    return true;
}

static int64_t expr_number(struct expr *x)
{
    char digits[72];
    size_t n = 0;
    char *end;
    uint64_t v;

    while (n < sizeof digits - 1 && x->p + n < x->end &&
           isalnum((unsigned char)x->p[n])) {
        digits[n] = x->p[n];
        n++;
    }
    digits[n] = 0;
    if (!n || !isdigit((unsigned char)*digits)) {
        x->bad = true;
        return 0;
    }
    errno = 0;
    if (digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B'))
        v = strtoull(digits + 2, &end, 2);
    else
        v = strtoull(digits, &end, 0);
    if (*end || errno)
        x->bad = true;
    x->p += n;
    return (int64_t)v;
}

static int64_t expr_unary(struct expr *x)
{
    int64_t v = 0;

    if (++x->depth > 64) {
        x->bad = true;
    } else if (expr_take(x, "-")) {
        v = (int64_t) - (uint64_t)expr_unary(x);
    } else if (expr_take(x, "~")) {
        v = ~expr_unary(x);
    } else if (expr_take(x, "+")) {
        v = expr_unary(x);
    } else if (expr_take(x, "(")) {
        v = expr_or(x);
        x->bad |= !expr_take(x, ")");
    } else {
        expr_blanks(x);
        v = expr_number(x);
    }
    x->depth--;
    return v;
}

static int64_t expr_product(struct expr *x)
{
    int64_t v = expr_unary(x);

    for (;;) {
        char op = expr_take(x, "*")   ? '*'
                  : expr_take(x, "/") ? '/'
                  : expr_take(x, "%") ? '%'
                                      : 0;
        int64_t r = op ? expr_unary(x) : 0;

        if (!op || x->bad)
            return v;
        if (op == '*') {
            v = (int64_t)((uint64_t)v * (uint64_t)r);
        } else if (!r || (v == INT64_MIN && r == -1)) {
            x->bad = true;
        } else {
            v = op == '/' ? v / r : v % r;
        }
    }
}

static int64_t expr_sum(struct expr *x)
{
    int64_t v = expr_product(x);

    for (;;) {
        if (expr_take(x, "+"))
            v = (int64_t)((uint64_t)v + (uint64_t)expr_product(x));
        else if (expr_take(x, "-"))
            v = (int64_t)((uint64_t)v - (uint64_t)expr_product(x));
        else
            return v;
        if (x->bad)
            return v;
    }
}

static int64_t expr_or(struct expr *x)
{
    int64_t v = expr_sum(x);

    while (!x->bad) {
        if (expr_take(x, "<<"))
            v = (int64_t)((uint64_t)v << (expr_sum(x) & 63));
        else if (expr_take(x, ">>"))
            v = (int64_t)((uint64_t)v >> (expr_sum(x) & 63));
        else if (expr_take(x, "&"))
            v &= expr_sum(x);
        else if (expr_take(x, "|"))
            v |= expr_sum(x);
        else
            break;
    }
    return v;
}

bool asm_integer(struct span s, int64_t *out)
{
    struct expr x = {s.p, s.p + s.n, 0, false};

    *out = expr_or(&x);
    expr_blanks(&x);
    return !x.bad && x.p == x.end;
}

/* ---- registers and numbers --------------------------------------------------------- */

/* "[lo:hi]" or "[n]" to first and count. */
static bool register_range(struct span s, unsigned *first, unsigned *regs)
{
    const char *colon;
    int64_t lo, hi;

    if (s.n < 3 || s.p[0] != '[' || s.p[s.n - 1] != ']')
        return false;
    s = (struct span){s.p + 1, s.n - 2};
    colon = memchr(s.p, ':', s.n);
    if (colon) {
        struct span a = {s.p, (size_t)(colon - s.p)};
        struct span b = {colon + 1, (size_t)(s.p + s.n - colon - 1)};

        if (!asm_integer(a, &lo) || !asm_integer(b, &hi))
            return false;
    } else {
        if (!asm_integer(s, &lo))
            return false;
        hi = lo;
    }
    if (lo < 0 || hi < lo || hi > 255)
        return false;
    *first = (unsigned)lo;
    *regs = (unsigned)(hi - lo + 1);
    return true;
}

static bool numbered(struct span s, const char *file, unsigned base, unsigned count,
                     struct asm_operand *out)
{
    size_t n = strlen(file);
    unsigned first = 0, regs = 1;

    if (s.n <= n || memcmp(s.p, file, n))
        return false;
    s.p += n;
    s.n -= n;
    if (*s.p == '[') {
        if (!register_range(s, &first, &regs))
            return false;
    } else {
        for (size_t i = 0; i < s.n; i++) {
            if (!isdigit((unsigned char)s.p[i]) || first > 255)
                return false;
            first = first * 10 + (unsigned)(s.p[i] - '0');
        }
    }
    if (first + regs > count)
        return false;
    out->first = (uint16_t)(base + first);
    out->regs = (uint8_t)MIN2(regs, 255u);
    return true;
}

static bool one_register(const struct isa_target *t, struct span s,
                         struct asm_operand *out)
{
    if (numbered(s, "v", OPD_VGPR0, 256, out) ||
        numbered(s, "s", 0, isa_sgpr_count(t), out) ||
        numbered(s, "ttmp", isa_ttmp_first(t->gen), isa_ttmp_count(t->gen), out) ||
        (t->features & FEAT_MAI && numbered(s, "a", OPD_AGPR0, 256, out)))
        return true;
    for (const struct isa_sreg *r = isa_sregs; r->name; r++) {
        if (span_is(s, r->name) && r->gens >> t->gen & 1 &&
            (t->features & r->need) == r->need) {
            out->first = r->code;
            out->regs = r->regs;
            return true;
        }
    }
    return false;
}

/* A register, a range, or a list "[s4,s5,s6,s7]" of successive ones. */
static bool parse_register(const struct isa_target *t, struct span s,
                           struct asm_operand *out)
{
    struct span list, item;
    unsigned n = 0;

    out->kind = ASM_REGISTER;
    if (one_register(t, s, out))
        return true;
    if (s.n < 3 || s.p[0] != '[' || s.p[s.n - 1] != ']')
        return false;
    list = (struct span){s.p + 1, s.n - 2};
    while (span_next(&list, &item)) {
        struct asm_operand one;

        if (!one_register(t, item, &one) || one.regs != 1 || n == 64)
            return false;
        if (n && one.first != out->first + n)
            return false;
        if (!n)
            out->first = one.first;
        n++;
    }
    out->regs = (uint8_t)n;
    return n > 0;
}

static bool parse_float(struct span s, double *out)
{
    char text[64], *end;

    if (s.n >= sizeof text)
        return false;
    memcpy(text, s.p, s.n);
    text[s.n] = 0;
    if (!strpbrk(text, ".eE") || strpbrk(text, "xX") ||
        !(isdigit((unsigned char)*text) || *text == '.'))
        return false;
    errno = 0;
    *out = strtod(text, &end);
    return !*end && !errno;
}

/* Take "name(" ... ")" off s. */
static bool call(struct span *s, const char *name)
{
    size_t n = strlen(name);

    if (s->n < n + 2 || memcmp(s->p, name, n) || s->p[n] != '(' || s->p[s->n - 1] != ')')
        return false;
    *s = span_trim((struct span){s->p + n + 1, s->n - n - 2});
    return true;
}

/* Bars or abs() around the rest. */
static bool take_abs(struct span *s)
{
    if (call(s, "abs"))
        return true;
    if (s->n < 3 || *s->p != '|' || s->p[s->n - 1] != '|')
        return false;
    *s = span_trim((struct span){s->p + 1, s->n - 2});
    return true;
}

int asm_operand(const struct isa_target *t, struct span s, struct asm_operand *out,
                struct err *e)
{
    struct span whole = s, inner;
    bool minus;

    memset(out, 0, sizeof *out);
    s = span_trim(s);
    if (span_is(s, "off")) {
        out->kind = ASM_OFF;
        return 0;
    }
    out->sext = call(&s, "sext");
    out->neg = call(&s, "neg");
    out->abs = take_abs(&s);
    minus = s.n > 1 && *s.p == '-';
    inner = minus ? span_trim((struct span){s.p + 1, s.n - 1}) : s;
    if (minus && !out->abs && !out->neg && take_abs(&inner)) {
        out->abs = out->neg = true;
        s = inner;
        minus = s.n > 1 && *s.p == '-';
        inner = minus ? span_trim((struct span){s.p + 1, s.n - 1}) : s;
    }
    if (parse_register(t, inner, out)) {
        out->neg ^= minus;
        return 0;
    }
    out->lit = call(&s, "lit");
    inner = out->lit ? s : inner;
    if (parse_float(inner, &out->f)) {
        out->kind = ASM_FLOAT;
        out->f = minus ? -out->f : out->f;
        return 0;
    }
    if (asm_integer(s, &out->i)) {
        out->kind = ASM_INTEGER;
        return 0;
    }
    return err_set(e, "'%.*s' is no register or number", (int)whole.n, whole.p);
}
