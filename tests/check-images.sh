#!/bin/sh
# Replay each case of testvectors/replay and compare image and counters with what is kept beside it.
set -u
: "${ATOLL:=./atoll}" "${SRCDIR:=.}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
for case in "$SRCDIR"/testvectors/replay/*/; do
    name=$(basename "$case")
    if "$ATOLL" replay --quiet --strict "$case/capture.gcap" -o "$tmp/$name" &&
        python3 "$SRCDIR/tests/png_compare.py" "$case/expect.png" "$tmp/$name"/color0_*.png &&
        cmp "$case/counters.json" "$tmp/$name/counters.json"; then
        passed=$((passed + 1))
    else
        echo "$name: failed"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
