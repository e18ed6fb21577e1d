/* Messages between sites: one TCP connection for each pair of processes, little to say and all of
 * it in order.
 *
 * A message comes at once (EAGER) while the sender has credit: bytes that the receiver may have to
 * keep. Of any other one as much comes with its announcement (ASKS) as there is credit for, and the
 * rest (DATA) when the receiver has a place for it (GRANTS). So no process ever has to keep more
 * than the credit of each of its peers, and the announcements; and no link is idle for the time of
 * an answer unless it takes less time for the credit. */
#ifndef WIRE_H
#define WIRE_H

#include "join.h"
#include "outgoing.h"

enum { MOST_OTHERS = 4096 }; /* processes of other jobs, in all */
extern Peer
    *peers; /* shape (world.ranks + MOST_OTHERS); those of our own site have no socket (-1) */

/* Hands over a connection that is there. */
void open_peer(int rank, int socket);

/* Those that have met (join.h) are its peers. */
void begin_wire(const Met *met);

/* A peer says how it represents data; ends the job if that cannot be converted. */
void note_representation(int rank, Representation theirs);

/* Whether anything came or went. */
bool progress_wire(void);

/* This peer is no longer needed; the connection is closed when it has said so too. */
void take_leave(int rank);

/* Takes leave of all peers; whether they have done so too; then closes. */
void end_wire(void);
bool wire_has_ended(void);
void close_wire(void);

#endif
