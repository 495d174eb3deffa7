"""The formula of each row of valu64.tv: FORMULAS[ID](mode, operands...), or of a Sat: g(mode, clamp, operands...).

Sources: the ISA manuals' formulas of each instruction; docs/errata.md (E-nan, E-transcendentals, E-division, E-dot,
E-flush, E-mad64, E-pack) where they are silent.
"""
from rational import F16, F32, F64, add, convert, fma, mad, mul
from valu64_ops import (M16, M32, ceil, clamp_inf, clip, div_fixup, div_fmas, div_scale, dot, dot2_f32, exp,
                        floor_float, fract, frexp_exp, frexp_mant, from_int, ldexp, log, maximum, med3, minimum,
                        mqsad32, norm, qsad, rcp, rndne, rsq, saturated, signed, sine, sqrt, sub, to_int, trig_preop, trunc)


def lane(f, g):
    """g(a, b, ...) of a float format in the mode's rounding."""
    return lambda m, *u: g(f, *u, *m.of(f))


def moded(f, g):
    return lambda m, *u: g(f, m, *u)


def s16(v):
    return signed(v, 16)


def pack(g):
    """Both halves by themselves; `m` is passed on."""
    return lambda m, *u: g(m, *(v & M16 for v in u)) & M16 | (g(m, *(v >> 16 for v in u)) & M16) << 16


def ints(g):
    return lambda m, *u: g(*u)


class Sat:
    """Marks a formula that wants to know whether CLAMP saturates."""

    def __init__(self, g):
        self.g = g


def sat(n, is_signed, g):
    """An integer row that CLAMP saturates: g gives the exact value."""
    return Sat(lambda m, s, *u: saturated(g(*u), n, is_signed, s))


def mad_mix(fused):
    def g(m, a, b, c):
        return fma(F32, a, b, c, m.r32, m.in32, m.out32) if fused else mad(F32, a, b, c, m.r32, False, False)
    return g


def mix16(fused):
    """The f32 result rounded once more, to a half; v_mad_mix* flush denormal halves (E-mad16)."""
    g = mad_mix(fused)
    return lambda m, a, b, c: convert(F32, F16, g(m, a, b, c), m.r16, True, fused and m.out16)


def mad16(m, a, b, c):
    """Denormals are flushed whatever MODE says: E-mad16."""
    return mad(F16, a, b, c, m.r16, False, False)


def pass16(m, a):
    """v_pack_b32_f16: E-pack."""
    a = F16.flush(a, m.in16)
    return a | F16.quiet if F16.is_nan(a) and m.ieee else a


def cvt_f32_f64(m, a):
    return convert(F64, F32, a, m.r32, m.in64, m.out32)


def cvt_f64_f32(m, a):
    return convert(F32, F64, a, 0, m.in32, True)


def mad64(is_signed):
    """The sum of 65 bits: the flag is its highest (the manuals' {vcc, D} = ...). E-mad64."""
    def g(m, s, a, b, c):
        if is_signed:
            v = signed(a, 32) * signed(b, 32) + signed(c, 64)
            return saturated(v, 64, True, s), v >> 64 & 1
        v = a * b + c
        return saturated(v, 64, False, s), v >> 64
    return Sat(g)


def shift64(g, reverse):
    return ints((lambda n, v: g(v, n & 63)) if reverse else (lambda v, n: g(v, n & 63)))


F16_2 = {
    "V_ADD_F16": lane(F16, add), "V_SUB_F16": lane(F16, sub),
    "V_SUBREV_F16": lambda m, a, b: sub(F16, b, a, *m.of(F16)), "V_MUL_F16": lane(F16, mul),
    "V_MAC_F16": mad16, "V_MADMK_F16": mad16, "V_MADAK_F16": mad16,
    "V_MAX_F16": moded(F16, maximum), "V_MIN_F16": moded(F16, minimum),
    "V_LDEXP_F16": lambda m, a, e: ldexp(F16, m, a, s16(e)),
}
INT16 = {
    "V_ADD_U16": sat(16, False, lambda a, b: a + b), "V_SUB_U16": sat(16, False, lambda a, b: a - b),
    "V_SUBREV_U16": sat(16, False, lambda a, b: b - a), "V_MUL_LO_U16": ints(lambda a, b: a * b),
    "V_LSHLREV_B16": ints(lambda a, b: b << (a & 15)), "V_LSHRREV_B16": ints(lambda a, b: b >> (a & 15)),
    "V_ASHRREV_I16": ints(lambda a, b: s16(b) >> (a & 15)), "V_MAX_U16": ints(max), "V_MIN_U16": ints(min),
    "V_MAX_I16": ints(lambda a, b: max(s16(a), s16(b))), "V_MIN_I16": ints(lambda a, b: min(s16(a), s16(b))),
    "V_MAD_LEGACY_U16": sat(16, False, lambda a, b, c: a * b + c), "V_MAD_U16": sat(16, False, lambda a, b, c: a * b + c),
    "V_MAD_LEGACY_I16": sat(16, True, lambda a, b, c: s16(a) * s16(b) + s16(c)),
    "V_MAD_I16": sat(16, True, lambda a, b, c: s16(a) * s16(b) + s16(c)),
    "V_ADD_I16": sat(16, True, lambda a, b: s16(a) + s16(b)), "V_SUB_I16": sat(16, True, lambda a, b: s16(a) - s16(b)),
    "V_MIN3_I16": ints(lambda *u: min(map(s16, u))), "V_MIN3_U16": ints(min),
    "V_MAX3_I16": ints(lambda *u: max(map(s16, u))), "V_MAX3_U16": ints(max),
    "V_MED3_I16": ints(lambda *u: sorted(map(s16, u))[1]), "V_MED3_U16": ints(lambda *u: sorted(u)[1]),
    "V_MAD_U32_U16": sat(32, False, lambda a, b, c: a * b + c),
    "V_MAD_I32_I16": sat(32, True, lambda a, b, c: s16(a) * s16(b) + signed(c, 32)),
    "V_SAT_PK_U8_I16": ints(lambda a: clip(s16(a), 0, 255) | clip(s16(a >> 16), 0, 255) << 8),
}
F16_1 = {
    "V_CVT_F16_F32": lambda m, a: convert(F32, F16, a, m.r16, m.in32, m.out16),
    "V_CVT_F32_F16": lambda m, a: convert(F16, F32, a, 0, m.in16, True),
    "V_CVT_F16_U16": lambda m, a: from_int(F16, m, a), "V_CVT_F16_I16": lambda m, a: from_int(F16, m, s16(a)),
    "V_CVT_U16_F16": lambda m, a: to_int(F16, a, 0, M16), "V_CVT_I16_F16": lambda m, a: to_int(F16, a, -32768, 32767),
    "V_RCP_F16": moded(F16, rcp), "V_SQRT_F16": moded(F16, sqrt), "V_RSQ_F16": moded(F16, rsq),
    "V_LOG_F16": moded(F16, log), "V_EXP_F16": moded(F16, exp), "V_SIN_F16": moded(F16, sine(0)),
    "V_COS_F16": moded(F16, sine(1)), "V_FREXP_MANT_F16": moded(F16, frexp_mant),
    "V_FREXP_EXP_I16_F16": moded(F16, frexp_exp), "V_FLOOR_F16": moded(F16, floor_float),
    "V_CEIL_F16": moded(F16, ceil), "V_TRUNC_F16": moded(F16, trunc), "V_RNDNE_F16": moded(F16, rndne),
    "V_FRACT_F16": moded(F16, fract), "V_CVT_NORM_I16_F16": lambda m, a: norm(F16, m, a, 32767, -32767),
    "V_CVT_NORM_U16_F16": lambda m, a: norm(F16, m, a, 65535, 0),
}
F16_3 = {
    "V_MAD_LEGACY_F16": mad16, "V_MAD_F16": mad16, "V_FMA_LEGACY_F16": lane(F16, fma),
    "V_FMA_F16": lane(F16, fma), "V_DIV_FIXUP_LEGACY_F16": moded(F16, div_fixup),
    "V_DIV_FIXUP_F16": moded(F16, div_fixup),
    "V_MIN3_F16": lambda m, a, b, c: minimum(F16, m, minimum(F16, m, a, b), c),
    "V_MAX3_F16": lambda m, a, b, c: maximum(F16, m, maximum(F16, m, a, b), c), "V_MED3_F16": moded(F16, med3),
    "V_CVT_PKNORM_I16_F16": lambda m, a, b: norm(F16, m, a, 32767, -32767) & M16 | (norm(F16, m, b, 32767, -32767) & M16) << 16,
    "V_CVT_PKNORM_U16_F16": lambda m, a, b: norm(F16, m, a, 65535, 0) | norm(F16, m, b, 65535, 0) << 16,
    "V_PACK_B32_F16": lambda m, a, b: pass16(m, a) | pass16(m, b) << 16,
}
F64_1 = {
    "V_CVT_I32_F64": lambda m, a: to_int(F64, a, -(1 << 31), (1 << 31) - 1),
    "V_CVT_U32_F64": lambda m, a: to_int(F64, a, 0, M32), "V_CVT_F64_I32": lambda m, a: from_int(F64, m, signed(a, 32)),
    "V_CVT_F64_U32": lambda m, a: from_int(F64, m, a), "V_CVT_F32_F64": cvt_f32_f64, "V_CVT_F64_F32": cvt_f64_f32,
    "V_TRUNC_F64": moded(F64, trunc), "V_CEIL_F64": moded(F64, ceil), "V_RNDNE_F64": moded(F64, rndne),
    "V_FLOOR_F64": moded(F64, floor_float), "V_FRACT_F64": moded(F64, fract), "V_RCP_F64": moded(F64, rcp),
    "V_RSQ_F64": moded(F64, rsq), "V_SQRT_F64": moded(F64, sqrt),
    "V_RCP_CLAMP_F64": lambda m, a: clamp_inf(F64, rcp(F64, m, a)),
    "V_RSQ_CLAMP_F64": lambda m, a: clamp_inf(F64, rsq(F64, m, a)),
    "V_FREXP_EXP_I32_F64": moded(F64, frexp_exp), "V_FREXP_MANT_F64": moded(F64, frexp_mant),
}
F64_23 = {
    "V_ADD_F64": lane(F64, add), "V_MUL_F64": lane(F64, mul), "V_MIN_F64": moded(F64, minimum),
    "V_MAX_F64": moded(F64, maximum), "V_LDEXP_F64": lambda m, a, e: ldexp(F64, m, a, signed(e, 32)),
    "V_FMA_F64": lane(F64, fma), "V_DIV_FIXUP_F64": moded(F64, div_fixup), "V_DIV_SCALE_F64": moded(F64, div_scale),
    "V_DIV_FMAS_F64": moded(F64, div_fmas), "V_TRIG_PREOP_F64": trig_preop,
}
INT64 = {
    "V_LSHLREV_B64": shift64(lambda v, n: v << n, True), "V_LSHRREV_B64": shift64(lambda v, n: v >> n, True),
    "V_ASHRREV_I64": shift64(lambda v, n: signed(v, 64) >> n, True), "V_LSHL_B64": shift64(lambda v, n: v << n, False),
    "V_LSHR_B64": shift64(lambda v, n: v >> n, False), "V_ASHR_I64": shift64(lambda v, n: signed(v, 64) >> n, False),
    "V_MAD_U64_U32": mad64(False), "V_MAD_I64_I32": mad64(True),
    "V_QSAD_PK_U16_U8": Sat(lambda m, s, a, b, c: qsad(a, b, c, False, s)),
    "V_MQSAD_PK_U16_U8": Sat(lambda m, s, a, b, c: qsad(a, b, c, True, s)),
    "V_MQSAD_U32_U8": Sat(lambda m, s, a, b, c: mqsad32(a, b, c, s)),
}


def packed_sat(is_signed, g):
    def h(m, s, *u):
        lo, hi = [v & M16 for v in u], [v >> 16 for v in u]
        if is_signed:
            lo, hi = [s16(v) for v in lo], [s16(v) for v in hi]
        return saturated(g(*lo), 16, is_signed, s) | saturated(g(*hi), 16, is_signed, s) << 16
    return Sat(h)


PACKED = {
    "V_PK_MAD_I16": packed_sat(True, lambda a, b, c: a * b + c), "V_PK_ADD_I16": packed_sat(True, lambda a, b: a + b),
    "V_PK_SUB_I16": packed_sat(True, lambda a, b: a - b), "V_PK_MAD_U16": packed_sat(False, lambda a, b, c: a * b + c),
    "V_PK_ADD_U16": packed_sat(False, lambda a, b: a + b), "V_PK_SUB_U16": packed_sat(False, lambda a, b: a - b),
    "V_PK_MUL_LO_U16": pack(ints(lambda a, b: a * b)), "V_PK_MAX_U16": pack(ints(max)), "V_PK_MIN_U16": pack(ints(min)),
    "V_PK_MAX_I16": pack(ints(lambda a, b: max(s16(a), s16(b)))),
    "V_PK_MIN_I16": pack(ints(lambda a, b: min(s16(a), s16(b)))),
    "V_PK_LSHLREV_B16": pack(ints(lambda a, b: b << (a & 15))),
    "V_PK_LSHRREV_B16": pack(ints(lambda a, b: b >> (a & 15))),
    "V_PK_ASHRREV_I16": pack(ints(lambda a, b: s16(b) >> (a & 15))),
    "V_PK_FMA_F16": pack(lane(F16, fma)), "V_PK_ADD_F16": pack(lane(F16, add)), "V_PK_MUL_F16": pack(lane(F16, mul)),
    "V_PK_MIN_F16": pack(moded(F16, minimum)), "V_PK_MAX_F16": pack(moded(F16, maximum)),
    "V_PK_FMAC_F16": pack(lane(F16, fma)),
}
MIXED = {
    "V_MAD_MIX_F32": mad_mix(False), "V_FMA_MIX_F32": mad_mix(True), "V_MAD_MIXLO_F16": mix16(False),
    "V_FMA_MIXLO_F16": mix16(True), "V_MAD_MIXHI_F16": mix16(False), "V_FMA_MIXHI_F16": mix16(True),
}
DOTS = {
    "V_DOT2_F32_F16": dot2_f32, "V_DOT2C_F32_F16": dot2_f32,
    "V_DOT2_I32_I16": Sat(lambda m, s, a, b, c: dot(a, b, c, 16, True, s)),
    "V_DOT2_U32_U16": Sat(lambda m, s, a, b, c: dot(a, b, c, 16, False, s)),
    "V_DOT4_I32_I8": Sat(lambda m, s, a, b, c: dot(a, b, c, 8, True, s)),
    "V_DOT4_U32_U8": Sat(lambda m, s, a, b, c: dot(a, b, c, 8, False, s)),
    "V_DOT8_I32_I4": Sat(lambda m, s, a, b, c: dot(a, b, c, 4, True, s)),
    "V_DOT8_U32_U4": Sat(lambda m, s, a, b, c: dot(a, b, c, 4, False, s)),
    "V_DOT2C_I32_I16": Sat(lambda m, s, a, b, c: dot(a, b, c, 16, True, s)),
    "V_DOT4C_I32_I8": Sat(lambda m, s, a, b, c: dot(a, b, c, 8, True, s)),
    "V_DOT8C_I32_I4": Sat(lambda m, s, a, b, c: dot(a, b, c, 4, True, s)),
}
FORMULAS = {}
for group in (F16_1, F16_2, F16_3, INT16, F64_1, F64_23, INT64, PACKED, MIXED, DOTS):
    FORMULAS.update(group)

# The operands beyond src[] that a formula takes: the destination, the lane's bit of VCC.
READS_DST = {"V_MAC_F16", "V_PK_FMAC_F16", "V_DOT2C_F32_F16", "V_DOT2C_I32_I16", "V_DOT4C_I32_I8", "V_DOT8C_I32_I4"}
READS_VCC = {"V_DIV_FMAS_F64"}
