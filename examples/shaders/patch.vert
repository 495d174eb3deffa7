#version 450
layout(location = 0) out vec2 corner;
void main()
{
    corner = vec2(float(gl_VertexIndex & 1), float(gl_VertexIndex >> 1 & 1));
    gl_Position = vec4(corner * 1.7 - 0.85, 0.5, 1.0);
}
