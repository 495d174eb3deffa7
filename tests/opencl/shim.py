"""OpenCL's built-in functions for the host, as OpenCL C: definitions for the symbols that a test's host
object leaves undefined. Written from the OpenCL C specification, without a look at how the device
library does it: integers in 128 bits, conversions by comparing with the exact value, mathematics by the
host's libm in more precision (host.c)."""
import re, subprocess

INTS = {'char': 8, 'short': 16, 'int': 32, 'long': 64}
TYPES = {**INTS, **{'u' + k: v for k, v in INTS.items()}, 'half': 16, 'float': 32, 'double': 64}
FLOATS = ('half', 'float', 'double')

PRELUDE = '''#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OVL __attribute__((overloadable))
typedef __int128 w_s;
typedef unsigned __int128 w_u;
'''

# Functions of host.c by their OpenCL names.
HOST = {'get_global_id': 'host_global_id', 'get_local_id': 'host_local_id', 'get_group_id': 'host_group_id',
        'get_global_size': 'host_global_size', 'get_local_size': 'host_local_size',
        'get_num_groups': 'host_num_groups'}

# name: expression for one element; T its type, U the unsigned type of its width, B its bits.
INT_EXPR = {
    'abs': '(U)(a < 0 ? -(W)a : (W)a)', 'abs_diff': '(U)(a > b ? (W)a - (W)b : (W)b - (W)a)',
    'add_sat': 'SAT((W)a + (W)b)', 'sub_sat': 'SUBSAT', 'hadd': '(T)(((W)a + (W)b) >> 1)',
    'rhadd': '(T)(((W)a + (W)b + 1) >> 1)', 'mul_hi': '(T)(((W)a * (W)b) >> B)',
    'mad_hi': '(T)((T)(((W)a * (W)b) >> B) + c)', 'mad_sat': 'SAT((W)a * (W)b + (W)c)',
    'max': 'a > b ? a : b', 'min': 'a < b ? a : b', 'clamp': 'a < b ? b : a > c ? c : a',
    'mad24': '(T)((W)a * (W)b + (W)c)', 'mul24': '(T)((W)a * (W)b)',
    'rotate': '(T)((U)((U)a << ((U)b & (B - 1))) | (U)((U)a >> ((B - ((U)b & (B - 1))) & (B - 1))))',
    'bitselect': '(T)((a & ~c) | (b & c))',
}
INT_LOOP = {
    'clz': 'T n = 0; while (n < B && !((U)x >> (B - 1 - n) & 1)) n++; return n;',
    'ctz': 'T n = 0; while (n < B && !((U)x >> n & 1)) n++; return n;',
    'popcount': 'T n = 0; for (int k = 0; k < B; k++) n += (U)x >> k & 1; return n;',
}
FLOAT_EXPR = {
    'fabs': 'AS((U)(BITS(a) & ~((U)1 << (B - 1))))', 'fmax': 'isnan_(a) ? b : isnan_(b) ? a : a < b ? b : a',
    'fmin': 'isnan_(a) ? b : isnan_(b) ? a : b < a ? b : a', 'max': 'a < b ? b : a', 'min': 'b < a ? b : a',
    'clamp': 'a < b ? b : a > c ? c : a', 'fma': 'FMA(a, b, c)', 'copysign':
    'AS((U)((BITS(a) & ~((U)1 << (B - 1))) | (BITS(b) & (U)1 << (B - 1))))',
    'mix': 'a + (b - a) * c', 'step': 'b < a ? (T)0 : (T)1', 'sign':
    'isnan_(a) ? (T)0 : a > 0 ? (T)1 : a < 0 ? (T)-1 : a', 'degrees': '(T)(a * (T)57.295779513082320876)',
    'radians': '(T)(a * (T)0.017453292519943295769)',
    'bitselect': 'AS((U)((BITS(a) & ~BITS(c)) | (BITS(b) & BITS(c))))', 'maxmag':
    'FABS(a) > FABS(b) ? a : FABS(b) > FABS(a) ? b : (isnan_(a) ? b : isnan_(b) ? a : a < b ? b : a)',
}
TEST_EXPR = {'isnan': 'a != a', 'isinf': '!(a != a) && FABS(a) > MAXF', 'isfinite': 'FABS(a) <= MAXF',
             'isnormal': 'FABS(a) <= MAXF && FABS(a) >= MINF', 'signbit': '(BITS(a) >> (B - 1)) != 0',
             'isequal': 'a == b', 'isnotequal': 'a != b', 'isless': 'a < b', 'isgreater': 'a > b',
             'islessequal': 'a <= b', 'isgreaterequal': 'a >= b', 'isordered': 'a == a && b == b',
             'isunordered': 'a != a || b != b', 'islessgreater': 'a < b || a > b'}
LIBM1 = ('sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p cbrt '
         'erf erfc tgamma lgamma sqrt rint floor ceil trunc round logb rsqrt sinpi cospi tanpi asinpi acospi atanpi').split()
LIBM2 = 'pow powr atan2 atan2pi hypot fmod remainder fdim'.split()
LIBMI = 'pown rootn'.split() # the second argument is an int
ATOMIC = {'add': 'o + v', 'sub': 'o - v', 'and': 'o & v', 'or': 'o | v', 'xor': 'o ^ v', 'min': 'o < v ? o : v',
          'max': 'o > v ? o : v', 'xchg': 'v', 'exchange': 'v', 'inc': 'o + 1', 'dec': 'o - 1'}


def parse_type(t):
    """A demangled type: (element, width, pointer space or None)."""
    space = None
    if t.endswith('*'):
        m = re.search(r'CL(\w+)', t)
        space = m.group(1) if m else 'private'
        t = t[:-1]
    t = re.sub(r'\bCL\w+|\bvolatile\b|\bconst\b|\b_Atomic\b', '', t).strip()
    m = re.fullmatch(r'(.*?)\s+(?:__)?vector[\[(](\d+)[\])]', t)
    width = int(m.group(2)) if m else 1
    e = (m.group(1) if m else t).strip()
    e = {'signed char': 'char', 'unsigned char': 'uchar', 'unsigned short': 'ushort', 'unsigned int': 'uint',
         'unsigned long': 'ulong', '_Float16': 'half', 'half': 'half'}.get(e, e)
    return e, width, space


def name_of(t):
    e, w, space = t
    v = e if w == 1 else f'{e}{w}'
    return f'{space} {v} *' if space else v


def macros(e):
    """Names that the expressions use, for element type e."""
    bits = TYPES[e]
    u = {8: 'uchar', 16: 'ushort', 32: 'uint', 64: 'ulong'}[bits]
    s = u[1:]
    out = {'T': e, 'U': u, 'B': str(bits), 'W': 'w_u' if e.startswith('u') else 'w_s'}
    if e in FLOATS:
        out['MAXF'] = {'half': '(half)65504', 'float': '3.40282347e+38f', 'double': '1.7976931348623157e308'}[e]
        out['MINF'] = {'half': '(half)6.103515625e-05', 'float': '1.17549435e-38f', 'double': '2.2250738585072014e-308'}[e]
    else:
        lo, hi = (0, 2**bits - 1) if e.startswith('u') else (-2**(bits - 1), 2**(bits - 1) - 1)
        out['LO'] = f'((w_s){lo + 1 if lo else 0}L - {1 if lo else 0})'
        out['HI'] = f'((W){hi}{"UL" if e.startswith("u") else "L"})'
    out['S'] = s
    return out


def expand(expr, e):
    m = macros(e)
    expr = re.sub(r'SUBSAT', '(a < b ? (T)0 : (T)(a - b))' if e.startswith('u') else 'SAT((W)a - (W)b)', expr)
    while 'SAT(' in expr:
        i = expr.index('SAT(')
        depth, j = 1, i + 4
        while depth:
            depth += {'(': 1, ')': -1}.get(expr[j], 0)
            j += 1
        inner = expr[i + 4:j - 1]
        low = '(W)0' if e.startswith('u') else 'LO'
        expr = expr[:i] + f'({inner} > HI ? (T)HI : {inner} < {low} ? (T){low} : (T)({inner}))' + expr[j:]
    expr = re.sub(r'FABS\((\w)\)', r'AS((U)(BITS(\1) & ~((U)1 << (B - 1))))', expr)
    expr = re.sub(r'isnan_\((\w)\)', r'(\1 != \1)', expr)
    expr = re.sub(r'BITS\((\w)\)', r'as_%s(\1)' % m['U'], expr)
    expr = expr.replace('AS(', f'as_{e}(')
    expr = expr.replace('FMA(a, b, c)', {'float': 'h_fmaf(a, b, c)', 'double': 'h_fma(a, b, c)',
                                         'half': '(half)h_fma((double)a, (double)b, (double)c)'}.get(e, ''))
    for _ in range(2):
        for k, v in m.items():
            expr = re.sub(r'\b%s\b' % k, v, expr)
    return expr


def elementwise(ret, name, args, expr, types, extra=''):
    """A function that does `expr` for each element."""
    width = max(w for _, w, _ in types)
    rt = ret if width == 1 else f'{ret}{width}'
    params = ', '.join(f'{name_of(t)} {x}' for t, x in zip(types, 'xyz'))
    get = ' '.join(f'{t[0]} {v} = {x}{"[i]" if t[1] > 1 else ""};' for t, x, v in zip(types, 'xyz', 'abc'))
    if width == 1:
        return f'{rt} OVL {name}({params}) {{ {extra}{get} return {expr}; }}\n'
    return (f'{rt} OVL {name}({params}) {{ {extra}{rt} r; for (int i = 0; i < {width}; i++) {{ {get} r[i] = {expr}; }} '
            f'return r; }}\n')


def convert(name, t):
    """convert_TYPE[_sat][_rtX]"""
    m = re.fullmatch(r'convert_([a-z]+?)(\d*)(_sat)?(?:_(rt[ezpn]))?', name)
    dst, sat, mode = m.group(1), m.group(3), m.group(4)
    src = t[0]
    one = f'cv_{name}_{src}'
    body = ''
    if dst not in FLOATS:
        mm = macros(dst)
        lo, hi = ('0', mm['HI'].replace('W', 'w_s')) if dst.startswith('u') else (mm['LO'], mm['HI'].replace('W', 'w_s'))
        if src in FLOATS:
            rnd = {None: 'h_trunc', 'rtz': 'h_trunc', 'rte': 'h_rint', 'rtp': 'h_ceil', 'rtn': 'h_floor'}[mode]
            body = f'double d = {rnd}((double)x);'
            if sat:
                body += (f' if (d != d) return 0; if (d >= {2.0**(TYPES[dst] - (0 if dst.startswith("u") else 1))!r}) '
                         f'return ({dst}){hi}; if (d < (double){lo}) return ({dst}){lo};')
            body += f' return ({dst})d;'
        else:
            body = f'w_s v = x;' + (f' if (v > {hi}) return ({dst}){hi}; if (v < {lo}) return ({dst}){lo};' if sat else '')
            body += f' return ({dst})v;'
    elif src in FLOATS:
        body = f'return rd_{dst}_{mode or "rte"}((double)x);'
    else:
        body = f'return rdi_{dst}_{mode or "rte"}((w_s)x);'
    w = t[1]
    text = f'static {dst} {one}({src} x) {{ {body} }}\n'
    return text + elementwise(dst, name, None, f'{one}(a)', [t])


def rounders():
    out = ''
    for dst in FLOATS:
        u = macros(dst)['U']
        inf = {'half': 'as_half((ushort)0x7c00)', 'float': 'as_float(0x7f800000u)', 'double': 'as_double(0x7ff0000000000000ul)'}[dst]
        out += f'''
static {dst} up_{dst}({dst} v) {{ {u} b = as_{u}(v); if (v == 0) return as_{dst}(({u})1); return as_{dst}(({u})(v > 0 ? b + 1 : b - 1)); }}
static {dst} down_{dst}({dst} v) {{ return -up_{dst}(-v); }}
'''
        for mode in ('rte', 'rtz', 'rtp', 'rtn'):
            up = {'rte': '0', 'rtz': 'x < 0', 'rtp': '1', 'rtn': '0'}[mode]
            down = {'rte': '0', 'rtz': 'x > 0', 'rtp': '0', 'rtn': '1'}[mode]
            out += f'''static {dst} rd_{dst}_{mode}(double x) {{ {dst} r = ({dst})x; if (x != x || x - x != 0) return r;
  if (({up}) && (double)r < x) r = up_{dst}(r); if (({down}) && (double)r > x) r = down_{dst}(r); return r; }}
static {dst} rdi_{dst}_{mode}(w_s x) {{
  double d = (double)x; {dst} r = ({dst})x;
  int big = (double)r > 1e30 || (double)r < -1e30;
  w_s back = big ? 0 : (w_s)(double)r; int gt = big ? (double)r > 0 : back > x, lt = big ? (double)r < 0 : back < x;
  if (({up}) && lt) r = up_{dst}(r); if (({down}) && gt) r = down_{dst}(r); return r; }}
'''
    return out


DECLS = ''.join(f'double h_{n}(double) __asm__("hl_{n}");\n' for n in LIBM1) + \
    ''.join(f'double h_{n}(double, double) __asm__("hl_{n}");\n' for n in LIBM2) + \
    ''.join(f'double h_{n}(double, int) __asm__("hl_{n}");\n' for n in LIBMI) + '''
float h_fmaf(float, float, float) __asm__("fmaf");
double h_fma(double, double, double) __asm__("fma");
double h_ldexp(double, int) __asm__("ldexp");
double h_frexp(double, private int *) __asm__("frexp");
int h_ilogb(double) __asm__("ilogb");
float h_nextafterf(float, float) __asm__("nextafterf");
double h_nextafter(double, double) __asm__("nextafter");
double h_modf(double, private double *) __asm__("modf");
float h_remquof(float, float, private int *) __asm__("remquof");
void h_barrier(void) __asm__("host_barrier");
'''


def define(sym, sig):
    """OpenCL C that defines `sig` (demangled)."""
    m = re.fullmatch(r'(\w+)\((.*)\)', sig)
    if not m:
        return None
    name, rest = m.groups()
    raw = [a.strip() for a in rest.split(',')] if rest else []
    if name in HOST:
        return f'ulong {HOST[name]}(uint);\nulong OVL {name}(uint d) {{ return {HOST[name]}(d); }}\n'
    if name == 'get_work_dim':
        return 'ulong host_global_size(uint);\nuint OVL get_work_dim(void) { return host_global_size(2) > 1 ? 3 : host_global_size(1) > 1 ? 2 : 1; }\n'
    if name in ('barrier', 'work_group_barrier'):
        return (f'void OVL {name}(uint f{", memory_scope s" if len(raw) > 1 else ""}) {{ h_barrier(); }}\n')
    if name in ('mem_fence', 'read_mem_fence', 'write_mem_fence'):
        return f'void OVL {name}(uint f) {{ }}\n'
    types = [parse_type(a) for a in raw if not a.startswith('memory_')]
    e, w, space = types[0]
    if name.startswith('convert_'):
        return convert(name, types[0])
    m = re.fullmatch(r'atom(?:ic)?_(?:fetch_)?(\w+?)(_explicit)?', name)
    if m and space:
        op, explicit = m.group(1), m.group(2)
        orders = [a for a in raw if a.startswith('memory_')]
        at = f'volatile {space} {"atomic_" if "_Atomic" in raw[0] else ""}{e} *'
        p = f'volatile {space} {e} *q = (volatile {space} {e} *)p; {e} o = *q;'
        tail = ''.join(f', {a} m{i}' for i, a in enumerate(orders))
        if op in ('cmpxchg',):
            return f'{e} OVL {name}({at}p, {e} c, {e} v) {{ {p} if (o == c) *q = v; return o; }}\n'
        if op.startswith('compare_exchange'):
            es = types[1][2]
            # Demanglers get the substitutions wrong here.
            tail = ', memory_order m0, memory_order m1, memory_scope m2' if explicit else ''
            return (f'bool OVL {name}({at}p, {es} {e} *x, {e} v{tail}) {{ {p} if (o == *x) {{ *q = v; return true; }} '
                    f'*x = o; return false; }}\n')
        if op == 'load':
            return f'{e} OVL {name}({at}p{tail}) {{ {p} return o; }}\n'
        if op in ('store', 'init'):
            return f'void OVL {name}({at}p, {e} v{tail}) {{ *(volatile {space} {e} *)p = v; }}\n'
        if op in ('inc', 'dec'):
            return f'{e} OVL {name}({at}p) {{ {p} *q = {ATOMIC[op]}; return o; }}\n'
        return f'{e} OVL {name}({at}p, {e} v{tail}) {{ {p} *q = {ATOMIC[op]}; return o; }}\n'
    m = re.fullmatch(r'v(load|store)(\d+)', name)
    if m:
        n = int(m.group(2))
        if m.group(1) == 'load':
            e, _, space = types[1]
            return (f'{e}{n} OVL {name}(ulong o, const {space} {e} *p) {{ {e}{n} r; for (int i = 0; i < {n}; i++) r[i] = p[o * {n} + i]; '
                    f'return r; }}\n')
        e, _, space = types[2]
        return (f'void OVL {name}({e}{n} v, ulong o, {space} {e} *p) {{ for (int i = 0; i < {n}; i++) p[o * {n} + i] = v[i]; }}\n')
    m = re.fullmatch(r'vload_half(\d*)', name)
    if m:
        n, space = int(m.group(1) or 1), types[1][2]
        if n == 1:
            return f'float OVL {name}(ulong o, const {space} half *p) {{ return (float)p[o]; }}\n'
        return f'float{n} OVL {name}(ulong o, const {space} half *p) {{ float{n} r; for (int i = 0; i < {n}; i++) r[i] = (float)p[o * {n} + i]; return r; }}\n'
    m = re.fullmatch(r'vstore_half(\d*)(?:_(rt[ezpn]))?', name)
    if m:
        n, mode, space = int(m.group(1) or 1), m.group(2) or 'rte', types[2][2]
        v = name_of(types[0])
        if n == 1:
            return f'void OVL {name}({v} v, ulong o, {space} half *p) {{ p[o] = rd_half_{mode}((double)v); }}\n'
        return f'void OVL {name}({v} v, ulong o, {space} half *p) {{ for (int i = 0; i < {n}; i++) p[o * {n} + i] = rd_half_{mode}((double)v[i]); }}\n'
    if name in ('any', 'all'):
        if w == 1:
            return f'int OVL {name}({e} x) {{ return x < 0; }}\n'
        j = '|' if name == 'any' else '&'
        return f'int OVL {name}({e}{w} x) {{ int r = x[0] < 0; for (int i = 1; i < {w}; i++) r = r {j} (x[i] < 0); return r; }}\n'
    if name == 'select':
        test = 'c[i] < 0' if w > 1 and not types[2][0].startswith('u') else 'c[i] >> %d' % (TYPES[types[2][0]] - 1) if w > 1 else 'c != 0'
        v = name_of(types[0])
        k = name_of(types[2])
        if w == 1:
            return f'{v} OVL select({v} x, {v} y, {k} c) {{ return c ? y : x; }}\n'
        return f'{v} OVL select({v} x, {v} y, {k} c) {{ {v} r; for (int i = 0; i < {w}; i++) r[i] = {test} ? y[i] : x[i]; return r; }}\n'
    if name == 'upsample':
        d = {'char': 'short', 'short': 'int', 'int': 'long', 'uchar': 'ushort', 'ushort': 'uint', 'uint': 'ulong'}[e]
        return elementwise(d, name, None, f'({d})(({d})((u{d.lstrip("u")})a << {TYPES[e]}) | b)', types)
    if name in ('shuffle', 'shuffle2'):
        me, mw, _ = types[-1]
        v = name_of(types[0])
        if name == 'shuffle':
            return f'{e}{mw} OVL shuffle({v} x, {me}{mw} m) {{ {e}{mw} r; for (int i = 0; i < {mw}; i++) r[i] = x[m[i] & {w - 1}]; return r; }}\n'
        return (f'{e}{mw} OVL shuffle2({v} x, {v} y, {me}{mw} m) {{ {e}{mw} r; for (int i = 0; i < {mw}; i++) '
                f'r[i] = m[i] & {w} ? y[m[i] & {w - 1}] : x[m[i] & {w - 1}]; return r; }}\n')
    if name in INT_LOOP and e not in FLOATS:
        body = expand(INT_LOOP[name], e)
        return f'static {e} one_{name}_{e}({e} x) {{ {body} }}\n' + elementwise(e, name, None, f'one_{name}_{e}(a)', types)
    if name in INT_EXPR and e not in FLOATS:
        ret = 'u' + e.lstrip('u') if name in ('abs', 'abs_diff') else e
        return elementwise(ret, name, None, expand(INT_EXPR[name], e), types)
    if name in FLOAT_EXPR and e in FLOATS:
        return elementwise(e, name, None, expand(FLOAT_EXPR[name], e), types)
    if name in TEST_EXPR and e in FLOATS:
        ret = 'int' if w == 1 else {16: 'short', 32: 'int', 64: 'long'}[TYPES[e]]
        x = expand(TEST_EXPR[name], e)
        return elementwise(ret, name, None, f'({x}) ? {1 if w == 1 else -1} : 0', types)
    if name in LIBM1 and e in FLOATS:
        return elementwise(e, name, None, f'({e})h_{name}((double)a)', types)
    if name in LIBM2 and e in FLOATS:
        return elementwise(e, name, None, f'({e})h_{name}((double)a, (double)b)', types)
    if name in LIBMI and e in FLOATS:
        return elementwise(e, name, None, f'({e})h_{name}((double)a, b)', types)
    if name == 'sincos' and w == 1:
        return (f'{e} OVL sincos({e} x, {types[1][2]} {e} *p) {{ *p = ({e})h_cos((double)x); return ({e})h_sin((double)x); }}\n')
    if name == 'remquo' and w == 1 and e == 'float':
        return (f'float OVL remquo(float x, float y, {types[2][2]} int *p) {{ int q = 0; float r = h_remquof(x, y, (private int *)&q); '
                f'*p = q; return r; }}\n')
    if name == 'ldexp':
        return elementwise(e, name, None, f'({e})h_ldexp((double)a, b)', types)
    if name == 'ilogb':
        return elementwise('int', name, None, 'h_ilogb((double)a)', types)
    if name == 'nextafter':
        return elementwise(e, name, None, 'h_nextafterf(a, b)' if e == 'float' else 'h_nextafter(a, b)', types)
    if name == 'frexp' and w == 1:
        return f'{e} OVL frexp({e} x, {types[1][2]} int *p) {{ int k = 0; double r = h_frexp((double)x, (private int *)&k); *p = k; return ({e})r; }}\n'
    if name == 'modf' and w == 1:
        return f'{e} OVL modf({e} x, {types[1][2]} {e} *p) {{ double k = 0; double r = h_modf((double)x, (private double *)&k); *p = ({e})k; return ({e})r; }}\n'
    if name == 'fract' and w == 1:
        cap = {'float': '0x1.fffffep-1f', 'double': '0x1.fffffffffffffp-1', 'half': '(half)0x1.ffcp-1'}[e]
        return f'{e} OVL fract({e} x, {types[1][2]} {e} *p) {{ {e} f = ({e})h_floor((double)x); *p = f; {e} r = x - f; return r > {cap} ? {cap} : r; }}\n'
    if name == 'dot':
        s = ' + '.join(f'x[{i}] * y[{i}]' for i in range(w)) if w > 1 else 'x * y'
        return f'{e} OVL dot({name_of(types[0])} x, {name_of(types[1])} y) {{ return {s}; }}\n'
    return None


def shim_text(symbols):
    """Definitions for mangled symbols; raises for one that is not known here."""
    if not symbols:
        return PRELUDE
    names = subprocess.run(['c++filt'], input='\n'.join(symbols), capture_output=True, text=True, check=True).stdout.split('\n')
    out, missing = PRELUDE + DECLS + rounders(), []
    seen = set()
    for s, n in zip(symbols, names):
        text = define(s, n)
        if text is None:
            missing.append(f'{s} = {n}')
        else:
            for line in text.splitlines(keepends=True):
                if line not in seen:
                    seen.add(line)
                    out += line
    if missing:
        raise RuntimeError('shim.py does not define: ' + '; '.join(missing))
    return out
