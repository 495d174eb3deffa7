/* body_lanes.c: see lanes.h; compiled for each level. Plain loops, which the compiler makes vectors of, but for
 * what it has no idea of: gathering and scattering. */
#include "isa/body.h"
#include "isa/lanes.h"

/* Beyond this distance nothing is gained, and sums of 64 cannot overflow below it. */
enum { STEP_MAX = 1 << 16 };

static uint64_t offsets(uint32_t out[64], const uint32_t addr[64], uint32_t offset, uint32_t mask, uint32_t end)
{
    uint32_t in[64] __attribute__((aligned(64)));

    BODY_LOOP
    {
        const uint32_t at = (addr[l] + offset) & mask;

        out[l] = at;
        in[l] = lane_mask32(at <= end);
    }
    return body_pack(in);
}

static bool affine(const uint32_t v[64], uint32_t *step)
{
    const uint32_t first = v[0], d = v[1] - first;
    uint32_t bad = 0;

    if (d > STEP_MAX || v[63] != first + 63 * d)
        return false;
    for (unsigned l = 0; l < 64; l++)
        bad |= v[l] ^ (first + l * d);
    *step = d;
    return !bad;
}

static void flat(uint64_t va[64], const uint32_t lo[64], const uint32_t hi[64], uint64_t offset, uint32_t shared_hi,
                 uint32_t private_hi, uint64_t *shared, uint64_t *priv)
{
    uint32_t in[2][64] __attribute__((aligned(64))), any = 0;

    BODY_LOOP
        va[l] = (lo[l] | (uint64_t)hi[l] << 32) + offset;
    for (unsigned l = 0; l < 64; l++) {
        const uint32_t up = (uint32_t)(va[l] >> 32);

        in[0][l] = lane_mask32((up == shared_hi) & (shared_hi != 0));
        in[1][l] = lane_mask32((up == private_hi) & (private_hi != 0));
        any |= in[0][l] | in[1][l];
    }
    *shared = any ? body_pack(in[0]) : 0;
    *priv = any ? body_pack(in[1]) : 0;
}

static void span(const uint64_t va[64], uint64_t on, uint64_t *lo, uint64_t *hi, uint32_t above[64])
{
    const uint64_t any = va[__builtin_ctzll(on)];
    uint64_t min = any, max = any;

    if (!~on)
        for (unsigned l = 0; l < 64; l++) {
            min = va[l] < min ? va[l] : min;
            max = va[l] > max ? va[l] : max;
        }
    else
        for (uint64_t left = on; left; left &= left - 1) {
            const uint64_t v = va[__builtin_ctzll(left)];

            min = MIN2(min, v);
            max = MAX2(max, v);
        }
    BODY_LOOP
        above[l] = (uint32_t)(va[l] - min);
    *lo = min;
    *hi = max;
}

static void gather(uint32_t out[64], const uint8_t *p, const uint32_t at[64], uint64_t on)
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < 64; i += 16)
        _mm512_storeu_si512(out + i, _mm512_mask_i32gather_epi32(_mm512_loadu_si512(out + i), (__mmask16)(on >> i),
                                                                 _mm512_loadu_si512(at + i), p, 1));
#else
    if (!~on) {
        for (unsigned l = 0; l < 64; l++)
            out[l] = load_le32(p + at[l]);
        return;
    }
    for (uint64_t left = on; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);

        out[l] = load_le32(p + at[l]);
    }
#endif
}

static void scatter(uint8_t *p, const uint32_t at[64], const uint32_t in[64], uint64_t on)
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < 64; i += 16) /* in the order of lanes, also where they overlap */
        _mm512_mask_i32scatter_epi32(p, (__mmask16)(on >> i), _mm512_loadu_si512(at + i),
                                     _mm512_loadu_si512(in + i), 1);
#else
    for (uint64_t left = on; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);

        store_le32(p + at[l], in[l]);
    }
#endif
}

const struct isa_lanes BODY_CAT(isa_lanes_, BODY_LEVEL) = {offsets, affine, flat, span, gather, scatter};
