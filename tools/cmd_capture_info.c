/* `atoll capture-info`: what a capture holds, and whether it is whole. */
#include "emu/capture.h"
#include "emu/gpu.h"
#include "tools/tools.h"

#include <argp.h>
#include <jansson.h>

struct request {
    const char *path;
    bool json;
};

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print a JSON object", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case 'j': r->json = true; break;
    case ARGP_KEY_ARG:
        if (r->path)
            argp_error(state, "one CAPTURE at a time");
        r->path = arg;
        break;
    case ARGP_KEY_END:
        if (!r->path)
            argp_error(state, "need a CAPTURE: a .gcap file or a raw folder");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char *ring_name(uint32_t ring)
{
    static const char *const names[] = {"gfx", "compute", "dma", "ce"};
    return ring < ARRAY_LEN(names) ? names[ring] : "unknown";
}

/* ---- collecting ---------------------------------------------------------------------------- */

/* Submissions, markers and expectations as JSON lists: both outputs are printed from them. */
struct info {
    struct capture_maps maps;
    json_t *submissions, *markers, *expectations;
    uint64_t memory_bytes; /* recorded since the last submission */
    struct err damage;     /* empty when the capture is whole */
};

static void add_submission(struct info *in, const struct capture_record *rec)
{
    json_t *ibs = json_array();

    for (uint32_t i = 0; i < rec->submit.ib_count; i++) {
        const struct capture_ib *ib = &rec->submit.ibs[i];

        json_array_append_new(ibs, json_pack("{s:s, s:I, s:I}", "ring", ring_name(ib->ring), "va",
                                             (json_int_t)ib->va, "size_dw", (json_int_t)ib->size_dw));
    }
    json_array_append_new(
        in->submissions,
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "offset", (json_int_t)rec->offset, "context",
                  (json_int_t)rec->submit.context, "memory_bytes", (json_int_t)in->memory_bytes,
                  "fence_va", (json_int_t)rec->submit.fence_va, "fence_value",
                  (json_int_t)rec->submit.fence_value, "ibs", ibs));
    in->memory_bytes = 0;
}

static void collect(struct capture_reader *rd, struct info *in)
{
    struct capture_record rec;
    int got;

    in->submissions = json_array();
    in->markers = json_array();
    in->expectations = json_array();
    while ((got = capture_next(rd, &rec, &in->damage)) > 0) {
        json_int_t at = (json_int_t)json_array_size(in->submissions);

        switch (rec.kind) {
        case CAPTURE_MAP:
            if (capture_maps_map(&in->maps, &rec.map, &in->damage))
                return;
            break;
        case CAPTURE_UNMAP:
            if (capture_maps_unmap(&in->maps, rec.unmap.va, rec.unmap.bytes, &in->damage))
                return;
            break;
        case CAPTURE_MEMORY: in->memory_bytes += rec.memory.bytes; break;
        case CAPTURE_SUBMIT: add_submission(in, &rec); break;
        case CAPTURE_MARKER:
            json_array_append_new(in->markers, json_pack("{s:I, s:s}", "submissions_before", at,
                                                         "text", rec.marker));
            break;
        case CAPTURE_EXPECT:
            json_array_append_new(
                in->expectations,
                json_pack("{s:I, s:I, s:I, s:I}", "submissions_before", at, "va",
                          (json_int_t)rec.expect.va, "bytes", (json_int_t)rec.expect.bytes, "hash",
                          (json_int_t)rec.expect.hash));
            break;
        default: break;
        }
    }
    if (!got)
        in->damage.text[0] = 0;
    capture_maps_sort(&in->maps);
}

/* ---- printing ------------------------------------------------------------------------------ */

static void print_json(struct capture_reader *rd, const struct info *in)
{
    const struct capture_header *h = capture_header(rd);
    const struct capture_stats *st = capture_stats(rd);
    json_t *maps = json_array(), *chunks = json_object(), *root;

    for (unsigned k = 1; k < CAPTURE_KINDS; k++)
        json_object_set_new(chunks, capture_kind_name(k), json_integer((json_int_t)st->chunks[k]));
    for (size_t i = 0; i < in->maps.count; i++) {
        const struct capture_map *m = &in->maps.m[i];

        json_array_append_new(
            maps, json_pack("{s:I, s:I, s:I, s:I, s:I, s:i, s:i}", "va", (json_int_t)m->va, "bytes",
                            (json_int_t)m->bytes, "object", (json_int_t)m->object, "offset",
                            (json_int_t)m->offset, "object_bytes",
                            (json_int_t)m->object_bytes, "prot", (int)m->prot, "domain", (int)m->domain));
    }
    root = json_pack(
        "{s:i, s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:s?, s:I, s:I, s:o, s:I, s:o, s:O, s:O, s:O}",
        "version", (int)h->version, "chip", h->chip, "driver", h->driver, "device_id",
        (json_int_t)h->device_id, "family", (json_int_t)h->family, "external_rev",
        (json_int_t)h->external_rev, "gb_addr_config", (json_int_t)h->gb_addr_config, "complete",
        !in->damage.text[0], "damage", in->damage.text[0] ? in->damage.text : NULL, "stored_bytes",
        (json_int_t)st->stored_bytes, "raw_bytes", (json_int_t)st->raw_bytes, "chunks", chunks,
        "most_mapped_bytes", (json_int_t)in->maps.most_bytes, "mappings", maps, "submissions",
        in->submissions, "markers", in->markers, "expectations", in->expectations);
    json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
}

static long long get(const json_t *o, const char *key)
{
    return (long long)json_integer_value(json_object_get(o, key));
}

static void print_text(const char *path, struct capture_reader *rd, const struct info *in)
{
    const struct capture_header *h = capture_header(rd);
    const struct capture_stats *st = capture_stats(rd);
    const char *sep = " (";
    size_t i, j;
    json_t *s, *ib;

    printf("%s: %s, driver %s, device 0x%04x, family %u, external revision 0x%x, "
           "GB_ADDR_CONFIG 0x%08x\n",
           path, h->chip, h->driver[0] ? h->driver : "not recorded", h->device_id, h->family,
           h->external_rev, h->gb_addr_config);
    printf("chunks: %llu bytes stored, %llu decompressed", (unsigned long long)st->stored_bytes,
           (unsigned long long)st->raw_bytes);
    for (unsigned k = 1; k < CAPTURE_KINDS; k++)
        if (st->chunks[k]) {
            printf("%s%llu %s", sep, (unsigned long long)st->chunks[k], capture_kind_name(k));
            sep = ", ";
        }
    printf(")\n\nmappings at the end: %zu (%llu bytes; at most %llu at once)\n", in->maps.count,
           (unsigned long long)in->maps.bytes, (unsigned long long)in->maps.most_bytes);
    for (i = 0; i < in->maps.count; i++) {
        const struct capture_map *m = &in->maps.m[i];

        printf("  0x%012llx  %12llu bytes  %c%c%c %s%s", (unsigned long long)m->va,
               (unsigned long long)m->bytes, m->prot & 1 ? 'r' : '-', m->prot & 2 ? 'w' : '-',
               m->prot & 4 ? 'x' : '-', m->domain & 4 ? " VRAM" : "", m->domain & 2 ? " GTT" : "");
        if (m->object)
            printf("  object %llu + 0x%llx", (unsigned long long)m->object,
                   (unsigned long long)m->offset);
        putchar('\n');
    }
    printf("\nsubmissions: %zu\n", json_array_size(in->submissions));
    json_array_foreach (in->submissions, i, s) {
        printf("  %zu: context %lld, %lld bytes of memory recorded before it", i, get(s, "context"),
               get(s, "memory_bytes"));
        if (get(s, "fence_va"))
            printf(", fence 0x%llx = %lld", get(s, "fence_va"), get(s, "fence_value"));
        putchar('\n');
        json_array_foreach (json_object_get(s, "ibs"), j, ib)
            printf("     %-8s 0x%012llx  %lld dwords\n",
                   json_string_value(json_object_get(ib, "ring")), get(ib, "va"),
                   get(ib, "size_dw"));
    }
    json_array_foreach (in->expectations, i, s)
        printf("after %lld submissions: 0x%llx, %lld bytes, are expected to have hash %016llx\n",
               get(s, "submissions_before"), get(s, "va"), get(s, "bytes"), get(s, "hash"));
    json_array_foreach (in->markers, i, s)
        printf("after %lld submissions: marker \"%s\"\n", get(s, "submissions_before"),
               json_string_value(json_object_get(s, "text")));
}

int cmd_capture_info(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "CAPTURE",
        "Say what a capture holds (chip, driver, mappings, submissions), and whether it is whole.",
        NULL, NULL, NULL};
    struct request r = {0};
    struct info in = {0};
    struct err e;
    struct capture_reader *rd;
    int status;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
    rd = capture_open_any(r.path, &e);
    if (!rd) {
        fprintf(stderr, "atoll capture-info: %s\n", e.text);
        return EXIT_USAGE;
    }
    collect(rd, &in);
    if (r.json)
        print_json(rd, &in);
    else
        print_text(r.path, rd, &in);
    status = in.damage.text[0] ? EXIT_USAGE : EXIT_DONE;
    if (status) {
        fflush(stdout);
        fprintf(stderr, "atoll capture-info: %s\n", in.damage.text);
    }
    json_decref(in.submissions);
    json_decref(in.markers);
    json_decref(in.expectations);
    capture_maps_free(&in.maps);
    capture_close(rd);
    return status;
}
