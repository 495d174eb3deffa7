/* AES-128 and SHA-256: the host's own, from FIPS 197 and FIPS 180-4, with their test vectors. */
#include "compute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- AES ------------------------------------------------------------------------------- */

static uint8_t gf_mul(uint8_t a, uint8_t b)
{
    uint8_t r = 0;

    for (; b; b >>= 1) {
        if (b & 1)
            r ^= a;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return r;
}

/* The S-box by its definition: the inverse in GF(2^8), then an affine map. */
static void make_sbox(uint8_t s[256])
{
    for (unsigned x = 0; x < 256; x++) {
        unsigned inv = 0, y = 0;

        for (unsigned i = 1; x && i < 256 && !inv; i++)
            if (gf_mul((uint8_t)x, (uint8_t)i) == 1)
                inv = i;
        for (unsigned b = 0; b < 8; b++)
            y |= ((inv >> b ^ inv >> (b + 4) % 8 ^ inv >> (b + 5) % 8 ^ inv >> (b + 6) % 8 ^ inv >> (b + 7) % 8 ^
                   0x63u >> b) & 1) << b;
        s[x] = (uint8_t)y;
    }
}

static void expand_key(const uint8_t s[256], const uint8_t key[16], uint8_t out[176])
{
    uint8_t rcon = 1;

    memcpy(out, key, 16);
    for (unsigned i = 16; i < 176; i += 4) {
        uint8_t t[4];

        memcpy(t, out + i - 4, 4);
        if (i % 16 == 0) {
            uint8_t first = t[0];

            t[0] = s[t[1]] ^ rcon;
            t[1] = s[t[2]];
            t[2] = s[t[3]];
            t[3] = s[first];
            rcon = gf_mul(rcon, 2);
        }
        for (unsigned k = 0; k < 4; k++)
            out[i + k] = out[i + k - 16] ^ t[k];
    }
}

static void encrypt(const uint8_t s[256], const uint8_t key[176], uint8_t b[16])
{
    static const uint8_t mix[4] = {2, 3, 1, 1};

    for (unsigned i = 0; i < 16; i++)
        b[i] ^= key[i];
    for (unsigned r = 1; r <= 10; r++) {
        uint8_t t[16];

        for (unsigned col = 0; col < 4; col++)
            for (unsigned row = 0; row < 4; row++)
                t[4 * col + row] = s[b[4 * ((col + row) % 4) + row]];
        for (unsigned i = 0; i < 16; i++) {
            uint8_t v = 0;

            for (unsigned k = 0; k < 4 && r < 10; k++)
                v ^= gf_mul(t[i / 4 * 4 + k], mix[(k + 4 - i % 4) % 4]);
            b[i] = (uint8_t)((r < 10 ? v : t[i]) ^ key[16 * r + i]);
        }
    }
}

bool aes128(struct compute *c)
{
    enum { BLOCKS = 1000 };
    static const uint8_t example_key[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint8_t example[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                        0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a}; /* FIPS 197, C.1 */
    const uint64_t nonce = UINT64_C(0xf0f1f2f3f4f5f6f7);
    uint8_t s[256], key[176], block[16], *in = take(16 * BLOCKS), *want = take(16 * BLOCKS), *got = take(16 * BLOCKS);
    uint64_t out = buffer(c, NULL, 16 * BLOCKS);
    bool ok;

    make_sbox(s);
    expand_key(s, example_key, key);
    for (unsigned i = 0; i < 16; i++)
        block[i] = (uint8_t)(0x11 * i);
    encrypt(s, key, block);
    ok = same("the host's AES", example, block, 16);
    for (unsigned i = 0; i < 16 * BLOCKS; i++)
        in[i] = (uint8_t)random_u32(c);
    for (unsigned b = 0; b < BLOCKS; b++) {
        for (unsigned i = 0; i < 8; i++) {
            block[i] = (uint8_t)(nonce >> (56 - 8 * i));
            block[8 + i] = (uint8_t)((uint64_t)b >> (56 - 8 * i));
        }
        encrypt(s, key, block);
        for (unsigned i = 0; i < 16; i++)
            want[16 * b + i] = in[16 * b + i] ^ block[i];
    }
    LAUNCH(c, "aes128_ctr", BLOCKS, 1, 64, 1, BUF(buffer(c, s, 256)), BUF(buffer(c, key, 176)),
           BUF(buffer(c, in, 16 * BLOCKS)), BUF(out), BUF(nonce), U32(BLOCKS));
    fetch(c, out, got, 16 * BLOCKS);
    ok &= same("aes128", want, got, 16 * BLOCKS);
    free(in);
    free(want);
    free(got);
    return ok;
}

/* ---- SHA-256 --------------------------------------------------------------------------- */

/* The first 32 bits of the fraction of x: how FIPS 180-4 defines its constants. */
static uint32_t fraction(long double x)
{
    return (uint32_t)((x - floorl(x)) * 4294967296.0L);
}

static unsigned prime(unsigned n)
{
    for (unsigned p = 2;; p++) {
        unsigned d = 2;

        while (d * d <= p && p % d)
            d++;
        if (d * d > p && !n--)
            return p;
    }
}

static uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void digest(const uint32_t k[64], const uint8_t *p, unsigned blocks, uint32_t h[8])
{
    for (unsigned i = 0; i < 8; i++)
        h[i] = fraction(sqrtl(prime(i)));
    for (; blocks--; p += 64) {
        uint32_t w[64], a[8];

        for (unsigned i = 0; i < 64; i++)
            w[i] = i < 16 ? (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3]
                          : w[i - 16] + w[i - 7] + (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
                                (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
        memcpy(a, h, sizeof a);
        for (unsigned i = 0; i < 64; i++) {
            uint32_t t1 = a[7] + (rotr(a[4], 6) ^ rotr(a[4], 11) ^ rotr(a[4], 25)) + ((a[4] & a[5]) ^ (~a[4] & a[6])) + k[i] + w[i];
            uint32_t t2 = (rotr(a[0], 2) ^ rotr(a[0], 13) ^ rotr(a[0], 22)) + ((a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]));

            memmove(a + 1, a, 7 * sizeof a[0]);
            a[4] += t1;
            a[0] = t1 + t2;
        }
        for (unsigned i = 0; i < 8; i++)
            h[i] += a[i];
    }
}

/* A message with its padding into `blocks` blocks. */
static void pad(uint8_t *p, unsigned blocks, unsigned bytes)
{
    p[bytes] = 0x80;
    memset(p + bytes + 1, 0, 64 * blocks - bytes - 1);
    p[64 * blocks - 1] = (uint8_t)(8 * bytes);
    p[64 * blocks - 2] = (uint8_t)(8 * bytes >> 8);
}

bool sha256(struct compute *c)
{
    enum { N = 500, BLOCKS = 2 };
    static const uint32_t abc[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                    0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad}; /* the standard's example */
    uint8_t *in = take(64 * BLOCKS * N), example[64] = "abc";
    uint32_t *want = take(32 * N), *got = take(32 * N), k[64], h[8];
    uint64_t out = buffer(c, NULL, 32 * N);
    bool ok;

    for (unsigned i = 0; i < 64; i++)
        k[i] = fraction(cbrtl(prime(i)));
    pad(example, 1, 3);
    digest(k, example, 1, h);
    ok = same("the host's SHA-256", abc, h, sizeof h);
    for (unsigned i = 0; i < N; i++) {
        uint8_t *p = in + 64 * BLOCKS * i;
        unsigned bytes = 56 + random_u32(c) % 64;

        for (unsigned b = 0; b < bytes; b++)
            p[b] = (uint8_t)random_u32(c);
        pad(p, BLOCKS, bytes);
        digest(k, p, BLOCKS, want + 8 * i);
    }
    LAUNCH(c, "sha256", N, 1, 64, 1, BUF(buffer(c, in, 64 * BLOCKS * N)), BUF(out), U32(BLOCKS), U32(N));
    fetch(c, out, got, 32 * N);
    ok &= same("sha256", want, got, 32 * N);
    free(in);
    free(want);
    free(got);
    return ok;
}
