"""What the generators of memory vectors share: spaces of bytes, lanes, atomic operations, descriptors.

Formulas: the ISA manuals' descriptions of the instructions; what they leave open is in docs/errata.md
(E-atomic-floats). Nothing is taken from the interpreter.
"""
from rational import F32, F64
from vectors import File, mnemonic

MEM = 0x100000
NEW = ("gfx8", "gfx9")
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def signed(v, n=32):
    v &= (1 << n) - 1
    return v - (1 << n) if v >> (n - 1) else v


rng = 4711


def random(n):
    global rng
    rng = (rng * 6364136223846793005 + 1442695040888963407) & M64
    return (rng >> 33) % n


def default_vgpr(reg, lane):
    """What `atoll test` puts into a vector register that a line does not set."""
    return 0xa5000000 + reg * 256 + lane


class Space:
    """Bytes at addresses, zero where nothing was put."""

    def __init__(self, name):
        self.name, self.before, self.now = name, {}, {}

    def put(self, at, value, n):
        """Set before the instruction."""
        for i in range(n):
            self.before[at + i] = self.now[at + i] = value >> (8 * i) & 255

    def read(self, at, n):
        return sum(self.now.get(at + i, 0) << (8 * i) for i in range(n))

    def write(self, at, value, n):
        for i in range(n):
            self.now[at + i] = value >> (8 * i) & 255

    @staticmethod
    def dword(d, at):
        return sum(d.get(at + i, 0) << (8 * i) for i in range(4))

    def cells(self, d, wanted):
        out = []
        for at in sorted(wanted):
            if out and at == out[-1][0] + 4 * len(out[-1][1]) and len(out[-1][1]) < 64:
                out[-1][1].append(self.dword(d, at))
            else:
                out.append((at, [self.dword(d, at)]))
        return [("%s[%x]" % (self.name, at), v) for at, v in out]

    def inputs(self):
        dwords = {a & ~3 for a in self.before}
        return self.cells(self.before, {a for a in dwords if self.dword(self.before, a)})

    def results(self):
        dwords = {a & ~3 for a in self.now}
        return self.cells(self.now, {a for a in dwords if self.dword(self.now, a) != self.dword(self.before, a)})


class Case:
    """One vector: what is set before, and what the model changes."""

    def __init__(self, gen, lanes=(0,), target=None):
        self.gen, self.target, self.lanes = gen, target or gen, tuple(lanes)
        self.mem, self.lds, self.gds = Space("mem"), Space("lds"), Space("gds")
        self.ins, self.outs = [], []
        self.v = {}
        if self.lanes != (0,):
            self.ins.append(("exec", sum(1 << l for l in self.lanes)))

    def number(self):
        return int(self.gen[3:])

    def put(self, cell, value):
        self.ins.append((cell, value))

    def result(self, cell, value):
        self.outs.append((cell, value))

    def vgpr(self, reg, values):
        """Values of the active lanes, in order."""
        for l, x in zip(self.lanes, values):
            self.v[reg, l] = x & M32
            self.ins.append(("v%d[%d]" % (reg, l), x & M32))

    def wide(self, reg, values, n):
        """The same for n registers: values as integers of 32 n bits."""
        for i in range(n):
            self.vgpr(reg + i, [v >> (32 * i) for v in values])

    def get(self, reg, lane, n=1):
        return sum(self.v.get((reg + i, lane), default_vgpr(reg + i, lane)) << (32 * i) for i in range(n))

    def set(self, reg, lane, value, n=1):
        for i in range(n):
            x = value >> (32 * i) & M32
            if x != self.get(reg + i, lane):
                self.outs.append(("v%d[%d]" % (reg + i, lane), x))

    def emit(self, f, text):
        ins, outs = list(self.ins), list(self.outs)
        for space in (self.mem, self.lds, self.gds):
            ins += space.inputs()
            outs += space.results()
        f.add(self.target, text, ins, outs)


# ---- atomic operations ----------------------------------------------------------------------

def float_of(bits):
    return F32 if bits == 32 else F64


def less(f, a, b):
    """a < b of numbers; zeros are equal."""
    def key(u):
        if f.is_inf(u):
            return (-1 if f.negative(u) else 1, 0)
        return (0, f.value(u))
    return key(a) < key(b)


def float_choice(old, data, bits, smaller):
    """Minimum or maximum: a number wins over a NaN, and of equals what was there stays (E-atomic-floats)."""
    f = float_of(bits)
    if f.is_nan(old):
        return data
    if f.is_nan(data):
        return old
    return data if (less(f, data, old) if smaller else less(f, old, data)) else old


def float_equal(a, b, bits):
    f = float_of(bits)
    if f.is_nan(a) or f.is_nan(b):
        return False
    return a == b or (f.is_zero(a) and f.is_zero(b))


def add_f32(a, b, keep):
    """Nearest even; a NaN stays as it is but quiet."""
    a, b = F32.flush(a, keep), F32.flush(b, keep)
    for u in (a, b):
        if F32.is_nan(u):
            return u | F32.quiet
    if F32.is_inf(a) or F32.is_inf(b):
        if F32.is_inf(a) and F32.is_inf(b) and a != b:
            return F32.default_nan
        return a if F32.is_inf(a) else b
    zero = F32.sign if F32.negative(a) and F32.negative(b) else 0
    return F32.round(F32.value(a) + F32.value(b), 0, keep, zero)


def atomic(op, old, data, cmp, bits):
    """The new value. `cmp`: the comparand of the compare forms."""
    mask = (1 << bits) - 1
    s, t = signed(old, bits), signed(data, bits)
    return {
        "add": lambda: (old + data) & mask,
        "sub": lambda: (old - data) & mask,
        "rsub": lambda: (data - old) & mask,
        "inc": lambda: 0 if old >= data else old + 1,
        "dec": lambda: data if old == 0 or old > data else old - 1,
        "smin": lambda: min(s, t) & mask,
        "smax": lambda: max(s, t) & mask,
        "umin": lambda: min(old, data),
        "umax": lambda: max(old, data),
        "and": lambda: old & data,
        "or": lambda: old | data,
        "xor": lambda: old ^ data,
        "swap": lambda: data,
        "cmpswap": lambda: data if old == cmp else old,
        "fcmpswap": lambda: data if float_equal(old, cmp, bits) else old,
        "fmin": lambda: float_choice(old, data, bits, True),
        "fmax": lambda: float_choice(old, data, bits, False),
    }[op]()


def int_pairs(bits):
    """(old, data, comparand)"""
    top, m = 1 << (bits - 1), (1 << bits) - 1
    p = [(0, 0), (1, 0), (0, 1), (m, 1), (1, m), (top, top - 1), (top - 1, top), (5, 7), (7, 5), (m, m),
         (0x123456789abcdef0 & m, 0xf0e1d2c3b4a59687 & m), (top, 1), (9, 9), (10, 9)]
    return [(o, d, o if i % 3 else o ^ 1) for i, (o, d) in enumerate(p)]


def float_pairs(bits):
    f = float_of(bits)
    e = [0, f.sign, 1, f.min_normal - 1, f.one, f.one | f.sign, f.max, f.inf, f.inf | f.sign,
         f.inf | f.quiet | 3, f.inf | 5, f.min_normal | f.sign]
    out = [(0, f.sign, 0), (f.sign, 0, 0), (f.one, f.inf | 5, f.one), (f.inf | f.quiet | 3, f.one, f.inf | f.quiet | 3),
           (0, 7, f.sign), (1, 9, 1), (f.inf | 5, f.inf | f.quiet | 3, 0)]
    for i in range(10):
        o, d = e[i * 5 % len(e)], e[(i * 7 + 3) % len(e)]
        out.append((o, d, o if i % 2 else d))
    return out


def deal(cases, n, at):
    """n of the cases from number `at` on, around."""
    return [cases[(at + i) % len(cases)] for i in range(n)]


__all__ = [n for n in dir() if not n.startswith("_")]
