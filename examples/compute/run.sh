#!/bin/sh
# Compile the kernels with clang-19 and run all workloads on an emulated chip of each generation, checked
# against the host:
#
#   examples/compute/run.sh [NAME...]        CHIPS="kaveri fiji vega10" OPT=-O2, COMPUTE=path of the program
#
# Exit status: 0 all right, 1 a result is wrong, 77 when the compiler is not there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SRCDIR=${SRCDIR:-$here/../..}
. "$here/../../tests/opencl/tools.sh"
compute=${COMPUTE:-./examples/compute/compute}
[ -x "$compute" ] || { echo "run.sh: no $compute: make examples, then run this from the build directory" >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
for chip in ${CHIPS:-kaveri fiji vega10}; do
    case $chip in
    kaveri) processor=gfx700 ;;
    bonaire) processor=gfx704 ;;
    hawaii) processor=gfx701 ;;
    fiji | polaris10) processor=gfx803 ;;
    vega10) processor=gfx900 ;;
    *) echo "run.sh: which processor has $chip?" >&2; exit 2 ;;
    esac
    for f in linear sorting numeric crypto; do
        compile $processor "$dir/$f.o" "$here/$f.cl" "${OPT:--O2}"
    done
    "$compute" $chip "$dir" "$@" || status=1
done
exit $status
