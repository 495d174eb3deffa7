#!/usr/bin/env python3
"""The traces of MIAOW's unit tests (GFX6; Multi2Sim made them): each instruction of each program with
the registers before it, as a test vector on its own, against the registers that the trace says it wrote.

Left out: the memory programs, whose descriptors are all zero and LDS addresses unaligned, which Multi2Sim does
not look at and the hardware does.
"""
import os
import re
import subprocess
import sys
import tarfile
import io

ARCHIVE = os.path.join(os.environ.get("SHARED", "../shared"), "oracle", "miaow_unit_tests.tar.zst")
ATOLL = os.environ.get("ATOLL", "./atoll")
LANES = 10
DENORMAL = 2.0 ** -149


def load(archive):
    """The programs: name -> (config, trace)."""
    data = subprocess.run(["zstdcat", archive], capture_output=True, check=True).stdout
    out = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for m in tar:
            parts = m.name.split("/")
            if m.isfile() and len(parts) == 3 and parts[2] in ("unit_test_config.txt", parts[1] + "_trace"):
                kind = "config" if parts[2].endswith(".txt") else "trace"
                out.setdefault(parts[1], {})[kind] = tar.extractfile(m).read().decode()
    return out


def initial(config):
    """Registers at the start: "V3:5=7" is v5 of lane 3, "S:5=7" is s5."""
    s, v = {}, {}
    for m in re.finditer(r"([VS])(\d*):([0-9=,]+)", config):
        for pair in m[3].split(","):
            r, value = map(int, pair.split("="))
            if m[1] == "V":
                v[r, int(m[2])] = value
            else:
                s[r] = value
    return s, v


def number(text):
    """A value of the trace: an integer, or a float that these programs' small integers (as bits, so denormals)
    make exact."""
    if not text.endswith("f"):
        return int(text) & 0xffffffff
    units = round(float(text[:-1]) / DENORMAL)
    return units & 0xffffffff if units >= 0 else -units | 0x80000000


def writes(lines):
    """What an instruction wrote: [(cell, value)]."""
    out, masks = [], {}
    text = " ".join(lines)
    for m in re.finditer(r"(?<!\w)(S\d+|exec_lo|exec_hi|scc)<=\((-?\d+)\)", text):
        out.append((m[1].lower(), number(m[2])))
    for m in re.finditer(r"t(\d+): V(\d+)<=\(([^)]*)\)", text):
        out.append(("v%s[%s]" % (m[2], m[1]), number(m[3])))
    for m in re.finditer(r"wf_id(\d+): (vcc|S\[(\d+):\+1\])<=\((\d)\)", text):
        cell = "vcc" if m[2] == "vcc" else "s[%d:%d]" % (int(m[3]), int(m[3]) + 1)
        masks[cell] = masks.get(cell, 0) | int(m[4]) << int(m[1])
    return out + list(masks.items())


def steps(trace):
    """(address, words, mnemonic, lines that follow) of each instruction executed."""
    out = []
    for block in trace.split("###0_0_0\n")[1:]:
        lines = block.splitlines()
        m = re.match(r"\s*(\S+).*// ([0-9A-F]{8}): ([0-9A-F ]+)$", lines[0])
        out.append((int(m[2], 16), m[3].split(), m[1], lines[1:]))
    return out


def cells(state):
    return " ".join("%s=%x" % (k, v) for k, v in state)


def vectors(config, trace, texts, codes):
    """A line for each step."""
    s, v = initial(config)
    special = {"vcc": 0, "exec_lo": (1 << LANES) - 1, "exec_hi": 0, "scc": 0}
    all_steps = steps(trace)
    for i, (at, words, mnemonic, lines) in enumerate(all_steps):
        before = ([("s%d" % r, x) for r, x in s.items()] + list(special.items()) +
                  [("v%d[%d]" % k, x) for k, x in v.items()])
        after = writes(lines)
        if mnemonic == "s_endpgm":
            after.append(("state", "ended"))
        if mnemonic == "s_barrier":
            after.append(("state", "barrier"))
        result = " ".join("%s=%s" % (k, x if isinstance(x, str) else "%x" % x) for k, x in after)
        if i + 1 < len(all_steps):
            result += " pc=+%x" % (all_steps[i + 1][0] - at)
        text = texts[tuple(words)]
        yield "gfx6 %s %s | %s -> %s" % (codes[text], text, cells(before), result)
        for k, x in after:
            m = re.fullmatch(r"v(\d+)\[(\d+)\]", k)
            pair = re.fullmatch(r"s\[(\d+):(\d+)\]", k)
            if m:
                v[int(m[1]), int(m[2])] = x
            elif pair:
                s[int(pair[1])], s[int(pair[2])] = x & 0xffffffff, x >> 32
            elif re.fullmatch(r"s\d+", k):
                s[int(k[1:])] = x
            elif k in special:
                special[k] = x


def batch(command, lines):
    p = subprocess.run([ATOLL, command, "--chip", "gfx600", "--batch"], input="\n".join(lines) + "\n",
                       capture_output=True, text=True, check=True)
    return p.stdout.splitlines()


def swap(words):
    """Words in hex, to bytes in memory order, and back."""
    return "".join(bytes.fromhex(w)[::-1].hex() for w in words)


def disassemble(words):
    """Our text for each instruction, which `atoll test` wants to see again; and the words of that text: the
    traces have fields set that mean nothing (s_barrier 1, the third source of two)."""
    texts = dict(zip(words, batch("dis", [swap(w) for w in words])))
    unique = sorted(set(texts.values()))
    codes = {t: " ".join(swap([b[i:i + 8]]) for i in range(0, len(b), 8))
             for t, b in zip(unique, batch("asm", unique))}
    return texts, codes


def main():
    if not os.path.exists(ARCHIVE):
        print("SKIPPED check-miaow.py: no", ARCHIVE)
        return 77
    programs = load(ARCHIVE)
    left_out = [n for n in programs if re.search(r"_(ld|st|wr|rd)_", n)]
    run = {n: p for n, p in sorted(programs.items()) if n not in left_out}
    if len(programs) != 69 or len(run) != 60:
        print("expected 60 programs to run, of 69; found %d of %d" % (len(run), len(programs)))
        return 1
    texts, codes = disassemble(sorted({tuple(w) for p in run.values() for _, w, _, _ in steps(p["trace"])}))
    lines = []
    for name, p in run.items():
        lines += vectors(p["config"], p["trace"], texts, codes)
    if len(lines) != 146:
        print("expected 146 instructions, found %d" % len(lines))
        return 1
    if "-v" in sys.argv:
        print("\n".join(lines))
    return subprocess.run([ATOLL, "test", "-"], input="\n".join(lines) + "\n", text=True).returncode


if __name__ == "__main__":
    sys.exit(main())
