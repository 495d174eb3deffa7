/* Metadata of code objects from version 3 on: msgpack. Source: LLVM's AMDGPUUsage, "Code Object V3
 * Metadata" to V5. Keys that are not asked for here are passed over, as the format wants it. */
#include "emu/codeobj_priv.h"

#include <msgpack.h>
#include <stdlib.h>

#define DEPTH_MAX 16

/* msgpack-c takes memory for as many elements as a header announces. So that a damaged header cannot
 * ask for more than the file could hold: walk over one object first. Returns its end, NULL when it
 * does not fit before `end` or is nested too deep. */
static const uint8_t *skip_object(const uint8_t *p, const uint8_t *end, unsigned depth)
{
    uint64_t n = 0, items = 0;
    unsigned size = 0; /* bytes of the count behind the first byte */
    bool counted = false;
    uint8_t t;

    if (p >= end || depth > DEPTH_MAX)
        return NULL;
    t = *p++;
    if (t < 0x80 || t >= 0xe0 || t == 0xc0 || t == 0xc2 || t == 0xc3) {
        return p; /* small integers, nil, booleans */
    } else if (t < 0x90) {
        items = 2u * (t & 15u);
    } else if (t < 0xa0) {
        items = t & 15u;
    } else if (t < 0xc0) {
        n = t & 31u;
    } else {
        switch (t) {
        case 0xc4: case 0xd9: size = 1; break;
        case 0xc5: case 0xda: size = 2; break;
        case 0xc6: case 0xdb: size = 4; break;
        case 0xc7: size = 1; n = 1; break;
        case 0xc8: size = 2; n = 1; break;
        case 0xc9: size = 4; n = 1; break;
        case 0xcc: case 0xd0: n = 1; break;
        case 0xcd: case 0xd1: n = 2; break;
        case 0xca: case 0xce: case 0xd2: n = 4; break;
        case 0xcb: case 0xcf: case 0xd3: n = 8; break;
        case 0xd4: n = 2; break;
        case 0xd5: n = 3; break;
        case 0xd6: n = 5; break;
        case 0xd7: n = 9; break;
        case 0xd8: n = 17; break;
        case 0xdc: case 0xde: size = 2; counted = true; break;
        case 0xdd: case 0xdf: size = 4; counted = true; break;
        default: return NULL;
        }
        if ((size_t)(end - p) < size)
            return NULL;
        uint64_t count = 0;
        for (unsigned i = 0; i < size; i++)
            count = count << 8 | *p++;
        if (counted)
            items = t >= 0xde ? 2 * count : count;
        else
            n += count;
    }
    if (n > (size_t)(end - p) || items > (size_t)(end - p))
        return NULL;
    p += n;
    for (; items && p; items--)
        p = skip_object(p, end, depth + 1);
    return p;
}

static bool is_key(const msgpack_object *o, const char *name)
{
    return o->type == MSGPACK_OBJECT_STR && o->via.str.size == strlen(name) &&
           !memcmp(o->via.str.ptr, name, o->via.str.size);
}

static char *string(const msgpack_object *o)
{
    return o->type == MSGPACK_OBJECT_STR ? codeobj_string(o->via.str.ptr, o->via.str.size) : NULL;
}

static uint32_t number(const msgpack_object *o)
{
    return o->type == MSGPACK_OBJECT_POSITIVE_INTEGER ? (uint32_t)MIN2(o->via.u64, UINT32_MAX) : 0;
}

static int read_arg(const msgpack_object *o, struct codeobj_arg *a, struct err *e)
{
    a->kind = CODEOBJ_KINDS;
    if (o->type != MSGPACK_OBJECT_MAP)
        return err_set(e, "metadata: an argument is no map");
    for (uint32_t i = 0; i < o->via.map.size; i++) {
        const msgpack_object *k = &o->via.map.ptr[i].key, *v = &o->via.map.ptr[i].val;

        if (is_key(k, ".offset")) {
            a->offset = number(v);
        } else if (is_key(k, ".size")) {
            a->size = number(v);
        } else if (is_key(k, ".pointee_align")) {
            a->align = number(v);
        } else if (is_key(k, ".name") && !a->name) {
            a->name = string(v);
        } else if (is_key(k, ".type_name") && !a->type) {
            a->type = string(v);
        } else if (is_key(k, ".address_space") && v->type == MSGPACK_OBJECT_STR) {
            snprintf(a->space, sizeof a->space, "%.*s", (int)MIN2(v->via.str.size, 15), v->via.str.ptr);
        } else if (is_key(k, ".value_kind") && v->type == MSGPACK_OBJECT_STR) {
            a->kind = codeobj_kind_find(v->via.str.ptr, v->via.str.size, false);
            if (a->kind == CODEOBJ_KINDS)
                return err_set(e, "metadata: an argument of unknown kind '%.*s'",
                               (int)MIN2(v->via.str.size, 100), v->via.str.ptr);
        }
    }
    return a->kind == CODEOBJ_KINDS ? err_set(e, "metadata: an argument without .value_kind") : 0;
}

static int read_args(const msgpack_object *o, struct codeobj_kernel *k, struct err *e)
{
    if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size > CODEOBJ_ARGS_MAX || k->args)
        return err_set(e, "metadata: .args is no array, or of more than %u", CODEOBJ_ARGS_MAX);
    k->args = calloc(o->via.array.size + 1, sizeof *k->args);
    if (!k->args)
        return err_set(e, "out of memory");
    for (uint32_t i = 0; i < o->via.array.size; i++)
        if (k->arg_count++, read_arg(&o->via.array.ptr[i], &k->args[i], e))
            return -1;
    return 0;
}

static int read_kernel(const msgpack_object *o, struct codeobj_meta *m, struct err *e)
{
    if (o->type != MSGPACK_OBJECT_MAP)
        return err_set(e, "metadata: a kernel is no map");
    for (uint32_t i = 0; i < o->via.map.size; i++) {
        const msgpack_object *k = &o->via.map.ptr[i].key, *v = &o->via.map.ptr[i].val;

        if (is_key(k, ".name") && !m->name)
            m->name = string(v);
        else if (is_key(k, ".symbol") && !m->symbol)
            m->symbol = string(v);
        else if (is_key(k, ".sgpr_count"))
            m->k.sgprs = number(v);
        else if (is_key(k, ".vgpr_count"))
            m->k.vgprs = number(v);
        else if (is_key(k, ".max_flat_workgroup_size"))
            m->k.max_threads = number(v);
        else if (is_key(k, ".uses_dynamic_stack"))
            m->k.dynamic_stack = v->type == MSGPACK_OBJECT_BOOLEAN && v->via.boolean;
        else if (is_key(k, ".reqd_workgroup_size") && v->type == MSGPACK_OBJECT_ARRAY)
            for (uint32_t d = 0; d < MIN2(v->via.array.size, 3); d++)
                m->k.group[d] = number(&v->via.array.ptr[d]);
        else if (is_key(k, ".wavefront_size") && number(v) != 64)
            return err_set(e, "metadata: a kernel for waves of %u work-items; GCN has 64", number(v));
        else if (is_key(k, ".args") && read_args(v, &m->k, e))
            return -1;
    }
    return 0;
}

int codeobj_read_msgpack(struct codeobj *c, const char *p, size_t n, struct err *e)
{
    msgpack_unpacked u;
    int bad = 0;

    if (!skip_object((const uint8_t *)p, (const uint8_t *)p + n, 0))
        return err_set(e, "metadata: damaged msgpack");
    msgpack_unpacked_init(&u);
    if (msgpack_unpack_next(&u, p, n, NULL) != MSGPACK_UNPACK_SUCCESS ||
        u.data.type != MSGPACK_OBJECT_MAP)
        bad = err_set(e, "metadata: no msgpack map");
    for (uint32_t i = 0; !bad && i < u.data.via.map.size; i++) {
        const msgpack_object *v = &u.data.via.map.ptr[i].val;

        if (is_key(&u.data.via.map.ptr[i].key, "amdhsa.printf") && v->type == MSGPACK_OBJECT_ARRAY)
            for (uint32_t k = 0; !bad && k < v->via.array.size; k++)
                if (v->via.array.ptr[k].type == MSGPACK_OBJECT_STR)
                    bad = codeobj_take_printf(c, v->via.array.ptr[k].via.str.ptr, v->via.array.ptr[k].via.str.size, e);
        if (!is_key(&u.data.via.map.ptr[i].key, "amdhsa.kernels"))
            continue;
        if (v->type != MSGPACK_OBJECT_ARRAY) {
            bad = err_set(e, "metadata: amdhsa.kernels is no array");
            break;
        }
        for (uint32_t k = 0; !bad && k < v->via.array.size; k++) {
            struct codeobj_meta m = {0};

            bad = read_kernel(&v->via.array.ptr[k], &m, e);
            codeobj_take_meta(c, &m);
        }
    }
    msgpack_unpacked_destroy(&u);
    return bad;
}
