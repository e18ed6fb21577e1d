/* How the processes of all sites find one another. */
#ifndef JOIN_H
#define JOIN_H

#include "representation.h"

/* After the library's MPI_Init: fills `world` and opens the connections. Ends the job with the
 * reason if somebody does not come. Without RANKWISE_JOIN there is nothing to do: false. */
int meet(void);

/* A peer says how it represents data; ends the job if that cannot be converted. */
void note_representation(int rank, Representation theirs);

#endif
