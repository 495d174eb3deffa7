#!/bin/bash
# The program of docs/library.md, as it is printed there, against the library and its header as they are installed; and
# what it records.
set -u
: "${ATOLL:=./atoll}" "${SRCDIR:=.}" "${CC:=cc}"
build=$(cd "$(dirname "$ATOLL")" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
if ! command -v "$CC" >/dev/null || [ ! -e "$build/.libs/libatoll.so" ]; then
    echo "SKIPPED: no compiler, or no shared library"
    exit 77
fi
san=$(sed -n "s/^SAN_CFLAGS = *//p" "$build/Makefile")
cp "$SRCDIR/emu/gpu.h" "$tmp/atoll.h"
sed -n '/^```c$/,/^```$/p' "$SRCDIR/docs/library.md" | grep -v '^```' >"$tmp/squares.c"
cd "$tmp" || exit 1
# shellcheck disable=SC2086
$CC -Wall -Wextra -Werror $san -I. squares.c -L"$build/.libs" -latoll -Wl,-rpath,"$build/.libs" -o squares || exit 1
out=$(./squares) || { echo "$out"; exit 1; }
[ "$out" = "1 4 9 ... 3969" ] || { echo "FAIL: it prints $out"; exit 1; }
case $ATOLL in /*) ;; *) ATOLL=$build/atoll ;; esac
"$ATOLL" replay --quiet --strict --strict-waits squares.gcap || { echo "FAIL: replay"; exit 1; }
"$ATOLL" pm4 --shaders squares.gcap | grep -q "v_mul_u32_u24" || { echo "FAIL: pm4 shows no shader"; exit 1; }
# Everything that the header declares is there to be linked.
for f in $(grep -o '\batoll_[a-z0-9_]*(' "$tmp/atoll.h" | tr -d '(' | sort -u); do
    case $f in atoll_draw_fn | atoll_inst_fn) continue ;; esac
    nm -D --defined-only "$build/.libs/libatoll.so" | grep -q " T $f\$" || { echo "FAIL: $f is not exported"; exit 1; }
done
echo "check-library: ok"
