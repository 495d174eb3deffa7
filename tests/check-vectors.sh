#!/bin/sh
# Every test vector; and that the runner notices what is wrong.
set -u
top=${SRCDIR:-${srcdir:-.}}
atoll=${ATOLL:-./atoll}
bad=0

"$atoll" test --level all "$top"/testvectors/*.tv || bad=1

# expect STATUS LINE: what `atoll test` makes of a line.
expect() {
    printf '%s\n' "$2" | "$atoll" test --quiet - >/dev/null 2>&1
    got=$?
    [ $got = "$1" ] || { echo "exit status $got, not $1, for: $2"; bad=1; }
}
ok='gfx8 80000201 s_add_u32 s0, s1, s2 | s1=ffffffff s2=1 -> s0=0 scc=1'
expect 0 "$ok"
expect 0 "# $ok"
expect 0 'gfx8 32020501 v_add_u32 v1, vcc, v1, v2 | v1=ffffffff v2=1 vcc=0 -> v1=0 vcc=1'
expect 1 'gfx8 80000201 s_add_u32 s0, s1, s2 | s1=ffffffff s2=1 -> s0=1 scc=1'
expect 1 'gfx8 80000201 s_add_u32 s0, s1, s2 | s1=ffffffff s2=1 -> s0=0'
expect 1 'gfx8 80000201 s_add_u32 s0, s1, s2 | s1=ffffffff s2=1 -> s0=0 scc=1 s3=4'
expect 1 'gfx8 80000201 s_add_u32 s0, s1, s2 | s1=ffffffff s2=1 -> s0=0 scc=1 pc=+8'
expect 1 'gfx8 80000201 s_add_u32 s0, s1, s2 | s1=ffffffff s2=1 -> s0=0 scc=1 loud=1'
expect 1 'gfx8 80000201 s_add_u32 s0, s1, s3 | s1=ffffffff s2=1 -> s0=0 scc=1'
expect 1 'gfx8 80800201 s_add_u32 s0, s1, s2 | s1=ffffffff s2=1 -> s0=0 scc=1'
expect 2 'gfx8 80000201 s_add_u32 s0, s1, s2 | s1=ffffffff s2=1'
expect 2 'gfx8 80000201 s_add_u32 s0, s1, s2 | s1=fffffffff -> s0=0'
expect 2 'gfx8 80000201 s_add_u32 s0, s1, s2 | q1=0 -> s0=0'
expect 2 'gfx5 80000201 s_add_u32 s0, s1, s2 | s1=1 -> s0=0'
expect 2 'gfx8 8000020 s_add_u32 s0, s1, s2 | s1=1 -> s0=0'
expect 2 'gfx8 80000201 s_add_u32 s0, s1, s2 | s[200:201]=1 -> s0=0'
expect 1 'gfx8 80000201 s_add_u32 s0, s1, s2 | mem[110000]=1 -> s0=0'
lanes='gfx7 06000501 v_add_f32 v0, v1, v2 | exec=7 v1[0:2]=3f800000,40000000,0 v2[0:2]=3f800000,0,0'
expect 0 "$lanes -> v0[0:2]=40000000,40000000,0"
expect 1 "$lanes -> v0[0:2]=40000000,40000000,1"
expect 1 "$lanes -> v0[0:1]=40000000,40000000"
expect 1 "$lanes -> v0[0:3]=40000000,40000000,0,0"
expect 2 "$lanes -> v0[0:2]=40000000,40000000"
expect 2 "$lanes -> v0[0:2]=40000000,40000000,0,0"
expect 2 "$lanes -> v0[2:0]=40000000,40000000,0"
expect 2 "$lanes -> v0[62:64]=40000000,40000000,0"
exp='gfx7 f800180f 04030201 exp mrt0 v1, v2, v3, v4 done vm | '
expect 0 "$exp -> exp=0,f,5,a5000100,a5000200,a5000300,a5000400"
expect 1 "$exp -> exp=0,f,1,a5000100,a5000200,a5000300,a5000400"
expect 1 "$exp -> exp=0,f,5,a5000100,a5000200,a5000300,a5000401"
expect 1 "$exp ->"
expect 2 "$exp -> exp=0,f,5"
expect 2 "gfx7 f800180f 04030201 exp mrt0 v1, v2, v3, v4 done vm | exp=0,f,5,1,2,3,4 ->"
gws='gfx7 d8660001 00000001 ds_gws_init v1 offset:1 gds | v1=7'
expect 0 "$gws -> gws=99,7"
expect 1 "$gws -> gws=99,8"
expect 0 "$gws gws_wait=1 -> gws=99,7 pc=+0"
expect 1 "$gws gws_wait=1 -> gws=99,7"
wide='gfx7 d2c80000 00020301 v_add_f64 v[0:1], v[1:2], v[1:2] | exec=3 v[1:2][0:1]=3ff0000000000000,8000000000000000'
expect 0 "$wide -> v[0:1][0:1]=4000000000000000,8000000000000000"
exit $bad
