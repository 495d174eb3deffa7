/* The device object behind the public interface. */
#include "emu/gpu.h"
#include "config.h"

ATOLL_API const char *atoll_version(void)
{
    return PACKAGE_VERSION;
}
