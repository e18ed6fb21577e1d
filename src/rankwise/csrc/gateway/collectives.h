/* Collective operations across sites, by the schedules of this project. */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "../interpose/overlay.h"
#include "communicators.h"

/* Carries it out, or begins it if it has a request. An error code. */
int collective(Joined *joined, const Collective *call);

/* The first of a call's own tags, so that several can be under way: all ranks have counted the same
 * calls on `own`. */
int first_tag(Joined *own);

/* All that have begun go on. */
bool progress_collectives(void);

#endif
