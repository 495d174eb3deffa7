#version 450
layout(vertices = 3) out;
layout(location = 0) in vec2 corner[];
layout(location = 0) out vec2 corner_out[];
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    corner_out[gl_InvocationID] = corner[(gl_InvocationID + 1) % 3];
    gl_TessLevelOuter[gl_InvocationID] = 2.0 + float(gl_InvocationID) * 1.5 + float(gl_PrimitiveID);
    gl_TessLevelInner[0] = 4.0;
}
