/* Receives that wait here, and that the library may have a message for. */
#ifndef NEARBY_H
#define NEARBY_H

#include "request.h"

/* Whether the library has a message for this source and tag, for which a receive waits here that is
 * posted: the first that the message fits gets it. */
bool receive_locally(Joined *joined, int source, int tag);

/* Goes on with what the library has for receives that wait here. */
bool progress_local(void);

/* The library has sends of this site to go on with, too, which nobody waits for now. */
void nudge_library(void);

/* Looks whether what has become the library's has ended, or waits for it without any turn of ours;
 * end_below: it has, as the library said. forget_below: it is the library's alone from now on, for
 * the program has freed it. */
void look_below(Request *request);
void wait_below(Request *request);
int forget_below(Request *request);
void end_below(Request *request, int code, const MPI_Status *status);

#endif
