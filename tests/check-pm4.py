#!/usr/bin/env python3
"""Compare `atoll pm4` with Mesa's own decoding of the same command buffers.

The captures in $SHARED/captures hold, for some indirect buffers, the text that Mesa printed for
them (*.mesa_parse.txt beside the .bin). For each of these: the same packets in the same order, the
same dwords in each, the same registers with the same values, and every field that Mesa prints with
the same value and, where both name the value, the same name.

Environment: ATOLL (the program), SHARED (the folder). Exit 77 when SHARED has no captures.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ATOLL = os.environ.get("ATOLL", "./atoll")
SHARED = os.environ.get("SHARED", "../shared")
TARBALL = os.path.join(SHARED, "captures", "mesa-22.3.6.tar.zst")

# What Mesa calls otherwise: packets; dwords of a packet.
PACKETS = {"INDIRECT_BUFFER_CIK": "INDIRECT_BUFFER"}
DWORDS = {("EVENT_WRITE", "VGT_EVENT_INITIATOR"): "EVENT",
          ("EVENT_WRITE_EOP", "VGT_EVENT_INITIATOR"): "EVENT",
          ("RELEASE_MEM", "VGT_EVENT_INITIATOR"): "EVENT"}

LINE = re.compile(r"^ *([0-9a-f]{8}) (.*)$")
PACKET = re.compile(r"^([A-Z][A-Z0-9_]*)(\(predicate\))?:$")


class Dword:
    def __init__(self, value):
        self.value, self.name, self.fields = value, None, []  # fields: (name, text)


class Packet:
    def __init__(self, header, name, predicate):
        self.header, self.name, self.predicate, self.dwords = header, name, predicate, []


def parse_mesa(path):
    """The packets of a text; each dword with the names Mesa gave it."""
    packets, dword = [], None
    with open(path) as f:
        for line in f:
            line = line.rstrip("\n")
            m = LINE.match(line)
            text = m.group(2).strip() if m else line.strip()
            if m:
                p = PACKET.match(text)
                if p:
                    packets.append(Packet(int(m.group(1), 16), p.group(1), bool(p.group(2))))
                    continue
                if text == "NOP (type 2)":
                    packets.append(Packet(int(m.group(1), 16), None, False))
                    continue
                dword = Dword(int(m.group(1), 16))
                packets[-1].dwords.append(dword)
            elif not text or text.startswith("---"):
                continue
            if not text:
                continue
            if " <- " in text:  # a name of the dword, or a further part of it
                name, text = text.split(" <- ", 1)
                if dword.name is None:
                    dword.name = name.strip()
                    if " = " not in text:
                        continue  # the whole dword as a number
                else:
                    dword.fields.append((name.strip(), text.strip()))
                    continue
            if " = " in text:
                name, text = text.split(" = ", 1)
                dword.fields.append((name.strip(), text.strip()))
            else:
                raise SystemExit(f"{path}: cannot read '{line}'")
    return packets


def number(text):
    """Mesa's ways to write a number: 5 | 112 (0x00070) | 0xffff | 1.0f (0x3f800000). None: a name."""
    m = re.match(r"^-?[0-9.]+f? \((0x[0-9a-f]+)\)$", text) or re.match(r"^(0x[0-9a-f]+|[0-9]+)$", text)
    return int(m.group(1), 0) if m else None


def compare(name, mesa, atoll):
    """The differences as lines of text, and how many registers and fields were compared."""
    out, registers, fields = [], 0, 0
    if len(mesa) != len(atoll):
        out.append(f"{name}: {len(mesa)} packets for Mesa, {len(atoll)} for atoll")
    for m, a in zip(mesa, atoll):
        at = f"{name} dword 0x{a['offset_dw']:x} {m.name}"
        want = PACKETS.get(m.name, m.name)
        if (m.header, want) != (a["header"], a.get("name")):
            out.append(f"{at}: {m.header:08x} {want} is {a['header']:08x} {a.get('name')}")
            break
        if m.predicate != a.get("predicate", False):
            out.append(f"{at}: predicate")
        if [d.value for d in m.dwords] != [d["value"] for d in a["dwords"]]:
            out.append(f"{at}: other dwords")
            continue
        sets = re.match(r"SET_(CONTEXT|CONFIG|SH|UCONFIG)_REG", m.name or "")
        for i, (md, ad) in enumerate(zip(m.dwords, a["dwords"])):
            if sets and i == 0:
                known = {f["name"]: f for f in ad["fields"]}
            else:
                if sets:
                    registers += 1
                    if "register_offset" not in ad:
                        out.append(f"{at}: dword {i} is no register")
                        continue
                mesa_name = DWORDS.get((m.name, md.name), md.name)
                if sets and re.match(r"0x[0-9a-f]{5}$", md.name or ""):
                    if int(md.name, 16) != ad["register_offset"] or "name" in ad:
                        out.append(f"{at}: register {md.name} is {ad}")
                    continue
                if mesa_name is not None and mesa_name != ad.get("name"):
                    out.append(f"{at}: {mesa_name} is called {ad.get('name')}")
                    continue
                known = {f["name"]: f for f in ad.get("fields", [])}
            for fname, text in md.fields:
                fields += 1
                f = known.get(fname)
                if f is None:
                    out.append(f"{at}: {md.name} has no {fname}")
                elif number(text) is not None:
                    if number(text) != f["value"]:
                        out.append(f"{at}: {md.name}.{fname} {text} is {f['value']}")
                elif text != f.get("enum"):
                    out.append(f"{at}: {md.name}.{fname} {text} is {f.get('enum')} ({f['value']})")
    return out, registers, fields


def main():
    if not os.path.exists(TARBALL):
        print(f"check-pm4: SKIPPED, no {TARBALL}: nothing was compared with Mesa", file=sys.stderr)
        return 77
    failed = compared = 0
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run(["tar", "--zstd", "-xf", TARBALL, "-C", tmp], check=True)
        for path in sorted(glob.glob(os.path.join(tmp, "**", "*.mesa_parse.txt"), recursive=True)):
            folder = os.path.dirname(path)
            name = os.path.relpath(path, tmp)
            with open(os.path.join(folder, "capture.json")) as f:
                chip = re.search(r'"chip":"(\w+)"', f.read()).group(1)
            run = subprocess.run([ATOLL, "pm4", "--json", "--chip", chip,
                                  path.replace(".mesa_parse.txt", ".bin")],
                                 stdout=subprocess.PIPE, check=True)
            atoll = json.loads(run.stdout)["submissions"][0]["ibs"][0]["buffers"]
            if len(atoll) != 1 or "error" in atoll[0]:
                print(f"{name}: {atoll[0].get('error', 'chained')}")
                failed += 1
                continue
            mesa = parse_mesa(path)
            out, registers, fields = compare(name, mesa, atoll[0]["packets"])
            print(f"{name}: {len(mesa)} packets, {registers} registers, {fields} fields: "
                  f"{len(out)} differences")
            for line in out[:20]:
                print("  " + line)
            failed += bool(out)
            compared += 1
    if not compared:
        print("check-pm4: no *.mesa_parse.txt in the captures")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
