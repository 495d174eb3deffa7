"""Vectors of the data share: LDS, GDS, lane moves, wave sync.

Rules, from the "Data Share" chapters of the four ISA manuals and CLRX's descriptions: an address is ADDR + OFFSET (two
offsets in elements, or in rows of 64, for the pairs); before GFX9 it is aligned down to the element, and M0 limits
LDS; a read out of range gives 0, a write does nothing; GDS lies from M0[31:16] on, M0[15:0] bytes; lanes go in
ascending order. ds_permute: the manuals' loops. ds_append and consume: M0[15:0] is added for LDS.
"""
import re

from mem_model import *
from vectors import rows

LDS_BYTES = 0x8000
OPS = {"ADD": "add", "SUB": "sub", "RSUB": "rsub", "INC": "inc", "DEC": "dec", "AND": "and", "OR": "or",
       "XOR": "xor", "WRXCHG": "swap", "CMPST": "cmpswap"}


def regs(first, n):
    return "v%d" % first if n == 1 else "v[%d:%d]" % (first, first + n - 1)


class Share:
    """LDS, or GDS with `base` in M0, of a case."""

    def __init__(self, c, gds=False, m0=None, base=0x100, size=0x2000):
        self.c, self.gds = c, gds
        if gds:
            m0 = base << 16 | size
        if m0 is not None:
            c.put("m0", m0)
        self.space = c.gds if gds else c.lds
        self.base = base if gds else 0
        self.limit = size if gds else LDS_BYTES
        if not gds and c.number() < 9 and m0 is not None:
            self.limit = min(self.limit, m0)
        self.suffix = " gds" if gds else ""

    def at(self, addr, n):
        """Where n bytes lie, None out of range."""
        addr &= M32
        if self.c.number() < 9:
            addr &= ~(n - 1)
        return self.base + addr if addr + n <= self.limit else None

    def read(self, addr, n):
        a = self.at(addr, n)
        return 0 if a is None else self.space.read(a, n)

    def write(self, addr, value, n):
        a = self.at(addr, n)
        if a is not None:
            self.space.write(a, value & ((1 << 8 * n) - 1), n)

    def put(self, addr, value, n):
        a = self.at(addr, n)
        if a is not None:
            self.space.put(a, value, n)


def kind_of(name):
    """(operation, bits, float) of an atomic row."""
    m = re.match(r"DS_(MIN|MAX|CMPST|\w+?)(?:_RTN)?(?:_SRC2)?_([UIFB])(32|64)$", name)
    op, t, bits = m[1], m[2], int(m[3])
    op = op.replace("_RTN", "").replace("_SRC2", "")
    if op in ("MIN", "MAX"):
        return ({"U": "u", "I": "s", "F": "f", "B": "u"}[t] + op.lower(), bits, t == "F")
    if op == "CMPST":
        return ("fcmpswap" if t == "F" else "cmpswap", bits, t == "F")
    return (OPS.get(op, op.lower()), bits, t == "F")


def new_value(op, old, d0, d1, bits):
    mask = (1 << bits) - 1
    if op == "mskor":
        return old & ~d0 & mask | d1
    if op == "wrap":
        return old - d0 if old >= d0 else (old + d1) & mask
    if op == "condxchg32":
        out = 0
        for sh in (0, 32):
            d, o = d0 >> sh & M32, old >> sh & M32
            out |= (d & 0x7fffffff if d >> 31 else o) << sh
        return out
    if op in ("cmpswap", "fcmpswap"):
        return atomic(op, old, d1, d0, bits)
    if op in ("write", "wrxchg"):
        return d0
    return atomic(op, old, d0, 0, bits)


def atomics(f, row, gen, number):
    op, bits, is_float = kind_of(row.name)
    if op == "add" and is_float:
        return add_floats(f, row, gen)
    n, wide = bits // 8, bits // 32
    two = len(row.src) == 2
    rtn = row.has("RTN")
    pairs = float_pairs(bits) if is_float else int_pairs(bits)
    for variant in range(2):
        gds = variant == 1
        lanes = (0, 1, 5, 40, 63)
        c = Case(gen, lanes)
        s = Share(c, gds, m0=0x70 if not gds and number % 2 and gen != "gfx9" else None)
        off = 0x10 if variant else 0xfff0
        # the last lane works on the first one's element, the one before is out of range
        addr = [(0x20 - off) & M32, (0x30 - off) & M32, (0x48 - off) & M32, (0x9000 - off) & M32,
                (0x20 - off) & M32]
        if gen != "gfx9":
            addr[1] += 3
        cases = deal(pairs, 5, number * 3 + variant * 5)
        c.vgpr(1, addr)
        d0 = [p[1] for p in cases]
        d1 = [p[2] for p in cases]
        if op in ("cmpswap", "fcmpswap"):
            d0, d1 = d1, d0
        if op == "condxchg32":
            d0 = [p[1] | (i & 1) << 31 | (i >> 1 & 1) << 63 for i, p in enumerate(cases)]
        c.wide(2, d0, wide)
        if two:
            c.wide(4, d1, wide)
        for i in (0, 1, 2):
            s.put(addr[i] + off, cases[i][0], n)
        for i, l in enumerate(lanes):
            old = s.read(addr[i] + off, n)
            s.write(addr[i] + off, new_value(op, old, d0[i], d1[i], bits), n)
            if rtn:
                c.set(6, l, old, wide)
        text = mnemonic(row, gen) + " "
        if rtn:
            text += regs(6, wide) + ", "
        text += "v1, " + regs(2, wide) + (", " + regs(4, wide) if two else "")
        c.emit(f, text + " offset:%d" % off + s.suffix)


def add_floats(f, row, gen):
    """ds_add_f32: nearest even; denormals as MODE has them for f32."""
    cases = [(0x3f800000, 0x40000000), (1, 2), (0x00400000, 0x00400000), (0x00800001, 0x80800000), (0x7f7fffff, 0x7f7fffff),
             (0x7f800000, 0xff800000), (0x3f800000, 0x33800000), (0x3f800001, 0x33800000), (0, 0x80000000),
             (0x80000000, 0x80000000)]
    for keep in (True, False):
        for half in (0, 5):
            c = Case(gen, (0, 2, 3, 4, 9))
            s = Share(c)
            if not keep:
                c.put("mode", 0xc0)
            c.vgpr(1, [16 * i for i in range(5)])
            c.vgpr(2, [p[1] for p in cases[half:half + 5]])
            for i, l in enumerate(c.lanes):
                old, d = cases[half + i]
                s.put(16 * i, old, 4)
                s.write(16 * i, add_f32(old, d, keep), 4)
                if row.has("RTN"):
                    c.set(6, l, old)
            c.emit(f, mnemonic(row, gen) + (" v6," if row.has("RTN") else "") + " v1, v2")


def src2(f, row, gen, number):
    """The second operand lies in LDS: a distance in dwords from the first, out of OFFSET or (bit 15) the address."""
    op, bits, is_float = kind_of(row.name)
    n = bits // 8
    pairs = float_pairs(bits) if is_float else int_pairs(bits)
    if op == "add" and is_float:
        pairs = [(0x3f800000, 0x40000000, 0), (0x40400000, 0xc0000000, 0), (0x7f800000, 0x3f800000, 0)]
    for in_address, back in ((0, 0), (1, 1)) if number % 2 else ((0, 1), (1, 0)):
        c = Case(gen, (0, 3, 17))
        s = Share(c)
        dist = -8 if back else 12
        cases = deal(pairs, 3, number * 3 + in_address)
        first = [0x80 + 0x40 * i for i in range(3)]
        if in_address:
            off = 0x8000
            # dwords: bits 14:0 from 31:17, bit 15 (the sign) from 31
            c.vgpr(1, [a | (dist & 0x7fff) << 17 if dist >= 0 else a | ((dist >> 0) & 0x7fff) << 17 | 1 << 31
                       for a in first])
        else:
            off = dist & 0x7fff  # bit 14 is the sign
            c.vgpr(1, first)
        for (old, data, _), a in zip(cases, first):
            s.put(a, old, n)
            s.put(a + 4 * dist, data, n)
        for i, a in enumerate(first):
            old, d = s.read(a, n), s.read(a + 4 * dist, n)
            v = add_f32(old, d, True) if op == "add" and is_float else new_value(op, old, d, 0, bits)
            s.write(a, v, n)
        c.emit(f, "%s v1 offset:%d" % (mnemonic(row, gen), off))


SUB = {"B8": (1, False), "U8": (1, False), "I8": (1, True), "B16": (2, False), "U16": (2, False), "I16": (2, True)}


def loads(f, row, gen, number):
    wide = {"B64": 2, "B96": 3, "B128": 4}.get(row.dst, 1)
    size, sign = SUB.get(row.dst, (4, False))
    half = "lo" if row.has("D16LO") else "hi" if row.has("D16HI") else ""
    align = 16 if wide == 3 else size * wide
    for variant in range(2):
        c = Case(gen, (0, 1, 2, 33, 63))
        s = Share(c, variant == 1, m0=0x60 if variant == 0 and number % 2 and gen != "gfx9" else None)
        off = 0x30 if variant else 0xffe0
        place = [0x10, 0x20 + size, 0x31 if variant else 0x30, 0x40, 0x10000]
        if size * wide > 4:
            place[1] = 0x28 if wide == 2 else 0x50
            if gen != "gfx9":
                place[2] = 0x30 + (5 if variant else 0)
        addr = [(p - off) & M32 for p in place]
        c.vgpr(1, addr)
        for i in range(5):
            if place[i] < 0x8000:
                for k in range(0, 16, 4):
                    s.space.put(s.base + (place[i] & ~15) + k, 0x81c2e3f4 * (k + 1) + 0x01020304 * place[i] & M32, 4)
        for i, l in enumerate(c.lanes):
            a = addr[i] + off & M32
            if gen != "gfx9":
                a &= ~(align - 1)
            v = 0
            for k in range(wide):
                v |= s.read(a + size * k, size) << (32 * k)
            if half:
                v = (signed(v, 8) if sign else v) & 0xffff
                old = c.get(6, l)
                v = old & 0xffff0000 | v if half == "lo" else old & 0xffff | v << 16
            elif sign:
                v = signed(v, 8 * size) & M32
            c.set(6, l, v, wide)
        c.emit(f, "%s %s, v1 offset:%d%s" % (mnemonic(row, gen), regs(6, wide), off, s.suffix))


def stores(f, row, gen, number):
    t = row.src[0]
    wide = {"B64": 2, "B96": 3, "B128": 4}.get(t, 1)
    size = SUB.get(t, (4, False))[0]
    align = 16 if wide == 3 else size * wide
    for variant in range(2):
        c = Case(gen, (0, 1, 2, 33, 63))
        s = Share(c, variant == 1, m0=0x90 if variant == 0 and number % 2 and gen != "gfx9" else None)
        off = 0x30 if variant else 0xffe0
        place = [0x20, 0x40 + size * wide % 16, 0x61 if gen != "gfx9" else 0x60, 0x8000, 0x90]
        addr = [(p - off) & M32 for p in place]
        c.vgpr(1, addr)
        for i, l in enumerate(c.lanes):
            a = addr[i] + off & M32
            if gen != "gfx9":
                a &= ~(align - 1)
            for k in range(wide):
                v = c.get(2 + k, l)
                s.write(a + size * k, v >> 16 if row.has("D16HI") else v, size)
        c.emit(f, "%s v1, %s offset:%d%s" % (mnemonic(row, gen), regs(2, wide), off, s.suffix))


def pairs_of(f, row, gen, number):
    """read2, write2, wrxchg2 and their ST64 forms."""
    wide = 2 if "B64" in row.name else 1
    n = 4 * wide
    step = n * (64 if "ST64" in row.name else 1)
    for variant in range(2):
        c = Case(gen, (0, 7, 63))
        s = Share(c, variant == 1)
        o = (3, 5) if variant else (255 if step * 255 < 0x7000 else 20, 0)
        addr = [0x40, 0x48 + (0 if gen == "gfx9" or not variant else 2), 0x7ff8 if not variant else 0x1ff0]
        c.vgpr(1, addr)
        for a in addr:
            for k in (0, 1):
                s.put(a + o[k] * step, 0x1122334455667788 * (a + k + 1) & ((1 << 8 * n) - 1), n)
        for i, l in enumerate(c.lanes):
            for k in (0, 1):
                a = addr[i] + o[k] * step
                old = s.read(a, n)
                if not row.has("STORE"):
                    c.set(6 + k * wide, l, old, wide)
                if not row.has("LOAD"):
                    s.write(a, c.get(2 + 2 * k, l, wide), n)
        text = mnemonic(row, gen) + " "
        if row.has("STORE"):
            text += "v1, %s, %s" % (regs(2, wide), regs(4, wide))
        elif row.has("LOAD"):
            text += "%s, v1" % regs(6, 2 * wide)
        else:
            text += "%s, v1, %s, %s" % (regs(6, 2 * wide), regs(2, wide), regs(4, wide))
        text += " offset0:%d" % o[0] if o[0] else ""
        c.emit(f, text + (" offset1:%d" % o[1] if o[1] else "") + s.suffix)


def all_lanes(f, gen, text, exec_mask, values, extra=()):
    """A move between lanes: values[lane] for the active ones."""
    outs = [("v6[%d]" % l, v) for l, v in enumerate(values) if exec_mask >> l & 1]
    f.add(gen, text, [("exec", exec_mask)] + list(extra), outs)


def swizzles(f, gen):
    offsets = [0x8000 | 0b00011011, 0x8000 | 0b10110001, 0x001f, 0x041f, 0x7c1f, 0x03e0, 0x5555, 0x0010]
    if gen == "gfx9":
        offsets += [0xc000 | 3 << 5, 0xc400 | 5 << 5 | 1, 0xc400 | 31 << 5]
    for i, off in enumerate(offsets):
        mask = (M64, 0x00ff00ff12345678, 0x8000000000000001)[i % 3]
        out = []
        for lane in range(64):
            if gen == "gfx9" and off >> 13 == 6:
                n, keep, l = off >> 5 & 31, off & 31, lane & 31
                turned = (l - n if off >> 10 & 1 else l + n) & 31
                src = lane & 32 | l & keep | turned & ~keep
            elif off & 0x8000:
                src = lane & ~3 | off >> (2 * (lane & 3)) & 3
            else:
                src = lane & 32 | ((lane & 31 & off | off >> 5) & 31 ^ off >> 10 & 31)
            out.append(default_vgpr(1, src) if mask >> src & 1 else 0)
        # GFX9 has no rotation below 0xc000 and above 0xdfff
        text = "ds_swizzle_b32 v6, v1 offset:%d" % off
        all_lanes(f, gen, text, mask, out)


def permutes(f, gen):
    for i, off in enumerate((0, 8, 0xfffc)):
        mask = (M64, 0x0f0f0f0ff0f0f0f1, 0x8000000000000003)[i]
        index = [(lane * 29 + 7 * i) % 67 * 4 + lane % 4 for lane in range(64)]
        set_index = [("v1[0:63]", index)]
        data = [default_vgpr(2, l) for l in range(64)]
        fwd = [0] * 64
        bwd = [0] * 64
        for lane in range(64):
            if mask >> lane & 1:
                other = (index[lane] + off) // 4 % 64
                fwd[other] = data[lane]
                bwd[lane] = data[other] if mask >> other & 1 else 0
        suffix = " offset:%d" % off if off else ""
        all_lanes(f, gen, "ds_permute_b32 v6, v1, v2" + suffix, mask, fwd, set_index)
        all_lanes(f, gen, "ds_bpermute_b32 v6, v1, v2" + suffix, mask, bwd, set_index)


def counters(f, row, gen):
    for variant, (lanes, start) in enumerate((((0,), 5), ((0, 1, 9, 63), 0xfffffffe), ((2, 3, 5), 1))):
        gds = variant == 1
        c = Case(gen, lanes)
        s = Share(c, gds, m0=None if gds else 0xffff0040 if variant else 0x40)
        a = 0x20 if gds else 0x60
        s.limit = s.limit if gds else LDS_BYTES  # M0 is a base here
        s.put(a, start, 4)
        for l in lanes:
            c.set(6, l, start)
        n = len(lanes)
        s.write(a, start + n if row.name == "DS_APPEND" else start - n, 4)
        c.emit(f, "%s v6 offset:32%s" % (row.name.lower(), s.suffix))


def addtid(f, row, gen):
    for m0, off, lanes in ((0x100, 0, (0, 1, 40, 63)), (0xffff0200, 0x1000, (3, 5)), (0x7f00, 0xf0, (0, 3, 4, 9))):
        c = Case(gen, lanes)
        c.put("m0", m0)
        s = Share(c)
        for l in lanes:
            a = (m0 & 0xffff) + off + 4 * l
            if row.has("LOAD"):
                s.put(a, 0xcafe0000 + l, 4)
                c.set(6, l, s.read(a, 4))
            else:
                s.write(a, c.get(2, l), 4)
        reg = "v6" if row.has("LOAD") else "v2"
        c.emit(f, "%s %s offset:%d" % (row.name.lower(), reg, off))


GWS = {"DS_GWS_SEMA_RELEASE_ALL": 0x98, "DS_GWS_INIT": 0x99, "DS_GWS_SEMA_V": 0x9a, "DS_GWS_SEMA_BR": 0x9b,
       "DS_GWS_SEMA_P": 0x9c, "DS_GWS_BARRIER": 0x9d}


def gws(f, row, gen):
    operand = " v1" if row.src else ""
    for wait in (0, 1):
        ins = [("exec", 0x30), ("v1[4]", 7), ("v1[5]", 9)] + ([("gws_wait", 1)] if wait else [])
        outs = [("gws", [GWS[row.name], 7 if row.src else 0])] + ([("pc", "+0")] if wait else [])
        f.add(gen, mnemonic(row, gen) + operand + " offset:4 gds", ins, outs)


def ordered(f, gen):
    """ds_ordered_count: GDS dword M0[31:16] + OFFSET0, OFFSET1 5:4 the operation: 0 add, 1 swap. The value is that of
    the first active lane; all get what was there before."""
    for op in (0, 1):
        c = Case(gen, (3, 4, 60))
        c.put("m0", 0x0200 << 16 | 5)
        c.vgpr(1, [11, 1000, 2000])
        c.gds.put(0x204, 0x70, 4)
        for l in c.lanes:
            c.set(6, l, 0x70)
        c.gds.write(0x204, 0x70 + 11 if op == 0 else 11, 4)
        c.emit(f, "ds_ordered_count v6, v1 offset:%d gds" % (4 | (op << 4 | 3) << 8))


def generate(f):
    for number, row in enumerate(rows("ds.def", ("DS",))):
        f.note(row.name)
        for gen in row.gens:
            if row.name == "DS_NOP":
                f.add(gen, "ds_nop", [], [])
            elif row.name == "DS_SWIZZLE_B32":
                swizzles(f, gen)
            elif row.name == "DS_PERMUTE_B32":
                permutes(f, gen)
            elif row.name == "DS_BPERMUTE_B32":
                pass  # with ds_permute
            elif row.name in ("DS_APPEND", "DS_CONSUME"):
                counters(f, row, gen)
            elif row.name == "DS_ORDERED_COUNT":
                ordered(f, gen)
            elif "ADDTID" in row.name:
                addtid(f, row, gen)
            elif row.has("GWS"):
                gws(f, row, gen)
            elif row.has("SRC2"):
                src2(f, row, gen, number)
            elif row.has("TWO"):
                pairs_of(f, row, gen, number)
            elif row.has("LOAD"):
                loads(f, row, gen, number)
            elif row.has("STORE"):
                stores(f, row, gen, number)
            else:
                atomics(f, row, gen, number)
