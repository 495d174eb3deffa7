#!/usr/bin/env python3
"""Compare two outputs of examples/vk_texture: the reference's and a chip's.

  texture_compare.py REFERENCE CHIP [--verbose]

Each test's tolerance is absolute (0: bit for bit, but that NaNs are equal and zeros have no sign). Where a gather of
a cube looks at a corner, the fourth texel is the average of the others or any of them: components that differ are
accepted there when the other three agree and it lies between them. Exit 1 when a test differs or is missing.
"""
import struct
import sys


def read(path):
    tests = {}
    with open(path) as f:
        for line in f:
            word = line.split()
            if word[0] == "test":
                rows = []
                tests[word[1]] = (float(word[2]), rows)
            else:
                rows.append([int(w, 16) for w in word])
    return tests


def as_float(v):
    return struct.unpack("<f", struct.pack("<I", v))[0]


def difference(a, b):
    if a == b:
        return 0.0
    x, y = as_float(a), as_float(b)
    if x != x and y != y:
        return 0.0
    d = abs(x - y)
    return d if d == d else float("inf")


def corner(a, b, tolerance):
    bad = [i for i in range(4) if difference(a[i], b[i]) > tolerance]
    rest = [as_float(a[i]) for i in range(4) if i not in bad]
    return len(bad) == 1 and min(rest) - 0.01 <= as_float(b[bad[0]]) <= max(rest) + 0.01


def main():
    reference, chip = read(sys.argv[1]), read(sys.argv[2])
    passed = failed = skipped = samples = 0
    for name, (tolerance, rows) in reference.items():
        if name not in chip:
            print(f"{name}: missing")
            failed += 1
            continue
        other = chip[name][1]
        if not rows or not other:
            skipped += 1
            print(f"{name}: not compared: {'reference' if not rows else 'chip'} has no such format")
            continue
        bad, worst, first = 0, 0.0, None
        # Tolerance 0 compares bits of integers: their float values say nothing.
        for i, (a, b) in enumerate(zip(rows, other)):
            if a == b:
                continue
            d = max(difference(x, y) for x, y in zip(a, b))
            if tolerance == 0 and d == 0 and all(x == y or as_float(x) == as_float(y) == 0 or as_float(x) != as_float(x)
                                                 for x, y in zip(a, b)):
                continue
            if tolerance == 0 or (d > tolerance and not ("cube" in name and name.endswith("gather") and
                                                         corner(a, b, tolerance))):
                bad += 1
                first = first or (i, a, b)
            worst = max(worst, d)
        samples += len(rows)
        if bad or len(rows) != len(other):
            failed += 1
            i, a, b = first
            print(f"{name}: {bad} of {len(rows)} differ (worst {worst:.5f}, allowed {tolerance:g}); first {i}:")
            print("   reference", *(f"{as_float(v):.6g}" for v in a))
            print("   chip     ", *(f"{as_float(v):.6g}" for v in b))
        else:
            passed += 1
            if "--verbose" in sys.argv:
                print(f"{name}: ok, worst {worst:.5f} of {tolerance:g}")
    print(f"{passed} tests equal, {failed} differ, {skipped} not compared; {samples} samples")
    return failed != 0


sys.exit(main())
