/* How long a schedule would take on a network: an estimate by a small simulation of events. */
#ifndef RANKWISE_COST_H
#define RANKWISE_COST_H

#include "../schedules/network.h"
#include "../schedules/schedule.h"

/* What a network does not say of itself; seconds, bytes, bytes a second. */
typedef struct {
    double overhead;    /* of the CPU, for each message sent and each received */
    double near_delay;  /* between nodes of a site */
    double local_delay; /* between ranks of a node */
    double far_delay;   /* between sites, where the network has no delays */
    double node_rate;   /* of a node's interface, where the network has none */
    double memory_rate; /* of copies, reductions and messages inside a node, for each rank */
    double eager;       /* longer messages wait for their receive, and cost a round trip more */
} CostModel;

/* When the last step ends if all ranks begin at 0. Negative: not all steps can end, or no memory.
 *
 * LogGP (Alexandrov, Ionescu, Schauser and Scheiman, JPDC 44(1), 1997) with resources that are
 * shared: a message passes its node's interface, the link between the two sites, and the other
 * node's interface, each one way. Each serves its messages one after another in the order in which
 * their first bytes come, and passes bytes on as they come; a rank passes on what has come whole.
 */
double estimate_seconds(const Schedule *schedules, int ranks, const Network *network,
                        double element_bytes, const CostModel *model);

#endif
