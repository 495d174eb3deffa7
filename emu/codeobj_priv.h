/* Between emu/codeobj*.c only. */
#ifndef ATOLL_EMU_CODEOBJ_PRIV_H
#define ATOLL_EMU_CODEOBJ_PRIV_H

#include "emu/codeobj.h"

#include <gelf.h>

struct codeobj {
    char *file; /* the copy that `elf` reads */
    size_t bytes;
    Elf *elf;
    size_t sections;
    unsigned version;
    char processor[16];
    bool relocatable;

    uint64_t first_va;     /* what the image's first byte is called in a linked file */
    uint64_t image_bytes;
    uint8_t *raw;          /* the image before relocation */
    uint64_t *section_at;  /* relocatable: where each section lies; UINT64_MAX when it does not */
    uint64_t got_at;       /* relocatable: a slot for each symbol; 0 when nobody needs it */
    size_t got_symtab;     /* the section of those symbols */

    struct codeobj_kernel *kernels;
    unsigned kernel_count, kernel_room;
    struct codeobj_function *functions;
    unsigned function_count, function_room;
    struct codeobj_printf *printfs; /* the calls of printf */
    unsigned printf_count;
};

/* A metadata reader's kernel: `symbol` names its descriptor. */
struct codeobj_meta {
    char *name, *symbol;
    struct codeobj_kernel k; /* the part that comes from metadata */
};

/* Take a kernel's metadata: finds the kernel by its symbol or name and moves args into it. Frees what it
 * does not move. */
void codeobj_take_meta(struct codeobj *c, struct codeobj_meta *m);

/* The two spellings of metadata: bytes of the note's description. Return 0, or -1 with *e set. */
int codeobj_read_msgpack(struct codeobj *c, const char *p, size_t n, struct err *e);
int codeobj_read_yaml(struct codeobj *c, const char *p, size_t n, struct err *e);

/* codeobj_printf.c: a string of amdhsa.printf. Returns 0, or -1 with *e set. */
int codeobj_take_printf(struct codeobj *c, const char *text, size_t n, struct err *e);
void codeobj_sort_printf(struct codeobj *c);
void codeobj_free_printf(struct codeobj *c);

/* Copy n bytes of a string; NULL when memory runs out. */
char *codeobj_string(const char *p, size_t n);
enum codeobj_kind codeobj_kind_find(const char *p, size_t n, bool yaml); /* CODEOBJ_KINDS: unknown */

/* codeobj_reloc.c: what is needed before the image can be sized; codeobj_image is there too. */
int codeobj_prepare_relocations(struct codeobj *c, struct err *e);

/* Where a symbol of a symbol table lies in the image. */
enum codeobj_symbol { CODEOBJ_SYM_DEFINED, CODEOBJ_SYM_ABSOLUTE, CODEOBJ_SYM_UNDEFINED, CODEOBJ_SYM_BAD };
enum codeobj_symbol codeobj_locate(const struct codeobj *c, const GElf_Sym *s, uint64_t *at);

#endif
