#!/usr/bin/env python3
"""Compare images by the standard library alone: 8-bit RGB or RGBA, not interlaced.

usage: png_compare.py A B [MAX]     A and B: a .png, or raw R8G8B8A8 of 256x256 (any other name)

Prints the largest difference of a channel (alpha left out where one side has none) and the number of
pixels that are covered (differ from their own top-left pixel by more than MAX) on one side only. Exit 0
when the first is at most MAX (default 0) and the second is 0.
"""
import struct, sys, zlib


def png(path):
    d = open(path, "rb").read()
    at, idat = 8, b""
    while at < len(d):
        n, kind = struct.unpack(">I4s", d[at:at + 8])
        if kind == b"IHDR":
            w, h, depth, color = struct.unpack(">IIBB", d[at + 8:at + 18])
        if kind == b"IDAT":
            idat += d[at + 8:at + 8 + n]
        at += 12 + n
    bpp = {2: 3, 6: 4}[color]
    if depth != 8:
        sys.exit(f"{path}: {depth} bits a channel")
    raw, prev, rows, stride = zlib.decompress(idat), bytearray(w * bpp), [], w * bpp
    for y in range(h):
        f, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - bpp] if i >= bpp else 0
            b = prev[i]
            c = prev[i - bpp] if i >= bpp else 0
            if f == 1:
                p = a
            elif f == 2:
                p = b
            elif f == 3:
                p = (a + b) // 2
            elif f == 4:
                e = a + b - c
                pa, pb, pc = abs(e - a), abs(e - b), abs(e - c)
                p = a if pa <= pb and pa <= pc else b if pb <= pc else c
            else:
                p = 0
            line[i] = (line[i] + p) & 255
        rows.append(line)
        prev = line
    return w, h, [tuple(r[x * bpp:x * bpp + 3]) for r in rows for x in range(w)]


def load(path):
    if path.endswith(".png"):
        return png(path)
    d = open(path, "rb").read()
    return 256, 256, [tuple(d[4 * i:4 * i + 3]) for i in range(256 * 256)]


def main():
    a, b = load(sys.argv[1]), load(sys.argv[2])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if a[:2] != b[:2]:
        sys.exit(f"{a[0]}x{a[1]} against {b[0]}x{b[1]}")
    diff = max(abs(p - q) for x, y in zip(a[2], b[2]) for p, q in zip(x, y))
    far = lambda p, q: max(abs(i - j) for i, j in zip(p, q)) > most
    cover = sum(far(x, a[2][0]) != far(y, b[2][0]) for x, y in zip(a[2], b[2]))
    print(f"largest difference {diff}, covered on one side only {cover}")
    sys.exit(0 if diff <= most and cover == 0 else 1)


main()
