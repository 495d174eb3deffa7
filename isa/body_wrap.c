/* body_wrap.c: the wrapper of vector micro-ops that need nothing but scalar registers as sources: each
 * is spread over 64 lanes. It is as frequent as the rows themselves, so it is built for each level
 * of the host's instruction set too (body.h); the other wrappers are in exec_wrap.c. */
#include "isa/body.h"

LANE void spread(uint32_t *p, uint32_t v)
{
    vec_u32 all = (vec_u32){0} + v;

    _Pragma("GCC unroll 16")
    for (unsigned i = 0; i < VEC_COUNT; i++)
        ((vec_u32 *)p)[i] = all;
}

const struct uop *BODY_CAT(isa_wrap_splat_, BODY_LEVEL)(struct wave *w, const struct uop *u)
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
    return u->base(w, u);
}
