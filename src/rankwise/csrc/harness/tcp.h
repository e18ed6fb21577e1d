/* A plain TCP connection between the two ranks of a pair: the baseline below MPI. */
#ifndef RANKWISE_TCP_H
#define RANKWISE_TCP_H

#include "kernel.h"

void tcp_connect(
    Cell *c); /* the leading rank connects to its partner; fails the cell if it cannot */
void tcp_close(Cell *c);
void tcp_send(
    Cell *c); /* the message in c->send; one byte for an empty one, which TCP cannot send */
void tcp_receive(Cell *c);

/* After how long without an acknowledgement this side would send again. */
double tcp_timeout_seconds(const Cell *c);

/* The congestion window, the round trip and the retransmitted segments of the connection. */
extern const Gauges tcp_gauges;

#endif
