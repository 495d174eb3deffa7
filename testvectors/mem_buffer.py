"""Vectors of buffer instructions.

Rules, from the "Vector Memory Buffer Instructions" chapters of the manuals:
- address = base + SOFFSET + (index * STRIDE + offset), swizzled: ((index / IS * STRIDE + offset / ES * ES) * IS +
  index % IS * ES + offset % ES); ADD_TID_ENABLE adds the lane to the index, and on GFX8/9 DATA_FORMAT then lengthens
  STRIDE; GFX9's ES is 4. ADDR64 (GFX6/7): a 64-bit address instead, without check.
- range: docs/errata.md, E-num-records and E-soffset-range. Each dword of untyped data on its own, texels as a whole.
- GFX6 drops the low bits of an address of untyped data (manual, "Alignment"); drivers let later chips take any.
- LDS: M0[15:0] + offset + lane * 4. TFE: one more register, 0.
- formats: unsigned v/(2^n-1), signed max(v/(2^(n-1)-1), -1), scaled, integer, OpenGL's signed (2v+1)/(2^n-1) (GFX6/7),
  floats of 32, 16, 11, 10 bits; DST_SEL for MUBUF. Stores: docs/errata.md, E-format-rounding, E-format-range.
"""
import re
from fractions import Fraction

from mem_model import *
from rational import F16, F32, Format
from vectors import rows

OPS = {n.upper(): n for n in ("add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec", "swap",
                              "cmpswap", "fcmpswap", "fmin", "fmax")}
IDENTITY = 4 | 5 << 3 | 6 << 6 | 7 << 9
SIZES = {"UBYTE": (1, False), "SBYTE": (1, True), "USHORT": (2, False), "SSHORT": (2, True), "BYTE": (1, False),
         "SHORT": (2, False)}


def regs(first, n, letter="v"):
    return "%s%d" % (letter, first) if n == 1 else "%s[%d:%d]" % (letter, first, first + n - 1)


class Buffer:
    """A V# in s[4:7] and what an instruction with these modifiers reaches."""

    def __init__(self, c, stride=0, records=0x4000, swizzle=False, index_stride=0, element=1, add_tid=False, dfmt=4,
                 nfmt=7, sel=IDENTITY, base=MEM + 0x1000):
        self.c, self.stride, self.records, self.swizzle, self.add_tid = c, stride, records, swizzle, add_tid
        self.base, self.dfmt, self.nfmt, self.sel = base, dfmt, nfmt, sel
        self.index_stride = 8 << index_stride
        self.element = 4 if c.gen == "gfx9" else 2 << element
        if c.gen in NEW and add_tid:
            self.stride |= dfmt << 14
        c.put("s[4:7]", [base & M32, base >> 32 | (stride & 0x3fff) << 16 | swizzle << 31, records,
                         sel | nfmt << 12 | dfmt << 15 | element << 19 | index_stride << 21 | add_tid << 23])

    def counts_records(self, idxen):
        if self.c.gen in ("gfx6", "gfx7"):
            return self.stride != 0
        return self.stride != 0 and (self.swizzle if self.c.gen == "gfx8" else idxen or self.add_tid)

    def at(self, lane, index, offset, soffset, n, elem, idxen):
        """Addresses of n elements, None where out of range."""
        index += lane if self.add_tid else 0
        if self.swizzle:
            i, e = self.index_stride, self.element
            where = (index // i * self.stride + offset // e * e) * i + index % i * e + offset % e
        else:
            where = index * self.stride + offset
        where &= M32
        out = []
        for k in range(n):
            if self.counts_records(idxen):
                good = index < self.records and not (self.swizzle and offset >= self.stride)
            else:
                good = where + elem * (k + 1) <= max(self.records - soffset, 0)
            out.append(self.base + soffset + where + elem * k if good else None)
        return out


# (name, V#, idxen, offen, SOFFSET, offset): ways to address, every row gets a few
MODES = [
    ("raw", {}, 0, 0, "0", 0x40),
    ("offset", {}, 0, 1, "s9", 0x10),
    ("index", {"stride": 24, "records": 0x200}, 1, 0, "0", 4),
    ("both", {"stride": 32, "records": 0x200}, 1, 1, "s9", 8),
    ("swizzled", {"stride": 64, "records": 0x100, "swizzle": True, "element": 3}, 1, 1, "s9", 16),
    ("wave", {"stride": 16, "records": 0x300, "add_tid": True, "dfmt": 0}, 1, 0, "4", 0),
    ("tid", {"stride": 20, "records": 0x100, "add_tid": True, "dfmt": 0}, 0, 0, "m0", 0),
    ("far", {"records": 0x60}, 0, 1, "s9", 0),
]
RANGE = [
    ("records", {"stride": 16, "records": 10}, 1, 0, "0", 4),
    ("bytes", {"stride": 16, "records": 0x50}, 1, 1, "0", 0),
    ("bytes", {"stride": 16, "records": 0x50}, 0, 1, "s9", 0),
    ("raw", {"records": 0x24}, 0, 1, "s9", 4),
    ("swizzled", {"stride": 32, "records": 9, "swizzle": True, "index_stride": 1, "element": 1}, 1, 1, "0", 12),
    ("swizzled", {"stride": 32, "records": 40, "swizzle": True, "index_stride": 3, "element": 2}, 0, 1, "0", 0),
    ("tid", {"stride": 8, "records": 20, "add_tid": True, "dfmt": 0}, 0, 0, "0", 0),
    ("gfx8", {"stride": 4, "records": 0xc010, "add_tid": True, "dfmt": 1}, 0, 0, "0", 0),
    ("gfx9", {"stride": 4, "records": 3, "add_tid": True, "dfmt": 1}, 0, 0, "0", 0),
]


class Access:
    """An instruction's modifiers and the lanes' addresses."""

    def __init__(self, c, mode, number, aligned, n, elem, extra=None):
        name, v, self.idxen, self.offen, so, self.offset = mode
        v = dict(v, **(extra or {}))
        self.b = Buffer(c, **v)
        self.soffset = {"s9": 0x20, "m0": 0x30}.get(so, int(so) if so.isdigit() else 0)
        if not so.isdigit():
            c.put(so, self.soffset)
        indexes = [1, 7, 3, 11, 200][:len(c.lanes)]
        offsets = [0, 4, 20, 36, 0x3000][:len(c.lanes)]
        if not aligned:
            offsets = [o + (3, 1, 2, 0, 0)[i] for i, o in enumerate(offsets)]
        c_index = indexes if self.idxen else [0] * 5
        c_offset = offsets if self.offen else [0] * 5
        reg = 1
        if self.idxen:
            c.vgpr(reg, c_index)
            reg += 1
        if self.offen:
            c.vgpr(reg, c_offset)
            reg += 1
        vaddr = "off" if reg == 1 else regs(1, reg - 1)
        self.at = []
        for i, l in enumerate(c.lanes):
            a = self.b.at(l, c_index[i], c_offset[i] + self.offset, self.soffset, n, elem, self.idxen)
            self.at.append(a)
        self.text = "%s, s[4:7], %s" % (vaddr, so) + "%s"
        self.text += " idxen" if self.idxen else ""
        self.text += " offen" if self.offen else ""
        self.text += " offset:%d" % self.offset if self.offset else ""

    def align(self, elem):
        self.at = [[x if x is None else x & ~(elem - 1) for x in a] for a in self.at]


LANES = (0, 1, 2, 33, 63)
MODIFIERS = ("", " glc", " slc", " glc slc")


def put_texels(c, at, n):
    for a in at:
        for k in range(0, n, 4):
            if a is not None:
                c.mem.put((a & ~3) + k, (0x9e3779b9 * ((a & ~3) + k) ^ 0x80008080) & M32, 4)


def untyped(f, row, gen, number, modes, unaligned=False):
    m = re.match(r"BUFFER_(LOAD|STORE)_(\w+?)(_D16)?(_HI)?$", row.name)
    store, what = m[1] == "STORE", m[2]
    size, sign = SIZES.get(what, (4, False))
    n = int(what[-1]) if what.startswith("DWORDX") else 1
    for k, mode in enumerate(modes):
        if mode[0].startswith("gfx") and mode[0] != gen:
            continue
        c = Case(gen, LANES)
        a = Access(c, mode, number, not unaligned, n, size)
        if gen == "gfx6":
            a.align(size)
        tfe = not store and k % 4 == 1 and not m[3]
        for i, l in enumerate(c.lanes):
            if store:
                for j in range(n):
                    if a.at[i][j] is not None:
                        v = c.get(10 + j, l)
                        c.mem.write(a.at[i][j], (v >> 16 if m[4] else v) & ((1 << 8 * size) - 1), size)
                continue
            put_texels(c, a.at[i], 8)
        for i, l in enumerate(c.lanes):
            if store:
                continue
            for j in range(n):
                v = 0 if a.at[i][j] is None else c.mem.read(a.at[i][j], size)
                v = signed(v, 8 * size) & M32 if sign else v
                if m[3]:
                    old = c.get(10, l)
                    v = old & 0xffff | (v & 0xffff) << 16 if m[4] else old & 0xffff0000 | v & 0xffff
                c.set(10 + j, l, v)
            if tfe:
                c.set(10 + n, l, 0)
        c.emit(f, "%s %s, %s%s%s" % (mnemonic(row, gen), regs(10, n + tfe), a.text % "", MODIFIERS[k % 4],
                                     " tfe" if tfe else ""))


def addr64(f, row, gen, number):
    """GFX6/7: base + 64-bit VGPR pair + SOFFSET + offset; NUM_RECORDS does not count."""
    store = row.has("STORE")
    n = int(row.name[-1]) if row.name[-2] == "X" and row.name[-1].isdigit() else 1
    c = Case(gen, (0, 5, 63))
    Buffer(c, base=0x40, records=1)
    addr = [MEM + 0x100 * i for i in range(1, 4)]
    c.wide(1, addr, 2)
    c.put("s9", 0x80)
    for i, l in enumerate(c.lanes):
        at = addr[i] + 0x40 + 0x80 + 12
        for j in range(n):
            if store:
                c.mem.write(at + 4 * j, c.get(10 + j, l), 4)
            else:
                c.mem.put(at + 4 * j, 0x1234567 * (i + j + 1), 4)
                c.set(10 + j, l, c.mem.read(at + 4 * j, 4))
    c.emit(f, "%s %s, v[1:2], s[4:7], s9 addr64 offset:12" % (mnemonic(row, gen), regs(10, n)))


def to_lds(f, row, gen):
    """Loads with LDS set: no VGPR."""
    m = re.match(r"BUFFER_LOAD_(UBYTE|SBYTE|USHORT|SSHORT|DWORD)$", row.name)
    if not m:
        return
    size, sign = SIZES.get(m[1], (4, False))
    for m0 in (0x200, 0xffff7f80):
        c = Case(gen, (0, 3, 33))
        c.put("m0", m0)
        a = Access(c, ("lds", {"records": 0x100}, 0, 1, "0", 0x30), 0, True, 1, size)
        for i in range(3):
            put_texels(c, a.at[i], 4)
        for i, l in enumerate(c.lanes):
            to = (m0 & 0xffff) + 0x30 + 4 * l
            v = 0 if a.at[i][0] is None else c.mem.read(a.at[i][0], size)
            if to + 4 <= 0x8000:
                c.lds.write(to, signed(v, 8 * size) & M32 if sign else v, 4)
        c.emit(f, "%s %s lds" % (mnemonic(row, gen), a.text % ""))


def from_lds(f, gen):
    c = Case(gen, (0, 1, 5))
    c.put("m0", 0x40)
    Buffer(c, stride=4, records=0x100, add_tid=True, dfmt=0)
    for l in c.lanes:
        c.lds.put(0x40 + 0x20 + 4 * l, 0xbeef0000 + l, 4)
        c.mem.write(MEM + 0x1000 + 0x20 + 4 * l, 0xbeef0000 + l, 4)
    c.emit(f, "buffer_store_lds_dword s[4:7], 0 offset:32 lds")


def packed_add(old, data):
    """Two halves; denormals kept."""
    out = 0
    for sh in (0, 16):
        a, b = old >> sh & 0xffff, data >> sh & 0xffff
        if F16.is_nan(a) or F16.is_nan(b):
            v = (a if F16.is_nan(a) else b) | F16.quiet
        elif F16.is_inf(a) or F16.is_inf(b):
            v = a if F16.is_inf(a) else b
        else:
            v = F16.round(F16.value(a) + F16.value(b), 0, True, 0x8000 if a & b & 0x8000 else 0)
        out |= v << sh
    return out


def atomics(f, row, gen, number):
    m = re.match(r"BUFFER_ATOMIC_(\w+?)(_X2)?$", row.name)
    bits = 64 if m[2] else 32
    n, wide = bits // 8, bits // 32
    if m[1] in ("ADD_F32", "PK_ADD_F16"):
        op = None
        pairs = [(0x3f800000, 0x40000000, 0), (1, 2, 0), (0x7f7fffff, 0x7f7fffff, 0), (0x3c00bc00, 0x40003c00, 0),
                 (0x00017bff, 0x00017bff, 0)]
    else:
        op = OPS[m[1]]
        pairs = float_pairs(bits) if op[0] == "f" else int_pairs(bits)
    compare = op in ("cmpswap", "fcmpswap")
    for k, mode in enumerate((MODES[1], MODES[2])):
        cases = deal(pairs, 5, number * 3 + k * 5)
        c = Case(gen, LANES, target=row.target(gen))
        a = Access(c, mode, number, True, 1, n)
        at = [x[0] if x[0] is None else x[0] & ~(n - 1) for x in a.at]
        glc = k == 1 and op is not None
        for i, (old, _, _) in enumerate(cases):
            if at[i] is not None:
                c.mem.put(at[i], old, n)
        c.wide(10, [p[1] for p in cases], wide)
        if compare:
            c.wide(10 + wide, [p[2] for p in cases], wide)
        for i, l in enumerate(c.lanes):
            old = 0 if at[i] is None else c.mem.read(at[i], n)
            if at[i] is not None:
                if op:
                    v = atomic(op, old, cases[i][1], cases[i][2], bits)
                else:
                    v = add_f32(old, cases[i][1], False) if m[1] == "ADD_F32" else packed_add(old, cases[i][1])
                c.mem.write(at[i], v, n)
            if glc:
                c.set(10, l, old, wide)
        c.emit(f, "%s %s, %s%s" % (mnemonic(row, gen), regs(10, wide * (2 if compare else 1)), a.text % "",
                                   " glc" if glc else ""))


# ---- formats --------------------------------------------------------------------------------

DFMT = {1: ("8", (8,)), 2: ("16", (16,)), 3: ("8_8", (8, 8)), 4: ("32", (32,)), 5: ("16_16", (16, 16)),
        6: ("10_11_11", (11, 11, 10)), 7: ("11_11_10", (10, 11, 11)), 8: ("10_10_10_2", (2, 10, 10, 10)),
        9: ("2_10_10_10", (10, 10, 10, 2)), 10: ("8_8_8_8", (8,) * 4), 11: ("32_32", (32, 32)),
        12: ("16_16_16_16", (16,) * 4), 13: ("32_32_32", (32,) * 3), 14: ("32_32_32_32", (32,) * 4)}
NFMT = {0: "UNORM", 1: "SNORM", 2: "USCALED", 3: "SSCALED", 4: "UINT", 5: "SINT", 6: "SNORM_OGL", 7: "FLOAT"}
SMALL = {11: Format("f11", 12, 6), 10: Format("f10", 11, 5), 16: F16}


def formats(gen):
    """(dfmt, nfmt) that exist: 32-bit components are not converted, floats need 10 bits or more."""
    for d, (_, widths) in DFMT.items():
        for n in NFMT:
            if n == 6 and gen in NEW:
                continue
            if widths[0] == 32 and n not in (4, 5, 7):
                continue
            if n == 7 and (8 in widths or 2 in widths):
                continue
            yield d, n


def load_component(raw, bits, n):
    """Bits of a component, as a VGPR gets it."""
    s, top = signed(raw, bits), (1 << bits) - 1
    if n in (4, 7) and bits == 32 or n == 4:
        return raw
    if n == 5:
        return s & M32
    if n == 0:
        return F32.round(Fraction(raw, top))
    if n == 1:
        return F32.round(max(Fraction(s, top >> 1), Fraction(-1)))
    if n == 2:
        return F32.round(Fraction(raw))
    if n == 3:
        return F32.round(Fraction(s))
    if n == 6:
        return F32.round(Fraction(2 * s + 1, top))
    g = SMALL[bits]
    if g.is_nan(raw) or g.is_inf(raw):
        return (F32.sign if g.negative(raw) else 0) | F32.inf | (raw & (g.min_normal - 1)) << (23 - g.mant)
    return F32.round(g.value(raw), 0, True, F32.sign if g.negative(raw) else 0)


def nearest_even(v):
    q, r = divmod(v, 1)
    return int(q) + (2 * r > 1 or (2 * r == 1 and int(q) & 1))


def store_component(v, bits, n):
    top = (1 << bits) - 1
    if bits == 32 and n in (4, 5, 7):
        return v
    if n == 4:
        return min(v, top)
    if n == 5:
        return max(min(signed(v), top >> 1), -(top >> 1) - 1) & top
    if n == 7:
        g = SMALL[bits]
        if F32.is_nan(v):
            return None
        neg = F32.negative(v)
        if neg and bits != 16:
            return 0
        if F32.is_inf(v):
            return (g.sign if neg else 0) | g.inf
        out = g.round(F32.value(v), 0, True, g.sign if neg else 0)
        return g.max if bits != 16 and out == g.inf else out
    if F32.is_nan(v):
        return 0
    x = Fraction(-10 ** 40 if F32.negative(v) else 10 ** 40) if F32.is_inf(v) else F32.value(v)
    if n == 0:
        return nearest_even(min(max(x, 0), 1) * top)
    if n == 1:
        return nearest_even(min(max(x, -1), 1) * (top >> 1)) & top
    if n == 2:
        return nearest_even(min(max(x, 0), top))
    if n == 3:
        return nearest_even(min(max(x, -(top >> 1) - 1), top >> 1)) & top
    return int(min(max(x, -1), 1) * top // 2) & top


def half(v, integer):
    """A loaded component as D16 data."""
    if integer:
        return v & 0xffff
    if F32.is_inf(v):
        return (0x8000 if v >> 31 else 0) | F16.inf
    return F16.round(F32.value(v), 0, True, 0x8000 if v >> 31 else 0)


def texel_bits(dfmt, raw):
    out, at = [], 0
    for w in DFMT[dfmt][1]:
        out.append(raw >> at & ((1 << w) - 1))
        at += w
    return out


def no_nan(dfmt, n, raw):
    """Turns NaNs of a raw texel into numbers: their payload is not asked for here."""
    out, at = 0, 0
    for w in DFMT[dfmt][1]:
        c = raw >> at & ((1 << w) - 1)
        if n == 7:
            g = F32 if w == 32 else SMALL[w]
            if g.is_nan(c):
                c = g.inf
        out |= c << at
        at += w
    return out


FLOATS = [0x3f800000, 0xbf800000, 0x3f000000, 0x3e7f0000, 0x42c83333, 0xc2c83333, 0x7f800000, 0xff800000, 0x00000001,
          0x80000000, 0x477fe000, 0x3eaaaaab, 0x40600000, 0x3b808081, 0x4f000000, 0xbf7fffff]
INTS = [0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffffffff, 0xffffff80, 0xffff8000, 0x7fff, 0x10000, 0x80000000, 0x7fffffff, 3, 0x1ff, 0x3ff]


def typed_text(row, gen, dfmt, nfmt):
    if row.enc != "MTBUF":
        return ""
    return " format:[BUF_DATA_FORMAT_%s,BUF_NUM_FORMAT_%s]" % (DFMT[dfmt][0], NFMT[nfmt])


def typed(f, row, gen, number, which, target=None, sel=IDENTITY, modes=None):
    """A formatted load or store in each of the formats."""
    m = re.match(r"T?BUFFER_(LOAD|STORE)_FORMAT_(?:(D16)_)?(?:(HI)_)?(X|XY|XYZ|XYZW)$", row.name)
    store, n, hi = m[1] == "STORE", len(m[4]), bool(m[3])
    d16 = bool(m[2])
    unpacked = d16 and (target or gen) == "gfx8"
    count = n if not d16 or unpacked else (n + 1) // 2
    for k, (dfmt, nfmt) in enumerate(which):
        widths = DFMT[dfmt][1]
        size = sum(widths) // 8
        c = Case(gen, (0, 1, 5, 40), target=target)
        mode = (modes or MODES)[(k + number) % len(modes or MODES)]
        extra = {"dfmt": dfmt, "nfmt": nfmt, "sel": sel}
        if mode[1].get("add_tid"):
            mode = MODES[2]
        if row.enc == "MTBUF":
            extra = {"dfmt": 1, "nfmt": 4, "sel": 0}
        a = Access(c, mode, number, True, 1, size, extra)
        sels = [sel >> 3 * i & 7 for i in range(4)] if row.enc != "MTBUF" else [4, 5, 6, 7]
        integer = nfmt in (4, 5)
        if store:
            values = [deal(INTS if integer else FLOATS, 4, number + 3 * k + 5 * i) for i in range(4)]
            if d16:
                values = [[half(v, integer) for v in lane] for lane in values]
                if integer and nfmt == 5:
                    pass
            for j in range(count):
                if not d16:
                    c.vgpr(10 + j, [values[i][j] for i in range(4)])
                elif unpacked or n == 1:
                    c.vgpr(10 + j, [values[i][j] << 16 | 0x1234 if hi else values[i][j] | 0x43210000 for i in range(4)])
                else:
                    c.vgpr(10 + j, [values[i][2 * j] | (values[i][2 * j + 1] if 2 * j + 1 < n else 0x5678) << 16
                                    for i in range(4)])
        else:
            for i in range(4):
                raw = [0, (1 << size * 8) - 1, 0x8000800080008000800080008000 & ((1 << size * 8) - 1),
                       0x3d1c7b5a3a2c4bfe137c3e5d9a8b6c7d >> (number % 9) & ((1 << size * 8) - 1)][(i + k) % 4]
                if a.at[i][0] is not None:
                    c.mem.put(a.at[i][0], no_nan(dfmt, nfmt, raw), size)
        for i, l in enumerate(c.lanes):
            at = a.at[i][0]
            if store:
                if at is None:
                    continue
                texel = [0] * 4
                for j in range(n):
                    v = values[i][j]
                    if d16 and not integer:
                        v = load_component(v, 16, 7)
                    elif d16 and nfmt == 5:
                        v = signed(v, 16) & M32
                    if sels[j] >= 4:
                        texel[sels[j] - 4] = v
                raw, pos = 0, 0
                for w, v in zip(widths, texel):
                    raw |= store_component(v, w, nfmt) << pos
                    pos += w
                c.mem.write(at, raw, size)
                continue
            texel = [load_component(x, w, nfmt) for x, w in
                     zip(texel_bits(dfmt, 0 if at is None else c.mem.read(at, size)), widths)]
            one = 1 if integer else F32.one
            texel += [0, 0, 0, one][len(texel):]
            out = [0] * 4 if at is None else [texel[s - 4] if s >= 4 else (0, one)[s] for s in sels]
            if not d16:
                for j in range(n):
                    c.set(10 + j, l, out[j])
                continue
            h = [half(v, integer) for v in out[:n]]
            if hi:
                c.set(10, l, c.get(10, l) & 0xffff | h[0] << 16)
            elif unpacked:
                for j in range(n):
                    c.set(10 + j, l, h[j])
            else:
                for j in range(count):
                    c.set(10 + j, l, h[2 * j] | (h[2 * j + 1] << 16 if 2 * j + 1 < n else 0))
        fmt = typed_text(row, gen, dfmt, nfmt)
        text = a.text % fmt
        c.emit(f, "%s %s, %s" % (mnemonic(row, gen), regs(10, count), text))


def no_format(f, gen):
    """No such format: reported, loads give 0."""
    c = Case(gen, (0, 1))
    Buffer(c, dfmt=0, nfmt=0)
    for l in c.lanes:
        c.set(10, l, 0)
    c.result("loud", 1)
    c.emit(f, "buffer_load_format_x v10, off, s[4:7], 0")


def generate(f):
    for number, row in enumerate(rows("buffer.def")):
        f.note(row.name)
        for gen in row.gens:
            if row.has("FORMAT"):
                every = list(formats(gen))
                whole = row.name.endswith("_XYZW") and not row.has("D16")
                some = [every[(number * 7 + 5 * i) % len(every)] for i in range(4)]
                if row.has("D16") or row.has("D16HI"):
                    every = [x for x in every if DFMT[x[0]][1][0] == 16 or DFMT[x[0]][1][0] == 8 and x[1] != 7]
                    some = [every[(number * 3 + 5 * i) % len(every)] for i in range(4)]
                typed(f, row, gen, number, every if whole else some)
                if row.enc == "MUBUF":
                    typed(f, row, gen, number + 1, some[:2], sel=7 | 1 << 3 | 5 << 6 | 4 << 9)
                if gen == "gfx8" and row.has("D16"):
                    typed(f, row, gen, number, some, target="gfx810")
            elif row.name == "BUFFER_STORE_LDS_DWORD":
                from_lds(f, gen)
            elif row.has("NO_ADDR"):
                f.add(gen, mnemonic(row, gen), [], [])
            elif row.has("ATOMIC"):
                atomics(f, row, gen, number)
            else:
                modes = [MODES[(number + i) % len(MODES)] for i in (0, 1, 2, 4)]
                dword = "DWORD" in row.name
                untyped(f, row, gen, number, MODES + RANGE if row.name.endswith("_DWORD") or row.name.endswith("X4") else modes)
                untyped(f, row, gen, number, [MODES[1], MODES[3]], unaligned=True)
                if dword and gen in ("gfx6", "gfx7"):
                    addr64(f, row, gen, number)
                to_lds(f, row, gen)
    for gen in GENS:
        no_format(f, gen)


GENS = ("gfx6", "gfx7", "gfx8", "gfx9")
