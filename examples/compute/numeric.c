/* FFT, option prices, gravity, the Mandelbrot set. */
#include "compute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

/* The definition, for some of the frequencies: the whole would take n^2. */
static bool check_spectrum(const float *in, const float *got, unsigned n)
{
    for (unsigned k = 0; k < n; k += 37) {
        double re = 0, im = 0;
        float want[2];

        for (unsigned i = 0; i < n; i++) {
            double a = -2 * M_PI * ((double)k * i - n * floor((double)k * i / n)) / n;

            re += in[2 * i] * cos(a) - in[2 * i + 1] * sin(a);
            im += in[2 * i] * sin(a) + in[2 * i + 1] * cos(a);
        }
        want[0] = (float)re;
        want[1] = (float)im;
        if (!close_to("fft", want, got + 2 * k, 2, 1e-3))
            return false;
    }
    return true;
}

bool fft(struct compute *c)
{
    enum { N = 4096 };
    float *in = take(8 * N), *got = take(8 * N);
    uint64_t a, b, t;
    bool ok;

    for (unsigned i = 0; i < 2 * N; i++)
        in[i] = random_f32(c) * 2 - 1;
    a = buffer(c, in, 8 * N);
    b = buffer(c, NULL, 8 * N);
    for (unsigned half = 1; half < N; half *= 2) {
        LAUNCH(c, "fft_stage", N / 2, 1, 64, 1, BUF(a), BUF(b), U32(N), U32(half));
        t = a; a = b; b = t;
    }
    fetch(c, a, got, 8 * N);
    ok = check_spectrum(in, got, N);
    free(in);
    free(got);
    return ok;
}

bool black_scholes(struct compute *c)
{
    enum { N = 20000 };
    float *o = take(16 * N), *want = take(8 * N), *got = take(8 * N);
    uint64_t out = buffer(c, NULL, 8 * N);
    bool ok;

    for (unsigned i = 0; i < N; i++) {
        double s, x, d1, d2;

        o[4 * i] = 5 + random_f32(c) * 100;
        o[4 * i + 1] = 5 + random_f32(c) * 100;
        o[4 * i + 2] = 0.25f + random_f32(c) * 9;
        o[4 * i + 3] = 0.1f + random_f32(c) * 0.5f;
        s = o[4 * i + 3] * sqrt(o[4 * i + 2]);
        d1 = (log((double)o[4 * i] / o[4 * i + 1]) + (0.02 + 0.5 * o[4 * i + 3] * o[4 * i + 3]) * o[4 * i + 2]) / s;
        d2 = d1 - s;
        x = o[4 * i + 1] * exp(-0.02 * o[4 * i + 2]);
        want[2 * i] = (float)(o[4 * i] * 0.5 * erfc(-d1 * M_SQRT1_2) - x * 0.5 * erfc(-d2 * M_SQRT1_2));
        want[2 * i + 1] = (float)(want[2 * i] + x - o[4 * i]);
    }
    LAUNCH(c, "black_scholes", N, 1, 64, 1, BUF(buffer(c, o, 16 * N)), BUF(out), U32(N));
    fetch(c, out, got, 8 * N);
    ok = close_to("black_scholes", want, got, 2 * N, 1e-4);
    free(o);
    free(want);
    free(got);
    return ok;
}

bool nbody(struct compute *c)
{
    enum { N = 512, STEPS = 3, GROUP = 64 };
    const double dt = 0.01;
    float *pos = take(16 * N), *vel = take(16 * N), *got = take(16 * N), *want = take(16 * N);
    double *p = take(8 * 3 * N), *v = take(8 * 3 * N), *a = take(8 * 3 * N);
    uint64_t b[4], t;
    bool ok;

    for (unsigned i = 0; i < 4 * N; i++)
        pos[i] = random_f32(c) * 2 - (i % 4 == 3 ? 0 : 1);
    for (unsigned i = 0; i < 3 * N; i++)
        p[i] = pos[i / 3 * 4 + i % 3];
    b[0] = buffer(c, pos, 16 * N);
    b[1] = buffer(c, vel, 16 * N);
    b[2] = buffer(c, NULL, 16 * N);
    b[3] = buffer(c, NULL, 16 * N);
    for (unsigned s = 0; s < STEPS; s++) {
        LAUNCH(c, "nbody_step", N, 1, GROUP, 1, BUF(b[0]), BUF(b[1]), BUF(b[2]), BUF(b[3]), U32(N), F32((float)dt),
               LOCAL(16 * GROUP));
        for (unsigned k = 0; k < 2; k++) {
            t = b[k]; b[k] = b[k + 2]; b[k + 2] = t;
        }
        memset(a, 0, 8 * 3 * N);
        for (unsigned i = 0; i < N; i++)
            for (unsigned k = 0; k < N; k++) {
                double d[3], r = 0.01;

                for (unsigned x = 0; x < 3; x++) {
                    d[x] = p[3 * k + x] - p[3 * i + x];
                    r += d[x] * d[x];
                }
                r = 1 / sqrt(r);
                for (unsigned x = 0; x < 3; x++)
                    a[3 * i + x] += d[x] * pos[4 * k + 3] * r * r * r;
            }
        for (unsigned i = 0; i < 3 * N; i++) {
            v[i] += a[i] * dt;
            p[i] += v[i] * dt;
        }
    }
    fetch(c, b[0], got, 16 * N);
    for (unsigned i = 0; i < 4 * N; i++)
        want[i] = i % 4 == 3 ? pos[i] : (float)p[i / 4 * 3 + i % 4];
    ok = close_to("nbody", want, got, 4 * N, 1e-3);
    free(pos);
    free(vel);
    free(got);
    free(want);
    free(p);
    free(v);
    free(a);
    return ok;
}

bool mandelbrot(struct compute *c)
{
    enum { W = 200, H = 150, LIMIT = 200 };
    uint32_t *want = take(4 * W * H), *got = take(4 * W * H);
    uint64_t out = buffer(c, NULL, 4 * W * H);
    bool ok;

    LAUNCH(c, "mandelbrot", W, H, 8, 8, BUF(out), U32(W), U32(H), U32(LIMIT));
    fetch(c, out, got, 4 * W * H);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            int32_t cx = (int32_t)(x * (3u << 24) / W) - (2 << 24) - (1 << 22);
            int32_t cy = (int32_t)(y * (2u << 24) / H) - (1 << 24), zx = 0, zy = 0;
            uint32_t k = 0;

            for (; k < LIMIT; k++) {
                int32_t xx = (int32_t)((int64_t)zx * zx >> 24), yy = (int32_t)((int64_t)zy * zy >> 24);

                if (xx + yy > 4 << 24)
                    break;
                zy = (int32_t)((int64_t)zx * zy >> 23) + cy;
                zx = xx - yy + cx;
            }
            want[y * W + x] = k;
        }
    ok = same("mandelbrot", want, got, 4 * W * H);
    free(want);
    free(got);
    return ok;
}
