#version 450
// Each triangle of the tessellator, shrunk.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec3 bary[];
layout(location = 0) out vec4 shade;
void main()
{
    vec4 mid = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
    for (int i = 0; i < 3; i++) {
        gl_Position = mix(mid, gl_in[i].gl_Position, 0.8);
        shade = vec4(bary[i], 1.0);
        EmitVertex();
    }
}
