/* What was replaced and what was not, and why: for people, and for tests, since a suite that
 * passes may have met the library alone. */
#ifndef RANKWISE_REPORT_H
#define RANKWISE_REPORT_H

#include "../schedules/algorithm.h"

typedef enum {
    NO_RULE,
    NESTED,
    NOT_STARTED,     /* before MPI_Init or after MPI_Finalize */
    NO_COMMUNICATOR, /* an intercommunicator, or none of our own is to be had */
    ODD_ARGUMENTS,   /* for the library to refuse, or longer than 2 GiB */
    NO_SCHEDULE,     /* the algorithm cannot do this problem */
    NO_PROGRESS,     /* nonblocking, where the library never lets us go on */
    REASONS
} Reason;

void note_passed(Reason reason);
void note_replaced(int function, const Algorithm *algorithm);

/* Writes FILE.RANK. */
void write_report(const char *file);

#endif
