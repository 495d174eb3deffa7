#!/usr/bin/env python3
"""Writes the vectors of memory instructions, with values that its modules compute by themselves.

    testvectors/gen_mem.py ds > testvectors/ds.tv      (and so for buffer, flat, smem, mimg, misc)

The modules (mem_ds.py ...) say which rules they compute by and where those come from. The table is read for names,
opcodes and operand widths only; LLVM gives the instruction words and the spelling of modifiers.
"""
import importlib
import sys

from vectors import File

WHAT = {
    "ds": ("mem_ds", "Data share instructions"),
    "buffer": ("mem_buffer", "Buffer instructions"),
    "flat": ("mem_flat", "FLAT, GLOBAL and SCRATCH instructions"),
    "smem": ("mem_smem", "Scalar memory instructions"),
    "mimg": ("mem_mimg", "Image instructions: what reaches the texture unit"),
    "misc": ("mem_misc", "Exports, parameter interpolation, and what is left"),
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in WHAT:
        sys.exit("usage: gen_mem.py " + "|".join(WHAT))
    module, title = WHAT[sys.argv[1]]
    f = File(canonical=True)
    importlib.import_module(module).generate(f)
    f.write(title + ". Made by gen_mem.py; the rules: %s.py; the format: atoll-test(1)." % module)


if __name__ == "__main__":
    main()
