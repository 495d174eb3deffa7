#!/usr/bin/env python3
"""Differential tests: every kernel of the given OpenCL C files is compiled by clang for the host and for
GPU processors at several levels of optimisation; `atoll exec` runs the latter; the results must agree.

  run.py [--chips gfx700,gfx803,gfx900] [--opt 0,2,3] [--version 5] [--jobs N] [--keep DIR] FILE.cl...

A kernel is `kernel void NAME(global const T *in, global U *out, uint n)` with a line above it that says
how to run and compare it:

  //! grid=256 group=64 in=ints out=u32 ulp=0 bytes=65536

in    what the input buffer (64 KiB) holds: ints, f32, f32n, f64, f16 (special values among random ones),
      unit32, unit64 (numbers in 0 .. 1), small (integers 0 .. 255)
out   u32 (compared bit by bit), or f16, f32, f64: any NaN equals any NaN, and `ulp` units in the last
      place are allowed; abs= allows an absolute error too
not   processors that it is not for (gfx7: all whose name begins so)
xfail levels of optimisation (2 or gfx803:2) at which clang 19 gets it wrong: must not fault, may differ
n     the third argument (default: the number of work-items)

Exit status: 0 all agree, 1 not, 77 when a tool is missing."""
import argparse, ctypes, hashlib, math, os, random, re, struct, subprocess, sys, tempfile, threading
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import shim

CC = os.environ.get('CLANG', 'clang-19')
EXT = '+cl_khr_fp16,+cl_khr_fp64,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics'
COMMON = ['-x', 'cl', '-cl-std=CL2.0', '-ffp-contract=off', '-Wno-unused-value', '-w']
IN_BYTES = 65536


def sh(cmd, **kw):
    r = subprocess.run(cmd, capture_output=True, text=True, **kw)
    if r.returncode:
        raise RuntimeError(f'{" ".join(cmd)}: exit {r.returncode}\n{r.stdout[-2000:]}{r.stderr[-4000:]}')
    return r.stdout


# ---- inputs -------------------------------------------------------------------------------------

INTS = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, 256, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
        0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x55555555, 0xaaaaaaaa, 10, 100, 1000, 1000000007]
F32 = [0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x807fffff,
       0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x3effffff, 0x3f7fffff, 0x3f800001, 0x4b000000, 0x4b800001,
       0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000, 0x33000000, 0x40490fdb]


def make_input(kind, seed=0):
    r = random.Random(f'{kind} {seed}')
    if kind == 'ints':
        return b''.join(struct.pack('<I', r.choice(INTS) if r.random() < .3 else r.getrandbits(r.choice((8, 16, 32, 32, 32))))
                        for _ in range(IN_BYTES // 4))
    if kind == 'small':
        return b''.join(struct.pack('<I', r.randrange(256)) for _ in range(IN_BYTES // 4))
    if kind == 'unit32':
        return b''.join(struct.pack('<f', r.random()) for _ in range(IN_BYTES // 4))
    if kind == 'unit64':
        return b''.join(struct.pack('<d', r.random()) for _ in range(IN_BYTES // 8))
    if kind == 'f32':
        def f32():
            c = r.random()
            if c < .2:
                return struct.pack('<I', r.choice(F32))
            if c < .4:
                return struct.pack('<I', r.getrandbits(32) & ~0x00400000 | 0x00400000 if r.random() < .1 else r.getrandbits(32) & 0xbfffffff)
            return struct.pack('<f', r.choice((1, -1)) * r.random() * 10.0 ** r.randrange(-3, 6))
        b = b''.join(f32() for _ in range(IN_BYTES // 4))
        # No signalling NaNs: hosts and GPUs differ on them, and OpenCL promises nothing.
        return b''.join(b[i:i + 4] if not (b[i + 3] & 0x7f == 0x7f and b[i + 2] & 0x80) or b[i:i + 3] == b'\0\0\x80'
                        else struct.pack('<I', 0x7fc00000) for i in range(0, IN_BYTES, 4))
    if kind == 'f32n': # no denormals: the device library for GFX7 and GFX8 flushes them
        b = make_input('f32', seed)
        return b''.join(b[i:i + 4] if b[i + 3] & 0x7f or b[i + 2] & 0x80 else struct.pack('<f', 1.25)
                        for i in range(0, IN_BYTES, 4))
    if kind == 'f64':
        def f64():
            c = r.random()
            if c < .2:
                return struct.pack('<d', r.choice((0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, 5e-324, 2.2250738585072014e-308,
                                                   1.7976931348623157e308, 0.5, 2.0**52, 2.0**53 + 2, 2.0**31, 2.0**63, 2.0**64,
                                                   2.0**31 - .5, -2.0**31 - .5, 0.49999999999999994)))
            if c < .22:
                return struct.pack('<Q', 0x7ff8000000000000)
            if c < .4:
                return struct.pack('<Q', r.getrandbits(64) & ~(1 << 62) if r.random() < .5 else r.getrandbits(64) & ~(1 << 52))
            return struct.pack('<d', r.choice((1, -1)) * r.random() * 10.0 ** r.randrange(-3, 12))
        return b''.join(f64() for _ in range(IN_BYTES // 8))
    if kind == 'f16':
        def f16():
            v = r.choice((0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x3ff, 0x400, 0x7bff)) if r.random() < .2 \
                else r.getrandbits(16)
            return struct.pack('<H', 0x7e00 if v & 0x7c00 == 0x7c00 and v & 0x3ff else v)
        return b''.join(f16() for _ in range(IN_BYTES // 2))
    raise RuntimeError(f'no input {kind}')


# ---- comparison ---------------------------------------------------------------------------------

FLOAT = {'f16': ('<e', 2, 10, -14), 'f32': ('<f', 4, 23, -126), 'f64': ('<d', 8, 52, -1022)}


def compare(kind, ulp, abs_ok, want, got):
    """None when they agree, else a text."""
    if kind == 'u32':
        if want == got:
            return None
        bad = [i for i in range(0, len(want), 4) if want[i:i + 4] != got[i:i + 4]]
        i = bad[0]
        return (f'{len(bad)} dwords differ, first at dword {i // 4}: host {struct.unpack_from("<I", want, i)[0]:#010x} '
                f'atoll {struct.unpack_from("<I", got, i)[0]:#010x}')
    fmt, size, mant, emin = FLOAT[kind]
    bad, worst, first = 0, 0.0, None
    for i, ((a,), (b,)) in enumerate(zip(struct.iter_unpack(fmt, want), struct.iter_unpack(fmt, got))):
        if a == b and (ulp or math.copysign(1, a) == math.copysign(1, b)) or a != a and b != b:
            continue
        if a - a == 0 and b - b == 0:
            unit = 2.0 ** (max(math.frexp(a)[1] - 1, emin) - mant)
            d = abs(a - b) / unit
            tiny = ulp and abs(a) < 2.0 ** emin * 2 and abs(b) < 2.0 ** emin * 2 # denormals may be flushed
            if ulp and (d <= ulp + .5 or abs(a - b) <= abs_ok or tiny):
                continue
        elif ulp and a - a == 0 and abs(a) * (1 + (ulp + 1) * 2.0 ** -mant) >= 2.0 ** (-emin + 1) and b == math.copysign(math.inf, a):
            continue # rounded up to infinity
        else:
            d = math.inf
        bad += 1
        worst = max(worst, d)
        if first is None:
            first = (i, a, b)
    if not bad:
        return None
    return f'{bad} differ (up to {worst:.3g} ulp), first at {first[0]}: host {first[1]!r} atoll {first[2]!r}'


# ---- one file -----------------------------------------------------------------------------------

class Kernel:
    def __init__(self, name, text):
        opt = dict(x.split('=', 1) for x in text.split())
        self.name = name
        dims = lambda s: ([int(x) for x in s.split(',')] + [1, 1])[:3]
        self.grid, self.group = dims(opt.pop('grid', '256')), dims(opt.pop('group', '64'))
        self.input, self.output = opt.pop('in', 'ints'), opt.pop('out', 'u32')
        self.ulp, self.abs = float(opt.pop('ulp', 0)), float(opt.pop('abs', 0))
        self.bytes = int(opt.pop('bytes', 65536))
        self.n = int(opt.pop('n', self.grid[0] * self.grid[1] * self.grid[2]))
        self.seed = opt.pop('seed', '0')
        self.without = opt.pop('not', '').split(',')
        self.xfail = opt.pop('xfail', '').split(',')
        if opt:
            raise RuntimeError(f'{name}: unknown options {opt}')


def parse(path):
    text = open(path).read()
    out = [Kernel(m.group(2), m.group(1)) for m in
           re.finditer(r'^//!(.*)\n(?:__attribute__.*\n)*kernel (?:__attribute__\S+ )?void (\w+)\(', text, re.M)]
    out += [Kernel(m.group(2), m.group(1)) for m in re.finditer(r'^//!(.*)\n[A-Z_0-9]+\((\w+)', text, re.M)]
    if not out:
        raise RuntimeError(f'{path}: no kernels')
    return out


class Bench:
    def __init__(self, work, atoll, lib, version='5'):
        self.work, self.atoll, self.lib, self.version = work, atoll, lib, version
        self.host_o = os.path.join(work, 'host.o')
        self.lock = threading.Lock()
        sh(['gcc', '-O1', '-fPIC', '-D_GNU_SOURCE', '-c', os.path.join(HERE, 'host.c'), '-o', self.host_o])

    def input_path(self, k):
        p = os.path.join(self.work, f'in.{k.input}.{k.seed}')
        with self.lock:
            if not os.path.exists(p):
                with open(p, 'wb') as f:
                    f.write(make_input(k.input, k.seed))
        return p

    def host(self, path, stem, kernels):
        """Results of all kernels on the host."""
        o, so = stem + '.host.o', stem + '.host.so'
        sh([CC, *COMMON, '-O1', '-fPIC', '-target', 'x86_64-linux-gnu', '-Xclang', '-ffloat16-excess-precision=none', '-Xclang',
            '-cl-ext=' + EXT, '-c', path, '-o', o])
        defined = set(re.findall(r' [A-TV-Zdbtrv] (\S+)', sh(['nm', o])))
        und = [s for s in re.findall(r' U (\S+)', sh(['nm', o])) if s.startswith('_Z') and s not in defined]
        text = shim.shim_text(sorted(und))
        key = hashlib.sha1(text.encode()).hexdigest()[:16]
        shim_o = os.path.join(self.work, f'shim.{key}.o')
        if not os.path.exists(shim_o):
            cl = os.path.join(self.work, f'shim.{key}.{threading.get_ident()}.cl')
            open(cl, 'w').write(text)
            # Its own declarations would clash with definitions that have other attributes.
            sh([CC, *COMMON, '-O1', '-fPIC', '-target', 'x86_64-linux-gnu', '-Xclang', '-ffloat16-excess-precision=none', '-Xclang',
                '-cl-ext=' + EXT, '-c', cl, '-o', cl + '.o'])
            os.rename(cl + '.o', shim_o)
        sh(['gcc', '-shared', '-Wl,-z,defs', '-o', so, o, shim_o, self.host_o, '-lm'])
        # In a process of its own: a wrong program must not take the driver along.
        out = {}
        for k in kernels:
            p = f'{stem}.{k.name}.host'
            sh([sys.executable, os.path.join(HERE, 'hostrun.py'), so, k.name, self.input_path(k), p, str(k.bytes),
                str(k.n), *map(str, k.grid + k.group)])
            out[k.name] = open(p, 'rb').read()
        return out

    def device(self, path, stem, chip, opt):
        o = f'{stem}.{chip}.O{opt}.o'
        sh([CC, *COMMON, '-target', 'amdgcn-amd-amdhsa', f'-mcpu={chip}', f'-O{opt}', '--rocm-device-lib-path=' + self.lib,
            '-cl-fp32-correctly-rounded-divide-sqrt', '-Xclang', '-fdenormal-fp-math-f32=ieee', '-c', path, '-o', o,
            '-mcode-object-version=' + self.version])
        return o

    def run(self, o, k):
        out = f'{o}.{k.name}.out'
        r = subprocess.run([self.atoll, 'exec', o, k.name, '--quiet', '--strict', '--grid', ','.join(map(str, k.grid)), '--group',
                            ','.join(map(str, k.group)), '--arg', 'buf:' + self.input_path(k), '--arg',
                            f'zero:{k.bytes}:{out}', '--arg', f'u32:{k.n}', '--watchdog', '50000000'], capture_output=True, text=True)
        if r.returncode:
            raise RuntimeError(f'atoll exec: exit {r.returncode}: {r.stderr.strip()[:600]}')
        got = open(out, 'rb').read()
        os.unlink(out)
        return got

    def file(self, path, chips, opts, pool):
        """Test one file: (comparisons, failures as texts)."""
        base = os.path.basename(path)
        stem = os.path.join(self.work, base)
        kernels = parse(path)
        try:
            want = self.host(path, stem, kernels)
        except RuntimeError as e:
            return 0, [f'{base}: host: {e}']

        def variant(v):
            chip, opt = v
            todo = [k for k in kernels if not any(x and chip.startswith(x) for x in k.without)]
            if not todo: # the compiler may not even get through it
                return 0, []
            try:
                o = self.device(path, stem, chip, opt)
            except RuntimeError as e:
                return 0, [f'{base} {chip} -O{opt}: {e}']
            n, bad = 0, []
            for k in todo:
                where = f'{base} {k.name} {chip} -O{opt}'
                try:
                    got = self.run(o, k)
                    wrong = opt in k.xfail or f'{chip}:{opt}' in k.xfail
                    why = None if wrong else compare(k.output, k.ulp, k.abs, want[k.name], got)
                except RuntimeError as e:
                    why = str(e)
                n += 1
                if why:
                    bad.append(f'{where}: {why}')
            return n, bad

        n, bad = 0, []
        for a, b in pool.map(variant, [(c, o) for c in chips for o in opts]):
            n += a
            bad += b
        return n, bad


def find_lib():
    for d in (os.environ.get('device_lib'), os.environ.get('ATOLL_DEVICE_LIB'), '/usr/lib/x86_64-linux-gnu/amdgcn/bitcode',
              '/usr/lib/amdgcn/bitcode', '/opt/rocm/amdgcn/bitcode'):
        if d and os.path.exists(os.path.join(d, 'opencl.bc')):
            return d
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--chips', default='gfx700,gfx803,gfx900')
    ap.add_argument('--opt', default='0,2,3')
    ap.add_argument('--version', default='5', help='of code objects')
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    ap.add_argument('--keep')
    ap.add_argument('files', nargs='+')
    a = ap.parse_args()
    lib = find_lib()
    if not lib:
        print('SKIPPED: no device library (package rocm-device-libs)')
        return 77
    atoll = os.environ.get('ATOLL', './atoll')
    total, failures = 0, []
    with tempfile.TemporaryDirectory() as tmp, ThreadPoolExecutor(a.jobs) as pool:
        work = a.keep or tmp
        os.makedirs(work, exist_ok=True)
        b = Bench(work, atoll, lib, a.version)
        for f in a.files:
            n, bad = b.file(f, a.chips.split(','), a.opt.split(','), pool)
            total += n
            failures += bad
            for t in bad:
                print('FAIL:', t, flush=True)
    print(f'{len(a.files)} files, {total} runs compared with the host ({a.chips}; -O{a.opt}; v{a.version}): '
          f'{"ok" if not failures else str(len(failures)) + " FAILED"}')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
