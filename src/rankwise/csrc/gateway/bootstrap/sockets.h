/* TCP connections while the processes of a job look for one another. */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

double now(void); /* seconds since some time */

/* A socket that listens at this port, or at any (0); *port in network order. */
int listen_at(int wanted, uint16_t *port);

/* Of a host that this site must know: or the job ends. */
struct sockaddr_in address_of(const char *host, int port);

/* The same, but NULL, or the reason in words. */
const char *find_address(const char *host, int port, struct sockaddr_in *at);

#define FIREWALL_REMEDY                                                                            \
    "if a firewall closes that port, open it, or connect the sites by relays: --relay"

/* Tries until the deadline, which ends the job; then the user is told the remedy too. */
int connect_to(struct sockaddr_in at, const char *whom, const char *remedy, double deadline);

/* Tries once, until the deadline at most: a firewall that answers nothing makes connect() wait for
 * minutes. Returns the socket, or -1 and the reason in `error`. */
int try_to_connect(struct sockaddr_in at, double deadline, int *error);

/* At which this socket listens. */
int port_of(int listener);

/* Until something can be read or sent (POLLIN, POLLOUT), whatever signals come meanwhile; false:
 * the time is over (ETIMEDOUT), or as errno has it. */
bool await_socket(int socket, short events, double until);

#endif
