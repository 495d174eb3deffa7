/* Code objects: the ELF file, its image and its kernels. See codeobj.h.
 *
 * A linked file's image is its PT_LOAD segments as they say; a relocatable file's is its allocated
 * sections, one behind the other. Kernels are found by their symbols (NAME.kd, of a 64-byte kernel
 * descriptor; in version 2 of type AMDGPU_HSA_KERNEL, of a 256-byte amd_kernel_code_t), and what the
 * metadata note says of them is added to that. */
#include "emu/codeobj_priv.h"

#include <stdlib.h>

enum {
    OSABI_AMDGPU_HSA = 64,
    STT_AMDGPU_HSA_KERNEL = 10,
    SHN_AMDGPU_LDS = 0xff00,
    NOTE_V2_ISA = 3,
    NOTE_V2_METADATA = 10,
    NOTE_METADATA = 32,
    DESCRIPTOR_BYTES = 64,
    KERNEL_CODE_BYTES = 256,
    NAME_MAX_BYTES = 4096,
};

/* e_flags & 0xff and the processor, GFX6 to GFX9. Source: AMDGPUUsage, "AMDGPU ELF Header e_flags". */
static const struct {
    uint8_t mach;
    char name[8];
} machs[] = {
    {0x20, "gfx600"}, {0x21, "gfx601"}, {0x3a, "gfx602"}, {0x22, "gfx700"}, {0x23, "gfx701"},
    {0x24, "gfx702"}, {0x25, "gfx703"}, {0x26, "gfx704"}, {0x3b, "gfx705"}, {0x28, "gfx801"},
    {0x29, "gfx802"}, {0x2a, "gfx803"}, {0x3c, "gfx805"}, {0x2b, "gfx810"}, {0x2c, "gfx900"},
    {0x2d, "gfx902"}, {0x2e, "gfx904"}, {0x2f, "gfx906"}, {0x30, "gfx908"}, {0x31, "gfx909"},
    {0x32, "gfx90c"},
};

bool codeobj_known_processor(const char *name, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(machs); i++)
        if (strlen(machs[i].name) == n && !memcmp(machs[i].name, name, n))
            return true;
    return false;
}

static const struct {
    const char *msgpack, *yaml;
} kinds[] = {
#define KIND(id, msgpack, yaml) {msgpack, yaml},
#include "emu/codeobj.def"
};

const char *codeobj_kind_name(enum codeobj_kind k)
{
    return k < CODEOBJ_KINDS ? kinds[k].msgpack : "?";
}

bool codeobj_kind_explicit(enum codeobj_kind k)
{
    return k < CODEOBJ_HIDDEN_NONE;
}

enum codeobj_kind codeobj_kind_find(const char *p, size_t n, bool yaml)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const char *s = yaml ? kinds[i].yaml : kinds[i].msgpack;

        if (*s && strlen(s) == n && !memcmp(s, p, n))
            return (enum codeobj_kind)i;
    }
    return CODEOBJ_KINDS;
}

char *codeobj_string(const char *p, size_t n)
{
    char *s = malloc(n + 1);

    if (s) {
        memcpy(s, p, n);
        s[n] = '\0';
    }
    return s;
}

/* ---- header ----------------------------------------------------------------------- */

static int parse_header(struct codeobj *c, struct err *e)
{
    const unsigned char *id = (const unsigned char *)c->file;
    GElf_Ehdr h;

    if (c->bytes < 64 || memcmp(id, ELFMAG, SELFMAG))
        return err_set(e, "no ELF file");
    if (id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB)
        return err_set(e, "an ELF file, but not a 64-bit little-endian one");
    if (load_le16(id + 18) != EM_AMDGPU)
        return err_set(e, "an ELF file for machine %u, not for AMDGPU (%u)", load_le16(id + 18),
                       EM_AMDGPU);
    if (id[EI_OSABI] != OSABI_AMDGPU_HSA)
        return err_set(e, "an AMDGPU file for OS ABI %u: only amdhsa (%u) is supported; compile with "
                       "-target amdgcn-amd-amdhsa", id[EI_OSABI], OSABI_AMDGPU_HSA);
    c->version = id[EI_ABIVERSION] + 2u;
    if (c->version > 6)
        return err_set(e, "code object version %u: 2 to 6 are supported", c->version);
    c->elf = elf_memory(c->file, c->bytes);
    if (!c->elf || elf_kind(c->elf) != ELF_K_ELF || !gelf_getehdr(c->elf, &h) ||
        elf_getshdrnum(c->elf, &c->sections))
        return err_set(e, "damaged ELF header: %s", elf_errmsg(-1));
    if (h.e_type != ET_REL && h.e_type != ET_DYN && h.e_type != ET_EXEC)
        return err_set(e, "ELF type %u: neither relocatable nor linked", h.e_type);
    c->relocatable = h.e_type == ET_REL;
    if (c->version == 2 && !(h.e_flags & 0xff))
        return 0; /* a note says it */
    for (size_t i = 0; i < ARRAY_LEN(machs); i++)
        if (machs[i].mach == (h.e_flags & 0xff))
            strcpy(c->processor, machs[i].name);
    if (!c->processor[0])
        return err_set(e, "e_flags 0x%x: a processor that is none of GFX6 to GFX9", h.e_flags);
    return 0;
}

static bool section(const struct codeobj *c, size_t i, GElf_Shdr *h)
{
    Elf_Scn *s = elf_getscn(c->elf, i);

    return s && gelf_getshdr(s, h);
}

/* ---- image ------------------------------------------------------------------------ */

static int too_large(struct err *e, uint64_t bytes)
{
    return err_set(e, "an image of %llu bytes: more than %llu", (unsigned long long)bytes,
                   (unsigned long long)CODEOBJ_IMAGE_MAX);
}

static int alloc_image(struct codeobj *c, struct err *e)
{
    c->image_bytes = align_up(MAX2(c->image_bytes, 1), CODEOBJ_ALIGN);
    if (c->image_bytes > CODEOBJ_IMAGE_MAX)
        return too_large(e, c->image_bytes);
    c->raw = calloc(1, c->image_bytes);
    return c->raw ? 0 : err_set(e, "out of memory");
}

static int layout_linked(struct codeobj *c, struct err *e)
{
    uint64_t first = UINT64_MAX, end = 0, total = 0;
    size_t n;
    GElf_Phdr p;

    if (elf_getphdrnum(c->elf, &n))
        return err_set(e, "damaged program headers: %s", elf_errmsg(-1));
    for (size_t i = 0; i < n; i++) {
        if (!gelf_getphdr(c->elf, (int)i, &p))
            return err_set(e, "damaged program header %zu", i);
        if (p.p_type != PT_LOAD || !p.p_memsz)
            continue;
        if (p.p_offset > c->bytes || p.p_filesz > c->bytes - p.p_offset || p.p_filesz > p.p_memsz)
            return err_set(e, "segment %zu: 0x%llx bytes at 0x%llx reach past the end of the file", i,
                           (unsigned long long)p.p_filesz, (unsigned long long)p.p_offset);
        if (p.p_vaddr >> 48 || p.p_memsz > CODEOBJ_IMAGE_MAX)
            return err_set(e, "segment %zu: 0x%llx bytes at address 0x%llx", i,
                           (unsigned long long)p.p_memsz, (unsigned long long)p.p_vaddr);
        first = MIN2(first, p.p_vaddr & ~(uint64_t)(CODEOBJ_ALIGN - 1));
        end = MAX2(end, p.p_vaddr + p.p_memsz);
        total += p.p_filesz;
    }
    if (first == UINT64_MAX)
        return err_set(e, "no segment to load");
    if (total > c->bytes)
        return err_set(e, "segments overlap in the file");
    if (end - first > CODEOBJ_IMAGE_MAX)
        return too_large(e, end - first);
    c->first_va = first;
    c->image_bytes = end - first;
    if (alloc_image(c, e))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(c->elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_memsz)
            memcpy(c->raw + (p.p_vaddr - first), c->file + p.p_offset, p.p_filesz);
    return 0;
}

static int layout_relocatable(struct codeobj *c, struct err *e)
{
    uint64_t total = 0;
    GElf_Shdr h;

    c->section_at = malloc((c->sections + 1) * sizeof *c->section_at);
    if (!c->section_at)
        return err_set(e, "out of memory");
    for (size_t i = 0; i < c->sections; i++) {
        c->section_at[i] = UINT64_MAX;
        if (!i || !section(c, i, &h) || !(h.sh_flags & SHF_ALLOC) || !h.sh_size)
            continue;
        if (h.sh_addralign > CODEOBJ_ALIGN || (h.sh_addralign & (h.sh_addralign - 1)))
            return err_set(e, "section %zu: an alignment of 0x%llx", i, (unsigned long long)h.sh_addralign);
        c->image_bytes = align_up(c->image_bytes, MAX2(h.sh_addralign, 1));
        c->section_at[i] = c->image_bytes;
        if (h.sh_size > CODEOBJ_IMAGE_MAX - c->image_bytes)
            return too_large(e, h.sh_size);
        c->image_bytes += h.sh_size;
        if (h.sh_type == SHT_NOBITS)
            continue;
        if (h.sh_offset > c->bytes || h.sh_size > c->bytes - h.sh_offset)
            return err_set(e, "section %zu: 0x%llx bytes at 0x%llx reach past the end of the file", i,
                           (unsigned long long)h.sh_size, (unsigned long long)h.sh_offset);
        total += h.sh_size;
    }
    if (total > c->bytes)
        return err_set(e, "sections overlap in the file");
    if (codeobj_prepare_relocations(c, e) || alloc_image(c, e))
        return -1;
    for (size_t i = 0; i < c->sections; i++)
        if (c->section_at[i] != UINT64_MAX && section(c, i, &h) && h.sh_type != SHT_NOBITS)
            memcpy(c->raw + c->section_at[i], c->file + h.sh_offset, h.sh_size);
    return 0;
}

enum codeobj_symbol codeobj_locate(const struct codeobj *c, const GElf_Sym *s, uint64_t *at)
{
    uint64_t base = 0;

    *at = 0;
    if (s->st_shndx == SHN_UNDEF)
        return CODEOBJ_SYM_UNDEFINED;
    if (s->st_shndx == SHN_ABS) {
        *at = s->st_value;
        return CODEOBJ_SYM_ABSOLUTE;
    }
    if (s->st_shndx >= SHN_LORESERVE)
        return CODEOBJ_SYM_BAD; /* LDS, common, extended numbers */
    if (c->relocatable) {
        if (s->st_shndx >= c->sections || c->section_at[s->st_shndx] == UINT64_MAX)
            return CODEOBJ_SYM_BAD;
        base = c->section_at[s->st_shndx];
        *at = base + s->st_value;
    } else {
        *at = s->st_value - c->first_va;
    }
    return *at >= base && *at <= c->image_bytes ? CODEOBJ_SYM_DEFINED : CODEOBJ_SYM_BAD;
}

/* ---- kernels ---------------------------------------------------------------------- */

static void decode_descriptor(const uint8_t *d, struct codeobj_kernel *k)
{
    k->lds_bytes = load_le32(d);
    k->private_bytes = load_le32(d + 4);
    k->kernarg_bytes = load_le32(d + 8);
    k->rsrc1 = load_le32(d + 48);
    k->rsrc2 = load_le32(d + 52);
    k->inputs = load_le16(d + 56) & 0x7f;
    k->dynamic_stack = load_le16(d + 56) >> 11 & 1;
    k->element_bytes = 4;
}

static void decode_kernel_code(const uint8_t *d, struct codeobj_kernel *k)
{
    const uint32_t flags = load_le32(d + 56);

    k->v2 = true;
    k->rsrc1 = load_le32(d + 48);
    k->rsrc2 = load_le32(d + 52);
    k->inputs = flags & 0x3ff;
    k->element_bytes = 2u << bits(flags, 17, 18);
    k->dynamic_stack = flags >> 20 & 1;
    k->private_bytes = load_le32(d + 60);
    k->lds_bytes = load_le32(d + 64);
    k->kernarg_bytes = (uint32_t)MIN2(load_le64(d + 72), UINT32_MAX);
    k->sgprs = load_le16(d + 84);
    k->vgprs = load_le16(d + 86);
}

/* Where the field kernel_code_entry_byte_offset is in a descriptor. */
#define ENTRY_OFFSET 16

int codeobj_entry(const struct codeobj *c, const struct codeobj_kernel *k, const uint8_t *image,
                  uint64_t *entry, struct err *e)
{
    *entry = k->descriptor + load_le64(image + k->descriptor + ENTRY_OFFSET);
    if (*entry % 256 || *entry >= c->image_bytes)
        return err_set(e, "kernel %s: its code is said to begin at 0x%llx of an image of 0x%llx bytes",
                       k->name, (unsigned long long)*entry, (unsigned long long)c->image_bytes);
    return 0;
}

static int add_kernel(struct codeobj *c, const GElf_Sym *s, const char *name, struct err *e)
{
    const bool v2 = GELF_ST_TYPE(s->st_info) == STT_AMDGPU_HSA_KERNEL;
    const size_t len = strlen(name), size = v2 ? KERNEL_CODE_BYTES : DESCRIPTOR_BYTES;
    struct codeobj_kernel *k;
    uint64_t at;

    if (!v2 && (len < 4 || strcmp(name + len - 3, ".kd")))
        return 0;
    if (len > NAME_MAX_BYTES)
        return err_set(e, "a kernel name of %zu characters", len);
    if (codeobj_locate(c, s, &at) != CODEOBJ_SYM_DEFINED)
        return s->st_shndx == SHN_UNDEF ? 0 : err_set(e, "kernel symbol %.100s lies outside the image",
                                                      name);
    if (size > c->image_bytes - at)
        return err_set(e, "the descriptor of %.100s runs past the image", name);
    if (c->kernel_count == CODEOBJ_KERNELS_MAX)
        return err_set(e, "more than %u kernels", CODEOBJ_KERNELS_MAX);
    if (c->kernel_count == c->kernel_room) {
        unsigned room = c->kernel_room ? 2 * c->kernel_room : 16;

        k = realloc(c->kernels, room * sizeof *k);
        if (!k)
            return err_set(e, "out of memory");
        c->kernels = k;
        c->kernel_room = room;
    }
    k = &c->kernels[c->kernel_count];
    *k = (struct codeobj_kernel){.descriptor = at, .name = codeobj_string(name, v2 ? len : len - 3)};
    if (!k->name)
        return err_set(e, "out of memory");
    c->kernel_count++;
    if (v2)
        decode_kernel_code(c->raw + at, k);
    else
        decode_descriptor(c->raw + at, k);
    return 0;
}

static int add_function(struct codeobj *c, const GElf_Sym *s, const char *name, struct err *e)
{
    const bool v2 = GELF_ST_TYPE(s->st_info) == STT_AMDGPU_HSA_KERNEL; /* the code is behind the descriptor */
    const uint64_t skip = v2 ? KERNEL_CODE_BYTES : 0;
    struct codeobj_function *f;
    uint64_t at;

    if ((GELF_ST_TYPE(s->st_info) != STT_FUNC && !v2) || codeobj_locate(c, s, &at) != CODEOBJ_SYM_DEFINED ||
        at + skip >= c->image_bytes)
        return 0;
    if (c->function_count == CODEOBJ_KERNELS_MAX)
        return err_set(e, "more than %u functions", CODEOBJ_KERNELS_MAX);
    if (c->function_count == c->function_room) {
        unsigned room = c->function_room ? 2 * c->function_room : 16;

        f = realloc(c->functions, room * sizeof *f);
        if (!f)
            return err_set(e, "out of memory");
        c->functions = f;
        c->function_room = room;
    }
    f = &c->functions[c->function_count];
    *f = (struct codeobj_function){codeobj_string(name, strnlen(name, NAME_MAX_BYTES)), at + skip,
                                   MIN2(s->st_size > skip ? s->st_size - skip : 0, c->image_bytes - at - skip)};
    if (!f->name)
        return err_set(e, "out of memory");
    c->function_count++;
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct codeobj_function *x = a, *y = b;

    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : strcmp(x->name, y->name);
}

/* Linked files have many in two tables. */
static void sort_functions(struct codeobj *c)
{
    unsigned n = 0;

    if (c->function_count)
        qsort(c->functions, c->function_count, sizeof *c->functions, by_address);
    for (unsigned i = 0; i < c->function_count; i++) {
        if (n && !by_address(&c->functions[n - 1], &c->functions[i]))
            free(c->functions[i].name);
        else
            c->functions[n++] = c->functions[i];
    }
    c->function_count = n;
}

static int by_name(const void *a, const void *b)
{
    const struct codeobj_kernel *x = a, *y = b;
    int d = strcmp(x->name, y->name);

    return d ? d : (x->descriptor > y->descriptor) - (x->descriptor < y->descriptor);
}

static void free_args(struct codeobj_kernel *k)
{
    for (unsigned i = 0; i < k->arg_count; i++) {
        free(k->args[i].name);
        free(k->args[i].type);
    }
    free(k->args);
    k->args = NULL;
    k->arg_count = 0;
}

static int find_kernels(struct codeobj *c, struct err *e)
{
    unsigned n = 0;

    for (size_t i = 1; i < c->sections; i++) {
        GElf_Shdr h;
        Elf_Data *data;
        GElf_Sym s;

        /* Linked files have each kernel in both tables. */
        if (!section(c, i, &h) || (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM) ||
            !(data = elf_getdata(elf_getscn(c->elf, i), NULL)) || !data->d_buf)
            continue;
        for (int k = 0; gelf_getsym(data, k, &s); k++) {
            const char *name = s.st_name ? elf_strptr(c->elf, h.sh_link, s.st_name) : NULL;

            if (name && (add_kernel(c, &s, name, e) || add_function(c, &s, name, e)))
                return -1;
        }
    }
    sort_functions(c);
    if (c->kernel_count)
        qsort(c->kernels, c->kernel_count, sizeof *c->kernels, by_name);
    for (unsigned i = 0; i < c->kernel_count; i++) {
        if (n && !strcmp(c->kernels[n - 1].name, c->kernels[i].name))
            free(c->kernels[i].name);
        else
            c->kernels[n++] = c->kernels[i];
    }
    c->kernel_count = n;
    return 0;
}

const struct codeobj_kernel *codeobj_find(const struct codeobj *c, const char *name)
{
    const struct codeobj_kernel key = {.name = (char *)name};
    unsigned lo = 0, hi = c->kernel_count;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        int d = strcmp(key.name, c->kernels[mid].name);

        if (!d)
            return &c->kernels[mid];
        if (d < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

void codeobj_take_meta(struct codeobj *c, struct codeobj_meta *m)
{
    struct codeobj_kernel *k = NULL;
    size_t n = m->symbol ? strlen(m->symbol) : 0;

    /* NAME.kd, and NAME@kd in version 2. */
    if (n > 3 && !strcmp(m->symbol + n - 2, "kd"))
        m->symbol[n - 3] = '\0';
    if (n)
        k = (struct codeobj_kernel *)codeobj_find(c, m->symbol);
    if (!k && m->name)
        k = (struct codeobj_kernel *)codeobj_find(c, m->name);
    if (k && !k->has_args) {
        k->has_args = true;
        k->args = m->k.args;
        k->arg_count = m->k.arg_count;
        memcpy(k->group, m->k.group, sizeof k->group);
        k->max_threads = m->k.max_threads;
        k->sgprs = m->k.sgprs ? m->k.sgprs : k->sgprs;
        k->vgprs = m->k.vgprs ? m->k.vgprs : k->vgprs;
        k->dynamic_stack |= m->k.dynamic_stack;
    } else {
        free_args(&m->k);
    }
    free(m->name);
    free(m->symbol);
    *m = (struct codeobj_meta){0};
}

/* ---- notes ------------------------------------------------------------------------ */

/* NT_AMD_HSA_ISA_VERSION: two name sizes, major, minor, stepping. */
static int read_isa_note(struct codeobj *c, const char *p, size_t n, struct err *e)
{
    char name[32];

    if (n < 16)
        return err_set(e, "a note on the processor of %zu bytes", n);
    snprintf(name, sizeof name, "gfx%u%u%x", load_le32(p + 4), load_le32(p + 8), load_le32(p + 12));
    for (size_t i = 0; i < ARRAY_LEN(machs); i++)
        if (!strcmp(machs[i].name, name))
            strcpy(c->processor, machs[i].name);
    return c->processor[0] ? 0 : err_set(e, "processor %s is none of GFX6 to GFX9", name);
}

static int read_notes(struct codeobj *c, struct err *e)
{
    for (size_t i = 1; i < c->sections; i++) {
        GElf_Shdr h;
        GElf_Nhdr note;
        Elf_Data *data;
        size_t at = 0, next, name, desc;

        if (!section(c, i, &h) || h.sh_type != SHT_NOTE ||
            !(data = elf_getdata(elf_getscn(c->elf, i), NULL)) || !data->d_buf)
            continue;
        for (; (next = gelf_getnote(data, at, &note, &name, &desc)) > 0; at = next) {
            const char *p = data->d_buf;
            int bad = 0;

            if (c->version == 2 && note.n_namesz == 4 && !memcmp(p + name, "AMD", 4)) {
                if (note.n_type == NOTE_V2_ISA)
                    bad = read_isa_note(c, p + desc, note.n_descsz, e);
                if (note.n_type == NOTE_V2_METADATA)
                    bad = codeobj_read_yaml(c, p + desc, note.n_descsz, e);
            }
            if (c->version > 2 && note.n_namesz == 7 && !memcmp(p + name, "AMDGPU", 7) &&
                note.n_type == NOTE_METADATA)
                bad = codeobj_read_msgpack(c, p + desc, note.n_descsz, e);
            if (bad)
                return bad;
        }
    }
    return c->processor[0] ? 0 : err_set(e, "nothing says which processor it is for");
}

/* ---- the whole -------------------------------------------------------------------- */

struct codeobj *codeobj_parse(const void *bytes, size_t n, struct err *e)
{
    struct codeobj *c = calloc(1, sizeof *c);

    if (c)
        c->file = malloc(n + 1);
    if (!c || !c->file) {
        err_set(e, "out of memory");
        free(c);
        return NULL;
    }
    memcpy(c->file, bytes, n);
    c->bytes = n;
    elf_version(EV_CURRENT);
    if (parse_header(c, e) || (c->relocatable ? layout_relocatable(c, e) : layout_linked(c, e)) ||
        find_kernels(c, e) || read_notes(c, e)) {
        codeobj_free(c);
        return NULL;
    }
    codeobj_sort_printf(c);
    return c;
}

void codeobj_free(struct codeobj *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->kernel_count; i++) {
        free_args(&c->kernels[i]);
        free(c->kernels[i].name);
    }
    free(c->kernels);
    for (unsigned i = 0; i < c->function_count; i++)
        free(c->functions[i].name);
    free(c->functions);
    codeobj_free_printf(c);
    elf_end(c->elf);
    free(c->section_at);
    free(c->raw);
    free(c->file);
    free(c);
}

unsigned codeobj_version(const struct codeobj *c)
{
    return c->version;
}

const char *codeobj_processor(const struct codeobj *c)
{
    return c->processor;
}

bool codeobj_relocatable(const struct codeobj *c)
{
    return c->relocatable;
}

const struct codeobj_kernel *codeobj_kernel(const struct codeobj *c, unsigned i)
{
    return i < c->kernel_count ? &c->kernels[i] : NULL;
}

const struct codeobj_function *codeobj_function(const struct codeobj *c, unsigned i)
{
    return i < c->function_count ? &c->functions[i] : NULL;
}

uint64_t codeobj_image_bytes(const struct codeobj *c)
{
    return c->image_bytes;
}
