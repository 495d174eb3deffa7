/* `atoll exec`: launch a kernel of a code object, or list what is in one. */
#include "emu/codeobj.h"
#include "base/chip.h"
#include "emu/gpu.h"
#include "isa/isa.h"
#include "tools/code_file.h"
#include "tools/exec_args.h"
#include "tools/tools.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

enum { OPT_KERNEL = 'k', OPT_CHIP = 'c', OPT_GRID = 'g', OPT_GROUP = 'w', OPT_ARG = 'a', OPT_LIST = 'l',
       OPT_JSON = 'j', OPT_TRACE = 256, OPT_TIMING, OPT_STACK, OPT_WATCHDOG, OPT_STRICT, OPT_STRICT_WAITS, OPT_QUIET,
       OPT_THREADS, OPT_LDS };

struct request {
    const char *file, *kernel, *chip, *trace;
    uint32_t grid[3], group[3];
    struct exec_args args;
    uint32_t stack, lds;
    char *printed; /* with --json: what the kernel's printf writes */
    size_t printed_bytes;
    struct atoll_options opt;
    bool list, json, timing;
    const struct isa_target *target;
    FILE *trace_file;
};

static const struct argp_option options[] = {
    {"kernel", OPT_KERNEL, "NAME", 0, "the kernel (default: the only one)", 0},
    {"chip", OPT_CHIP, "CHIP", 0, "chip to run on (default: the first that the code is for)", 0},
    {"grid", OPT_GRID, "X[,Y[,Z]]", 0, "work-items in each dimension", 0},
    {"group", OPT_GROUP, "X[,Y[,Z]]", 0, "work-items of a workgroup (default: what the kernel requires, or 64)", 0},
    {"arg", OPT_ARG, "ARG", 0, "the next argument: buf:IN[:OUT], zero:BYTES[:OUT], i8..i64:V, u8..u64:V, f16, "
     "f32, f64:V (V,V,... for vectors), bytes:FILE, local:BYTES", 0},
    {"list", OPT_LIST, NULL, 0, "list the kernels: arguments, registers, LDS, occupancy", 0},
    {"stack", OPT_STACK, "BYTES", 0, "stack of a work-item beyond the scratch that the kernel declares (recursion)", 0},
    {"lds", OPT_LDS, "BYTES", 0, "LDS of a workgroup beyond what the kernel declares (HIP: extern __shared__)", 0},
    {"trace", OPT_TRACE, "FILE", 0, "write every instruction of every wave to FILE (-: standard output)", 0},
    {"timing", OPT_TIMING, NULL, 0, "count cycles (not yet)", 0},
    {"watchdog", OPT_WATCHDOG, "N", 0, "instructions that a wave may run before it is stopped", 0},
    {"strict", OPT_STRICT, NULL, 0, "what is not modelled is an error", 0},
    {"strict-waits", OPT_STRICT_WAITS, NULL, 0,
     "report registers that are used before their data could be there (s_waitcnt)", 0},
    {"threads", OPT_THREADS, "N", 0, "host threads (default: one per processor); the result does not depend on it", 0},
    {"quiet", OPT_QUIET, NULL, 0, "print nothing but errors", 0},
    {"json", OPT_JSON, NULL, 0, "print JSON", 0},
    {0},
};

static uint64_t number(struct argp_state *state, const char *what, const char *arg, uint64_t max)
{
    char *end;
    unsigned long long v;

    errno = 0;
    v = strtoull(arg, &end, 0);
    if (*arg < '0' || *arg > '9' || *end || errno || v > max)
        argp_error(state, "%s takes a number up to %llu; got '%s'", what, (unsigned long long)max, arg);
    return v;
}

static void parse_size(struct argp_state *state, const char *what, const char *arg, uint32_t out[3])
{
    const char *p = arg;
    char *end;
    unsigned n = 0;

    out[0] = out[1] = out[2] = 1;
    for (;; p = end + 1) {
        unsigned long long v = strtoull(p, &end, 0);

        if (n == 3 || *p < '0' || *p > '9' || (*end && *end != ',') || !v || v > UINT32_MAX)
            argp_error(state, "%s takes up to three sizes, as in %s 64,4,1; got '%s'", what, what, arg);
        out[n++] = (uint32_t)v;
        if (!*end)
            return;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    struct err e;

    switch (key) {
    case OPT_KERNEL: r->kernel = arg; break;
    case OPT_CHIP: r->chip = arg; break;
    case OPT_GRID: parse_size(state, "--grid", arg, r->grid); break;
    case OPT_GROUP: parse_size(state, "--group", arg, r->group); break;
    case OPT_ARG:
        if (exec_args_add(&r->args, arg, &e))
            argp_error(state, "--arg %s: %s", arg, e.text);
        break;
    case OPT_LIST: r->list = true; break;
    case OPT_JSON: r->json = true; break;
    case OPT_STACK: r->stack = (uint32_t)number(state, "--stack", arg, 1 << 20); break;
    case OPT_LDS: r->lds = (uint32_t)number(state, "--lds", arg, 1 << 20); break;
    case OPT_TRACE: r->trace = arg; break;
    case OPT_TIMING: r->timing = true; break;
    case OPT_WATCHDOG: r->opt.watchdog_insts = number(state, "--watchdog", arg, UINT64_MAX); break;
    case OPT_STRICT_WAITS: r->opt.strict_waits = 1; break;
    case OPT_STRICT: r->opt.strict = 1; break;
    case OPT_QUIET: r->opt.quiet = 1; break;
    case OPT_THREADS: r->opt.threads = (unsigned)number(state, "--threads", arg, 1024); break;
    case ARGP_KEY_ARG:
        if (!r->file)
            r->file = arg;
        else if (!r->kernel)
            r->kernel = arg;
        else
            argp_error(state, "unexpected argument '%s'", arg);
        break;
    case ARGP_KEY_END:
        if (!r->file)
            argp_error(state, "need an ELF file");
        if (!r->list && !r->grid[0])
            argp_error(state, "need --grid (or --list)");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static int complain(const char *file, const char *text)
{
    fprintf(stderr, "atoll exec: %s: %s\n", file, text);
    return EXIT_USAGE;
}

/* ---- --list ------------------------------------------------------------------------- */

/* The size of groups for which occupancy is said. */
static unsigned group_threads(const struct request *r, const struct codeobj_kernel *k)
{
    if (k->group[0])
        return k->group[0] * MAX2(k->group[1], 1) * MAX2(k->group[2], 1);
    if (r->group[0])
        return r->group[0] * r->group[1] * r->group[2];
    return 64;
}

/* What the descriptor asks for, then in granules of the chip. Unknown processors: occupancy 0. */
static struct atoll_occupancy kernel_occupancy(const struct request *r, const struct codeobj *c,
                                               const struct codeobj_kernel *k)
{
    const struct atoll_occupancy_need need = {4 * (bits(k->rsrc1, 0, 5) + 1), 8 * (bits(k->rsrc1, 6, 9) + 1),
                                              k->lds_bytes, group_threads(r, k)};
    struct atoll_occupancy o = {0};

    if (atoll_occupancy(codeobj_processor(c), &need, &o)) {
        o.limited_by = "unknown";
        o.vgprs = need.vgprs;
        o.sgprs = need.sgprs;
    }
    return o;
}

static json_t *json_text(const char *s)
{
    json_t *j = s ? json_string(s) : NULL;

    return j ? j : json_null();
}

static json_t *json_kernel(const struct request *r, const struct codeobj *c, const struct codeobj_kernel *k)
{
    const struct atoll_occupancy o = kernel_occupancy(r, c, k);
    json_t *args = json_array(), *j;

    for (unsigned i = 0; i < k->arg_count; i++)
        json_array_append_new(args, json_pack("{s:o, s:o, s:i, s:i, s:s, s:s}", "name",
                                              json_text(k->args[i].name), "type",
                                              json_text(k->args[i].type), "offset", (int)k->args[i].offset,
                                              "size", (int)k->args[i].size, "kind",
                                              codeobj_kind_name(k->args[i].kind), "address_space",
                                              k->args[i].space));
    j = json_pack("{s:o, s:o, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:i, s:[i,i,i], s:{s:i, s:i, s:i, "
                  "s:i, s:s}}",
                  "name", json_text(k->name), "arguments", args, "has_metadata", k->has_args, "vgprs",
                  (int)o.vgprs, "sgprs", (int)o.sgprs, "vgpr_count", (int)k->vgprs, "sgpr_count",
                  (int)k->sgprs, "lds_bytes", (int)k->lds_bytes, "private_bytes", (int)k->private_bytes,
                  "kernarg_bytes", (int)k->kernarg_bytes, "dynamic_stack", k->dynamic_stack,
                  "max_group_threads", (int)k->max_threads, "required_group", (int)k->group[0],
                  (int)k->group[1], (int)k->group[2], "occupancy", "group_threads",
                  (int)group_threads(r, k), "waves_per_simd", (int)o.waves_per_simd, "waves_per_cu",
                  (int)o.waves_per_cu, "groups_per_cu", (int)o.groups_per_cu, "limited_by", o.limited_by);
    return j ? j : json_null();
}

static void print_kernel(const struct request *r, const struct codeobj *c, const struct codeobj_kernel *k)
{
    const struct atoll_occupancy o = kernel_occupancy(r, c, k);

    printf("\n%s\n  %u VGPRs, %u SGPRs, %u bytes of LDS, %u of scratch%s, %u of arguments\n", k->name,
           o.vgprs, o.sgprs, k->lds_bytes, k->private_bytes,
           k->dynamic_stack ? " and a stack of unknown size" : "", k->kernarg_bytes);
    if (k->group[0])
        printf("  groups of %u x %u x %u\n", k->group[0], k->group[1], k->group[2]);
    else if (k->max_threads)
        printf("  groups of up to %u\n", k->max_threads);
    if (o.waves_per_group)
        printf("  occupancy in groups of %u: %u waves per SIMD, %u per CU, limited by %s\n",
               group_threads(r, k), o.waves_per_simd, o.waves_per_cu, o.limited_by);
    if (!k->has_args)
        printf("  no metadata: arguments are not known\n");
    for (unsigned i = 0; i < k->arg_count; i++) {
        const struct codeobj_arg *a = &k->args[i];

        if (codeobj_kind_explicit(a->kind))
            printf("  %4u +%-3u %-22s %-8s %s %s\n", a->offset, a->size, codeobj_kind_name(a->kind),
                   a->space, a->type ? a->type : "", a->name ? a->name : "");
        else
            printf("  %4u +%-3u %s\n", a->offset, a->size, codeobj_kind_name(a->kind));
    }
}

static int list(const struct request *r, const struct codeobj *c)
{
    const struct codeobj_kernel *k;

    if (r->json) {
        json_t *kernels = json_array(), *root;

        for (unsigned i = 0; (k = codeobj_kernel(c, i)); i++)
            if (!r->kernel || !strcmp(r->kernel, k->name))
                json_array_append_new(kernels, json_kernel(r, c, k));
        root = json_pack("{s:i, s:s, s:b, s:o}", "version", (int)codeobj_version(c), "processor",
                         codeobj_processor(c), "relocatable", codeobj_relocatable(c), "kernels", kernels);
        json_dumpf(root, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(root);
        return EXIT_DONE;
    }
    printf("%s: code object version %u for %s, %s\n", r->file, codeobj_version(c), codeobj_processor(c),
           codeobj_relocatable(c) ? "relocatable" : "linked");
    for (unsigned i = 0; (k = codeobj_kernel(c, i)); i++)
        if (!r->kernel || !strcmp(r->kernel, k->name))
            print_kernel(r, c, k);
    if (!codeobj_kernel(c, 0))
        printf("no kernels\n");
    return EXIT_DONE;
}

/* ---- running ------------------------------------------------------------------------ */

static void on_instruction(void *ctx, struct wave *w, uint64_t pc_va, int after)
{
    struct request *r = ctx;
    uint32_t code[3] = {0};
    struct insn in;
    char text[256] = "?";
    size_t ndw = 3;

    if (after)
        return;
    while (ndw && !mem_ptr(w->vm, pc_va, 4 * ndw, MEM_R))
        ndw--;
    if (ndw)
        memcpy(code, mem_ptr(w->vm, pc_va, 4 * ndw, MEM_R), 4 * ndw);
    if (isa_decode(r->target, code, ndw, &in) > 0)
        isa_print(r->target, &in, text, sizeof text);
    fprintf(r->trace_file, "wave %u pc 0x%llx exec %016llx  %s\n", w->id, (unsigned long long)pc_va,
            (unsigned long long)wave_exec(w), text);
}

/* The chip asked for, or the first of the processor. NULL after a complaint. */
static const struct chip *pick_chip(const struct request *r, const struct codeobj *c)
{
    char text[200];

    if (r->chip) {
        if (!chip_find(r->chip)) {
            snprintf(text, sizeof text, "no chip '%.100s'", r->chip);
            complain(r->file, text);
        }
        return chip_find(r->chip);
    }
    for (unsigned i = 0; chip_list(i); i++)
        if (!strcmp(chip_list(i)->llvm, codeobj_processor(c)))
            return chip_list(i);
    snprintf(text, sizeof text, "compiled for %s: no chip has that processor", codeobj_processor(c));
    complain(r->file, text);
    return NULL;
}

static const char *pick_kernel(const struct request *r, const struct codeobj *c)
{
    char text[1024];
    size_t n;

    if (r->kernel && codeobj_find(c, r->kernel))
        return r->kernel;
    if (!r->kernel && codeobj_kernel(c, 0) && !codeobj_kernel(c, 1))
        return codeobj_kernel(c, 0)->name;
    if (r->kernel)
        n = (size_t)snprintf(text, sizeof text, "no kernel '%.200s'; there ", r->kernel);
    else
        n = (size_t)snprintf(text, sizeof text, "which kernel? there ");
    n += (size_t)snprintf(text + n, sizeof text - n, codeobj_kernel(c, 0) ? "are:" : "is none");
    for (unsigned i = 0; codeobj_kernel(c, i) && n < sizeof text - 1; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, " %s", codeobj_kernel(c, i)->name);
    complain(r->file, text);
    return NULL;
}

static void print_result(const struct request *r, const struct atoll_gpu *gpu,
                         const struct atoll_kernel_launch *l, int result)
{
    char *counters = atoll_counters_json(gpu);
    uint64_t groups = 1, items = 1;

    for (unsigned i = 0; i < 3; i++) {
        groups *= (l->grid[i] + (uint64_t)l->group[i] - 1) / l->group[i];
        items *= l->grid[i];
    }
    if (r->json) {
        json_t *root = json_pack(
            "{s:s, s:s, s:[I,I,I], s:[I,I,I], s:I, s:I, s:b, s:o}", "kernel", l->kernel, "chip",
            atoll_chip(gpu), "grid", (json_int_t)l->grid[0], (json_int_t)l->grid[1],
            (json_int_t)l->grid[2], "group", (json_int_t)l->group[0], (json_int_t)l->group[1],
            (json_int_t)l->group[2], "workgroups", (json_int_t)groups, "work_items", (json_int_t)items,
            "faulted", result != 0, "fault", result ? json_text(atoll_error(gpu)) : json_null());
        json_t *c = counters ? json_loads(counters, 0, NULL) : NULL;

        if (r->printed) {
            json_t *text = json_stringn(r->printed, r->printed_bytes); /* NULL when it is not UTF-8 */

            json_object_set_new(root, "printf", text ? text : json_null());
        }
        json_object_set_new(root, "counters", c ? c : json_null());
        json_dumpf(root, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(root);
    } else if (!r->opt.quiet) {
        printf("%s on %s: %llu work-items in %llu groups%s\n", l->kernel, atoll_chip(gpu),
               (unsigned long long)items, (unsigned long long)groups, result ? ": faulted" : "");
    }
    free(counters);
}

/* Text of the kernel's printf: into the JSON, or to standard output. */
static void on_print(void *ctx, const char *text, size_t n)
{
    struct request *r = ctx;
    char *all = r->json ? realloc(r->printed, r->printed_bytes + n + 1) : NULL;

    if (!r->json)
        fwrite(text, 1, n, stdout);
    if (!all)
        return;
    memcpy(all + r->printed_bytes, text, n);
    r->printed = all;
    r->printed_bytes += n;
}

static int run_on(struct request *r, struct atoll_gpu *gpu, struct atoll_module *m, const char *kernel)
{
    struct atoll_kernel_launch l = {.kernel = kernel, .stack_bytes = r->stack, .lds_bytes = r->lds,
                                    .print = on_print, .print_ctx = r};
    struct err e;
    int result, bad;

    memcpy(l.grid, r->grid, sizeof l.grid);
    memcpy(l.group, r->group, sizeof l.group);
    if (exec_args_place(&r->args, gpu, &e))
        return complain(r->file, e.text);
    l.args = r->args.value;
    l.arg_count = r->args.count;
    result = atoll_module_launch(m, &l);
    if (result < 0)
        return complain(r->file, atoll_error(gpu));
    if (result)
        fprintf(stderr, "atoll exec: %s: %s\n", r->file, atoll_error(gpu));
    bad = exec_args_write(&r->args, gpu, &e);
    if (bad)
        complain(r->file, e.text);
    if (!r->opt.quiet || result)
        atoll_report(gpu, stderr);
    print_result(r, gpu, &l, result);
    return bad ? EXIT_USAGE : result ? EXIT_GUEST : EXIT_DONE;
}

static int run(struct request *r, const struct codeobj *c, const void *elf, size_t bytes)
{
    const struct chip *chip = pick_chip(r, c);
    const char *kernel = chip ? pick_kernel(r, c) : NULL;
    struct atoll_gpu *gpu;
    struct atoll_module *m;
    int result;

    if (!kernel)
        return EXIT_USAGE;
    if (r->timing)
        fprintf(stderr, "atoll exec: --timing: there is no timing model yet; the run is functional, and no "
                "cycles are counted\n");
    if (!r->group[0]) {
        const struct codeobj_kernel *k = codeobj_find(c, kernel);

        for (unsigned i = 0; i < 3; i++)
            r->group[i] = k->group[i] ? k->group[i] : i ? 1 : 64;
    }
    gpu = atoll_gpu_create(chip->name, &r->opt);
    if (!gpu)
        return complain(r->file, "out of memory");
    m = atoll_module_load(gpu, elf, bytes);
    if (!m) {
        result = complain(r->file, atoll_error(gpu));
    } else {
        r->target = isa_target_find(chip->llvm);
        if (r->trace_file)
            atoll_on_instruction(gpu, on_instruction, r);
        result = run_on(r, gpu, m, kernel);
    }
    atoll_module_unload(m);
    atoll_gpu_destroy(gpu);
    return result;
}

/* The code object of the file; of a bundle, the one for the chip asked for, or the first. */
static struct codeobj *parse_file(const struct request *r, const char *elf, size_t bytes, struct err *e)
{
    const struct chip *chip = r->chip ? chip_find(r->chip) : NULL;
    size_t at, size;
    int bundled = codeobj_unbundle(elf, bytes, chip ? chip->llvm : NULL, &at, &size, e);

    if (bundled < 0)
        return NULL;
    return bundled ? codeobj_parse(elf + at, size, e) : codeobj_parse(elf, bytes, e);
}

int cmd_exec(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "ELF [KERNEL]",
                                     "Launch a kernel of a code object (ELF for amdhsa), or list its "
                                     "kernels.", NULL, NULL, NULL};
    struct request r = {0};
    struct codeobj *c;
    struct err e;
    size_t bytes;
    char *elf;
    int result;

    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &r);
    elf = file_read_all(r.file, &bytes, &e);
    if (!elf) {
        fprintf(stderr, "atoll exec: %s\n", e.text);
        return EXIT_USAGE;
    }
    c = parse_file(&r, elf, bytes, &e);
    if (!c) {
        free(elf);
        return complain(r.file, e.text);
    }
    if (r.trace && !r.list) {
        r.trace_file = strcmp(r.trace, "-") ? fopen(r.trace, "w") : stdout;
        if (!r.trace_file) {
            codeobj_free(c);
            free(elf);
            return complain(r.trace, strerror(errno));
        }
    }
    result = r.list ? list(&r, c) : run(&r, c, elf, bytes);
    if (r.trace_file && r.trace_file != stdout && fclose(r.trace_file))
        result = complain(r.trace, "the trace could not be written whole");
    exec_args_free(&r.args);
    free(r.printed);
    codeobj_free(c);
    free(elf);
    return result;
}
