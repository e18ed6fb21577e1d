/* MPI_Comm_accept and MPI_Comm_connect: processes of two jobs become an intercommunicator. The
 * roots meet at a port and tell each other of all processes; then each of the one job connects to
 * each of the other, which are peers from then on, as those of other sites are. A job with relays
 * lets others in by these alone: its processes tell their relays that who has the port's key may
 * come. */
#include "calls.h"
#include "communicators.h"
#include "connecting.h"
#include "encrypted.h"
#include "guests.h"
#include "join.h"
#include "progress.h"
#include "relayed.h"
#include "sockets.h"
#include "wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether something has come, others having their turns meanwhile. */
static bool await_words(int s, double seconds)
{
    const double until = now() + seconds;
    char first;
    Session *const session = session_of(s);
    for (;;) {
        const ssize_t bytes = session ? encryption->receive(session, &first, 1, true)
                                      : recv(s, &first, 1, MSG_PEEK | MSG_DONTWAIT);
        if (bytes > 0)
            return true;
        if (bytes == 0 || (errno != EAGAIN && errno != EINTR) || now() > until)
            return false;
        progress();
        usleep(100);
    }
}

/* From the host's order of bytes to the network's, or back. */
static Card turned(Card c)
{
    return (Card){(int32_t)htonl((uint32_t)c.size), (int32_t)htonl((uint32_t)c.next_mixed),
                  (int32_t)htonl((uint32_t)c.tag_bound), (int32_t)htonl((uint32_t)c.code)};
}

static bool tell(const Meeting *m, int s)
{
    const Card card = turned(m->card);
    return write_all(s, &card, sizeof card) &&
           write_all(s, m->entries, (size_t)m->card.size * sizeof *m->entries);
}

static bool hear(Meeting *m, int s)
{
    if (!await_words(s, job_settings.seconds) || !read_all(s, &m->other, sizeof m->other, 5))
        return false;
    m->other = turned(m->other);
    if (m->other.size < 1 || m->other.size > MOST_PROCESSES)
        return false;
    const size_t bytes = (size_t)m->other.size * sizeof *m->others;
    free(m->others);
    m->others = malloc(bytes);
    return m->others && read_all(s, m->others, bytes, 5);
}

/* The root waits at its port for as long as it takes; one that goes again is no other job. */
static bool receive_job(Meeting *m)
{
    Settings known = job_settings;
    Hello from;
    struct sockaddr_in address;
    bool done = false;
    known.key = m->key;
    Guests *guests = receive_guests(m->port->listener, &known, 0);
    while (!done) {
        const int s = guest_now(guests, MOST_PROCESSES, &from, &address);
        done = s >= 0 && hear(m, s) && tell(m, s);
        if (s >= 0)
            close_connection(s);
        progress();
        if (s < 0)
            usleep(100);
    }
    dismiss_guests(guests);
    return done;
}

static bool visit_job(Meeting *m)
{
    int error;
    const int s = m->relayed ? visit_by_relays(m, m->at, 0, 1)
                             : try_to_connect(m->at, now() + job_settings.seconds, &error);
    const Hello h = greeting(m);
    const bool done = s >= 0 && say_hello(s, &h) && tell(m, s) && hear(m, s);
    if (s >= 0)
        close_connection(s);
    return done;
}

/* The relays must know before the other job can ask for us; 0: no longer. */
static int let_others_in(Meeting *m, uint16_t port)
{
    const int code = PMPI_Bcast(m->key, sizeof m->key, MPI_BYTE, m->root, m->quiet);
    if (code == MPI_SUCCESS && m->key[0])
        let_in_by_relay(m->key, world.rank, 0, port);
    return code;
}

/* Its root has all that the other job has to know. */
static int gather_entries(Meeting *m)
{
    uint16_t port;
    Entry mine = {.rank = (int32_t)htonl((uint32_t)world.rank), .address = own_address()};
    m->listener = listen_at(0, &port);
    mine.port = port;
    if (m->accepts && job_settings.relay) {
        const int code = let_others_in(m, port);
        if (code != MPI_SUCCESS)
            return code;
        mine.port = htons((uint16_t)job_settings.relay_port);
        snprintf(mine.relay, sizeof mine.relay, "%s", job_settings.relay);
    }
    mine.representation = htons(own_representation());
    snprintf(mine.site, sizeof mine.site, "%s", world.names[world.site]);
    m->card = (Card){m->mine.size, next_mixed, world.tag_bound, MPI_SUCCESS};
    m->entries = malloc((size_t)m->mine.size * sizeof *m->entries);
    if (!m->entries)
        return MPI_ERR_NO_MEM;
    const int code = PMPI_Gather(&mine, sizeof mine, MPI_BYTE, m->entries, sizeof mine, MPI_BYTE,
                                 m->root, m->quiet);
    if (code != MPI_SUCCESS)
        return code;
    return PMPI_Allreduce(&next_mixed, &m->card.next_mixed, 1, MPI_INT, MPI_MAX, m->quiet);
}

/* All hear what the root has heard: it is the same on all of them. */
static int share_entries(Meeting *m)
{
    int code = PMPI_Bcast(&m->other, sizeof m->other / sizeof(int), MPI_INT, m->root, m->quiet);
    if (code == MPI_SUCCESS)
        code = m->other.code;
    if (code == MPI_SUCCESS)
        code = PMPI_Bcast(m->key, sizeof m->key, MPI_BYTE, m->root, m->quiet);
    if (code != MPI_SUCCESS)
        return code;
    if (!m->leads)
        m->others = malloc((size_t)m->other.size * sizeof *m->others);
    if (!m->others)
        return MPI_ERR_NO_MEM;
    return PMPI_Bcast(m->others, m->other.size * (int)sizeof *m->others, MPI_BYTE, m->root,
                      m->quiet);
}

static int become_one(Meeting *m, MPI_Comm *made)
{
    Halves halves = HALF(MPI_COMM_NULL);
    const int agreed =
        m->card.next_mixed > m->other.next_mixed ? m->card.next_mixed : m->other.next_mixed;
    const int first = number_others(m);
    int *theirs = malloc((size_t)m->other.size * sizeof *theirs);
    if (!theirs || first < 0) {
        free(theirs);
        return MPI_ERR_NO_MEM;
    }
    for (int i = 0; i < m->other.size; i++)
        theirs[i] = first + i;
    connect_others(m, first);
    int code = split_own(m->joined ? m->joined->local : m->comm, &halves.local);
    if (code == MPI_SUCCESS) {
        inherit_handler(m->comm, halves.local);
        code = join_groups(halves, take_mixed(agreed), m->mine, (Members){m->other.size, theirs},
                           m->accepts);
    }
    free(theirs);
    *made = halves.local;
    return code;
}

static int meet_job(Meeting *m, MPI_Comm *made)
{
    int code = gather_entries(m);
    if (code == MPI_SUCCESS && m->leads && m->other.code == MPI_SUCCESS &&
        !(m->accepts ? receive_job(m) : visit_job(m)))
        m->other.code = MPI_ERR_PORT;
    if (code == MPI_SUCCESS)
        code = share_entries(m);
    if (code == MPI_SUCCESS)
        code = become_one(m, made);
    if (m->accepts && job_settings.relay && m->key[0])
        let_in_by_relay(m->key, world.rank, 0, 0);
    close(m->listener);
    free(m->entries);
    free(m->others);
    return fail(m->joined, code);
}

/* Collective over `comm`, whose root alone knows the port. */
static int with_job(const char *port_name, int root, MPI_Comm comm, bool accepts, MPI_Comm *made)
{
    Joined *j = joined_of(comm);
    MPI_Group group;
    Meeting m = {.joined = j, .comm = comm, .quiet = j ? j->own : comm, .root = root};
    *made = MPI_COMM_NULL;
    int code = get_group(comm, &group);
    if (code != MPI_SUCCESS)
        return code;
    if (!members_of(group, &m.mine) || (j && (j->inter || j->mixed)))
        code = refuse_call(comm, accepts ? NUMBER_Comm_accept : NUMBER_Comm_connect);
    else if (root < 0 || root >= m.mine.size)
        code = fail(j, MPI_ERR_ROOT);
    if (code == MPI_SUCCESS) {
        m.accepts = accepts;
        m.leads = m.mine.world_rank[root] == world.rank;
        m.port = m.leads && accepts ? port_named(port_name) : NULL;
        if (m.leads && (!read_port(port_name, &m.at, m.key, &m.relayed) || (accepts && !m.port)))
            m.other.code = MPI_ERR_PORT;
        code = meet_job(&m, made);
    }
    free_group(&group);
    return code;
}

int call_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                     MPI_Comm *newcomm)
{
    return world.started ? with_job(port_name, root, comm, true, newcomm)
                         : below.Comm_accept(port_name, info, root, comm, newcomm);
}

int call_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                      MPI_Comm *newcomm)
{
    return world.started ? with_job(port_name, root, comm, false, newcomm)
                         : below.Comm_connect(port_name, info, root, comm, newcomm);
}
