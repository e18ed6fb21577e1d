/* A plain TCP connection between the two ranks of a pair: the baseline below MPI. */
#ifndef RANKWISE_TCP_H
#define RANKWISE_TCP_H

#include "kernel.h"

/* What c->state is from setup to teardown. */
typedef struct {
    int fd; /* -1: this rank has none */
    long sent_messages;
} Connection;

/* The leading rank connects to its partner; fails the cell if it cannot. */
void tcp_connect(Cell *c);
void tcp_close(Cell *c);
/* The message in c->send; one byte for an empty one, which TCP cannot send. */
void tcp_send(Cell *c);
void tcp_receive(Cell *c);

long tcp_sent_messages(const Cell *c); /* by this rank since tcp_connect */

/* After how long without an acknowledgement this side would send again. */
double tcp_timeout_seconds(const Cell *c);

/* The congestion window, the round trip and the retransmitted segments of the connection. */
extern const Gauges tcp_gauges;

#endif
