#version 450
// Each triangle twice: once shrunk, once as a strip around its middle; its number and the colours of its
// neighbours show. Captured by transform feedback as well.
layout(triangles_adjacency, invocations = 2) in;
layout(triangle_strip, max_vertices = 7) out;
layout(location = 0) in vec3 colour[];
layout(location = 0, xfb_buffer = 0, xfb_offset = 16, xfb_stride = 32) out vec4 shade;
layout(xfb_buffer = 0) out gl_PerVertex { layout(xfb_offset = 0) vec4 gl_Position; };
void emit(vec4 p, vec3 c)
{
    gl_Position = p;
    shade = vec4(c, 1.0);
    EmitVertex();
}
void main()
{
    vec4 mid = (gl_in[0].gl_Position + gl_in[2].gl_Position + gl_in[4].gl_Position) / 3.0;
    vec3 id = vec3(float(gl_PrimitiveIDIn & 1), float(gl_PrimitiveIDIn >> 1 & 1), 0.5);
    if (gl_InvocationID == 0) {
        for (int i = 0; i < 6; i += 2)
            emit(mix(mid, gl_in[i].gl_Position, 0.9), mix(colour[i], colour[i + 1], 0.5));
        EndPrimitive();
        return;
    }
    for (int i = 0; i < 4; i++)
        emit(mid + vec4((i & 1) == 0 ? -0.06 : 0.06, i < 2 ? -0.06 : 0.06, 0.0, 0.0), id);
    EndPrimitive();
    for (int i = 0; i < 3; i++)
        emit(mid + vec4(i == 0 ? 0.1 : 0.16, i == 2 ? -0.1 : 0.1, 0.0, 0.0), id.bgr);
}
