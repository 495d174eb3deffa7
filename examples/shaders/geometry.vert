#version 450
// A fan's rim as a strip of triangles with adjacency: 12 vertices, four triangles.
layout(location = 0) out vec3 colour;
void main()
{
    float i = float(gl_VertexIndex / 2);
    bool inner = (gl_VertexIndex & 1) == 1;
    vec2 at = vec2(-0.85 + 0.34 * i, (gl_VertexIndex / 2 & 1) == 0 ? -0.6 : 0.6);
    gl_Position = vec4(inner ? at * 0.5 : at, 0.25, 1.0);
    colour = vec3(i / 5.0, inner ? 1.0 : 0.25, 1.0 - i / 5.0);
}
