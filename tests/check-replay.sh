#!/bin/bash
# atoll replay as a user runs it: the real captures of $SHARED against their references (skipped loudly
# without it), and input that is damaged or hostile: an error that names the place, in bounded time.
set -u
: "${ATOLL:=./atoll}" "${SRCDIR:=.}" "${SHARED:=../shared}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() {
    echo "FAIL: $*"
    bad=1
}

# expect STATUS PATTERN COMMAND...: the exit status (one of "1 2" where both may be), and a word of the message.
expect() {
    local want=$1 pattern=$2
    shift 2
    timeout 60 "$@" >"$tmp/out" 2>&1
    local got=$?
    case " $want " in *" $got "*) ;; *) fail "exit $got, not $want: $*"; tail -3 "$tmp/out" ;; esac
    grep -Eq "$pattern" "$tmp/out" || { fail "no '$pattern' in the output of: $*"; tail -3 "$tmp/out"; }
}

tri=$SRCDIR/testvectors/replay/triangle/capture.gcap
size=$(stat -c %s "$tri")

# Damaged files.
head -c $((size * 2 / 3)) "$tri" >"$tmp/cut.gcap"
expect "2" "byte" "$ATOLL" replay "$tmp/cut.gcap"
cp "$tri" "$tmp/flip.gcap"
printf '\377' | dd of="$tmp/flip.gcap" bs=1 seek=$((size / 2)) conv=notrunc status=none
expect "2" "byte" "$ATOLL" replay "$tmp/flip.gcap"
head -c 5000 /dev/urandom >"$tmp/garbage.gcap"
expect "2" "garbage.gcap" "$ATOLL" replay "$tmp/garbage.gcap"
expect "2" "nosuchfile" "$ATOLL" replay "$tmp/nosuchfile"

# Options that are wrong.
expect "2" "no register" "$ATOLL" replay "$tri" --set CB_COLOR9_INFO.FORMAT=1
expect "2" "no field" "$ATOLL" replay "$tri" --set CB_COLOR0_INFO.FROMAT=1
expect "2" "at most" "$ATOLL" replay "$tri" --set CB_COLOR0_INFO.FORMAT=99
expect "2" "" "$ATOLL" replay "$tri" --draws 5-2
expect "0" "done" "$ATOLL" replay "$tri" --set CB_TARGET_MASK=0
expect "0" "done" "$ATOLL" replay "$tri" --dump-memory "0x100300000:262144:$tmp/mem.bin"
[ "$(stat -c %s "$tmp/mem.bin")" = 262144 ] || fail "--dump-memory wrote another size"
expect "2" "mapped" "$ATOLL" replay "$tri" --dump-memory "0x42000:16:$tmp/x.bin"

# What a capture expects, of a replay as it was recorded only.
cb=$SRCDIR/testvectors/replay/checkerboard/capture.gcap
expect "0" "done" "$ATOLL" replay "$cb"
expect "0" "done" "$ATOLL" replay "$cb" --draws 1-1
expect "0" "done" "$ATOLL" replay "$cb" --set CB_TARGET_MASK=0

# Targets that are larger than what is mapped: what is written stays bounded.
expect "0" "done" "$ATOLL" replay "$tri" -o "$tmp/view" --set CB_COLOR0_VIEW.SLICE_START=5
expect "0" "left out" "$ATOLL" replay "$tri" -o "$tmp/slices" --set CB_COLOR0_VIEW.SLICE_MAX=2047
expect "1" "left out" "$ATOLL" replay "$tri" -o "$tmp/large" --set CB_COLOR0_PITCH.TILE_MAX=2047 \
    --set CB_COLOR0_SLICE.TILE_MAX=4194303 --set PA_SC_SCREEN_SCISSOR_BR=0x40004000 \
    --set PA_SC_WINDOW_SCISSOR_BR=0x40004000 --set PA_SC_GENERIC_SCISSOR_BR=0x40004000 \
    --set PA_SC_VPORT_SCISSOR_0_BR=0x40004000
[ "$(ls "$tmp/view" "$tmp/slices" "$tmp/large" | grep -c raw)" = 2 ] || fail "not the targets that are mapped"

# A raw folder: an IB at 0x100000000, code at 0x100001000.
folder() {
    mkdir -p "$tmp/$1"
    python3 - "$tmp/$1" "$2" "$3" <<'PY'
import json, struct, sys
out, ib, code = sys.argv[1], eval(sys.argv[2]), eval(sys.argv[3])
packed = struct.pack("<%dI" % len(ib), *ib)
open(out + "/ib.bin", "wb").write(packed)
open(out + "/bo.bin", "wb").write(packed.ljust(4096, b"\0"))
open(out + "/code.bin", "wb").write(struct.pack("<%dI" % len(code), *code).ljust(4096, b"\0"))
va = 0x100000000
json.dump({"chip": "bonaire", "device_id": 26200, "family": 120, "external_rev": 20,
           "gb_addr_config": 302055425, "submissions": [{"index": 0, "ctx": 1, "chunks": [
               {"id": 1, "dw": 8, "ip": "GFX", "ring": 0, "va": va, "bytes": 4 * len(ib), "flags": 0,
                "file": "ib.bin"}],
               "bos": [{"handle": 1, "va": va, "size": 4096, "domain": 2, "flags": 0, "file": "bo.bin"},
                       {"handle": 2, "va": va + 4096, "size": 4096, "domain": 2, "flags": 0,
                        "file": "code.bin"}]}]}, open(out + "/capture.json", "w"))
PY
}
# An IB that calls itself for ever: INDIRECT_BUFFER to its own address.
folder loop "[0xc0023f00, 0, 1, 4]" "[0]"
expect "1 2" "0x100000000" "$ATOLL" replay "$tmp/loop"
# The same as a chain.
folder chain "[0xc0023f00, 0, 1, 4 | 1 << 20]" "[0]"
expect "1 2" "0x100000000" "$ATOLL" replay "$tmp/chain"
# A packet that runs past the end of its IB.
folder short "[0xc0ff1000, 0]" "[0]"
expect "1 2" "0x100000000" "$ATOLL" replay "$tmp/short"
# A compute shader that never ends: s_branch to itself.
folder endless "[0xc0027600, 0x20c, 0x01000010, 0, 0xc0027600, 0x212, 0, 0, 0xc0037600, 0x207, 64, 1, 1, 0xc0031500, 1, 1, 1, 1]" "[0xbf82ffff]"
expect "1" "0x100001000" "$ATOLL" replay "$tmp/endless" --watchdog 1000000

# Real captures.
if [ ! -r "$SHARED/captures/mesa-22.3.6.tar.zst" ]; then
    [ $bad = 0 ] && { echo "SKIPPED: no captures in $SHARED: only damaged and hostile input was tried"; exit 77; }
    exit 1
fi
zstd -dcq "$SHARED/captures/mesa-22.3.6.tar.zst" | tar x -C "$tmp"
ref=$SHARED/captures/reference
va=$(python3 -c "
import json, struct
d = '$tmp/bonaire_a/'
for b in json.load(open(d + 'capture.json'))['submissions'][0]['bos']:
    if b['file'] != 'zero' and struct.unpack('<I', open(d + b['file'], 'rb').read(4))[0] == 0xdeadbeef:
        print(hex(b['va']))")
"$ATOLL" replay --quiet --strict --strict-waits "$tmp/bonaire_a" --dump-memory "$va:4096:$tmp/a.bin" || fail "bonaire_a"
python3 -c "
import struct
print('\n'.join(map(str, struct.unpack('<1024I', open('$tmp/a.bin', 'rb').read()))))" |
    cmp - "$ref/a.lavapipe.txt" || fail "bonaire_a: output differs"
for c in bonaire_b bonaire_b_simple; do
    va=$(python3 -c "
import json
d = '$tmp/$c/'
for b in json.load(open(d + 'capture.json'))['submissions'][0]['bos']:
    if b['file'] != 'zero' and open(d + b['file'], 'rb').read(4) == b'UUUU':
        print(hex(b['va']))")
    "$ATOLL" import "$tmp/$c" -o "$tmp/$c.gcap" || fail "import of $c"
    "$ATOLL" replay --quiet --strict --strict-waits "$tmp/$c.gcap" -o "$tmp/$c.out" --dump-memory "$va:262144:$tmp/$c.bin" ||
        fail "replay of $c"
    python3 "$SRCDIR/tests/png_compare.py" "$ref/b.lavapipe.png" "$tmp/$c.bin" 1 || fail "$c: read-back"
    python3 "$SRCDIR/tests/png_compare.py" "$ref/b.lavapipe.png" "$tmp/$c.out"/color0_*.png 1 ||
        fail "$c: target"
done
# Real compilers wait as they must.
for c in pitcairn_a pitcairn_d polaris10_a polaris10_d vega10_a vega10_d si_bonaire_tri; do
    "$ATOLL" replay --strict-waits "$tmp/$c" -o "$tmp/waits" 2>&1 | grep "cnt)" && fail "$c: waits"
done
# The same bytes, counters and report with any number of threads.
for c in bonaire_c bonaire_d polaris10_c vega10_c; do
    for t in 1 2 7; do
        "$ATOLL" replay --quiet --threads $t "$tmp/$c" -o "$tmp/$c.$t" || fail "$c with $t threads"
        diff -r "$tmp/$c.1" "$tmp/$c.$t" || fail "$c: $t threads give something else than 1"
    done
done
[ $bad = 0 ] && echo "check-replay: ok"
exit $bad
