"""What the generators of vectors share: the table's rows, words by LLVM, lines of a .tv file."""
import os
import re
import subprocess
import sys

GENS = ("gfx6", "gfx7", "gfx8", "gfx9")
CPU = {"gfx6": "gfx600", "gfx7": "gfx704", "gfx8": "gfx803", "gfx9": "gfx900"}
NEED = {"MAD_MIX": "gfx900", "FMA_MIX": "gfx906", "DL": "gfx906", "DOT": "gfx906", "MAI": "gfx908"}
ISA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "isa")


class Row:
    """A row of isa/*.def: names and opcodes only; nothing of what it computes."""

    def __init__(self, enc, name, ops, dst, src, flags):
        self.enc, self.name, self.dst, self.src, self.flags = enc, name, dst, src, flags
        self.need = [NEED[n] for n in re.findall(r"NEED\((\w+)\)", flags)]
        self.gens = tuple(g for g, op in zip(GENS, ops) if op != "NA")
        self.v3only = {g for g, op in zip(GENS, ops) if op.startswith("V3")}

    def target(self, gen):
        """The target of a vector: a generation, or the processor that has the row."""
        return self.need[0] if self.need and gen == "gfx9" else gen

    def has(self, flag):
        return re.search(r"\b%s\b" % flag, self.flags) is not None


def rows(file, encs=None):
    out = []
    for line in open(os.path.join(ISA, file)):
        m = re.match(r"OP\((\w+),\s*(\w+),\s*([\w()]+),\s*([\w()]+),\s*([\w()]+),\s*([\w()]+),\s*(\w+),\s*"
                     r"(S\d(?:\([\w,]*\))?),\s*([\w()|]+),", line)
        if m and (encs is None or m[1] in encs):
            src = re.findall(r"\w+", m[8])[1:]
            out.append(Row(m[1], m[2], m.groups()[2:6], m[7], src, m[9]))
    return out


def spellings():
    """(ID, gen) -> mnemonic where it is not the ID."""
    out = {}
    for line in open(os.path.join(ISA, "spell.def")):
        m = re.match(r'SPELL\((\w+), ([G0-9|]+), "(\w+)"\)', line)
        if m:
            for g in m[2].split("|"):
                out[m[1], "gfx" + g[1:]] = m[3]
    return out


SPELL = spellings()


def mnemonic(row, gen):
    return SPELL.get((row.name, gen), row.name.lower())


def cell_text(state):
    """(cell, value) pairs; a value is a number, text, or a list of numbers."""
    out = []
    for k, v in state:
        if isinstance(v, (list, tuple)):
            v = ",".join("%x" % d for d in v)
        elif not isinstance(v, str):
            v = "%x" % v
        out.append("%s=%s" % (k, v))
    return " ".join(out)


class File:
    """Lines of a .tv file. `canonical`: the text is what LLVM makes of ours."""

    def __init__(self, canonical=False):
        self.lines = []  # (comment,) or (target, text, inputs, results)
        self.canonical = canonical

    def note(self, text):
        self.lines.append((text,))

    def add(self, target, text, inputs, results):
        self.lines.append((target, text, cell_text(inputs), cell_text(results)))

    def write(self, head):
        words = {}
        for target in {v[0] for v in self.lines if len(v) > 1}:
            texts = sorted({v[1] for v in self.lines if v[0] == target and len(v) > 1})
            words.update({(target, t): w for t, w in zip(texts, assemble(target, texts))})
        print("# " + head)
        for v in self.lines:
            if len(v) == 1:
                print("# " + v[0])
            else:
                code, text = words[v[:2]]
                if not self.canonical or "swizzle(" in text or text.startswith("tbuffer"):  # which we write otherwise
                    text = v[1]
                print("%s %s %s | %s -> %s" % (v[0], code, text, v[2], v[3]))


def encode(target, texts):
    """The words of each text, by LLVM."""
    return [w for w, _ in assemble(target, texts)]


def assemble(target, texts):
    """The words of each text and how LLVM writes it."""
    source = "".join(t + "\n" for t in texts)
    p = subprocess.run(["llvm-mc-19", "-arch=amdgcn", "-mcpu=" + CPU.get(target, target), "-show-encoding"],
                       input=source, capture_output=True, text=True)
    if p.returncode:
        sys.exit("%s: %s" % (target, p.stderr[:2000]))
    out = re.findall(r"^\t(.*\S)\s*; encoding: \[([0-9a-fx,]+)\]", p.stdout, re.M)
    if len(out) != len(texts):
        sys.exit("%s: %d encodings for %d lines" % (target, len(out), len(texts)))
    words = []
    for text, e in out:
        b = [int(x, 16) for x in e.split(",")]
        code = " ".join("%08x" % int.from_bytes(bytes(b[i:i + 4]), "little") for i in range(0, len(b), 4))
        words.append((code, re.sub(r"\s+", " ", text).replace("_e32 ", " ")))
    return words
