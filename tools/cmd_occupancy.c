/* `atoll occupancy`: waves per SIMD from registers, LDS and group size, what limits them,
 * and how they change as each of the four is varied alone. */
#include "emu/gpu.h"
#include "tools/tools.h"

#include <argp.h>
#include <jansson.h>
#include <stdlib.h>

struct request {
    const char *chip;
    struct atoll_occupancy_need need;
    bool json;
};

enum {
    OPT_CHIP = 'c',
    OPT_VGPR = 'v',
    OPT_SGPR = 's',
    OPT_LDS = 'l',
    OPT_GROUP = 'g',
    OPT_JSON = 'j'
};

static const struct argp_option options[] = {
    {"chip", OPT_CHIP, "CHIP", 0, "chip or LLVM processor (default bonaire)", 0},
    {"vgpr", OPT_VGPR, "N", 0, "VGPRs per lane (default 1)", 0},
    {"sgpr", OPT_SGPR, "N", 0, "SGPRs per wave, VCC and the like included (default 1)",
     0},
    {"lds", OPT_LDS, "BYTES", 0, "LDS of a workgroup (default 0)", 0},
    {"group", OPT_GROUP, "THREADS", 0, "work-items of a workgroup (default 64)", 0},
    {"json", OPT_JSON, NULL, 0, "print a JSON object", 0},
    {0},
};

static unsigned number(const char *text, unsigned lo, unsigned hi,
                       struct argp_state *state)
{
    char *end;
    unsigned long v = strtoul(text, &end, 0);

    if (*text < '0' || *text > '9' || *end || v < lo || v > hi)
        argp_error(state, "'%s' is not a number from %u to %u", text, lo, hi);
    return (unsigned)v;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case OPT_CHIP:
        r->chip = arg;
        break;
    case OPT_VGPR:
        r->need.vgprs = number(arg, 0, 4096, state);
        break;
    case OPT_SGPR:
        r->need.sgprs = number(arg, 0, 4096, state);
        break;
    case OPT_LDS:
        r->need.lds_bytes = number(arg, 0, 1u << 30, state);
        break;
    case OPT_GROUP:
        r->need.group_threads = number(arg, 1, 1u << 20, state);
        break;
    case OPT_JSON:
        r->json = true;
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* One need that a curve varies from lo to hi in steps, the others held. */
struct curve {
    const char *name;
    size_t at; /* offset in struct atoll_occupancy_need */
    unsigned lo, hi, step;
};

static const struct curve curves[] = {
    {"vgprs", offsetof(struct atoll_occupancy_need, vgprs), 1, 256, 1},
    {"sgprs", offsetof(struct atoll_occupancy_need, sgprs), 1, 112, 1},
    {"lds_bytes", offsetof(struct atoll_occupancy_need, lds_bytes), 0, 65536, 256},
    {"group_threads", offsetof(struct atoll_occupancy_need, group_threads), 64, 1024, 64},
};

/* A stretch of a curve on which occupancy stays the same. */
struct step {
    unsigned from, to;
    struct atoll_occupancy o;
};

/* The next stretch from `from` on; false past the curve's end. */
static bool next_step(const struct request *r, const struct curve *c, unsigned from,
                      struct step *out)
{
    struct atoll_occupancy_need need = r->need;
    unsigned *v = (unsigned *)((char *)&need + c->at);

    if (from > c->hi)
        return false;
    *v = out->from = out->to = from;
    atoll_occupancy(r->chip, &need, &out->o);
    for (*v += c->step; *v <= c->hi; *v += c->step) {
        struct atoll_occupancy o;

        atoll_occupancy(r->chip, &need, &o);
        if (o.waves_per_cu != out->o.waves_per_cu)
            break;
        out->to = *v;
    }
    return true;
}

static void print_json(const struct request *r, const struct atoll_occupancy *o)
{
    json_t *root =
        json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:s}", "chip", r->chip,
                  "vgprs", (int)r->need.vgprs, "sgprs", (int)r->need.sgprs, "lds_bytes",
                  (int)r->need.lds_bytes, "group_threads", (int)r->need.group_threads,
                  "waves_per_group", (int)o->waves_per_group, "waves_per_simd",
                  (int)o->waves_per_simd, "waves_per_cu", (int)o->waves_per_cu,
                  "groups_per_cu", (int)o->groups_per_cu, "limited_by", o->limited_by);
    json_t *all = json_object();

    for (size_t i = 0; i < ARRAY_LEN(curves); i++) {
        json_t *list = json_array();
        struct step s;

        for (unsigned at = curves[i].lo; next_step(r, &curves[i], at, &s);
             at = s.to + curves[i].step)
            json_array_append_new(
                list, json_pack("{s:i, s:i, s:i, s:i, s:s}", "from", (int)s.from, "to",
                                (int)s.to, "waves_per_simd", (int)s.o.waves_per_simd,
                                "waves_per_cu", (int)s.o.waves_per_cu, "limited_by",
                                s.o.limited_by));
        json_object_set_new(all, curves[i].name, list);
    }
    json_object_set_new(root, "curve", all);
    json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
}

static void print_text(const struct request *r, const struct atoll_occupancy *o)
{
    printf("%s: %u VGPRs, %u SGPRs, %u bytes of LDS, groups of %u (%u waves)\n", r->chip,
           r->need.vgprs, r->need.sgprs, r->need.lds_bytes, r->need.group_threads,
           o->waves_per_group);
    if (!o->groups_per_cu)
        printf("does not fit: not enough %s for one workgroup\n", o->limited_by);
    else
        printf("%u waves per SIMD (of 10), %u per CU, %u groups per CU; limited by %s\n",
               o->waves_per_simd, o->waves_per_cu, o->groups_per_cu, o->limited_by);
    for (size_t i = 0; i < ARRAY_LEN(curves); i++) {
        struct step s;

        printf("\n%15s  waves/SIMD  waves/CU  limit\n", curves[i].name);
        for (unsigned at = curves[i].lo; next_step(r, &curves[i], at, &s);
             at = s.to + curves[i].step) {
            const unsigned *here =
                (const unsigned *)((const char *)&r->need + curves[i].at);

            printf("%7u..%6u %c %9u %9u  %-9s %.*s\n", s.from, s.to,
                   *here >= s.from && *here <= s.to ? '<' : ' ', s.o.waves_per_simd,
                   s.o.waves_per_cu, s.o.limited_by, (int)s.o.waves_per_simd,
                   "##########");
        }
    }
}

int cmd_occupancy(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     parse,
                                     NULL,
                                     "Waves per SIMD of a program, what limits them, and "
                                     "the curve over each resource.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct request r = {.chip = "bonaire", .need = {1, 1, 0, 64}};
    struct atoll_occupancy o;

    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &r);
    if (atoll_occupancy(r.chip, &r.need, &o)) {
        fprintf(stderr, "atoll occupancy: no chip '%s'\n", r.chip);
        return EXIT_USAGE;
    }
    if (r.json)
        print_json(&r, &o);
    else
        print_text(&r, &o);
    return EXIT_DONE;
}
