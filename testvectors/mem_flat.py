"""Vectors of FLAT, GLOBAL and SCRATCH.

Rules, from the "Flat Memory Instructions" chapters of the manuals: an address whose upper half is the shared aperture is
LDS, the private aperture scratch, else memory (GLOBAL: always memory). Offsets: none before GFX9, 12 bits (FLAT), 13
bits signed (GLOBAL, SCRATCH). GLOBAL with SADDR: SGPR pair + 32 bits of VGPR + offset. Scratch is interleaved by
dwords: FLAT_SCRATCH (GFX9: an address; GFX7/8: 256-byte units in its upper half) + address / 4 * 256 + lane * 4.
LDS bit of GLOBAL and SCRATCH loads (GFX9): M0[15:0] + offset + lane * 4 receives the dword.
"""
import re

from mem_buffer import OPS, SIZES, packed_add, regs
from mem_model import *
from vectors import rows

SHARED, PRIVATE = 0x2000, 0x1000  # apertures, upper halves of addresses
LANES = (0, 1, 4, 62)


def scratch_cells(c):
    """Where scratch starts: 0x102000."""
    if c.gen == "gfx9":
        c.put("flat_scratch", MEM + 0x2000)
    else:
        c.put("flat_scratch", [0x4000, (MEM + 0x2000) >> 8])


def scratch_at(address, lane, byte):
    a = address + byte
    return MEM + 0x2000 + a // 4 * 256 + lane * 4 + a % 4


class Target:
    """Where the bytes of a lane's access lie: (space, address of byte k)."""

    def __init__(self, space, where, limit=None):
        self.space, self.where, self.limit = space, where, limit

    def ok(self, n):
        return self.limit is None or self.where(0) + n <= self.limit

    def put(self, value, n):
        for k in range(n):
            self.space.put(self.where(k), value >> (8 * k) & 255, 1)

    def read(self, n):
        return sum(self.space.read(self.where(k), 1) << (8 * k) for k in range(n))

    def write(self, value, n):
        for k in range(n):
            self.space.write(self.where(k), value >> (8 * k) & 255, 1)


def offset_text(off):
    return " offset:%d" % off if off else ""


def ways(row, gen, size):
    """(case, addresses text, suffix, targets) of the ways to address."""
    out = []

    def memory(lanes, at):
        return [Target(c.mem, lambda k, a=a: a + k) for a in at]

    lanes = LANES
    if row.enc == "FLAT":
        off = 0x124 if gen == "gfx9" else 0
        c = Case(gen, lanes, target=row.target(gen))
        at = [MEM + 0x40 * (i + 1) + (2 if size < 4 and i == 2 else 0) for i in range(4)]
        c.wide(1, [a - off for a in at], 2)
        out.append((c, "v[1:2]", offset_text(off), memory(lanes, at)))
        # LDS, memory, beyond LDS, memory
        c = Case(gen, lanes, target=row.target(gen))
        c.put("shared_base", SHARED)
        c.put("private_base", PRIVATE)
        a = [SHARED << 32 | 0x80, MEM + 0x80, SHARED << 32 | 0x9000, SHARED << 32 | 0x100]
        c.wide(1, a, 2)
        out.append((c, "v[1:2]", "", [Target(c.lds, lambda k, x=x: (x & M32) + k, 0x8000) if x >> 32 else
                                      Target(c.mem, lambda k, x=x: x + k) for x in a]))
        c = Case(gen, lanes, target=row.target(gen))
        c.put("shared_base", SHARED)
        c.put("private_base", PRIVATE)
        scratch_cells(c)
        a = [PRIVATE << 32 | 16 * i for i in range(4)]
        c.wide(1, a, 2)
        out.append((c, "v[1:2]", "", [Target(c.mem, lambda k, x=x, l=l: scratch_at(x & M32, l, k))
                                      for x, l in zip(a, lanes)]))
    elif row.enc == "GLOBAL":
        for off in (0, -4096 if size > 1 else -1, 4095 if size == 1 else 4092):
            c = Case(gen, lanes, target=row.target(gen))
            at = [MEM + 0x2000 + 0x30 * (i + 1) for i in range(4)]
            at = [a & ~(size - 1) for a in at]
            c.wide(1, [a - off for a in at], 2)
            out.append((c, "v[1:2]", ", off" + offset_text(off), memory(lanes, at)))
        c = Case(gen, lanes, target=row.target(gen))
        c.put("s[4:5]", MEM + 0x1000)
        v = [0x100, 0x48, 0xffff, 0x200]
        v = [x & ~(size - 1) for x in v]
        v[2] = 0x2f8
        c.vgpr(1, v)
        out.append((c, "v1", ", s[4:5] offset:-16", memory(lanes, [MEM + 0x1000 + x - 16 for x in v])))
    else:
        for way in range(3):
            c = Case(gen, lanes)
            scratch_cells(c)
            v, s, off = [0x20, 0x44, 0x31 if size == 1 else 0x30, 8], 0x10, (-8, 12, 4)[way]
            if way == 0:
                c.vgpr(1, v)
                out.append((c, "v1", ", off" + offset_text(off),
                            [Target(c.mem, lambda k, x=x + off, l=l: scratch_at(x, l, k)) for x, l in zip(v, lanes)]))
            if way == 1:
                c.put("s9", s)
                out.append((c, "off", ", s9 offset:12",
                            [Target(c.mem, lambda k, l=l: scratch_at(0x10 + 12, l, k)) for l in lanes]))
            if way == 2:
                c.put("m0", 0x80)
                out.append((c, "off", ", m0", [Target(c.mem, lambda k, l=l: scratch_at(0x80, l, k)) for l in lanes]))
    return out


def loads_and_stores(f, row, gen, number):
    m = re.match(r"\w+?_(LOAD|STORE)_(\w+?)(_D16)?(_HI)?$", row.name)
    store = m[1] == "STORE"
    size, sign = SIZES.get(m[2], (4, False))
    n = int(m[2][-1]) if m[2].startswith("DWORDX") else 1
    for k, (c, addr, suffix, targets) in enumerate(ways(row, gen, size * n if row.enc != "SCRATCH" else size)):
        suffix += ("", " glc", " slc", "")[k % 4]
        if store:
            for t, l in zip(targets, c.lanes):
                v = c.get(10, l, n)
                if t.ok(size * n):
                    t.write(v >> 16 if m[4] else v, size * n)
            text = "%s, %s%s" % (addr, regs(10, n), suffix)
        else:
            for i, t in enumerate(targets):
                if t.ok(size * n):
                    t.put(0xfedcba9876543210f1e2d3c4b5a69788 >> (3 * i + number % 5), size * n)
            for t, l in zip(targets, c.lanes):
                v = t.read(size * n) if t.ok(size * n) else 0
                v = signed(v, 8 * size) & M32 if sign else v
                if m[3]:
                    old = c.get(10, l)
                    v = old & 0xffff | (v & 0xffff) << 16 if m[4] else old & 0xffff0000 | v & 0xffff
                c.set(10, l, v, n)
            text = "%s, %s%s" % (regs(10, n), addr, suffix)
        c.emit(f, mnemonic(row, gen) + " " + text)
    if not store and not m[3] and n == 1 and row.enc != "FLAT":
        for (c, addr, suffix, targets) in ways(row, gen, size)[:1]:
            c.put("m0", 0x300)
            off = int(suffix.split("offset:")[1]) if "offset" in suffix else 0
            for t, l in zip(targets, c.lanes):
                t.put(0x91827364, size)
                v = t.read(size)
                c.lds.write(0x300 + off + 4 * l, signed(v, 8 * size) & M32 if sign else v, 4)
            c.emit(f, "%s %s%s lds" % (mnemonic(row, gen), addr, suffix))


def atomics(f, row, gen, number):
    m = re.match(r"\w+?_ATOMIC_(\w+?)(_X2)?$", row.name)
    bits = 64 if m[2] else 32
    n, wide = bits // 8, bits // 32
    op = OPS.get(m[1])
    pairs = [(0x3f800000, 0x40000000, 0), (1, 2, 0), (0x3c00bc00, 0x40003c00, 0), (0x00017bff, 0x00017bff, 0)]
    if op:
        pairs = float_pairs(bits) if op[0] == "f" else int_pairs(bits)
    compare = op in ("cmpswap", "fcmpswap")
    for k, (c, addr, suffix, targets) in enumerate(ways(row, gen, n)):
        if row.enc == "FLAT" and k == 2 and n == 8:
            continue  # an element of scratch is a dword
        cases = deal(pairs, 4, number * 3 + k * 4)
        glc = op is not None and k % 2 == 1
        for t, p in zip(targets, cases):
            if t.ok(n):
                t.put(p[0], n)
        c.wide(10, [p[1] for p in cases], wide)
        if compare:
            c.wide(10 + wide, [p[2] for p in cases], wide)
        for t, p, l in zip(targets, cases, c.lanes):
            old = t.read(n) if t.ok(n) else 0
            if t.ok(n):
                if op:
                    v = atomic(op, old, p[1], p[2], bits)
                else:
                    v = add_f32(old, p[1], False) if m[1] == "ADD_F32" else packed_add(old, p[1])
                t.write(v, n)
            if glc:
                c.set(20, l, old, wide)
        data = regs(10, wide * (2 if compare else 1))
        c.emit(f, "%s %s%s, %s%s%s" % (mnemonic(row, gen), regs(20, wide) + ", " if glc else "", addr, data, suffix,
                                       " glc" if glc else ""))


def faults(f):
    for gen in ("gfx7", "gfx8", "gfx9"):
        cells = [("exec", 3), ("v[1:2][0]", 0x7000000000), ("v[1:2][1]", MEM), ("mem[100000]", [7])]
        f.add(gen, "flat_load_dword v10, v[1:2]", cells,
              [("v10[0]", 0), ("v10[1]", 7), ("fault", 1), ("trapsts", 0x100)])
        f.add(gen, "flat_store_dword v[1:2], v10", cells,
              [("mem[100000]", [default_vgpr(10, 1)]), ("fault", 1), ("trapsts", 0x100)])
        f.add(gen, "flat_atomic_add v20, v[1:2], v10 glc", cells + [("v10", 1)],
              [("mem[100000]", [8]), ("v20[0]", 0), ("v20[1]", 7), ("fault", 1), ("trapsts", 0x100)])


def generate(f):
    for number, row in enumerate(rows("flat.def")):
        f.note(row.name)
        for gen in row.gens:
            (atomics if row.has("ATOMIC") else loads_and_stores)(f, row, gen, number)
    f.note("nothing mapped")
    faults(f)
