/* `atoll replay`: run a capture and write what it drew. */
#include "emu/replay.h"
#include "isa/isa.h"
#include "tools/png.h"
#include "tools/tools.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPT_DRAWS = 256, OPT_DUMP_AFTER, OPT_SET, OPT_DUMP_MEMORY, OPT_THREADS, OPT_STRICT, OPT_STRICT_WAITS, OPT_TRACE,
       OPT_JSON, OPT_QUIET, OPT_WATCHDOG };

#define MAX_LIST 64

struct dump {
    uint64_t va, bytes;
    const char *file;
};

struct request {
    const char *capture, *out, *trace, *set[MAX_LIST];
    struct dump dump[MAX_LIST];
    unsigned sets, dumps;
    struct replay_options opt;
    bool json, dump_after, dumped, failed;
    const struct isa_target *target;
    FILE *trace_file;
};

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "where images, counters.json and report.txt go (made if need be)", 0},
    {"draws", OPT_DRAWS, "A-B", 0, "execute only draws and dispatches A to B (counted from 0)", 0},
    {"dump-after", OPT_DUMP_AFTER, "N", 0, "stop drawing after draw N and write the targets as they are then", 0},
    {"set", OPT_SET, "REG.FIELD=V", 0, "override a field (or a register) at each draw; repeatable", 0},
    {"dump-memory", OPT_DUMP_MEMORY, "VA:BYTES:FILE", 0, "write GPU memory to a file at the end; repeatable", 0},
    {"threads", OPT_THREADS, "N", 0, "host threads (default: one per processor)", 0},
    {"watchdog", OPT_WATCHDOG, "N", 0, "instructions that a wave may run before it is stopped", 0},
    {"strict", OPT_STRICT, NULL, 0, "what is not modelled is an error", 0},
    {"strict-waits", OPT_STRICT_WAITS, NULL, 0,
     "report registers that are used before their data could be there (s_waitcnt)", 0},
    {"trace", OPT_TRACE, "FILE", 0, "write every instruction of every wave to FILE", 0},
    {"json", OPT_JSON, NULL, 0, "print a summary as JSON", 0},
    {"quiet", OPT_QUIET, NULL, 0, "print nothing but errors", 0},
    {0},
};

static void parse_range(struct argp_state *state, struct request *r, const char *arg)
{
    char *end;
    unsigned long a = strtoul(arg, &end, 0), b = a;

    if (end != arg && *end == '-')
        b = strtoul(end + 1, &end, 0);
    if (end == arg || *end || b < a || b > UINT32_MAX)
        argp_error(state, "--draws takes A-B with A <= B, as in --draws 0-4; got '%s'", arg);
    r->opt.first_draw = (uint32_t)a;
    r->opt.last_draw = (uint32_t)b;
}

static void parse_dump(struct argp_state *state, struct request *r, const char *arg)
{
    struct dump *d = &r->dump[r->dumps];
    char *end;

    if (r->dumps == MAX_LIST)
        argp_error(state, "more than %d --dump-memory", MAX_LIST);
    d->va = strtoull(arg, &end, 0);
    if (*end == ':')
        d->bytes = strtoull(end + 1, &end, 0);
    if (*end != ':' || !end[1] || !d->bytes || d->bytes > UINT64_C(1) << 32)
        argp_error(state, "--dump-memory takes VA:BYTES:FILE, as in 0x100050000:262144:out.bin; got '%s'",
                   arg);
    d->file = end + 1;
    r->dumps++;
}

static unsigned long parse_number(struct argp_state *state, const char *what, const char *arg)
{
    char *end;
    unsigned long v = strtoul(arg, &end, 0);

    if (end == arg || *end || *arg == '-')
        argp_error(state, "%s takes a number; got '%s'", what, arg);
    return v;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case 'o': r->out = arg; break;
    case OPT_DRAWS: parse_range(state, r, arg); break;
    case OPT_DUMP_AFTER:
        r->dump_after = true;
        r->opt.last_draw = (uint32_t)parse_number(state, "--dump-after", arg);
        break;
    case OPT_SET:
        if (r->sets == MAX_LIST)
            argp_error(state, "more than %d --set", MAX_LIST);
        r->set[r->sets++] = arg;
        break;
    case OPT_DUMP_MEMORY: parse_dump(state, r, arg); break;
    case OPT_THREADS: r->opt.device.threads = (unsigned)parse_number(state, "--threads", arg); break;
    case OPT_WATCHDOG: r->opt.device.watchdog_insts = parse_number(state, "--watchdog", arg); break;
    case OPT_STRICT_WAITS: r->opt.device.strict_waits = 1; break;
    case OPT_STRICT: r->opt.device.strict = 1; break;
    case OPT_TRACE: r->trace = arg; break;
    case OPT_JSON: r->json = true; break;
    case OPT_QUIET: r->opt.device.quiet = 1; break;
    case ARGP_KEY_ARG:
        if (r->capture)
            argp_error(state, "one CAPTURE at a time");
        r->capture = arg;
        break;
    case ARGP_KEY_END:
        if (!r->capture)
            argp_error(state, "need a CAPTURE: a .gcap file or a raw capture folder");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static int complain(const struct err *e)
{
    fprintf(stderr, "atoll replay: %s\n", e->text);
    return -1;
}

/* ---- --set ----------------------------------------------------------------------------------- */

static int apply_set(struct atoll_gpu *gpu, const char *text, struct err *e)
{
    char reg[128], *field, *value, *end;
    const struct reg *r;
    const struct reg_field *f = NULL;
    const struct reg_enum_entry *en = NULL;
    uint64_t v, limit;
    unsigned lo = 0, hi = 31;

    snprintf(reg, sizeof reg, "%s", text);
    value = strchr(reg, '=');
    if (!value)
        return err_set(e, "--set %s: needs REG.FIELD=VALUE", text);
    *value++ = 0;
    if ((field = strchr(reg, '.')))
        *field++ = 0;
    r = regs_by_name(gpu->chip->gen, gpu->chip->ext, reg);
    if (!r)
        return err_set(e, "--set %s: %s has no register %s; `atoll regs --chip %s '*%.6s*'` lists near ones",
                       text, gpu->chip->name, reg, gpu->chip->name, reg);
    if (field && !(f = regs_field_by_name(r, field)))
        return err_set(e, "--set %s: %s has no field %s; `atoll regs %s` lists its fields", text, reg,
                       field, reg);
    if (f) {
        lo = f->lo;
        hi = f->hi;
        for (unsigned i = 0; i < f->entry_count; i++)
            if (!strcmp(f->entries[i].name, value))
                en = &f->entries[i];
    }
    limit = (UINT64_C(1) << (hi - lo + 1)) - 1;
    v = en ? en->value : strtoull(value, &end, 0);
    if (!en && (end == value || *end))
        return err_set(e, "--set %s: '%s' is neither a number nor a name of that field's enum", text,
                       value);
    if (v > limit)
        return err_set(e, "--set %s: %s has %u bits, at most %llu", text, field ? field : reg,
                       hi - lo + 1, (unsigned long long)limit);
    if (atoll_override(gpu, r->offset, (uint32_t)(limit << lo), (uint32_t)(v << lo)))
        return err_set(e, "--set %s: too many overrides", text);
    return 0;
}

/* ---- --trace --------------------------------------------------------------------------------- */

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

/* ---- images ---------------------------------------------------------------------------------- */

static uint8_t to_byte(const struct emu_target *t, uint32_t v, bool alpha)
{
    float f;

    if (t->num == MEM_UINT)
        return v > 255 ? 255 : (uint8_t)v;
    if (t->num == MEM_SINT)
        return (int32_t)v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v;
    if (t->num == MEM_SRGB && !alpha)
        return mem_f32_to_srgb(v);
    f = bits_f32(v);
    return f > 0 ? f < 1 ? (uint8_t)lrintf(f * 255) : 255 : 0;
}

/* Samples of a pixel are averaged where they are no integers: what a resolve would show. */
static uint32_t one_value(const struct emu_target *t, uint32_t (*px)[4], unsigned c)
{
    double sum = 0;

    if (t->samples == 1 || t->num == MEM_UINT || t->num == MEM_SINT)
        return px[0][c];
    for (unsigned s = 0; s < t->samples; s++)
        sum += bits_f32(px[s][c]);
    return f32_bits((float)(sum / t->samples));
}

static int write_png(const char *path, const struct emu_target *t, uint32_t (*rgba)[4], struct err *e)
{
    size_t pixels = (size_t)t->width * t->height;
    bool depth = t->kind == EMU_TARGET_DEPTH, color = t->kind == EMU_TARGET_COLOR;
    unsigned channels = color ? 4 : 1;
    uint8_t *out = malloc(pixels * 4);
    int rc;

    if (!out)
        return err_set(e, "out of memory");
    for (size_t i = 0; i < pixels; i++) {
        if (depth) {
            float z = bits_f32(one_value(t, &rgba[i * t->samples], 0));

            store_le16(out + 2 * i, z > 0 ? z < 1 ? (uint16_t)lrintf(z * 65535) : 65535 : 0);
            continue;
        }
        for (unsigned c = 0; c < channels; c++)
            out[i * channels + c] = to_byte(t, one_value(t, &rgba[i * t->samples], c), c == 3);
    }
    rc = png_write(path, t->width, t->height, channels, depth ? 16 : 8, out, e);
    free(out);
    return rc;
}

static int write_file(const char *path, const void *data, uint64_t bytes, struct err *e)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(data, 1, bytes, f) == bytes;

    if (f && fclose(f))
        ok = false;
    return ok ? 0 : err_set(e, "%s: %s", path, strerror(errno));
}

static void target_name(char *out, size_t bytes, const char *dir, const struct emu_target *t,
                        uint32_t slice, const char *ext)
{
    static const char *const kinds[] = {"color", "depth", "stencil"};
    char slot[8] = "", layer[32] = "";

    if (t->kind == EMU_TARGET_COLOR)
        snprintf(slot, sizeof slot, "%u", t->slot);
    if (slice || t->slices > 1)
        snprintf(layer, sizeof layer, "_slice%u", t->first_slice + slice);
    snprintf(out, bytes, "%s/%s%s_%llx_%ux%u_%s%s.%s", dir, kinds[t->kind], slot,
             (unsigned long long)t->va, t->width, t->height, t->format, layer, ext);
}

static int write_target(struct atoll_gpu *gpu, const struct emu_target *t, const char *dir,
                        struct err *e)
{
    const uint32_t slices = emu_target_readable(gpu, t);
    size_t n = slices ? (size_t)t->width * t->height * t->samples : 0;
    uint32_t (*rgba)[4] = malloc(n * sizeof *rgba + 16);
    uint8_t *raw = malloc(n * t->element_bytes + 16);
    char path[4096];
    int rc = rgba && raw ? 0 : err_set(e, "out of memory");

    if (slices < t->slices)
        fprintf(stderr, "atoll replay: target at 0x%llx: %u of %u slices of %ux%u are not mapped and "
                "left out\n", (unsigned long long)t->va, t->slices - slices, t->slices, t->width,
                t->height);
    for (uint32_t s = 0; s < slices && !rc; s++) {
        if ((rc = emu_target_read(gpu, t, s, rgba, raw, e)))
            break;
        target_name(path, sizeof path, dir, t, s, "png");
        if ((rc = write_png(path, t, rgba, e)))
            break;
        target_name(path, sizeof path, dir, t, s, "raw");
        rc = write_file(path, raw, n * t->element_bytes, e);
    }
    free(rgba);
    free(raw);
    return rc;
}

static int write_targets(struct request *r, struct replay *rp)
{
    struct emu_targets *ts = replay_targets(rp);
    struct err e;
    int rc = 0;

    for (unsigned i = 0; i < ts->count; i++)
        if (write_target(replay_gpu(rp), &ts->t[i], r->out, &e))
            rc = complain(&e);
    return rc;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void print_report(FILE *f, struct replay *rp, const char *outcome)
{
    static const char *const stages[REPLAY_STAGES] = {"LS", "HS", "ES", "GS", "VS", "PS", "CS"};
    const struct emu_targets *ts = replay_targets(rp);
    size_t n;
    const struct replay_draw *d = replay_draws(rp, &n);

    fprintf(f, "chip %s, %llu submissions, %zu draws and dispatches: %s\n\n", atoll_chip(replay_gpu(rp)),
            (unsigned long long)replay_submissions(rp), n, outcome);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "draw %u: %s at IB 0x%llx dword 0x%x", d[i].number, d[i].packet,
                (unsigned long long)d[i].ib_va, d[i].offset_dw);
        for (unsigned s = 0; s < REPLAY_STAGES; s++)
            if (d[i].shader_va[s])
                fprintf(f, ", %s 0x%llx", stages[s], (unsigned long long)d[i].shader_va[s]);
        for (unsigned k = 0; k < d[i].target_count; k++)
            fprintf(f, "%s%u", k ? " " : ", targets ", d[i].targets[k]);
        fputc('\n', f);
    }
    for (unsigned i = 0; i < ts->count; i++)
        fprintf(f, "target %u: %s at 0x%llx, %ux%u, %u samples, %u slices, draws %u to %u\n", i,
                ts->t[i].format, (unsigned long long)ts->t[i].va, ts->t[i].width, ts->t[i].height,
                ts->t[i].samples, ts->t[i].slices, ts->t[i].first_draw, ts->t[i].last_draw);
    fputc('\n', f);
    if (!atoll_report(replay_gpu(rp), f))
        fprintf(f, "nothing unknown, no faults\n");
}

static int write_reports(struct request *r, struct replay *rp, const char *outcome)
{
    char path[4096], *json = atoll_counters_json(replay_gpu(rp));
    struct err e;
    FILE *f;
    int rc = 0;

    snprintf(path, sizeof path, "%s/counters.json", r->out);
    if (!json || write_file(path, json, strlen(json), &e))
        rc = complain(json ? &e : &(struct err){"out of memory"});
    free(json);
    snprintf(path, sizeof path, "%s/report.txt", r->out);
    f = fopen(path, "w");
    if (!f || (print_report(f, rp, outcome), fclose(f)))
        rc = complain((err_set(&e, "%s: %s", path, strerror(errno)), &e));
    return rc;
}

static void print_json(struct replay *rp, const char *outcome, int status)
{
    const struct emu_targets *ts = replay_targets(rp);
    size_t n;
    json_t *targets = json_array(), *j;
    char *counters = atoll_counters_json(replay_gpu(rp));

    replay_draws(rp, &n);
    for (unsigned i = 0; i < ts->count; i++)
        json_array_append_new(targets, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "format",
                                                 ts->t[i].format, "va", (json_int_t)ts->t[i].va,
                                                 "width", (json_int_t)ts->t[i].width, "height",
                                                 (json_int_t)ts->t[i].height, "samples",
                                                 (json_int_t)ts->t[i].samples, "slices",
                                                 (json_int_t)ts->t[i].slices));
    j = json_pack("{s:s, s:s, s:i, s:I, s:I, s:o, s:o*}", "chip", atoll_chip(replay_gpu(rp)), "outcome",
                  outcome, "status", status, "submissions", (json_int_t)replay_submissions(rp), "draws",
                  (json_int_t)n, "targets", targets, "counters",
                  counters ? json_loads(counters, 0, NULL) : NULL);
    json_dumpf(j, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(j);
    free(counters);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void progress(void *ctx, uint64_t submissions, uint32_t draws)
{
    fprintf(stderr, "\rsubmission %llu, draw %u ", (unsigned long long)submissions, draws);
}

static void after_draw(void *ctx, struct replay *rp, uint32_t draw)
{
    struct request *r = ctx;

    if (!r->dump_after || draw != r->opt.last_draw || !r->out)
        return;
    r->dumped = true;
    if (write_targets(r, rp))
        r->failed = true;
}

static int dump_memory(struct atoll_gpu *gpu, const struct dump *d, struct err *e)
{
    void *p = calloc(1, d->bytes);
    int rc;

    if (!p)
        return err_set(e, "out of memory");
    if (atoll_read(gpu, d->va, p, d->bytes)) {
        free(p);
        return err_set(e, "--dump-memory: not all of 0x%llx + %llu is mapped",
                       (unsigned long long)d->va, (unsigned long long)d->bytes);
    }
    rc = write_file(d->file, p, d->bytes, e);
    free(p);
    return rc;
}

/* Returns the exit status. */
static int run(struct request *r, struct replay *rp)
{
    enum replay_end end;
    struct err e = {""};
    int status, bad = 0;
    const char *outcome;

    for (unsigned i = 0; i < r->sets; i++)
        if (apply_set(replay_gpu(rp), r->set[i], &e))
            return complain(&e), EXIT_USAGE;
    if (r->trace) {
        r->target = isa_target_find(replay_gpu(rp)->chip->llvm);
        r->trace_file = fopen(r->trace, "w");
        if (!r->trace_file) {
            fprintf(stderr, "atoll replay: %s: %s\n", r->trace, strerror(errno));
            return EXIT_USAGE;
        }
        atoll_on_instruction(replay_gpu(rp), on_instruction, r);
    }
    end = replay_run(rp, &e);
    if (r->opt.progress)
        fprintf(stderr, "\r\033[K");
    if (end != REPLAY_DONE)
        complain(&e);
    outcome = end == REPLAY_DONE ? "done" : e.text;
    status = end == REPLAY_DONE ? EXIT_DONE : end == REPLAY_FAULTED ? EXIT_GUEST : EXIT_USAGE;
    for (unsigned i = 0; i < r->dumps; i++)
        if (dump_memory(replay_gpu(rp), &r->dump[i], &e))
            bad = complain(&e);
    if (r->out && !r->dumped && write_targets(r, rp))
        bad = -1;
    if (r->out && write_reports(r, rp, outcome))
        bad = -1;
    if (r->trace_file && fclose(r->trace_file))
        bad = complain(&(struct err){"the trace could not be written whole"});
    if (r->json)
        print_json(rp, outcome, status);
    else if (!r->opt.device.quiet)
        print_report(stdout, rp, outcome);
    return status == EXIT_DONE && (bad || r->failed) ? EXIT_USAGE : status;
}

int cmd_replay(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "CAPTURE",
        "Run a capture (a .gcap file or a raw capture folder) and write each colour and depth target "
        "as PNG and raw, counters.json and report.txt to DIR.\v"
        "Exit status: 0 done; 1 the guest faulted or memory differs from what the capture expects; "
        "2 bad usage, or a capture that is damaged or cannot be executed.",
        NULL, NULL, NULL};
    struct request r = {.opt = {.last_draw = UINT32_MAX}};
    struct capture_reader *rd;
    struct replay *rp;
    struct err e;
    int status;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
    if (r.out && mkdir(r.out, 0777) && errno != EEXIST) {
        fprintf(stderr, "atoll replay: %s: %s\n", r.out, strerror(errno));
        return EXIT_USAGE;
    }
    r.opt.after_draw = after_draw;
    r.opt.bent = r.sets;
    r.opt.progress_ctx = &r;
    if (isatty(2) && !r.opt.device.quiet)
        r.opt.progress = progress;
    if (!(rd = capture_open_any(r.capture, &e)))
        return complain(&e), EXIT_USAGE;
    if (!(rp = replay_create(rd, &r.opt, &e))) {
        capture_close(rd);
        return complain(&e), EXIT_USAGE;
    }
    status = run(&r, rp);
    replay_destroy(rp);
    capture_close(rd);
    return status;
}
