#!/bin/bash
# read_gcap.py, which knows only docs/capture-format.md, reads in our captures what we read in them:
# whole ones and one that is cut off.
set -u
atoll=${ATOLL:-./atoll}
top=${SRCDIR:-.}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# A raw folder of our own: two submissions on a GFX9 chip, one page that changes between them.
mkdir "$tmp/raw"
python3 - "$tmp/raw" <<'PY'
import json, os, sys
base = 0xffff800100000000
a, b = bytearray(16384), bytearray(16384)
for i in range(16384):
    a[i] = b[i] = (i * 7 + i // 256) & 255
b[5000] ^= 1
for name, data in (("a", a), ("b", b), ("ib", a[4096:4096 + 64])):
    open(os.path.join(sys.argv[1], name), "wb").write(data)
ib = {"id": 1, "ip": "GFX", "va": base + 4096, "bytes": 64, "flags": 0, "file": "ib"}
bo = lambda f: {"handle": 1, "va": base, "size": 16384, "domain": 4, "file": f}
zero = {"handle": 2, "va": 65536, "size": 4096, "domain": 2, "file": "zero"}
json.dump({"chip": "vega10", "device_id": 26723, "family": 141, "external_rev": 1,
           "gb_addr_config": 705773634, "submissions": [
               {"ctx": 1, "chunks": [ib, {"id": 2, "handle": 2, "offset": 8}], "bos": [bo("a"), zero]},
               {"ctx": 1, "chunks": [dict(ib, va=base, bytes=8, file="ib2")], "bos": [bo("b")]}]},
          open(os.path.join(sys.argv[1], "capture.json"), "w"))
open(os.path.join(sys.argv[1], "ib2"), "wb").write(b[:8])
PY

compare() { # FILE, expected exit status of both
    "$atoll" capture-info --json "$1" >"$tmp/ours.json" 2>"$tmp/err"
    ours=$?
    python3 "$top/tests/read_gcap.py" --summary "$1" >"$tmp/theirs.json" 2>>"$tmp/err"
    theirs=$?
    if [ "$ours" != "$2" ] || [ "$theirs" != "$2" ]; then
        echo "check-gcap: $1: exit $ours and $theirs, expected $2"; cat "$tmp/err"; bad=1
        return
    fi
    python3 - "$tmp/ours.json" "$tmp/theirs.json" "$1" <<'PY' || bad=1
import json, sys
ours, theirs = (json.load(open(f)) for f in sys.argv[1:3])
wrong = [k for k in theirs if ours.get(k) != theirs[k]]
for k in wrong:
    print(f"check-gcap: {sys.argv[3]}: {k}: ours {ours.get(k)}, read_gcap.py {theirs[k]}")
sys.exit(bool(wrong))
PY
}

"$atoll" import "$tmp/raw" -o "$tmp/own.gcap" --driver "a driver" || bad=1
compare "$tmp/own.gcap" 0
grep -q '"driver": "a driver"' "$tmp/theirs.json" || { echo "check-gcap: driver lost"; bad=1; }
head -c 300 "$tmp/own.gcap" >"$tmp/cut.gcap"
compare "$tmp/cut.gcap" 2

n=0
if [ -n "${SHARED:-}" ] && [ -f "$SHARED/captures/mesa-22.3.6.tar.zst" ]; then
    mkdir "$tmp/cap"
    zstd -dcq "$SHARED/captures/mesa-22.3.6.tar.zst" | tar x -C "$tmp/cap" || bad=1
    for json in $(find "$tmp/cap" -name capture.json | sort); do
        n=$((n + 1))
        "$atoll" import "$(dirname "$json")" -o "$tmp/x.gcap" || bad=1
        compare "$tmp/x.gcap" 0
    done
    [ "$n" -gt 0 ] || { echo "check-gcap: no captures in $SHARED/captures"; bad=1; }
fi
[ $bad = 0 ] && echo "check-gcap: ok ($n captures of shared/ too)"
exit $bad
