"""Vectors of image instructions: that each operand reaches the texture unit.

The unit is told what the mnemonic says (load, sample, compare, ...), DMASK and the modifiers, where data and addresses
lie, T# and S# (R128: four dwords of T#). The order of the address operands is isa.h's; the manuals' tables "image
opcodes" and "address operands" say which an instruction has.
"""
from mem_model import *
from vectors import rows

WHAT = ["LOAD", "STORE", "ATOMIC", "SAMPLE", "GATHER4", "RESINFO", "GET_LOD", "MIP", "PCK", "SGN", "CMP", "DERIV",
        "CDERIV", "LOD", "BIAS", "LZ", "LOD_CLAMP", "OFFSET"]
FLAGS = {"unorm": 1, "glc": 2, "slc": 4, "da": 8, "tfe": 16, "lwe": 32, "r128": 64, "d16": 128, "a16": 256}


def what_of(name):
    """From the mnemonic alone."""
    words = name.split("_")[1:]
    kind, rest = words[0], words[1:]
    if kind in ("GATHER4", "GATHER4H"):
        out = {"SAMPLE", "GATHER4"}
    elif name == "IMAGE_GET_LOD":
        return {"SAMPLE", "GET_LOD"}
    elif name == "IMAGE_GET_RESINFO":
        return {"RESINFO"}
    else:
        out = {kind}
    if kind == "ATOMIC":
        return out
    names = {"C": "CMP", "D": "DERIV", "CD": "CDERIV", "L": "LOD", "B": "BIAS", "LZ": "LZ", "CL": "LOD_CLAMP",
             "O": "OFFSET", "MIP": "MIP", "PCK": "PCK", "SGN": "SGN"}
    return out | {names[w] for w in rest}


def regs(first, n, letter="v"):
    return "%s%d" % (letter, first) if n == 1 else "%s[%d:%d]" % (letter, first, first + n - 1)


def address_registers(what, da):
    """For two coordinates, and with DA a slice."""
    if "RESINFO" in what:
        return 1
    n = 2 + da
    n += "MIP" in what
    for w in ("CMP", "LOD", "BIAS", "LOD_CLAMP", "OFFSET"):
        n += w in what
    return n + (4 if what & {"DERIV", "CDERIV"} else 0)


def address_size(n, gen):
    """Tuples that LLVM's assembler takes: 1..12, 16 registers."""
    return n if n <= 12 else 16


def one(f, row, gen, number, variant):
    what = what_of(row.name)
    sampler = "SAMPLE" in what
    atomic, gather = "ATOMIC" in what, "GATHER4" in what
    cmpswap = row.name.endswith("CMPSWAP")
    if atomic:
        dmask = 3 if cmpswap else 1
    elif gather:
        dmask = 1 << number % 4
    else:
        dmask = (1, 0xf, 5, 0xe)[(number + variant) % 4]
    if variant == 2 and not atomic and not gather:
        dmask = 0xb
    data = 4 if gather else bin(dmask).count("1")
    flags = [(), ("unorm", "glc"), ("slc", "lwe"), ("unorm", "glc", "slc", "da")][(number + variant) % 4]
    flags = set(flags)
    if "STORE" in what or atomic:
        flags -= {"lwe"}
        flags |= {"unorm"}
    if variant == 1 and not atomic and "STORE" not in what:
        flags |= {"tfe"}
    if variant == 2 and gen != "gfx9" and not sampler:
        flags |= {"r128"}
    if variant == 2 and gen == "gfx9" and not atomic and "PCK" not in what and "GET_LOD" not in what \
            and "RESINFO" not in what:
        flags |= {"d16"}
        data = (data + 1) // 2
    if variant == 3:
        if gen != "gfx9":
            return
        flags |= {"a16"}
    tsharp = 4 if "r128" in flags else 8
    s_at, t_at = 24, 8
    n = address_size(address_registers(what, "da" in flags), gen)
    if n == 7 and not what & {"DERIV", "CDERIV"}:
        n = 8  # LLVM has no 7 there
    text = "%s %s, %s, %s" % (row.name.lower(), regs(40, data + ("tfe" in flags)), regs(10, n),
                              regs(t_at, 8, "s"))
    if sampler:
        text += ", " + regs(s_at, 4, "s")
    text += " dmask:0x%x" % dmask
    for k in ("unorm", "glc", "slc", "r128", "a16", "tfe", "lwe", "da", "d16"):
        text += " " + k if k in flags else ""
    t = [0x5a5a0000 + t_at + i for i in range(tsharp)] + [0] * (8 - tsharp)
    s = [0x5a5a0000 + s_at + i for i in range(4)] if sampler else [0] * 4
    mask = sum(1 << WHAT.index(w) for w in what)
    f.add(gen, text, [], [("image", [mask, dmask, sum(FLAGS[k] for k in flags), 40, 10] + t + s)])


def generate(f):
    for number, row in enumerate(rows("image.def")):
        f.note(row.name)
        for gen in row.gens:
            for variant in range(4):
                one(f, row, gen, number, variant)
