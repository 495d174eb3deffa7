/* Metadata of code objects of version 2: YAML. Source: LLVM's AMDGPUUsage, "Code Object V2 Metadata".
 * Arguments have no offsets there: each lies at the next multiple of its alignment. */
#include "emu/codeobj_priv.h"

#include <stdlib.h>
#include <yaml.h>

/* Value of a key in a mapping; NULL when `m` is no mapping or has no such key. */
static yaml_node_t *get(yaml_document_t *d, const yaml_node_t *m, const char *key)
{
    if (!m || m->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = m->data.mapping.pairs.start; p < m->data.mapping.pairs.top; p++) {
        const yaml_node_t *k = yaml_document_get_node(d, p->key);

        if (k && k->type == YAML_SCALAR_NODE && k->data.scalar.length == strlen(key) &&
            !memcmp(k->data.scalar.value, key, k->data.scalar.length))
            return yaml_document_get_node(d, p->value);
    }
    return NULL;
}

static char *string(const yaml_node_t *n)
{
    return n && n->type == YAML_SCALAR_NODE
               ? codeobj_string((const char *)n->data.scalar.value, n->data.scalar.length) : NULL;
}

static uint32_t number(const yaml_node_t *n)
{
    return n && n->type == YAML_SCALAR_NODE
               ? (uint32_t)strtoul((const char *)n->data.scalar.value, NULL, 0) : 0;
}

/* Item i of a sequence; NULL past its end. */
static yaml_node_t *item(yaml_document_t *d, const yaml_node_t *s, size_t i)
{
    if (!s || s->type != YAML_SEQUENCE_NODE ||
        i >= (size_t)(s->data.sequence.items.top - s->data.sequence.items.start))
        return NULL;
    return yaml_document_get_node(d, s->data.sequence.items.start[i]);
}

static int read_args(yaml_document_t *d, const yaml_node_t *list, struct codeobj_kernel *k,
                     struct err *e)
{
    uint64_t at = 0;
    yaml_node_t *n;

    if (!list)
        return 0;
    k->args = calloc(CODEOBJ_ARGS_MAX, sizeof *k->args);
    if (!k->args)
        return err_set(e, "out of memory");
    for (size_t i = 0; (n = item(d, list, i)); i++) {
        const yaml_node_t *kind = get(d, n, "ValueKind"), *space = get(d, n, "AddrSpaceQual");
        uint32_t align = number(get(d, n, "Align"));
        struct codeobj_arg *a = &k->args[i];

        if (i == CODEOBJ_ARGS_MAX)
            return err_set(e, "metadata: more than %u arguments", CODEOBJ_ARGS_MAX);
        k->arg_count++;
        a->kind = kind && kind->type == YAML_SCALAR_NODE
                      ? codeobj_kind_find((const char *)kind->data.scalar.value, kind->data.scalar.length,
                                          true) : CODEOBJ_KINDS;
        if (a->kind == CODEOBJ_KINDS)
            return err_set(e, "metadata: an argument of unknown kind");
        a->name = string(get(d, n, "Name"));
        a->type = string(get(d, n, "TypeName"));
        a->size = number(get(d, n, "Size"));
        a->align = number(get(d, n, "PointeeAlign"));
        if (!align || align > CODEOBJ_ALIGN || (align & (align - 1)))
            return err_set(e, "metadata: an argument with an alignment of %u", align);
        if (space && space->type == YAML_SCALAR_NODE) {
            snprintf(a->space, sizeof a->space, "%.15s", (const char *)space->data.scalar.value);
            if (a->space[0] >= 'A' && a->space[0] <= 'Z')
                a->space[0] += 'a' - 'A';
        }
        at = align_up(at, align);
        if (at + a->size > UINT32_MAX)
            return err_set(e, "metadata: arguments of more than 4 GiB");
        a->offset = (uint32_t)at;
        at += a->size;
    }
    return 0;
}

int codeobj_read_yaml(struct codeobj *c, const char *p, size_t n, struct err *e)
{
    yaml_parser_t parser;
    yaml_document_t d;
    yaml_node_t *kernels, *k;
    int bad = 0;

    if (!yaml_parser_initialize(&parser))
        return err_set(e, "out of memory");
    while (n && !p[n - 1])
        n--; /* the note is padded */
    yaml_parser_set_input_string(&parser, (const unsigned char *)p, n);
    if (!yaml_parser_load(&parser, &d)) {
        err_set(e, "metadata: damaged YAML: %s", parser.problem ? parser.problem : "no reason given");
        yaml_parser_delete(&parser);
        return -1;
    }
    for (size_t i = 0; !bad && (k = item(&d, get(&d, yaml_document_get_root_node(&d), "Printf"), i)); i++)
        if (k->type == YAML_SCALAR_NODE)
            bad = codeobj_take_printf(c, (const char *)k->data.scalar.value, k->data.scalar.length, e);
    kernels = get(&d, yaml_document_get_root_node(&d), "Kernels");
    for (size_t i = 0; !bad && (k = item(&d, kernels, i)); i++) {
        const yaml_node_t *props = get(&d, k, "CodeProps"), *attrs = get(&d, k, "Attrs");
        const yaml_node_t *group = get(&d, attrs, "ReqdWorkGroupSize");
        struct codeobj_meta m = {
            .name = string(get(&d, k, "Name")),
            .symbol = string(get(&d, k, "SymbolName")),
            .k.max_threads = number(get(&d, props, "MaxFlatWorkGroupSize")),
            .k.sgprs = number(get(&d, props, "NumSGPRs")),
            .k.vgprs = number(get(&d, props, "NumVGPRs")),
        };

        for (unsigned x = 0; x < 3; x++)
            m.k.group[x] = number(item(&d, group, x));
        bad = read_args(&d, get(&d, k, "Args"), &m.k, e);
        codeobj_take_meta(c, &m);
    }
    yaml_document_delete(&d);
    yaml_parser_delete(&parser);
    return bad;
}
