"""Vectors of scalar memory.

Rules, from the "Scalar Memory Operations" chapters of the manuals: addresses are those of dwords, low bits dropped.
GFX6/7: the immediate (8 bits; GFX7 also a literal) counts dwords, a register bytes. GFX8: an immediate of 20 bits or a
register, in bytes; GFX9: 21 bits signed, and both. s_buffer: each dword of its own against NUM_RECORDS, in bytes when
STRIDE is 0, else in records (docs/errata.md, E-num-records). s_scratch: a register counts 64 bytes.
"""
import re

from mem_model import *
from vectors import rows

OPS = {n.upper(): n for n in ("add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec", "swap",
                              "cmpswap")}


def sregs(first, n):
    return "s%d" % first if n == 1 else "s[%d:%d]" % (first, first + n - 1)


def immediate(gen, n):
    """The text of a byte offset."""
    return hex(n // 4 if gen in ("gfx6", "gfx7") else n)


def fill(c, at, n, seed):
    for i in range(n):
        c.mem.put(at + 4 * i, (0x9e3779b9 * (seed + i + 1)) & M32, 4)


def offsets(gen, scratch=False):
    """(text, bytes, registers) of every way to give an offset."""
    out = [(immediate(gen, 0x44), 0x44, []), ("s9", 0x86, [("s9", 0x86)])]
    if scratch:
        return [("0x44", 0x44, []), ("s9", 0x80, [("s9", 2)]), ("-0x40", -0x40, [])]
    if gen == "gfx7":
        out.append(("0x1234", 0x1234 * 4, []))
    if gen in NEW:
        out.append(("0x1ffe", 0x1ffc, []))
        out.append(("m0", 0x100, [("m0", 0x100)]))
    if gen == "gfx9":
        out.append(("s9 offset:0x24", 0x24 + 0x80, [("s9", 0x80)]))
    return out


def loads(f, row, gen, number):
    n = {"B32": 1, "B64": 2, "B128": 4, "B256": 8, "B512": 16}[row.dst]
    buffer, scratch = row.has("BUF"), row.has("SCR")
    dst = 20
    for k, (text, off, regs) in enumerate(offsets(gen, scratch)):
        c = Case(gen)
        base = MEM + 0x400 + (0 if buffer or k % 2 else 3)  # the low bits of a base are dropped
        start = (base & ~3) + (off & ~3)
        fill(c, start, n, number + k)
        for cell, v in regs:
            c.put(cell, v)
        if buffer:
            stride = (0, 8, 0, 12)[k % 4]
            size = (off & ~3) + 4 * n - (8 if k % 2 and n > 2 else 0)  # the last dwords may lie outside
            records = -(-size // stride) if stride else size
            c.put("s[4:7]", [base & M32, stride << 16, records, 0x00024fac])
            limit = records * (stride or 1)
        else:
            c.put("s[4:5]", base)
            limit = 1 << 40
        out = [c.mem.read(start + 4 * i, 4) if (off & ~3) + 4 * i + 4 <= limit else 0 for i in range(n)]
        c.result(sregs(dst, n), out if n > 1 else out[0])
        c.emit(f, "%s %s, %s, %s%s" % (mnemonic(row, gen), sregs(dst, n), sregs(4, 4 if buffer else 2), text,
                                       " glc" if gen in NEW and k == 1 else ""))
    if gen == "gfx9" and not buffer and not scratch:
        c = Case(gen)
        fill(c, MEM + 0x100, n, 77)
        c.put("s[4:5]", MEM + 0x200)
        c.result(sregs(dst, n), [c.mem.read(MEM + 0x100 + 4 * i, 4) for i in range(n)])
        c.emit(f, "%s %s, s[4:5], -0x100" % (mnemonic(row, gen), sregs(dst, n)))
    if not scratch and n == 2:
        # the destination may hold the base
        c = Case(gen)
        fill(c, MEM + 0x10, 2, 9)
        c.put("s[4:7]" if buffer else "s[4:5]", [MEM, 0, 0x1000, 0] if buffer else MEM)
        c.result("s[4:5]", [c.mem.read(MEM + 0x10, 4), c.mem.read(MEM + 0x14, 4)])
        c.emit(f, "%s s[4:5], %s, %s" % (mnemonic(row, gen), sregs(4, 4 if buffer else 2), immediate(gen, 0x10)))
    if not buffer and not scratch and n == 1:
        # nothing is mapped there; EXEC and VCC as destinations
        f.add(gen, mnemonic(row, gen) + " s20, s[4:5], " + immediate(gen, 0), [("s[4:5]", 0x7000000000)],
              [("s20", 0), ("fault", 1)] + fault(gen))
        f.add(gen, mnemonic(row, gen) + " vcc_hi, s[4:5], " + immediate(gen, 0),
              [("s[4:5]", MEM), ("mem[100000]", [0xabcd1234])], [("vcc_hi", 0xabcd1234)])


def fault(gen):
    """TRAPSTS.EXCP bit 8: memory violation. GFX6 has seven bits."""
    return [] if gen == "gfx6" else [("trapsts", 0x100)]



def stores(f, row, gen, number):
    n = {"B32": 1, "B64": 2, "B128": 4}[row.src[0]]
    buffer, scratch = row.has("BUF"), row.has("SCR")
    for k, (text, off, regs) in enumerate(offsets(gen, scratch)):
        if gen == "gfx8" and text not in ("m0",) and not text.startswith("0x"):
            continue  # GFX8's stores take M0 only
        c = Case(gen)
        base = MEM + 0x400 + (0 if buffer or k % 2 else 1)
        start = (base & ~3) + (off & ~3)
        for cell, v in regs:
            c.put(cell, v)
        limit = 1 << 40
        if buffer:
            limit = (off & ~3) + 4 * n - (4 if k % 2 else 0)
            c.put("s[4:7]", [base & M32, 0, limit, 0])
        else:
            c.put("s[4:5]", base)
        for i in range(n):
            if (off & ~3) + 4 * i + 4 <= limit:
                c.mem.write(start + 4 * i, 0x5a5a0000 + 20 + i, 4)
        c.emit(f, "%s %s, %s, %s%s" % (mnemonic(row, gen), sregs(20, n), sregs(4, 4 if buffer else 2), text,
                                       " glc" if k == 1 else ""))


def atomics(f, row, gen, number):
    m = re.match(r"S_(?:BUFFER_)?ATOMIC_(\w+?)(_X2)?$", row.name)
    op, bits = OPS[m[1]], 64 if m[2] else 32
    n, wide, buffer = bits // 8, bits // 32, row.has("BUF")
    pairs = int_pairs(bits)
    regs_n = wide * (2 if op == "cmpswap" else 1)
    for k in range(4):
        old, data, cmp = deal(pairs, 1, number * 3 + k * 5)[0]
        c = Case(gen)
        off = (0x40, 0x88, 0x1000, 0x48)[k]
        c.mem.put(MEM + off, old, n)
        outside = buffer and k == 3
        c.put("s[4:7]" if buffer else "s[4:5]",
              [MEM, 0, off if outside else off + n, 0] if buffer else MEM)
        c.put(sregs(20, wide), data)
        if op == "cmpswap":
            c.put(sregs(20 + wide, wide), cmp)
        glc = k % 2 == 1
        text = "s9" if k == 2 else hex(off)
        if k == 2:
            c.put("s9", off)
        if not outside:
            c.mem.write(MEM + off, atomic(op, old, data, cmp, bits), n)
        if glc:
            v = 0 if outside else old
            if v != data:
                c.result(sregs(20, wide), v)
        c.emit(f, "%s %s, %s, %s%s" % (mnemonic(row, gen), sregs(20, regs_n), sregs(4, 4 if buffer else 2), text,
                                       " glc" if glc else ""))


def generate(f):
    for number, row in enumerate(rows("smem.def", ("SMEM",))):
        f.note(row.name)
        for gen in row.gens:
            name = mnemonic(row, gen)
            if row.name in ("S_MEMTIME", "S_MEMREALTIME"):
                real = row.name == "S_MEMREALTIME"
                f.add(gen, name + " s[20:21]", [], [("s[20:21]", 0x1122334455667788 if real else 0x99aabbccddeeff00)])
                f.add(gen, name + " vcc", [], [("vcc", 0x1122334455667788 if real else 0x99aabbccddeeff00)])
            elif row.name.startswith("S_ATC_PROBE"):
                f.add(gen, "%s 3, %s, 0x40" % (name, sregs(4, 4 if row.has("BUF") else 2)), [("s[4:5]", MEM)], [])
            elif row.name.startswith("S_DCACHE_DISCARD"):
                f.add(gen, name + " s[4:5], 0x40", [("s[4:5]", MEM), ("mem[100040]", [5])], [])
            elif row.has("NO_ADDR"):
                f.add(gen, name, [], [])
            elif row.has("LOAD"):
                loads(f, row, gen, number)
            elif row.has("STORE"):
                stores(f, row, gen, number)
            else:
                atomics(f, row, gen, number)
