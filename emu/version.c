/* The version that configure gave the package. */
#include "config.h"
#include "emu/gpu.h"

ATOLL_API const char *atoll_version(void)
{
    return PACKAGE_VERSION;
}
