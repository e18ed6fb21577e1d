/* What comes from other sites: it goes to the receive that waits for it, or is kept. */
#ifndef ARRIVALS_H
#define ARRIVALS_H

#include "matching.h"

/* For the wire. */
extern const MessageHandlers of_messages;

extern const RequestKind receives;

/* A receive of ours: posted, or done at once. */
void post_receive(Request *request);

/* Gives the receive such a message that was taken. */
void give_message(Request *request, Unexpected *message);

/* Messages that came before their communicator was there make sense on it: else the job ends. */
void check_early(const Context *context);

#endif
