/* Names of generations, and errors. */
#include "base/base.h"

#include <stdarg.h>

const char *gfx_name(enum gfx gen)
{
    static const char *const names[GFX_COUNT] = {"gfx6", "gfx7", "gfx8", "gfx9"};

    return names[gen];
}

int err_set(struct err *e, const char *fmt, ...)
{
    va_list ap;

    if (e) {
        va_start(ap, fmt);
        vsnprintf(e->text, sizeof e->text, fmt, ap);
        va_end(ap);
    }
    return -1;
}
