/* Command buffers and shaders by hand, for programs that have <atoll.h> only: everything by AMD's names, as text.
 * See gpu.h; examples/checkerboard and examples/deferred show the use. */
#include "base/chip.h"
#include "emu/gpu.h"
#include "isa/isa.h"
#include "pm4/pm4.h"
#include "regs/regs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

struct atoll_pm4 {
    const struct chip *chip;
    struct pm4_builder b;
    struct err err;
};

/* ---- values as text --------------------------------------------------------------------------- */

/* A whole word as a number. */
static int parse_number(const char *s, bool may_be_float, uint32_t *v)
{
    char *end;
    unsigned long long u;

    errno = 0;
    if (may_be_float && strchr(s, '.')) {
        *v = f32_bits(strtof(s, &end));
        return *end || end == s ? -1 : 0;
    }
    u = strtoull(s, &end, 0);
    if (*end || end == s || errno || (*s != '-' && u > UINT32_MAX) ||
        (*s == '-' && (long long)u < INT32_MIN))
        return -1;
    *v = (uint32_t)u;
    return 0;
}

static int parse_field(const struct reg *r, char *word, uint32_t *value, struct err *e)
{
    char *eq = strchr(word, '=');
    const struct reg_field *f;
    uint32_t v, limit;

    if (!eq)
        return err_set(e, "%s: '%s' is neither a number nor FIELD=VALUE", r->name, word);
    *eq++ = 0;
    f = regs_field_by_name(r, word);
    if (!f)
        return err_set(e, "%s has no field %s", r->name, word);
    limit = UINT32_MAX >> (31 - (f->hi - f->lo));
    for (unsigned i = 0; i < f->entry_count; i++)
        if (!strcmp(f->entries[i].name, eq)) {
            *value |= f->entries[i].value << f->lo;
            return 0;
        }
    if (parse_number(eq, false, &v))
        return err_set(e, "%s.%s: '%s' is neither a number nor a name of its enum", r->name, word, eq);
    if (*eq == '-' ? -(int64_t)(int32_t)v > (int64_t)limit / 2 + 1 : v > limit)
        return err_set(e, "%s.%s has %d bits, %s does not fit", r->name, word, f->hi - f->lo + 1, eq);
    *value |= (v & limit) << f->lo;
    return 0;
}

/* `text` is taken apart. */
static int parse_value(const struct reg *r, char *text, uint32_t *value, struct err *e)
{
    char *save, *word = strtok_r(text, " ", &save);

    *value = 0;
    if (word && !strchr(word, '=')) {
        if (parse_number(word, true, value) || strtok_r(NULL, " ", &save))
            return err_set(e, "%s: '%s' is neither one number of 32 bits nor FIELD=VALUE", r->name, word);
        return 0;
    }
    for (; word; word = strtok_r(NULL, " ", &save))
        if (parse_field(r, word, value, e))
            return -1;
    return 0;
}

static const struct reg *find_register(const struct chip *c, const char *name, struct err *e)
{
    const struct reg *r = regs_by_name(c->gen, c->ext, name);

    if (!r)
        err_set(e, "%s has no register %s", c->name, name);
    return r;
}

static int tell(const struct err *e, char error[256])
{
    if (error)
        snprintf(error, 256, "%.255s", e->text);
    return -1;
}

ATOLL_API int atoll_register_value(const char *chip, const char *reg, const char *text, uint32_t *value,
                                   char error[256])
{
    const struct chip *c = chip_find(chip);
    const struct reg *r;
    char copy[1024];
    struct err e;

    if (!c) {
        err_set(&e, "no chip '%s'", chip);
        return tell(&e, error);
    }
    if (!(r = find_register(c, reg, &e)))
        return tell(&e, error);
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) {
        err_set(&e, "%s: the text is too long", reg);
        return tell(&e, error);
    }
    return parse_value(r, copy, value, &e) ? tell(&e, error) : 0;
}

/* ---- command buffers ---------------------------------------------------------------------------- */

ATOLL_API struct atoll_pm4 *atoll_pm4_create(const char *chip)
{
    const struct chip *c = chip_find(chip);
    struct atoll_pm4 *p = c ? calloc(1, sizeof *p) : NULL;

    if (p) {
        p->chip = c;
        pm4_builder_init(&p->b, c->gen);
    }
    return p;
}

ATOLL_API void atoll_pm4_destroy(struct atoll_pm4 *p)
{
    if (p)
        pm4_builder_free(&p->b);
    free(p);
}

static bool failed(const struct atoll_pm4 *p)
{
    return p->err.text[0] != 0;
}

/* The builder only says that something did not work. */
static void check(struct atoll_pm4 *p, const char *what)
{
    if (p->b.failed && !failed(p))
        err_set(&p->err, "%s cannot be added to a command buffer of %s", what, p->chip->name);
}

ATOLL_API void atoll_pm4_set(struct atoll_pm4 *p, const char *reg, const char *text, ...)
{
    const struct reg *r;
    uint32_t value;
    char copy[1024];
    va_list ap;
    int n;

    if (failed(p) || !(r = find_register(p->chip, reg, &p->err)))
        return;
    va_start(ap, text);
    n = vsnprintf(copy, sizeof copy, text, ap);
    va_end(ap);
    if (n < 0 || n >= (int)sizeof copy) {
        err_set(&p->err, "%s: the text is too long", reg);
        return;
    }
    if (parse_value(r, copy, &value, &p->err))
        return;
    pm4_emit_set_at(&p->b, r->offset, 1, &value);
    check(p, reg);
}

ATOLL_API void atoll_pm4_set_array(struct atoll_pm4 *p, const char *reg, unsigned count,
                                   const uint32_t *values)
{
    const struct reg *r;

    if (failed(p) || !(r = find_register(p->chip, reg, &p->err)))
        return;
    pm4_emit_set_at(&p->b, r->offset, count, values);
    check(p, reg);
}

static void packet(struct atoll_pm4 *p, const char *opcode, bool compute, unsigned count, const uint32_t *body)
{
    const struct pm4_desc *d;
    unsigned gens;

    if (failed(p))
        return;
    for (unsigned i = 0; (d = pm4_list(i, &gens)); i++)
        if (gens & 1u << p->chip->gen && !strcmp(d->name, opcode)) {
            pm4_emit_packet(&p->b, (enum pm4_op)d->opcode, compute, count, body);
            check(p, opcode);
            return;
        }
    err_set(&p->err, "%s has no packet %s", p->chip->name, opcode);
}

ATOLL_API void atoll_pm4_packet(struct atoll_pm4 *p, const char *opcode, unsigned count, const uint32_t *body)
{
    packet(p, opcode, false, count, body);
}

ATOLL_API void atoll_pm4_packet_compute(struct atoll_pm4 *p, const char *opcode, unsigned count,
                                        const uint32_t *body)
{
    packet(p, opcode, true, count, body);
}

ATOLL_API const uint32_t *atoll_pm4_dwords(const struct atoll_pm4 *p, uint32_t *count)
{
    *count = failed(p) ? 0 : p->b.count;
    return failed(p) ? NULL : p->b.dw;
}

ATOLL_API const char *atoll_pm4_error(const struct atoll_pm4 *p)
{
    return p->err.text;
}

/* ---- shaders -------------------------------------------------------------------------------------- */

ATOLL_API int atoll_assemble(const char *chip, const char *text, const char *name, uint32_t *code,
                             unsigned room_dw, char error[256])
{
    const struct chip *c = chip_find(chip);
    const struct isa_target *t = c ? isa_target_find(c->llvm) : NULL;
    uint32_t *dw;
    size_t ndw;
    struct err e;

    if (!t) {
        err_set(&e, "no chip '%s'", chip);
        return tell(&e, error);
    }
    if (isa_assemble_program(t, text, name, &dw, &ndw, &e))
        return tell(&e, error);
    memcpy(code, dw, 4 * MIN2(ndw, (size_t)room_dw));
    free(dw);
    return (int)ndw;
}
