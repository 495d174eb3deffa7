/* Divergent, nested and irreducible control flow, switches, early returns, loops with different counts. */

//! in=ints
kernel void nested(global const int *in, global int *out, uint n)
{
    uint i = get_global_id(0);
    int a = in[i], r = 0;

    if (a & 1) {
        if (a & 2)
            r = a * 3;
        else if (a & 4)
            for (int k = 0; k < (a & 15); k++)
                r += k ^ a;
        else
            r = -a;
    } else {
        int k = a & 31;
        while (k > 0) {
            if (k % 3 == 0) {
                k -= 2;
                continue;
            }
            if (r > 1000000)
                break;
            r += k * k;
            k--;
        }
    }
    out[i] = r;
    if (a < 0)
        return;
    out[n + i] = r ^ a;
}

//! in=ints
kernel void collatz(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a = (in[i] & 0xffff) + 1, steps = 0;

    while (a != 1) {
        a = a & 1 ? 3 * a + 1 : a / 2;
        steps++;
    }
    out[i] = steps;
}

//! in=ints
kernel void switches(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a = in[i], r = 0;

    for (int k = 0; k < 4; k++, a >>= 5)
        switch (a & 15) {
        case 0: r += 1; break;
        case 1: r ^= 0x55; /* falls through */
        case 2: r = r * 3 + 1; break;
        case 3: r -= a; break;
        case 4: r <<= 1; break;
        case 5: r = ~r; /* falls through */
        case 6: r += a >> 3; /* falls through */
        case 7: r ^= a; break;
        case 8: if (r & 1) break; r += 77; break;
        case 9: r = r / 3; break;
        case 10: for (uint m = 0; m < (a & 7); m++) r += m; break;
        case 11: r |= 0x1000; break;
        case 13: r = a; break;
        default: r += 1000; break;
        }
    out[i] = r;
}

//! in=ints
kernel void irreducible(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a = in[i], r = 0, fuel = 40;

    if (a & 1)
        goto middle;
top:
    r = r * 5 + a;
    if (a & 2)
        goto end;
    a >>= 1;
middle:
    r ^= a << 3;
    a = a >> 1 | 1u << (a & 3);
    if (--fuel && a & 4)
        goto top;
    if (fuel && a & 16) {
        a -= 3;
        goto middle;
    }
    if (fuel && r & 1) {
        r >>= 1;
        goto top;
    }
end:
    out[i] = r + fuel;
}

/* Two loops that jump into each other. */
//! in=ints
kernel void tangled(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a = in[i] & 63, b = in[i] >> 6 & 63, r = 1;

    if (b & 1)
        goto second;
first:
    while (a) {
        a--;
        r = r * 3 + a;
        if (r & 8 && b)
            goto second;
    }
    goto done;
second:
    while (b) {
        b--;
        r ^= r << 2 | b;
        if (r & 4 && a)
            goto first;
    }
    if (a)
        goto first;
done:
    out[i] = r;
}

//! in=ints grid=128
kernel void uniform(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), r = 0, g = get_group_id(0);

    for (uint k = 0; k < 8 + g; k++) {
        if (in[g] >> k & 1)
            r += in[i] >> k;
        else if (n > 100)
            r ^= k;
        if (in[k] == in[g])
            break;
    }
    for (int k = n & 7; k >= 0; k--)
        r = r * 31 + k;
    out[i] = r;
}

//! in=ints
kernel void short_circuit(global const int *in, global int *out, uint n)
{
    uint i = get_global_id(0);
    int a = in[i], b = in[i + 1], c = in[i + 2], r = 0;

    if ((a > 0 && b > 0) || (c < 0 && (a ^ b) & 1) || (b && 100 / b > 3))
        r |= 1;
    if (!(a & 7) && !(b & 7 && c & 7))
        r |= 2;
    r |= (a > b ? b > c ? 1 : 2 : a > c ? 3 : c ? 4 : 5) << 2;
    out[i] = r;
}
