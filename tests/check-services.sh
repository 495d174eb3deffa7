#!/bin/sh
# atoll exec, beyond OpenCL C's core: printf, code as the HIP compiler makes it (initialised globals, tables of functions,
# virtual functions, dynamic LDS), offload bundles, and clear errors for services that a host would give. LONG=1: every
# processor in each version.
set -eu
. "$SRCDIR/tests/opencl/tools.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
failed=0
bad() { echo "FAIL: $*"; failed=1; }
expect() { # STATUS TEXT COMMAND...
    want=$1 text=$2 status=0
    shift 2
    "$@" >log 2>&1 || status=$?
    [ $status = "$want" ] || { bad "exit $status, not $want: $*"; head -5 log; return; }
    grep -qF -e "$text" log || { bad "no '$text' from: $*"; head -5 log; }
}

# ---- printf ---------------------------------------------------------------------------------
# LLVM 19 leaves printf alone where the device library defines it; the library's part of it is this.
cat >printf.cl <<'EOF'
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
global char *__printf_alloc(uint bytes)
{
    global char *p = (global char *)((constant ulong *)__builtin_amdgcn_implicitarg_ptr())[SLOT];
    uint size = ((global uint *)p)[1], at;

    do {
        at = *(volatile global uint *)p;
        if (at + 8 + bytes > size)
            return 0;
    } while (!__sync_bool_compare_and_swap((volatile global uint *)p, at, at + bytes));
    return p + 8 + at;
}

kernel void say(global int *o)
{
    int i = __builtin_amdgcn_workitem_id_x();

    if (i > 1)
        return;
    char c = i + 65; short s = -i - 5; long l = i - (1L << 40); uchar uc = 200 + i; half h = i + 0.5f; float f = i * 1.5f;
    o[i] = printf("c=%c hd=%hd ld=%ld hhu=%hhu h=%f d=%g f=%e : x=%#x %% s=%s|%-5s|\t\"q\"\n", c, s, l, uc, h, i + 0.25, f, i + 1,
                  "abc", "lit");
    printf("%v4d|%v2hlf|%v4hhd|%v3hlu|%v2ld|%v8hd|%v2hlx\n", (int4)(1, 2, 3, i), (float2)(1.5f, i), (char4)(1, -2, 3, i),
           (uint3)(7, 8, 9), (long2)(-1, i), (short8)(i), (uint2)(0xabc, i));
    printf("no arguments\n");
    printf("%5.2f|%-5d|%05d|%+d|%.3s|%5.3s|\n", f, i, i, i, "abcdef", "xyzuvw");
}

kernel void flood(global int *o)
{
    o[__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x()] = printf("%d %d %d %d\n", 1, 2, 3, 4);
}
EOF
cat >want <<'EOF'
c=A hd=-5 ld=-1099511627776 hhu=200 h=0.500000 d=0.25 f=0.000000e+00 : x=0x1 % s=abc|lit  |	"q"
c=B hd=-6 ld=-1099511627775 hhu=201 h=1.500000 d=1.25 f=1.500000e+00 : x=0x2 % s=abc|lit  |	"q"
1,2,3,0|1.500000,0.000000|1,-2,3,0|7,8,9|-1,0|0,0,0,0,0,0,0,0|abc,0
1,2,3,1|1.500000,1.000000|1,-2,3,1|7,8,9|-1,1|1,1,1,1,1,1,1,1|abc,1
no arguments
no arguments
 0.00|0    |00000|+0|abc|  xyz|
 1.50|1    |00001|+1|abc|  xyz|
EOF
printed=0
for chip in gfx700 gfx803 gfx900; do
    for v in 4 5; do
        case $chip.$v in gfx700.4 | gfx803.5 | gfx900.4) [ -n "${LONG:-}" ] || continue ;; esac
        slot=9
        [ $v = 4 ] && slot=3
        clang-19 -x cl -cl-std=CL2.0 -DSLOT=$slot -target amdgcn-amd-amdhsa -mcpu=$chip -nogpulib -O$((v - 3)) \
            -mcode-object-version=$v -c printf.cl -o printf.o
        "$ATOLL" exec printf.o say --grid 64 --arg zero:256:o --strict >got 2>log || { bad "printf $chip v$v"; cat log; }
        grep -v '^say on' got | cmp -s - want || { bad "printf $chip v$v"; diff want got || true; }
        [ "$(od -An -td4 -N12 o | tr -s ' ')" = " 0 0 0" ] || bad "printf $chip v$v returned $(od -An -td4 -N12 o)"
        printed=$((printed + 1))
    done
done
"$ATOLL" exec printf.o say --grid 64 --arg zero:256 --json >say.json
python3 -c 'import json; assert json.load(open("say.json"))["printf"] == open("want").read()' || bad "printf in JSON"
"$ATOLL" exec printf.o flood --grid 262144 --group 256 --arg zero:1048576:o >got 2>log
[ "$(grep -c '^1 2 3 4$' got)" = 209714 ] || bad "a full buffer: $(grep -c '^1 2 3 4$' got) lines"
grep -q "output may be lost" log || bad "a full buffer: no report"
[ "$(od -An -td4 -j1048572 o | tr -d ' ')" = -1 ] || bad "a full buffer: printf does not return -1"

# ---- implicit arguments: all that versions 4 and 5 have ------------------------------------------
cat >hidden.cl <<'EOF'
kernel void dump(global uint *o, local uint *l)
{
    constant uint *p = (constant uint *)__builtin_amdgcn_implicitarg_ptr();

    if (get_global_linear_id() == 0)
        for (int i = 0; i < 52; i++)
            o[i] = p[i];
    l[get_local_id(0)] = 1;
}
EOF
cat >hidden.py <<'EOF'
import struct, sys
b, version, gfx9 = open('o', 'rb').read(), sys.argv[1], sys.argv[2] == 'gfx900'
q = lambda at: struct.unpack_from('<Q', b, at)[0]
if version == '5':
    assert struct.unpack_from('<3I9H', b, 0) == (3, 3, 1, 32, 2, 2, 4, 1, 1, 0, 0, 0), struct.unpack_from('<3I9H', b, 0)
    assert (q(40), q(48), q(56)) == (0, 0, 0) and struct.unpack_from('<H', b, 64) == (3,)
    assert struct.unpack_from('<I', b, 120) == (512,) # dynamic LDS
    apertures = struct.unpack_from('<2I', b, 192)
    assert gfx9 or apertures[0] != apertures[1] and all(apertures)
    assert q(200) # queue
    services = [q(at) for at in (80, 96, 104, 112)]
else:
    assert (q(0), q(8), q(16)) == (0, 0, 0)
    services = [q(at) for at in (24, 32, 40)]
assert len(set(services)) == len(services) and all(services), services
EOF
for x in gfx700.5 gfx803.4 gfx803.5 gfx900.4 gfx900.5; do
    case $x in gfx900.4 | gfx803.5) [ -n "${LONG:-}" ] || continue ;; esac
    compile ${x%.*} hidden.o hidden.cl -O0 -mcode-object-version=${x#*.}
    expect 0 "dump on" "$ATOLL" exec hidden.o --strict --grid 100,7,3 --group 32,2,2 --arg zero:256:o --arg local:512
    python3 hidden.py ${x#*.} ${x%.*} || bad "implicit arguments: $x"
done

# ---- HIP --------------------------------------------------------------------------------------
cat >k.hip <<'EOF'
#define __device__ __attribute__((device))
#define __global__ extern "C" __attribute__((global))
__device__ int counter = 7;
__attribute__((constant)) int table[4] = {1, 2, 3, 4};
__device__ int twice(int x) { return x * 2; }
__device__ int more(int x) { return x + 100; }
typedef int (*function)(int);
__device__ function functions[2] = {twice, more};
struct base { __device__ virtual int f(int x) const { return x; } };
struct derived : base {
    int k;
    __device__ derived(int k) : k(k) {}
    __device__ int f(int x) const override { return x * k; }
};
__device__ __attribute__((noinline)) int call(const base &b, int x) { return b.f(x); }
extern __attribute__((shared)) int dynamic[];

__global__ void calls(int *out, int n)
{
    int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    derived d(i);
    base b;

    out[i] = call(i & 1 ? (const base &)d : b, 3) + table[i & 3] + functions[i & 1](i) +
             __atomic_fetch_add(&counter, 0, __ATOMIC_RELAXED);
}

__global__ void lds(int *out)
{
    int t = __builtin_amdgcn_workitem_id_x();

    dynamic[t] = t * 3;
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    out[t] = dynamic[t ^ 1];
}
EOF
cat >host.hip <<'EOF'
#define __device__ __attribute__((device))
#define __global__ extern "C" __attribute__((global))
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *__ockl_dm_alloc(unsigned long);
__global__ void says(int *out) { if (__builtin_amdgcn_workitem_id_x() == 3) printf("%d\n", *out); }
__global__ void allocates(int *out) { int *p = (int *)__ockl_dm_alloc(64); out[__builtin_amdgcn_workitem_id_x()] = *p; }
EOF
hip() { # PROCESSOR OUT SOURCE OPTIONS...
    hip_chip=$1 hip_out=$2 hip_src=$3
    shift 3
    clang-19 -x hip --offload-arch="$hip_chip" --offload-device-only --no-gpu-bundle-output -nogpuinc "$@" -c "$hip_src" -o "$hip_out"
}
for chip in gfx700 gfx803 gfx900; do
    # Without optimisation LLVM 19 loses the aperture of GFX7 and GFX8 in version 5 (see opencl/calls.cl).
    for how in "-O0 -mcode-object-version=4" "-O2 -mcode-object-version=5"; do
        case "$chip $how" in *700*5 | *803*4 | *900*4) [ -n "${LONG:-}" ] || continue ;; esac
        hip $chip $chip.o k.hip -nogpulib $how
        expect 0 "calls on" "$ATOLL" exec $chip.o calls --strict --grid 64 --arg zero:256:o --arg i32:64
        python3 - <<'EOF' || bad "HIP $chip $how"
import struct, sys
o = struct.unpack('<64i', open('o', 'rb').read())
sys.exit(any(o[i] != (3 * i if i & 1 else 3) + (i & 3) + 1 + (i + 100 if i & 1 else 2 * i) + 7 for i in range(64)))
EOF
        expect 0 "lds on" "$ATOLL" exec $chip.o lds --strict --lds 256 --grid 64 --arg zero:256:o
        python3 - <<'EOF' || bad "HIP, dynamic LDS, $chip $how"
import struct, sys
o = struct.unpack('<64i', open('o', 'rb').read())
sys.exit(any(o[i] != 3 * (i ^ 1) for i in range(64)))
EOF
    done
done
expect 2 "of LDS: a group can have" "$ATOLL" exec gfx900.o lds --lds 70000 --grid 64 --arg zero:256
hip gfx900 host.o host.hip --rocm-device-lib-path="$device_lib" -O2
expect 1 "it needs host calls (printf, assert and malloc of HIP), which is not supported" \
    "$ATOLL" exec host.o says --grid 64 --arg zero:256 --watchdog 1000000
expect 1 "which is not supported (argument hidden_h" "$ATOLL" exec host.o allocates --grid 64 --arg zero:256 --watchdog 1000000

# ---- disassembly of code objects: the same words in the same functions as LLVM's ------------------
objdump=$(command -v llvm-objdump-19 || echo /usr/lib/llvm-19/bin/llvm-objdump)
for chip in gfx803 gfx900; do
    "$ATOLL" dis $chip.o >dis || bad "atoll dis $chip.o"
    if [ -x "$objdump" ]; then
        "$objdump" -d --mcpu=$chip $chip.o >objdump
        python3 - <<'EOF' || bad "atoll dis $chip.o and llvm-objdump differ"
import re
ours, llvm, name = {}, {}, None
for x in open('dis'):
    if m := re.match(r'(\S+): // ', x):
        name = ours.setdefault(m.group(1), [])
    elif m := re.search(r'// \w+: ([0-9a-f ]+)$', x):
        name += m.group(1).split()
for x in open('objdump'):
    if m := re.match(r'[0-9a-f]+ <(\S+)>:', x):
        name = llvm.setdefault(m.group(1), [])
    elif m := re.search(r'// [0-9A-F]+: ([0-9A-F ]+)', x):
        name += m.group(1).lower().split()
padding = 'bf800000'
for f in ours: # the alignment of the next function is no part of one
    while len(llvm[f]) > len(ours[f]) and llvm[f][-1] == padding:
        llvm[f].pop()
assert ours and all(ours[f] == llvm[f] for f in ours), [f for f in ours if ours[f] != llvm[f]]
EOF
    fi
done
expect 0 "s_swappc_b64" "$ATOLL" dis gfx700.o calls
expect 2 "no function nothing" "$ATOLL" dis gfx700.o nothing

# ---- offload bundles, and other kinds of file -----------------------------------------------------
python3 - <<'EOF'
import struct
entries = [('host-x86_64-unknown-linux-gnu-', b''), ('hip-amdgcn-amd-amdhsa--gfx1030', b'xyz'),
           ('hipv4-amdgcn-amd-amdhsa--gfx803', open('gfx803.o', 'rb').read()),
           ('hipv4-amdgcn-amd-amdhsa--gfx900:xnack-', open('gfx900.o', 'rb').read())]
table, body = b'', b''
for name, data in entries:
    table += struct.pack('<QQQ', 4096 + len(body), len(data), len(name)) + name.encode()
    body += data + b'\0' * (-len(data) % 4096)
head = b'__CLANG_OFFLOAD_BUNDLE__' + struct.pack('<Q', len(entries)) + table
open('bundle', 'wb').write(head.ljust(4096, b'\0') + body)
open('cut', 'wb').write(head[:90])
open('zipped', 'wb').write(b'CCOB' + bytes(40))
open('lib.a', 'wb').write(b'!<arch>\n' + bytes(40))
EOF
expect 0 "lds on fiji" "$ATOLL" exec bundle lds --lds 256 --grid 64 --arg zero:256
expect 0 "lds on vega10" "$ATOLL" exec bundle lds --chip vega10 --lds 256 --grid 64 --arg zero:256
expect 2 "an offload bundle without code for gfx704; it has: host-x86_64" "$ATOLL" exec bundle lds --chip bonaire --grid 64
expect 2 "damaged offload bundle" "$ATOLL" exec cut --list
expect 2 "a compressed offload bundle" "$ATOLL" exec zipped --list
expect 2 "an archive" "$ATOLL" exec lib.a --list
clang-19 -x cl -target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -DSLOT=9 -cl-std=CL2.0 -emit-llvm -c printf.cl -o printf.bc
expect 2 "LLVM bitcode" "$ATOLL" exec printf.bc --list

# ---- images, and what a kernel stops itself with --------------------------------------------------
cat >misc.cl <<'EOF'
kernel void image(read_only image2d_t a, global float *out) { out[get_global_id(0)] = 1; }
kernel void traps(global int *out) { if (get_global_id(0) == 5) __builtin_trap(); out[get_global_id(0)] = 2; }
EOF
compile gfx803 misc.o misc.cl -O2
expect 2 "is of kind image, which is not supported" "$ATOLL" exec misc.o image --grid 64 --arg zero:64 --arg zero:256
expect 1 "s_trap without a trap handler" "$ATOLL" exec misc.o traps --grid 64 --arg zero:256

[ $failed = 0 ] && echo "check-services: printf on $printed code objects, HIP, bundles, errors: ok"
exit $failed
