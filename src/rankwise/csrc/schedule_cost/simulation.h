/* The events of a schedule that is carried out, and what they need to know. */
#ifndef RANKWISE_SIMULATION_H
#define RANKWISE_SIMULATION_H

#include "cost.h"

typedef enum { STEP_READY, STEP_ENDS, AT_RESOURCE, ARRIVES } EventKind;

typedef struct {
    double time;
    int64_t order; /* of events at one time: those that were foreseen first */
    EventKind kind;
    int what; /* a step, or the sending step of a message */
} Event;

/* All ranks' steps are numbered through: those of rank r from first[r] on. */
typedef struct {
    const Schedule *schedules;
    const Network *network;
    const CostModel *model;
    double element_bytes;
    int ranks, steps, left, nodes, sites;
    int *first;      /* shape (ranks + 1) */
    int *rank;       /* of a step */
    int *waits;      /* for so many steps */
    int *next_first; /* shape (steps + 1), in next: the steps that wait for this one */
    int *next;
    int *partner;     /* of a send its receive, and the other way round */
    double *posted;   /* when a send or receive became ready; negative: it has not */
    double *came;     /* of a receive: when its message had come; of a send: when its last byte had
                         passed the resource before */
    char *stage;      /* of a message: how many resources it has passed */
    double *cpu;      /* when each is free: shape (ranks) */
    double *memory;   /* shape (ranks) */
    double *out, *in; /* shape (nodes) */
    double *link;     /* shape (sites, sites) */
    int *node;        /* of a rank */
    Event *heap;
    int events, room;
    int64_t foreseen;
    double end;
    bool failed;
} Simulation;

/* Until nothing more happens. */
void simulate(Simulation *m);

const Step *step_of(const Simulation *m, int number);

#endif
