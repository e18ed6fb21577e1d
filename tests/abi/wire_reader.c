/* Gives what it reads from its input to the gateway as if another site's process had sent it, while
 * receives and sends of all kinds are under way. The library below is a stub: what is tested is
 * the reader. `turned`: that process's machine has the other order of bytes. */
#include "beginning.h"
#include "calls.h"
#include "communicators.h"
#include "progress.h"
#include "wire.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LONG_BYTES = 100000, SENT_BYTES = CREDIT_BYTES + LONG_BYTES, PIECE = 4096, OWN_TYPE = 4096 };

static int rank_of(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
}

static int split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    static uintptr_t next = 0x10000;
    (void)comm, (void)color, (void)key;
    *made = (MPI_Comm)(next += 64);
    return MPI_SUCCESS;
}

static int ignore_handler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

static int ignore_error(MPI_Comm comm, int code)
{
    (void)comm, (void)code;
    return MPI_SUCCESS;
}

static int size_of(MPI_Datatype type, MPI_Count *size)
{
    *size = (uintptr_t)type >= OWN_TYPE ? 8 : 1;
    return MPI_SUCCESS;
}

static int extent_of(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent)
{
    *lower = 0;
    *extent = (uintptr_t)type >= OWN_TYPE ? 8 : 1;
    return MPI_SUCCESS;
}

static int same_type(int count, MPI_Datatype type, MPI_Datatype *made)
{
    (void)count;
    *made = type;
    return MPI_SUCCESS;
}

static int ignore_type(MPI_Datatype *type)
{
    (void)type;
    return MPI_SUCCESS;
}

static int unpack_all(const void *in, MPI_Count size, MPI_Count *position, void *out,
                      MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    (void)type, (void)comm, (void)size;
    memcpy(out, (const char *)in + *position, (size_t)count * 8);
    return MPI_SUCCESS;
}

/* A part of an element, which the gateway sends to itself: it is dropped here. */
static int no_message(void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                      MPI_Comm comm, MPI_Request *request)
{
    (void)buffer, (void)count, (void)type, (void)source, (void)tag, (void)comm;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int send_nowhere(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm comm, MPI_Request *request)
{
    (void)buffer, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int wait_for_nothing(MPI_Request *request, MPI_Status *status)
{
    (void)request, (void)status;
    return MPI_SUCCESS;
}

static int nothing_there(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    (void)source, (void)tag, (void)comm, (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

static int no_message_there(int source, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                            MPI_Status *status)
{
    (void)source, (void)tag, (void)comm, (void)message, (void)status;
    *there = 0;
    return MPI_SUCCESS;
}

static int is_begun(int *begun)
{
    *begun = 1;
    return MPI_SUCCESS;
}

static int end(MPI_Comm comm, int code)
{
    (void)comm, (void)code;
    fputs("MPI_Abort\n", stderr);
    _exit(1);
}

/* The gateway is patient where people look on. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    return 0;
}

static void begin_world(int socket)
{
    static int first[] = {0, 1, 2};
    static char *names[] = {"here", "there"};
    below.Comm_rank = rank_of;
    below.Comm_split = split;
    below.Comm_set_errhandler = ignore_handler;
    below.Comm_call_errhandler = ignore_error;
    below.Type_size_c = size_of;
    below.Type_get_extent = extent_of;
    below.Type_contiguous = same_type;
    below.Type_commit = below.Type_free = ignore_type;
    below.Unpack_c = unpack_all;
    below.Irecv_c = no_message;
    below.Isend_c = send_nowhere;
    below.Wait = wait_for_nothing;
    below.Iprobe = nothing_there;
    below.Improbe = no_message_there;
    below.Initialized = is_begun;
    below.Abort = end;
    world = (World){.sites = 2,
                    .ranks = 2,
                    .all_sites = 2,
                    .all_ranks = 2,
                    .first = first,
                    .names = names,
                    .tag_bound = 1 << 20};
    world.started = true;
    connect_layers();
    peers = calloc(2, sizeof *peers);
    peers[0] = (Peer){.socket = -1, .credit = CREDIT_BYTES};
    peers[1] = (Peer){.rank = 1, .credit = CREDIT_BYTES};
    open_peer(1, socket);
    join_world();
}

/* Slots 0 to 7. */
static void begin_messages(void)
{
    static char in[6][LONG_BYTES], out[SENT_BYTES];
    const MPI_Datatype own = (MPI_Datatype)OWN_TYPE;
    static MPI_Request requests[8];
    call_Irecv_c(in[0], LONG_BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[0]);
    call_Irecv_c(in[1], 10, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[1]);
    call_Irecv_c(in[2], 10, own, 1, 3, MPI_COMM_WORLD, &requests[2]);
    call_Irecv_c(in[3], 10, own, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[3]);
    call_Irecv_c(in[4], LONG_BYTES / 8, own, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[4]);
    call_Isend_c(out, SENT_BYTES, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &requests[5]);
    call_Issend_c(out, 10, MPI_BYTE, 1, 6, MPI_COMM_WORLD, &requests[6]);
    call_Irecv_c(in[5], 10, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &requests[7]);
}

/* What the gateway answers is thrown away, so that it can go on. */
static void turn(int other)
{
    char answers[PIECE];
    progress();
    while (recv(other, answers, sizeof answers, MSG_DONTWAIT) > 0)
        progress();
}

int main(int count, char **arguments)
{
    int pair[2];
    char piece[PIECE];
    size_t bytes;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 3;
    begin_world(pair[0]);
    peers[1].other_order = count > 1 && strcmp(arguments[1], "turned") == 0;
    begin_messages();
    while ((bytes = fread(piece, 1, sizeof piece, stdin)) > 0)
        for (size_t at = 0; at < bytes;) {
            const ssize_t sent = send(pair[1], piece + at, bytes - at, MSG_DONTWAIT | MSG_NOSIGNAL);
            at += sent > 0 ? (size_t)sent : 0;
            turn(pair[1]);
            if (peers[1].ended)
                return 0;
        }
    shutdown(pair[1], SHUT_WR);
    while (!peers[1].ended)
        turn(pair[1]);
    return 0;
}
