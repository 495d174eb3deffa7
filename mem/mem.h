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
        uint64_t slice_bytes;
        uint32_t ex[8], ey[8], ez[8]; /* byte offsets within a micro tile */
        uint16_t pipe_x[16], pipe_y[16], bank_x[16], bank_y[16]; /* bank | pipe << 8 */
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

#endif
