#!/usr/bin/env python3
"""Writes valu.tv: vectors of every VOP1, VOP2 and VOP3 row with 32-bit operands, for every generation that has it,
with SDWA, DPP and relative registers; values are computed here, exactly (exact.py), from the formulas of the ISA
manuals and of CLRX, never by the emulator. LLVM gives the instruction words.

    testvectors/gen_valu.py > testvectors/valu.tv

It reads isa/vop.def for the names of the rows only, and stops when one of 32-bit operands has no vector. A line
holds up to 64 cases, one a lane.
"""
import sys

import valu_float
import valu_int
import valu_lanes
from valu_lines import ROWS, done, mine, out


def main():
    valu_float.arithmetic()
    valu_float.minimum()
    valu_float.rounding()
    valu_float.transcendental()
    valu_float.conversions()
    valu_float.cubes()
    valu_float.division()
    valu_int.integers()
    valu_int.wide_sads()
    valu_int.carries()
    valu_int.select()
    valu_lanes.operands()
    valu_lanes.lane_moves()
    valu_lanes.sdwa()
    valu_lanes.dpp()
    valu_float.fp16_ovfl()
    valu_lanes.special_sources()
    missing = ["%s %s" % (g, n) for n, r in ROWS.items() if mine(r) for g in r.gens if (g, n) not in done]
    if missing:
        sys.exit("no vector: " + ", ".join(missing))
    out.write("Vector ALU instructions of 32 bits. Made by gen_valu.py (exact arithmetic); the format: atoll-test(1).")


if __name__ == "__main__":
    main()
