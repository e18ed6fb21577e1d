/* The trees that wide-area algorithms send chunks along, and the operations along them. */
#ifndef RANKWISE_PLANS_H
#define RANKWISE_PLANS_H

#include "pipeline.h"

/* Opens the pipeline with the lanes of p->rank, or refuses. */
typedef void Plan(Pipeline *pipeline, Schedule *s, const Problem *p, const Sites *sites);

Plan one_crossing, multilevel, parallel_lanes, weighted_trees;

/* A bcast, reduce or allreduce. */
void bcast_along(Schedule *s, const Problem *p, Plan *plan);
void reduce_along(Schedule *s, const Problem *p, Plan *plan);
void allreduce_along(Schedule *s, const Problem *p, Plan *plan);

#endif
