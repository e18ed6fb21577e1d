/* Connections by way of this site's relay (native/relay), where sites cannot see one another. */
#ifndef RELAYED_H
#define RELAYED_H

#include "settings.h"
#include <netinet/in.h>
#include <stdint.h>

enum { REASON_ROOM = 200 };

/* Tells the relay at which port (in network order) this process listens, so that others get
 * through to it; `meeting`: where all meet. Ends the job at the deadline. */
void listen_by_relay(const Settings *settings, int meeting, uint16_t port, double deadline);

/* A connection to a process of another site, or to where all meet. Ends the job at the deadline, or
 * with what the relay says. */
int connect_by_relay(const Settings *settings, int rank, int meeting, double deadline);

/* Tells this job's relay that who knows a port's key, of whichever job, may come to this process,
 * at that port (in network order; 0: no longer); `meeting`: to the MPI port itself. Ends the job if
 * the relay does not answer. */
void let_in_by_relay(const char *port_key, int rank, int meeting, uint16_t port);

/* A connection to a process of another job, which has let in who knows the key, by way of this
 * job's relay and that one: -1, and the reason. */
int visit_by_relay(struct sockaddr_in relay, const char *port_key, int rank, int meeting,
                   double deadline, char reason[REASON_ROOM]);

#endif
