#define _GNU_SOURCE
#include "guests.h"

#include "encrypted.h"
#include "gateway.h"
#include "sockets.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BYTE_ORDER_MARK = 0x01020304,
    PROTOCOL = 5,         /* also of what follows (wire.h) */
    TLS_HANDSHAKE = 0x16, /* the first byte of any TLS */
    HELLO_SECONDS = 5,
    MOST_GUESTS = 512, /* at a time: the oldest makes room for the next */
    MOST_OF_ADDRESS = MOST_GUESTS / 2,
    AT_ONCE = 16, /* are let in before those who are here are listened to */
    MOST_TOLD = 8
};

typedef struct {
    int socket;
    struct sockaddr_in address;
    double until;
    size_t bytes;
    bool begun; /* with TLS, in a job that encrypts */
    bool ready; /* perhaps it has said more */
    Hello said;
} Guest;

struct Guests {
    int listener, count, told, ranks;
    double deadline;
    const Settings *settings;
    Guest all[MOST_GUESTS];
};

Hello hello(const char *key, uint16_t port)
{
    Hello h = {.magic = "rankwise",
               .order = BYTE_ORDER_MARK,
               .protocol = PROTOCOL,
               .rank = world.rank,
               .tag_bound = world.tag_bound,
               .port = port,
               .node = htons((uint16_t)(world.node[world.rank] - world.first[world.site])),
               .representation = own_representation()};
    snprintf(h.key, sizeof h.key, "%s", key);
    return h;
}

/* From the first byte on. Another version fails as TLS, before anything is said. */
static void encrypt_from_now(int socket, const char *key, bool accepts)
{
    char protocol[32];
    snprintf(protocol, sizeof protocol, "rankwise-job/%d", PROTOCOL);
    encrypt(socket, protocol, key, accepts);
}

bool say_hello(int socket, const Hello *said)
{
    if (encryption)
        encrypt_from_now(socket, said->key, false);
    if (write_all(socket, said, sizeof *said))
        return true;
    const char *const reason = encryption ? encryption->reason(session_of(socket)) : NULL;
    if (encryption)
        fprintf(stderr, "libmpi_abi: site %s cannot begin an encrypted connection: %s\n",
                world.names[world.site],
                reason ? reason : "the other side has ended it, or does not encrypt");
    return false;
}

Guests *receive_guests(int listener, const Settings *settings, double deadline)
{
    Guests *g = calloc(1, sizeof *g);
    if (!g)
        stop("out of memory");
    g->listener = listener;
    fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK);
    g->ranks = world.ranks;
    g->settings = settings;
    g->deadline = deadline;
    return g;
}

/* What a machine of the other order of bytes has said, as this one would have. */
static void in_own_order(Hello *said)
{
    uint32_t *const words[] = {&said->order, &said->protocol, (uint32_t *)&said->rank,
                               (uint32_t *)&said->tag_bound, &said->representation};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *words[i] = __builtin_bswap32(*words[i]);
}

/* Why the first `bytes` of what it says, maybe all, are no hello of this job's; NULL: they may be.
 */
static const char *wrong_with(const Guests *g, const Hello *said, size_t bytes)
{
    const Hello mine = hello(g->settings->key, 0);
    const size_t magic = bytes < sizeof mine.magic ? bytes : sizeof mine.magic;
    if (memcmp(said->magic, mine.magic, magic) != 0)
        return (unsigned char)said->magic[0] == TLS_HANDSHAKE
                   ? "it encrypts, and this job does not"
                   : "it is not a process of a joined job";
    if (bytes < sizeof mine)
        return NULL;
    if (said->order != mine.order || said->protocol != mine.protocol)
        return "it is of another version of Rankwise";
    if (memcmp(said->key, mine.key, sizeof mine.key) != 0)
        return "it has another job's key";
    return said->rank < 0 || said->rank >= g->ranks ? "it names a rank that this job does not have"
                                                    : NULL;
}

static void forget(Guests *g, Guest *one)
{
    *one = g->all[--g->count];
}

static void send_away(Guests *g, Guest *one, const char *reason)
{
    if (g->told++ < MOST_TOLD)
        fprintf(stderr, "libmpi_abi: site %s sent a connection from %s away: %s\n",
                world.names[world.site], inet_ntoa(one->address.sin_addr), reason);
    close_connection(one->socket);
    forget(g, one);
}

/* The one that has waited longest, of this address or of any (NULL); rather one that has said
 * nothing at all. */
static Guest *oldest(Guests *g, const struct in_addr *address)
{
    Guest *found = NULL;
    for (Guest *one = g->all; one < g->all + g->count; one++) {
        if (address && one->address.sin_addr.s_addr != address->s_addr)
            continue;
        const bool silent = !one->bytes && !one->begun;
        const bool found_silent = found && !found->bytes && !found->begun;
        if (!found || silent > found_silent ||
            (silent == found_silent && one->until < found->until))
            found = one;
    }
    return found;
}

static void make_room(Guests *g, struct in_addr newcomer)
{
    int of_address = 0;
    for (int i = 0; i < g->count; i++)
        of_address += g->all[i].address.sin_addr.s_addr == newcomer.s_addr;
    if (of_address >= MOST_OF_ADDRESS)
        send_away(g, oldest(g, &newcomer), "too many others from its address are waiting");
    else if (g->count == MOST_GUESTS)
        send_away(g, oldest(g, NULL), "too many others are waiting");
}

static bool let_in(Guests *g)
{
    struct sockaddr_in address;
    socklen_t bytes = sizeof address;
    const int s = accept4(g->listener, (struct sockaddr *)&address, &bytes, SOCK_CLOEXEC);
    if (s < 0)
        return false;
    make_room(g, address.sin_addr);
    g->all[g->count++] =
        (Guest){.socket = s, .address = address, .until = now() + HELLO_SECONDS, .ready = true};
    return true;
}

/* Whether one has begun with TLS, as a job that encrypts wants it: what is no TLS is wrong, and
 * what has not begun is not looked at. As recv() of its first bytes, which are still to be read. */
static ssize_t see_beginning(Guest *one, const char **wrong)
{
    Hello said;
    const ssize_t bytes = recv(one->socket, said.magic, sizeof said.magic, MSG_PEEK | MSG_DONTWAIT);
    if (bytes <= 0)
        return bytes;
    one->begun = (unsigned char)said.magic[0] == TLS_HANDSHAKE;
    if (!one->begun)
        *wrong = memcmp(said.magic, hello("", 0).magic, (size_t)bytes) == 0
                     ? "it does not encrypt, and this job does"
                     : "it is not a process of a joined job";
    return one->begun ? bytes : 0;
}

/* More of its hello: as recv(), with the reason where that is known. */
static ssize_t hear(const Guests *g, Guest *one, const char **wrong)
{
    char *const to = (char *)&one->said + one->bytes;
    const size_t left = sizeof one->said - one->bytes;
    if (!encryption)
        return recv(one->socket, to, left, MSG_DONTWAIT);
    if (!one->begun) {
        const ssize_t there = see_beginning(one, wrong);
        if (there <= 0)
            return there;
        encrypt_from_now(one->socket, g->settings->key, true);
    }
    Session *const session = session_of(one->socket);
    const ssize_t bytes = encryption->receive(session, to, left, false);
    *wrong = encryption->reason(session);
    return bytes;
}

/* What a guest has said by now. True: its hello is right, and all here. */
static bool listen_to(Guests *g, Guest *one)
{
    const char *wrong = NULL;
    const ssize_t bytes = hear(g, one, &wrong);
    one->ready = bytes > 0;
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR)) {
        send_away(g, one, wrong ? wrong : "it closed the connection before it had said who it is");
        return false;
    }
    one->bytes += bytes > 0 ? (size_t)bytes : 0;
    if (one->bytes == sizeof one->said && one->said.order == __builtin_bswap32(BYTE_ORDER_MARK))
        in_own_order(&one->said);
    wrong = wrong_with(g, &one->said, one->bytes);
    if (wrong)
        send_away(g, one, wrong);
    else if (now() > one->until && one->bytes < sizeof one->said)
        send_away(g, one, "it did not say within 5 s who it is");
    else
        return one->bytes == sizeof one->said;
    return false;
}

/* Until somebody comes or speaks, or then. */
static void look(Guests *g, double until)
{
    struct pollfd ready[MOST_GUESTS + 1];
    for (int i = 0; i < g->count; i++) {
        ready[i] = (struct pollfd){.fd = g->all[i].socket, .events = POLLIN};
        until = g->all[i].until < until ? g->all[i].until : until;
    }
    ready[g->count] = (struct pollfd){.fd = g->listener, .events = POLLIN};
    const double left = until - now();
    poll(ready, (nfds_t)g->count + 1, left > 0 ? (int)(1e3 * left) + 1 : 0);
    const bool somebody_came = ready[g->count].revents;
    for (int i = 0; i < g->count; i++)
        g->all[i].ready |= ready[i].revents != 0;
    for (int i = 0; somebody_came && i < AT_ONCE && let_in(g); i++)
        ;
}

static void await(Guests *g, const char *missing)
{
    if (now() >= g->deadline)
        stop("not all processes came to port %d within %.0f s: %s%s%s", port_of(g->listener),
             g->settings->seconds, missing, g->settings->relay ? "" : "; ",
             g->settings->relay ? "" : FIREWALL_REMEDY);
    look(g, g->deadline);
}

/* One whose hello is right and all here: -1, there is none. */
static int ready_guest(Guests *g, Hello *from, struct sockaddr_in *address)
{
    for (int i = g->count - 1; i >= 0; i--) { /* the last one takes the place of one that goes */
        Guest *one = &g->all[i];
        if ((!one->ready && now() <= one->until) || !listen_to(g, one))
            continue;
        const int s = one->socket;
        *from = one->said;
        *address = one->address;
        forget(g, one);
        return s;
    }
    return -1;
}

int next_guest(Guests *g, Hello *from, struct sockaddr_in *address, const char *missing)
{
    int s = ready_guest(g, from, address);
    while (s < 0) {
        await(g, missing);
        s = ready_guest(g, from, address);
    }
    return s;
}

int guest_now(Guests *g, int ranks, Hello *from, struct sockaddr_in *address)
{
    g->ranks = ranks;
    look(g, 0);
    return ready_guest(g, from, address);
}

void dismiss_guests(Guests *g)
{
    while (g->count) {
        close_connection(g->all[0].socket);
        forget(g, &g->all[0]);
    }
    free(g);
}
