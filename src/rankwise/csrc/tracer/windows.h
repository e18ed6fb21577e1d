/* Windows as a trace names them: the lowest number that no other window has, and the communicator
 * that each was made of. */
#ifndef RANKWISE_TRACER_WINDOWS_H
#define RANKWISE_TRACER_WINDOWS_H

#include <mpi.h>
#include <stdbool.h>

typedef struct {
    MPI_Win win;
    int number, communicator; /* -1: unknown */
    bool live;
} Window;

/* Takes the window into the table, if there is memory. */
void add_window(MPI_Win win, int communicator);
Window window(MPI_Win win);
void forget_window(int number);

#endif
