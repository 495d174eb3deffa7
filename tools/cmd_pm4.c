/* `atoll pm4`: print the packets of indirect buffers, of a file or of every submission of a capture,
 * and of the buffers that they call or chain to. Executes nothing. */
#include "base/chip.h"
#include "emu/gpu.h"
#include "pm4/pm4.h"
#include "tools/capture_memory.h"
#include "tools/code_file.h"
#include "tools/pm4_shaders.h"
#include "tools/tools.h"

#include <argp.h>
#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEST_MAX    8    /* hardware has two levels of indirect buffers */
#define BUFFERS_MAX 4096 /* buffers followed from one submission: an end for exponential nests */

struct print {
    const char *file;
    const char *chip_arg;
    bool json, registers, all_fields, dma, shaders, color;

    enum gfx gen;
    unsigned ext;
    char chip[CAPTURE_TEXT_MAX + 1]; /* as found; "" until then */
    const struct capture_memory_state *memory; /* NULL for a raw file */
    int (*next)(struct pm4_walker *w, struct pm4_packet *out, struct err *e); /* of the ring */
    unsigned followed;     /* buffers of this submission so far */
    struct pm4_shaders found; /* --shaders */
    json_t *register_list; /* --registers --json */
    bool bad;              /* something did not parse */
};

/* The buffers being printed, innermost first: what a loop would come back to. */
struct path {
    uint64_t va;
    const struct path *outer;
};

enum { OPT_ALL = 'a', OPT_CHIP = 'c', OPT_DMA = 'd', OPT_JSON = 'j', OPT_REGISTERS = 'r', OPT_SHADERS = 's' };

static const struct argp_option options[] = {
    {"chip", OPT_CHIP, "CHIP", 0, "chip or generation (gfx6..gfx9); default: the capture's, or bonaire", 0},
    {"registers", OPT_REGISTERS, NULL, 0, "only the register writes, as NAME = VALUE", 0},
    {"shaders", OPT_SHADERS, NULL, 0, "disassemble the shaders, after each submission", 0},
    {"dma", OPT_DMA, NULL, 0, "the packets of a DMA engine (of a capture, the ring says it)", 0},
    {"all-fields", OPT_ALL, NULL, 0, "also the fields that are 0", 0},
    {"json", OPT_JSON, NULL, 0, "print JSON", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct print *pr = state->input;

    switch (key) {
    case OPT_ALL: pr->all_fields = true; break;
    case OPT_CHIP: pr->chip_arg = arg; break;
    case OPT_DMA: pr->dma = true; break;
    case OPT_JSON: pr->json = true; break;
    case OPT_REGISTERS: pr->registers = true; break;
    case OPT_SHADERS: pr->shaders = true; break;
    case ARGP_KEY_ARG:
        if (pr->file)
            argp_error(state, "one file at a time");
        pr->file = arg;
        break;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which file?"); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *field_json(const struct pm4_item_field *f)
{
    json_t *o = json_pack("{s:s, s:I}", "name", f->name, "value", (json_int_t)f->value);
    if (f->text)
        json_object_set_new(o, "enum", json_string(f->text));
    return o;
}

static json_t *fields_json(const struct print *pr, const struct pm4_item *it)
{
    json_t *list = json_array();
    struct pm4_item_field f;

    for (unsigned n = 0; pm4_item_field(pr->gen, pr->ext, it, n, &f); n++)
        json_array_append_new(list, field_json(&f));
    return list;
}

static json_t *dword_json(const struct print *pr, const struct pm4_packet *p, uint32_t i)
{
    struct pm4_item it;
    uint32_t offset;

    pm4_item(pr->gen, pr->ext, p, i, &it);
    json_t *o = json_pack("{s:I}", "value", (json_int_t)it.value);
    if (it.name)
        json_object_set_new(o, "name", json_string(it.name));
    if (it.writes_reg)
        json_object_set_new(o, "register_offset", json_integer(it.reg_offset));
    if (pm4_item_register(pr->gen, p, i, &offset)) {
        const struct reg *r = regs_by_offset(pr->gen, pr->ext, offset);
        json_object_set_new(o, "names_register",
                            r ? json_string(r->name) : json_sprintf("0x%05x", offset));
    }
    if (it.has_u64)
        json_object_set_new(o, "u64", json_sprintf("0x%llx", (unsigned long long)it.u64));
    json_t *fields = fields_json(pr, &it);
    if (json_array_size(fields))
        json_object_set(o, "fields", fields);
    json_decref(fields);
    return o;
}

static json_t *packet_json(const struct print *pr, const struct pm4_packet *p)
{
    const struct pm4_desc *d = pm4_layout(pr->gen, p);
    json_t *dwords = json_array();
    json_t *o = json_pack("{s:I, s:I, s:i}", "offset_dw", (json_int_t)p->offset_dw, "header",
                          (json_int_t)p->header, "type", (int)p->type);

    if (p->type == 3) {
        json_object_set_new(o, "opcode", json_integer(p->opcode));
        json_object_set_new(o, "name", d ? json_string(d->name) : json_null());
        json_object_set_new(o, "predicate", json_boolean(p->predicate));
        json_object_set_new(o, "compute", json_boolean(p->compute));
    } else if (p->type == PM4_TYPE_SDMA) {
        json_t *fields = json_array();
        struct pm4_item_field f;
        for (unsigned n = 0; pm4_header_field(pr->gen, p, n, &f); n++)
            json_array_append_new(fields, field_json(&f));
        json_object_set_new(o, "name", json_string(d->name));
        json_object_set_new(o, "fields", fields);
    }
    for (uint32_t i = 0; i < p->body_dw; i++)
        json_array_append_new(dwords, dword_json(pr, p, i));
    json_object_set_new(o, "dwords", dwords);
    return o;
}

/* ---- registers --------------------------------------------------------------------------- */

static void print_registers(const struct print *pr, const struct pm4_packet *p)
{
    uint32_t first, value_dw, index;
    uint32_t n = pm4_register_writes(pr->gen, p, &first, &value_dw, &index);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset = first + 4 * i, value = pm4_dw(p, value_dw + i);
        const struct reg *r = regs_by_offset(pr->gen, pr->ext, offset);
        char unnamed[16];

        snprintf(unnamed, sizeof unnamed, "0x%05x", offset);
        if (pr->json)
            json_array_append_new(pr->register_list,
                                  json_pack("{s:s, s:I, s:I}", "name", r ? r->name : unnamed,
                                            "offset", (json_int_t)offset, "value",
                                            (json_int_t)value));
        else
            printf("%s = 0x%08x\n", r ? r->name : unnamed, value);
    }
}

/* ---- buffers ----------------------------------------------------------------------------- */

static bool is_text(const struct print *pr)
{
    return !pr->json && !pr->registers;
}

/* A remark between packets. It is also what a JSON buffer's "error" says, when it is one. */
static void __attribute__((format(printf, 5, 6)))
remark(struct print *pr, unsigned depth, json_t *buffer, bool bad, const char *fmt, ...)
{
    char text[640];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    pr->bad |= bad;
    if (bad && buffer)
        json_object_set_new(buffer, "error", json_string(text));
    if (is_text(pr))
        printf("%*s%s%s%s\n", (int)(4 * depth), "", bad && pr->color ? "\033[31m" : "", text,
               bad && pr->color ? "\033[0m" : "");
    else if (bad && !pr->json)
        fprintf(stderr, "atoll pm4: %s\n", text);
}

static bool on_path(const struct path *at, uint64_t va)
{
    for (; at; at = at->outer)
        if (at->va == va)
            return true;
    return false;
}

/* The bytes of an indirect buffer out of the submission's memory, to be freed; NULL when they are not
 * there or must not be followed, after saying so. */
static uint8_t *fetch_ib(struct print *pr, const struct pm4_ib *ib, unsigned depth,
                         const struct path *path, json_t *buffer, uint32_t *dw)
{
    if (!pr->memory) {
        remark(pr, depth, NULL, false, "buffer at 0x%llx, %u dwords: not followed, the file is alone",
               (unsigned long long)ib->va, ib->dw);
        return NULL;
    }
    if (on_path(path, ib->va)) {
        remark(pr, depth, buffer, true, "buffer at 0x%llx calls itself: not followed",
               (unsigned long long)ib->va);
        return NULL;
    }
    if (depth > NEST_MAX || pr->followed >= BUFFERS_MAX) {
        remark(pr, depth, buffer, true, "buffer at 0x%llx: %s, not followed",
               (unsigned long long)ib->va,
               depth > NEST_MAX ? "nested too deep" : "more than 4096 buffers");
        return NULL;
    }

    uint8_t *data = malloc(4 * (size_t)ib->dw + 4);
    if (!data)
        return NULL;
    size_t got = capture_memory_read(pr->memory, ib->va, data, 4 * (size_t)ib->dw);
    if (got < 4 * (size_t)ib->dw)
        remark(pr, depth, buffer, true, "buffer at 0x%llx: only %zu of its %u dwords are mapped",
               (unsigned long long)ib->va, got / 4, ib->dw);
    pr->followed++;
    *dw = (uint32_t)(got / 4);
    return data;
}

static void print_ib(struct print *pr, uint64_t va, uint8_t *data, uint32_t dw, unsigned depth,
                     const struct path *outer, json_t *buffers);

static void print_called(struct print *pr, const struct pm4_ib *ib, unsigned depth,
                         const struct path *path, json_t *packet)
{
    json_t *buffers = NULL;
    uint32_t dw;

    if (packet) {
        json_t *ibs = json_object_get(packet, "ibs");
        if (!ibs)
            json_object_set_new(packet, "ibs", ibs = json_array());
        json_array_append_new(ibs, buffers = json_array());
    }
    remark(pr, depth, NULL, false, "buffer at 0x%llx, %u dwords:", (unsigned long long)ib->va, ib->dw);
    uint8_t *data = fetch_ib(pr, ib, depth, path, packet, &dw);
    if (data)
        print_ib(pr, ib->va, data, dw, depth, path, buffers);
}

/* Identical one-dword packets after `p`: the walker is moved past them. */
static uint32_t skip_padding(const struct print *pr, struct pm4_walker *w,
                             const struct pm4_packet *p)
{
    struct pm4_walker ahead = *w;
    struct pm4_packet q;
    struct err e;
    uint32_t n = 1;

    while (!p->body_dw && pr->next(&ahead, &q, &e) == 1 && q.header == p->header && !q.body_dw) {
        *w = ahead;
        n++;
    }
    return n;
}

/* One buffer, and those that it chains to (each replaces the one before). Takes `data`. */
static void print_ib(struct print *pr, uint64_t va, uint8_t *data, uint32_t dw, unsigned depth,
                     const struct path *outer, json_t *buffers)
{
    struct path path[BUFFERS_MAX];
    unsigned chained = 0;
    const struct pm4_print text = {pr->gen, pr->ext, stdout, pr->color, pr->all_fields, depth};

    while (data) {
        struct pm4_walker w;
        struct pm4_packet p;
        struct err e;
        struct pm4_ib ib[2], next = {0};
        json_t *buffer = NULL, *packets = NULL, *packet = NULL;
        int r = 0;

        path[chained] = (struct path){va, chained ? &path[chained - 1] : outer};
        if (buffers) {
            buffer = json_pack("{s:s, s:I}", "va", "", "dwords", (json_int_t)dw);
            json_object_set_new(buffer, "va", json_sprintf("0x%llx", (unsigned long long)va));
            json_object_set_new(buffer, "packets", packets = json_array());
            json_array_append_new(buffers, buffer);
        }
        pm4_walk(&w, pr->gen, data, dw);
        while (!next.chain && (r = pr->next(&w, &p, &e)) == 1) {
            if (pr->registers) {
                print_registers(pr, &p);
            } else if (pr->json) {
                json_array_append_new(packets, packet = packet_json(pr, &p));
            } else {
                pm4_print_packet(&text, &p);
                uint32_t n = skip_padding(pr, &w, &p);
                if (n > 1)
                    printf("%*s        (%u times)\n", (int)(4 * depth), "", n);
            }

            if (pr->shaders)
                pm4_shaders_packet(&pr->found, pr->gen, pr->ext, &p);
            unsigned n = pm4_indirect_buffers(pr->gen, &p, ib);
            for (unsigned i = 0; i < n; i++) {
                if (ib[i].chain)
                    next = ib[i];
                else
                    print_called(pr, &ib[i], depth + 1, &path[chained], packet);
            }
        }
        if (!next.chain && r < 0)
            remark(pr, depth, buffer, true, "%s", e.text);
        free(data);
        data = NULL;
        if (next.chain) {
            remark(pr, depth, NULL, false, "chained to buffer at 0x%llx, %u dwords:",
                   (unsigned long long)next.va, next.dw);
            if (++chained == ARRAY_LEN(path))
                remark(pr, depth, buffer, true, "more than 4096 buffers");
            else
                data = fetch_ib(pr, &next, depth, &path[chained - 1], buffer, &dw);
            va = next.va;
        }
    }
}

/* ---- files ------------------------------------------------------------------------------- */

static void print_top(struct print *pr, const char *ring, uint64_t va, uint8_t *data, uint32_t dw,
                      json_t *ibs)
{
    json_t *buffers = NULL;

    pr->next = pr->dma || !strcmp(ring, "dma") ? pm4_sdma_next : pm4_next;
    if (ibs) {
        buffers = json_array();
        json_array_append_new(ibs, json_pack("{s:s, s:o}", "ring", ring, "buffers", buffers));
    }
    print_ib(pr, va, data, dw, 0, NULL, buffers);
}

static json_t *add_submission(json_t *list, unsigned index, json_t **shaders)
{
    json_t *ibs = json_array();

    if (shaders)
        json_array_append_new(list, json_pack("{s:i, s:o, s:o}", "index", (int)index, "ibs", ibs,
                                              "shaders", *shaders = json_array()));
    else
        json_array_append_new(list, json_pack("{s:i, s:o}", "index", (int)index, "ibs", ibs));
    return ibs;
}

static void print_submission(struct print *pr, unsigned index, const struct capture_submit *s,
                             json_t *list)
{
    static const char *const rings[] = {"gfx", "compute", "dma", "ce"};
    json_t *shaders = NULL;
    json_t *ibs = list ? add_submission(list, index, pr->shaders ? &shaders : NULL) : NULL;

    pr->followed = 0;
    for (uint32_t i = 0; i < s->ib_count; i++) {
        const struct capture_ib *ib = &s->ibs[i];
        const char *ring = ib->ring < ARRAY_LEN(rings) ? rings[ib->ring] : "unknown";
        const struct pm4_ib whole = {ib->va, ib->size_dw, false};
        uint32_t dw;

        if (is_text(pr))
            printf("submission %u, IB %u, ring %s, at 0x%llx, %u dwords:\n", index, i, ring,
                   (unsigned long long)ib->va, ib->size_dw);
        uint8_t *data = fetch_ib(pr, &whole, 0, NULL, NULL, &dw);
        if (data)
            print_top(pr, ring, ib->va, data, dw, ibs);
    }
    if (pr->shaders)
        pm4_shaders_print(&pr->found, pr->chip, pr->memory, is_text(pr) ? stdout : NULL, shaders);
}

static bool find_chip(struct print *pr, const char *name)
{
    const struct chip *c = chip_find(name);

    snprintf(pr->chip, sizeof pr->chip, "%s", name);
    if (c) {
        pr->gen = c->gen;
        pr->ext = c->ext & CHIP_EXT_VRS ? REG_EXT_VRS : 0;
        return true;
    }
    for (enum gfx g = GFX6; g < GFX_COUNT; g++) {
        if (!strcmp(gfx_name(g), name)) {
            pr->gen = g;
            return true;
        }
    }
    fprintf(stderr, "atoll pm4: no chip '%s'\n", name);
    return false;
}

/* Every submission with the memory as it was then. */
static int print_capture(struct print *pr, json_t *list)
{
    struct capture_memory_state memory = {0};
    struct capture_record rec;
    struct err e;
    unsigned index = 0;
    int got = -1;
    struct capture_reader *rd = capture_open_any(pr->file, &e);

    if (!rd) {
        fprintf(stderr, "atoll pm4: %s\n", e.text);
        return EXIT_USAGE;
    }
    pr->memory = &memory;
    if (!find_chip(pr, pr->chip_arg ? pr->chip_arg : capture_header(rd)->chip)) {
        capture_close(rd);
        return EXIT_USAGE;
    }
    while ((got = capture_next(rd, &rec, &e)) == 1) {
        if (rec.kind == CAPTURE_MARKER)
            remark(pr, 0, NULL, false, "marker: %s", rec.marker);
        if (rec.kind == CAPTURE_SUBMIT)
            print_submission(pr, index++, &rec.submit, list);
        if (capture_memory_apply(&memory, &rec, &e)) {
            got = -1;
            break;
        }
    }
    if (got < 0)
        fprintf(stderr, "atoll pm4: %s\n", e.text);
    capture_memory_free(&memory);
    capture_close(rd);
    return got < 0 ? EXIT_USAGE : EXIT_DONE;
}

/* Hex dwords as text: words of 1..8 digits, "0x" before and commas between allowed, "#" and ";" begin
 * a comment. Returns the dwords, or -1 when the text is something else. */
static int64_t parse_hex(const char *text, size_t bytes, uint8_t *out)
{
    int64_t n = 0;
    size_t i = 0;

    while (i < bytes) {
        if (isspace((unsigned char)text[i]) || text[i] == ',') {
            i++;
            continue;
        }
        if (text[i] == '#' || text[i] == ';') {
            while (i < bytes && text[i] != '\n')
                i++;
            continue;
        }
        if (i + 1 < bytes && text[i] == '0' && tolower((unsigned char)text[i + 1]) == 'x')
            i += 2;
        uint32_t v = 0;
        unsigned digits = 0;
        for (; i < bytes && isxdigit((unsigned char)text[i]); i++, digits++) {
            int c = tolower((unsigned char)text[i]);
            v = v << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        if (!digits || digits > 8)
            return -1;
        if (i < bytes && !isspace((unsigned char)text[i]) && !strchr(",;#", text[i]))
            return -1;
        store_le32(out + 4 * n++, v);
    }
    return n;
}

static bool is_hex_text(const char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!isprint((unsigned char)data[i]) && !isspace((unsigned char)data[i]))
            return false;
    return bytes > 0;
}

static int print_raw(struct print *pr, char *data, size_t bytes, json_t *list)
{
    if (!find_chip(pr, pr->chip_arg ? pr->chip_arg : "bonaire")) {
        free(data);
        return EXIT_USAGE;
    }
    if (is_hex_text(data, bytes)) {
        uint8_t *dw = malloc(4 * bytes + 4);
        int64_t n = dw ? parse_hex(data, bytes, dw) : -1;
        free(data);
        data = (char *)dw;
        if (n < 0) {
            fprintf(stderr, "atoll pm4: %s: text, but not of hex dwords\n", pr->file);
            free(data);
            return EXIT_USAGE;
        }
        bytes = 4 * (size_t)n;
    }
    if (!bytes || bytes % 4 || bytes / 4 > UINT32_MAX) {
        fprintf(stderr, "atoll pm4: %s: %zu bytes are no whole number of dwords\n", pr->file, bytes);
        free(data);
        return EXIT_USAGE;
    }
    print_top(pr, pr->dma ? "dma" : "gfx", 0, (uint8_t *)data, (uint32_t)(bytes / 4),
              list ? add_submission(list, 0, NULL) : NULL);
    return EXIT_DONE;
}

/* A folder, or a file that begins as captures do. */
static bool is_capture(const char *path, const char *data, size_t bytes)
{
    struct stat st;

    return (!stat(path, &st) && S_ISDIR(st.st_mode)) ||
           (bytes >= 8 && !memcmp(data, "\x89GCAP\r\n\x1a", 8));
}

int cmd_pm4(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE",
        .doc = "Print the packets of an indirect buffer (binary, or hex dwords as text) or of every "
               "submission of a capture, with registers, fields and enums decoded and the buffers "
               "that it calls followed.",
    };
    struct print pr = {0};
    struct err e;
    size_t bytes = 0;
    char *data = NULL;
    int status;

    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &pr);
    pr.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    if (!is_capture(pr.file, NULL, 0) && !(data = file_read_all(pr.file, &bytes, &e))) {
        fprintf(stderr, "atoll pm4: %s\n", e.text);
        return EXIT_USAGE;
    }

    json_t *list = pr.json && !pr.registers ? json_array() : NULL;
    pr.register_list = pr.json && pr.registers ? json_array() : NULL;
    if (is_capture(pr.file, data, bytes)) {
        free(data);
        status = print_capture(&pr, list);
    } else {
        status = print_raw(&pr, data, bytes, list);
    }
    json_t *name = list ? json_string(pr.file) : NULL; /* NULL when it is no UTF-8 */
    json_t *root = list ? json_pack("{s:o, s:s, s:o}", "file", name ? name : json_string("?"), "chip",
                                    pr.chip, "submissions", list)
                        : pr.register_list;
    if (root && pr.chip[0]) {
        json_dumpf(root, stdout, JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(root);
    pm4_shaders_free(&pr.found);
    return status ? status : pr.bad ? EXIT_GUEST : EXIT_DONE;
}
