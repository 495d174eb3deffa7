/* Shader programs found in command buffers: SPI_SHADER_PGM_LO/HI_* and COMPUTE_PGM_LO/HI hold bits
 * 39:8 and 47:40 of a program's address. A program is what the registers say when a draw or dispatch
 * comes (a driver may write the two halves in any order). */
#include "tools/pm4_shaders.h"
#include "isa/isa.h"

#include <stdlib.h>

#define PROGRAM_MAX_DW 0x10000u

/* The stage in "SPI_SHADER_PGM_LO_VS" or "COMPUTE_PGM_LO"; NULL for other registers. */
static const char *stage_of(const char *name, bool *hi)
{
    static const struct {
        const char *prefix, *stage;
        bool hi;
    } kinds[] = {{"SPI_SHADER_PGM_LO_", NULL, false}, {"SPI_SHADER_PGM_HI_", NULL, true},
                 {"COMPUTE_PGM_LO", "CS", false}, {"COMPUTE_PGM_HI", "CS", true}};

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        size_t n = strlen(kinds[i].prefix);
        if (strncmp(name, kinds[i].prefix, n))
            continue;
        *hi = kinds[i].hi;
        return kinds[i].stage ? kinds[i].stage : name + n;
    }
    return NULL;
}

static struct pm4_shader_stage *find_stage(struct pm4_shaders *s, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(s->stages); i++) {
        if (!s->stages[i].name)
            s->stages[i].name = name;
        if (!strcmp(s->stages[i].name, name))
            return &s->stages[i];
    }
    return NULL;
}

static void use(struct pm4_shaders *s, struct pm4_shader_stage *st)
{
    uint64_t va = ((uint64_t)(st->hi & 0xff) << 32 | st->lo) << 8;

    st->changed = false;
    if (!va)
        return;
    for (size_t i = 0; i < s->count; i++)
        if (s->found[i].va == va && !strcmp(s->found[i].stage, st->name))
            return;
    struct pm4_shader *more = realloc(s->found, (s->count + 1) * sizeof *more);
    if (!more)
        return;
    s->found = more;
    s->found[s->count++] = (struct pm4_shader){st->name, va};
}

void pm4_shaders_packet(struct pm4_shaders *s, enum gfx gen, unsigned ext,
                        const struct pm4_packet *p)
{
    uint32_t first, value_dw, index;
    uint32_t n = pm4_register_writes(gen, p, &first, &value_dw, &index);

    for (uint32_t i = 0; i < n; i++) {
        const struct reg *r = regs_by_offset(gen, ext, first + 4 * i);
        bool hi;
        const char *name = r ? stage_of(r->name, &hi) : NULL;
        struct pm4_shader_stage *st = name ? find_stage(s, name) : NULL;
        if (!st)
            continue;
        *(hi ? &st->hi : &st->lo) = pm4_dw(p, value_dw + i);
        st->changed = true;
    }

    const struct pm4_desc *d = p->type == 3 ? pm4_describe(gen, p->opcode) : NULL;
    if (d && (!strncmp(d->name, "DRAW", 4) || !strncmp(d->name, "DISPATCH", 8)))
        for (size_t i = 0; i < ARRAY_LEN(s->stages) && s->stages[i].name; i++)
            if (s->stages[i].changed)
                use(s, &s->stages[i]);
}

void pm4_shaders_print(struct pm4_shaders *s, const char *chip,
                       const struct capture_memory_state *memory, FILE *out, json_t *list)
{
    const struct isa_target *t = isa_target_find(chip);
    uint32_t *code = malloc(4 * PROGRAM_MAX_DW);

    for (unsigned g = GFX6; !t && g < GFX_COUNT; g++)
        if (!strcmp(gfx_name((enum gfx)g), chip))
            t = isa_target_default((enum gfx)g);
    for (size_t i = s->printed; code && t && i < s->count; i++) {
        const struct pm4_shader *sh = &s->found[i];
        size_t got = memory ? capture_memory_read(memory, sh->va, code, 4 * PROGRAM_MAX_DW) / 4 : 0;
        size_t dw = isa_program_dwords(t, code, got);
        char *text = NULL;
        size_t bytes;

        if (list) {
            FILE *f = open_memstream(&text, &bytes);
            if (f) {
                isa_list(t, code, dw, f);
                fclose(f);
            }
            json_t *o = json_pack("{s:s, s:I}", "stage", sh->stage, "dwords", (json_int_t)dw);
            json_object_set_new(o, "va", json_sprintf("0x%llx", (unsigned long long)sh->va));
            json_object_set_new(o, "text", json_string(text ? text : ""));
            json_array_append_new(list, o);
            free(text);
        } else if (out) {
            fprintf(out, "shader %s at 0x%llx, %zu dwords%s\n", sh->stage,
                    (unsigned long long)sh->va, dw, dw ? ":" : ": not mapped");
            isa_list(t, code, dw, out);
        }
    }
    s->printed = s->count;
    free(code);
}

void pm4_shaders_free(struct pm4_shaders *s)
{
    free(s->found);
    *s = (struct pm4_shaders){0};
}
