/* body_wrap.c: the two wrappers of vector micro-ops that are as frequent as the rows themselves, so that
 * they are built for each level of the host's instruction set too (body.h): scalar registers as
 * sources, each spread over 64 lanes; abs, neg, omod and clamp of f32. All others are in
 * exec_wrap.c, which could do these as well, lane by lane. */
#include "isa/body.h"

LANE void spread(uint32_t *p, uint32_t v)
{
    vec_u32 all = (vec_u32){0} + v;

    _Pragma("GCC unroll 16")
    for (unsigned i = 0; i < VEC_COUNT; i++)
        ((vec_u32 *)p)[i] = all;
}

LANE void spread_sources(struct wave *w, const struct uop *u)
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned n = u->src_sgpr[i];
        uint32_t *t = w->priv.tmp[i];

        if (!(u->flags & UF_SPLAT_A << i))
            continue;
        spread(t, w->s[n]);
        if (u->width[UOP_A + i] > 1) /* what is beyond the wave's registers came as constant 0 */
            spread(t + 64, n == OPD_INT0 ? 0 : w->s[n + 1]);
    }
}

const struct uop *BODY_CAT(isa_wrap_splat_, BODY_LEVEL)(struct wave *w, const struct uop *u)
{
    spread_sources(w, u);
    return u->base(w, u);
}

/* ---- abs, neg, omod, clamp of f32 ---------------------------------------------------------- */

/* A source with abs and neg, in place or copied. */
LANE void change_sign(uint32_t *p, const uint32_t *from, bool abs, bool neg)
{
    vec_u32 keep = (vec_u32){0} + (abs ? 0x7fffffffu : ~0u);
    vec_u32 flip = (vec_u32){0} + (neg ? 0x80000000u : 0);

    for (unsigned i = 0; i < VEC_COUNT; i++)
        ((vec_u32 *)p)[i] = (((const vec_u32 *)from)[i] & keep) ^ flip;
}

/* What exec_wrap.c's omod_f32 and clamp_f32 do, on the lanes of r that are on, into d. */
LANE void finish(const struct wave *w, const struct insn *in, const uint32_t *r, uint32_t *d)
{
    static const float by[4] = {1, 2, 4, 0.5f};
    const vec_f32 zero = {0}, one = zero + 1.0f, factor = zero + by[in->omod & 3];
    const bool times = in->omod && !w->fm.out32 && !w->fm.ieee;
    const vec_u32 keep_nan = (vec_u32){0} + lane_mask32(!w->fm.dx10_clamp);

    for (unsigned i = 0; i < VEC_COUNT; i++) {
        vec_f32 v = ((const vec_f32 *)r)[i];
        vec_u32 old = ((const vec_u32 *)d)[i], mask = ((const vec_u32 *)w->lane_mask)[i];

        if (times) {
            v = vec_mul_f32(v, factor);
            v = (vec_f32)((vec_u32)v & ~(vec_u32)(v == zero));
        }
        if (in->clamp) {
            vec_u32 nan = (vec_u32)(v != v) & keep_nan, low = (vec_u32)(v < one);
            vec_u32 c = ((vec_u32)v & low) | ((vec_u32)one & ~low);

            v = (vec_f32)((c & (vec_u32)(v > zero)) | ((vec_u32)v & nan));
        }
        ((vec_u32 *)d)[i] = old ^ ((old ^ (vec_u32)v) & mask);
    }
}

const struct uop *BODY_CAT(isa_wrap_sign_, BODY_LEVEL)(struct wave *w, const struct uop *u)
{
    const struct insn *in = u->in;
    struct uop t = *u;

    spread_sources(w, u);
    for (unsigned i = 0; i < 3; i++)
        if ((in->abs | in->neg) >> i & 1) {
            uint32_t *p = w->priv.tmp[i];

            change_sign(p, uop_ptr(w, u, UOP_A + i), in->abs >> i & 1, in->neg >> i & 1);
            t.sel[UOP_A + i] = UB_WAVE;
            t.off[UOP_A + i] = offsetof(struct wave, priv.tmp) + sizeof(uint32_t[128]) * i;
        }
    if (in->omod || in->clamp) {
        uint32_t *d = uop_ptr(w, u, UOP_DST), *r = w->priv.tmp[3];

        memcpy(r, d, sizeof(uint32_t[64])); /* for rows that read it */
        t.sel[UOP_DST] = UB_WAVE;
        t.off[UOP_DST] = offsetof(struct wave, priv.tmp) + sizeof(uint32_t[128]) * 3;
        u->base(w, &t);
        finish(w, in, r, d);
    } else {
        u->base(w, &t);
    }
    return u + 1;
}
