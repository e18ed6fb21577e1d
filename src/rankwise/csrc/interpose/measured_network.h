/* Which hosts are near each other, found out by round trips where nobody has said it. */
#ifndef RANKWISE_MEASURED_NETWORK_H
#define RANKWISE_MEASURED_NETWORK_H

#include "../schedules/own_network.h"
#include <mpi.h>

/* The network of `comm`, whose ranks are on these hosts, shape (ranks): from what this program or
 * another one has measured before, or else measured now, in less than a second. Collective over
 * `comm`, and the same on all of its ranks. NULL: all count as one site. */
Network *measured_network(MPI_Comm comm, const char *const *hosts, int ranks);

#endif
