/* Any bytes as a code object: parsed, listed, placed, relocated, and now and then launched; an error or a
 * result, in bounded time. Seeds (testvectors/codeobj) are changed once more here, where a change of one
 * field of a header, a symbol or a relocation reaches what random bytes seldom do: sizes and offsets that
 * are absurd, overlap, or point past the end; relocations of relocations. */
#include "emu/codeobj.h"
#include "emu/gpu.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { EHDR = 64, SHDR = 64, PHDR = 56, SYM = 24, RELA = 24, SHT_SYMTAB_ = 2, SHT_RELA_ = 4 };

static uint64_t mix(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * UINT64_C(2685821657736338717) >> 20;
}

/* Something unpleasant for a field. */
static uint64_t bad_value(uint64_t *s, size_t bytes)
{
    const uint64_t list[] = {0, 1, 2, 7, bytes, bytes - 1, bytes + 1, bytes / 2, 0x7fffffff, 0x80000000, 0xffffffff,
                             UINT64_MAX, UINT64_MAX - 7, INT64_MAX, UINT64_C(1) << 40, 0xfff1, 0xff00, 64, 4096,
                             UINT64_C(1) << 26};

    return list[mix(s) % (sizeof list / sizeof list[0])];
}

static void no_text(void *ctx, const char *p, size_t n)
{
    (void)p;
    *(size_t *)ctx += n;
}

/* The input as a bundle, and as what a kernel has written for printf: for one that prints with each kind of
 * conversion, since seeds that do are few. */
static void bundle_and_print(const struct codeobj *c, const uint8_t *p, size_t bytes)
{
    size_t at = 0, size = 0, printed = 0;
    struct err e;

    if (codeobj_unbundle(p, bytes, NULL, &at, &size, &e) > 0 && (at > bytes || size > bytes - at))
        abort();
    if (c)
        codeobj_print(c, p, bytes, no_text, &printed, &e);
}

/* Change one field of entry `i` of a table of entries of `size` bytes. */
static void hurt(uint8_t *p, size_t bytes, uint64_t at, uint64_t size, uint64_t *s)
{
    uint64_t v = bad_value(s, bytes), width = mix(s) % 2 ? 8 : 4, off = mix(s) % (size / width) * width;

    if (at <= bytes && off + width <= bytes - at)
        memcpy(p + at + off, &v, width);
}

static void hurt_elf(uint8_t *p, size_t bytes, uint64_t *s)
{
    uint64_t shoff, phoff, at;
    unsigned shnum, phnum;

    if (bytes < EHDR)
        return;
    shoff = load_le64(p + 40);
    phoff = load_le64(p + 32);
    shnum = load_le16(p + 60);
    phnum = load_le16(p + 56);
    for (unsigned n = 1 + mix(s) % 3; n; n--) {
        switch (mix(s) % 6) {
        case 0:
            hurt(p, bytes, 24, EHDR - 24, s);
            break;
        case 1:
            if (phnum)
                hurt(p, bytes, phoff + PHDR * (mix(s) % phnum), PHDR, s);
            break;
        case 2:
        case 3:
            if (shnum)
                hurt(p, bytes, shoff + SHDR * (mix(s) % shnum), SHDR, s);
            break;
        default: /* an entry of a symbol table or of relocations */
            if (!shnum)
                break;
            at = shoff + SHDR * (mix(s) % shnum);
            if (at <= bytes && bytes - at >= SHDR) {
                uint32_t type = load_le32(p + at + 4);
                uint64_t off = load_le64(p + at + 24), size = load_le64(p + at + 32);

                if ((type == SHT_SYMTAB_ || type == SHT_RELA_ || type == 11) && size / SYM)
                    hurt(p, bytes, off + SYM * (mix(s) % (size / SYM)), RELA, s);
            }
        }
    }
}

static void list(const struct codeobj *c)
{
    volatile uint64_t sum = codeobj_version(c);
    const struct codeobj_kernel *k;
    const struct codeobj_function *f;

    for (unsigned i = 0; (f = codeobj_function(c, i)); i++)
        if (f->at >= codeobj_image_bytes(c) || f->bytes > codeobj_image_bytes(c) - f->at || !f->name)
            abort();
    for (unsigned i = 0; (k = codeobj_kernel(c, i)); i++) {
        sum += strlen(k->name) + k->lds_bytes;
        if (codeobj_find(c, k->name) != k)
            abort();
        for (unsigned a = 0; a < k->arg_count; a++)
            sum += (k->args[a].name ? strlen(k->args[a].name) : 0) + strlen(codeobj_kind_name(k->args[a].kind));
    }
}

static void launch(const uint8_t *p, size_t bytes, const struct codeobj *c)
{
    static const char *const chips[] = {"kaveri", "fiji", "vega10"};
    const struct atoll_options opt = {.quiet = 1, .watchdog_insts = 500, .threads = 1};
    const struct codeobj_kernel *k = codeobj_kernel(c, 0);
    struct atoll_kernel_arg args[16];
    uint64_t value[2] = {0x100000000, 0};
    size_t printed = 0;
    struct atoll_kernel_launch l = {.grid = {70, 1, 1}, .group = {64, 1, 1}, .args = args, .print = no_text,
                                    .print_ctx = &printed};

    for (unsigned i = 0; k && i < sizeof chips / sizeof chips[0]; i++) {
        struct atoll_gpu *gpu = atoll_gpu_create(chips[i], &opt);
        struct atoll_module *m = gpu ? atoll_module_load(gpu, p, bytes) : NULL;

        if (m) {
            atoll_map(gpu, value[0], 65536, NULL);
            l.kernel = k->name;
            for (unsigned a = 0; a < k->arg_count && l.arg_count < 16; a++)
                if (codeobj_kind_explicit(k->args[a].kind))
                    args[l.arg_count++] = (struct atoll_kernel_arg){
                        k->args[a].kind == CODEOBJ_DYNAMIC_SHARED_POINTER ? NULL : value,
                        k->args[a].size <= sizeof value ? k->args[a].size : 8};
            atoll_module_launch(m, &l);
        }
        atoll_module_unload(m);
        atoll_gpu_destroy(gpu);
        if (m)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint64_t s = bytes + 1;
    uint8_t *p = malloc(bytes ? bytes : 1);
    struct codeobj *c;
    struct err e;

    for (size_t i = 0; i < bytes; i++)
        s = (s ^ data[i]) * UINT64_C(0x100000001b3);
    s |= 1;
    memcpy(p, data, bytes);
    if (mix(&s) % 2)
        hurt_elf(p, bytes, &s);
    c = codeobj_parse(p, bytes, &e);
    bundle_and_print(c, p, bytes);
    if (c) {
        uint64_t n = codeobj_image_bytes(c), entry;
        uint8_t *image = malloc(n);
        const struct codeobj_kernel *k;

        list(c);
        if (image && !codeobj_image(c, 0xf100000000, image, &e))
            for (unsigned i = 0; (k = codeobj_kernel(c, i)); i++)
                if (!codeobj_entry(c, k, image, &entry, &e) && entry >= n)
                    abort();
        free(image);
        if (mix(&s) % 16 == 0)
            launch(p, bytes, c);
        codeobj_free(c);
    } else if (!e.text[0]) {
        abort();
    }
    free(p);
    return 0;
}
