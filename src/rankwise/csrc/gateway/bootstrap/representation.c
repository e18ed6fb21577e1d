#include "representation.h"
#include "gateway.h"
#include <endian.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define REPRESENTATION_VARIABLE "RANKWISE_JOIN_REPRESENTATION"

enum {
    LITTLE = 1 << 0,
    X87 = 1 << 1, /* long double: one of these two, or IEEE's of 16 bytes */
    TWO_DOUBLES = 1 << 2,
    FORMATS = LITTLE | X87 | TWO_DOUBLES,
    LONG_8 = 1 << 3,
    ADDRESS_8 = 1 << 4,
    WCHAR_4 = 1 << 5,
    LONG_DOUBLE_16 = 1 << 6,
    LONG_DOUBLE_12 = 1 << 7,
    USUAL_SIZES = LONG_8 | ADDRESS_8 | WCHAR_4 | LONG_DOUBLE_16,
    SIZES = USUAL_SIZES | LONG_DOUBLE_12,
    ALWAYS = 1 << 8, /* external32: as if all others had another representation */
    NEVER = 1 << 9
};

static Representation wish(void)
{
    const char *const text = getenv(REPRESENTATION_VARIABLE);
    if (!text || strcmp(text, "auto") == 0)
        return 0;
    if (strcmp(text, "external32") != 0 && strcmp(text, "native") != 0)
        stop(REPRESENTATION_VARIABLE " is auto, native or external32, not %s", text);
    return *text == 'n' ? NEVER : ALWAYS;
}

Representation own_representation(void)
{
    const bool little = __BYTE_ORDER == __LITTLE_ENDIAN;
    return (Representation)((little ? LITTLE : 0) | (LDBL_MANT_DIG == 64 ? X87 : 0) |
                            (LDBL_MANT_DIG == 106 ? TWO_DOUBLES : 0) |
                            (sizeof(long) == 8 ? LONG_8 : 0) |
                            (sizeof(MPI_Aint) == 8 ? ADDRESS_8 : 0) |
                            (sizeof(wchar_t) == 4 ? WCHAR_4 : 0) |
                            (sizeof(long double) == 16 ? LONG_DOUBLE_16 : 0) |
                            (sizeof(long double) == 12 ? LONG_DOUBLE_12 : 0) | wish());
}

bool needs_external(Representation one, Representation other)
{
    return (one ^ other) & FORMATS || (one | other) & ALWAYS;
}

const char *cannot_convert(Representation one, Representation other)
{
    if ((one ^ other) & SIZES)
        return "its long, long double, wchar_t or MPI_Aint has another size";
    if (!needs_external(one, other))
        return NULL;
    if ((one | other) & NEVER)
        return "it represents data in another way, and one of the two has --representation native";
    return (one & SIZES) == USUAL_SIZES ? NULL : "external32 needs hosts of 64 bits";
}

bool in_other_order(Representation one, Representation other)
{
    return (one ^ other) & LITTLE;
}
