/* How processes represent data: between two that differ in it messages are external32
 * (external32.h). */
#ifndef REPRESENTATION_H
#define REPRESENTATION_H

#include <stdbool.h>
#include <stdint.h>

/* The order of bytes, the format of long double, the sizes of types, and what the user wants. */
typedef uint16_t Representation;

/* Of this process; ends the job if the user's wish makes no sense. */
Representation own_representation(void);

/* Whether messages between two such processes are external32; why that cannot be, NULL: it can. */
bool needs_external(Representation one, Representation other);
const char *cannot_convert(Representation one, Representation other);

/* Whether they have another order of bytes. */
bool in_other_order(Representation one, Representation other);

#endif
