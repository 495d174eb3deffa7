#!/bin/sh
# `atoll asm` and `atoll dis` on files: labels both ways, the forms of input, where a program ends,
# errors and exit statuses.
set -u
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0

fail()
{
    echo "FAILED: $*"
    bad=1
}

cat >"$dir/loop.s" <<'END'
; count down from 4
        .text
start:  s_mov_b32 s0, 4            // a label and an instruction on one line
loop:
        s_sub_u32 s0, s0, 1
        s_cmp_lg_u32 s0, 0
        s_cbranch_scc1 loop
        s_cbranch_scc0 done
        v_mov_b32 v0, 0x12345678
done:
        s_endpgm
END
"$ATOLL" asm --chip bonaire "$dir/loop.s" -o "$dir/loop.bin" || fail "asm loop.s"
[ "$(wc -c <"$dir/loop.bin")" = 32 ] || fail "loop.bin has $(wc -c <"$dir/loop.bin") bytes"
[ "$("$ATOLL" asm --chip bonaire "$dir/loop.s" | cut -c1-24)" = 840380be00818080008007bf ] ||
    fail "hex of loop.s"

# What dis prints assembles to the same code.
"$ATOLL" dis --chip bonaire "$dir/loop.bin" >"$dir/loop.dis" || fail "dis loop.bin"
grep -q 's_cbranch_scc1 L000004 ' "$dir/loop.dis" || fail "no label in the listing"
"$ATOLL" asm --chip bonaire "$dir/loop.dis" -o "$dir/again.bin" || fail "asm of the listing"
cmp -s "$dir/loop.bin" "$dir/again.bin" || fail "the listing assembles to other code"

# Hex in both forms; the program ends at s_endpgm.
echo "0xbe800384 0xbf810000 0xffffffff" >"$dir/words"
echo "840380be 0000 81bf // comment: be ef
ffffffff" >"$dir/bytes"
for f in words bytes; do
    [ "$("$ATOLL" dis --chip gfx704 "$dir/$f" | wc -l)" = 2 ] || fail "dis $f"
done
"$ATOLL" dis --chip gfx704 --all "$dir/words" >"$dir/all"
[ $? = 2 ] || fail "dis --all of no instruction does not exit 2"
grep -q '^error: 000008: ffffffff' "$dir/all" || fail "no error line"

# Batch: a line out for each line in, and exit 0.
out=$(printf '840380be\nzz\n\nffffffff\n' | "$ATOLL" dis --chip gfx704 --batch) || fail "batch"
[ "$(echo "$out" | wc -l)" = 4 ] || fail "dis --batch: $out"
[ "$(echo "$out" | grep -c '^error:')" = 3 ] || fail "dis --batch: $out"
out=$(printf 's_endpgm\nnonsense\ns_mov_b32 s0, 0x123' | "$ATOLL" asm --chip gfx704 --batch) ||
    fail "batch"
[ "$out" = "000081bf
error: no instruction 'nonsense' on gfx7
ff0380be23010000" ] || fail "asm --batch: $out"

# Errors name the line.
printf 's_nop 0\ns_branch nowhere\n' >"$dir/bad.s"
"$ATOLL" asm "$dir/bad.s" 2>"$dir/err"
[ $? = 2 ] && grep -q 'bad.s:2:' "$dir/err" || fail "asm of an unknown label: $(cat "$dir/err")"
"$ATOLL" dis --chip gfx1030 "$dir/words" 2>/dev/null
[ $? = 2 ] || fail "an unknown chip does not exit 2"
printf 'abc' >"$dir/odd"
"$ATOLL" dis "$dir/odd" 2>/dev/null
[ $? = 2 ] || fail "3 bytes of code do not exit 2"
exit $bad
