"""What gen_valu.py's files share: lines of up to 64 cases, one a lane; values worth trying; the modifiers of VOP3.
"""
import random
import re
from fractions import Fraction

import exact
import vectors
from exact import F16, F32, KEEP, Mode, rnd
from vectors import CPU, GENS

OLD, NEW = ("gfx6", "gfx7"), ("gfx8", "gfx9")
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
rng = random.Random(20)
out = vectors.File()
note = out.note

# Rows of other widths have their vectors elsewhere (valu64.tv, mem.tv), but for these.
OTHER = re.compile(r"F64|I64|U64|F16|U16|I16|V2\w+")
MINE = {"v_cvt_f16_f32", "v_cvt_f32_f16", "v_sat_pk_u8_i16"}
ELSEWHERE = {"v_dot4c_i32_i8", "v_dot8c_i32_i4", "v_lshl_b64", "v_lshr_b64", "v_lshlrev_b64", "v_lshrrev_b64"}

ROWS = {r.name.lower(): r for r in vectors.rows("vop.def", ("VOP1", "VOP2", "VOP3"))}


def mine(row):
    name = row.name.lower()
    return name in MINE or (not any(OTHER.match(t) for t in [row.dst] + row.src) and name not in ELSEWHERE and
                            not row.has("INTERP"))


def gens_of(name):
    return ROWS[name].gens


def vop3_only(name, gen):
    """Has the generation only the row's 64-bit form? Then its text has no suffix."""
    return ROWS[name].enc == "VOP3" or gen in ROWS[name].v3only


def e64(name, gen):
    return "" if vop3_only(name, gen) else "_e64"


def signed(v, n=32):
    v &= (1 << n) - 1
    return v - (1 << n) if v >> (n - 1) else v


def pack(lo, hi):
    return lo & 0xffff | (hi & 0xffff) << 16


# ---- lines ---------------------------------------------------------------------------------

def lane_cell(key, v):
    """A register and its values, one a lane; or what is no list."""
    if not isinstance(v, (list, tuple)):
        return key, v
    if all(x == v[0] for x in v):
        return key, v[0]
    return "%s[0:%d]" % (key, len(v) - 1), v


done = set()


def line(gen, name, operands, ins, outs, n=1, mode=0xf0, exec_=None, cpu=None, suffix=""):
    """One vector: `n` lanes active unless `exec_` says which. A list of values is one for each lane."""
    state = [("mode", mode)] if mode != 0xf0 else []
    exec_ = (1 << n) - 1 if exec_ is None else exec_
    if exec_ != 1:
        state.append(("exec", exec_))
    text = (vectors.mnemonic(ROWS[name], gen) + suffix + " " + operands).rstrip()
    raw(cpu or gen, text, state + ins, outs)
    done.add((gen, name))


def raw(target, text, ins, outs):
    out.add(target, text, [lane_cell(*c) for c in ins], [lane_cell(*c) for c in outs])


def mode_bits(m, m16=KEEP):
    return (m.round | m16.round << 2 | m.in_ << 4 | m.out << 5 | m16.in_ << 6 | m16.out << 7 | m.dx10 << 8 |
            m.ieee << 9)


SRC = ("v1", "v2", "v3")


def lanes(gen, name, f, cases, m=KEEP, mode=None, operands=None, suffix="", nsrc=None, cpu=None, old=None, dst="v0",
          srcs=SRC):
    """A line of cases: tuples of sources, v1, v2, v3; f(*case) is the result, in v0. `old`: what v0 held."""
    nsrc = nsrc or len(cases[0])
    operands = operands or ", ".join((dst,) + srcs[:nsrc])
    ins = [(srcs[i], [c[i] for c in cases]) for i in range(nsrc)]
    outs = [f(*c) & M32 for c in cases]
    if old is not None:
        ins.append((dst, old))
    line(gen, name, operands, ins, [(dst, outs)], len(cases), mode_bits(m) if mode is None else mode, cpu=cpu,
         suffix=suffix)


# ---- values --------------------------------------------------------------------------------

SPECIAL = [0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
           0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc01234, 0xffc00001, 0x7f801234, 0xffa00001]
ORDINARY = [0x3f000000, 0x3f7fffff, 0x3f800001, 0x40490fdb, 0xc0200000, 0x42f6e979, 0xc2c80000, 0x4b7fffff, 0x4b800001,
            0x33800000, 0x34000000, 0x0d000000, 0x8d000000, 0x73000000, 0x5f800000, 0x20000000, 0xdf000001, 0x00ffffff,
            0x01000001, 0x3eaaaaab]


def random_f32():
    kind = rng.randrange(4)
    if kind == 0:
        return rng.getrandbits(32)
    return rng.getrandbits(1) << 31 | (127 + rng.randrange(-20, 21)) << 23 | rng.getrandbits(23)


# Sums: ties to even and odd, just off a tie, cancellation, overflow (2^103 is half a unit of the largest number),
# denormal sums.
SUMS = [(0x3f800000, 0x33800000), (0x3f800001, 0x33800000), (0x3f800000, 0x33800001), (0x3f800000, 0xb3800000),
        (0x3f800000, 0x337fffff), (0xbf800001, 0xb3800000), (0x3f800001, 0xbf800000), (0x4b800000, 0x3f800000),
        (0x4b800001, 0x3f800000), (0x7f7fffff, 0x73000000), (0x7f7fffff, 0x72ffffff), (0xff7fffff, 0xf3000000),
        (0x7f7fffff, 0x7f7fffff), (0x7f7fffff, 1), (0x00800000, 0x807fffff), (0x00800001, 0x80800000),
        (0x00ffffff, 0x80800000), (0x007fffff, 1), (0x00400000, 0x00400000), (0x7f800000, 0xff800000),
        (0xff800000, 0x7f800000), (0, 0x80000000), (0x80000000, 0x80000000), (0x80000000, 0),
        (0x3f800000, 0xbf800000), (0x7fc01234, 0xffc00001), (0x7f801234, 0x7fc00001), (1, 0x80000001)]
# Products: ties, half of the least denormal, denormal ties, just below the least normal number, overflow.
PRODUCTS = [(0x3fc00000, 0x3f800001), (0x3fc00000, 0x3f800003), (0x3f800001, 0x3f800001), (0xbf800001, 0x3fffffff),
            (1, 0x3f000000), (1, 0x3f000001), (3, 0x3f000000), (0x80000001, 0x3f000000), (0x80000003, 0x3f000000),
            (0x00800000, 0x3f000000), (0x00800001, 0x3f000000), (0x00ffffff, 0x3f000000), (0x3f7fffff, 0x00800000),
            (0x3f7ffffe, 0x00800001), (0x20000000, 0x20000000), (0x1fffffff, 0x20000000), (0x1a000000, 0x1a000000),
            (0x7f7fffff, 0x3f800001), (0x7f7fffff, 0x40000000), (0x5f800000, 0x5f800000), (0x5f800000, 0xdf800000),
            (0x5f7fffff, 0x5f800001), (0x7f800000, 0), (0, 0xff800000), (0x7f800000, 0x80000001), (0, 0x7fc01234),
            (0x7f801234, 0x80000000), (0x80000000, 0x3f800000), (0xffc00001, 0x7fc01234), (0x3f800000, 0x7f7fffff)]
# a * b + c: product exact and cancelled, one or two roundings, ties that the product's tail breaks.
TRIPLES = [(0x3f800001, 0x3f800001, 0xbf800002), (0x3f800001, 0x3f800001, 0xbf800003), (0x3f800001, 0x3f7fffff, 0xbf800000),
           (0x3f800000, 0x3f800000, 0x33800000), (0x3f800001, 0x33800000, 0x3f800000), (0x3f7fffff, 0x33800000, 0x3f800000),
           (0x3f800001, 0xb3800000, 0x3f800001), (0x5f800000, 0x5f800000, 0xff7fffff), (0x5f800000, 0x5f7fffff, 0x73000000),
           (0x20000000, 0x1f800000, 0x80000001), (0x1a000000, 0x1a000000, 0x00800000), (0x1a000000, 0x9a000000, 0x00800000),
           (0x1a000000, 0x1a000000, 1), (0x7f7fffff, 0x40000000, 0xff7fffff), (0x7f800000, 0, 0x7fc00001),
           (0, 0x7f800000, 0x3f800000), (0x7f800000, 0x3f800000, 0xff800000), (0x7f800000, 0xbf800000, 0xff800000),
           (0x3f800000, 0x3f800000, 0x7f800000), (0x3f800000, 0x3f800000, 0xff801234), (0x7fc01234, 0xffc00001, 0x7f801234),
           (0x3f800000, 0xffc00001, 0x7fc01234), (0, 0x3f800000, 0x80000000), (0x80000000, 0x3f800000, 0x80000000),
           (0, 0, 0), (0x80000000, 0, 0), (0x3f800000, 0xbf800000, 0x3f800000), (1, 0x3f800000, 0), (1, 1, 1),
           (0x3f800000, 1, 0x3f800000), (0x3f800000, 0x00400000, 0x00400000), (0x3f800000, 0x007fffff, 1),
           (0, 0x7fc01234, 1), (0x80000000, 0xff800000, 0x40000000), (0x7f7fffff, 0x7f7fffff, 0xff800000)]


def mix(crafted, nsrc, count=64):
    """Crafted tuples, then random ones of special and ordinary numbers."""
    out = list(crafted)
    rng.shuffle(out)
    out = out[:count * 3 // 5]
    while len(out) < count:
        out.append(tuple(rng.choice(SPECIAL) if rng.randrange(3) == 0 else
                         rng.choice(ORDINARY) if rng.randrange(2) else random_f32() for _ in range(nsrc)))
    return out


DIRECTED = [Mode(r, i, o) for r in (1, 2, 3) for i, o in ((True, True), (False, False))] + [
    Mode(0, True, False), Mode(0, False, True), Mode(1, True, False), Mode(2, False, True), Mode(3, True, False)]


def modes_for(i):
    """Modes for generation i: nearest with denormals kept and flushed, and two others in turn."""
    k = modes_for.next
    modes_for.next += 2
    return [KEEP, Mode(0, False, False), DIRECTED[k % len(DIRECTED)], DIRECTED[(k + 1) % len(DIRECTED)]]


modes_for.next = 0


# ---- modifiers -----------------------------------------------------------------------------

def clamp(m, x):
    if F32.is_nan(x):
        return 0 if m.dx10 else x
    if F32.negative(x) or x == 0:
        return 0
    return min(x, F32.one)


def omod(m, x, k):
    """Times 2^k; ignored in IEEE mode and where denormal results are kept; then -0 becomes +0."""
    if k == 0 or m.ieee or m.out:
        return x
    x = exact.ldexp(F32, m, x, k)
    return 0 if F32.is_zero(x) else x


def modified(gen, name, f, nsrc, crafted, m, text, changes, suffix, out=None):
    """A VOP3 line: `text` the sources and modifiers, `changes` what the modifiers do to the bits of each source."""
    cases = mix(crafted, nsrc, 24)

    def g(*c):
        r = f(m, *(h(x) for h, x in zip(changes, c)))
        return out(m, r) if out else r
    lanes(gen, name, g, cases, m, operands="v0, " + text, suffix=suffix, nsrc=nsrc)


def same(x):
    return x


def neg(x):
    return x ^ 0x80000000


def absolute(x):
    return x & 0x7fffffff


def neg_abs(x):
    return x | 0x80000000


FLUSH = Mode(0, False, False)
IMODS = {1: [("-v1", (neg,)), ("|v1|", (absolute,)), ("-|v1|", (neg_abs,))],
         2: [("-v1, |v2|", (neg, absolute)), ("-|v1|, v2", (neg_abs, same)), ("v1, -v2", (same, neg))],
         3: [("-v1, |v2|, v3", (neg, absolute, same)), ("v1, -|v2|, -v3", (same, neg_abs, neg)),
             ("|v1|, v2, -|v3|", (absolute, same, neg_abs))]}
OMODS = [("mul:2", 1), ("mul:4", 2), ("div:2", -1)]


def vop3_lines(name, f, nsrc, crafted, imod=True, omods=True, clamps=True):
    """neg, abs, clamp with DX10_CLAMP off and on, omod where it counts and where it does not."""
    for i, gen in enumerate(gens_of(name)):
        suffix = e64(name, gen)
        plain = ", ".join(SRC[:nsrc])
        none = (same,) * 3
        if imod:
            for text, change in IMODS[nsrc][i % 3:][:2]:
                modified(gen, name, f, nsrc, crafted, KEEP, text, change, suffix)
        if clamps:
            modified(gen, name, f, nsrc, crafted, Mode(0, i & 1 == 0, i & 1 == 0, dx10=True), plain + " clamp", none, suffix,
                     clamp)
            modified(gen, name, f, nsrc, crafted, KEEP, plain + " clamp", none, suffix, clamp)
        if omods:
            text, k = OMODS[i % 3]
            modified(gen, name, f, nsrc, crafted, Mode(i, False, False), plain + " " + text, none, suffix,
                     lambda m, x: omod(m, x, k))
            text, k = OMODS[(i + 1) % 3]
            modified(gen, name, f, nsrc, crafted, Mode(0, False, False, True), plain + " clamp " + text, none, suffix,
                     lambda m, x: clamp(m, omod(m, x, k)))
            text, k = OMODS[(i + 2) % 3]
            bad = Mode(0, False, False, ieee=True) if i & 1 else KEEP
            modified(gen, name, f, nsrc, crafted, bad, plain + " " + text, none, suffix, lambda m, x: omod(m, x, k))
