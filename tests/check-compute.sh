#!/bin/sh
# The workloads of examples/compute on a chip of each generation, against the host; and that a wrong
# kernel is noticed.
set -eu
COMPUTE=$(dirname "$ATOLL")/examples/compute/compute
export COMPUTE
[ -x "$COMPUTE" ] || { echo "SKIPPED: no $COMPUTE"; exit 77; }
"$SRCDIR/examples/compute/run.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/examples" "$dir/tests"
cp -r "$SRCDIR/examples/compute" "$dir/examples/compute"
cp -r "$SRCDIR/tests/opencl" "$dir/tests/opencl"
sed 's/0\.125f/0.126f/' "$SRCDIR/examples/compute/linear.cl" >"$dir/examples/compute/linear.cl"
if CHIPS=fiji "$dir/examples/compute/run.sh" stencil >"$dir/log" || ! grep -q WRONG "$dir/log"; then
    echo "FAIL: a wrong stencil went unnoticed"
    exit 1
fi
