#!/bin/sh
# Hostile code objects: INPUTS (3000) mutated ELF files from SEED (1), each an error or a result in bounded
# time; check-long has 100,000. The seeds themselves load and run.
set -eu
fuzz=$(dirname "$ATOLL")/fuzz/fuzz_codeobj
[ -x "$fuzz" ] || { echo "SKIPPED: no $fuzz"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for f in "$SRCDIR"/testvectors/codeobj/*.o "$SRCDIR"/testvectors/codeobj/*.so; do
    "$ATOLL" exec "$f" first --grid 64 --arg "zero:256:$dir/out" --arg i32:5 --arg local:256 --quiet >/dev/null
    got=$(od -An -v -td4 -N16 "$dir/out" | tr -s ' ')
    [ "$got" = " 17 24 29 36" ] || { echo "FAIL: $f: $got"; exit 1; }
done
"$fuzz" "${INPUTS:-3000}" "${SEED:-1}" "$SRCDIR"/testvectors/codeobj/*.o "$SRCDIR"/testvectors/codeobj/*.so
