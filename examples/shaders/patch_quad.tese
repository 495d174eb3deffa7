#version 450
layout(quads, fractional_odd_spacing, cw) in;
layout(location = 0) in vec2 corner[];
layout(location = 1) patch in float bend;
layout(location = 0) out vec4 shade;
void main()
{
    vec2 at = gl_TessCoord.xy;
    vec4 a = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, at.x);
    vec4 b = mix(gl_in[2].gl_Position, gl_in[3].gl_Position, at.x);
    gl_Position = mix(a, b, at.y);
    gl_Position.y += bend * at.x * (1.0 - at.x);
    // A point more or less inside shows as another colour.
    shade = vec4(fract(at.x * 7.0), fract(at.y * 5.0), mix(corner[0], corner[3], at).x, 1.0);
}
