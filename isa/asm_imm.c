/* asm_imm.c: hwreg(), sendmsg(), counters, gpr_idx(), swizzle(), formats, attributes,
 * export targets.
 *
 * Each takes a plain number too. Spellings: LLVM's "AMDGPUOperandSyntax". */
#include "isa/asm_imm.h"

#include <math.h>

/* name "(" list ")" */
static bool call(struct span s, const char *name, struct span *list)
{
    size_t n = strlen(name);

    s = span_trim(s);
    if (s.n < n + 2 || memcmp(s.p, name, n) || s.p[s.n - 1] != ')')
        return false;
    s = span_trim((struct span){s.p + n, s.n - n});
    if (*s.p != '(')
        return false;
    *list = span_trim((struct span){s.p + 1, s.n - 2});
    return true;
}

/* A name of the table or a number from lo to hi. */
static bool name_or_number(const struct isa_name *table, enum gfx gen, struct span s,
                           int64_t lo, int64_t hi, unsigned *out)
{
    int v = table ? isa_value_of(table, gen, s.p, s.n) : -1;
    int64_t i = v;

    if (v < 0 && (!asm_integer(s, &i) || i < lo || i > hi))
        return false;
    *out = (unsigned)i;
    return true;
}

static bool hwreg(enum gfx gen, struct span list, struct insn *in)
{
    unsigned v[3] = {0, 0, 32}, n = 0;
    struct span item;

    while (span_next(&list, &item)) {
        if (n == 3 || !name_or_number(n ? NULL : isa_hwreg_names, gen, item, n == 2,
                                      n == 0   ? 63
                                      : n == 1 ? 31
                                               : 32,
                                      &v[n]))
            return false;
        n++;
    }
    in->imm = (int32_t)(v[0] | v[1] << 6 | (v[2] - 1) << 11);
    return n == 1 || n == 3;
}

/* "{id: 1, offset: 2, size: 3}" */
static bool hwreg_struct(enum gfx gen, struct span s, struct insn *in)
{
    static const char *const keys[3] = {"id", "offset", "size"};
    unsigned v[3] = {0, 0, 32};
    struct span list, item;

    s = span_trim(s);
    if (s.n < 2 || *s.p != '{' || s.p[s.n - 1] != '}')
        return false;
    list = span_trim((struct span){s.p + 1, s.n - 2});
    while (list.n && span_next(&list, &item)) {
        const char *colon = memchr(item.p, ':', item.n);
        unsigned k = 0;
        struct span key, value;

        if (!colon)
            return false;
        key = span_trim((struct span){item.p, (size_t)(colon - item.p)});
        value =
            span_trim((struct span){colon + 1, (size_t)(item.p + item.n - colon - 1)});
        while (k < 3 && !span_is(key, keys[k]))
            k++;
        if (k == 3 || !name_or_number(k ? NULL : isa_hwreg_names, gen, value, k == 2,
                                      k == 0   ? 63
                                      : k == 1 ? 31
                                               : 32,
                                      &v[k]))
            return false;
    }
    in->imm = (int32_t)(v[0] | v[1] << 6 | (v[2] - 1) << 11);
    return true;
}

static bool sendmsg(enum gfx gen, struct span list, struct insn *in)
{
    enum { MSG_SYSMSG = 15 };
    unsigned v[3] = {0}, n = 0;
    struct span item;

    while (span_next(&list, &item)) {
        const struct isa_name *names = n == 0               ? isa_msg_names
                                       : n == 2             ? NULL
                                       : v[0] == MSG_SYSMSG ? isa_sysmsg_op_names
                                                            : isa_gs_op_names;

        if (n == 3 || !name_or_number(names, gen, item, 0,
                                      n == 0   ? 15
                                      : n == 1 ? 7
                                               : 3,
                                      &v[n]))
            return false;
        n++;
    }
    in->imm = (int32_t)(v[0] | v[1] << 4 | v[2] << 8);
    return n > 0;
}

/* "vmcnt(0) & expcnt(1), lgkmcnt_sat(9)": counters not named stay at their maximum. */
static bool waitcnt(enum gfx gen, struct span s, struct insn *in)
{
    const struct isa_waitcnt *w = isa_waitcnt_fields(gen);
    uint32_t imm = 0;

    for (unsigned i = 0; i < 3; i++)
        imm |= ((1u << w[i].bits) - 1) << w[i].lo | ((1u << w[i].hi_bits) - 1)
                                                        << w[i].hi_lo;
    while ((s = span_trim(s)).n) {
        const char *open = memchr(s.p, '(', s.n), *close = memchr(s.p, ')', s.n);
        struct span name, value;
        unsigned i = 0, max;
        bool sat;
        int64_t v;

        if (*s.p == '&' || *s.p == ',') {
            s = (struct span){s.p + 1, s.n - 1};
            continue;
        }
        if (!open || !close || close < open)
            return false;
        name = span_trim((struct span){s.p, (size_t)(open - s.p)});
        value = (struct span){open + 1, (size_t)(close - open - 1)};
        sat = name.n > 4 && !memcmp(name.p + name.n - 4, "_sat", 4);
        name.n -= sat ? 4 : 0;
        while (i < 3 && !span_is(name, w[i].name))
            i++;
        if (i == 3 || !asm_integer(value, &v) || v < 0)
            return false;
        max = (1u << (w[i].bits + w[i].hi_bits)) - 1;
        if (v > max) {
            if (!sat)
                return false;
            v = max;
        }
        imm &= ~(((1u << w[i].bits) - 1) << w[i].lo | ((1u << w[i].hi_bits) - 1)
                                                          << w[i].hi_lo);
        imm |= ((uint32_t)v & ((1u << w[i].bits) - 1)) << w[i].lo |
               ((uint32_t)v >> w[i].bits & ((1u << w[i].hi_bits) - 1)) << w[i].hi_lo;
        s = (struct span){close + 1, (size_t)(s.p + s.n - close - 1)};
    }
    in->imm = (int32_t)imm;
    return true;
}

static bool gpr_idx(enum gfx gen, struct span list, struct insn *in)
{
    struct span item;

    in->imm = 0;
    while (list.n && span_next(&list, &item)) {
        int v = isa_value_of(isa_gpr_idx_names, gen, item.p, item.n);

        if (v < 0 || in->imm & v)
            return false;
        in->imm |= v;
    }
    return true;
}

static bool attribute(struct span s, struct insn *in)
{
    static const char channels[] = "xyzw";
    const char *c;
    int64_t n;

    if (s.n < 7 || memcmp(s.p, "attr", 4) || s.p[s.n - 2] != '.' ||
        !(c = memchr(channels, s.p[s.n - 1], 4)) ||
        !asm_integer((struct span){s.p + 4, s.n - 6}, &n) || n < 0 || n > 63)
        return false;
    in->attr = (uint8_t)n;
    in->attr_chan = (uint8_t)(c - channels);
    return true;
}

static bool target(struct span s, struct insn *in)
{
    static const struct {
        const char *name;
        uint8_t base, count;
    } targets[] = {
        {"mrtz", 8, 0}, {"null", 9, 0}, {"mrt", 0, 8}, {"pos", 12, 4}, {"param", 32, 32}};

    for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
        size_t n = strlen(targets[i].name);
        int64_t v = 0;

        if (s.n < n || memcmp(s.p, targets[i].name, n))
            continue;
        if (targets[i].count ? !asm_integer((struct span){s.p + n, s.n - n}, &v) ||
                                   v < 0 || v >= targets[i].count
                             : s.n != n)
            continue;
        in->target = (uint8_t)(targets[i].base + v);
        return true;
    }
    return false;
}

int asm_immediate(const struct isa_target *t, enum slot_kind kind, struct span text,
                  struct insn *in, struct err *e)
{
    struct span list;
    int64_t v;
    int k;

    text = span_trim(text);
    switch (kind) {
    case SLOT_PARAM:
        k = isa_value_of(isa_param_names, t->gen, text.p, text.n);
        in->imm = k;
        return k >= 0 ? 0
                      : err_set(e, "'%.*s' is none of p10, p20, p0", (int)text.n, text.p);
    case SLOT_ATTR:
        return attribute(text, in)
                   ? 0
                   : err_set(e, "'%.*s' is no attribute", (int)text.n, text.p);
    case SLOT_TARGET:
        return target(text, in)
                   ? 0
                   : err_set(e, "'%.*s' is no export target", (int)text.n, text.p);
    case SLOT_HWREG:
        if ((call(text, "hwreg", &list) && hwreg(t->gen, list, in)) ||
            hwreg_struct(t->gen, text, in))
            return 0;
        break;
    case SLOT_SENDMSG:
        if (call(text, "sendmsg", &list) && sendmsg(t->gen, list, in))
            return 0;
        break;
    case SLOT_GPR_IDX:
        if (call(text, "gpr_idx", &list) && gpr_idx(t->gen, list, in))
            return 0;
        break;
    case SLOT_WAITCNT:
        if (!asm_integer(text, &v) && waitcnt(t->gen, text, in))
            return 0;
        break;
    default:
        break;
    }
    if (!asm_integer(text, &v) || v < INT16_MIN || v > UINT16_MAX)
        return err_set(e, "'%.*s' is no immediate of 16 bits that belongs here",
                       (int)text.n, text.p);
    in->imm = (int32_t)v;
    return 0;
}

bool asm_format(enum gfx gen, struct span s, struct insn *in)
{
    unsigned dfmt = 1, nfmt = 0, n = 0;
    struct span list, item;
    int64_t v;

    if (asm_integer(s, &v)) {
        in->dfmt = (uint8_t)(v & 15);
        in->nfmt = (uint8_t)(v >> 4 & 7);
        return v >= 0 && v < 128;
    }
    if (s.n < 2 || *s.p != '[' || s.p[s.n - 1] != ']')
        return false;
    list = (struct span){s.p + 1, s.n - 2};
    while (span_next(&list, &item)) {
        int d = isa_value_of(isa_dfmt_names, gen, item.p, item.n);
        int f = isa_value_of(isa_nfmt_names, gen, item.p, item.n);

        if (d >= 0)
            dfmt = (unsigned)d;
        else if (f >= 0)
            nfmt = (unsigned)f;
        else
            return false;
        n++;
    }
    in->dfmt = (uint8_t)dfmt;
    in->nfmt = (uint8_t)nfmt;
    return n == 1 || n == 2;
}

/* "01pip": a character a bit of the lane number, the highest first: zero, one, preserve,
 * invert. */
static bool bitmask_perm(struct span s, int32_t *out)
{
    unsigned and = 0, or = 0, xor = 0;

    if (s.n != 7 || *s.p != '"' || s.p[6] != '"')
        return false;
    for (unsigned i = 0; i < 5; i++) {
        unsigned bit = 1u << (4 - i);

        switch (s.p[1 + i]) {
        case '0':
            break;
        case '1':
            or |= bit;
            break;
        case 'p':
            and |= bit;
            break;
        case 'i':
            and |= bit;
            xor |= bit;
            break;
        default:
            return false;
        }
    }
    *out = (int32_t)(and | or << 5 | xor << 10);
    return true;
}

bool asm_swizzle(struct span value, int32_t *out)
{
    enum { ALL_LANES = 31, QUAD = 0x8000 };
    struct span list, item, mode;
    int64_t v[4];
    unsigned n = 0;

    if (!call(value, "swizzle", &list) || !span_next(&list, &mode))
        return false;
    if (span_is(mode, "BITMASK_PERM"))
        return span_next(&list, &item) && bitmask_perm(item, out) && !list.p;
    while (span_next(&list, &item))
        if (n == 4 || !asm_integer(item, &v[n]) || v[n] < 0 || v[n] > 32)
            return false;
        else
            n++;
    if (span_is(mode, "QUAD_PERM")) {
        *out = QUAD;
        for (unsigned i = 0; i < 4; i++) {
            if (n != 4 || v[i] > 3)
                return false;
            *out |= (int32_t)v[i] << 2 * i;
        }
        return true;
    }
    if (!n || v[0] & (v[0] - 1) || !v[0])
        return false; /* a group's size is a power of two */
    if (span_is(mode, "BROADCAST") && n == 2 && v[0] >= 2 && v[1] < v[0])
        *out = (int32_t)((ALL_LANES & ~(v[0] - 1)) | v[1] << 5);
    else if (span_is(mode, "SWAP") && n == 1 && v[0] <= 16)
        *out = (int32_t)(ALL_LANES | v[0] << 10);
    else if (span_is(mode, "REVERSE") && n == 1 && v[0] >= 2)
        *out = (int32_t)(ALL_LANES | (v[0] - 1) << 10);
    else
        return false;
    return true;
}

uint16_t asm_half(double f)
{
    uint16_t sign = signbit(f) ? 0x8000 : 0;
    double a = fabs(f);
    int e;

    if (isnan(f))
        return 0x7e00;
    if (a < ldexp(1, -14)) /* subnormal: units of 2^-24 */
        return (uint16_t)(sign | (uint16_t)nearbyint(ldexp(a, 24)));
    frexp(a, &e);
    a = nearbyint(ldexp(a, 11 - e)); /* 1024..2048 */
    if (a == 2048) {
        a = 1024;
        e++;
    }
    if (e > 16)
        return sign | 0x7c00;
    return (uint16_t)(sign | (unsigned)(e + 14) << 10 | ((unsigned)a - 1024));
}
