#!/usr/bin/env python3
"""A reader of .gcap files that shares no code with the emulator: docs/capture-format.md in Python.

Standard library only; zstd frames go through the `zstd` command. Prints a line per record:

    read_gcap.py FILE            every record
    read_gcap.py --summary FILE  one JSON object, comparable with `atoll capture-info --json`

Exit 0 when the file is whole, 2 when it is not (what was good is printed, then the reason).
"""
import json
import struct
import subprocess
import sys
import zlib

MAGIC = b"\x89GCAP\r\n\x1a"
RAW_MAX = 4194304
KINDS = ["", "header", "map", "unmap", "memory", "submit", "expect", "marker", "end"]
RINGS = ["gfx", "compute", "dma", "ce"]


class Damage(Exception):
    pass


def fnv1a(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def unzstd(data):
    p = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
    if p.returncode:
        raise Damage("zstd refuses the contents")
    return p.stdout


def chunks(data):
    """(kind, offset, stored bytes, raw contents) of each good chunk; raises Damage at the first bad."""
    if data[:8] != MAGIC:
        raise Damage("not a capture")
    at, number, kind = 8, 0, 0
    while kind != 8:
        if at == len(data):
            raise Damage(f"byte {at}: no end chunk")
        head = data[at:at + 28]
        if len(head) < 28:
            raise Damage(f"byte {at}: ends inside a chunk's header")
        magic, kind, seq, stored, raw, crc, head_crc = struct.unpack("<4s6I", head)
        body = data[at + 28:at + 28 + stored]
        if magic != b"CHNK" or head_crc != zlib.crc32(head[:24]) or seq != number:
            raise Damage(f"byte {at}: bad chunk header")
        if raw > RAW_MAX or stored > raw + raw // 128 + 512:
            raise Damage(f"byte {at}: sizes out of range")
        if len(body) < stored or crc != zlib.crc32(body):
            raise Damage(f"byte {at}: bad contents")
        body = unzstd(body)
        if len(body) != raw or not 1 <= kind <= 8 or (kind == 1) != (number == 0):
            raise Damage(f"byte {at}: bad chunk")
        yield kind, at, stored, body
        at += 28 + stored
        number += 1
    if at != len(data):
        raise Damage(f"byte {at}: bytes follow the end chunk")


def text(body, at):
    n, = struct.unpack_from("<H", body, at)
    return body[at + 2:at + 2 + n].decode(), at + 2 + n


def records(kind, body):
    if kind == 1:
        names = ("version", "device_id", "family", "external_rev", "gb_addr_config")
        r = dict(zip(names, struct.unpack_from("<5I", body)))
        r["chip"], at = text(body, 20)
        r["driver"], at = text(body, at)
        yield r
    elif kind == 2:
        names = ("va", "bytes", "object", "offset", "object_bytes", "prot", "domain")
        yield dict(zip(names, struct.unpack("<5Q2I", body)))
    elif kind == 3:
        yield dict(zip(("va", "bytes"), struct.unpack("<2Q", body)))
    elif kind == 4:
        at = 0
        while at < len(body):
            va, n = struct.unpack_from("<2Q", body, at)
            data = body[at + 16:at + 16 + n]
            if len(data) != n or not n:
                raise Damage("a range of memory is larger than its chunk")
            yield {"va": va, "bytes": n, "hash": fnv1a(data)}
            at += 16 + n
    elif kind == 5:
        context, n, fence_va, fence_value = struct.unpack_from("<2I2Q", body)
        ibs = [struct.unpack_from("<2IQ", body, 24 + 16 * i) for i in range(n)]
        yield {"context": context, "fence_va": fence_va, "fence_value": fence_value,
               "ibs": [{"ring": RINGS[r], "size_dw": dw, "va": va} for r, dw, va in ibs]}
    elif kind == 6:
        yield dict(zip(("va", "bytes", "hash"), struct.unpack("<3Q", body)))
    elif kind == 7:
        yield {"text": text(body, 0)[0]}
    else:
        yield {"submissions": struct.unpack("<Q", body)[0]}


def main():
    summary = sys.argv[1] == "--summary"
    out = {"chunks": dict.fromkeys(KINDS[1:], 0), "stored_bytes": 0, "raw_bytes": 0,
           "submissions": [], "complete": True}
    memory_bytes = 0
    status = 0
    try:
        with open(sys.argv[-1], "rb") as f:
            data = f.read()
        for kind, at, stored, body in chunks(data):
            out["chunks"][KINDS[kind]] += 1
            out["stored_bytes"] += stored
            out["raw_bytes"] += len(body)
            for r in records(kind, body):
                if not summary:
                    print(at, KINDS[kind], json.dumps(r))
                if kind == 1:
                    out.update(r)
                elif kind == 4:
                    memory_bytes += r["bytes"]
                elif kind == 5:
                    out["submissions"].append({"offset": at, "memory_bytes": memory_bytes, **r})
                    memory_bytes = 0
    except Damage as e:
        out["complete"] = False
        status = 2
        print(f"read_gcap.py: {sys.argv[-1]}: {e}", file=sys.stderr)
    if summary:
        print(json.dumps(out))
    return status


if __name__ == "__main__":
    sys.exit(main())
