/* Code objects: the ELF files that compilers write for amdhsa, versions 2 to 6, relocatable or linked.
 *
 *   codeobj_parse      what is in it: processor, kernels, their arguments and resources
 *   codeobj_image      its memory image, placed and relocated for a base address
 *
 * Between emu/codeobj*.c, emu/launch.c and the tools. Guest input: every offset, size and string is
 * checked, time and memory are bounded by the file's size and the limits below.
 *
 * Sources: LLVM's AMDGPUUsage ("ELF Code Object", "Kernel Descriptor", "Code Object Metadata"), the HSA
 * runtime's amd_kernel_code_t for version 2, the ELF specification. */
#ifndef ATOLL_EMU_CODEOBJ_H
#define ATOLL_EMU_CODEOBJ_H

#include "base/base.h"

/* When `bytes` are one of clang's offload bundles: 1, and where in it the code object for a processor ("gfx900"; NULL:
 * the first of GFX6 to GFX9) lies. 0 when they are something else; -1 with *e set for a bundle that is damaged or has
 * no such entry, and for kinds of file that have to become a code object first. */
int codeobj_unbundle(const void *bytes, size_t n, const char *processor, size_t *at, size_t *size, struct err *e);
bool codeobj_known_processor(const char *name, size_t n); /* one of GFX6 to GFX9 */

#define CODEOBJ_IMAGE_MAX   (UINT64_C(64) << 20) /* bytes of a placed image */
#define CODEOBJ_KERNELS_MAX 65536u
#define CODEOBJ_ARGS_MAX    4096u
#define CODEOBJ_ALIGN       4096u /* of base addresses, and the most that a section may ask for */

enum codeobj_kind {
#define KIND(id, msgpack, yaml) CODEOBJ_##id,
#include "emu/codeobj.def"
    CODEOBJ_KINDS
};

struct codeobj_arg {
    char *name, *type; /* NULL when the metadata has none */
    uint32_t offset, size;
    uint32_t align; /* of what a pointer to LDS points to; 0 when not said */
    enum codeobj_kind kind;
    char space[16];    /* address space: "global", "local", ...; "" when none */
};

/* Inputs in SGPRs that a kernel asks for: the bits of kernel_code_properties, which are those of v2's
 * code_properties too. In the order in which they lie in SGPRs. */
enum codeobj_input {
    CODEOBJ_PRIVATE_SEGMENT_BUFFER = 1 << 0,
    CODEOBJ_DISPATCH_PTR = 1 << 1,
    CODEOBJ_QUEUE_PTR = 1 << 2,
    CODEOBJ_KERNARG_SEGMENT_PTR = 1 << 3,
    CODEOBJ_DISPATCH_ID = 1 << 4,
    CODEOBJ_FLAT_SCRATCH_INIT = 1 << 5,
    CODEOBJ_PRIVATE_SEGMENT_SIZE = 1 << 6,
    CODEOBJ_GRID_WORKGROUP_COUNT_X = 1 << 7, /* v2 only */
    CODEOBJ_GRID_WORKGROUP_COUNT_Y = 1 << 8,
    CODEOBJ_GRID_WORKGROUP_COUNT_Z = 1 << 9,
};

struct codeobj_kernel {
    char *name;
    uint64_t descriptor;   /* address of the kernel descriptor, relative to the image */
    bool v2;               /* it is an amd_kernel_code_t */
    uint32_t rsrc1, rsrc2; /* COMPUTE_PGM_RSRC1, 2 */
    uint32_t inputs;       /* mask of codeobj_input */
    uint32_t lds_bytes, private_bytes, kernarg_bytes;
    uint32_t element_bytes; /* of the scratch buffer's swizzle */
    bool dynamic_stack;

    /* From the metadata; has_args false when there was none. */
    bool has_args;
    struct codeobj_arg *args;
    unsigned arg_count;
    uint32_t group[3];     /* required size of workgroups, 0 when any */
    uint32_t max_threads;  /* of a workgroup; 0 when not said */
    uint32_t sgprs, vgprs; /* as the compiler counted them; 0 when not said */
};

struct codeobj;

/* Parse a file. `bytes` are copied. Returns NULL with *e set. */
struct codeobj *codeobj_parse(const void *bytes, size_t n, struct err *e);
void codeobj_free(struct codeobj *c);

unsigned codeobj_version(const struct codeobj *c);       /* 2 .. 6 */
const char *codeobj_processor(const struct codeobj *c);  /* "gfx803" */
bool codeobj_relocatable(const struct codeobj *c);

/* Kernels in the order of their names; NULL past the end. */
const struct codeobj_kernel *codeobj_kernel(const struct codeobj *c, unsigned i);
const struct codeobj_kernel *codeobj_find(const struct codeobj *c, const char *name);

/* Its functions, the kernels' code among them, in the order of their addresses in the image; NULL past the end. */
struct codeobj_function {
    char *name;
    uint64_t at, bytes; /* of code; bytes 0 when the file does not say */
};
const struct codeobj_function *codeobj_function(const struct codeobj *c, unsigned i);

/* Bytes of the image (a multiple of 4096, not 0), and the image itself as it must lie at base_va (a
 * multiple of CODEOBJ_ALIGN) in `out`. The latter returns 0, or -1 with *e set: a relocation that is not
 * supported, an undefined symbol. */
uint64_t codeobj_image_bytes(const struct codeobj *c);
int codeobj_image(const struct codeobj *c, uint64_t base_va, uint8_t *out, struct err *e);

/* Address of the kernel's first instruction, relative to the image: its descriptor says it, in a field
 * that a relocation may fill in, so it is read from the image. */
int codeobj_entry(const struct codeobj *c, const struct codeobj_kernel *k, const uint8_t *image,
                  uint64_t *entry, struct err *e);

/* printf. Bytes of the largest record that a call makes in its buffer; 0 when no kernel calls it. */
size_t codeobj_printf_bytes(const struct codeobj *c);

/* What kernels have printed: `records` is what they have written to the buffer behind its header, n bytes; `text`
 * gets pieces of text, without an end. Returns 0, or -1 with *e set when the records are damaged; those before the
 * damage have been printed then. */
typedef void codeobj_text_fn(void *ctx, const char *p, size_t n);
int codeobj_print(const struct codeobj *c, const uint8_t *records, size_t n, codeobj_text_fn *text, void *ctx,
                  struct err *e);

/* "by_value", "global_buffer", ...; whether a caller passes it. */
const char *codeobj_kind_name(enum codeobj_kind k);
bool codeobj_kind_explicit(enum codeobj_kind k);

#endif
