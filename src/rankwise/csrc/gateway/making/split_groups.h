#ifndef SPLIT_GROUPS_H
#define SPLIT_GROUPS_H

#include "communicators.h"

/* MPI_Comm_split of an intercommunicator. */
int split_groups(Joined *joined, int color, int key, MPI_Comm *made);

/* Whether two groups are in one site, and the library's by that. */
bool both_in_one_site(Members mine, Members theirs);

#endif
