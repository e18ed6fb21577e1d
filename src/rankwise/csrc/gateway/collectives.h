/* Collective operations across sites, by the schedules of this project. */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "../interpose/overlay.h"
#include "communicators.h"

/* Carries it out, or begins it if it has a request. An error code. */
int collective(Joined *joined, const Collective *call);

/* All that have begun go on. */
bool progress_collectives(void);

#endif
