#version 450
// One sample for each invocation: which image and which operation come as push constants.
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { int image; int op; int count; };
struct Input { vec4 coord; vec4 ddx; vec4 ddy; }; // ddx.w: level of detail; ddy.w: reference
layout(std430, binding = 0) readonly buffer In { Input in_[]; };
layout(std430, binding = 1) writeonly buffer Out { vec4 out_[]; };
layout(binding = 2) uniform sampler1D t1;
layout(binding = 3) uniform sampler1DArray t1a;
layout(binding = 4) uniform sampler2D t2;
layout(binding = 5) uniform sampler2DArray t2a;
layout(binding = 6) uniform sampler3D t3;
layout(binding = 7) uniform samplerCube tc;
layout(binding = 8) uniform samplerCubeArray tca;
layout(binding = 9) uniform usampler2D tu;
layout(binding = 10) uniform isampler2D ti;
layout(binding = 11) uniform sampler2DShadow ts;
layout(binding = 12) uniform samplerCubeShadow tcs;

void main()
{
    int i = int(gl_GlobalInvocationID.x);
    if (i >= count)
        return;
    vec4 c = in_[i].coord, dx = in_[i].ddx, dy = in_[i].ddy;
    float lod = dx.w, ref = dy.w;
    ivec4 ic = ivec4(c);
    int il = int(lod);
    vec4 r = vec4(-1);

    switch (16 * op + image) {
    // 0: texelFetch
    case 0: r = texelFetch(t1, ic.x, il); break;
    case 1: r = texelFetch(t1a, ic.xy, il); break;
    case 2: r = texelFetch(t2, ic.xy, il); break;
    case 3: r = texelFetch(t2a, ic.xyz, il); break;
    case 4: r = texelFetch(t3, ic.xyz, il); break;
    case 7: r = uintBitsToFloat(texelFetch(tu, ic.xy, il)); break;
    case 8: r = intBitsToFloat(texelFetch(ti, ic.xy, il)); break;
    // 1: textureLod
    case 16: r = textureLod(t1, c.x, lod); break;
    case 17: r = textureLod(t1a, c.xy, lod); break;
    case 18: r = textureLod(t2, c.xy, lod); break;
    case 19: r = textureLod(t2a, c.xyz, lod); break;
    case 20: r = textureLod(t3, c.xyz, lod); break;
    case 21: r = textureLod(tc, c.xyz, lod); break;
    case 22: r = textureLod(tca, c, lod); break;
    case 23: r = uintBitsToFloat(textureLod(tu, c.xy, lod)); break;
    case 24: r = intBitsToFloat(textureLod(ti, c.xy, lod)); break;
    case 25: r = vec4(textureLod(ts, vec3(c.xy, ref), lod)); break;
    case 26: r = vec4(textureGrad(tcs, vec4(c.xyz, ref), vec3(0), vec3(0))); break;
    // 2: textureGrad
    case 32: r = textureGrad(t1, c.x, dx.x, dy.x); break;
    case 34: r = textureGrad(t2, c.xy, dx.xy, dy.xy); break;
    case 35: r = textureGrad(t2a, c.xyz, dx.xy, dy.xy); break;
    case 36: r = textureGrad(t3, c.xyz, dx.xyz, dy.xyz); break;
    // 3: textureGather
    case 50: r = textureGather(t2, c.xy, 0); break;
    case 51: r = textureGather(t2a, c.xyz, 1); break;
    case 53: r = textureGather(tc, c.xyz, 2); break;
    case 54: r = textureGather(tca, c, 3); break;
    case 55: r = uintBitsToFloat(textureGather(tu, c.xy, 1)); break;
    case 56: r = intBitsToFloat(textureGather(ti, c.xy, 2)); break;
    case 57: r = textureGather(ts, c.xy, ref); break;
    // 4: with offsets
    case 66: r = textureLodOffset(t2, c.xy, lod, ivec2(-3, 5)); break;
    case 68: r = textureLodOffset(t3, c.xyz, lod, ivec3(2, -1, -4)); break;
    case 73: r = vec4(textureLodOffset(ts, vec3(c.xy, ref), 0, ivec2(-3, 5))); break;
    // 5: gathers with offsets
    case 82: r = textureGatherOffset(t2, c.xy, ivec2(-8, 7), 1); break;
    case 87: r = uintBitsToFloat(textureGatherOffset(tu, c.xy, ivec2(4, -3), 3)); break;
    // 6: sizes and levels
    case 96: r = vec4(textureSize(t1, il), 0, 0, textureQueryLevels(t1)); break;
    case 97: r = vec4(textureSize(t1a, il), 0, textureQueryLevels(t1a)); break;
    case 98: r = vec4(textureSize(t2, il), 0, textureQueryLevels(t2)); break;
    case 99: r = vec4(textureSize(t2a, il), textureQueryLevels(t2a)); break;
    case 100: r = vec4(textureSize(t3, il), textureQueryLevels(t3)); break;
    case 101: r = vec4(textureSize(tc, il), 0, textureQueryLevels(tc)); break;
    case 102: r = vec4(textureSize(tca, il), textureQueryLevels(tca)); break;
    }
    out_[i] = r;
}
