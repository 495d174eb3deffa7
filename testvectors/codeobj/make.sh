#!/bin/sh
# How the files here were made (clang-19, ld.lld-19; clang-14 for versions 2 and 3).
set -eu
cl="-x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -w"
clang-19 $cl -mcpu=gfx700 -O2 -c seed.cl -o v5_gfx700.o
clang-19 $cl -mcpu=gfx803 -O0 -c seed.cl -o v5_gfx803.o
clang-19 $cl -mcpu=gfx900 -O2 -mcode-object-version=4 -c seed.cl -o v4_gfx900.o
ld.lld-19 -shared --unresolved-symbols=ignore-all v4_gfx900.o -o v4_gfx900.so
ld.lld-19 -shared --unresolved-symbols=ignore-all v5_gfx803.o -o v5_gfx803.so
clang-14 $cl -mcpu=gfx803 -O2 -mcode-object-version=2 -c seed.cl -o v2_gfx803.o
clang-14 $cl -mcpu=gfx900 -O2 -mcode-object-version=3 -c seed.cl -o v3_gfx900.o
clang-14 $cl -mcpu=gfx700 -O2 -mcode-object-version=2 -DSLOT=3 -Xclang -finclude-default-header -c printf.cl -o v2_gfx700_printf.o
clang-19 $cl -mcpu=gfx900 -O2 -DSLOT=9 -c printf.cl -o v5_gfx900_printf.o
