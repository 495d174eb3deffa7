/* Every kind of conversion, for the fuzz target and check-codeobj.sh: see make.sh. */
global char *__printf_alloc(uint bytes)
{
    global char *p = (global char *)((constant ulong *)__builtin_amdgcn_implicitarg_ptr())[SLOT];
    uint at = *(global uint *)p;

    *(global uint *)p = at + bytes;
    return p + 8 + at;
}

constant int values[4] = { 17, 24, 29, 36 };

kernel void first(global int *o, int a, local int *l)
{
    int i = __builtin_amdgcn_workitem_id_x();

    o[i] = values[i & 3];
    if (!i) {
        printf("%d %-8.3i|%+u %#o %x %X %c|%s|%%\n", a, i, a, a, a, a, 'x', "text");
        printf("%10.3f %e %G %a %p %v4d %v3hlx %v16hhu %ld\n", 1.5f, 2.5, 1e10, 0.1f, o, (int4)(a), (uint3)(1, 2, a),
               (uchar16)(a), (long)a << 40);
    }
}
