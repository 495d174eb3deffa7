/* excp.c: the exceptions of float instructions, as TRAPSTS.EXCP collects them.
 *
 * The manuals have them collected whatever MODE.EXCP_EN asks for, and left until the program clears them. Nearly no
 * program looks: so the vector bodies know nothing of them, and waves whose program reads TRAPSTS (isa_code_watches),
 * or that trap on one, go the careful way and come by here before each vector instruction. What is looked at are the
 * operands of the active lanes, once abs, neg, SDWA, DPP and op_sel have been applied.
 *
 * The rules are IEEE 754's, in the order of the bits: invalid, input denormal (where denormals are not flushed),
 * division by zero, overflow, underflow, inexact; integer division by zero is v_rcp_iflag_f32's alone. A value is
 * taken exactly (in twice the precision, rounded to odd) and then rounded as the row does. docs/errata.md,
 * E-float-exceptions, has what is not known. */
#include "isa/control.h"
#include "isa/excp.h"
#include "isa/lane_f16.h"
#include "isa/lane_f64.h"
#include "regs/regs.h"

#include <math.h>
#include <xmmintrin.h>

enum {
    INVALID = 1, DENORMAL = 2, DIV0 = 4, OVERFLOW_ = 8, UNDERFLOW_ = 16, INEXACT = 32, INT_DIV0 = 64
};

/* What a lane's operands are rounded to: 11, 24 or 53 bits of fraction. */
struct format {
    int digits, min_exp, max_exp; /* as FLT_MANT_DIG, FLT_MIN_EXP, FLT_MAX_EXP */
    bool keep_in;                 /* denormal sources count as they are */
};

struct lane {
    struct format f;
    double v[4]; /* sources, and what the destination held */
    bool snan[4];
    int64_t i;   /* the source that is an integer */
};

/* ---- exact values ------------------------------------------------------------------------- */

typedef __float128 wide; /* 113 bits: products of doubles are exact */

/* a + b, with its last bit set when that is not exact: later rounding then sees it. */
static wide sum_to_odd(wide a, wide b)
{
    wide s = a + b, bb = s - a, e = (a - (s - bb)) + (b - bb);
    unsigned __int128 u;

    if (e == 0)
        return s;
    memcpy(&u, &s, sizeof u);
    if (!(u & 1)) /* to the side where the exact value lies */
        u += (e > 0) == (s > 0) ? 1 : -(unsigned __int128)1;
    memcpy(&s, &u, sizeof s);
    return s;
}

/* What rounding x to the format raises. */
static unsigned rounding(const struct lane *l, wide x)
{
    const int digits = l->f.digits, half = 16382; /* the biased exponent of 1/2 */
    wide mag = x < 0 ? -x : x, unit = 1, n;
    unsigned __int128 u;
    int e; /* of the first digit: |x| = mag * 2^e, 1/2 <= mag < 1 */

    if (x == 0 || x != x)
        return 0;
    memcpy(&u, &mag, sizeof u);
    e = (int)(u >> 112) - half;
    u = (u << 16 >> 16) | (unsigned __int128)half << 112;
    memcpy(&mag, &u, sizeof u);
    if (e > l->f.max_exp)
        return OVERFLOW_ | INEXACT;
    {
        const bool tiny = e < l->f.min_exp;
        const int kept = tiny ? digits - (l->f.min_exp - e) : digits;
        bool inexact;

        if (kept < 0)
            return UNDERFLOW_ | INEXACT;
        for (int i = 0; i < kept; i++)
            unit *= 2;
        n = mag * unit;
        inexact = n != (wide)(__int128)n;
        /* The largest number, half a unit and more above it: beyond it when rounded to nearest. */
        if (e == l->f.max_exp && inexact && n > unit - 1 && n - (unit - 1) >= 0.5Q)
            return OVERFLOW_ | INEXACT;
        return inexact ? INEXACT | (tiny ? UNDERFLOW_ : 0u) : 0;
    }
}

static bool is_nan(double v)
{
    return v != v;
}

/* What the sources alone raise. */
static unsigned sources(const struct lane *l, unsigned n)
{
    unsigned x = 0;

    for (unsigned i = 0; i < n; i++) {
        const double mag = fabs(l->v[i]);

        if (l->snan[i])
            x |= INVALID;
        else if (mag > 0 && mag < ldexp(1, l->f.min_exp - 1))
            x |= DENORMAL; /* flushed ones are 0 by now */
    }
    return x;
}

static bool any_nan(const struct lane *l, unsigned n)
{
    bool nan = false;

    for (unsigned i = 0; i < n; i++)
        nan |= is_nan(l->v[i]);
    return nan;
}

/* ---- operations --------------------------------------------------------------------------- */

static unsigned sum_of(const struct lane *l, double a, double b)
{
    if (isinf(a) || isinf(b))
        return isinf(a) && isinf(b) && a != b ? INVALID : 0;
    return rounding(l, sum_to_odd(a, b));
}

static unsigned product_of(const struct lane *l, double a, double b)
{
    if (isinf(a) || isinf(b))
        return a == 0 || b == 0 ? INVALID : 0;
    return rounding(l, (wide)a * b);
}

static unsigned quiet1_(const struct lane *l)
{
    return sources(l, 1);
}

static unsigned quiet2_(const struct lane *l)
{
    return sources(l, 2);
}

static unsigned quiet3_(const struct lane *l)
{
    return sources(l, 3);
}

static unsigned add_(const struct lane *l)
{
    return sources(l, 2) | (any_nan(l, 2) ? 0 : sum_of(l, l->v[0], l->v[1]));
}

static unsigned sub_(const struct lane *l)
{
    return sources(l, 2) | (any_nan(l, 2) ? 0 : sum_of(l, l->v[0], -l->v[1]));
}

static unsigned subrev_(const struct lane *l)
{
    return sources(l, 2) | (any_nan(l, 2) ? 0 : sum_of(l, -l->v[0], l->v[1]));
}

static unsigned mul_(const struct lane *l)
{
    return sources(l, 2) | (any_nan(l, 2) ? 0 : product_of(l, l->v[0], l->v[1]));
}

static bool legacy_zero(const struct lane *l)
{
    return l->v[0] == 0 || l->v[1] == 0;
}

static unsigned mul_legacy_(const struct lane *l)
{
    return legacy_zero(l) ? 0 : mul_(l);
}

/* The product is rounded, then the sum. */
static unsigned two_steps(const struct lane *l, double c)
{
    const double a = l->v[0], b = l->v[1];
    unsigned x = product_of(l, a, b);
    double p = a * b;

    if (x & INVALID)
        return x;
    if (l->f.digits == 24)
        p = (float)p;
    else if (l->f.digits == 11 && !isinf(p))
        p = bits_f32(mem_f16_to_f32(mem_f32_to_f16(f32_bits((float)p))));
    return x | sum_of(l, p, c);
}

static unsigned mad_(const struct lane *l)
{
    return sources(l, 3) | (any_nan(l, 3) ? 0 : two_steps(l, l->v[2]));
}

static unsigned mac_(const struct lane *l)
{
    struct lane k = *l;

    k.v[2] = l->v[3];
    k.snan[2] = l->snan[3];
    return mad_(&k);
}

static unsigned mad_legacy_(const struct lane *l)
{
    return legacy_zero(l) ? sources(l, 3) & ~(unsigned)DENORMAL : mad_(l);
}

static unsigned mac_legacy_(const struct lane *l)
{
    return legacy_zero(l) ? sources(l, 2) & ~(unsigned)DENORMAL : mac_(l);
}

static unsigned fma_(const struct lane *l)
{
    const double a = l->v[0], b = l->v[1], c = l->v[2];
    unsigned x = sources(l, 3);

    if (any_nan(l, 3))
        return x;
    if (isinf(a) || isinf(b)) {
        const bool neg = (a < 0) != (b < 0), bad = a == 0 || b == 0 || (isinf(c) && (c < 0) != neg);

        return x | (bad ? INVALID : 0u);
    }
    return x | (isinf(c) ? 0 : rounding(l, sum_to_odd((wide)a * b, c)));
}

static unsigned fmac_(const struct lane *l)
{
    struct lane k = *l;

    k.v[2] = l->v[3];
    k.snan[2] = l->snan[3];
    return fma_(&k);
}

/* A quotient or root of which more bits are known than are kept: never halfway by them alone. */
static unsigned quotient(const struct lane *l, wide a, wide b)
{
    wide q = a / b, r = a - q * b; /* the rest is exact enough to tell whether there is one */
    unsigned __int128 u;

    if (r != 0) {
        memcpy(&u, &q, sizeof u);
        u |= 1;
        memcpy(&q, &u, sizeof q);
    }
    return rounding(l, q);
}

static unsigned rcp_(const struct lane *l)
{
    unsigned x = sources(l, 1);

    if (any_nan(l, 1) || isinf(l->v[0]))
        return x;
    return x | (l->v[0] == 0 ? DIV0 : quotient(l, 1, l->v[0]));
}

static unsigned rcp_iflag_(const struct lane *l)
{
    return l->v[0] == 0 ? INT_DIV0 : 0;
}

static unsigned root(const struct lane *l, bool inverse)
{
    const double a = l->v[0];
    unsigned x = sources(l, 1);
    double s;

    if (any_nan(l, 1))
        return x;
    if (a < 0)
        return x | INVALID;
    if (a == 0 || isinf(a))
        return x | (inverse && a == 0 ? DIV0 : 0u);
    s = sqrt(a);
    if ((wide)s * s != a) /* irrational, or with more bits than any format has */
        return x | INEXACT;
    return x | (inverse ? quotient(l, 1, s) : rounding(l, s));
}

static unsigned sqrt_(const struct lane *l)
{
    return root(l, false);
}

static unsigned rsq_(const struct lane *l)
{
    return root(l, true);
}

static unsigned log_(const struct lane *l)
{
    const double a = l->v[0];
    unsigned x = sources(l, 1);
    int e;

    if (any_nan(l, 1))
        return x;
    if (a == 0)
        return x | DIV0;
    if (a < 0)
        return x | INVALID;
    return x | (isinf(a) || frexp(a, &e) == 0.5 ? 0 : INEXACT);
}

static unsigned exp_(const struct lane *l)
{
    const double a = l->v[0];
    unsigned x = sources(l, 1);

    if (any_nan(l, 1) || isinf(a))
        return x;
    if (a >= l->f.max_exp)
        return x | OVERFLOW_ | INEXACT;
    if (a < l->f.min_exp - 1)
        x |= UNDERFLOW_ | INEXACT;
    return x | (a == floor(a) ? 0 : INEXACT);
}

static unsigned sin_(const struct lane *l)
{
    const double a = l->v[0];

    if (any_nan(l, 1))
        return sources(l, 1);
    if (isinf(a))
        return INVALID;
    return sources(l, 1) | (4 * a == floor(4 * a) ? 0 : INEXACT);
}

static unsigned ldexp_(const struct lane *l)
{
    unsigned x = sources(l, 1);
    wide v = l->v[0];
    int64_t n = MIN2(MAX2(l->i, -4000), 4000);

    if (any_nan(l, 1) || isinf(l->v[0]) || v == 0)
        return x;
    for (; n > 0; n--)
        v *= 2;
    for (; n < 0; n++)
        v /= 2;
    return x | rounding(l, v);
}

/* Source 1 is the denominator, source 2 the numerator. */
static unsigned div_fixup_(const struct lane *l)
{
    const double den = l->v[1], num = l->v[2];
    unsigned x = (l->snan[1] || l->snan[2]) ? INVALID : 0;

    if (is_nan(den) || is_nan(num))
        return x;
    if ((den == 0 && num == 0) || (isinf(den) && isinf(num)))
        return INVALID;
    return den == 0 && !isinf(num) ? DIV0 : 0;
}

static unsigned to_int(const struct lane *l, double lo, double hi)
{
    const double a = l->v[0], t = trunc(a);

    if (is_nan(a) || t < lo || t > hi)
        return INVALID;
    return (sources(l, 1) & DENORMAL) | (t == a ? 0 : INEXACT);
}

static unsigned to_i32_(const struct lane *l)
{
    return to_int(l, -0x1p31, 0x1p31 - 1);
}

static unsigned to_u32_(const struct lane *l)
{
    return to_int(l, 0, 0x1p32 - 1);
}

static unsigned to_i16_(const struct lane *l)
{
    return to_int(l, -0x1p15, 0x1p15 - 1);
}

static unsigned to_u16_(const struct lane *l)
{
    return to_int(l, 0, 0x1p16 - 1);
}

static const struct format f16 = {11, -13, 16, true}, f32 = {24, -125, 128, true}, f64 = {53, -1021, 1024, true};

static unsigned from_int(int64_t i, const struct format *f)
{
    const struct lane l = {.f = *f};

    return rounding(&l, i);
}

static unsigned from_i32_(const struct lane *l)
{
    return from_int((int32_t)l->i, &f32);
}

static unsigned from_u32_(const struct lane *l)
{
    return from_int((uint32_t)l->i, &f32);
}

static unsigned from_i16_(const struct lane *l)
{
    return from_int((int16_t)l->i, &f16);
}

static unsigned from_u16_(const struct lane *l)
{
    return from_int((uint16_t)l->i, &f16);
}

static unsigned narrowed(const struct lane *l, unsigned n, const struct format *f)
{
    struct lane k = *l;
    unsigned x = sources(l, n);

    k.f = *f;
    for (unsigned i = 0; i < n; i++)
        x |= is_nan(l->v[i]) || isinf(l->v[i]) ? 0 : rounding(&k, l->v[i]);
    return x;
}

static unsigned to_f16_(const struct lane *l)
{
    return narrowed(l, 1, &f16);
}

static unsigned to_f16_2_(const struct lane *l)
{
    return narrowed(l, 2, &f16);
}

static unsigned to_f32_(const struct lane *l)
{
    return narrowed(l, 1, &f32);
}

/* v_cmps: NaNs that are quiet too. */
static unsigned signalling_(const struct lane *l)
{
    return sources(l, 2) | (any_nan(l, 2) ? INVALID : 0);
}

/* ---- rows --------------------------------------------------------------------------------- */

typedef unsigned operation(const struct lane *l);

static operation *operation_of(unsigned op)
{
    static operation *const of[I_COUNT] = {
#define EXCP(row, name) [I_##row] = name##_,
#include "isa/excp.def"
#undef EXCP
    };
    const struct isa_row *row = &isa_rows[op];

    if (row->enc != ENC_VOPC)
        return of[op];
    if (row->src[1] != row->src[0]) /* v_cmp_class asks what a value is, and uses none */
        return NULL;
    if (row->src[0] != T_F32 && row->src[0] != T_F64 && row->src[0] != T_F16)
        return NULL;
    return !strncmp(row->id, "V_CMPS", 6) ? signalling_ : quiet2_;
}

static const struct format *format_of(enum isa_type t)
{
    return t == T_F64 ? &f64 : t == T_F16 || t == T_V2F16 ? &f16 : &f32;
}

/* A source of a lane as a number; a half of it with V2F16. */
static void take(struct lane *l, unsigned i, enum isa_type t, const uint32_t *p, unsigned lane, bool high, bool keep)
{
    const uint32_t v = p[lane];
    double d = 0;

    switch (t) {
    case T_F64: {
        const uint64_t u = v | (uint64_t)p[64 + lane] << 32;

        d = bits_f64(u);
        l->snan[i] = is_nan(d) && !(u & LANE_QUIET64);
        break;
    }
    case T_F32:
        d = bits_f32(v);
        l->snan[i] = is_nan(d) && !(v & LANE_QUIET32);
        break;
    case T_F16:
    case T_V2F16: {
        const uint32_t h = high ? v >> 16 : v & 0xffff;

        d = bits_f32(mem_f16_to_f32((uint16_t)h));
        l->snan[i] = is_nan(d) && !(h & 0x200);
        break;
    }
    case T_I16:
        l->i = (int16_t)v;
        return;
    default:
        l->i = (int32_t)v;
        return;
    }
    if (!keep && fabs(d) < ldexp(1, format_of(t)->min_exp - 1))
        d = copysign(0, d);
    l->v[i] = d;
}

static bool keeps(const struct wave *w, const struct isa_row *row, enum isa_type t)
{
    if (t == T_F64)
        return w->fm.in64;
    if (t == T_F16 || t == T_V2F16)
        return w->fm.in16;
    return w->fm.in32 && !(row->flags & FLUSH);
}

unsigned isa_excp_of(struct wave *w, const struct uop *u)
{
    const struct isa_row *row = &isa_rows[u->in->op];
    operation *fn = u->valu && !u->call ? operation_of(u->in->op) : NULL;
    const uint32_t *src[4] = {NULL};
    const uint32_t mode = _mm_getcsr();
    const bool packed = row->src[0] == T_V2F16;
    uint64_t on;
    unsigned x = 0;

    if (!fn)
        return 0;
    on = isa_wrap_sources(w, u, src);
    src[3] = row->flags & RD_DST ? uop_ptr(w, u, UOP_DST) : NULL;
    _mm_setcsr(0x1f80); /* all masked, to nearest, nothing flushed */
    for (uint64_t left = on; left; left &= left - 1)
        for (unsigned half = 0; half <= packed; half++) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            struct lane l = {.f = *format_of((enum isa_type)row->src[0])};

            for (unsigned i = 0; i < 4; i++) {
                const enum isa_type t = (enum isa_type)(i < 3 ? row->src[i] : row->dst);

                if (src[i])
                    take(&l, i, t, src[i], lane, half, keeps(w, row, t));
            }
            x |= fn(&l);
        }
    _mm_setcsr(mode);
    return x;
}

const struct uop *isa_excp_raise(struct wave *w, const struct uop *u, const struct uop *next, unsigned excp)
{
    const unsigned had = regs_extract(w->gen, F_SQ_WAVE_TRAPSTS__EXCP, w->trapsts);

    w->trapsts = regs_insert(w->gen, F_SQ_WAVE_TRAPSTS__EXCP, w->trapsts, had | excp);
    if (excp & regs_extract(w->gen, F_SQ_WAVE_MODE__EXCP_EN, w->mode) && isa_trap_handler(w) && !isa_in_trap(w))
        return isa_trap_excp(w, u, next->pc_va);
    return next;
}
