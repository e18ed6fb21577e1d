/* A process says to its relay, in one word, where it listens or whom it wants; the answer is a
 * letter: y, or n and the reason. See native/relay/call.h. */
#include "relayed.h"

#include "encrypted.h"
#include "gateway.h"
#include "sockets.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RELAY_PROTOCOL = 2, KEY_ROOM = 40, REASON_SECONDS = 5 };
typedef enum { LISTENS = 1, CONNECTS, LETS_IN, VISITS } Wish;

typedef struct {
    char magic[8];
    uint32_t protocol, wish, site, rank, meeting, port; /* network order */
    char key[KEY_ROOM], port_key[KEY_ROOM];
    uint32_t address; /* network order */
} Call;

/* A line, which ends what the relay says. */
static void read_reason(int s, char reason[REASON_ROOM])
{
    size_t length = 0;
    while (length < REASON_ROOM - 1 && read_all(s, reason + length, 1, REASON_SECONDS) &&
           reason[length] != '\n')
        length++;
    reason[length] = '\0';
}

/* -1: the relay refuses, with this reason. */
static int try_relay(const Settings *settings, Call call, double deadline, char reason[REASON_ROOM])
{
    const struct sockaddr_in at = address_of(settings->relay, settings->relay_port);
    const int s = connect_to(at, "its relay", "did the relay start?", deadline);
    char answer = 'n';
    memcpy(call.magic, "rankgate", sizeof call.magic);
    call.protocol = htonl(RELAY_PROTOCOL);
    snprintf(call.key, sizeof call.key, "%s", settings->key);
    if (!write_all(s, &call, sizeof call) || !read_all(s, &answer, 1, deadline - now()))
        snprintf(reason, REASON_ROOM, "%s",
                 errno == ETIMEDOUT    ? "it does not answer"
                 : errno == ECONNRESET ? "it has closed the connection"
                                       : strerror(errno));
    else if (answer == 'y')
        return s;
    else
        read_reason(s, reason);
    close(s);
    return -1;
}

static int call_relay(const Settings *settings, Call call, double deadline)
{
    char reason[REASON_ROOM];
    const int s = try_relay(settings, call, deadline, reason);
    if (s < 0)
        stop("the relay of site %s: %s", world.names[world.site], reason);
    return s;
}

void listen_by_relay(const Settings *settings, int meeting, uint16_t port, double deadline)
{
    close(call_relay(settings,
                     (Call){.wish = htonl(LISTENS),
                            .site = htonl((uint32_t)world.site),
                            .rank = htonl((uint32_t)world.rank),
                            .meeting = htonl((uint32_t)meeting),
                            .port = htonl(ntohs(port))},
                     deadline));
}

int connect_by_relay(const Settings *settings, int rank, int meeting, double deadline)
{
    return call_relay(settings,
                      (Call){.wish = htonl(CONNECTS),
                             .site = htonl((uint32_t)site_of_rank(rank)),
                             .rank = htonl((uint32_t)rank),
                             .meeting = htonl((uint32_t)meeting)},
                      deadline);
}

void let_in_by_relay(const char *port_key, int rank, int meeting, uint16_t port)
{
    Call call = {.wish = htonl(LETS_IN),
                 .rank = htonl((uint32_t)rank),
                 .meeting = htonl((uint32_t)meeting),
                 .port = htonl(ntohs(port))};
    snprintf(call.port_key, sizeof call.port_key, "%s", port_key);
    close(call_relay(&job_settings, call, now() + job_settings.seconds));
}

int visit_by_relay(struct sockaddr_in relay, const char *port_key, int rank, int meeting,
                   double deadline, char reason[REASON_ROOM])
{
    Call call = {.wish = htonl(VISITS),
                 .rank = htonl((uint32_t)rank),
                 .meeting = htonl((uint32_t)meeting),
                 .port = htonl(ntohs(relay.sin_port)),
                 .address = relay.sin_addr.s_addr};
    snprintf(call.port_key, sizeof call.port_key, "%s", port_key);
    return try_relay(&job_settings, call, deadline, reason);
}
