#include "external32.h"
#include "signature.h"
#include "types.h"
#include <endian.h>
#include <float.h>
#include <string.h>

/* Numbers of 16, 32 or 64 bits to the other order of bytes, where that is not the host's. */
#define TURN(bits)                                                                                 \
    static void turn_##bits(char *at, int64_t count)                                               \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++) {                                                      \
            uint##bits##_t word;                                                                   \
            memcpy(&word, at + i * (int64_t)sizeof word, sizeof word);                             \
            word = htobe##bits(word);                                                              \
            memcpy(at + i * (int64_t)sizeof word, &word, sizeof word);                             \
        }                                                                                          \
    }
TURN(16)
TURN(32)
TURN(64)

static void turn_128(char *at, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t half[2];
        memcpy(half, at + i * (int64_t)sizeof half, sizeof half);
        const uint64_t other[2] = {htobe64(half[1]), htobe64(half[0])};
        if (__BYTE_ORDER == __LITTLE_ENDIAN)
            memcpy(at + i * (int64_t)sizeof half, other, sizeof other);
    }
}

#if LDBL_MANT_DIG == 64 || LDBL_MANT_DIG == 106
typedef __float128 Quad; /* IEEE's of 16 bytes */
#else
typedef long double Quad;
#endif

static void convert_long_doubles(char *at, int64_t count, bool out)
{
    for (int64_t i = 0; i < count; i++) {
        char *const place = at + i * (int64_t)sizeof(long double);
        long double own;
        Quad external;
        if (out) {
            memcpy(&own, place, sizeof own);
            external = (Quad)own;
            memcpy(place, &external, sizeof own);
            turn_128(place, 1);
        } else {
            turn_128(place, 1);
            memcpy(&external, place, sizeof own);
            own = (long double)external;
            memcpy(place, &own, sizeof own);
        }
    }
}

static void convert_elements(const Signature *s, char *at, int64_t count, bool out)
{
    if (s->long_double)
        convert_long_doubles(at, count, out);
    else if (s->unit == 2)
        turn_16(at, count);
    else if (s->unit == 4)
        turn_32(at, count);
    else if (s->unit == 8)
        turn_64(at, count);
    else if (s->unit == 16)
        turn_128(at, count);
}

/* Returns where it has come to. */
static char *convert(const Signature *s, char *at, char *end, bool out)
{
    if (s->unit) {
        const int64_t there = (end - at) / s->unit, count = there < s->times ? there : s->times;
        convert_elements(s, at, count, out);
        return there < s->times ? end : at + count * s->unit;
    }
    for (int64_t t = 0; t < s->times && at < end; t++)
        for (int i = 0; i < s->count; i++)
            at = convert(&s->parts[i], at, end, out);
    return at;
}

static int convert_packed(char *packed, uint64_t bytes, MPI_Datatype type, bool out)
{
    const int64_t each = facts_of(type).bytes;
    Signature s;
    if (!bytes || each <= 0)
        return MPI_SUCCESS;
    const int code = describe_type(type, (int64_t)bytes / each + 1, &s);
    if (code == MPI_SUCCESS)
        convert(&s, packed, packed + bytes, out);
    forget_signature(&s);
    return code;
}

int to_external(char *packed, uint64_t bytes, MPI_Datatype type)
{
    return convert_packed(packed, bytes, type, true);
}

int from_external(char *packed, uint64_t bytes, MPI_Datatype type)
{
    return convert_packed(packed, bytes, type, false);
}
