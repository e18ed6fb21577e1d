/* How the processes of all sites find one another. */
#ifndef JOIN_H
#define JOIN_H

#include "representation.h"

/* A process with which this one has met: its connection, -1 of one in this site. */
typedef struct {
    int socket;
    Representation representation;
} Met;

/* After the library's MPI_Init: fills `world` and opens the connections. Ends the job with the
 * reason if somebody does not come. NULL: without RANKWISE_JOIN there is nothing to do. To be
 * freed, shape (world.ranks). */
Met *meet(void);

#endif
