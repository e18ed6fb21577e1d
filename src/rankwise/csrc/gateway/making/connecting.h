/* Two jobs that become an intercommunicator: what their roots tell each other, and how their
 * processes are connected. */
#ifndef CONNECTING_H
#define CONNECTING_H

#include "communicators.h"
#include "guests.h"
#include "ports.h"
#include "wire.h"
#include <netinet/in.h>

enum { SITE_ROOM = 32, MOST_PROCESSES = MOST_OTHERS };

/* What a job's root tells of its communicator, and of each of its processes: in network order,
 * where it is not in a Meeting's cards. */
typedef struct {
    int32_t size, next_mixed, tag_bound, code; /* an error code: nothing comes of it */
} Card;
typedef struct {
    struct in_addr address;
    uint16_t port;
    Representation representation;
    int32_t rank;
    char site[SITE_ROOM], relay[RELAY_ROOM]; /* no relay: the process is at that address */
} Entry;

/* A call on its way. `quiet` has the communicator's ranks, but no error handler of the program's.
 */
typedef struct {
    Joined *joined; /* NULL: it is the library's */
    MPI_Comm comm, quiet;
    Members mine;
    int root;
    bool leads, accepts, relayed; /* the port is reached by a relay */
    char key[PORT_KEY];
    struct sockaddr_in at;
    Port *port;
    int listener;
    Card card, other;
    Entry *entries, *others;
} Meeting;

Hello greeting(const Meeting *m);

/* To where both roots meet, or to a process of the other job, by way of their relays: -1, and it is
 * said why. */
int visit_by_relays(const Meeting *m, struct sockaddr_in relay, int rank, int meeting);

/* The other job's processes get the next numbers of the world, and their sites, too. The number of
 * the first: -1, there are too many. */
int number_others(const Meeting *m);

/* Each of those that have come connects to each of those that have let them in. */
void connect_others(const Meeting *m, int first);

#endif
