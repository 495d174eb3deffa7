/* Clang's offload bundles: what the HIP compiler writes when it compiles for several
 * processors, or is not told otherwise. A header, then code objects (and perhaps
 * something for the host), each with a name that ends with its processor:
 * "hipv4-amdgcn-amd-amdhsa--gfx900:xnack+".
 *
 * Source: clang's documentation, "Clang Offload Bundler", "Bundled Binary File Layout".
 */
#include "emu/codeobj.h"

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";

enum { MAGIC_BYTES = sizeof bundle_magic - 1, ENTRIES_MAX = 4096 };

/* What other files that users hand over instead of code objects are; NULL for none of
 * these. */
static const char *known(const uint8_t *p, size_t n)
{
    static const struct {
        const char *magic, *what;
    } kinds[] = {
        {"CCOB", "a compressed offload bundle: take it apart with clang-offload-bundler, "
                 "or compile with "
                 "--no-offload-compress or --no-gpu-bundle-output"},
        {"BC\xc0\xde",
         "LLVM bitcode: compile it first (clang -c -target amdgcn-amd-amdhsa -mcpu=...)"},
        {"!<arch>\n", "an archive: link it first (ld.lld -shared)"},
    };

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (n >= strlen(kinds[i].magic) &&
            !memcmp(p, kinds[i].magic, strlen(kinds[i].magic)))
            return kinds[i].what;
    return NULL;
}

/* Whether an entry of this name is for `processor` (NULL: any of GFX6 to GFX9). */
static bool matches(const char *name, size_t n, const char *processor)
{
    size_t from, end = 0;

    while (end < n && name[end] != ':') /* features follow */
        end++;
    for (from = end; from && name[from - 1] != '-'; from--)
        ;
    if (end - from < 4 || memcmp(name + from, "gfx", 3))
        return false;
    if (processor)
        return strlen(processor) == end - from &&
               !memcmp(processor, name + from, end - from);
    return codeobj_known_processor(name + from, end - from);
}

int codeobj_unbundle(const void *bytes, size_t n, const char *processor, size_t *at,
                     size_t *size, struct err *e)
{
    const uint8_t *p = bytes;
    uint64_t entries, pos = MAGIC_BYTES + 8;
    char there[200] = "";
    size_t used = 0;

    if (known(p, n))
        return err_set(e, "%s", known(p, n));
    if (n < MAGIC_BYTES + 8 || memcmp(p, bundle_magic, MAGIC_BYTES))
        return 0;
    entries = load_le64(p + MAGIC_BYTES);
    for (uint64_t i = 0; i < entries; i++) {
        uint64_t from, len, name;

        if (i == ENTRIES_MAX || n - pos < 24)
            return err_set(e, "a damaged offload bundle of %llu entries",
                           (unsigned long long)entries);
        from = load_le64(p + pos);
        len = load_le64(p + pos + 8);
        name = load_le64(p + pos + 16);
        pos += 24;
        if (name > n - pos || from > n || len > n - from)
            return err_set(e, "a damaged offload bundle: entry %llu reaches past its end",
                           (unsigned long long)i);
        if (matches((const char *)p + pos, name, processor)) {
            *at = from;
            *size = len;
            return 1;
        }
        if (used < sizeof there - 1)
            used += (size_t)snprintf(there + used, sizeof there - used, " %.*s",
                                     (int)MIN2(name, 60), (const char *)p + pos);
        pos += name;
    }
    return err_set(e, "an offload bundle without code for %s; it has:%s",
                   processor ? processor : "GFX6 to GFX9", there);
}
