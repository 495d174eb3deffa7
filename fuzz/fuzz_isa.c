/* Any bytes as instructions and as assembly text: decode, print and assemble agree, and
 * nothing is read past the end. */
#include "fuzz/fuzz.h"
#include "isa/isa.h"

#include <stdlib.h>

static void words(const struct isa_target *t, const uint32_t *dw, size_t ndw)
{
    for (size_t at = 0; at < ndw;) {
        struct insn in, back;
        char text[512], again[512];
        uint32_t out[4];
        int n = isa_decode(t, dw + at, ndw - at, &in), m;

        if (n > 0) {
            isa_print(t, &in, text, sizeof text);
            m = isa_assemble(t, text, out, NULL);
            if (m < 0 || isa_decode(t, out, (size_t)m, &back) != m)
                abort();
            isa_print(t, &back, again, sizeof again);
            if (strcmp(text, again))
                abort();
        }
        at += n > 0 ? (size_t)n : 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    enum { MAX_DWORDS = 256 }; /* an instruction does not see its neighbours */
    static const char *const names[] = {"gfx600", "gfx704", "gfx801",
                                        "gfx803", "gfx900", "gfx906"};
    const struct isa_target *t =
        isa_target_find(names[bytes ? data[0] % ARRAY_LEN(names) : 0]);
    size_t ndw = MIN2(bytes / 4, (size_t)MAX_DWORDS);
    uint32_t *dw = malloc(ndw * 4 + 1), out[4];
    char *text = malloc(bytes + 1);
    struct err e;

    memcpy(text, data, bytes);
    text[bytes] = 0;
    for (size_t i = 0; i < ndw; i++)
        dw[i] = load_le32(data + 4 * i);
    words(t, dw, ndw);
    isa_assemble(t, text, out, &e);
    isa_program_dwords(t, dw, ndw);
    free(text);
    free(dw);
    return 0;
}
