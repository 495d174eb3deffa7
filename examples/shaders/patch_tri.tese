#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location = 0) in vec2 corner[];
layout(location = 0) out vec3 bary;
void main()
{
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                  gl_TessCoord.z * gl_in[2].gl_Position;
    bary = gl_TessCoord;
    bary.z *= corner[0].x + 0.5;
}
