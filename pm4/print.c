/* The printer: one packet as text.
 *
 *   offset  header    NAME
 *           dword     NAME = value FIELD=value ...
 *
 * offset counts dwords from the start of the buffer, in hex. Fields that are 0 are left out unless
 * all_fields is set: the dword itself stands beside them. The layout is for people; programs read
 * `atoll pm4 --json`. */
#include "pm4/pm4.h"

#include <math.h>
#include <stdarg.h>

#define WIDTH      100 /* columns before a line of fields wraps */
#define NAME_AT    20  /* column of the dwords' names, after the indentation */
#define TRACE_MARK 0xcafe0000u /* Mesa's trace points: NOP with this and a number */

enum color { PLAIN, PACKET_NAME, SET_NAME, UNKNOWN_NAME, DWORD_NAME };

static const char *color(const struct pm4_print *pr, enum color c)
{
    static const char *const codes[] = {"\033[0m", "\033[1;32m", "\033[36m", "\033[31m", "\033[33m"};
    return pr->color ? codes[c] : "";
}

static unsigned indent(const struct pm4_print *pr)
{
    return 4 * MIN2(pr->depth, 16u);
}

static void print_field_value(FILE *out, const struct pm4_item_field *f)
{
    if (f->text)
        fputs(f->text, out);
    else if (f->value < 10)
        fprintf(out, "%u", f->value);
    else
        fprintf(out, "0x%x", f->value);
}

static size_t field_width(const struct pm4_item_field *f)
{
    return strlen(f->name) + 1 + (f->text ? strlen(f->text) : f->value < 10 ? 1 : 10);
}

/* The fields, after `column` columns of the line; without REG_OFFSET when its register is named. */
static void print_fields(const struct pm4_print *pr, const struct pm4_item *it, bool named,
                         size_t column)
{
    struct pm4_item_field f;
    size_t start = indent(pr) + NAME_AT + 4;

    for (unsigned n = 0; pm4_item_field(pr->gen, pr->ext, it, n, &f); n++) {
        if ((!f.value && !pr->all_fields) || (named && !strcmp(f.name, "REG_OFFSET")))
            continue;
        if (column + 1 + field_width(&f) > WIDTH + indent(pr) && column > start) {
            fprintf(pr->out, "\n%*s", (int)start, "");
            column = start;
        } else {
            fputc(' ', pr->out);
        }
        fprintf(pr->out, "%s=", f.name);
        print_field_value(pr->out, &f);
        column += 1 + field_width(&f);
    }
}

/* A register without fields may hold a float: show it when it reads like one. */
static bool is_float(const struct pm4_item *it)
{
    float f = bits_f32(it->value);
    return it->writes_reg && it->reg && !it->reg->field_count && it->value > 0x8000 &&
           isfinite(f) && fabsf(f) >= 1e-4f && fabsf(f) < 1e7f && !strstr(it->reg->name, "BASE") &&
           !strstr(it->reg->name, "ADDR") && !strstr(it->reg->name, "_LO") &&
           !strstr(it->reg->name, "USER_DATA");
}

static void print_dword(const struct pm4_print *pr, const struct pm4_packet *p, uint32_t i)
{
    struct pm4_item it;
    struct pm4_item_field f;
    uint32_t offset;

    pm4_item(pr->gen, pr->ext, p, i, &it);
    fprintf(pr->out, "%*s%08x   ", (int)indent(pr) + 8, "", it.value);

    size_t column = indent(pr) + NAME_AT;
    if (it.name) {
        fprintf(pr->out, "%s%s%s", color(pr, DWORD_NAME), it.name, color(pr, PLAIN));
        column += strlen(it.name);
    } else if (it.writes_reg) {
        fprintf(pr->out, "%sregister 0x%05x%s", color(pr, UNKNOWN_NAME), it.reg_offset,
                color(pr, PLAIN));
    }

    bool named = pm4_item_register(pr->gen, p, i, &offset);
    if (named) {
        const struct reg *r = regs_by_offset(pr->gen, pr->ext, offset);
        if (r)
            column += (size_t)fprintf(pr->out, ": %s", r->name);
        else
            column += (size_t)fprintf(pr->out, ": register 0x%05x", offset);
    }
    /* A dword with one field of its own name is a number. */
    bool fields = pm4_item_field(pr->gen, pr->ext, &it, 0, &f);
    if (fields && it.name && !strcmp(it.name, f.name) && f.value << f.lo == it.value && !f.text)
        fields = false;
    if (fields && (it.value || pr->all_fields)) {
        print_fields(pr, &it, named, column);
    } else if (!named) {
        fprintf(pr->out, it.value < 10 ? " = %u" : " = 0x%x", it.value);
        if (is_float(&it))
            fprintf(pr->out, " (%g)", (double)bits_f32(it.value));
    }
    if (it.has_u64)
        fprintf(pr->out, " -> 0x%llx", (unsigned long long)it.u64);
    fputc('\n', pr->out);
}

static bool is_text(const struct pm4_packet *p)
{
    bool ended = false;

    for (size_t i = 0; i < 4 * (size_t)p->body_dw; i++) {
        uint8_t c = p->body[i];
        if (!c)
            ended = true;
        else if (ended || c < 0x20 || c > 0x7e)
            return false;
    }
    return p->body_dw && p->body[0];
}

/* A NOP carries what its writer likes: markers, text, the dwords of packets that were cancelled. */
static void print_nop(const struct pm4_print *pr, const struct pm4_packet *p)
{
    if (!p->body_dw) {
        fputs(" padding", pr->out);
    } else if (p->body_dw == 1 && (pm4_dw(p, 0) & 0xffff0000) == TRACE_MARK) {
        fprintf(pr->out, " trace point %u", pm4_dw(p, 0) & 0xffff);
    } else if (is_text(p)) {
        fprintf(pr->out, " \"%.*s\"", (int)MIN2(4 * p->body_dw, 200u), (const char *)p->body);
    } else {
        for (uint32_t i = 0; i < MIN2(p->body_dw, 4u); i++)
            fprintf(pr->out, " %08x", pm4_dw(p, i));
        if (p->body_dw > 4)
            fprintf(pr->out, " ... (%u dwords)", p->body_dw);
    }
    fputc('\n', pr->out);
}

void pm4_print_packet(const struct pm4_print *pr, const struct pm4_packet *p)
{
    const struct pm4_desc *d = pm4_layout(pr->gen, p);
    enum color c = p->type == 0 || (d && d->sets_regs) ? SET_NAME : d ? PACKET_NAME : UNKNOWN_NAME;

    fprintf(pr->out, "%*s%06x  %08x  ", (int)indent(pr), "", p->offset_dw, p->header);
    if (p->type == 2) {
        fprintf(pr->out, "%sPAD (type 2)%s\n", color(pr, PACKET_NAME), color(pr, PLAIN));
        return;
    }
    fputs(color(pr, c), pr->out);
    if (p->type == 0)
        fprintf(pr->out, "TYPE0 (%u registers from 0x%05x)", p->body_dw, 4 * p->opcode);
    else if (d)
        fputs(d->name, pr->out);
    else
        fprintf(pr->out, "unknown opcode 0x%02x", p->opcode);
    fputs(color(pr, PLAIN), pr->out);
    if (p->predicate)
        fputs(" (predicate)", pr->out);
    if (p->compute)
        fputs(" (compute)", pr->out);
    if (d && p->body_dw < d->min_dw)
        fprintf(pr->out, " %stoo short: %u of at least %u dwords%s", color(pr, UNKNOWN_NAME),
                p->body_dw, d->min_dw, color(pr, PLAIN));
    if (p->type == 3 && p->opcode == PM4_NOP) {
        print_nop(pr, p);
        return;
    }
    struct pm4_item_field f;
    for (unsigned n = 0; pm4_header_field(pr->gen, p, n, &f); n++) {
        if (f.value || pr->all_fields) {
            fprintf(pr->out, " %s=", f.name);
            print_field_value(pr->out, &f);
        }
    }
    fputc('\n', pr->out);
    for (uint32_t i = 0; i < p->body_dw; i++)
        print_dword(pr, p, i);
}
