/* Groups: ranks of the world, in order. Any group of processes of this job is ours; only where
 * processes of other jobs are in it (MPI_Comm_spawn) is it the library's. */
#ifndef GROUPS_H
#define GROUPS_H

#include <mpi.h>
#include <stdbool.h>

typedef struct {
    int size;
    const int *world_rank; /* shape (size) */
} Members;

/* False: the group is the library's. MPI_GROUP_EMPTY has no members. */
bool members_of(MPI_Group group, Members *members);

/* These return error codes. */
int new_group(const int *world_rank, int size, MPI_Group *group);
int adopt_group(MPI_Group native, MPI_Group *group); /* and frees it, unless it is returned */

int free_group(MPI_Group *group); /* as MPI_Group_free */

/* The library's group of the same processes: MPI_ERR_GROUP if there are others in it.
 * free_native_group frees it, if it is not the program's. */
int native_group(MPI_Group group, MPI_Group *native);
void free_native_group(MPI_Group group, MPI_Group *native);

/* The library's group of those that are in this site. */
int group_of_site(const Members *members, MPI_Group *native);

/* MPI_UNDEFINED: it is not in it. */
int place_in(Members members, int world_rank);

int compare_ranks(const int *a, int a_size, const int *b, int b_size);

#endif
