#!/bin/sh
# Replay each case of testvectors/replay and compare images and counters with what is kept beside it: expect.png is
# the only colour target's; other images have the names that replay gives them. UPDATE=1 takes the counters that come
# as the new ones (when counters are added).
set -u
: "${ATOLL:=./atoll}" "${SRCDIR:=.}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
same() { cmp -s "$1" "$2" || python3 "$SRCDIR/tests/png_compare.py" "$1" "$2"; }
images() {
    for image in "$1"/*.png; do
        case $image in
        */expect.png) same "$image" "$2"/color0_*.png || return 1 ;;
        *) same "$image" "$2/$(basename "$image")" || return 1 ;;
        esac
    done
}
for case in "$SRCDIR"/testvectors/replay/*/; do
    name=$(basename "$case")
    if "$ATOLL" replay --quiet --strict --strict-waits "$case/capture.gcap" -o "$tmp/$name" &&
        images "$case" "$tmp/$name" && { [ -z "${UPDATE:-}" ] || cp "$tmp/$name/counters.json" "$case"; } &&
        cmp "$case/counters.json" "$tmp/$name/counters.json"; then
        passed=$((passed + 1))
    else
        echo "$name: failed"
        failed=$((failed + 1))
    fi
done
# The examples of those cases, run anew: the same counters, and the same capture, or (compressed by another zstd)
# one that gives the same images.
again() {
    cmp -s "$tmp/$1.run/$1.gcap" "$SRCDIR/testvectors/replay/$1/capture.gcap" && return
    "$ATOLL" replay --quiet --strict "$tmp/$1.run/$1.gcap" -o "$tmp/$1.again" &&
        images "$SRCDIR/testvectors/replay/$1" "$tmp/$1.again"
}
for name in checkerboard deferred; do
    example=$(dirname "$ATOLL")/examples/$name/$name
    [ -x "$example" ] || continue
    if "$example" "$tmp/$name.run" >"$tmp/$name.txt" && cmp "$tmp/$name.run/counters.json" "$tmp/$name/counters.json" &&
        again $name; then
        passed=$((passed + 1))
    else
        echo "examples/$name: failed"
        cat "$tmp/$name.txt"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
