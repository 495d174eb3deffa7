/* png: images to files, through libpng. */
#include "tools/png.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>

static void on_error(png_structp png, png_const_charp text)
{
    err_set(png_get_error_ptr(png), "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
}

/* What must be freed survives libpng's longjmp by lying behind a pointer. */
struct png_file {
    FILE *f;
    png_structp png;
    png_infop info;
};

static int write_all(struct png_file *p, uint32_t width, uint32_t height, unsigned channels,
                     unsigned bits, const uint8_t *pixels)
{
    const size_t row_bytes = (size_t)width * channels * (bits / 8);

    if (setjmp(png_jmpbuf(p->png)))
        return -1;
    png_init_io(p->png, p->f);
    png_set_IHDR(p->png, p->info, width, height, (int)bits,
                 channels == 1 ? PNG_COLOR_TYPE_GRAY
                 : channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(p->png, p->info);
    if (bits == 16)
        png_set_swap(p->png); /* files are big-endian */
    for (uint32_t y = 0; y < height; y++)
        png_write_row(p->png, pixels + y * row_bytes);
    png_write_end(p->png, p->info);
    return 0;
}

int png_write(const char *path, uint32_t width, uint32_t height, unsigned channels, unsigned bits,
              const void *pixels, struct err *e)
{
    struct png_file p = {0};
    struct err why = {"out of memory"};
    int rc = -1;

    p.f = fopen(path, "wb");
    if (!p.f)
        return err_set(e, "%s: %s", path, strerror(errno));
    p.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &why, on_error, on_warning);
    if (p.png)
        p.info = png_create_info_struct(p.png);
    if (p.info)
        rc = write_all(&p, width, height, channels, bits, pixels);
    if (p.png)
        png_destroy_write_struct(&p.png, p.info ? &p.info : NULL);
    if (fclose(p.f) && !rc)
        rc = err_set(&why, "%s", strerror(errno));
    return rc ? err_set(e, "%s: %s", path, why.text) : 0;
}
