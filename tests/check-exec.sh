#!/bin/sh
# atoll exec: code objects of each version and form, every kind of argument, initial state, and the
# errors. Needs clang-19, lld-19 and ROCm's device libraries; skips loudly without them.
set -eu
. "$SRCDIR/tests/opencl/tools.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
failed=0
bad() { echo "FAIL: $*"; failed=1; }

# expect STATUS TEXT COMMAND...: exit status, and text on standard output or error
expect() {
    want=$1 text=$2
    shift 2
    status=0
    "$@" >log 2>&1 || status=$?
    [ $status = "$want" ] || { bad "exit $status, not $want: $*"; cat log; return; }
    grep -qF -e "$text" log || { bad "no '$text' from: $*"; cat log; }
}

dwords() { od -An -v -tx4 -w4 "$1" | tr -d ' '; }

cat >k.cl <<'EOF'
kernel void saxpy(float a, global const float *x, global float *y, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

/* Where every work-item is, in three dimensions. */
kernel void ids(global uint *out)
{
    uint at = 8 * ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) +
                   get_global_id(0));
    out[at + 0] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16;
    out[at + 1] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16;
    out[at + 2] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16;
    out[at + 3] = get_enqueued_local_size(0) | get_enqueued_local_size(1) << 8 | get_enqueued_local_size(2) << 16;
    out[at + 4] = get_num_groups(0) | get_num_groups(1) << 8 | get_num_groups(2) << 16;
    out[at + 5] = get_global_size(0) | get_global_size(1) << 8 | get_global_size(2) << 16;
    out[at + 6] = get_work_dim() | get_global_offset(0) << 8;
    out[at + 7] = get_global_linear_id();
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
struct s { int a; double b; char c; };

kernel void all_args(global uint *out, char a, ushort b, int4 c, long d, float e, double f, struct s s,
                     local uint *l, half h, local ulong *l2)
{
    uint i = get_local_id(0);
    l[i] = i * 3;
    l2[i] = i * 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i)
        return;
    out[0] = a; out[1] = b; out[2] = c.x; out[3] = c.w; out[4] = d >> 32; out[5] = as_uint(e);
    out[6] = as_ulong(f) >> 32; out[7] = s.a; out[8] = (uint)s.b; out[9] = s.c; out[10] = l[63];
    out[11] = l2[7]; out[12] = convert_uint((float)h * 4);
}

__attribute__((noinline)) int depth(global int *p, int n) { volatile int a[4]; a[n & 3] = n; return n ? depth(p, n - 1) + a[n & 3] : *p; }
kernel void recursive(global int *p) { int i = get_global_id(0); p[i] = depth(p + i, i & 31); }
constant int table[4] = { 7, 11, 13, 17 };
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void constants(global int *p) { p[get_global_id(0)] = table[get_global_id(0) & 3]; }
EOF
cat >undef.cl <<'EOF'
int not_there(int);
kernel void k(global int *p) { *p = not_there(*p); }
EOF

python3 - <<'EOF'
import struct
open('x.bin', 'wb').write(struct.pack('<1000f', *range(1000)))
open('y.bin', 'wb').write(struct.pack('<1000f', *[i * 10 for i in range(1000)]))
open('want.bin', 'wb').write(struct.pack('<1000f', *[i * 12 for i in range(1000)]))
open('s.bin', 'wb').write(struct.pack('<iidb7x', 41, 0, 42.0, 43))
EOF

saxpy() {
    rm -f out.bin
    "$ATOLL" exec "$@" --kernel saxpy --grid 1000 --group 64 --arg f32:2 --arg buf:x.bin \
        --arg buf:y.bin:out.bin --arg i32:1000 >log 2>&1 || { bad "saxpy $*"; cat log; return; }
    cmp -s out.bin want.bin || bad "saxpy $*: wrong result"
}

# ---- forms and versions -------------------------------------------------------------------
objects=0
for chip in gfx700 gfx803 gfx900; do
    for v in 4 5; do
        # The device library's own ABI switch follows the option with v5 only.
        compile $chip k.$chip.v$v.o k.cl -O2 -mcode-object-version=$v
        ld.lld-19 -shared k.$chip.v$v.o -o k.$chip.v$v.so
        saxpy k.$chip.v$v.o
        saxpy k.$chip.v$v.so
        objects=$((objects + 2))
    done
done
compile gfx600 k6.o k.cl -O2 2>/dev/null && saxpy k6.o || true
# Hand-written, as the assembler makes it: version 3 to 6 by the target directive, no metadata.
cat >raw.s <<'EOF'
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.p2align 8
raw:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_load_dword s4, s[0:1], 0x8
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s3
  v_lshlrev_b32_e32 v3, 2, v0
  v_add_u32_e32 v1, vcc, s2, v3
  v_addc_u32_e32 v2, vcc, 0, v2, vcc
  v_add_u32_e32 v3, vcc, s4, v0
  flat_store_dword v[1:2], v3
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel raw
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
EOF
for v in 4 5 6; do
    llvm-mc-19 -triple amdgcn-amd-amdhsa -mcpu=gfx803 -filetype=obj --amdhsa-code-object-version=$v raw.s -o raw$v.o
    expect 0 "raw on" "$ATOLL" exec raw$v.o --grid 4 --group 4 --arg zero:16:out.bin --arg u32:0x30
    [ "$(dwords out.bin | tr '\n' ' ')" = "00000030 00000031 00000032 00000033 " ] || bad "raw.s: $(dwords out.bin)"
    objects=$((objects + 1))
done
# Versions 2 and 3 are what older compilers write.
if command -v clang-14 >/dev/null; then
    cat >old.cl <<'EOF'
#define fence __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup")
kernel void old(global uint *out, uint a, local uint *l)
{
    uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    volatile uint p[8];
    for (int k = 0; k < 8; k++)
        p[k] = i * k;
    l[i & 63] = p[i & 7];
    fence;
    __builtin_amdgcn_s_barrier();
    fence;
    out[i] = l[(i & 63) ^ 1] + a + (uint)(ulong)l;
}
EOF
    for v in 2 3; do
        for chip in gfx700 gfx803 gfx900; do
            for o in 0 2; do
                clang-14 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=$chip -nogpulib -O$o \
                    -mcode-object-version=$v -c old.cl -o old.o 2>log || { bad "clang-14: $(head -1 log)"; continue; }
                expect 0 "code object version $v for $chip" "$ATOLL" exec old.o --list
                expect 0 "old on" "$ATOLL" exec old.o --grid 256 --group 64 --arg zero:1024:out.bin --arg u32:5 --arg local:256
                python3 - <<'EOF' || bad "old.cl v$v $chip -O$o"
import struct, sys
o = struct.unpack('<256I', open('out.bin', 'rb').read())
sys.exit(any(o[i] != (i ^ 1) * ((i ^ 1) & 7) + 5 for i in range(256)))
EOF
                objects=$((objects + 1))
            done
        done
    done
else
    echo "SKIPPED: no clang-14, so no code objects of version 2 and 3"
fi

# ---- what a kernel starts with --------------------------------------------------------------
for chip in gfx700 gfx803 gfx900; do
    for o in 0 2; do
        compile $chip k.o k.cl -O$o
        expect 0 "84 work-items in 8 groups" "$ATOLL" exec k.o ids --grid 7,4,3 --group 4,2,2 --arg zero:2688:out.bin
        python3 - <<'EOF' || bad "ids $chip -O$o"
import struct, sys
o = struct.unpack('<672I', open('out.bin', 'rb').read())
G, L = (7, 4, 3), (4, 2, 2)
p = lambda v: v[0] | v[1] << 8 | v[2] << 16
n = 0
for z in range(3):
    for y in range(4):
        for x in range(7):
            i = (x, y, z)
            want = (p([a % l for a, l in zip(i, L)]), p([a // l for a, l in zip(i, L)]),
                    p([min(l, g - a // l * l) for a, l, g in zip(i, L, G)]), p(L),
                    p([(g + l - 1) // l for g, l in zip(G, L)]), p(G), 3, n)
            got = o[8 * n:8 * n + 8]
            if got != want:
                print(i, [hex(v) for v in got], [hex(v) for v in want]); sys.exit(1)
            n += 1
EOF
        expect 0 "all_args on" "$ATOLL" exec k.o all_args --grid 64 --arg zero:52:out.bin --arg i8:-3 --arg u16:0xfffe \
            --arg i32:1,2,3,-4 --arg i64:0x1234567800000000 --arg f32:1.5 --arg f64:-2 --arg bytes:s.bin \
            --arg local:256 --arg f16:2.25 --arg local:512
        [ "$(dwords out.bin | tr '\n' ' ')" = "fffffffd 0000fffe 00000001 fffffffc 12345678 3fc00000 c0000000 00000029 0000002a 0000002b 000000bd 00000023 00000009 " ] ||
            bad "all_args $chip -O$o: $(dwords out.bin | tr '\n' ' ')"
        expect 0 "recursive on" "$ATOLL" exec k.o recursive --stack 4000 --grid 256 --arg zero:1024:out.bin
        python3 - <<'EOF' || bad "recursive $chip -O$o"
import struct, sys
o = struct.unpack('<256i', open('out.bin', 'rb').read())
sys.exit(any(o[i] != sum(range((i & 31) + 1)) for i in range(256)))
EOF
        expect 0 "constants on" "$ATOLL" exec k.o constants --grid 8 --arg zero:32:out.bin
        [ "$(dwords out.bin | tr '\n' ' ')" = "00000007 0000000b 0000000d 00000011 00000007 0000000b 0000000d 00000011 " ] || bad "constants $chip -O$o"
    done
done

# ---- list, json, trace ------------------------------------------------------------------------
o=k.gfx803.v5.o
expect 0 "global_buffer" "$ATOLL" exec $o --list
expect 0 "groups of 4 x 1 x 1" "$ATOLL" exec $o --list
"$ATOLL" exec $o --list --json >list.json
"$ATOLL" exec $o constants --grid 8 --arg zero:32 --json >run.json
python3 - <<'EOF' || bad "JSON"
import json
l = json.load(open('list.json'))
assert l['version'] == 5 and l['processor'] == 'gfx803', l
k = {k['name']: k for k in l['kernels']}
assert set(k) == {'saxpy', 'ids', 'all_args', 'recursive', 'constants'}, k.keys()
a = [a for a in k['saxpy']['arguments'] if not a['kind'].startswith('hidden')]
assert [x['size'] for x in a] == [4, 8, 8, 4] and [x['offset'] for x in a] == [0, 8, 16, 24]
assert k['saxpy']['occupancy']['waves_per_simd'] == 10
assert k['constants']['required_group'] == [4, 1, 1]
r = json.load(open('run.json'))
assert r['kernel'] == 'constants' and r['workgroups'] == 2 and not r['faulted'] and r['chip'] == 'fiji'
EOF
expect 0 "s_endpgm" "$ATOLL" exec $o constants --grid 8 --arg zero:32 --trace -
expect 0 "no timing model yet" "$ATOLL" exec $o constants --grid 8 --arg zero:32 --timing
expect 0 "on polaris10" "$ATOLL" exec $o constants --grid 8 --arg zero:32 --chip polaris10

# ---- errors -----------------------------------------------------------------------------------
expect 2 "compiled for gfx803, but bonaire is a gfx704" "$ATOLL" exec $o constants --grid 8 --arg zero:32 --chip bonaire
expect 2 "no chip 'voodoo'" "$ATOLL" exec $o constants --grid 8 --arg zero:32 --chip voodoo
expect 2 "no kernel 'nope'; there are: all_args constants ids recursive saxpy" "$ATOLL" exec $o nope --grid 1
expect 2 "which kernel? there are:" "$ATOLL" exec $o --grid 1
expect 2 "it takes 1 arguments, but 0 are given" "$ATOLL" exec $o constants --grid 8
expect 2 "has 8 bytes, but 4 are given" "$ATOLL" exec $o constants --grid 8 --arg i32:4
expect 2 "it was compiled for groups of 4 x 1 x 1" "$ATOLL" exec $o constants --grid 8 --group 8 --arg zero:32
expect 2 "at most" "$ATOLL" exec $o saxpy --grid 8 --group 1024 --arg f32:2 --arg zero:32 --arg zero:32 --arg i32:8
expect 2 "is not in LDS" "$ATOLL" exec $o constants --grid 8 --arg local:32
expect 2 "of LDS: a group can have" "$ATOLL" exec $o all_args --grid 64 --arg zero:52 --arg i8:-3 --arg u16:2 \
    --arg i32:1,2,3,-4 --arg i64:1 --arg f32:1.5 --arg f64:-2 --arg bytes:s.bin --arg local:60000 --arg f16:2 --arg local:6000
expect 2 "does not fit i8" "$ATOLL" exec $o constants --grid 8 --arg i8:128
expect 2 "is no number" "$ATOLL" exec $o constants --grid 8 --arg i8:x
expect 2 "no kind of argument" "$ATOLL" exec $o constants --grid 8 --arg what:1
expect 2 "nofile" "$ATOLL" exec $o constants --grid 8 --arg buf:nofile
expect 2 "need --grid" "$ATOLL" exec $o constants
expect 2 "--grid takes" "$ATOLL" exec $o constants --grid 0
expect 2 "nofile.o" "$ATOLL" exec nofile.o --list
expect 2 "no ELF file" "$ATOLL" exec x.bin --list
expect 2 "not for AMDGPU" "$ATOLL" exec "$(command -v clang-19)" --list
compile gfx803 undef.o undef.cl -O2
expect 0 "code object version 5" "$ATOLL" exec undef.o --list
expect 2 "undefined symbol 'not_there'" "$ATOLL" exec undef.o --grid 1 --arg zero:4
clang-19 -x cl -target amdgcn-amd-amdhsa -mcpu=gfx1030 -nogpulib -c undef.cl -o other.o
expect 2 "none of GFX6 to GFX9" "$ATOLL" exec other.o --list
clang-19 -x cl -target amdgcn-mesa-mesa3d -mcpu=gfx803 -nogpulib -c undef.cl -o other.o
expect 2 "only amdhsa" "$ATOLL" exec other.o --list
expect 1 "faulted" "$ATOLL" exec $o saxpy --grid 8 --group 8 --arg f32:2 --arg u64:0x10 --arg zero:32 --arg i32:8
expect 1 "watchdog" "$ATOLL" exec $o recursive --grid 64 --arg zero:256 --watchdog 20
# An unsupported relocation: R_AMDGPU_REL32_LO (10) becomes number 12, which there is not.
python3 - <<'EOF'
b = bytearray(open('undef.o', 'rb').read())
import struct
shoff, = struct.unpack_from('<Q', b, 40); n, = struct.unpack_from('<H', b, 60)
for i in range(n):
    t, = struct.unpack_from('<I', b, shoff + 64 * i + 4)
    if t == 4:
        off, size = struct.unpack_from('<QQ', b, shoff + 64 * i + 24)
        for r in range(off, off + size, 24):
            if struct.unpack_from('<I', b, r + 8)[0] == 10:
                struct.pack_into('<I', b, r + 8, 12)
open('reloc.o', 'wb').write(b)
EOF
expect 2 "relocation type 12 is not supported" "$ATOLL" exec reloc.o --grid 1 --arg zero:4

[ $failed = 0 ] && echo "check-exec: $objects code objects, launch state, arguments, errors: ok"
exit $failed
