#version 450
layout(vertices = 4) out;
layout(location = 0) in vec2 corner[];
layout(location = 0) out vec2 corner_out[];
layout(location = 1) patch out float bend;
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    corner_out[gl_InvocationID] = corner[gl_InvocationID];
    barrier();
    if (gl_InvocationID == 0) {
        bend = 0.15 + 0.1 * corner_out[3].y;
        gl_TessLevelOuter = float[4](3.0, 4.7, 2.0, 6.3);
        gl_TessLevelInner = float[2](3.5, 5.0);
    }
}
