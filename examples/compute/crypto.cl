/* AES-128 in counter mode and SHA-256 of many short messages. */

uchar xtime(uchar x)
{
    return (x << 1) ^ (x & 0x80 ? 0x1b : 0);
}

/* A block for each work-item; the S-box and the round keys come from the host and are kept in LDS. */
kernel void aes128_ctr(global const uchar *sbox, global const uchar *round_keys, global const uchar *in, global uchar *out,
                       ulong nonce, uint blocks)
{
    local uchar s[256], key[176];
    uint l = get_local_id(0), b = get_global_id(0);
    uchar st[16], t[16];

    for (uint i = l; i < 256; i += get_local_size(0))
        s[i] = sbox[i];
    for (uint i = l; i < 176; i += get_local_size(0))
        key[i] = round_keys[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (b >= blocks)
        return;
    for (uint i = 0; i < 8; i++) {
        st[i] = (nonce >> (56 - 8 * i)) ^ key[i];
        st[8 + i] = ((ulong)b >> (56 - 8 * i)) ^ key[8 + i];
    }
    for (uint r = 1; r <= 10; r++) {
        for (uint i = 0; i < 16; i++) /* SubBytes and ShiftRows */
            t[i] = s[st[(i + 4 * (i & 3)) & 15]];
        for (uint c = 0; c < 16; c += 4) {
            uchar all = t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3];
            for (uint i = 0; i < 4; i++) {
                uchar v = r == 10 ? t[c + i] : t[c + i] ^ all ^ xtime(t[c + i] ^ t[c + ((i + 1) & 3)]);
                st[c + i] = v ^ key[16 * r + c + i];
            }
        }
    }
    for (uint i = 0; i < 16; i++)
        out[16 * b + i] = in[16 * b + i] ^ st[i];
}

constant uint K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

#define ROTR(x, n) rotate((uint)(x), (uint)(32 - (n)))

/* The digest of `blocks` padded 64-byte blocks for each work-item. */
kernel void sha256(global const uchar *in, global uint *out, uint blocks, uint n)
{
    uint i = get_global_id(0), h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                                        0x5be0cd19 };

    if (i >= n)
        return;
    for (uint b = 0; b < blocks; b++) {
        uint w[64], s[8];
        global const uchar *p = in + 64 * (i * blocks + b);

        for (uint k = 0; k < 16; k++)
            w[k] = (uint)p[4 * k] << 24 | (uint)p[4 * k + 1] << 16 | (uint)p[4 * k + 2] << 8 | p[4 * k + 3];
        for (uint k = 16; k < 64; k++)
            w[k] = w[k - 16] + w[k - 7] + (ROTR(w[k - 15], 7) ^ ROTR(w[k - 15], 18) ^ w[k - 15] >> 3) +
                   (ROTR(w[k - 2], 17) ^ ROTR(w[k - 2], 19) ^ w[k - 2] >> 10);
        for (uint k = 0; k < 8; k++)
            s[k] = h[k];
        for (uint k = 0; k < 64; k++) {
            uint t1 = s[7] + (ROTR(s[4], 6) ^ ROTR(s[4], 11) ^ ROTR(s[4], 25)) + bitselect(s[6], s[5], s[4]) + K[k] + w[k];
            uint t2 = (ROTR(s[0], 2) ^ ROTR(s[0], 13) ^ ROTR(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            for (uint m = 7; m; m--)
                s[m] = s[m - 1];
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (uint k = 0; k < 8; k++)
            h[k] += s[k];
    }
    for (uint k = 0; k < 8; k++)
        out[8 * i + k] = h[k];
}
