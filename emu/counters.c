/* Writing the counters out: those of the device (counters.def), waves and instructions by
 * stage from cu/, bytes by client from mem/. */
#include "emu/counters.h"
#include "emu/internal.h"

#include <inttypes.h>
#include <jansson.h>

static const struct emu_counter_info infos[CNT_COUNT] = {
#define EXACT                                    COUNTER_EXACT
#define MODELLED                                 COUNTER_MODELLED
#define COUNTER(id, name, amd, kind, unit, text) [id] = {name, amd, unit, text, kind},
#include "emu/counters.def"
#undef COUNTER
#undef EXACT
#undef MODELLED
};

static const char *const stage_names[] = {"ls", "hs", "es", "gs", "vs", "ps", "cs"};
static const char *const class_names[] = {
    "valu", "salu", "smem", "vmem_rd", "vmem_wr", "flat",  "lds",
    "gds",  "exp",  "msg",  "branch",  "interp",  "image", "other"};
static const char *const client_names[] = {"cp", "shader", "scalar", "fetch", "ia",
                                           "cb", "db",     "tex",    "so",    "host"};

_Static_assert(ARRAY_LEN(stage_names) == STAGE_COUNT, "a name for each stage");
_Static_assert(ARRAY_LEN(class_names) == CLASS_COUNT,
               "a name for each class of instructions");
_Static_assert(ARRAY_LEN(client_names) == MEM_CLIENTS, "a name for each client");

const struct emu_counter_info *emu_counter_info(enum emu_counter id)
{
    return &infos[id];
}

static void put(json_t *o, const char *name, uint64_t v)
{
    json_object_set_new(o, name, json_integer((json_int_t)v));
}

static json_t *device_json(const struct atoll_gpu *gpu)
{
    json_t *o = json_object();

    for (unsigned i = 0; i < CNT_COUNT; i++) {
        json_t *c = json_object();

        put(c, "value", gpu->counters.v[i]);
        json_object_set_new(c, "unit", json_string(infos[i].unit));
        json_object_set_new(c, "exact", json_boolean(infos[i].kind == COUNTER_EXACT));
        if (*infos[i].amd)
            json_object_set_new(c, "amd", json_string(infos[i].amd));
        json_object_set_new(o, infos[i].name, c);
    }
    return o;
}

static json_t *stages_json(const struct cu_counters *cc)
{
    json_t *o = json_object();

    for (unsigned s = 0; s < STAGE_COUNT; s++) {
        const struct wave_counters *w = &cc->insts[s];
        json_t *stage = json_object(), *insts = json_object();
        uint64_t total = 0;

        for (unsigned c = 0; c < CLASS_COUNT; c++) {
            put(insts, class_names[c], w->insts[c]);
            total += w->insts[c];
        }
        put(insts, "total", total);
        put(stage, "waves", cc->waves[s]);
        json_object_set_new(stage, "instructions", insts);
        put(stage, "valu_lanes", w->valu_lanes);
        put(stage, "lds_bytes", w->lds_bytes);
        put(stage, "read_bytes", w->read_bytes);
        put(stage, "written_bytes", w->written_bytes);
        put(stage, "scalar_bytes", w->scalar_bytes);
        json_object_set_new(o, stage_names[s], stage);
    }
    return o;
}

/* Bytes by client. Waves count all of theirs; what mem/ saw of them are only the slow
 * accesses. */
static void traffic(const struct atoll_gpu *gpu, const struct cu_counters *cc,
                    struct mem_traffic *t)
{
    mem_traffic_get(gpu->vm, t);
    t->read_bytes[MEM_SHADER] = t->written_bytes[MEM_SHADER] = 0;
    t->read_bytes[MEM_SCALAR] = t->written_bytes[MEM_SCALAR] = 0;
    for (unsigned s = 0; s < STAGE_COUNT; s++) {
        t->read_bytes[MEM_SHADER] += cc->insts[s].read_bytes;
        t->written_bytes[MEM_SHADER] += cc->insts[s].written_bytes;
        t->read_bytes[MEM_SCALAR] += cc->insts[s].scalar_bytes;
    }
}

static json_t *memory_json(const struct mem_traffic *t)
{
    json_t *o = json_object();

    for (unsigned c = 0; c < MEM_HOST; c++) {
        json_t *client = json_object();

        put(client, "read_bytes", t->read_bytes[c]);
        put(client, "written_bytes", t->written_bytes[c]);
        json_object_set_new(o, client_names[c], client);
    }
    return o;
}

char *emu_counters_json(const struct atoll_gpu *gpu)
{
    json_t *root = json_object();
    struct cu_counters cc;
    struct mem_traffic t;
    char *text;

    cu_counters_get(gpu->cu, &cc);
    traffic(gpu, &cc, &t);
    json_object_set_new(root, "chip", json_string(gpu->chip->name));
    json_object_set_new(root, "counters", device_json(gpu));
    json_object_set_new(root, "stages", stages_json(&cc));
    put(root, "workgroups", cc.groups);
    put(root, "max_waves_per_simd", cc.max_waves_per_simd);
    json_object_set_new(root, "memory", memory_json(&t));
    text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    return text;
}

void emu_counters_print(const struct atoll_gpu *gpu, FILE *out)
{
    struct cu_counters cc;
    struct mem_traffic t;

    cu_counters_get(gpu->cu, &cc);
    traffic(gpu, &cc, &t);
    for (unsigned i = 0; i < CNT_COUNT; i++)
        if (gpu->counters.v[i])
            fprintf(out, "%-26s %14" PRIu64 " %-10s %s%s\n", infos[i].name,
                    gpu->counters.v[i], infos[i].unit, infos[i].text,
                    infos[i].kind == COUNTER_MODELLED ? " (modelled)" : "");
    for (unsigned s = 0; s < STAGE_COUNT; s++) {
        if (!cc.waves[s])
            continue;
        fprintf(out, "%s: %" PRIu64 " waves;", stage_names[s], cc.waves[s]);
        for (unsigned c = 0; c < CLASS_COUNT; c++)
            if (cc.insts[s].insts[c])
                fprintf(out, " %s %" PRIu64, class_names[c], cc.insts[s].insts[c]);
        fprintf(out,
                "; read %" PRIu64 ", written %" PRIu64 ", scalar %" PRIu64
                ", lds %" PRIu64 " bytes\n",
                cc.insts[s].read_bytes, cc.insts[s].written_bytes,
                cc.insts[s].scalar_bytes, cc.insts[s].lds_bytes);
    }
    for (unsigned c = 0; c < MEM_HOST; c++)
        if (t.read_bytes[c] || t.written_bytes[c])
            fprintf(out, "memory %-7s %14" PRIu64 " bytes read, %" PRIu64 " written\n",
                    client_names[c], t.read_bytes[c], t.written_bytes[c]);
}
