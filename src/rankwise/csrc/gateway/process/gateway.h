/* One job over several sites, each with an MPI of its own: a layer between the front end of the
 * standard ABI and a backend.
 *
 * A communicator with ranks in several sites is a native communicator of the ranks in this site,
 * under whose handle the program knows it, and a `Joined` that knows the others. What the program
 * does with any other communicator goes straight to the backend. Messages within a site are the
 * library's, those to other sites go by TCP (wire.h), and are matched here (matching.h).
 *
 * Functions of the table are called `call_`; the generated table.h declares them, calls.c puts
 * them into the table, and has those that follow from others: counts of `int`, collective
 * operations, and refusals. The shared code of schedules calls PMPI_ names, which are the same
 * functions. Of several threads one is in here at a time (turns.h). */
#ifndef GATEWAY_H
#define GATEWAY_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "table.h"

extern AbiTable below; /* of the site's own MPI */
extern AbiTable seen;  /* what the program calls: PMPI_ names of ours lead there */

/* The whole job. `first` is the world rank of a site's first rank. Processes of other jobs that it
 * has been connected to (connecting.h) have further numbers, in this process alone, and so do their
 * sites. */
typedef struct {
    int site, sites, rank, ranks;
    int all_sites, all_ranks;
    int *first;   /* shape (all_sites + 1) */
    char **names; /* shape (all_sites) */
    int *node;    /* shape (ranks): the first world rank on the same host; NULL: not known */
    int tag_bound;
    bool started;
    bool old_library; /* of MPI-1: no MPI_Reduce_local, no MPI_Request_get_status */
} World;
extern World world;

static inline int site_of_rank(int rank)
{
    int site = 0;
    while (rank >= world.first[site + 1])
        site++;
    return site;
}

/* These end the job with the reason; give_up: another site's process has gone, or said what makes
 * no sense. */
__attribute__((format(printf, 1, 2), noreturn)) void stop(const char *format, ...);
__attribute__((noreturn)) void give_up(const char *what, int world_rank);

void rest(double seconds); /* all of them, whatever signals come meanwhile */

#endif
