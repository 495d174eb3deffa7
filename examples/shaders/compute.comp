#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint a[]; };
layout(binding = 1) writeonly buffer Out { uint b[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    b[i] = 3 * i + a[i];
}
