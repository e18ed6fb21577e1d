/* What a mirror knows before the program starts. */
#include "mirror.h"

__attribute__((constructor)) static void start(void)
{
    define_constants();
}
