#!/usr/bin/python3
"""Block-compressed textures against the decoders of Debian's Pillow (python3-pil): random blocks of BC1 to BC7,
BLOCKS of each (default 20000), through `test_block LAYOUT`. Part of make check-long; skipped loudly without Pillow.

Pillow has 8 bits in a channel: BC6 is compared where it lies in 0..1. What may differ: BC1 to BC3 have AMD's
factors instead of thirds (docs/errata.md, E-bc); BC1 to BC6 are truncated to 8 bits there. Signed blocks: Pillow 9
halves BC5's ends before it compares them (they are kept apart here) but not its fixed -1 and 1, and of BC6 it does not extend the sign of ends
that are stored as differences: only the two modes without are compared (check-texture.sh has all, with Mesa)."""
import array
import os
import random
import subprocess
import sys

try:
    from PIL import Image
except ImportError:
    print("SKIPPED: no Pillow (python3-pil): block-compressed textures not compared with it")
    sys.exit(77)

N = int(os.environ.get("BLOCKS", "20000"))
SIDE = 4 * max(1, int(N ** 0.5))
BUILD = os.path.dirname(os.environ.get("ATOLL", "./atoll"))
# name, Pillow's number, its mode and pixel format, bytes, signed, tolerance of colour and of alpha in 1/255
KINDS = [
    ("BC1", 1, "RGBA", "", 8, False, 3, 0), ("BC2", 2, "RGBA", "", 16, False, 3, 0),
    ("BC3", 3, "RGBA", "", 16, False, 3, 1), ("BC4", 4, "L", "", 8, False, 1, 0),
    ("BC5", 5, "RGB", "", 16, False, 1, 0), ("BC5", 5, "RGB", "BC5S", 16, True, 2, 0),
    ("BC6", 6, "RGB", "BC6H", 16, False, 1.5, 0), ("BC6", 6, "RGB", "BC6HS", 16, True, 1.5, 0),
    ("BC7", 7, "RGBA", "", 16, False, 0, 0),
]


def blocks(name, size, rng, count, signed):
    out = bytearray(rng.randbytes(size * count))
    for i in range(0, len(out), size):
        if name == "BC7":  # each mode as often
            mode = rng.randrange(8)
            out[i] = (out[i] & ~((2 << mode) - 1) | 1 << mode) & 0xff
        elif name == "BC1" and rng.randrange(2):  # both orders of the ends
            out[i:i + 2], out[i + 2:i + 4] = out[i + 2:i + 4], out[i:i + 2]
        elif name == "BC5" and signed:
            for k in (i, i + 8):
                while abs((out[k] ^ 128) - (out[k + 1] ^ 128)) < 2:
                    out[k] = rng.randrange(256)
        elif name == "BC6":  # each mode, but for those that do not exist
            if signed:
                out[i] = out[i] & 0xe0 | rng.choice((3, 30))
            while out[i] & 31 in (0x13, 0x17, 0x1b, 0x1f):
                out[i] = rng.randrange(256)
    return bytes(out)


bad = 0
for name, n, mode, pixel_format, size, signed, tolerance, alpha_tolerance in KINDS:
    rng = random.Random(n + signed)
    data = blocks(name, size, rng, (SIDE // 4) ** 2, signed)
    try:
        image = Image.frombytes(mode, (SIDE, SIDE), data, "bcn", (n, pixel_format))
    except (TypeError, ValueError) as e:
        print(f"{name}{' signed' if signed else ''}: this Pillow cannot: {e}")
        continue
    theirs = image.tobytes()
    channels = len(mode)
    command = [os.path.join(BUILD, "tests", "test_block"), name] + (["signed"] if signed else [])
    ours = array.array("f", subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout)
    worst = [0, 0]
    compared = 0
    for b in range((SIDE // 4) ** 2):
        for t in range(16):
            x, y = b % (SIDE // 4) * 4 + t % 4, b // (SIDE // 4) * 4 + t // 4
            for c in range(2 if name == "BC5" else channels):
                v = ours[(b * 16 + t) * 4 + c]
                if name == "BC6":
                    v = min(max(v, 0), 1)
                w = theirs[(y * SIDE + x) * channels + c]
                if signed and name == "BC5" and not (abs(v) == 1 and w in (0, 255)):
                    v = (v * 127 + 255) / 2 / 255
                elif signed and name == "BC5":
                    v = (v + 1) / 2
                worst[c == 3] = max(worst[c == 3], abs(v * 255 - w))
                compared += 1
    ok = worst[0] <= tolerance + 1e-3 and worst[1] <= alpha_tolerance + 1e-3
    bad += not ok
    print(f"{name}{' signed' if signed else ''}: {(SIDE // 4) ** 2} blocks, {compared} values; "
          f"differ by {worst[0]:.2f} and in alpha {worst[1]:.2f} of 255 at most{'' if ok else ': FAIL'}")
print("check-blocks:", "FAIL" if bad else "ok")
sys.exit(1 if bad else 0)
