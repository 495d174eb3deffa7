/* mem: GPU virtual memory, surface addressing (tiling), data formats, metadata surfaces.
 *
 * Sees base/ only. Everything here can be tested without a chip: the caller passes the
 * generation and the decoded tiling parameters. */
#ifndef ATOLL_MEM_H
#define ATOLL_MEM_H

#include "base/base.h"

/* ---- virtual memory ---------------------------------------------------------------------- */

/* A page table of VA ranges to host memory. Addresses are 48 bits (40 on GFX6..8); bits above
 * 47 are ignored, so GFX9's sign-extended addresses and the packets' 48-bit ones agree. */
struct mem_vm;

#define MEM_VA_MASK ((UINT64_C(1) << 48) - 1)

enum mem_prot { MEM_R = 1, MEM_W = 2, MEM_X = 4, MEM_RWX = 7 };

/* Who accesses memory: kept in faults and in the byte counters. */
enum mem_client {
    MEM_CP,      /* packets, fences, DMA */
    MEM_SHADER,  /* vector memory */
    MEM_SCALAR,  /* scalar memory */
    MEM_FETCH,   /* instructions */
    MEM_IA,      /* indices */
    MEM_CB,
    MEM_DB,
    MEM_TEX,
    MEM_SO,      /* stream-out, rings */
    MEM_HOST,    /* read-back by the user: never counted, never faults */
    MEM_CLIENTS
};

/* One access that no mapping (or no permission) covered. */
struct mem_fault {
    uint64_t va;
    uint32_t bytes;
    bool write;
    enum mem_client client;
    uint64_t pc_va;      /* of the instruction; 0 when no shader did it */
    uint32_t wave_id;    /* launch number of the wave; 0 when none */
    uint64_t nearest_va; /* start of the mapping nearest below; 0 when none */
    uint64_t nearest_bytes;
    uint64_t count;      /* how often the same (pc, client, page) faulted */
};

/* Names the accessor for a fault. NULL is allowed wherever one is asked for and means MEM_HOST. */
struct mem_who {
    enum mem_client client;
    uint64_t pc_va;
    uint32_t wave_id;
};

struct mem_vm *mem_vm_create(void);
void mem_vm_destroy(struct mem_vm *vm);

/* Map bytes at va onto host memory that the caller owns and keeps alive (host != NULL), or onto
 * zeroed memory that the page table owns (host == NULL). va and bytes are multiples of 4096, bytes
 * is not 0, and va + bytes is at most 2^48. A new mapping replaces what it overlaps. Returns 0, or
 * -1 with *e set and nothing changed. */
int mem_map(struct mem_vm *vm, uint64_t va, uint64_t bytes, void *host, unsigned prot,
            struct err *e);

/* Remove whatever is mapped in the range. Returns 0, or -1 with *e set. */
int mem_unmap(struct mem_vm *vm, uint64_t va, uint64_t bytes, struct err *e);

/* Whether all mappings so far were to host memory at multiples of 4096, so that every host page with guest
 * memory in it is the guest's as a whole. */
bool mem_pages_whole(const struct mem_vm *vm);

/* One mapping, as a half-open span of VA with its host pointer: what hot paths cache. A cached
 * span is valid while mem_epoch() is unchanged. */
struct mem_span {
    uint64_t va, end;
    uint8_t *host; /* of `va` */
    unsigned prot;
};

uint64_t mem_epoch(const struct mem_vm *vm);

/* The span that contains va; false when nothing is mapped there. Records no fault. */
bool mem_find(const struct mem_vm *vm, uint64_t va, struct mem_span *out);

/* The mappings in ascending order: the first whose end is above *va. False at the end. */
bool mem_next(const struct mem_vm *vm, uint64_t va, struct mem_span *out);

/* Host pointer to bytes at va if they lie in one mapping with all of `prot`; else NULL, and no
 * fault is recorded. */
void *mem_ptr(const struct mem_vm *vm, uint64_t va, uint64_t bytes, unsigned prot);

/* Copy out of or into GPU memory, across mappings. Unmapped bytes read as zero and are dropped on
 * write; one fault is recorded, at the first such byte, and false returned. Reads need MEM_R
 * (MEM_FETCH: MEM_X), writes MEM_W; MEM_HOST needs none. */
bool mem_read(struct mem_vm *vm, uint64_t va, void *dst, uint64_t bytes,
              const struct mem_who *who);
bool mem_write(struct mem_vm *vm, uint64_t va, const void *src, uint64_t bytes,
               const struct mem_who *who);

/* Record a fault that a caller found on its own fast path. */
void mem_fault_record(struct mem_vm *vm, uint64_t va, uint32_t bytes, bool write,
                      const struct mem_who *who);

/* Recorded faults, sorted by (client, pc, va), one for each (client, pc, page, direction): the 4096
 * lowest are kept, all are counted in *total (may be NULL). The array stays valid until the next
 * access. */
const struct mem_fault *mem_faults(const struct mem_vm *vm, size_t *n, uint64_t *total);

/* "CB", "shader", ...: for reports and counter names. */
const char *mem_client_name(enum mem_client client);

/* One line of text about a fault, for reports. */
void mem_fault_format(const struct mem_fault *f, char *out, size_t out_bytes);

/* Bytes read and written by each client so far (MEM_HOST excluded). Hot paths that use spans
 * add their own with mem_count(). Thread-safe. */
struct mem_traffic {
    uint64_t read_bytes[MEM_CLIENTS], written_bytes[MEM_CLIENTS];
};
void mem_count(struct mem_vm *vm, enum mem_client client, uint64_t read_bytes,
               uint64_t written_bytes);
void mem_traffic_get(const struct mem_vm *vm, struct mem_traffic *out);

/* ---- surfaces: tiled addressing of GFX6, GFX7 and GFX8 ------------------------------------- */

/* ARRAY_MODE of GB_TILE_MODE, with the hardware's numbers: MEM_ARRAY_2D_TILED_THIN1, ... */
enum mem_array_mode {
#define ARRAY(name, number, thick, macro, rotation, prt) MEM_ARRAY_##name = number,
#include "mem/tiling.def"
#undef ARRAY
};

/* PIPE_CONFIG of GB_TILE_MODE: MEM_PIPE_P4_16x16, ... */
enum mem_pipe_config {
#define PIPE(name, number, pipes, b0, b1, b2, b3) MEM_PIPE_##name = number,
#include "mem/tiling.def"
#undef PIPE
};

/* MICRO_TILE_MODE(_NEW) of GB_TILE_MODE: the order of elements in an 8x8 tile. In MEM_MICRO_DEPTH
 * the samples of an element lie together, in the others those of a whole tile. */
enum mem_micro_mode {
    MEM_MICRO_DISPLAY, MEM_MICRO_THIN, MEM_MICRO_DEPTH, MEM_MICRO_ROTATED, MEM_MICRO_THICK
};

/* How a surface is tiled: the fields of GB_TILE_MODE, GB_MACROTILE_MODE and GB_ADDR_CONFIG as plain
 * numbers. CB and TA take them from the registers (mem_tiling_decode); the DB of GFX7 and GFX8 has
 * them in DB_DEPTH_INFO and DB_Z_INFO, so raster/ fills them in one by one. */
struct mem_tiling {
    enum mem_array_mode array_mode;
    enum mem_micro_mode micro_mode;
    enum mem_pipe_config pipe_config;
    unsigned tile_split_bytes;      /* 64..4096 */
    unsigned bank_width, bank_height, macro_aspect; /* 1, 2, 4, 8 */
    unsigned banks;                 /* 2, 4, 8, 16 */
    unsigned pipe_interleave_bytes; /* 256, 512 */
};

/* Decode the tiling registers for one kind of surface.
 *
 *   tile_mode        GB_TILE_MODE[index], as read
 *   macrotile_modes  GB_MACROTILE_MODE0..15; ignored (may be NULL) on GFX6
 *   addr_config      GB_ADDR_CONFIG (pipe interleave, row size)
 *   element_bits     of one sample; of a block for block-compressed formats; of an FMASK element
 *   samples          stored per pixel (the fragments of EQAA; 1 for FMASK)
 *
 * On GFX7 and GFX8 the bytes of a tile select the GB_MACROTILE_MODE, and the tile split of colour
 * follows from the sample split; both are found here. Returns 0, or -1 with *e set. */
int mem_tiling_decode(struct mem_tiling *t, enum gfx gen, uint32_t addr_config,
                      uint32_t tile_mode, const uint32_t *macrotile_modes,
                      unsigned element_bits, unsigned samples, struct err *e);

/* The GB_MACROTILE_MODE that mem_tiling_decode picks (GFX7, GFX8); -1 when the mode is not 2D. */
int mem_macrotile_index(uint32_t addr_config, uint32_t tile_mode, unsigned element_bits,
                        unsigned samples);

/* Slices of a micro tile (1, 4 or 8), whether banks and pipes are tiled, pipes of a configuration
 * (0 for a reserved one). */
unsigned mem_array_thickness(enum mem_array_mode m);
bool mem_array_is_macro(enum mem_array_mode m);
unsigned mem_pipe_count(enum mem_pipe_config c);

/* A surface: one mip level of one image, or one render target. Plain data, filled by
 * mem_surface_init; cheap to copy. Only the first group is for readers. */
struct mem_surface {
    struct mem_tiling tiling;
    uint64_t base_va;       /* with the swizzle bits of the base address taken off */
    uint32_t element_bytes, samples, pitch, height, slices; /* pitch, height in elements */
    uint64_t size_bytes;    /* of all slices and samples */
    uint32_t macro_width, macro_height; /* of the unit of alignment, in elements */

    /* Private to tiling.c: the address as tables and shifts. */
    struct {
        uint8_t kind, thickness, thickness_log2, sample_shift, split_shift, splits_log2;
        uint8_t tile_log2, macro_log2, macro_x_shift, macro_y_shift; /* bytes; micro tiles */
        uint8_t tile_cols_log2, tile_rows_log2, bank_x_shift, bank_y_shift;
        uint8_t interleave_log2, above_log2, pipes_log2;
        bool local_xy;
        uint8_t rotation, split_rotation;
        uint32_t split_mask, pipe_swizzle, bank_swizzle, macros_per_row, tiles_per_row;
        uint64_t slice_bytes, linear_start;
        uint32_t ex[8], ey[8], ez[8]; /* byte offsets within a micro tile */
        bool quad_whole;              /* a quad lies in one part of a split tile, and then */
        uint32_t quad_x, quad_y;      /* x + 1 and y + 1 are so much further */
        uint16_t pipe_x[16], pipe_y[16], bank_x[16], bank_y[16]; /* bank | pipe << 8 */
        /* GFX9: what each four bits of x, y and slice contribute to the offset in a block. */
        uint16_t sw_x[4][16], sw_y[4][16], sw_z[4][16], sw_sample[16];
        uint32_t sw_start; /* constant part: pipe and bank xor, place in the mip tail */
        uint64_t sw_first_block;
    } priv;
};

/* Describe a surface.
 *
 *   base_va       the base address register's value in bytes (register << 8), including the bank and
 *                 pipe swizzle in its low bits when 2D-tiled
 *   element_bits  8, 16, 32, 64, 128; linear modes take any multiple of 8 up to 128
 *   samples       stored per pixel: 1, 2, 4, 8, 16
 *   pitch, height in elements, as programmed (padded)
 *
 * Returns 0, or -1 with *e set when the registers hold a combination that has no address (then
 * *s is not usable). Source: AMD's address library, see tiling.def. */
int mem_surface_init(struct mem_surface *s, const struct mem_tiling *t, uint64_t base_va,
                     unsigned element_bits, unsigned samples, uint32_t pitch, uint32_t height,
                     uint32_t slices, struct err *e);

/* Byte offset of an element from base_va. x, y in elements, within pitch x height (beyond it the
 * result is what the hardware's arithmetic gives: some address, never undefined behaviour). */
uint64_t mem_surface_offset(const struct mem_surface *s, uint32_t x, uint32_t y, uint32_t slice,
                            uint32_t sample);

/* The same for the quad (x, y), (x+1, y), (x, y+1), (x+1, y+1); x and y even. */
void mem_surface_quad(const struct mem_surface *s, uint32_t x, uint32_t y, uint32_t slice,
                      uint32_t sample, uint64_t out[4]);

/* The same for n elements of a row from (x, y) on. */
void mem_surface_row(const struct mem_surface *s, uint32_t x, uint32_t y, uint32_t slice,
                     uint32_t sample, uint32_t n, uint64_t *out);

/* A mip chain of GFX6, GFX7 or GFX8 as a T# describes it. */
struct mem_mips {
    enum gfx gen;
    uint32_t addr_config;             /* GB_ADDR_CONFIG */
    uint32_t tile_mode;               /* GB_TILE_MODE[TILING_INDEX] */
    const uint32_t *macrotile_modes;  /* GB_MACROTILE_MODE0..15; NULL on GFX6 */
    unsigned element_bits;            /* of a texel, or of a block */
    unsigned block_width, block_height; /* texels of an element: 1 x 1, or 4 x 4 for BC */
    uint32_t width, height, pitch;    /* of level 0, in texels; pitch as programmed */
    uint32_t slices;                  /* array layers (cube: faces), or depth of level 0 */
    bool volume, pow2_pad;            /* 3D; POW2_PAD */
};

/* Describe one level (0..15) of a chain: where it begins, its pitch, and its tiling, which falls back to
 * 1D where a level is smaller than a macro tile. base_va as for mem_surface_init.
 * Returns 0, or -1 with *e set. Source: AMD's address library (the texture unit computes the same). */
int mem_mip_surface(struct mem_surface *s, const struct mem_mips *m, uint64_t base_va,
                    unsigned level, struct err *e);

/* ---- surfaces: swizzle modes of GFX9 ------------------------------------------------------- */

/* SW_MODE, with the hardware's numbers: MEM_SW_64KB_D_X, ... */
enum mem_swizzle_mode {
#define SWIZZLE(name, number, block, order, xor_, prt) MEM_SW_##name = number,
#include "mem/swizzle.def"
#undef SWIZZLE
};

/* One mip level of a GFX9 image as the registers describe the image. */
struct mem_swizzle {
    enum mem_swizzle_mode mode;
    uint32_t addr_config;           /* GB_ADDR_CONFIG */
    bool volume;                    /* 3D image: S and Z are thick */
    uint32_t width, height, slices; /* of level 0, in elements, not padded; slices = depth of a volume */
    uint32_t pitch;                 /* EPITCH + 1 in elements when there is one level; 0: from width */
    unsigned levels, level;         /* levels of the image (1..16), and which one */
};

/* Describe a GFX9 surface, for the same functions as above (mem_surface_offset and the rest).
 * base_va is the base address register's value in bytes, including the pipe and bank xor in its low
 * bits; all levels share it. s->pitch and s->height are those of the padded level 0.
 * Returns 0, or -1 with *e set. Source: AMD's address library, see swizzle.def. */
int mem_surface_init_gfx9(struct mem_surface *s, const struct mem_swizzle *sw, uint64_t base_va,
                          unsigned element_bits, unsigned samples, struct err *e);

/* ---- metadata surfaces of GFX6, GFX7 and GFX8 --------------------------------------------- */

/* CMASK (4 bits for each 8x8 pixels of colour) or HTILE (32 bits for each 8x8 of depth). */
struct mem_meta {
    uint64_t slice_bytes, size_bytes;
    uint32_t pitch, height; /* in pixels, as padded */

    struct {
        enum mem_pipe_config pipe_config;
        bool linear;
        uint8_t pipes_log2, interleave_log2, shift, index_bits, element_bits;
        uint32_t macro_width, macro_height, tiles_per_pipe;
    } priv;
};

/* Describe the CMASK or HTILE of a surface.
 *
 *   t              of the colour or depth surface (pipe configuration and interleave are used)
 *   pitch, height  of that surface, in pixels
 *   linear         CB_COLOR*_INFO.CMASK_IS_LINEAR, DB_HTILE_SURFACE.LINEAR
 *
 * Returns 0, or -1 with *e set. Source: AMD's address library. */
int mem_cmask_init(struct mem_meta *m, enum gfx gen, const struct mem_tiling *t, uint32_t pitch,
                   uint32_t height, uint32_t slices, bool linear, struct err *e);
int mem_htile_init(struct mem_meta *m, enum gfx gen, const struct mem_tiling *t, uint32_t pitch,
                   uint32_t height, uint32_t slices, bool linear, struct err *e);

/* The element of the tile that holds pixel (x, y): for CMASK the number of the nibble (byte n / 2,
 * high half when odd), for HTILE the byte offset of the dword. */
uint64_t mem_cmask_nibble(const struct mem_meta *m, uint32_t x, uint32_t y, uint32_t slice);
uint64_t mem_htile_offset(const struct mem_meta *m, uint32_t x, uint32_t y, uint32_t slice);

/* Metadata that follows the data's own addressing (GFX8: DCC, and HTILE and CMASK that the texture unit
 * can read): the nibble number of the element for the byte at data_offset (from mem_surface_offset).
 *
 *   meta_bits    of an element: 8 for DCC, 4 CMASK, 32 HTILE
 *   block_bytes  of data for one element: 256 for DCC, else 64 elements of data
 *   samples_per_split  samples that lie in one tile before the tile split; 1 for HTILE and CMASK */
uint64_t mem_tc_meta_nibble(const struct mem_surface *data, uint64_t data_offset,
                            unsigned meta_bits, unsigned block_bytes,
                            unsigned samples_per_split);

/* FMASK: one element per pixel, addressed as a surface of its own with one sample, thin micro tiles
 * and *element_bits per element (mem_tiling_decode with the FMASK's tile mode). Sample i's fragment is
 * in bits i * *sample_bits up; the value `fragments` means that none is stored (EQAA).
 * False when there is no such FMASK. */
bool mem_fmask_layout(unsigned samples, unsigned fragments, unsigned *element_bits,
                      unsigned *sample_bits);

/* ---- metadata surfaces of GFX9 ----------------------------------------------------------- */

enum mem_meta9_kind { MEM_META9_CMASK, MEM_META9_HTILE, MEM_META9_DCC };

/* What the registers say about a GFX9 metadata surface. */
struct mem_meta9_desc {
    enum mem_meta9_kind kind;
    struct mem_swizzle data;   /* of the colour, FMASK (for CMASK) or depth surface; one level */
    unsigned element_bits;     /* of that surface */
    unsigned samples;          /* DCC: fragments; HTILE: samples; CMASK: 1 */
    bool pipe_aligned, rb_aligned; /* PIPE_ALIGNED, RB_ALIGNED of CB_COLOR*_ATTRIB, DB_HTILE_SURFACE */
    bool alias_fix;            /* Vega 12 and Vega 20 address it a little differently */
};

struct mem_meta9 {
    uint32_t block_width, block_height, block_depth; /* of a metadata block, in elements of data */
    uint32_t compressed_width, compressed_height, compressed_depth; /* that one element covers */
    uint64_t slice_bytes, size_bytes; /* the whole with its padding at the end */

    struct {
        uint64_t x[4][16], y[4][16], z[4][16], sample[16]; /* nibble address contributions */
        uint32_t pitch_blocks, slice_blocks;
        uint8_t block_low_bits, block_low_at, block_high_at; /* where the block number's bits go */
        uint64_t xor_nibbles;
    } priv;
};

/* Describe a metadata surface. base_va is the metadata base register in bytes; *va receives it with
 * the pipe and bank xor in its low bits taken off. Returns 0, or -1 with *e set (also for mip chains, which are not
 * modelled). Source: AMD's address library. */
int mem_meta9_init(struct mem_meta9 *m, const struct mem_meta9_desc *d, uint64_t base_va,
                   uint64_t *va, struct err *e);

/* Number of the nibble where the element for (x, y, slice, sample) begins: CMASK elements are nibbles,
 * DCC keys bytes, HTILE elements dwords. x, y in elements of the data surface. */
uint64_t mem_meta9_nibble(const struct mem_meta9 *m, uint32_t x, uint32_t y, uint32_t slice,
                          uint32_t sample);

/* ---- data formats ------------------------------------------------------------------------ */

/* How the bits of a texel are divided: MEM_LAYOUT_8_8_8_8, ... (formats.def). */
enum mem_layout {
    MEM_LAYOUT_INVALID,
#define LAYOUT(name, bits, kind, cb, buf, img6, img7, img8, img9, nums, x, y, z, w)             \
    MEM_LAYOUT_##name,
#include "mem/formats.def"
#undef LAYOUT
    MEM_LAYOUT_COUNT
};

/* How each component is read: MEM_UNORM, MEM_SRGB, ... */
enum mem_num {
#define NUM(name, cb, b6, b7, b8, b9, i6, i7, i8, i9) MEM_##name,
#include "mem/formats.def"
#undef NUM
    MEM_NUM_COUNT
};

struct mem_format {
    enum mem_layout layout;
    enum mem_num num;
};

enum mem_layout_kind {
    MEM_KIND_PLAIN, MEM_KIND_SHARED, MEM_KIND_BLOCK, MEM_KIND_SUBSAMPLED, MEM_KIND_FMASK,
    MEM_KIND_OTHER, MEM_KIND_BITMAP
};

struct mem_layout_info {
    const char *name;        /* AMD's: "10_11_11" */
    enum mem_layout_kind kind;
    unsigned bits;           /* of a texel; of a block for BLOCK, SUBSAMPLED and BITMAP */
    unsigned components;     /* 0 unless PLAIN or SHARED */
    uint8_t component_bits[4], component_shift[4]; /* X, Y, Z, W */
    uint8_t block_width, block_height; /* texels that `bits` hold: 1 x 1, BLOCK 4 x 4, ... */
};

const struct mem_layout_info *mem_layout_info(enum mem_layout l);
const char *mem_num_name(enum mem_num n);

/* The format that a register's numbers name: CB_COLOR*_INFO.FORMAT and NUMBER_TYPE; DATA_FORMAT and
 * NUM_FORMAT of a V#; of a T#. False when the generation has no such format (report it as
 * LOUD_FORMAT). A true answer may still have no functions: see mem_unpacker. */
bool mem_format_cb(enum gfx gen, unsigned format, unsigned number_type, struct mem_format *out);
bool mem_format_buffer(enum gfx gen, unsigned data_format, unsigned num_format,
                       struct mem_format *out);
bool mem_format_image(enum gfx gen, unsigned data_format, unsigned num_format,
                      struct mem_format *out);

/* Read one texel (bits / 8 bytes) into X, Y, Z, W: 32-bit floats for norm, scaled, float and sRGB,
 * zero- or sign-extended integers for UINT and SINT. Components that the layout does not have are
 * 0, 0, 0, 1. Every conversion is correctly rounded.
 *
 * Write one texel from the same representation: floats are clamped (NaN becomes 0) and rounded to
 * nearest even for norm, scaled and sRGB; integers are clamped; float components round to nearest
 * even, half overflows to infinity, the unsigned 10- and 11-bit ones to their largest number.
 *
 * They use integer arithmetic only, so the host's MXCSR does not matter. */
typedef void (*mem_unpack_fn)(const void *texel, uint32_t out[4]);
typedef void (*mem_pack_fn)(const uint32_t in[4], void *texel);

/* The functions of a format: look them up once per draw, descriptor or instruction. NULL when the
 * format has none (compressed, FMASK, or a number type that the layout does not take): loud. */
mem_unpack_fn mem_unpacker(struct mem_format f);
mem_pack_fn mem_packer(struct mem_format f);

/* Read texel (x, y) of a block, in the same representation. Nobody writes blocks but drivers.
 * BC6 is unsigned with UNORM, signed with SNORM. How exactly: block.c. */
typedef void (*mem_block_fn)(const void *block, unsigned x, unsigned y, uint32_t out[4]);
mem_block_fn mem_block_unpacker(struct mem_format f);

/* Which of R, G, B, A (0..3) component i of a colour target holds, for CB_COLOR*_INFO.COMP_SWAP;
 * entries beyond `components` (1..4) are 0xff. */
void mem_cb_swap(unsigned components, unsigned comp_swap, uint8_t rgba_of_component[4]);

/* Single conversions, as bit patterns. */
uint32_t mem_f16_to_f32(uint16_t h);
uint16_t mem_f32_to_f16(uint32_t f);              /* to nearest even */
uint32_t mem_unorm_to_f32(uint32_t v, unsigned bits);  /* 1..24 bits */
uint32_t mem_f32_to_unorm(uint32_t f, unsigned bits);  /* 1..24 bits */
uint32_t mem_srgb_to_f32(uint8_t v);              /* to linear */
uint8_t mem_f32_to_srgb(uint32_t f);              /* from linear */

#endif
