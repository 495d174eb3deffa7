"""gen_valu.py: operands, moves between lanes and registers, SDWA, DPP."""
from valu_lines import *
from valu_float import less, rcp, saturated, singles
from valu_int import i24, int_cases, u24


# ---- operands ------------------------------------------------------------------------------

def operands():
    note("Scalar registers, constants and literals as operands of vector instructions; EXEC.")
    for gen in GENS:
        a = [rng.getrandbits(32) for _ in range(64)]
        on = 0xf0f0a5a500ff8001
        keep = [0xa5000000 + l for l in range(64)]
        blend = lambda v: [x if on >> l & 1 else keep[l] for l, x in enumerate(v)]
        for text, ins, v in (("s3", [("s3", 0x12345678)], 0x12345678), ("vcc_lo", [("vcc", 0x77)], 0x77), ("m0", [("m0", 9)], 9),
                             ("exec_hi", [], 0xf0f0a5a5), ("src_scc", [("scc", 1)], 1), ("src_vccz", [], 1),
                             ("src_execz", [], 0), ("64", [], 64), ("-16", [], 0xfffffff0),
                             ("0.5", [], 0x3f000000), ("-4.0", [], 0xc0800000), ("0xdeadbeef", [], 0xdeadbeef)):
            line(gen, "v_xor_b32", "v0, %s, v1" % text, [("v1", a)] + ins, [("v0", blend([x ^ v for x in a]))], 64, exec_=on)
        if gen in NEW:
            line(gen, "v_xor_b32", "v0, 0.15915494, v1", [("v1", a)], [("v0", blend([x ^ 0x3e22f983 for x in a]))], 64, exec_=on)
        line(gen, "v_mov_b32", "v0, s3", [("s3", 5)], [], 1, exec_=0)
        line(gen, "v_mad_f32", "v0, s3, v1, s3", [("s3", 0x40000000), ("v1", 0x40400000)], [("v0", 0x41000000)])
        line(gen, "v_fma_f32", "v0, 0.5, v1, 0.5", [("v1", 0x40400000)], [("v0", 0x40000000)])
    note("An SGPR beyond the wave's reads s0, a VGPR v0; a result there is not written (GCN3 manual, \"Out-of-range "
         "behavior\").")
    for gen in GENS:
        line(gen, "v_mov_b32", "v0, v9", [("vgprs", 8), ("v0", 3)], [("v0", 3), ("loud", 1)])
        line(gen, "v_add_f32", "v1, v9, v2", [("vgprs", 8), ("v0", 0x3f800000), ("v2", 0x40000000)],
             [("v1", 0x40400000), ("loud", 1)])
        line(gen, "v_mov_b32", "v9, v1", [("vgprs", 8)], [("loud", 1)])
        line(gen, "v_mov_b32", "v0, s50", [("sgprs", 40), ("s0", 7)], [("v0", 7), ("loud", 1)])


def special_sources():
    note("LDS_DIRECT: one value for all lanes, at M0[15:0], of the type M0[18:16]: bytes, halves, a dword, signed ones. ISA "
         "manuals, \"LDS direct\". Apertures (GFX9): 32 bits of them are the upper half.")
    for gen in GENS:
        for kind, at, v in ((0, 0x41, 0xcc), (1, 0x42, 0x80bb), (2, 0x40, 0x80bbccdd), (4, 0x41, 0xffffffcc),
                            (5, 0x42, 0xffff80bb), (2, 0x44, 0x3f800000), (2, 0x8000, 0)):
            line(gen, "v_xor_b32", "v0, src_lds_direct, v1", [("m0", kind << 16 | at), ("lds[40]", "80bbccdd,3f800000"),
                                                             ("v1", [0, M32, 5])], [("v0", [v, v ^ M32, v ^ 5])], 3)
        line(gen, "v_mad_f32", "v0, src_lds_direct, v1, v1", [("m0", 0x20044), ("lds[44]", 0x3f800000), ("v1", 0x40000000)],
             [("v0", 0x40800000)])
    for text, v in (("src_shared_base", 0x20000), ("src_private_base", 0x10000), ("src_shared_limit", 0x20000),
                    ("src_private_limit", 0x10000)):
        line("gfx9", "v_mov_b32", "v0, " + text, [("shared_base", 0x20000), ("private_base", 0x10000)], [("v0", v)])


def lane_moves():
    note("Lanes to scalars and back. v_readfirstlane of no active lane reads lane 0; lane numbers take the low 6 bits.")
    for gen in GENS:
        a = [rng.getrandbits(32) for _ in range(64)]
        for n, want in ((0, 0), (63, 63), (37, 37)):
            line(gen, "v_readlane_b32", "s0, v1, %d" % n, [("v1", a)], [("s0", a[want])])
        for s, want in ((5, 5), (64 + 7, 7), (M32, 63)):
            line(gen, "v_readlane_b32", "s0, v1, s2", [("v1", a), ("s2", s)], [("s0", a[want])], 64, exec_=0)
        line(gen, "v_readlane_b32", "vcc_hi, v1, m0", [("v1", a), ("m0", 12)], [("vcc", a[12] << 32)], 64, exec_=0)
        for on, want in ((M64, 0), (1 << 40, 40), (0xf0, 4), (0, 0)):
            line(gen, "v_readfirstlane_b32", "s0, v1", [("v1", a)], [("s0", a[want])], 64, exec_=on)
        line(gen, "v_readfirstlane_b32", "m0, v1", [("v1", a)], [("m0", a[8])], 64, exec_=0x100)
        line(gen, "v_writelane_b32", "v0, s1, 17", [("s1", 0x12345678)], [("v0[17]", 0x12345678)])
        line(gen, "v_writelane_b32", "v0, 0.5, s2", [("s2", 65)], [("v0[1]", 0x3f000000)], 1, exec_=0)
        line(gen, "v_writelane_b32", "v0, s1, m0", [("s1", 5), ("m0", M32)], [("v0[63]", 5)])
        line(gen, "v_writelane_b32", "v0, 7, m0", [("m0", 63)], [("v0[63]", 7)])
        line(gen, "v_writelane_b32", "v0, m0, 3", [("m0", 99)], [("v0[3]", 99)])
        line(gen, "v_nop", "", [], [], 64)
        line(gen, "v_clrexcp", "", [("trapsts", 0x1ff)], [("trapsts", 0)], 64)
        if gen == "gfx9":
            b = [rng.getrandbits(32) for _ in range(64)]
            on = 0xff00ff0012345678
            line(gen, "v_swap_b32", "v1, v2", [("v1", a), ("v2", b)],
                 [("v1", [y if on >> l & 1 else x for l, (x, y) in enumerate(zip(a, b))]),
                  ("v2", [x if on >> l & 1 else y for l, (x, y) in enumerate(zip(a, b))])], 64, exec_=on)
    note("Relative registers: M0 is added to a VGPR's number (v_movrels the source, v_movreld the destination); beyond the "
         "wave's VGPRs: v0 is read, nothing written.")
    for gen in ("gfx6", "gfx7", "gfx8"):
        ins = [("m0", 5), ("v1", 0x11), ("v6", 0x66), ("v9", 0x99)]
        line(gen, "v_movrels_b32", "v0, v1", ins, [("v0", 0x66)])
        line(gen, "v_movreld_b32", "v4, v1", ins, [("v9", 0x11)])
        line(gen, "v_movreld_b32", "v4, m0", ins, [("v9", 5)])
        line(gen, "v_movreld_b32", "v4, 1.0", ins, [("v9", 0x3f800000)])
        line(gen, "v_movrelsd_b32", "v4, v1", ins, [("v9", 0x66)])
        line(gen, "v_movrels_b32", "v1, v1", [("m0", 20), ("vgprs", 16), ("v0", 0x77)], [("v1", 0x77), ("loud", 1)])
        line(gen, "v_movreld_b32", "v4, v1", [("m0", 20), ("vgprs", 16)], [("loud", 1)])
    note("GPR indexing (MODE bit 27): M0[7:0] is added to the VGPRs that M0[15:12] names: src0, src1, src2, dst.")
    idx = 1 << 27 | 0xf0
    for gen in NEW:
        regs = [("v%d" % k, 0x100 + k) for k in range(1, 12)]
        line(gen, "v_mov_b32", "v0, v1", regs + [("m0", 0x1003)], [("v0", 0x104)], mode=idx)
        line(gen, "v_mov_b32", "v2, v1", regs + [("m0", 0x8003)], [("v5", 0x101)], mode=idx)
        line(gen, "v_mov_b32", "v2, v1", regs + [("m0", 0x9003)], [("v5", 0x104)], mode=idx)
        line(gen, "v_xor_b32", "v0, v1, v2", regs + [("m0", 0x2004)], [("v0", 0x101 ^ 0x106)], mode=idx)
        line(gen, "v_xor_b32", "v0, s1, v2", regs + [("m0", 0x1004), ("s1", 0x10)], [("v0", 0x102 ^ 0x10)], mode=idx)
        line(gen, "v_bfi_b32", "v0, v1, v2, v3", regs + [("m0", 0x4002)], [("v0", 0x101 & 0x102 | ~0x101 & 0x105)], mode=idx)
        line(gen, "v_mov_b32", "v0, v1", regs + [("m0", 0x0003)], [("v0", 0x101)], mode=idx)
        line(gen, "v_mov_b32", "v0, v1", regs + [("m0", 0x1003)], [("v0", 0x101)])


# ---- SDWA ----------------------------------------------------------------------------------

SELS = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")


def part(sel):
    """(first bit, bits)."""
    k = SELS.index(sel)
    return (8 * k, 8) if k < 4 else (16 * (k - 4), 16) if k < 6 else (0, 32)


def chosen(v, sel, sext=False):
    at, n = part(sel)
    v = v >> at & ((1 << n) - 1)
    return signed(v, n) & M32 if sext else v


def placed(r, old, sel, unused):
    at, n = part(sel)
    if n == 32:
        return r
    field = (r & ((1 << n) - 1)) << at
    if unused == "UNUSED_PRESERVE":
        return field | old & ~(((1 << n) - 1) << at)
    if unused == "UNUSED_SEXT" and field >> (at + n - 1) & 1:
        return field | M32 & ~((1 << (at + n)) - 1)
    return field


def sdwa_line(gen, name, f, nsrc, dst, unused, sels, mods=(None, None), tail="", cases=None, m=KEEP):
    """mods: None, "sext", "neg", "abs", "negabs" for each source."""
    shown, change = [], []
    for i in range(nsrc):
        reg, k = SRC[i], mods[i]
        shown.append({None: "%s", "sext": "sext(%s)", "neg": "-%s", "abs": "|%s|", "negabs": "-|%s|"}[k] % reg)
        g = {None: same, "sext": same, "neg": neg, "abs": absolute, "negabs": neg_abs}[k]
        change.append(lambda v, g=g, i=i, k=k: g(chosen(v, sels[i], k == "sext")))
    cases = cases or int_cases(nsrc, 16)
    old = [rng.getrandbits(32) for _ in cases]
    r = [placed(f(*(h(x) for h, x in zip(change, c))) & M32, o, dst, unused) for c, o in zip(cases, old)]
    text = "v0, %s%s dst_sel:%s dst_unused:%s %s" % (", ".join(shown), tail, dst, unused, " ".join(
        "src%d_sel:%s" % (i, sels[i]) for i in range(nsrc)))
    line(gen, name, text, [(SRC[i], [c[i] for c in cases]) for i in range(nsrc)] + [("v0", old)], [("v0", r)], len(cases),
         mode_bits(m), suffix="_sdwa")


def sdwa():
    note("SDWA: every choice of source and destination parts, sign extension, neg and abs. GCN3 and Vega manuals, \"SDWA\".")
    unused = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
    sub = lambda a, b: a - b
    for gen in NEW:
        for k, dst in enumerate(SELS):
            for u in unused:
                sdwa_line(gen, "v_mov_b32", lambda a: a, 1, dst, u, ("DWORD",))
                sdwa_line(gen, "v_xor_b32", lambda a, b: a ^ b, 2, dst, u, (SELS[(k + 1) % 7], SELS[(k + 3) % 7]))
        for s0 in SELS:
            sdwa_line(gen, "v_mov_b32", lambda a: a, 1, "DWORD", "UNUSED_PAD", (s0,), ("sext",))
            sdwa_line(gen, "v_mov_b32", lambda a: a, 1, "WORD_1", "UNUSED_PRESERVE", (s0,))
            for s1 in SELS:
                sdwa_line(gen, "v_max_i32", lambda a, b: max(signed(a), signed(b)), 2, "DWORD", "UNUSED_PAD", (s0, s1),
                          ("sext", None) if len(s0) & 1 else ("sext", "sext"))
        for s0 in SELS:
            for s1 in SELS:
                sdwa_line(gen, "v_min_u32", min, 2, "DWORD", "UNUSED_PAD", (s0, s1), cases=int_cases(2, 6))
        for name, f in (("v_and_b32", lambda a, b: a & b), ("v_or_b32", lambda a, b: a | b),
                        ("v_lshlrev_b32", lambda a, b: b << (a & 31)), ("v_ashrrev_i32", lambda a, b: signed(b) >> (a & 31)),
                        ("v_mul_u32_u24", lambda a, b: u24(a) * u24(b)), ("v_mul_i32_i24", lambda a, b: i24(a) * i24(b))):
            sdwa_line(gen, name, f, 2, "WORD_0", "UNUSED_PRESERVE", ("BYTE_1", "WORD_1"))
            sdwa_line(gen, name, f, 2, "BYTE_2", "UNUSED_SEXT", ("WORD_0", "BYTE_3"), ("sext", "sext"))
        floats = mix(SUMS, 2, 16)
        for mods in (("neg", None), ("abs", "neg"), ("negabs", "abs"), (None, "negabs")):
            add = lambda a, b: exact.add(F32, KEEP, a, b)
            sdwa_line(gen, "v_add_f32", add, 2, "DWORD", "UNUSED_PAD", ("DWORD", "DWORD"), mods, cases=floats)
            sdwa_line(gen, "v_add_f32", add, 2, "WORD_1", "UNUSED_PRESERVE", ("WORD_1", "DWORD"), mods, cases=floats)
        m = Mode(dx10=True)
        sdwa_line(gen, "v_mul_f32", lambda a, b: clamp(m, exact.mul(F32, m, a, b)), 2, "DWORD", "UNUSED_PAD", ("DWORD", "DWORD"),
                  tail=" clamp", cases=mix(PRODUCTS, 2, 24), m=m)
        one = [(x,) for x in SPECIAL]
        sdwa_line(gen, "v_cvt_f32_i32", lambda a: rnd(Fraction(signed(a)), KEEP), 1, "DWORD", "UNUSED_PAD", ("BYTE_1",),
                  ("sext",))
        sdwa_line(gen, "v_cvt_f32_u32", lambda a: rnd(Fraction(a), KEEP), 1, "DWORD", "UNUSED_PAD", ("WORD_1",))
        sdwa_line(gen, "v_cvt_u32_f32", lambda a: saturated(0, M32)(KEEP, a), 1, "BYTE_3", "UNUSED_PRESERVE", ("DWORD",),
                  ("abs",), cases=singles()[:24])
        sdwa_line(gen, "v_rcp_f32", lambda a: rcp(KEEP, a), 1, "WORD_1", "UNUSED_PAD", ("DWORD",), ("neg",), cases=one)
        sdwa_line(gen, "v_cvt_f16_f32", lambda a: exact.convert(F32, F16, KEEP, a), 1, "WORD_1", "UNUSED_PRESERVE", ("DWORD",),
                  cases=singles()[:24])
        # neg of a half chosen from a dword is the half's own sign.
        sdwa_line(gen, "v_cvt_f32_f16", lambda a: exact.convert(F16, F32, KEEP, a & 0xffff), 1, "DWORD", "UNUSED_PAD", ("WORD_1",))
        # A carry: each lane's.
        cases = int_cases(2, 16)
        old = [rng.getrandbits(32) for _ in cases]
        was = rng.getrandbits(16)
        s = [chosen(a, "WORD_1") + chosen(b, "DWORD") for a, b in cases]
        line(gen, "v_add_co_u32", "v0, vcc, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD",
             [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases])],
             [("v0", [x & M32 for x in s]), ("vcc", sum((x >> 32) << l for l, x in enumerate(s)))], 16, suffix="_sdwa")
        s = [chosen(a, "BYTE_0") + chosen(b, "BYTE_2", True) + (was >> l & 1) for l, (a, b) in enumerate(cases)]
        line(gen, "v_addc_co_u32", "v0, vcc, v1, sext(v2), vcc dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 "
             "src1_sel:BYTE_2", [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases]), ("v0", old), ("vcc", was)],
             [("v0", [placed(x & M32, o, "WORD_1", "UNUSED_PRESERVE") for x, o in zip(s, old)]),
              ("vcc", sum((x >> 32) << l for l, x in enumerate(s)))], 16, suffix="_sdwa")
        line(gen, "v_cndmask_b32", "v0, v1, v2, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_0",
             [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases]), ("vcc", was)],
             [("v0", [chosen(b, "WORD_0") if was >> l & 1 else chosen(a, "BYTE_1") for l, (a, b) in enumerate(cases)])], 16,
             suffix="_sdwa")
        if gen == "gfx8":
            c = mix(TRIPLES, 3, 16)
            r = [exact.mad(F32, KEEP, chosen(x, "WORD_0"), y, z) for x, y, z in c]
            line(gen, "v_mac_f32", "v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD",
                 [("v1", [x[0] for x in c]), ("v2", [x[1] for x in c]), ("v0", [x[2] for x in c])], [("v0", r)], 16,
                 suffix="_sdwa")
    note("Comparisons: lanes that are off give 0. GFX9 may write another SGPR pair, take scalars, and has omod.")
    for gen in NEW:
        for s0, s1, mods in (("BYTE_0", "BYTE_3", (None, None)), ("WORD_1", "BYTE_2", ("sext", "sext")),
                             ("DWORD", "WORD_0", (None, "sext"))):
            cases = [(rng.getrandbits(32), rng.getrandbits(32)) if k % 4 else (0x80808080, 0x80808080) for k in range(32)]
            on = 0xf0ff1234
            x = [tuple(signed(chosen(v, s, md == "sext")) for v, s, md in zip(c, (s0, s1), mods)) for c in cases]
            want = sum(int(a < b) << l for l, (a, b) in enumerate(x)) & on
            show = ", ".join("sext(%s)" % r if md else r for r, md in zip(SRC, mods))
            ins = [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases])]
            other(gen, "v_cmp_lt_i32_sdwa vcc, %s src0_sel:%s src1_sel:%s" % (show, s0, s1), ins, [("vcc", want)], on)
            if gen == "gfx9":
                other(gen, "v_cmp_lt_i32_sdwa s[4:5], %s src0_sel:%s src1_sel:%s" % (show, s0, s1), ins, [("s[4:5]", want)], on)
        cases = mix(SUMS, 2, 32)
        want = sum(int(less(neg(a), absolute(b), KEEP) is True) << l for l, (a, b) in enumerate(cases))
        other(gen, "v_cmp_lt_f32_sdwa vcc, -v1, |v2| src0_sel:DWORD src1_sel:DWORD",
              [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases])], [("vcc", want)], M32)
        want = sum(int(a < b) << l for l, (a, b) in enumerate(cases))
        other(gen, "v_cmpx_lt_u32_sdwa vcc, v1, v2 src0_sel:DWORD src1_sel:DWORD",
              [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases])], [("vcc", want), ("exec", want)], M32)
    for k in range(3):
        text, e = OMODS[k]
        sdwa_line("gfx9", "v_add_f32", lambda a, b: omod(FLUSH, exact.add(F32, FLUSH, a, b), e), 2, "DWORD", "UNUSED_PAD",
                  ("DWORD", "DWORD"), tail=" " + text, cases=mix(SUMS, 2, 16), m=FLUSH)
    cases = [(rng.getrandbits(32),) for _ in range(16)]
    line("gfx9", "v_xor_b32", "v0, s2, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:BYTE_1",
         [("s2", 0x89abcdef), ("v1", [c[0] for c in cases])], [("v0", [0x89ab ^ c[0] >> 8 & 255 for c in cases])], 16,
         suffix="_sdwa")


def other(gen, text, ins, outs, on):
    """A row that is another file's subject, in a form that is this one's."""
    raw(gen, text, [("exec", on)] + ins, outs)


# ---- DPP -----------------------------------------------------------------------------------

def dpp_controls():
    """(text, lane -> source lane or None)."""
    out = []
    for p in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 0, 3, 2), (2, 2, 2, 2), (0, 0, 1, 3)):
        out.append(("quad_perm:[%d,%d,%d,%d]" % p, lambda l, p=p: l // 4 * 4 + p[l % 4]))
    in_row = lambda l, k: l // 16 * 16 + k if 0 <= k < 16 else None
    for n in (1, 2, 7, 8, 15):
        out.append(("row_shl:%d" % n, lambda l, n=n: in_row(l, l % 16 + n)))
        out.append(("row_shr:%d" % n, lambda l, n=n: in_row(l, l % 16 - n)))
        out.append(("row_ror:%d" % n, lambda l, n=n: in_row(l, (l % 16 - n) % 16)))
    out.append(("wave_shl:1", lambda l: l + 1 if l < 63 else None))
    out.append(("wave_rol:1", lambda l: (l + 1) % 64))
    out.append(("wave_shr:1", lambda l: l - 1 if l else None))
    out.append(("wave_ror:1", lambda l: (l - 1) % 64))
    out.append(("row_mirror", lambda l: in_row(l, 15 - l % 16)))
    out.append(("row_half_mirror", lambda l: l // 8 * 8 + 7 - l % 8))
    out.append(("row_bcast:15", lambda l: l // 16 * 16 - 1 if l >= 16 else None))
    out.append(("row_bcast:31", lambda l: 31 if l >= 32 else None))
    return out


def dpp_line(gen, name, f, nsrc, control, rows=15, banks=15, bound=False, on=M64, mods=(same, same), shown=None, m=KEEP,
             cases=None, acc=False):
    """A lane is written when it is active, row_mask and bank_mask have its row and bank, and its source is an active lane
    (with bound_ctrl: else the source is 0)."""
    text, source = control
    cases = cases or [tuple(rng.getrandbits(32) for _ in range(nsrc)) for _ in range(64)]
    old = [rng.choice(SPECIAL) if acc else rng.getrandbits(32) for _ in range(64)]
    r = []
    for l in range(64):
        s = source(l)
        there = s is not None and on >> s & 1
        write = on >> l & 1 and rows >> l // 16 & 1 and banks >> l // 4 % 4 & 1 and (there or bound)
        if write:
            a = [cases[s][0] if there else 0] + list(cases[l][1:])
            a = [h(x) for h, x in zip(mods, a)] + ([old[l]] if acc else [])
            r.append(f(*a) & M32)
        else:
            r.append(old[l])
    line(gen, name, "v0, %s %s row_mask:0x%x bank_mask:0x%x%s" % (shown or ", ".join(SRC[:nsrc]), text, rows, banks,
                                                               " bound_ctrl:0" if bound else ""),
         [(SRC[i], [c[i] for c in cases]) for i in range(nsrc)] + [("v0", old)], [("v0", r)], 64, mode_bits(m), exec_=on,
         suffix="_dpp")


def dpp():
    note("DPP: every control, with row_mask, bank_mask, bound_ctrl and lanes that are off. GCN3 and Vega manuals, \"DPP\".")
    controls = dpp_controls()
    mov = lambda a: a
    for gen in NEW:
        for k, c in enumerate(controls):
            dpp_line(gen, "v_mov_b32", mov, 1, c)
            dpp_line(gen, "v_mov_b32", mov, 1, c, rng.randrange(16), rng.randrange(16), k & 1 == 1,
                     rng.getrandbits(64) | rng.getrandbits(64))
            dpp_line(gen, "v_add_u32" if gen == "gfx9" else "v_xor_b32", (lambda a, b: a + b) if gen == "gfx9" else
                     (lambda a, b: a ^ b), 2, c, bound=k & 1 == 0, on=rng.getrandbits(64) | rng.getrandbits(64))
        for mask in (0, 1, 2, 4, 8, 5, 10):
            dpp_line(gen, "v_mov_b32", mov, 1, controls[0], mask, 15)
            dpp_line(gen, "v_mov_b32", mov, 1, controls[0], 15, mask)
        add = lambda a, b: exact.add(F32, KEEP, a, b)
        for mods, shown in (((neg, same), "-v1, v2"), ((absolute, neg), "|v1|, -v2"), ((neg_abs, absolute), "-|v1|, |v2|")):
            dpp_line(gen, "v_add_f32", add, 2, controls[6], mods=mods, shown=shown, cases=mix(SUMS, 2))
        dpp_line(gen, "v_mac_f32", lambda a, b, c: exact.mad(F32, KEEP, a, b, c), 2, controls[7], bound=True,
                 cases=mix(PRODUCTS, 2), acc=True)
        dpp_line(gen, "v_rcp_f32", lambda a: rcp(KEEP, a), 1, controls[3], cases=singles())
        dpp_line(gen, "v_cvt_f32_u32", lambda a: rnd(Fraction(a), KEEP), 1, controls[9], bound=True)
        dpp_line(gen, "v_max_i32", lambda a, b: max(signed(a), signed(b)), 2, controls[-2], 0xa, 15)
        # A carry: 0 in VCC for lanes that are not written.
        on, rows_ = M64 ^ 0xf000, 0xd
        c = [(rng.getrandbits(32) | 1 << 31, rng.getrandbits(32)) for _ in range(64)]
        old = [rng.getrandbits(32) for _ in range(64)]
        r, carry = list(old), 0
        for l in range(64):
            s = controls[11][1](l)
            if s is None or not on >> s & 1 or not on >> l & 1 or not rows_ >> l // 16 & 1:
                continue
            t = c[s][0] + c[l][1]
            r[l] = t & M32
            carry |= (t >> 32) << l
        line(gen, "v_add_co_u32", "v0, vcc, v1, v2 %s row_mask:0xd bank_mask:0xf" % controls[11][0],
             [("v1", [x[0] for x in c]), ("v2", [x[1] for x in c]), ("v0", old), ("vcc", M64)], [("v0", r), ("vcc", carry)], 64,
             exec_=on, suffix="_dpp")
