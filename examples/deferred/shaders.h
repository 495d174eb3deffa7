/* The deferred shading example's shaders, in LLVM's assembly language. */
#ifndef EXAMPLES_DEFERRED_SHADERS_H
#define EXAMPLES_DEFERRED_SHADERS_H

/* s[0:3] the vertices' V#: a position and two attributes. */
static const char vs_text[] =
    "  buffer_load_dwordx4 v[4:7], v0, s[0:3], 0 idxen\n"
    "  buffer_load_dwordx4 v[8:11], v0, s[0:3], 0 idxen offset:16\n"
    "  buffer_load_dwordx4 v[12:15], v0, s[0:3], 0 idxen offset:32\n"
    "  s_waitcnt vmcnt(0)\n"
    "  exp pos0 v4, v5, v6, v7 done\n"
    "  exp param0 v8, v9, v10, v11\n"
    "  exp param1 v12, v13, v14, v15\n"
    "  s_endpgm\n";

/* The G-buffer. s0 M0's value; v[0:1] barycentrics. Three targets, each exported in the format that suits it. */
static const char ps_geometry_text[] =
    "  s_mov_b32 m0, s0\n"
    "  v_interp_p1_f32 v4, v0, attr0.x\n"
    "  v_interp_p2_f32 v4, v1, attr0.x\n"
    "  v_interp_p1_f32 v5, v0, attr0.y\n"
    "  v_interp_p2_f32 v5, v1, attr0.y\n"
    "  v_interp_p1_f32 v6, v0, attr0.z\n"
    "  v_interp_p2_f32 v6, v1, attr0.z\n"
    "  v_interp_mov_f32 v8, p0, attr1.x\n"
    "  v_interp_mov_f32 v9, p0, attr1.y\n"
    "  v_interp_mov_f32 v10, p0, attr1.z\n"
    "  v_interp_mov_f32 v11, p0, attr1.w\n"
    "  v_cvt_pkrtz_f16_f32_e32 v8, v8, v9\n"
    "  v_cvt_pkrtz_f16_f32_e64 v9, v10, 1.0\n"
    "  v_cvt_pknorm_i16_f32_e32 v4, v4, v5\n"
    "  v_cvt_pknorm_i16_f32_e64 v5, v6, 0\n"
    "  exp mrt0 v8, v8, v9, v9 compr vm          // albedo: halves\n"
    "  exp mrt1 v4, v4, v5, v5 compr vm          // normal: signed, normalised\n"
    "  exp mrt2 v11, off, off, off done vm       // the surface's number: one dword\n"
    "  s_endpgm\n";

/* Where are edges? s[0:7] the numbers of surfaces; v2 the pixel, y in the high half. What is no edge is discarded; the
 * stencil of the others becomes 1. */
static const char ps_edges_text[] =
    "  v_and_b32_e32 v4, 0xffff, v2\n"
    "  v_lshrrev_b32_e32 v5, 16, v2\n"
    "  v_mov_b32_e32 v6, 0\n"
    "  image_load v8, v[4:6], s[0:7] dmask:0x1 unorm\n"
    "  v_mov_b32_e32 v6, 1\n"
    "  image_load v9, v[4:6], s[0:7] dmask:0x1 unorm\n"
    "  v_mov_b32_e32 v6, 2\n"
    "  image_load v10, v[4:6], s[0:7] dmask:0x1 unorm\n"
    "  v_mov_b32_e32 v6, 3\n"
    "  image_load v11, v[4:6], s[0:7] dmask:0x1 unorm\n"
    "  s_waitcnt vmcnt(0)\n"
    "  v_cmp_ne_u32_e32 vcc, v8, v9\n"
    "  v_cmp_ne_u32_e64 s[18:19], v8, v10\n"
    "  s_or_b64 vcc, vcc, s[18:19]\n"
    "  v_cmp_ne_u32_e64 s[18:19], v8, v11\n"
    "  s_or_b64 vcc, vcc, s[18:19]\n"
    "  s_and_b64 exec, exec, vcc\n"
    "  exp null off, off, off, off done vm\n"
    "  s_endpgm\n";

/* One light. s[0:7] normals, s[8:15] depth, s16 M0's value; v[2:3] the position of the sample that is shaded, v4 its
 * number in bits 11:8, v5 the pixel. */
static const char ps_light_text[] =
    "  s_mov_b32 m0, s16\n"
    "  v_and_b32_e32 v6, 0xffff, v5\n"
    "  v_lshrrev_b32_e32 v7, 16, v5\n"
    "  v_bfe_u32 v8, v4, 8, 4\n"
    "  image_load v9, v[6:8], s[8:15] dmask:0x1 unorm\n"
    "  image_load v[12:14], v[6:8], s[0:7] dmask:0x7 unorm\n"
    "  v_interp_mov_f32 v16, p0, attr0.x         // the light: where,\n"
    "  v_interp_mov_f32 v17, p0, attr0.y\n"
    "  v_interp_mov_f32 v18, p0, attr0.z\n"
    "  v_interp_mov_f32 v19, p0, attr0.w         // 1 / radius^2,\n"
    "  v_interp_mov_f32 v20, p0, attr1.x         // colour\n"
    "  v_interp_mov_f32 v21, p0, attr1.y\n"
    "  v_interp_mov_f32 v22, p0, attr1.z\n"
    "  s_waitcnt vmcnt(0)\n"
    "  v_add_f32_e32 v9, 0xbf888889, v9          // z = B / (depth - A)\n"
    "  v_rcp_f32_e32 v9, v9\n"
    "  v_mul_f32_e32 v9, 0xbf888889, v9\n"
    "  v_mul_f32_e32 v2, 0x3c000000, v2          // x = (pixel / 128 - 1) * z\n"
    "  v_add_f32_e32 v2, -1.0, v2\n"
    "  v_mul_f32_e32 v2, v2, v9\n"
    "  v_mul_f32_e32 v3, 0x3c000000, v3\n"
    "  v_add_f32_e32 v3, -1.0, v3\n"
    "  v_mul_f32_e32 v3, v3, v9\n"
    "  v_sub_f32_e32 v16, v16, v2                // to the light\n"
    "  v_sub_f32_e32 v17, v17, v3\n"
    "  v_sub_f32_e32 v18, v18, v9\n"
    "  v_mul_f32_e32 v10, v16, v16\n"
    "  v_mac_f32_e32 v10, v17, v17\n"
    "  v_mac_f32_e32 v10, v18, v18               // distance^2\n"
    "  v_mad_f32 v11, -v10, v19, 1.0 clamp\n"
    "  v_mul_f32_e32 v11, v11, v11               // (1 - distance^2 / radius^2)^2\n"
    "  v_mul_f32_e32 v23, v12, v16\n"
    "  v_mac_f32_e32 v23, v13, v17\n"
    "  v_mac_f32_e32 v23, v14, v18               // normal . light\n"
    "  v_mul_f32_e32 v24, v12, v12\n"
    "  v_mac_f32_e32 v24, v13, v13\n"
    "  v_mac_f32_e32 v24, v14, v14\n"
    "  v_mul_f32_e32 v24, v24, v10\n"
    "  v_rsq_f32_e32 v24, v24\n"
    "  v_mul_f32_e64 v23, v23, v24 clamp         // cosine, 0 on the far side\n"
    "  v_mul_f32_e32 v11, v11, v23\n"
    "  v_mul_f32_e32 v20, v20, v11\n"
    "  v_mul_f32_e32 v21, v21, v11\n"
    "  v_mul_f32_e32 v22, v22, v11\n"
    "  v_max3_f32 v25, v20, v21, v22\n"
    "  v_cmp_le_f32_e32 vcc, 0x3b800000, v25     // at least 1/256, else discard\n"
    "  s_and_b64 exec, exec, vcc\n"
    "  v_cvt_pkrtz_f16_f32_e32 v20, v20, v21\n"
    "  v_cvt_pkrtz_f16_f32_e64 v21, v22, 0\n"
    "  exp mrt0 v20, v20, v21, v21 done compr vm\n"
    "  s_endpgm\n";

/* The image: of each sample albedo times light, at most 1; the mean of the four. s[0:7] albedo, s[8:15] light;
 * v2 the pixel. */
#define SAMPLE(n)                                                \
    "  v_mov_b32_e32 v6, " #n "\n"                               \
    "  image_load v[8:10], v[4:6], s[0:7] dmask:0x7 unorm\n"     \
    "  image_load v[12:14], v[4:6], s[8:15] dmask:0x7 unorm\n"   \
    "  s_waitcnt vmcnt(0)\n"                                     \
    "  v_mul_f32_e64 v8, v8, v12 clamp\n"                        \
    "  v_mul_f32_e64 v9, v9, v13 clamp\n"                        \
    "  v_mul_f32_e64 v10, v10, v14 clamp\n"                      \
    "  v_add_f32_e32 v16, v16, v8\n"                             \
    "  v_add_f32_e32 v17, v17, v9\n"                             \
    "  v_add_f32_e32 v18, v18, v10\n"

static const char ps_compose_text[] =
    "  v_and_b32_e32 v4, 0xffff, v2\n"
    "  v_lshrrev_b32_e32 v5, 16, v2\n"
    "  v_mov_b32_e32 v16, 0\n"
    "  v_mov_b32_e32 v17, 0\n"
    "  v_mov_b32_e32 v18, 0\n"
    SAMPLE(0) SAMPLE(1) SAMPLE(2) SAMPLE(3)
    "  v_mul_f32_e32 v16, 0x3e800000, v16\n"
    "  v_mul_f32_e32 v17, 0x3e800000, v17\n"
    "  v_mul_f32_e32 v18, 0x3e800000, v18\n"
    "  v_cvt_pknorm_u16_f32_e32 v16, v16, v17\n"
    "  v_cvt_pknorm_u16_f32_e64 v17, v18, 1.0\n"
    "  exp mrt0 v16, v16, v17, v17 done compr vm\n"
    "  s_endpgm\n";

#endif
