#version 450
layout(location = 0) out vec3 color;

void main()
{
    const vec2 at[3] = vec2[3](vec2(0.0, -0.75), vec2(0.75, 0.75), vec2(-0.75, 0.75));
    const vec3 of[3] = vec3[3](vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1));
    gl_Position = vec4(at[gl_VertexIndex], 0.5, 1.0);
    color = of[gl_VertexIndex];
}
