/* Who connects to a process: all are listened to at once, so that nobody who says nothing keeps the
 * others waiting, and whoever does not belong here is sent away with the reason, which is told. */
#ifndef GUESTS_H
#define GUESTS_H

#include "representation.h"
#include "settings.h"
#include <netinet/in.h>
#include <stdbool.h>

enum { KEY_BYTES = 40 };

/* What each says first, to whomever it connects. */
typedef struct {
    char magic[8]; /* "rankwise" */
    uint32_t order, protocol;
    char key[KEY_BYTES];
    int32_t rank, tag_bound;
    uint16_t port, node; /* network order; the first of the site's ranks on the same host */
    uint32_t representation;
} Hello;

Hello hello(const char *key, uint16_t port);

/* To whomever a connection leads, which is encrypted from here on if the job's are. False: it is
 * lost, or the other side has another key; that is told of. */
bool say_hello(int socket, const Hello *said);

typedef struct Guests Guests;

/* Those who come to this listener; the settings stay as they are meanwhile. */
Guests *receive_guests(int listener, const Settings *settings, double deadline);

/* The next connection whose hello is right. Ends the job if nobody has come by the deadline, and
 * says what is `missing`. */
int next_guest(Guests *guests, Hello *from, struct sockaddr_in *address, const char *missing);

/* The same, without waiting: -1, nobody is there yet. Ranks are below `ranks`. */
int guest_now(Guests *guests, int ranks, Hello *from, struct sockaddr_in *address);

/* Closes what has not said anything. */
void dismiss_guests(Guests *guests);

#endif
