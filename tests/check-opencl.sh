#!/bin/sh
# OpenCL C kernels on the emulator against the same source compiled for the host (opencl/run.py). `make
# check` runs a part; LONG=1 (make check-long) all files at -O0, -O2 and -O3, and PROGRAMS (300) random programs
# from SEED (1).
set -eu
. "$SRCDIR/tests/opencl/tools.sh"
command -v gcc >/dev/null || { echo "SKIPPED: no gcc"; exit 77; }
cl=$SRCDIR/tests/opencl
if [ -n "${LONG:-}" ]; then
    python3 "$cl/run.py" "$cl"/*.cl "$cl"/found/*.cl
    # In version 4 the dispatch packet and the queue give what implicit arguments give in version 5.
    python3 "$cl/run.py" --version 4 --opt 0,2 "$cl"/atomics.cl "$cl"/calls.cl "$cl"/control.cl "$cl"/lds.cl "$cl"/memory.cl
    # The other processors: FMA_MIX and dot products of gfx906, 16 banks of gfx810, what LLVM does without fast f64 and so on.
    python3 "$cl/run.py" --chips gfx701,gfx704,gfx801,gfx802,gfx810,gfx902,gfx904,gfx906 --opt 2 "$cl"/[!m]*.cl "$cl"/memory.cl
    python3 "$cl/random_cl.py" --count "${PROGRAMS:-300}" --seed "${SEED:-1}"
else
    python3 "$cl/run.py" --opt 2 "$cl"/control.cl "$cl"/lds.cl "$cl"/double.cl
    python3 "$cl/run.py" --opt 0 --chips gfx900 "$cl"/calls.cl "$cl"/found/flat_scratch_dwordx2.cl
    python3 "$cl/run.py" --opt 3 --chips gfx700 "$cl"/integer.cl
    python3 "$cl/random_cl.py" --count 3 --seed 7
fi
