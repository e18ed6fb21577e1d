/* What the overlay was asked to do: read once from its variables.
 *
 *     RANKWISE_OVERLAY=FILE          the decision table; `default`: the built-in one; without it
 *                                    everything is left to the library
 *     RANKWISE_NETWORK=FILE          which host is in which site, and what lies between them
 *     RANKWISE_OVERLAY_MEASURE=0     without RANKWISE_NETWORK all ranks count as one site, instead
 *                                    of being sorted into sites by round trips
 *     RANKWISE_OVERLAY_REPRODUCIBLE=1  sums do not depend on which rank is on which host
 *     RANKWISE_OVERLAY_REPORT=FILE   at MPI_Finalize, rank R writes FILE.R: what was replaced;
 *                                    `-`: rank 0 says on standard error which schedules ran
 *
 * Sockets are made before MPI is asked for anything, and sockets.c reads its own variable. */
#ifndef RANKWISE_SETTINGS_H
#define RANKWISE_SETTINGS_H

#include "table.h"

typedef struct {
    Table table;
    bool has_network, measures, reproducible;
    const char *report; /* NULL: none */
} Settings;

/* Reads them; what is wrong ends the job, with a message. Once. */
void read_settings(void);
const Settings *settings(void);

/* The network of ranks on these hosts, by RANKWISE_NETWORK. What is wrong ends the job. */
Network *described_network(const char *const *hosts, int ranks);

#endif
