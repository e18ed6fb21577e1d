/* Reading what Linux tells in /proc. Both leave the empty text where the system does not tell. */
#ifndef RANKWISE_RUNTIME_PROC_H
#define RANKWISE_RUNTIME_PROC_H

#include <stddef.h>

void rw_read_line(const char *path, char *line, size_t size_bytes);
void rw_read_link(const char *path, char *target, size_t size_bytes);

#endif
