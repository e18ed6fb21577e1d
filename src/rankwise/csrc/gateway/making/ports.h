/* Where other jobs can come: a port is a socket that a process listens at, and its name says where
 * that is, or where the relay is by which one comes there, and has a key, which only those know who
 * have been told the name. */
#ifndef PORTS_H
#define PORTS_H

#include "settings.h"
#include <netinet/in.h>
#include <stdbool.h>

enum { PORT_KEY = 33, RELAY_ROOM = 64 }; /* bytes, the last one 0 */

typedef struct Port Port;
struct Port {
    char name[128], key[PORT_KEY];
    int listener;
    Port *next;
};

/* A port of this process by its name: NULL, there is none. */
Port *port_named(const char *name);

/* Where a port, or its relay, is, and its key: false, the name is none. */
bool read_port(const char *name, struct sockaddr_in *at, char key[PORT_KEY], bool *relayed);

/* By which address processes of other sites reach this one. */
struct in_addr own_address(void);

#endif
