/* The first process of the first site waits at a port that all have been told
 *
 *     RANKWISE_JOIN=HOST/PORT/SITE/RANKS,RANKS/NAME,NAME/SECONDS[/RELAY/PORT]
 *
 * (with the job's key in a file that RANKWISE_JOIN_KEY names) until every process has come and said
 * at which port of its own it listens; then it tells all of them all addresses. Each process
 * connects to those of the sites before its own, by way of its site's relay where there is one
 * (relayed.h). */
#define _GNU_SOURCE
#include "join.h"

#include "encrypted.h"
#include "gateway.h"
#include "guests.h"
#include "relayed.h"
#include "settings.h"
#include "sockets.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    uint32_t address; /* 0: where the first process is */
    uint16_t port, node;
    uint32_t tag_bound, representation;
} Entry; /* all in network order */

static double deadline;

static void who_is_missing(const Entry *all, char *text, size_t room)
{
    int length = 0;
    text[0] = '\0';
    for (int s = 0; s < world.sites && length < (int)room; s++) {
        int here = 0;
        for (int r = world.first[s]; r < world.first[s + 1]; r++)
            here += all[r].port != 0;
        length += snprintf(text + length, room - (size_t)length, "%s%s %d of %d", s ? ", " : "",
                           world.names[s], here, world.first[s + 1] - world.first[s]);
    }
}

static Entry entry_of(Hello said, uint32_t address)
{
    return (Entry){address, said.port, said.node, htonl((uint32_t)said.tag_bound),
                   htonl(said.representation)};
}

/* The first process: collects all, and tells all. */
static void preside(Entry *all, uint16_t port)
{
    uint16_t at;
    char missing[256];
    const int listener = listen_at(job_settings.port, &at);
    if (job_settings.relay)
        listen_by_relay(&job_settings, 1, at, deadline);
    int *sockets = calloc((size_t)world.ranks, sizeof *sockets);
    if (!sockets)
        stop("out of memory");
    all[0] = entry_of(hello("", port), 0);
    Guests *guests = receive_guests(listener, &job_settings, deadline);
    for (int left = world.ranks - 1; left;) {
        Hello from;
        struct sockaddr_in address;
        who_is_missing(all, missing, sizeof missing);
        const int s = next_guest(guests, &from, &address, missing);
        if (all[from.rank].port) {
            close_connection(s);
            continue;
        }
        all[from.rank] = entry_of(from, address.sin_addr.s_addr);
        sockets[from.rank] = s;
        left--;
    }
    for (int r = 1; r < world.ranks; r++) {
        if (!write_all(sockets[r], all, (size_t)world.ranks * sizeof *all))
            give_up("lost the connection to", r);
        close_connection(sockets[r]);
    }
    free(sockets);
    dismiss_guests(guests);
    close(listener);
}

/* Any other process: says where it is, and hears where all are. Returns where the first one is. */
static struct in_addr attend(Entry *all, uint16_t port)
{
    struct sockaddr_in at = {.sin_addr.s_addr = 0};
    int s;
    if (job_settings.relay && world.site) {
        s = connect_by_relay(&job_settings, 0, 1, deadline);
    } else {
        at = address_of(job_settings.host, job_settings.port);
        s = connect_to(at, world.names[0], FIREWALL_REMEDY, deadline);
    }
    const Hello mine = hello(job_settings.key, port);
    if (!say_hello(s, &mine) ||
        !read_all(s, all, (size_t)world.ranks * sizeof *all, deadline - now()))
        stop("site %s was not told where the others are: %s", world.names[world.site],
             errno == ETIMEDOUT    ? "not all of them have come"
             : errno == ECONNRESET ? "the first process, or its relay, has closed the connection"
                                   : strerror(errno));
    close_connection(s);
    return at.sin_addr;
}

static void connect_all(const Entry *all, struct in_addr first, int listener, Met *met)
{
    int left = world.ranks - world.first[world.site + 1];
    for (int r = 0; r < world.first[world.site]; r++) {
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = all[r].port};
        at.sin_addr.s_addr = all[r].address ? all[r].address : first.s_addr;
        const int s = job_settings.relay
                          ? connect_by_relay(&job_settings, r, 0, deadline)
                          : connect_to(at, world.names[site_of_rank(r)], FIREWALL_REMEDY, deadline);
        const Hello mine = hello(job_settings.key, 0);
        if (!say_hello(s, &mine))
            give_up("lost the connection to", r);
        met[r].socket = s;
    }
    Guests *guests = receive_guests(listener, &job_settings, deadline);
    while (left) {
        Hello from;
        struct sockaddr_in address;
        const int s = next_guest(guests, &from, &address, "a later site cannot reach this one");
        if (from.rank < world.first[world.site + 1] || met[from.rank].socket >= 0) {
            close_connection(s);
            continue;
        }
        met[from.rank].socket = s;
        left--;
    }
    dismiss_guests(guests);
}

Met *meet(void)
{
    const char *words = getenv("RANKWISE_JOIN");
    uint16_t port;
    struct in_addr first = {0};
    if (!words)
        return NULL;
    job_settings = read_settings(strdup(words));
    load_encryption();
    deadline = now() + job_settings.seconds;
    find_place();
    Entry *all = calloc((size_t)world.ranks, sizeof *all);
    Met *met = malloc((size_t)world.ranks * sizeof *met);
    if (!all || !met)
        stop("out of memory");
    const int listener = listen_at(0, &port);
    if (job_settings.relay)
        listen_by_relay(&job_settings, 0, port, deadline);
    if (world.rank == 0)
        preside(all, port);
    else
        first = attend(all, port);
    for (int r = 0; r < world.ranks; r++)
        if ((int)ntohl(all[r].tag_bound) < world.tag_bound)
            world.tag_bound = (int)ntohl(all[r].tag_bound);
    for (int r = 0; r < world.ranks; r++)
        world.node[r] = world.first[site_of_rank(r)] + ntohs(all[r].node);
    for (int r = 0; r < world.ranks; r++)
        met[r] = (Met){-1, (Representation)ntohl(all[r].representation)};
    connect_all(all, first, listener, met);
    close(listener);
    free(all);
    return met;
}
