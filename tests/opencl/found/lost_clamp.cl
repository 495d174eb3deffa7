/* LLVM 19, for GFX8: a saturating subtraction of 32 bits without a sign loses its clamp bit where VCC is free, so that
 * the short encoding can be had. Not a fault of the emulator; found by random_cl.py (seed 2026, program 60). */
//! in=ints bytes=2048 xfail=gfx803:2,gfx803:3
kernel void test(global const uint *in, global uint *out, uint n)
{
    const uint i = get_global_id(0), a = sub_sat(i, (uint)32767);

    if (in[3] & 8)
        out[i] = a;
    else
        out[i + n] = a;
}
