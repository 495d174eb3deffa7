#!/bin/sh
# What `make check-long` runs beyond `make check`: each fuzz target over many inputs (COUNT, default
# 200000, from SEED, default 1), seeded with the shipped captures where there are some.
set -eu
: "${COUNT:=200000}" "${SEED:=1}" "${SRCDIR:=.}"
for t in fuzz/fuzz_*; do
    case $t in *.*) continue ;; esac
    [ -x "$t" ] || continue
    n=$COUNT
    case $t in */fuzz_tex) n=$((COUNT * 5)) ;; esac # image instructions: a million
    case $t in */fuzz_exec | */fuzz_submit) n=$((COUNT / 20)) ;; esac # an input of these takes a millisecond or more
    case $t in */fuzz_codeobj) continue ;; esac # below, with seeds of its own
    ./"$t" "$n" "$SEED" $(find "$SRCDIR/testvectors" -type f -name '*.gcap' 2>/dev/null)
done
# All rows of the instruction oracle; skipped where it is absent.
: "${SHARED:=$SRCDIR/../shared}" "${ATOLL:=$PWD/atoll}"
export SHARED ATOLL
ROWS=0 "$SRCDIR/tests/check-isa.sh" || [ $? = 77 ]
# What is an instruction, by LLVM (GFX8 on) and by us, on WORDS random words (default 10 million) a target.
: "${WORDS:=10000000}"
for target in gfx600 gfx704 gfx803 gfx900 gfx906 gfx908; do
    fuzz/llvm_words "$target" "$WORDS" "$SEED" >llvm_words.log || [ $? = 77 ]
    tail -1 llvm_words.log
done
# Coverage: 150,000 random triangles, and as many in meshes and fans that share their edges.
TRIANGLES=${TRIANGLES:-150000} tests/test_coverage
# 100,000 mutated code objects.
INPUTS=${INPUTS:-100000} "$SRCDIR/tests/check-codeobj.sh"
# OpenCL C: every file at three levels of optimisation, and random programs.
LONG=1 "$SRCDIR/tests/check-opencl.sh" || [ $? = 77 ]
LONG=1 "$SRCDIR/tests/check-services.sh" || [ $? = 77 ]
LONG=1 "$SRCDIR/tests/check-inputs.py" || [ $? = 77 ]
# Blending: more colours for each combination of factors and function.
BLENDS=${BLENDS:-40} tests/test_blend
# HTILE: more draws.
DRAWS=${DRAWS:-5000} tests/test_targets
# Image instructions against the reference in doubles: each resource type.
SAMPLES=${SAMPLES:-100000} tests/test_texture
SAMPLES=1 tests/test_texel
SAMPLES=${SAMPLES:-100000} tests/test_image
# Compressed blocks against Pillow's decoders.
"$SRCDIR/tests/check-blocks.py" || [ $? = 77 ]
