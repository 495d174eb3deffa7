#!/usr/bin/env python3
"""Random OpenCL C programs, compared with the host: random_cl.py [--count N] [--seed S] [--keep DIR]

Program number i of a seed is always the same. It has no undefined behaviour: arithmetic is unsigned or
guarded, indices are masked, loops are bounded, NaNs are made one. Each is compiled for three processors,
each at another level of optimisation, which rotate (--all: every processor at every level). A program that
fails is written to DIR (default: the current directory) and, with --shrink, made smaller line by line; what
was found and mended lies in found/.

  random_cl.py --print I --seed S       only print program I
  random_cl.py --shrink FILE CHIP OPT   only shrink"""
import argparse, os, random, re, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import run

PRELUDE = '''#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define ADD(T, U, a, b) ((T)((U)(a) + (U)(b)))
#define SUB(T, U, a, b) ((T)((U)(a) - (U)(b)))
#define MUL(T, U, a, b) ((T)((ulong)(a) * (ulong)(b)))
#define DIV(a, b) ((b) == 0 || (b) == -1 ? (a) : (a) / (b))
#define REM(a, b) ((b) == 0 || (b) == -1 ? (a) : (a) % (b))
#define UDIV(a, b) ((b) == 0 ? (a) : (a) / (b))
#define UREM(a, b) ((b) == 0 ? (a) : (a) % (b))
#define F(x) ((x) != (x) ? 0.5f : (x))
#define D(x) ((x) != (x) ? 0.25 : (x))
#define Z ((ulong)get_local_id(1) << 40) /* 0, which compilers do not know */
'''
BITS = {'char': 8, 'uchar': 8, 'short': 16, 'ushort': 16, 'int': 32, 'uint': 32, 'long': 64, 'ulong': 64}
INT = list(BITS)
TYPES = INT + ['uint', 'int', 'uint', 'int', 'float', 'float', 'double', 'uint4', 'int2']
VEC = {'uint4': ('uint', 4), 'int2': ('int', 2)}


class Gen:
    def __init__(self, seed, number):
        self.r = random.Random(f'{seed}/{number}')
        self.n = 0
        self.functions = []  # (name, return type, argument types)
        self.lines = []
        self.depth = 0

    def pick(self, *a):
        return self.r.choice(a)

    def name(self):
        self.n += 1
        return f'v{self.n}'

    # -- expressions: each gives text of the type asked for, without side effects

    def leaf(self, t, env):
        same = [v for v, vt in env if vt == t]
        if same and self.r.random() < .7:
            return self.r.choice(same)
        if t in VEC:
            e, n = VEC[t]
            return f'({t})({", ".join(self.leaf(e, env) for _ in range(n))})'
        if t == 'float':
            return self.pick('1.5f', '-0.75f', '3.0e5f', f'{self.r.randrange(1000)}.25f', 'convert_float(n)', '0.1f')
        if t == 'double':
            return self.pick('2.5', '-1.0e10', f'{self.r.randrange(1000)}.125', '0.1')
        other = [v for v, vt in env if vt in BITS]
        c = self.r.random()
        if c < .3 and other:
            return f'(({t}){self.r.choice(other)})'
        if c < .5:
            return f'(({t})in[{self.r.randrange(4096)}])'
        v = self.pick(0, 1, 2, 3, 5, 7, 13, 31, 63, 100, 127, 255, 0x55, 1000, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                      self.r.getrandbits(32), self.r.getrandbits(8))
        return f'(({t}){v}u)'

    def expr(self, t, env, d=0):
        if d > 3 or self.r.random() < .15 + d * .12:
            return self.leaf(t, env)
        e = lambda x=t: self.expr(x, env, d + 1)
        if self.functions and self.r.random() < .08:
            f = [f for f in self.functions if f[1] == t]
            if f:
                f = self.r.choice(f)
                return f'{f[0]}(in, {", ".join(self.expr(a, env, d + 2) for a in f[2])})'
        if t in VEC:
            el, n = VEC[t]
            k = self.r.randrange(6)
            u = t if t.startswith('u') else 'u' + t
            if k == 0:
                return f'as_{t}(as_{u}({e()}) {self.pick("+", "-", "*", "^", "&", "|")} as_{u}({e()}))'
            if k == 1:
                sat = () if t == 'uint4' else ('add_sat', 'sub_sat')
                return f'{self.pick("max", "min", "rotate", "hadd", "mul_hi", *sat)}({e()}, {e()})'
            if k == 2:
                return f'({e()} {self.pick("<", ">", "==", "!=")} {e()} ? {e()} : {e()})'
            if k == 3:
                return f'({e()}).{"".join(self.r.choice("xyzw"[:n]) for _ in range(n))}'
            if k == 4:
                return f'({e()} >> ({t}){self.r.randrange(31)})'
            return f'({t})({", ".join(self.expr(el, env, d + 2) for _ in range(n))})'
        if t in ('float', 'double'):
            w = 'F' if t == 'float' else 'D'
            k = self.r.randrange(12)
            if k < 4:
                return f'{w}({e()} {self.pick("+", "-", "*", "/")} {e()})'
            if k == 4:
                return f'{w}(fma({e()}, {e()}, {e()}))'
            if k == 5:
                return f'{w}({self.pick("floor", "ceil", "trunc", "rint", "fabs")}({e()}))'
            if k == 6:
                return f'{w}(sqrt(fabs({e()})))'
            if k == 7:
                return f'({self.cond(env, d + 1)} ? {e()} : {e()})'
            if k == 8:
                return f'{w}(({t})({self.expr("double" if t == "float" else "float", env, d + 2)}))'
            if k == 9:
                return f'({self.pick("fmax", "fmin")}({e()}, {e()}) + 0)' # which zero is the smaller is open
            return f'(({t})({self.expr(self.r.choice(INT), env, d + 2)}))'
        b, u = BITS[t], t if t.startswith('u') else 'u' + t
        wide = 'uint' if b < 32 else u
        k = self.r.randrange(24)
        if k < 3:
            return f'{self.pick("ADD", "SUB", "MUL")}({t}, {wide}, {e()}, {e()})'
        if k < 6:
            x, op, y = e(), self.pick("&", "|", "^"), e()
            if b == 64 and op == '|': # LLVM 19 loses high halves that it knows: found/known_high_half.cl
                y = f'({y} ^ ({t})Z)'
            return f'({t})({x} {op} {y})'
        if k == 6:
            return f'({t})(({wide}){e()} << ({self.expr("uint", env, d + 2)} & {max(b, 32) - 1}))'
        if k == 7:
            return f'({t})({e()} >> ({self.expr("uint", env, d + 2)} & {b - 1}))'
        if k == 8:
            p = 'U' if t.startswith('u') else ''
            f, x, y = self.pick("DIV", "REM"), self.leaf(t, env), self.leaf(t, env)
            if t in ('uint', 'ulong'): # LLVM 19 takes copies of the sign for zeros and divides in 24 or 32 bits
                x = f'({x} ^ {"0x40000000u" if t == "uint" else "0x4000000000000000ul"})'
            return f'({t}){p}{f}({x}, {y})'
        if k == 9:
            return f'({t})~{e()}'
        if k == 10:
            f = self.pick("max", "min", "add_sat", "sub_sat", "mul_hi", "hadd", "rhadd", "rotate")
            if t == 'uint' and f.endswith('sat'): # LLVM 19 loses the clamp: found/lost_clamp.cl
                f = 'rotate'
            return f'{f}({e()}, {e()})'
        if k == 11:
            return f'{self.pick("popcount", "clz")}({e()})'
        if k == 12:
            return f'(({t})({self.cond(env, d + 1)} ? {e()} : {e()}))'
        if k == 13:
            return f'({t})({self.cond(env, d + 1)})'
        if k in (14, 15):
            o = self.r.choice(INT)
            return f'(({t}){self.expr(o, env, d + 1)})'
        if k == 16:
            o = self.r.choice(INT)
            return f'convert_{t}_sat({self.expr(o, env, d + 1)})'
        if k == 17:
            return f'convert_{t}_sat({self.expr(self.pick("float", "double"), env, d + 2)})'
        if k == 18:
            return f'(({t})in[{self.expr("uint", env, d + 1)} & 4095])'
        if k == 19:
            v, el, n = self.pick(('uint4', 'uint', 4), ('int2', 'int', 2))
            return f'(({t})({self.expr(v, env, d + 2)}).{self.r.choice("xyzw"[:n])})'
        if k == 20:
            x, y = self.leaf(t, env), self.leaf(t, env)
            if t != u: # the sum of a signed mad_hi must not overflow
                return f'ADD({t}, {wide}, mul_hi({x}, {y}), {e()})'
            return f'({t})mad_hi({x}, {y}, {e()})'
        if k == 21 and self.arrays:
            a, at, size = self.r.choice(self.arrays)
            x = f'{a}[{self.expr("uint", env, d + 1)} & {size - 1}]'
            return f'convert_{t}_sat(F({x}))' if at == 'float' else f'(({t}){x})'
        if k == 22:
            return f'bitselect({e()}, {e()}, {e()})'
        return f'({t})(-({wide}){e()})'

    def cond(self, env, d):
        k = self.r.randrange(5)
        t = self.r.choice(INT + ['float', 'double'])
        if k < 3 or d > 3:
            return f'({self.expr(t, env, d + 1)} {self.pick("<", ">", "==", "!=", "<=", ">=")} {self.expr(t, env, d + 1)})'
        if k == 3:
            return f'({self.cond(env, d + 1)} {self.pick("&&", "||")} {self.cond(env, d + 1)})'
        return f'(({self.expr("uint", env, d + 1)} & {1 << self.r.randrange(8)}) != 0)'

    # -- statements

    def emit(self, text):
        self.lines.append('    ' * (self.depth + 1) + text)

    def block(self, env, n, in_loop):
        self.depth += 1
        env = list(env)
        for _ in range(n):
            self.statement(env, in_loop)
        self.depth -= 1

    def assign(self, env):
        writable = [(v, t) for v, t in env if v.startswith('v')]
        if not writable:
            return
        v, t = self.r.choice(writable)
        if t in VEC and self.r.random() < .4:
            el, n = VEC[t]
            self.emit(f'{v}.{"xyzw"[self.r.randrange(n)]} = {self.expr(el, env)};')
        else:
            self.emit(f'{v} = {self.expr(t, env)};')

    def statement(self, env, in_loop):
        k = self.r.random()
        deep = self.depth > 2
        if k < .25:
            t = self.r.choice(TYPES)
            x = self.expr(t, env)
            v = self.name()
            self.emit(f'{t} {v} = {x};')
            env.append((v, t))
        elif k < .55 or deep:
            self.assign(env)
        elif k < .68:
            self.emit(f'if ({self.cond(env, 1)}) {{')
            self.block(env, self.r.randrange(1, 4), in_loop)
            if self.r.random() < .5:
                self.emit('} else {')
                self.block(env, self.r.randrange(1, 4), in_loop)
            self.emit('}')
        elif k < .8:
            i = 'i' + self.name()[1:]
            bound = self.pick(str(self.r.randrange(1, 7)), f'({self.expr("uint", env, 2)} & {self.pick(3, 7)})')
            self.emit(f'for (uint {i} = 0, {i}e = {bound}; {i} < {i}e; {i}++) {{')
            self.block(env + [(i, 'uint')], self.r.randrange(1, 4), True)
            self.emit('}')
        elif k < .87:
            self.emit(f'switch ({self.expr("uint", env, 1)} & 7) {{')
            for c in self.r.sample(range(8), self.r.randrange(2, 7)):
                self.emit(f'case {c}:')
                self.block(env, self.r.randrange(1, 3), False)
                if self.r.random() < .7:
                    self.emit('    break;')
            if self.r.random() < .6:
                self.emit('default:')
                self.block(env, 1, False)
            self.emit('}')
        elif k < .92 and in_loop:
            self.emit(f'if ({self.cond(env, 2)}) {self.pick("break", "continue")};')
        elif self.arrays:
            a, t, size = self.r.choice(self.arrays)
            self.emit(f'{a}[{self.expr("uint", env, 1)} & {size - 1}] = {self.expr(t, env)};')
        else:
            self.assign(env)

    def array(self, env):
        t, size = self.r.choice(INT + ['float']), self.pick(4, 8, 16)
        a = 'a' + self.name()[1:]
        self.emit(f'{t} {a}[{size}];')
        self.emit(f'for (uint k = 0; k < {size}; k++) {a}[k] = ({t})(k * {self.r.randrange(1, 99)}u);')
        self.arrays.append((a, t, size))

    def mix(self, v, t):
        if t in VEC:
            return ' ^ '.join(f'(uint){v}.{"xyzw"[i]}' for i in range(VEC[t][1]))
        if t == 'float':
            return f'as_uint(F({v}))'
        if t == 'double':
            return f'(uint)(as_ulong(D({v})) ^ as_ulong(D({v})) >> 32)'
        if BITS[t] == 64:
            return f'(uint){v} ^ (uint)({v} >> 32)'
        return f'(uint){v}'

    def function(self):
        name, ret = f'f{len(self.functions)}', self.r.choice(TYPES)
        args = [self.r.choice(TYPES) for _ in range(self.r.randrange(1, 6))]
        names = [f'v{self.n + 1 + i}' for i in range(len(args))]
        self.n += len(args)
        self.arrays = []
        attr = self.pick('__attribute__((noinline)) ', '__attribute__((noinline)) ', '')
        self.lines.append(f'{attr}{ret} {name}(global const uint *in, {", ".join(f"{t} {v}" for t, v in zip(args, names))})')
        self.lines.append('{')
        env = list(zip(names, args))
        self.lines.append('    const uint n = 256;')
        if self.r.random() < .4:
            self.array(env)
        for _ in range(self.r.randrange(2, 7)):
            self.statement(env, False)
        self.emit(f'return {self.expr(ret, env)};')
        self.lines.append('}')
        self.lines.append('')
        self.functions.append((name, ret, args))

    def program(self):
        for _ in range(self.r.randrange(0, 4)):
            self.function()
        self.arrays = []
        lds = self.r.random() < .5
        self.lines += ['//! in=ints grid=256 group=64', 'kernel void test(global const uint *in, global uint *out, uint n)', '{']
        if lds:
            self.emit('local uint lds[64];')
        self.emit('const uint gid = get_global_id(0), lid = get_local_id(0), grp = get_group_id(0);')
        self.emit('uint sum = 0;')
        env = [('gid', 'uint'), ('lid', 'uint'), ('grp', 'uint'), ('n', 'uint')]
        for _ in range(self.r.randrange(2, 6)):
            t = self.r.choice(TYPES)
            v = self.name()
            src = f'in[(gid * {self.r.randrange(1, 16)} + {self.r.randrange(100)}) & 4095]'
            if t in VEC:
                self.emit(f'{t} {v} = ({t})({src});')
            elif t in ('float', 'double'):
                self.emit(f'{t} {v} = ({t})(int){src} * ({t}){self.pick("1.0", "0.001", "1e-9", "1e5")};')
            else:
                self.emit(f'{t} {v} = ({t}){src};')
            env.append((v, t))
        for _ in range(self.r.randrange(0, 3)):
            self.array(env)
        for _ in range(self.r.randrange(6, 18)):
            self.statement(env, False)
            if lds and self.r.random() < .15:
                self.emit(f'lds[lid] = {self.expr("uint", env)};')
                self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
                self.emit(f'sum = sum * 31 + lds[({self.expr("uint", env)}) & 63];')
                self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        for v, t in env:
            self.emit(f'sum = sum * 31 + ({self.mix(v, t)});')
        for a, t, size in self.arrays:
            self.emit(f'for (uint k = 0; k < {size}; k++) sum = sum * 17 + ({self.mix(a + "[k]", t)});')
        self.emit('out[gid] = sum;')
        self.lines.append('}')
        return PRELUDE + '\n'.join(self.lines) + '\n'


def fails(b, path, chip, opt):
    """Why a program fails on one variant; None when it agrees or does not compile for the host."""
    kernels = run.parse(path)
    stem = path + f'.{chip}.{opt}'
    try:
        want = b.host(path, stem, kernels)
    except RuntimeError:
        return None
    try:
        o = b.device(path, stem, chip, opt)
    except RuntimeError:
        return None
    for k in kernels:
        try:
            why = run.compare(k.output, k.ulp, k.abs, want[k.name], b.run(o, k))
        except RuntimeError as e:
            why = str(e)
        if why:
            return why
    return None


def shrink(b, path, chip, opt):
    path = os.path.abspath(path) # shared objects are loaded by their path
    lines = open(path).read().splitlines()
    kind = fails(b, path, chip, opt)
    if not kind:
        return 'does not fail'
    trial = path[:-3] + '.small.cl'
    size = max(len(lines) // 2, 1)
    while size:
        i = 0
        while i < len(lines):
            cut = lines[:i] + lines[i + size:]
            text = '\n'.join(cut) + '\n'
            # Without these undefined behaviour would come in: first values of arrays, results, barriers.
            whole = not any(re.search(r'\[k\] = \(|\breturn\b|\blds\[lid\]|barrier', x) or x.startswith(('#', '    uint sum'))
                            for x in lines[i:i + size])
            if whole and text.count('{') == text.count('}') and '//!' in text:
                open(trial, 'w').write(text)
                try:
                    if fails(b, trial, chip, opt):
                        lines = cut
                        continue
                except RuntimeError:
                    pass
            i += size
        size //= 2
    open(trial, 'w').write('\n'.join(lines) + '\n')
    return f'{trial}: {len(lines)} lines'


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--count', type=int, default=300)
    ap.add_argument('--seed', default='1')
    ap.add_argument('--chips', default='gfx700,gfx803,gfx900')
    ap.add_argument('--first', type=int, default=0)
    ap.add_argument('--all', action='store_true')
    ap.add_argument('--keep', default='.')
    ap.add_argument('--print', type=int)
    ap.add_argument('--shrink', nargs=3)
    a = ap.parse_args()
    if a.print is not None:
        sys.stdout.write(Gen(a.seed, a.print).program())
        return 0
    lib = run.find_lib()
    if not lib:
        print('SKIPPED: no device library (package rocm-device-libs)')
        return 77
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(os.cpu_count()) as pool:
        b = run.Bench(work, os.environ.get('ATOLL', './atoll'), lib)
        if a.shrink:
            print(shrink(b, a.shrink[0], a.shrink[1], a.shrink[2]))
            return 0
        chips, opts = a.chips.split(','), ['0', '2', '3']

        def one(i): # a program of its own seed: which thread runs it does not matter
            path = os.path.join(work, f'random_{a.seed}_{i}.cl')
            open(path, 'w').write(Gen(a.seed, i).program())
            kernels = run.parse(path)
            bad, n = [], 0
            try:
                want = b.host(path, path, kernels)
            except RuntimeError as e:
                return 0, [f'program {i}: host: {str(e)[-1500:]}'], path
            pairs = [(c, o) for c in chips for o in opts] if a.all else [(c, opts[(i + j) % 3]) for j, c in enumerate(chips)]
            for c, o in pairs:
                try:
                    why = run.compare('u32', 0, 0, want['test'], b.run(b.device(path, path, c, o), kernels[0]))
                except RuntimeError as e:
                    why = str(e)[:800]
                n += 1
                if why:
                    bad.append(f'program {i} {c} -O{o}: {why}')
            for f in os.listdir(work):
                if f.startswith(f'random_{a.seed}_{i}.cl.'):
                    os.unlink(os.path.join(work, f))
            return n, bad, path

        total, failed = 0, 0
        for n, bad, path in pool.map(one, range(a.first, a.first + a.count)):
            total += n
            if bad:
                failed += 1
                os.makedirs(a.keep, exist_ok=True)
                open(os.path.join(a.keep, os.path.basename(path)), 'w').write(open(path).read())
                for t in bad:
                    print('FAIL:', t, flush=True)
    print(f'{a.count} random programs of seed {a.seed}, {total} runs compared with the host: '
          f'{"ok" if not failed else str(failed) + " FAILED"}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
