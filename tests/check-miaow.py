#!/usr/bin/env python3
"""The traces of MIAOW's unit tests (GFX6; Multi2Sim made them): each instruction of each program with
the registers before it, as a test vector on its own, against the registers that the trace says it wrote.

Multi2Sim looks at no descriptor's size and at no alignment. Where the hardware does, a program's trace contradicts
the manuals (docs/errata.md, E-miaow): CONTRADICTED names those and what we want instead. Their memory lies at 0, ours at
MEM: descriptors are moved by that much.
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
MEM = 0x100000
CONTRADICTED = {
    "test_201_buff_ld_dw": "the base, 14, is not a multiple of 4",
    "test_300_tbuff_ld_fmt_x": "the buffer has no records, and no format 32_UNORM exists",
    "test_301_tbuff_ld_fmt_xyzw": "the buffer has no records, and no format 32_32_32_32_UNORM exists",
    "test_302_tbuff_st_fmt_x": "the buffer has no records, and no format 32_UNORM exists",
    "test_303_tbuff_st_fmt_xyzw": "the buffer has no records, and no format 32_32_32_32_UNORM exists",
    "test_304_ds_wr_b32": "addresses that are no multiples of 4",
}


def load(archive):
    """The programs: name -> (config, trace)."""
    data = subprocess.run(["zstdcat", archive], capture_output=True, check=True).stdout
    out = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for m in tar:
            parts = m.name.split("/")
            if m.isfile() and len(parts) == 3 and parts[2] in ("unit_test_config.txt", "unit_test_data.mem",
                                                               parts[1] + "_trace"):
                kind = "config" if parts[2].endswith(".txt") else "data" if parts[2].endswith(".mem") else "trace"
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


def dword(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def memory(name, mnemonic, text, lines, s, v, data):
    """A memory instruction: (cells to set besides, what it does), by the manuals; the same as the trace says unless
    the program is contradicted."""
    n = int(re.search(r" [sv]\[?(\d+)", text)[1])
    if mnemonic.startswith(("s_load", "s_buffer_load")):
        base = int(re.search(r", s\[(\d+):", text)[1])
        count = 1 if mnemonic.endswith("dword") else int(mnemonic[-1])
        at = (s[base] & ~3) + 4 * int(text.split(",")[-1], 16)
        out = [("s%d" % (n + i), dword(data, at + 4 * i)) for i in range(count)]
        said = [("s" + r, int(x) & 0xffffffff) for r, x in re.findall(r"S(\d+)<=\(\d+\)\((-?\d+),", " ".join(lines))]
        assert (out == said) == (name not in CONTRADICTED), (out, said)
        return [("s%d" % base, s[base] + MEM)] + [("mem[%x]" % (MEM + at + 4 * i), x) for i, (_, x) in enumerate(out)], out
    if mnemonic.startswith("tbuffer_load"):
        assert s[int(re.search(r", s\[(\d+):", text)[1]) + 2] == 0
        return [], [("v%d[%d]" % (r, l), 0) for r in range(n, n + (4 if text.split()[0].endswith("xyzw") else 1))
                    for l in range(LANES)] + [("loud", 1)]
    if mnemonic.startswith("tbuffer_store"):
        return [], [("loud", 1)]
    if mnemonic == "ds_write_b32":
        addr, value = map(int, re.findall(r" v(\d+)", text))
        lds = {v[addr, l] & ~3: v[value, l] for l in range(LANES)}
        return [], [("lds[%x]" % a, x) for a, x in lds.items()]
    said = re.findall(r"t(\d+): V(\d+)<=\((\d+)\)\((\d+)\)", " ".join(lines))
    assert mnemonic == "ds_read_b32" and len(said) == LANES and all(x == "0" for _, _, _, x in said)
    return [], [("v%s[%s]" % (r, l), 0) for l, r, _, _ in said]


def vectors(name, config, trace, data, texts, codes):
    """A line for each step."""
    s, v = initial(config)
    special = {"vcc": 0, "exec_lo": (1 << LANES) - 1, "exec_hi": 0, "scc": 0}
    all_steps = steps(trace)
    for i, (at, words, mnemonic, lines) in enumerate(all_steps):
        before = ([("s%d" % r, x) for r, x in s.items()] + list(special.items()) +
                  [("v%d[%d]" % k, x) for k, x in v.items()])
        text = texts[tuple(words)]
        if re.match(r"s_load|s_buffer|tbuffer|ds_", mnemonic):
            extra, after = memory(name, mnemonic, text, lines, s, v, data)
            before += extra
        else:
            after = writes(lines)
        if mnemonic == "s_endpgm":
            after.append(("state", "ended"))
        if mnemonic == "s_barrier":
            after.append(("state", "barrier"))
        result = " ".join("%s=%s" % (k, x if isinstance(x, str) else "%x" % x) for k, x in after)
        if i + 1 < len(all_steps):
            result += " pc=+%x" % (all_steps[i + 1][0] - at)
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
    run = dict(sorted(programs.items()))
    if len(programs) != 69 or not CONTRADICTED.keys() <= run.keys():
        print("expected 69 programs, found %d" % len(programs))
        return 1
    texts, codes = disassemble(sorted({tuple(w) for p in run.values() for _, w, _, _ in steps(p["trace"])}))
    lines = []
    for name, p in run.items():
        data = bytes(int(x, 16) for x in p["data"].split() if x[0] != "@") if "data" in p else b""
        lines += vectors(name, p["config"], p["trace"], data, texts, codes)
    if len(lines) != 197:
        print("expected 197 instructions, found %d" % len(lines))
        return 1
    print("%d programs as their traces, %d as the manuals" % (len(run) - len(CONTRADICTED), len(CONTRADICTED)))
    if "-v" in sys.argv:
        print("\n".join(lines))
    return subprocess.run([ATOLL, "test", "-"], input="\n".join(lines) + "\n", text=True).returncode


if __name__ == "__main__":
    sys.exit(main())
