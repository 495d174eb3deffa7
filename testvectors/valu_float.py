"""gen_valu.py: f32 arithmetic, rounding, transcendental functions, conversions, cube maps, division."""
from valu_lines import *


# ---- float arithmetic ----------------------------------------------------------------------

def minmax(gen, m, a, b, largest):
    """Vega ISA manual, V_MIN_F32: in IEEE mode a signalling NaN made quiet; else the other operand than a NaN; -0
    below +0. Denormals follow MODE on GFX9 alone."""
    if m.ieee:
        for x in (a, b):
            if F32.is_snan(x):
                return x | F32.quiet
    x, y = exact.operands(F32, m, a, b) if gen == "gfx9" else (a, b)
    if F32.is_nan(a):
        return y
    if F32.is_nan(b):
        return x
    key = lambda v: -(v & 0x7fffffff) - 1 if F32.negative(v) else v
    return max(x, y, key=key) if largest else min(x, y, key=key)


def med3(gen, m, a, b, c):
    if any(F32.is_nan(x) for x in (a, b, c)):
        return minmax(gen, m, minmax(gen, m, a, b, False), c, False)
    x = exact.operands(F32, m, a, b, c) if gen == "gfx9" else (a, b, c)
    return sorted(x, key=lambda v: -(v & 0x7fffffff) - 1 if F32.negative(v) else v)[1]


def less(a, b, m):
    if F32.is_nan(a) or F32.is_nan(b):
        return None
    a, b = exact.operands(F32, m, a, b)
    big = Fraction(2) ** 200
    v = [(-big if F32.negative(x) else big) if F32.is_inf(x) else F32.value(x) for x in (a, b)]
    return v[0] < v[1]


def mullit(m, a, b, c):
    if F32.is_nan(c) or less(0, c, m) is not True:
        return 0xff7fffff
    return exact.mul_legacy(F32, m, a, b)


def arithmetic():
    note("Sums and products, each exact and rounded once. IEEE 754; NaNs: errata.md, E-nan; flushed results: E-flush.")
    table = [
        ("v_add_f32", lambda m, a, b: exact.add(F32, m, a, b), SUMS),
        ("v_sub_f32", lambda m, a, b: exact.sub(F32, m, a, b), SUMS),
        ("v_subrev_f32", lambda m, a, b: exact.sub(F32, m, b, a), SUMS),
        ("v_mul_f32", lambda m, a, b: exact.mul(F32, m, a, b), PRODUCTS),
        ("v_mul_legacy_f32", lambda m, a, b: exact.mul_legacy(F32, m, a, b), PRODUCTS),
    ]
    for name, f, crafted in table:
        for i, gen in enumerate(gens_of(name)):
            for m in modes_for(i):
                lanes(gen, name, lambda *c: f(m, *c), mix(crafted, 2), m)
        vop3_lines(name, f, 2, crafted)
    note("v_fma: one rounding. v_mad, v_mac: the product rounded, then the sum; denormals flushed whatever MODE says. The "
         "_legacy product is zero when a factor is.")
    mad = lambda m, a, b, c: exact.mad(F32, m, a, b, c, exact.mul)
    legacy = lambda m, a, b, c: exact.mad(F32, m, a, b, c, exact.mul_legacy)
    for name, f in (("v_fma_f32", lambda m, a, b, c: exact.fma(F32, m, a, b, c)), ("v_mad_f32", mad),
                    ("v_mad_legacy_f32", legacy)):
        for i, gen in enumerate(gens_of(name)):
            for m in modes_for(i):
                lanes(gen, name, lambda *c: f(m, *c), mix(TRIPLES, 3), m)
        vop3_lines(name, f, 3, TRIPLES)
    for name, f in (("v_mac_f32", mad), ("v_mac_legacy_f32", legacy)):
        for i, gen in enumerate(gens_of(name)):
            for m in modes_for(i):
                accumulate(gen, name, f, mix(TRIPLES, 3), m)
            accumulate(gen, name, f, mix(TRIPLES, 3, 24), KEEP, "v0, -v1, |v2|", "_e64", (neg, absolute, same))
            accumulate(gen, name, f, mix(TRIPLES, 3, 24), Mode(dx10=True), "v0, v1, v2 clamp", "_e64", out=clamp)
            accumulate(gen, name, f, mix(TRIPLES, 3, 24), FLUSH, "v0, v1, v2 mul:4", "_e64",
                       out=lambda m, x: omod(m, x, 2))
    fma = lambda m, a, b, c: exact.fma(F32, m, a, b, c)
    for m in (KEEP, FLUSH, DIRECTED[0], DIRECTED[3]):
        accumulate("gfx9", "v_fmac_f32", fma, mix(TRIPLES, 3), m, cpu="gfx906")
    accumulate("gfx9", "v_fmac_f32", fma, mix(TRIPLES, 3, 24), Mode(dx10=True), "v0, -v1, |v2| clamp", "_e64",
               (neg, absolute, same), clamp, "gfx906")
    note("v_madmk: a * K + b; v_madak: a * b + K.")
    for i, gen in enumerate(GENS):
        for k in (0x40490fdb, 0x80000001, 0xbf800000, 0x7f800000):
            m = Mode(i)
            two = [c[:2] for c in mix(TRIPLES, 3, 16)]
            lanes(gen, "v_madmk_f32", lambda a, b: mad(m, a, k, b), two, m, operands="v0, v1, 0x%x, v2" % k)
            lanes(gen, "v_madak_f32", lambda a, b: mad(m, a, b, k), two, m, operands="v0, v1, v2, 0x%x" % k)
    note("v_mullit: the legacy product where the third operand is above 0, else the most negative number (CLRX).")
    for i, gen in enumerate(gens_of("v_mullit_f32")):
        for m in modes_for(i):
            cases = [(a, b, rng.choice((0, 0x80000000, 1, 0x3f800000, 0xbf800000, 0x7fc00000, 0x7f800000))) for a, b in
                     mix(PRODUCTS, 2)]
            lanes(gen, "v_mullit_f32", lambda *c: mullit(m, *c), cases, m)
    vop3_lines("v_mullit_f32", mullit, 3, [(a, b, 0x3f800000) for a, b in PRODUCTS])


def accumulate(gen, name, f, cases, m, operands="v0, v1, v2", suffix="", changes=(same,) * 3, out=None, cpu=None):
    """v0 is the third operand and the result."""
    r = [f(m, *(h(x) for h, x in zip(changes, c))) for c in cases]
    r = [out(m, x) for x in r] if out else r
    line(gen, name, operands, [(k, [c[i] for c in cases]) for i, k in enumerate(("v1", "v2", "v0"))], [("v0", r)],
         len(cases), mode_bits(m), suffix=suffix, cpu=cpu)


def minimum():
    note("Minimum, maximum, middle. Vega ISA manual, V_MIN_F32; before GFX9 denormals pass whatever MODE says (LLVM).")
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    modes = [KEEP, Mode(ieee=True), FLUSH, Mode(0, False, False, ieee=True)]
    for name in ("v_min_f32", "v_max_f32"):
        big = name == "v_max_f32"
        for i, gen in enumerate(GENS):
            for k, m in enumerate(modes):
                lanes(gen, name, lambda a, b: minmax(gen, m, a, b, big), rng.sample(pairs, 64), m)
        for gen in GENS:
            lanes(gen, name, lambda a, b: minmax(gen, KEEP, neg(a), absolute(b), big), mix(SUMS, 2, 24),
                  operands="v0, -v1, |v2|", suffix="_e64")
            m = Mode(dx10=True)
            lanes(gen, name, lambda a, b: clamp(m, minmax(gen, m, a, b, big)), mix(SUMS, 2, 24), m,
                  operands="v0, v1, v2 clamp", suffix="_e64")
            lanes(gen, name, lambda a, b: omod(FLUSH, minmax(gen, FLUSH, a, b, big), -1), mix(SUMS, 2, 24), FLUSH,
                  operands="v0, v1, v2 div:2", suffix="_e64")
    for name, f in (("v_min3_f32", lambda g, m, a, b, c: minmax(g, m, minmax(g, m, a, b, False), c, False)),
                    ("v_max3_f32", lambda g, m, a, b, c: minmax(g, m, minmax(g, m, a, b, True), c, True)),
                    ("v_med3_f32", med3)):
        for gen in GENS:
            for m in modes:
                cases = [tuple(rng.choice(SPECIAL) if rng.randrange(3) else random_f32() for _ in range(3)) for _ in
                         range(40)]
                lanes(gen, name, lambda *c: f(gen, m, *c), cases, m)
            cases = mix(TRIPLES, 3, 24)
            lanes(gen, name, lambda a, b, c: f(gen, KEEP, neg(a), absolute(b), neg_abs(c)), cases,
                  operands="v0, -v1, |v2|, -|v3|")
            m = Mode(dx10=True)
            lanes(gen, name, lambda *c: clamp(m, f(gen, m, *c)), cases, m, operands="v0, v1, v2, v3 clamp")
    note("_legacy: one comparison, and the second operand when it is false (values seen on a console: hardware-notes).")
    for name, f in (("v_min_legacy_f32", lambda m, a, b: a if less(a, b, m) else b),
                    ("v_max_legacy_f32", lambda m, a, b: a if less(a, b, m) is False else b)):
        for gen in gens_of(name):
            for m in (KEEP, FLUSH):
                lanes(gen, name, lambda a, b: f(m, a, b), rng.sample(pairs, 60) +
                      [(0, 0x7fc00000), (0x7fc00000, 0), (0x7fc00000, 0x7fffffff), (0x7fffffff, 0x7fc00000)], m)
            lanes(gen, name, lambda a, b: f(KEEP, neg(a), absolute(b)), mix(SUMS, 2, 24), operands="v0, -v1, |v2|",
                  suffix="_e64")


# ---- one source ----------------------------------------------------------------------------

HALVES = [0x3f000000, 0xbf000000, 0x3effffff, 0x3f000001, 0x3fc00000, 0x40200000, 0xc0200000, 0xbfc00000, 0x4affffff,
          0x4afffffe, 0xcaffffff, 0x4b000001, 0x4b7fffff, 0x4b7ffffe, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
          0x4f7fffff, 0x4f800000, 0x3f7fffff, 0xbf7fffff, 0x40400000, 0xc0400000, 0x437f0000, 0x437f8000, 0x43800000]


def singles(extra=(), count=64):
    out = SPECIAL + [x for x in HALVES if x not in SPECIAL] + list(extra)
    out = out[:]
    while len(out) < count:
        out.append(random_f32())
    return [(x,) for x in (out if len(out) <= 64 else rng.sample(out, 64))]


def to_integer(how):
    def f(m, a):
        n = exact.first_nan(F32, a)
        if n is not None:
            return n
        a, = exact.operands(F32, m, a)
        if F32.is_inf(a):
            return a
        v = F32.value(a)
        q, rest = v.numerator // v.denominator, v - v.numerator // v.denominator
        if how == "ceil" or (how == "trunc" and v < 0):
            q += rest > 0
        elif how == "even":
            q += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and q & 1)
        return rnd(Fraction(q), KEEP, F32.negative(a))
    return f


floor = to_integer("floor")


def fract(m, a):
    """a - floor(a), kept below 1; infinities give a NaN of their sign (CLRX)."""
    n = exact.first_nan(F32, a)
    if n is not None:
        return n
    if F32.is_inf(a):
        return a | F32.quiet
    r = exact.sub(F32, m, a, floor(m, a))
    return min(r, 0x3f7fffff) if not F32.negative(r) else r


def frexp_parts(m, a):
    """(mantissa, exponent) with 1/2 <= |mantissa| < 1 of a finite number."""
    a, = exact.operands(F32, m, a)
    if F32.is_zero(a):
        return a, 0
    v = abs(F32.value(a))
    e = v.numerator.bit_length() - v.denominator.bit_length()
    e -= v < Fraction(2) ** e
    return rnd(F32.value(a) / Fraction(2) ** (e + 1), KEEP), e + 1


def frexp_exp(gen, m, a):
    if F32.is_nan(a) or F32.is_inf(a):
        return -1 if gen == "gfx6" else 0
    return frexp_parts(m, a)[1]


def frexp_mant(gen, m, a):
    n = exact.first_nan(F32, a)
    if n is not None:
        return n
    if F32.is_inf(a):
        return F32.default_nan if gen == "gfx6" else a
    return frexp_parts(m, a)[0]


def rounding():
    note("To integers as floats; the sign of zero results is the operand's. ISA manuals, \"VOP1 instructions\".")
    for name, how in (("v_trunc_f32", "trunc"), ("v_ceil_f32", "ceil"), ("v_rndne_f32", "even"), ("v_floor_f32", "floor")):
        f = to_integer(how)
        for i, gen in enumerate(GENS):
            for m in (KEEP, FLUSH, DIRECTED[i]):
                lanes(gen, name, lambda a: f(m, a), singles(), m)
        vop3_lines(name, f, 1, singles())
    note("v_fract.")
    for i, gen in enumerate(GENS):
        for m in modes_for(i):
            lanes(gen, "v_fract_f32", lambda a: fract(m, a), singles((0xb3000000, 0xb3800000, 0xa0000000, 0xbf800001)), m)
    vop3_lines("v_fract_f32", fract, 1, singles())
    note("v_frexp: infinities and NaNs give -1 and a NaN on GFX6, 0 and themselves later (CLRX).")
    for gen in GENS:
        for m in (KEEP, FLUSH):
            lanes(gen, "v_frexp_exp_i32_f32", lambda a: frexp_exp(gen, m, a), singles(), m)
            lanes(gen, "v_frexp_mant_f32", lambda a: frexp_mant(gen, m, a), singles(), m)
        lanes(gen, "v_frexp_mant_f32", lambda a: frexp_mant(gen, KEEP, neg_abs(a)), singles()[:30], operands="v0, -|v1|",
              suffix="_e64")
        lanes(gen, "v_frexp_exp_i32_f32", lambda a: frexp_exp(gen, KEEP, neg(a)), singles()[:30], operands="v0, -v1",
              suffix="_e64")
    note("v_ldexp: one rounding.")
    exps = [0, 1, M32, 23, 0xffffffe9, 126, 127, 128, 254, 255, 277, 278, 300, 0xffffff82, 0xffffff6b, 0xffffff00,
            0x7fffffff, 0x80000000, 149, 0xffffff01]
    ldexp = lambda m, a, e: exact.ldexp(F32, m, a, e - (e >> 31 << 32))
    crafted = [(a, e) for a in (1, 0x007fffff, 0x3f800000, 0x3fffffff, 0x7f7fffff, 0x00800003) for e in exps]
    for i, gen in enumerate(GENS):
        for m in modes_for(i):
            cases = rng.sample(crafted, 44) + [(a, rng.choice(exps)) for a in SPECIAL]
            lanes(gen, "v_ldexp_f32", lambda *c: ldexp(m, *c), cases, m)
        three = gen in NEW
        cases = rng.sample(crafted, 20)
        lanes(gen, "v_ldexp_f32", lambda a, e: clamp(KEEP, ldexp(KEEP, neg(a), e)), cases, operands="v0, -v1, v2 clamp",
              suffix="" if three else "_e64")
        lanes(gen, "v_ldexp_f32", lambda a, e: omod(FLUSH, ldexp(FLUSH, absolute(a), e), 1), cases, FLUSH,
              operands="v0, |v1|, v2 mul:2", suffix="" if three else "_e64")


# ---- transcendental ------------------------------------------------------------------------

def rcp(m, a):
    m = m.flushing()
    n = exact.first_nan(F32, a)
    if n is not None:
        return n
    a, = exact.operands(F32, m, a)
    sign = a & 0x80000000
    if F32.is_zero(a):
        return sign | F32.inf
    if F32.is_inf(a):
        return sign
    return rnd(1 / F32.value(a), m)


def sqrt(m, a):
    m = m.flushing()
    n = exact.first_nan(F32, a)
    if n is not None:
        return n
    a, = exact.operands(F32, m, a)
    if F32.is_zero(a) or a == F32.inf:
        return a
    return F32.default_nan if F32.negative(a) else rnd(exact.sqrt(F32.value(a)), m)


def rsq(m, a):
    m = m.flushing()
    n = exact.first_nan(F32, a)
    if n is not None:
        return n
    a, = exact.operands(F32, m, a)
    if F32.is_zero(a):
        return a | F32.inf
    if F32.negative(a):
        return F32.default_nan
    return 0 if a == F32.inf else rnd(exact.sqrt(1 / F32.value(a)), m)


def exp(m, a):
    m = m.flushing()
    n = exact.first_nan(F32, a)
    if n is not None:
        return n
    a, = exact.operands(F32, m, a)
    if F32.is_inf(a):
        return 0 if F32.negative(a) else a
    v = F32.value(a)
    return rnd(exact.exp2(min(v, Fraction(200))), m) if v >= -126 else 0


def log(m, a):
    m = m.flushing()
    n = exact.first_nan(F32, a)
    if n is not None:
        return n
    a, = exact.operands(F32, m, a)
    if F32.is_zero(a):
        return 0xff800000
    if F32.negative(a):
        return F32.default_nan
    return a if a == F32.inf else rnd(exact.log2(F32.value(a)), m)


def turn(gen, m, a, quarter):
    m = m.flushing()
    n = exact.first_nan(F32, a)
    if n is not None:
        return n
    a, = exact.operands(F32, m, a)
    if F32.is_inf(a):
        return F32.default_nan
    if F32.is_zero(a):
        return F32.one if quarter else a
    v = F32.value(a)
    if gen != "gfx9" and abs(v) > 256:
        return F32.one if quarter else 0
    # A sine that is zero has the argument's sign, a cosine is +0 (IEEE 754, sinPi and cosPi).
    return rnd(exact.sin2pi(v, quarter), m, not quarter and F32.negative(a))


def clamp_inf(x):
    return x & 0x80000000 | 0x7f7fffff if F32.is_inf(x) else x


def zero_inf(x):
    return x & 0x80000000 if F32.is_inf(x) else x


def transcendental():
    note("Reciprocal, roots, powers, logarithms: the manuals promise one unit in the last place; these are the correctly "
         "rounded values, computed here with 400 bits, which atoll commits to (errata.md, E-transcendentals). Denormals are "
         "flushed whatever MODE says. _clamp: the largest number for infinity; _legacy (rcp, rsq): zero for it.")
    near = [0x3f800001, 0x3f7fffff, 0x40000000, 0x40400000, 0x40800000, 0x7e800000, 0x7e800001, 0x7effffff, 0x01000000,
            0x00800001, 0x40490fdb, 0x41200000, 0x4b800000]
    table = [("v_rcp_f32", rcp), ("v_rcp_iflag_f32", rcp), ("v_rcp_clamp_f32", lambda m, a: clamp_inf(rcp(m, a))),
             ("v_rcp_legacy_f32", lambda m, a: zero_inf(rcp(m, a))), ("v_sqrt_f32", sqrt), ("v_rsq_f32", rsq),
             ("v_rsq_clamp_f32", lambda m, a: clamp_inf(rsq(m, a))),
             ("v_rsq_legacy_f32", lambda m, a: zero_inf(rsq(m, a)))]
    for name, f in table:
        for i, gen in enumerate(gens_of(name)):
            for m in (KEEP, FLUSH) if len(gens_of(name)) == 2 else (KEEP, (FLUSH, Mode(1), Mode(2), Mode(3))[i]):
                lanes(gen, name, lambda a: f(m, a), singles(near), m)
        vop3_lines(name, f, 1, [(x,) for x in near + SPECIAL])
    note("2^x: 0 below -126.")
    powers = [(x,) for x in [0x42fe0000, 0x42feffff, 0x42ff0000, 0x43000000, 0x42ffffff, 0xc2fc0000, 0xc2fc0001, 0xc2fbffff,
                             0xc3000000, 0x3f800000, 0xbf800000, 0x40000000, 0x41200000, 0x3f000000, 0xbf000000, 0x33800000,
                             0xb3800000, 0x2e800000, 0xc2c80000, 0xc3160000] + SPECIAL]
    for name in ("v_exp_f32", "v_exp_legacy_f32"):
        for i, gen in enumerate(gens_of(name)):
            for m in (KEEP, (FLUSH, Mode(1), Mode(2), Mode(3))[i]):
                cases = powers + [(rng.getrandbits(1) << 31 | rng.randrange(0x3c000000, 0x42fc0000),) for _ in
                                  range(64 - len(powers))]
                lanes(gen, name, lambda a: exp(m, a), cases, m)
        vop3_lines(name, exp, 1, powers)
    note("log2.")
    for name, f in (("v_log_f32", log), ("v_log_legacy_f32", log),
                    ("v_log_clamp_f32", lambda m, a: 0xff7fffff if log(m, a) == 0xff800000 else log(m, a))):
        for i, gen in enumerate(gens_of(name)):
            for m in (KEEP, (FLUSH, Mode(1), Mode(2), Mode(3))[i]):
                cases = [(x,) for x in SPECIAL + near]
                while len(cases) < 64:
                    cases.append((rng.randrange(0x3f000000, 0x40800000) if rng.randrange(2) else
                                  rng.randrange(0x00800000, 0x7f800000),))
                lanes(gen, name, lambda a: f(m, a), cases, m)
        vop3_lines(name, f, 1, [(x,) for x in near + SPECIAL])
    note("Sine and cosine of turns; beyond 256 turns GFX6..8 give 0 and 1 (GCN3 manual, V_SIN_F32); GFX9 has no such limit "
         "(LLVM's feature trig-reduced-range).")
    turns = [0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000, 0xbe800000, 0xbf000000, 0x3e000000, 0x3ec00000, 0x3da80000,
             0x43800000, 0xc3800000, 0x43800001, 0xc3800001, 0x437fffff, 0x43900000, 0x47c35000, 0x4b000001, 0x4b800001,
             0x00800000, 0x20000000, 0x3f7fffff, 0x3f800001, 0x3effffff, 0x42f6e979, 0x7f7fffff]
    for name, q in (("v_sin_f32", 0), ("v_cos_f32", 1)):
        for i, gen in enumerate(GENS):
            for m in (KEEP, (FLUSH, Mode(3), Mode(1), Mode(2))[i]):
                cases = [(x,) for x in SPECIAL + turns]
                while len(cases) < 64:
                    cases.append((rng.getrandbits(1) << 31 | rng.randrange(0x39000000, 0x43800000),))
                lanes(gen, name, lambda a: turn(gen, m, a, q), cases, m)
            lanes(gen, name, lambda a: clamp(KEEP, turn(gen, KEEP, neg(a), q)), [(x,) for x in turns],
                  operands="v0, -v1 clamp", suffix="_e64")
            lanes(gen, name, lambda a: omod(FLUSH, turn(gen, FLUSH, absolute(a), q), -1), [(x,) for x in turns], FLUSH,
                  operands="v0, |v1| div:2", suffix="_e64")


# ---- conversions ---------------------------------------------------------------------------

def saturated(lo, hi, how="trunc", nan=None):
    """Float to integer: rounded, then kept within lo .. hi; a NaN gives 0, or by its sign lo or hi."""
    def f(m, a):
        if F32.is_nan(a):
            return 0 if nan is None else (lo if F32.negative(a) else hi)
        if F32.is_inf(a):
            return lo if F32.negative(a) else hi
        v = F32.value(a)
        if how == "rpi":
            v += Fraction(1, 2)
        q, rest = v.numerator // v.denominator, v - v.numerator // v.denominator
        if how == "trunc":
            q += v < 0 and rest > 0
        elif how == "mode":
            q += {0: rest > Fraction(1, 2) or (rest == Fraction(1, 2) and q & 1), 1: rest > 0, 2: 0,
                  3: v < 0 and rest > 0}[m.round]
        return max(lo, min(hi, q))
    return f


def cvt_u8(m, a):
    a, = exact.operands(F32, m, a)
    return saturated(0, 255, "mode")(m, a)


def put_byte(into, v, which):
    sh = 8 * (which & 3)
    return into & ~(255 << sh) | v << sh


def norm(a, scale, low):
    if F32.is_nan(a):
        return 0
    if F32.is_inf(a):
        return low if F32.negative(a) else scale
    v = F32.value(a) * scale
    q, rest = v.numerator // v.denominator, v - v.numerator // v.denominator
    q += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and q & 1)
    return max(low, min(scale, q))


def f16_mode(gen, m, m16):
    """What v_cvt_f16_f32 and v_cvt_f32_f16 see: GFX6/7 round as f32 and keep half denormals (CLRX)."""
    if gen in OLD:
        return Mode(m.round, True, True)
    return m16


def conversions():
    ints = [0, 1, M32, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xff, 0x00ffffff, 0x01000000, 0x01000001, 0x01000003,
            0xfeffffff, 0x7fffffbf, 0x7fffffc0, 0xffffff7f, 0xffffff80, 0x12345678, 0x89abcdef]
    note("Integers to floats, rounded as MODE says.")
    for name, f in (("v_cvt_f32_i32", lambda m, a: rnd(Fraction(signed(a)), m)),
                    ("v_cvt_f32_u32", lambda m, a: rnd(Fraction(a), m))):
        for i, gen in enumerate(GENS):
            for m in (KEEP, Mode(i)):
                lanes(gen, name, lambda a: f(m, a), [(x,) for x in ints + [rng.getrandbits(32) for _ in range(30)]], m)
        vop3_lines(name, f, 1, [(x,) for x in ints], imod=False)
    for byte in range(4):
        name = "v_cvt_f32_ubyte%d" % byte
        f = lambda m, a: rnd(Fraction(a >> 8 * byte & 255), m)
        for gen in GENS:
            lanes(gen, name, lambda a: f(KEEP, a), [(x,) for x in ints + [rng.getrandbits(32) for _ in range(8)]])
        vop3_lines(name, f, 1, [(x,) for x in ints], imod=False)
    note("v_cvt_off_f32_i4: a signed nibble in sixteenths.")
    off = lambda m, a: rnd(Fraction(signed(a, 4), 16), m)
    for gen in GENS:
        lanes(gen, "v_cvt_off_f32_i4", lambda a: off(KEEP, a), [(x,) for x in list(range(16)) + ints])
    vop3_lines("v_cvt_off_f32_i4", off, 1, [(x,) for x in range(16)], imod=False)
    note("Floats to integers: truncated, saturated, NaN 0. v_cvt_flr and v_cvt_rpi: floor(x), floor(x + 1/2), a NaN by its "
         "sign (CLRX).")
    for name, f in (("v_cvt_i32_f32", saturated(-1 << 31, (1 << 31) - 1)), ("v_cvt_u32_f32", saturated(0, M32)),
                    ("v_cvt_flr_i32_f32", saturated(-1 << 31, (1 << 31) - 1, "floor", "sign")),
                    ("v_cvt_rpi_i32_f32", saturated(-1 << 31, (1 << 31) - 1, "rpi", "sign"))):
        for i, gen in enumerate(GENS):
            # A flushed operand is a zero: it differs for v_cvt_flr of a negative denormal.
            for m in (KEEP, Mode(i, False, False)):
                lanes(gen, name, lambda a: f(m, exact.operands(F32, m, a)[0]), singles(), m)
            lanes(gen, name, lambda a: f(KEEP, neg(a)), singles()[:40], operands="v0, -v1", suffix="_e64")
            lanes(gen, name, lambda a: f(KEEP, neg_abs(a)), singles()[:40], operands="v0, -|v1|", suffix="_e64")
    note("To bytes, rounded as MODE says and saturated: v_cvt_pk_u8 puts one into the third operand, v_cvt_pkaccum_u8 into "
         "the result.")
    bytes_ = [0x437f0000, 0x437f8000, 0x437effff, 0x43800000, 0x3f000000, 0x3f000001, 0x3effffff, 0x3fc00000, 0x40200000,
              0xbf800000, 0xbf000000, 0x42fe8000, 0x42ff8000, 0x4a000000] + SPECIAL
    for i, gen in enumerate(GENS):
        for m in (KEEP, FLUSH, Mode((i + 1) % 4), Mode((i + 2) % 4)):
            cases = [(a, rng.getrandbits(2) if k % 3 else rng.getrandbits(32), rng.getrandbits(32)) for k, a in
                     enumerate(bytes_)]
            lanes(gen, "v_cvt_pk_u8_f32", lambda a, b, c: put_byte(c, cvt_u8(m, a), b), cases, m)
            r = [put_byte(c, cvt_u8(m, a), b) for a, b, c in cases]
            line(gen, "v_cvt_pkaccum_u8_f32", "v0, v1, v2", [(k, [c[j] for c in cases]) for j, k in
                                                             enumerate(("v1", "v2", "v0"))], [("v0", r)], len(cases),
                 mode_bits(m))
        cases = [(a, 2, 0x11223344) for a in bytes_]
        lanes(gen, "v_cvt_pk_u8_f32", lambda a, b, c: put_byte(c, cvt_u8(KEEP, neg(a)), b), cases, operands="v0, -v1, v2, v3")
        lanes(gen, "v_cvt_pk_u8_f32", lambda a, b, c: put_byte(c, cvt_u8(KEEP, absolute(a)), b), cases,
              operands="v0, |v1|, v2, v3")
    note("Pairs: normalised to nearest even and saturated (CLRX), a NaN 0; saturated integers.")
    pairs = [(a, b) for a, b in zip(bytes_ + HALVES, HALVES + bytes_)]
    for k in range(len(pairs), 64):
        pairs.append((rng.getrandbits(1) << 31 | rng.randrange(0x30000000, 0x3f800002), rng.randrange(0x37000000, 0x3f800002)))
    for name, scale, low in (("v_cvt_pknorm_i16_f32", 32767, -32767), ("v_cvt_pknorm_u16_f32", 65535, 0)):
        for i, gen in enumerate(GENS):
            m = Mode(i)
            lanes(gen, name, lambda a, b: pack(norm(a, scale, low), norm(b, scale, low)), pairs, m)
            lanes(gen, name, lambda a, b: pack(norm(neg(a), scale, low), norm(absolute(b), scale, low)), pairs[:30], KEEP,
                  operands="v0, -v1, |v2|", suffix="" if gen in NEW else "_e64")
    for name, f in (("v_cvt_pk_u16_u32", lambda a, b: pack(min(a, 0xffff), min(b, 0xffff))),
                    ("v_cvt_pk_i16_i32", lambda a, b: pack(max(-0x8000, min(0x7fff, signed(a))),
                                                           max(-0x8000, min(0x7fff, signed(b)))))):
        some = [0, 1, M32, 0x7fff, 0x8000, 0xffff, 0x10000, 0xffff8000, 0xffff7fff, 0x80000000, 0x7fffffff]
        for gen in GENS:
            lanes(gen, name, f, [(rng.choice(some), rng.choice(some)) for _ in range(24)] + list(zip(some, some[::-1])))
    for gen in gens_of("v_sat_pk_u8_i16"):
        sat = lambda v: max(0, min(255, signed(v, 16)))
        lanes(gen, "v_sat_pk_u8_i16", lambda a: sat(a) | sat(a >> 16) << 8,
              [(pack(a, b),) for a in (0, 1, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x55) for b in (3, 0xff, 0x100, 0x8000)])
    note("Halves. GFX6/7 round as f32 and keep denormal halves; GFX8/9 follow the f16/f64 bits of MODE (CLRX). "
         "v_cvt_pkrtz rounds to zero.")
    h = [0, 0x80000000, 0x33000000, 0x33000001, 0x32ffffff, 0x33800000, 0xb3c00000, 0x387fe000, 0x387fefff, 0x387ff000,
         0x387fffff, 0x38800000, 0x38801000, 0x38803000, 0x3f801000, 0x3f803000, 0x3f801001, 0xbf800fff, 0x477fe000,
         0x477fefff, 0x477ff000, 0x477fffff, 0x47800000, 0xc77ff000, 0x7f800000, 0xff800000, 0x7fc01234, 0xffc03000,
         0x7f801234, 0x7f802000, 0x7f7fffff, 0xff7fffff, 1, 0x80000001, 0x007fffff, 0x00800000, 0x38000001, 0x37ffffff,
         0xb87fefff, 0x3eaaaaab]
    for i, gen in enumerate(GENS):
        for m16 in (KEEP, FLUSH, Mode((i + 1) % 4), Mode((i + 2) % 4, False, False)):
            m = Mode((i + 1) % 4, rng.randrange(2) == 1, rng.randrange(2) == 1)
            mm = f16_mode(gen, m, m16)
            case = [(x,) for x in h + [random_f32() for _ in range(64 - len(h))]]

            def to_half(a, mm=mm, m=m):
                a, = exact.operands(F32, m, a)
                return exact.convert(F32, F16, Mode(mm.round, True, mm.out), a)
            lanes(gen, "v_cvt_f16_f32", to_half, case, mode=mode_bits(m, m16))
            halves = [(x,) for x in (0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x83ff, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                     0x7e01, 0x7c01, 0xfd55, 0x3555, 0x12343c00) + tuple(rng.getrandbits(16) for _ in range(14))]
            lanes(gen, "v_cvt_f32_f16", lambda a: exact.convert(F16, F32, Mode(0, mm.in_, True), a & 0xffff), halves,
                  mode=mode_bits(m, m16))
        pairs = list(zip(h, h[7:] + h[:7]))
        for m16 in (KEEP, Mode(1, False, False)):
            keep = gen in OLD or m16.out
            rtz = lambda a: exact.convert(F32, F16, Mode(3, True, keep), a)
            lanes(gen, "v_cvt_pkrtz_f16_f32", lambda a, b: pack(rtz(a), rtz(b)), pairs, mode=mode_bits(KEEP, m16))
        rtz = lambda a: exact.convert(F32, F16, Mode(3), a)
        lanes(gen, "v_cvt_pkrtz_f16_f32", lambda a, b: pack(rtz(neg(a)), rtz(absolute(b))), pairs, operands="v0, -v1, |v2|",
              suffix="" if gen in NEW else "_e64")
        half = lambda a: exact.convert(F32, F16, Mode(), a)
        lanes(gen, "v_cvt_f16_f32", lambda a: half(neg_abs(a)), [(x,) for x in h], operands="v0, -|v1|", suffix="_e64")
        one = [(x,) for x in (0x3c00, 0xbc00, 0x3800, 0x4000, 0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 1)]
        lanes(gen, "v_cvt_f32_f16", lambda a: exact.convert(F16, F32, KEEP, a ^ 0x8000), one, operands="v0, -v1", suffix="_e64")
        m = Mode(dx10=True)
        lanes(gen, "v_cvt_f32_f16", lambda a: clamp(m, exact.convert(F16, F32, KEEP, a)), one, m, operands="v0, v1 clamp",
              suffix="_e64")


# ---- FP16_OVFL ---------------------------------------------------------------------------

def half_limited(r, *sources):
    """A half result: of finite numbers the largest half at most."""
    return r & 0x8000 | 0x7bff if F16.is_inf(r) and not any(F16.is_inf(x) for x in sources) else r


def fp16_ovfl():
    note("MODE.FP16_OVFL (bit 23, GFX9): what overflows a half gives the largest one whatever the rounding; infinities "
         "stay (Vega ISA manual, \"Mode register\").")
    big = [0x7bff, 0xfbff, 0x7800, 0xf800, 0x5bff, 0x7c00, 0xfc00, 0x3c00, 0xbc00, 0x4000, 0x0400, 1, 0, 0x8000, 0x7e01, 0x6000]
    pairs = [(a, b) for a in big for b in big]
    wide = [0x477fe000, 0x477fefff, 0x477ff000, 0x477fffff, 0x47800000, 0xc7800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
            0xff800000, 0x7fc00000, 0x3f800000, 0xc77ff000]
    for how in range(4):
        m = Mode(how)
        mode = mode_bits(m, m) | 1 << 23

        def to_half(a):
            r = exact.convert(F32, F16, m, a)
            return r & 0x8000 | 0x7bff if F16.is_inf(r) and not F32.is_inf(a) else r
        lanes("gfx9", "v_cvt_f16_f32", to_half, [(x,) for x in wide], mode=mode)
        cases = rng.sample(pairs, 40)
        both = [("mode", mode), ("exec", (1 << 40) - 1), ("v1", [a for a, _ in cases]),
                ("v2", [b for _, b in cases])]
        for text, f in (("v_add_f16 v0, v1, v2", lambda a, b: exact.add(F16, m, a, b)),
                        ("v_mul_f16 v0, v1, v2", lambda a, b: exact.mul(F16, m, a, b)),
                        ("v_fma_f16 v0, v1, v2, v2", lambda a, b: exact.fma(F16, m, a, b, b))):
            r = [half_limited(f(a, b), a, b) for a, b in cases]
            if text.startswith("v_fma"):  # keeps the upper half
                r = [0xa5000000 + l & 0xffff0000 | x for l, x in enumerate(r)]
            raw("gfx9", text, both, [("v0", r)])
        one = [(a, 1 / F16.value(a)) for a in (0x0100, 0x80ff, 1, 0x8001, 0x03ff)]
        raw("gfx9", "v_rcp_f16 v0, v1", [("mode", mode), ("exec", 0x7f), ("v1", [a for a, _ in one] + [0, 0x8000])],
            [("v0", [half_limited(F16.round(v, how)) for _, v in one] + [0x7c00, 0xfc00])])
        raw("gfx9", "v_exp_f16 v0, v1", [("mode", mode), ("exec", 0x1f), ("v1", [0x4c00, 0x4bc0, 0x7bff, 0x7c00, 0x5800])],
            [("v0", [0x7bff, half_limited(F16.round(exact.exp2(F16.value(0x4bc0)), how)), 0x7bff, 0x7c00, 0x7bff])])


# ---- cube maps -----------------------------------------------------------------------------

def cube(which, m, x, y, z):
    """Vega ISA manual, V_CUBEID_F32 and its like."""
    n = [F32.value(v) for v in (x, y, z)]
    ax, ay, az = (abs(v) for v in n)
    if az >= ax and az >= ay:
        major, v = 2, z
    elif ay >= ax:
        major, v = 1, y
    else:
        major, v = 0, x
    minus = F32.value(v) < 0
    if which == "id":
        return rnd(Fraction(2 * major + minus), KEEP)
    if which == "ma":
        return exact.mul(F32, m, v, 0x40000000)
    if which == "sc":
        return {2: neg(x) if minus else x, 1: x, 0: z if minus else neg(z)}[major]
    return {2: neg(y), 1: neg(z) if minus else z, 0: neg(y)}[major]


def cubes():
    note("Cube maps: the major axis is z where it is not smaller than the others, then y, then x.")
    values = [0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40400000, 0xbf000000, 0, 0x80000000, 0x7f000000, 0x3eaaaaab]
    crafted = [(a, b, c) for a in values[:6] for b in values[:6] for c in values[:6]]
    for which in ("id", "sc", "tc", "ma"):
        name = "v_cube%s_f32" % which
        for gen in GENS:
            cases = rng.sample(crafted, 44) + [tuple(rng.choice(values) for _ in range(3)) for _ in range(20)]
            lanes(gen, name, lambda *c: cube(which, KEEP, *c), cases)
        f = lambda m, *c: cube(which, m, *c)
        for i, gen in enumerate(GENS):
            cases = rng.sample(crafted, 20)
            for text, change in IMODS[3]:
                lanes(gen, name, lambda *c: cube(which, KEEP, *(h(x) for h, x in zip(change, c))), cases,
                      operands="v0, " + text)
            lanes(gen, name, lambda *c: clamp(KEEP, cube(which, KEEP, *c)), cases, operands="v0, v1, v2, v3 clamp")
            lanes(gen, name, lambda *c: omod(FLUSH, cube(which, FLUSH, *c), -1), cases, FLUSH,
                  operands="v0, v1, v2, v3 div:2")


# ---- division ------------------------------------------------------------------------------

def exponent(x):
    """Biased exponent, below 1 for denormals."""
    v = abs(F32.value(x))
    e = v.numerator.bit_length() - v.denominator.bit_length()
    return e - (v < Fraction(2) ** e) + 127


def div_scale(m, a, den, num):
    """(result, flag): Vega ISA manual, V_DIV_SCALE_F32, with errata.md, E-division."""
    d, n = exact.operands(F32, m, den, num)
    if F32.is_zero(d) or F32.is_zero(n):
        return F32.default_nan, 1
    if F32.is_nan(a):
        return a | F32.quiet, 1
    if F32.is_inf(a):
        return a, 1
    ed = 1000 if F32.is_nan(d) or F32.is_inf(d) else exponent(d)
    en = 1000 if F32.is_nan(n) or F32.is_inf(n) else exponent(n)
    scale = lambda k: exact.ldexp(F32, m, a, k)
    rcp_denormal, quotient_denormal = ed >= 253, en - ed <= -126
    if en - ed >= 96:
        return (scale(64) if a == den else a), 1
    if quotient_denormal and rcp_denormal:
        return (scale(-64) if a == den else a), 1
    if quotient_denormal:
        return (scale(64) if a == num else a), 1
    if ed < 1:
        return scale(64), 0
    if rcp_denormal:
        return scale(-64), 0
    return (scale(64) if en <= 23 else a), 0


def div_fmas(m, a, b, c, flag):
    """One rounding of (a * b + c) * 2^k."""
    n = exact.first_nan(F32, a, b, c)
    if n is not None:
        return n
    if not flag or any(F32.is_inf(x) for x in (a, b, c)):
        return exact.fma(F32, m, a, b, c)
    x, y, z = exact.operands(F32, m, a, b, c)
    k = 64 if abs(F32.value(z)) >= 2 else -64
    v = F32.value(x) * F32.value(y) + F32.value(z)
    return rnd(v * Fraction(2) ** k, m, m.round == 2) if v else exact.fma(F32, m, a, b, c)


def div_fixup(m, q, den, num):
    """Vega ISA manual, V_DIV_FIXUP_F32, with errata.md, E-division."""
    for x in (num, den):
        if F32.is_nan(x):
            return x | F32.quiet
    sign = (den ^ num) & 0x80000000
    den, num = exact.operands(F32, m, den, num)
    if (F32.is_zero(den) and F32.is_zero(num)) or (F32.is_inf(den) and F32.is_inf(num)):
        return F32.default_nan
    if F32.is_zero(den) or F32.is_inf(num):
        return sign | F32.inf
    if F32.is_inf(den) or F32.is_zero(num) or exponent(num) - exponent(den) < -150:
        return sign
    return sign | (F32.inf if F32.is_nan(q) else absolute(exact.operands(F32, m, q)[0]))


def division():
    note("Division. Vega ISA manual, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP; errata.md, E-division.")
    values = SPECIAL + [0x2f800000, 0x5f800000, 0x6f800000, 0x7e800000, 0x7f000000, 0x0b800000, 0x0c000000, 0x40490fdb,
                        0x0f800000, 0x10000000]
    pairs = [(d, n) for d in values for n in values]
    for i, gen in enumerate(GENS):
        for k in range(6):
            m = (KEEP, KEEP, KEEP, FLUSH, Mode(1), Mode(2))[k]
            cases = [(n if j & 1 else d, d, n) for j, (d, n) in enumerate(rng.sample(pairs, 64))]
            r = [div_scale(m, *c) for c in cases]
            flags = sum(f << j for j, (_, f) in enumerate(r))
            line(gen, "v_div_scale_f32", "v0, vcc, v1, v2, v3",
                 [(s, [c[j] for c in cases]) for j, s in enumerate(SRC)], [("v0", [x for x, _ in r]), ("vcc", flags)], 64,
                 mode_bits(m))
        d, n = 0x3f800000, 0x7f7fffff
        line(gen, "v_div_scale_f32", "v0, s[4:5], v1, v1, v2", [("v1", d), ("v2", n)], [("v0", 0x5f800000), ("s[4:5]", 1)])
        line(gen, "v_div_scale_f32", "v0, s[4:5], v2, v1, v2", [("v1", d), ("v2", n)], [("v0", n), ("s[4:5]", 1)])
        for k in range(3):
            m = (KEEP, FLUSH, Mode(1 + i % 3))[k]
            cases = mix(TRIPLES, 3)
            for j in range(24, 64):  # quotients that come back to the ends of the range
                cases[j] = (rng.randrange(0x33000000, 0x34000000) | rng.getrandbits(1) << 31, rng.randrange(0x3f000000, 0x40000000),
                            rng.choice((rng.randrange(0x14800000, 0x22000000), rng.randrange(0x4e000000, 0x5f800000))))
                a, b, c = cases[j]
                cases[j] = (a + ((c >> 23) - 127 << 23) & 0xffffffff if 0 < (a >> 23 & 255) + (c >> 23) - 127 < 255 else a, b, c)
            flags = rng.getrandbits(64) | 0xffffff0000000000
            line(gen, "v_div_fmas_f32", "v0, v1, v2, v3",
                 [(s, [c[j] for c in cases]) for j, s in enumerate(SRC)] + [("vcc", flags)],
                 [("v0", [div_fmas(m, *c, flags >> j & 1) for j, c in enumerate(cases)])], 64, mode_bits(m))
            cases = [(rng.choice((0x3f800000, 0xbf800001, 0x7fc00001, 1, 0x7f800000, 0x40490fdb)), d, n) for d, n in
                     rng.sample(pairs, 64)]
            lanes(gen, "v_div_fixup_f32", lambda *c: div_fixup(m, *c), cases, m)
        lanes(gen, "v_div_fixup_f32", lambda *c: div_fixup(KEEP, *(h(x) for h, x in zip((neg, absolute, neg), c))), cases,
              operands="v0, -v1, |v2|, -v3")
