/* The checkerboard example's shaders, in LLVM's assembly language. */
#ifndef EXAMPLES_CHECKERBOARD_SHADERS_H
#define EXAMPLES_CHECKERBOARD_SHADERS_H

/* s[0:3] the vertices' V#; v0 the vertex. */
static const char vs_text[] =
    "  buffer_load_dwordx4 v[4:7], v0, s[0:3], 0 idxen\n"
    "  buffer_load_dwordx4 v[8:11], v0, s[0:3], 0 idxen offset:16\n"
    "  buffer_load_dwordx4 v[12:15], v0, s[0:3], 0 idxen offset:32\n"
    "  s_waitcnt vmcnt(0)\n"
    "  exp pos0 v4, v5, v6, v7 done\n"
    "  exp param0 v8, v9, v10, v11\n"
    "  exp param1 v12, v13, v14, v15\n"
    "  s_endpgm\n";

/* s[0:7] the texture, s[8:11] its sampler, s[12:15] the constant buffer, s16 M0's value; v[0:1] barycentrics and
 * v[2:3] the position, at the sample that is shaded.
 *
 * Leaves s[18:19] the pixels that are really covered; v[2:3] the position in the full-width image; v[4:5] u, v;
 * v[20:23] their gradients by the full-width image's pixels: du/dx, dv/dx, du/dy, dv/dy. */
#define PS_HEAD                                                                                    \
    "  s_buffer_load_dword s20, s[12:15], 0x0\n"                                                   \
    "  s_mov_b64 s[18:19], exec\n"                                                                 \
    "  s_wqm_b64 exec, exec              // gradients need all four pixels of a quad\n"            \
    "  s_mov_b32 m0, s16\n"                                                                        \
    "  v_interp_p1_f32 v4, v0, attr1.x\n"                                                          \
    "  v_interp_p2_f32 v4, v1, attr1.x\n"                                                          \
    "  v_interp_p1_f32 v5, v0, attr1.y\n"                                                          \
    "  v_interp_p2_f32 v5, v1, attr1.y\n"                                                          \
    "  ds_swizzle_b32 v6, v4 offset:0x8000   // u of the quad's top left pixel\n"                  \
    "  ds_swizzle_b32 v7, v4 offset:0x8055   // top right\n"                                       \
    "  ds_swizzle_b32 v8, v4 offset:0x80aa   // bottom left\n"                                     \
    "  ds_swizzle_b32 v9, v5 offset:0x8000   // the same of v\n"                                   \
    "  ds_swizzle_b32 v10, v5 offset:0x8055\n"                                                     \
    "  ds_swizzle_b32 v11, v5 offset:0x80aa\n"                                                     \
    "  s_waitcnt lgkmcnt(0)\n"                                                                     \
    "  v_sub_f32_e32 v20, v7, v6         // ddx\n"                                                 \
    "  v_sub_f32_e32 v21, v10, v9\n"                                                               \
    "  v_sub_f32_e32 v22, v8, v6         // ddy\n"                                                 \
    "  v_sub_f32_e32 v23, v11, v9\n"                                                               \
    "  s_bitcmp1_b32 s20, 1              // disabled?\n"                                           \
    "  s_cbranch_scc1 gradients_done\n"                                                            \
    "  v_mul_f32_e32 v20, 0.5, v20       // DDX = 0.5 * ddx\n"                                     \
    "  v_mul_f32_e32 v21, 0.5, v21\n"                                                              \
    "  s_bitcmp1_b32 s20, 0              // FrameIsOdd?\n"                                         \
    "  s_cbranch_scc1 odd\n"                                                                       \
    "  v_sub_f32_e32 v22, v22, v20       // DDY = ddy - DDX\n"                                     \
    "  v_sub_f32_e32 v23, v23, v21\n"                                                              \
    "  s_branch gradients_done\n"                                                                  \
    "odd:\n"                                                                                       \
    "  v_add_f32_e32 v22, v22, v20       // DDY = ddy + DDX\n"                                     \
    "  v_add_f32_e32 v23, v23, v21\n"                                                              \
    "gradients_done:\n"                                                                            \
    "  s_bitcmp1_b32 s20, 2              // double x?\n"                                           \
    "  s_cbranch_scc0 position_done\n"                                                             \
    "  v_add_f32_e32 v2, v2, v2\n"                                                                 \
    "position_done:\n"                                                                             \
    "  s_mov_b64 exec, s[18:19]\n"

/* The picture: texture times the vertices' colour, three quarters of it on diagonal lines of the screen. */
static const char ps_colour_text[] = PS_HEAD
    "  v_mov_b32_e32 v24, v4\n"
    "  v_mov_b32_e32 v25, v5\n"
    "  image_sample_d v[28:31], v[20:27], s[0:7], s[8:11] dmask:0xf\n"
    "  v_interp_p1_f32 v6, v0, attr0.x\n"
    "  v_interp_p2_f32 v6, v1, attr0.x\n"
    "  v_interp_p1_f32 v7, v0, attr0.y\n"
    "  v_interp_p2_f32 v7, v1, attr0.y\n"
    "  v_interp_p1_f32 v8, v0, attr0.z\n"
    "  v_interp_p2_f32 v8, v1, attr0.z\n"
    "  v_add_f32_e32 v9, v2, v3\n"
    "  v_mul_f32_e32 v9, 0x3d000000, v9      // 1/32: a line every 32 pixels\n"
    "  v_fract_f32_e32 v9, v9\n"
    "  v_cmp_gt_f32_e32 vcc, 0x3e000000, v9  // 4 pixels wide\n"
    "  v_mov_b32_e32 v10, 0x3f400000\n"
    "  v_cndmask_b32_e32 v9, 1.0, v10, vcc\n"
    "  s_waitcnt vmcnt(0)\n"
    "  v_mul_f32_e32 v6, v6, v28\n"
    "  v_mul_f32_e32 v7, v7, v29\n"
    "  v_mul_f32_e32 v8, v8, v30\n"
    "  v_mul_f32_e32 v6, v6, v9\n"
    "  v_mul_f32_e32 v7, v7, v9\n"
    "  v_mul_f32_e32 v8, v8, v9\n"
    "  v_cvt_pkrtz_f16_f32_e32 v6, v6, v7\n"
    "  v_cvt_pkrtz_f16_f32_e64 v7, v8, 1.0\n"
    "  exp mrt0 v6, v6, v7, v7 done compr vm\n"
    "  s_endpgm\n";

/* The gradients as they are. */
static const char ps_gradient_text[] = PS_HEAD
    "  exp mrt0 v20, v21, v22, v23 done vm\n"
    "  s_endpgm\n";

/* Two frames to one image: s[0:7] the even one, s[8:15] the odd one; v[2:3] the pixel. In even frames the top left
 * pixel of every 2x2 was shaded (and so the bottom right one), where x and y are both even or both odd. */
static const char ps_rebuild_text[] =
    "  v_cvt_u32_f32_e32 v0, v2\n"
    "  v_cvt_u32_f32_e32 v3, v3\n"
    "  v_xor_b32_e32 v1, v0, v3\n"
    "  v_and_b32_e32 v1, 1, v1               // 1: the odd frame has it\n"
    "  v_lshrrev_b32_e32 v2, 1, v0           // the half-width target's column\n"
    "  image_load v[4:7], v[2:3], s[0:7] dmask:0xf unorm\n"
    "  image_load v[8:11], v[2:3], s[8:15] dmask:0xf unorm\n"
    "  v_cmp_ne_u32_e32 vcc, 0, v1\n"
    "  s_waitcnt vmcnt(0)\n"
    "  v_cndmask_b32_e32 v4, v4, v8, vcc\n"
    "  v_cndmask_b32_e32 v5, v5, v9, vcc\n"
    "  v_cndmask_b32_e32 v6, v6, v10, vcc\n"
    "  v_cndmask_b32_e32 v7, v7, v11, vcc\n"
    "  exp mrt0 v4, v5, v6, v7 done vm\n"
    "  s_endpgm\n";

#endif
