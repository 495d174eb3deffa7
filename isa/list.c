/* list.c: whole programs: where they end, and their listing with labels. */
#include "isa/row.h"

#include <stdlib.h>

bool isa_branch_distance(const struct insn *in, int64_t *bytes)
{
    if (!(isa_rows[in->op].flags & BRANCH))
        return false;
    *bytes = (int64_t)in->imm * 4;
    return true;
}

/* Set bit i of `targets` (when not NULL) for each dword i that a branch goes to. Returns
 * the program's end as isa_program_dwords. */
static size_t scan(const struct isa_target *t, const uint32_t *code, size_t ndw,
                   uint8_t *targets)
{
    size_t furthest = 0, at = 0;

    while (at < ndw) {
        struct insn in;
        int n = isa_decode(t, code + at, ndw - at, &in);
        int64_t distance;

        if (n < 0)
            return ndw;
        at += n ? (size_t)n : 1;
        if (!n)
            continue;
        if (isa_branch_distance(&in, &distance)) {
            int64_t to = (int64_t)at + distance / 4;

            if (to < 0 || (uint64_t)to > ndw)
                continue;
            furthest = MAX2(furthest, (size_t)to);
            if (targets)
                targets[to / 8] |= (uint8_t)(1 << to % 8);
        }
        if (isa_rows[in.op].flags & END && at > furthest)
            return at;
    }
    return at;
}

size_t isa_program_dwords(const struct isa_target *t, const uint32_t *code, size_t ndw)
{
    return scan(t, code, ndw, NULL);
}

bool isa_program_is_pure(const struct isa_target *t, const uint32_t *code, size_t ndw)
{
    size_t furthest = 0, at = 0;

    while (at < ndw) {
        struct insn in;
        int n = isa_decode(t, code + at, ndw - at, &in);
        uint64_t flags;
        int64_t distance;

        if (n <= 0)
            return false;
        at += (size_t)n;
        flags = isa_rows[in.op].flags;
        /* LDS is the wave's own. */
        if (flags & (JUMP | GWS) || (flags & (STORE | ATOMIC) && (in.enc != ENC_DS || in.gds)))
            return false;
        if (isa_branch_distance(&in, &distance)) {
            int64_t to = (int64_t)at + distance / 4;

            if (to < 0 || (uint64_t)to > ndw)
                return false;
            furthest = MAX2(furthest, (size_t)to);
        }
        if (flags & END && at > furthest)
            return true;
    }
    return false;
}

bool isa_program_reads_trapsts(const struct isa_target *t, const uint32_t *code, size_t before, size_t ndw)
{
    enum { REGISTER = 0x3f, TRAPSTS = 3 }; /* of s_getreg's immediate */
    size_t end = isa_program_dwords(t, code, ndw);

    for (size_t at = 0; at < end;) {
        struct insn in;
        const int n = isa_decode(t, code + at, end - at, &in);

        at += n > 0 ? (size_t)n : 1;
        if (n <= 0)
            continue;
        if (in.op == I_S_GETREG_B32 && (in.imm & REGISTER) == TRAPSTS)
            return true;
        if (isa_rows[in.op].flags & JUMP && (before || end < ndw)) {
            code -= before;
            end = before + ndw;
            at = before = 0;
            ndw = end;
        }
    }
    return false;
}

static void print_line(FILE *out, const char *text, size_t at, const uint32_t *dw, int n)
{
    fprintf(out, "        %-56s // %06zx:", text, at * 4);
    for (int i = 0; i < n; i++)
        fprintf(out, " %08x", dw[i]);
    fputc('\n', out);
}

unsigned isa_list(const struct isa_target *t, const uint32_t *code, size_t ndw, FILE *out)
{
    uint8_t *targets = calloc(ndw / 8 + 1, 1);
    unsigned errors = 0;

    for (size_t at = 0; at < ndw;) {
        struct insn in;
        char text[256];
        int n = isa_decode(t, code + at, ndw - at, &in);
        int64_t distance, to;

        if (!at)
            scan(t, code, ndw, targets);
        if (targets && targets[at / 8] >> at % 8 & 1)
            fprintf(out, "L%06zx:\n", at * 4);
        if (n <= 0) {
            fprintf(out, "error: %06zx: %08x %s\n", at * 4, code[at],
                    n ? "is cut off by the end of the code" : "is no instruction");
            errors++;
            at++;
            continue;
        }
        isa_print(t, &in, text, sizeof text);
        if (targets && isa_branch_distance(&in, &distance)) {
            to = (int64_t)at + n + distance / 4;
            if (to >= 0 && (uint64_t)to <= ndw) {
                char *number = strrchr(text, ' ');

                if (number)
                    snprintf(number + 1, sizeof text - (size_t)(number + 1 - text),
                             "L%06llx", (unsigned long long)to * 4);
            }
        }
        print_line(out, text, at, code + at, n);
        at += (size_t)n;
    }
    if (targets && targets[ndw / 8] >> ndw % 8 & 1)
        fprintf(out, "L%06zx:\n", ndw * 4);
    free(targets);
    return errors;
}
