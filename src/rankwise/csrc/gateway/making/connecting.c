/* Processes of two jobs are connected: directly, or where the job that lets others in has relays,
 * by that of the process and by one of the visitors' own. */
#include "connecting.h"
#include "encrypted.h"
#include "join.h"
#include "relayed.h"
#include "sockets.h"
#include "wire.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int visit_by_relays(const Meeting *m, struct sockaddr_in relay, int rank, int meeting)
{
    char reason[REASON_ROOM] = "the port is reached by relays alone: start this job with --relay";
    const int s = job_settings.relay ? visit_by_relay(relay, m->key, rank, meeting,
                                                      now() + job_settings.seconds, reason)
                                     : -1;
    if (s < 0)
        fprintf(stderr, "libmpi_abi: site %s cannot reach the other job: %s\n",
                world.names[world.site], reason);
    return s;
}

Hello greeting(const Meeting *m)
{
    Hello h = hello(m->key, 0);
    h.rank = place_in(m->mine, world.rank);
    return h;
}

int number_others(const Meeting *m)
{
    const int first = world.all_ranks, count = m->other.size;
    int *starts = realloc(world.first, (size_t)(world.all_sites + count + 1) * sizeof *starts);
    world.first = starts ? starts : world.first;
    char **names = realloc(world.names, (size_t)(world.all_sites + count) * sizeof *names);
    world.names = names ? names : world.names;
    if (!starts || !names || first + count > world.ranks + MOST_OTHERS)
        return -1;
    for (int i = 0; i < count; i++) {
        Entry *e = &m->others[i];
        e->site[SITE_ROOM - 1] = '\0';
        if (i == 0 || strcmp(e->site, m->others[i - 1].site) != 0) {
            world.names[world.all_sites++] = strdup(e->site);
            world.first[world.all_sites] = first + i;
        }
        peers[first + i].tag_bound = m->other.tag_bound;
        world.first[world.all_sites] = ++world.all_ranks;
        note_representation(first + i, ntohs(e->representation));
    }
    return first;
}

static int connect_other(const Meeting *m, Entry *e, double deadline)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = e->port, .sin_addr = e->address};
    e->relay[RELAY_ROOM - 1] = '\0';
    if (!e->relay[0])
        return connect_to(at, "the other job", FIREWALL_REMEDY, deadline);
    at = address_of(e->relay, ntohs(e->port));
    const int s = visit_by_relays(m, at, (int)ntohl((uint32_t)e->rank), 0);
    if (s < 0)
        stop("site %s has no connection to a process of the other job", world.names[world.site]);
    return s;
}

void connect_others(const Meeting *m, int first)
{
    const double deadline = now() + job_settings.seconds;
    const Hello h = greeting(m);
    for (int i = 0; i < m->other.size && !m->accepts; i++) {
        const int s = connect_other(m, &m->others[i], deadline);
        if (!say_hello(s, &h))
            give_up("lost the connection to", first + i);
        open_peer(first + i, s);
    }
    Settings known = job_settings;
    known.key = m->key;
    Guests *guests = receive_guests(m->listener, &known, deadline);
    for (int left = m->accepts ? m->other.size : 0; left;) {
        Hello from;
        struct sockaddr_in address;
        const int s = guest_now(guests, m->other.size, &from, &address);
        if (s >= 0 && peers[first + from.rank].socket < 0) {
            open_peer(first + from.rank, s);
            left--;
        } else if (s >= 0) {
            close_connection(s);
        } else if (now() > deadline) {
            stop("no process of the other job came to site %s within %.0f s; %s",
                 world.names[world.site], job_settings.seconds, FIREWALL_REMEDY);
        } else {
            usleep(100);
        }
    }
    dismiss_guests(guests);
}
