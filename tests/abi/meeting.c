/* Strangers and a process of the job at the port where a job gathers (guests.h), at a clock that
 * this program sets: it prints how many of the strangers were sent away after each step. */
#define _GNU_SOURCE
#include "encrypted.h"
#include "gateway.h"
#include "guests.h"
#include "sockets.h"
#include <arpa/inet.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 8192, MANY = 300, RANKS = 4 };

static double clock_seconds = 1000;
static int strangers[MOST], count;
static struct sockaddr_in meeting;

World world;
const Encryption *encryption;

double now(void)
{
    return clock_seconds += 1e-6;
}

void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

void encrypt(int socket, const char *protocol, const char *key, bool accepts)
{
    (void)socket, (void)protocol, (void)key, (void)accepts;
}

Session *session_of(int socket)
{
    (void)socket;
    return NULL;
}

void close_connection(int socket)
{
    close(socket);
}

bool write_all(int socket, const void *from, size_t bytes)
{
    return send(socket, from, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

int port_of(int listener)
{
    (void)listener;
    return ntohs(meeting.sin_port);
}

static int connect_from(int host)
{
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in own = {.sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(0x7f000000 + (uint32_t)host)};
    if (s < 0 || bind(s, (const struct sockaddr *)&own, sizeof own) ||
        connect(s, (const struct sockaddr *)&meeting, sizeof meeting))
        stop("cannot connect");
    return s;
}

static void come(int host, int number)
{
    while (number--)
        strangers[count++] = connect_from(host);
}

/* From first to before end. */
static int sent_away(int first, int end)
{
    int gone = 0;
    for (int i = first; i < end; i++) {
        char byte;
        gone += recv(strangers[i], &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
    }
    return gone;
}

static bool are_waiting(int listener)
{
    struct pollfd queue = {.fd = listener, .events = POLLIN};
    return poll(&queue, 1, 0) == 1;
}

/* Until nobody waits to be let in; the rank of one with the right words, or -1. */
static int see_to_all(Guests *guests, int listener)
{
    int rank = -1;
    do {
        Hello from;
        struct sockaddr_in address;
        const int s = guest_now(guests, RANKS, &from, &address);
        if (s >= 0) {
            rank = from.rank;
            close(s);
        }
    } while (are_waiting(listener));
    return rank;
}

static void raise_limit(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

int main(void)
{
    static int first[2], node[RANKS];
    static char site[] = "here", *names[] = {site};
    socklen_t bytes = sizeof meeting;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    raise_limit();
    first[1] = RANKS;
    world = (World){.sites = 1, .ranks = RANKS, .first = first, .names = names, .node = node};
    meeting = (struct sockaddr_in){.sin_family = AF_INET};
    if (bind(listener, (struct sockaddr *)&meeting, sizeof meeting) ||
        listen(listener, SOMAXCONN) || getsockname(listener, (struct sockaddr *)&meeting, &bytes))
        stop("cannot listen");
    meeting.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const Settings settings = {.key = "the key of this job"};
    Guests *const guests = receive_guests(listener, &settings, clock_seconds + 60);

    come(1, MANY);
    see_to_all(guests, listener);
    printf("of one address %d, the oldest %d\n", sent_away(0, MANY), sent_away(0, MANY - 256));
    come(2, MANY);
    see_to_all(guests, listener);
    printf("of each of two %d\n", sent_away(MANY, count));
    come(3, 10);
    see_to_all(guests, listener);
    printf("of any address %d, the oldest %d\n", sent_away(0, count) - 2 * (MANY - 256),
           sent_away(MANY - 256, MANY - 256 + 10));

    const int process = connect_from(4);
    Hello said = hello(settings.key, 0);
    said.rank = 3;
    write_all(process, &said, sizeof said);
    come(1, MANY);
    Hello from;
    struct sockaddr_in address;
    const bool taken = guest_now(guests, RANKS, &from, &address) >= 0 && from.rank == 3;
    printf("taken %d while others wait %d\n", taken, are_waiting(listener));
    see_to_all(guests, listener);

    clock_seconds += 6;
    see_to_all(guests, listener);
    printf("in the end %d of %d\n", sent_away(0, count), count);
    dismiss_guests(guests);
    for (int i = 0; i < count; i++)
        close(strangers[i]);
    close(process);
    close(listener);
    return 0;
}
