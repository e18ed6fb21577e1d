/* New communicators from others: the ranks of the old one say what they want, and the first one
 * gives the new one's number. */
#include "derived.h"
#include "groups.h"
#include "progress.h"
#include "topology.h"
#include <stdlib.h>

/* All ranks have begun the copies under way before this call, and Open MPI makes no other
 * communicator meanwhile. */
static void await_copies(const Joined *j)
{
    while (j->copies)
        progress();
}

int collect(Joined *j, Wish wish, Wish **all)
{
    enum { INTS = sizeof wish / sizeof(int) };
    const Joined *own = joined_of(j->own);
    await_copies(j);
    *all = malloc((size_t)own->size * sizeof **all);
    if (!*all)
        return MPI_ERR_NO_MEM;
    wish.number = j->mixed ? next_mixed : own->rank == 0 ? new_number() : 0;
    int code = PMPI_Allgather(&wish, INTS, MPI_INT, *all, INTS, MPI_INT, j->own);
    for (int r = 1; r < own->size && code == MPI_SUCCESS && j->mixed; r++)
        if ((*all)[r].number > (*all)->number)
            (*all)->number = (*all)[r].number;
    if (code == MPI_SUCCESS && j->mixed)
        (*all)->number = take_mixed((*all)->number);
    if (code == MPI_SUCCESS && !(*all)->number)
        code = MPI_ERR_INTERN;
    if (code != MPI_SUCCESS)
        free(*all);
    return code;
}

int hear_number(const Joined *j, int *number)
{
    int agreed;
    await_copies(j);
    if (j->mixed) {
        const int wrong = PMPI_Allreduce(&next_mixed, &agreed, 1, MPI_INT, MPI_MAX, j->own);
        *number = wrong == MPI_SUCCESS ? take_mixed(agreed) : 0;
        return wrong;
    }
    if (joined_of(j->own)->rank == 0)
        *number = new_number();
    const int code = PMPI_Bcast(number, 1, MPI_INT, 0, j->own);
    return code == MPI_SUCCESS && !*number ? MPI_ERR_INTERN : code;
}

int join_copy(const Joined *j, Halves halves, int number)
{
    const Members mine = {j->size, j->world_rank};
    if (j->inter)
        return join_groups(halves, number, mine, (Members){j->remote_size, j->remote_rank},
                           j->first);
    const int code = join_ranks(halves, number, mine);
    if (code == MPI_SUCCESS && j->topology) {
        joined_of(halves.local)->topology = j->topology;
        j->topology->uses++;
    }
    return code;
}

int sort_color(const Wish *all, int size, int color, int *order)
{
    int count = 0;
    for (int r = 0; r < size; r++) {
        if (all[r].color != color)
            continue;
        int place = count++;
        while (place > 0 && all[order[place - 1]].key > all[r].key) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = r;
    }
    return count;
}
