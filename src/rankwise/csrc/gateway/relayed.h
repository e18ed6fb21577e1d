/* Connections by way of this site's relay (native/relay), where sites cannot see one another. */
#ifndef RELAYED_H
#define RELAYED_H

#include "settings.h"
#include <stdint.h>

/* Tells the relay at which port (in network order) this process listens, so that others get
 * through to it; `meeting`: where all meet. Ends the job at the deadline. */
void listen_by_relay(const Settings *settings, int meeting, uint16_t port, double deadline);

/* A connection to a process of another site, or to where all meet. Ends the job at the deadline, or
 * with what the relay says. */
int connect_by_relay(const Settings *settings, int rank, int meeting, double deadline);

#endif
