#ifndef BEGINNING_H
#define BEGINNING_H

#include "gateway.h"

/* The table by which the program calls, and what is in it where several threads call at once. */
extern AbiTable *program_calls, calls_in_turns;

/* Who deals with what comes from other sites, and who has turns. */
void connect_layers(void);

#endif
