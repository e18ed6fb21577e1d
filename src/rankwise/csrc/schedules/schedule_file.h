/* One schedule from a file: that of a user, or one that was found for a topology. It is for one
 * number of ranks, and divides each block into chunks of nearly equal lengths (part_start), so that
 * it serves any count:
 *
 *     # rankwise schedule 1
 *     operation allreduce
 *     ranks 2
 *     root 0
 *     chunks 1
 *     commutative            where it does not keep the order of the ranks
 *     multiple               where a count must be a multiple of the chunks
 *     rank 0 scratch 1       and so on, for each rank its scratch memory in chunks, and its steps:
 *     copy input 0 output 0 1
 *     send 1 0 input 0 1                           peer, tag, from, chunks
 *     receive 1 0 scratch 0 1                      peer, tag, to, chunks
 *     reduce scratch 0 output 0 1 after 0 1 2      from, to, chunks; steps that are waited for
 *
 * A place is a memory and a number of chunks: of the memory's blocks, one after another. */
#ifndef RANKWISE_SCHEDULE_FILE_H
#define RANKWISE_SCHEDULE_FILE_H

#include "algorithm.h"

/* An algorithm that is the file's schedule, and has this name; it is not among the registered ones.
 * NULL: `error` names the file, the line and the remedy. free_read_schedule. */
const Algorithm *read_schedule(const char *path, const char *name, char *error, size_t error_size);
void free_read_schedule(const Algorithm *algorithm);

#endif
