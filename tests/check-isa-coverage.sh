#!/bin/sh
# `atoll isa --coverage`: that it finds what is missing.
set -u
top=${SRCDIR:-${srcdir:-.}}
atoll=${ATOLL:-./atoll}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0

# expect STATUS ARGUMENTS...
expect() {
    want=$1
    shift
    "$atoll" isa "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    [ $got = "$want" ] || { echo "atoll isa $*: exit status $got, not $want"; bad=1; }
}

# has PATTERN, lacks PATTERN: of the last output.
has() {
    grep -q -- "$1" "$dir/out" || { echo "no line: $1"; bad=1; }
}
lacks() {
    grep -q -- "$1" "$dir/out" && { echo "a line: $1"; bad=1; }
}

expect 2
expect 2 --coverage --gfx 5
expect 2 --coverage "$dir/none.tv"
(cd "$dir" && "$atoll" isa --coverage >/dev/null 2>&1)
[ $? = 2 ] || { echo "no default files, but no error"; bad=1; }

echo 'gfx7 4a000501 v_add_i32 v0, vcc, v1, v2 | v1=1 v2=2 -> v0=3' >"$dir/one.tv"
expect 1 --coverage --gfx 7 "$dir/one.tv"
lacks '^gfx7 .*no-vector  *v_add_i32$'
has '^gfx7 VOP2  *no-vector  *v_sub_i32$'
lacks '^gfx8'
expect 1 --coverage "$dir/one.tv"
has '^gfx8 VOP2  *no-vector  *v_add_u32$'
expect 1 --coverage --json "$dir/one.tv"
has '"without_semantics"'
echo 'gfx7 ffffffff v_add_i32 v0, vcc, v1, v2 | v1=1 v2=2 -> v0=3' >"$dir/bad.tv"
expect 2 --coverage "$dir/bad.tv"
echo 'gfx7 v_add_i32 | ->' >"$dir/bad.tv"
expect 2 --coverage "$dir/bad.tv"

# Ours: every row of every generation has semantics and a vector.
expect 0 --coverage "$top"/testvectors/*.tv
lacks ' no-'
exit $bad
