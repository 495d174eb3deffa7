/* Relocations of code objects.
 *
 * Source: LLVM's AMDGPUUsage, "Relocation Records". A relocatable file gets a global offset table
 * behind its sections, a slot for each symbol, when a relocation asks for one; a linked file has its
 * own, filled by dynamic relocations. */
#include "emu/codeobj_priv.h"

#include <stdlib.h>

/* How a value is stored at the place: FIT32 must fit 32 bits without a sign, FITS32 with one. */
enum store { LO32, HI32, ALL64, FIT32, FITS32, BRANCH16 };

/* S symbol, A addend, P place, G its slot in the GOT, B base of the image. */
enum formula { NOTHING, S_A, S_A_P, G_A_P, B_A };

static const struct {
    const char *name;
    enum formula formula;
    enum store store;
} types[] = {
    [0] = {"R_AMDGPU_NONE", NOTHING, LO32},
    [1] = {"R_AMDGPU_ABS32_LO", S_A, LO32},
    [2] = {"R_AMDGPU_ABS32_HI", S_A, HI32},
    [3] = {"R_AMDGPU_ABS64", S_A, ALL64},
    [4] = {"R_AMDGPU_REL32", S_A_P, FITS32},
    [5] = {"R_AMDGPU_REL64", S_A_P, ALL64},
    [6] = {"R_AMDGPU_ABS32", S_A, FIT32},
    [7] = {"R_AMDGPU_GOTPCREL", G_A_P, FITS32},
    [8] = {"R_AMDGPU_GOTPCREL32_LO", G_A_P, LO32},
    [9] = {"R_AMDGPU_GOTPCREL32_HI", G_A_P, HI32},
    [10] = {"R_AMDGPU_REL32_LO", S_A_P, LO32},
    [11] = {"R_AMDGPU_REL32_HI", S_A_P, HI32},
    [13] = {"R_AMDGPU_RELATIVE64", B_A, ALL64},
    [14] = {"R_AMDGPU_REL16", S_A_P, BRANCH16},
};

#define GOT_SLOT_BYTES 8

/* Whether section i has relocations that apply to the image; `base` is what r_offset counts from. */
static bool applies(const struct codeobj *c, size_t i, GElf_Shdr *h, uint64_t *base, uint64_t *limit)
{
    GElf_Shdr target;

    if (!gelf_getshdr(elf_getscn(c->elf, i), h) || (h->sh_type != SHT_RELA && h->sh_type != SHT_REL))
        return false;
    if (!c->relocatable) {
        *base = -c->first_va;
        *limit = c->image_bytes;
        return h->sh_flags & SHF_ALLOC;
    }
    if (h->sh_info >= c->sections || c->section_at[h->sh_info] == UINT64_MAX ||
        !gelf_getshdr(elf_getscn(c->elf, h->sh_info), &target))
        return false;
    *base = c->section_at[h->sh_info];
    *limit = *base + target.sh_size;
    return true;
}

static Elf_Data *section_data(const struct codeobj *c, size_t i)
{
    Elf_Scn *s = i ? elf_getscn(c->elf, i) : NULL;
    Elf_Data *d = s ? elf_getdata(s, NULL) : NULL;

    return d && d->d_buf ? d : NULL;
}

int codeobj_prepare_relocations(struct codeobj *c, struct err *e)
{
    for (size_t i = 1; i < c->sections; i++) {
        GElf_Shdr h, symtab;
        uint64_t base, limit;
        Elf_Data *data;
        GElf_Rela r;

        if (!applies(c, i, &h, &base, &limit) || h.sh_type != SHT_RELA || !(data = section_data(c, i)))
            continue;
        for (int k = 0; gelf_getrela(data, k, &r); k++) {
            uint32_t type = (uint32_t)GELF_R_TYPE(r.r_info);

            if (type >= ARRAY_LEN(types) || types[type].formula != G_A_P)
                continue;
            if (c->got_at) {
                if (c->got_symtab != h.sh_link)
                    return err_set(e, "relocations with a GOT refer to more than one symbol table");
                break;
            }
            if (!h.sh_link || h.sh_link >= c->sections ||
                !gelf_getshdr(elf_getscn(c->elf, h.sh_link), &symtab) ||
                symtab.sh_size > c->bytes)
                return err_set(e, "relocations of section %zu: no symbol table", i);
            c->got_symtab = h.sh_link;
            c->got_at = align_up(c->image_bytes, GOT_SLOT_BYTES);
            c->image_bytes = c->got_at + symtab.sh_size / sizeof(Elf64_Sym) * GOT_SLOT_BYTES;
        }
    }
    return 0;
}

static int store(uint8_t *p, uint64_t left, enum store how, uint64_t v, const char **why)
{
    unsigned bytes = how == ALL64 ? 8 : how == BRANCH16 ? 2 : 4;

    *why = "it lies outside its section";
    if (bytes > left)
        return -1;
    *why = "the value does not fit";
    switch (how) {
    case LO32: store_le32(p, (uint32_t)v); break;
    case HI32: store_le32(p, (uint32_t)(v >> 32)); break;
    case ALL64: store_le64(p, v); break;
    case FIT32:
        if (v >> 32)
            return -1;
        store_le32(p, (uint32_t)v);
        break;
    case FITS32:
        if ((int64_t)v != (int32_t)v)
            return -1;
        store_le32(p, (uint32_t)v);
        break;
    case BRANCH16:
        v = (uint64_t)(((int64_t)v - 4) / 4);
        if ((int64_t)v != (int16_t)v)
            return -1;
        store_le16(p, (uint16_t)v);
        break;
    }
    return 0;
}

static int apply(const struct codeobj *c, size_t sec, const GElf_Shdr *h, const GElf_Rela *r,
                 uint64_t at, uint64_t limit, uint64_t base_va, uint8_t *out, struct err *e)
{
    const uint32_t type = (uint32_t)GELF_R_TYPE(r->r_info);
    const uint64_t sym = GELF_R_SYM(r->r_info), place = base_va + at;
    const char *name = "", *why;
    uint64_t s = 0, v = 0;

    if (type >= ARRAY_LEN(types) || !types[type].name)
        return err_set(e, "section %zu, offset 0x%llx: relocation type %u is not supported", sec,
                       (unsigned long long)r->r_offset, type);
    if (types[type].formula == NOTHING)
        return 0;
    if (types[type].formula != B_A && sym) {
        Elf_Data *symbols = section_data(c, h->sh_link);
        GElf_Shdr symtab;
        GElf_Sym symbol;
        const char *text;

        if (!symbols || !gelf_getshdr(elf_getscn(c->elf, h->sh_link), &symtab) ||
            sym > INT32_MAX || !gelf_getsym(symbols, (int)sym, &symbol))
            return err_set(e, "section %zu, offset 0x%llx: %s against symbol %llu, which is not there", sec,
                           (unsigned long long)r->r_offset, types[type].name, (unsigned long long)sym);
        text = elf_strptr(c->elf, symtab.sh_link, symbol.st_name);
        name = text ? text : "";
        switch (codeobj_locate(c, &symbol, &s)) {
        case CODEOBJ_SYM_DEFINED: s += base_va; break;
        case CODEOBJ_SYM_ABSOLUTE: break;
        case CODEOBJ_SYM_UNDEFINED:
            if (GELF_ST_BIND(symbol.st_info) == STB_WEAK)
                break;
            return err_set(e, "undefined symbol '%.200s' (%s at 0x%llx); link the file with what defines it "
                           "(ld.lld -shared, or clang's -mlink-builtin-bitcode)", name, types[type].name,
                           (unsigned long long)r->r_offset);
        case CODEOBJ_SYM_BAD:
            return err_set(e, "symbol '%.200s' (%s at 0x%llx) is of a kind that is not supported: section "
                           "index 0x%x", name, types[type].name, (unsigned long long)r->r_offset,
                           symbol.st_shndx);
        }
    }
    switch (types[type].formula) {
    case NOTHING: break;
    case S_A: v = s + (uint64_t)r->r_addend; break;
    case S_A_P: v = s + (uint64_t)r->r_addend - place; break;
    case B_A: v = base_va - c->first_va + (uint64_t)r->r_addend; break;
    case G_A_P: {
        uint64_t slot = c->got_at + GOT_SLOT_BYTES * sym;

        if (!c->got_at || slot + GOT_SLOT_BYTES > c->image_bytes)
            return err_set(e, "section %zu, offset 0x%llx: %s without a global offset table", sec,
                           (unsigned long long)r->r_offset, types[type].name);
        store_le64(out + slot, s);
        v = base_va + slot + (uint64_t)r->r_addend - place;
        break;
    }
    }
    if (at > limit || limit > c->image_bytes ||
        store(out + at, limit - at, types[type].store, v, &why))
        return err_set(e, "%s at 0x%llx of section %zu against '%.200s': %s", types[type].name,
                       (unsigned long long)r->r_offset, sec, name,
                       at > limit || limit > c->image_bytes ? "it lies outside its section" : why);
    return 0;
}

int codeobj_image(const struct codeobj *c, uint64_t base_va, uint8_t *out, struct err *e)
{
    memcpy(out, c->raw, c->image_bytes);
    for (size_t i = 1; i < c->sections; i++) {
        GElf_Shdr h;
        uint64_t base, limit;
        Elf_Data *data;
        GElf_Rela r;

        if (!applies(c, i, &h, &base, &limit))
            continue;
        if (h.sh_type == SHT_REL)
            return err_set(e, "section %zu: relocations without addends are not supported", i);
        if (!(data = section_data(c, i)))
            continue;
        for (int k = 0; gelf_getrela(data, k, &r); k++)
            if (apply(c, i, &h, &r, base + r.r_offset, limit, base_va, out, e))
                return -1;
    }
    return 0;
}
