#!/usr/bin/env python3
"""`atoll pm4` on small inputs made here: text and binary buffers, a capture with nested, chained and
looping buffers, damaged files; exit status, registers, JSON. Environment: ATOLL."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

ATOLL = os.environ.get("ATOLL", "./atoll")
failures = 0


def run(*args):
    p = subprocess.run([ATOLL, "pm4", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=60)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def expect(what, condition, shown=""):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}\n{shown}")


def header(op, body):
    return 3 << 30 | (body - 1) << 16 | op << 8


def call(va, dw, chain=False):
    return [header(0x3F, 3), va & 0xFFFFFFFF, va >> 32, dw | chain << 20]


def set_context(reg, *values):
    return [header(0x69, 1 + len(values)), reg, *values]


def pack(dwords):
    return struct.pack(f"<{len(dwords)}I", *dwords)


def write_capture(folder, bos, ib_va, ib_dw):
    """A raw capture folder: bos is {va: dwords}, each in its own 4096 bytes."""
    os.makedirs(folder)
    entries = []
    for i, (va, dwords) in enumerate(bos.items()):
        name = f"bo{i}.bin"
        with open(os.path.join(folder, name), "wb") as f:
            f.write(pack(dwords).ljust(4096, b"\0"))
        entries.append({"handle": i + 1, "va": va, "size": 4096, "domain": 2, "flags": 0,
                        "file": name})
    with open(os.path.join(folder, "ib.bin"), "wb") as f:
        f.write(pack((bos[ib_va] + [0] * 1024)[:ib_dw]))
    with open(os.path.join(folder, "capture.json"), "w") as f:
        json.dump({"chip": "bonaire", "device_id": 26200, "family": 120, "external_rev": 20,
                   "gb_addr_config": 302055425, "submissions": [
                       {"index": 0, "ctx": 1, "chunks": [
                           {"id": 1, "dw": 8, "ip": "GFX", "ring": 0, "va": ib_va,
                            "bytes": 4 * ib_dw, "flags": 0, "file": "ib.bin"}],
                        "bos": entries}]}, f)
    return folder


def main():
    with tempfile.TemporaryDirectory() as tmp:
        def path(name):
            return os.path.join(tmp, name)

        def write(name, data):
            with open(path(name), "wb") as f:
                f.write(data)
            return path(name)

        # Text and binary of the same buffer.
        draw = [header(0x2D, 2), 3, 2]
        text = write("draw.txt", b"c0012d00, 0x3\n2 # a triangle\n")
        binary = write("draw.bin", pack(draw))
        rc, out, err = run(text)
        expect("text", rc == 0 and "DRAW_INDEX_AUTO" in out and
               "VGT_DRAW_INITIATOR SOURCE_SELECT=DI_SRC_SEL_AUTO_INDEX" in out, out + err)
        expect("binary", run(binary)[1] == out)
        expect("no colours in a pipe", "\033" not in out)
        expect("all fields", "NOT_EOP=0" in run("-a", text)[1])

        # Registers.
        regs = write("regs.bin", pack(set_context(0x318, 0x1000, 0x2) + set_context(0x31E, 5)))
        rc, out, err = run("--registers", "--chip", "bonaire", regs)
        expect("registers", out == "CB_COLOR0_BASE = 0x00001000\nCB_COLOR0_PITCH = 0x00000002\n"
               "0x28c78 = 0x00000005\n", out)
        rc, out, err = run("-r", "--chip", "tonga", regs)
        expect("registers of GFX8", "CB_COLOR0_DCC_CONTROL = 0x00000005\n" in out, out)
        rc, out, err = run("-r", "-j", regs)
        expect("registers as JSON", json.loads(out)[0] ==
               {"name": "CB_COLOR0_BASE", "offset": 0x28C60, "value": 0x1000}, out)

        # Padding, DMA.
        rc, out, err = run(write("pad.bin", pack([0xFFFF1000] * 20 + [0x80000000] * 3)))
        expect("padding", "(20 times)" in out and "(3 times)" in out and out.count("\n") == 4, out)
        rc, out, err = run("--dma", write("dma.bin", pack([1, 3, 0, 0x1000, 0, 0x2000, 0])))
        expect("DMA", rc == 0 and "COPY_LINEAR" in out and "-> 0x2000" in out, out)

        # Bad files.
        for name, data, want in (("odd.bin", b"\0\1\2\xff\5", "whole number"), ("empty", b"", "whole"),
                                 ("words.txt", b"hello", "hex dwords")):
            rc, out, err = run(write(name, data))
            expect(name, rc == 2 and want in err, err)
        expect("no file", run(path("none"))[0] == 2)
        expect("no chip", run("--chip", "voodoo2", text)[0] == 2)
        rc, out, err = run(write("short.bin", pack(draw + [header(0x27, 5), 1])))
        expect("cut packet", rc == 1 and "dword 0x3" in out and "DRAW_INDEX_2" in out, out)
        rc, out, err = run(write("type1.bin", pack([0x40000000])))
        expect("type 1", rc == 1 and "type 1" in out, out)

        # A capture: nested call, chain, a call of unmapped memory, a loop.
        a, b, c = 0x100001000, 0x100002000, 0x100003000
        good = write_capture(path("good"), {
            a: set_context(0, 1) + call(b, 3) + set_context(0, 2) + call(c, 3, True) + draw,
            b: set_context(0, 10),
            c: set_context(0, 20)}, a, 17)
        rc, out, err = run("-r", good)
        values = re.findall(r"DB_RENDER_CONTROL = 0x0*([0-9a-f]+)", out)
        expect("order of nested and chained buffers", rc == 0 and values == ["1", "a", "2", "14"],
               out + err)
        rc, out, err = run(good)
        expect("what follows a chain is not printed", "DRAW_INDEX_AUTO" not in out, out)
        expect("indented", "    000000  c0016900  SET_CONTEXT_REG" in out, out)
        buffers = json.loads(run("-j", good)[1])["submissions"][0]["ibs"][0]["buffers"]
        expect("chained buffers in JSON", [x["va"] for x in buffers] == [hex(a), hex(c)])
        expect("nested buffers in JSON", buffers[0]["packets"][1]["ibs"][0][0]["va"] == hex(b))

        loop = write_capture(path("loop"), {a: call(b, 4), b: call(a, 4)}, a, 4)
        rc, out, err = run(loop)
        expect("loop of calls", rc == 1 and "calls itself" in out, out)
        loop = write_capture(path("chain"), {a: draw + call(b, 4, True), b: call(a, 7, True)}, a, 7)
        rc, out, err = run(loop)
        expect("loop of chains", rc == 1 and out.count("DRAW_INDEX_AUTO") == 1, out)
        # Two calls of the next level in each: 2^n buffers.
        many = {a + 0x1000 * i: call(a + 0x1000 * (i + 1), 8) * 2 for i in range(30)}
        rc, out, err = run(write_capture(path("many"), many, a, 8))
        expect("nest too deep", rc == 1 and "nested too deep" in out)
        rc, out, err = run(write_capture(path("gone"), {a: call(0x5000, 4)}, a, 4))
        expect("unmapped", rc == 1 and "only 0 of its 4 dwords are mapped" in out, out)

        # A .gcap, whole and cut.
        gcap = path("good.gcap")
        subprocess.run([ATOLL, "import", good, "-o", gcap], check=True, stdout=subprocess.DEVNULL)
        expect("gcap as its folder", run(gcap)[1] == run(good)[1])
        with open(gcap, "rb") as f:
            data = f.read()
        rc, out, err = run(write("cut.gcap", data[:-10]))
        expect("cut gcap", rc == 2 and err and "SET_CONTEXT_REG" in out, err)

        # Shaders.
        pgm = 0x100004000
        prog = write_capture(path("shader"), {
            a: [header(0x76, 3), 0x20C, pgm >> 8 & 0xFFFFFFFF, pgm >> 40, header(0x15, 4), 1, 1, 1, 1],
            pgm: [0xBF810000]}, a, 9)
        rc, out, err = run("--shaders", prog)
        expect("shader", f"shader CS at {hex(pgm)}, 1 dwords:" in out and "s_endpgm" in out, out)
        s = json.loads(run("-s", "-j", prog)[1])["submissions"][0]["shaders"]
        expect("shader in JSON", s[0]["stage"] == "CS" and s[0]["va"] == hex(pgm) and
               "s_endpgm" in s[0]["text"], s)
    print(f"check-pm4-command: {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
