/* MPI_Comm_accept and MPI_Comm_connect: processes of two jobs become an intercommunicator. The
 * roots meet at a port and tell each other of all processes; then each of the one job connects to
 * each of the other, which are peers from then on, as those of other sites are. */
#include "calls.h"
#include "communicators.h"
#include "guests.h"
#include "join.h"
#include "messages.h"
#include "ports.h"
#include "sockets.h"
#include "wire.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SITE_ROOM = 32, MOST_PROCESSES = MOST_OTHERS };

/* What a job's root tells of its communicator, and of each of its processes. */
typedef struct {
    int32_t size, next_mixed, tag_bound, code; /* an error code: nothing comes of it */
} Card;
typedef struct {
    struct in_addr address;
    uint16_t port;
    Representation representation; /* network order, too */
    char site[SITE_ROOM];
} Entry;

/* A call on its way. `quiet` has the communicator's ranks, but no error handler of the program's.
 */
typedef struct {
    Joined *joined; /* NULL: it is the library's */
    MPI_Comm comm, quiet;
    Members mine;
    int root;
    bool leads, accepts;
    char key[PORT_KEY];
    struct sockaddr_in at;
    Port *port;
    int listener;
    Card card, other;
    Entry *entries, *others;
} Meeting;

/* Whether something has come, others having their turns meanwhile. */
static bool await_words(int s, double seconds)
{
    const double until = now() + seconds;
    char first;
    for (;;) {
        const ssize_t bytes = recv(s, &first, 1, MSG_PEEK | MSG_DONTWAIT);
        if (bytes > 0)
            return true;
        if (bytes == 0 || (errno != EAGAIN && errno != EINTR) || now() > until)
            return false;
        progress();
        usleep(100);
    }
}

static bool tell(const Meeting *m, int s)
{
    return write_all(s, &m->card, sizeof m->card) &&
           write_all(s, m->entries, (size_t)m->card.size * sizeof *m->entries);
}

static bool hear(Meeting *m, int s)
{
    if (!await_words(s, job_settings.seconds) || !read_all(s, &m->other, sizeof m->other, 5) ||
        m->other.size < 1 || m->other.size > MOST_PROCESSES)
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
            close(s);
        progress();
        if (s < 0)
            usleep(100);
    }
    dismiss_guests(guests);
    return done;
}

static Hello greeting(const Meeting *m)
{
    Hello h = hello(m->key, 0);
    h.rank = place_in(m->mine, world.rank);
    return h;
}

static bool visit_job(Meeting *m)
{
    int error;
    const int s = try_to_connect(m->at, now() + job_settings.seconds, &error);
    const Hello h = greeting(m);
    const bool done = s >= 0 && write_all(s, &h, sizeof h) && tell(m, s) && hear(m, s);
    if (s >= 0)
        close(s);
    return done;
}

/* Its root has all that the other job has to know. */
static int gather_entries(Meeting *m)
{
    uint16_t port;
    Entry mine = {.address = own_address()};
    m->listener = listen_at(0, &port);
    mine.port = port;
    mine.representation = htons(own_representation());
    snprintf(mine.site, sizeof mine.site, "%s", world.names[world.site]);
    m->card = (Card){m->mine.size, next_mixed, world.tag_bound, MPI_SUCCESS};
    m->entries = malloc((size_t)m->mine.size * sizeof *m->entries);
    if (!m->entries)
        return MPI_ERR_NO_MEM;
    const int code = call_Gather(&mine, sizeof mine, MPI_BYTE, m->entries, sizeof mine, MPI_BYTE,
                                 m->root, m->quiet);
    if (code != MPI_SUCCESS)
        return code;
    return call_Allreduce(&next_mixed, &m->card.next_mixed, 1, MPI_INT, MPI_MAX, m->quiet);
}

/* All hear what the root has heard: it is the same on all of them. */
static int share_entries(Meeting *m)
{
    int code = call_Bcast(&m->other, sizeof m->other / sizeof(int), MPI_INT, m->root, m->quiet);
    if (code == MPI_SUCCESS)
        code = m->other.code;
    if (code == MPI_SUCCESS)
        code = call_Bcast(m->key, sizeof m->key, MPI_BYTE, m->root, m->quiet);
    if (code != MPI_SUCCESS)
        return code;
    if (!m->leads)
        m->others = malloc((size_t)m->other.size * sizeof *m->others);
    if (!m->others)
        return MPI_ERR_NO_MEM;
    return call_Bcast(m->others, m->other.size * (int)sizeof *m->others, MPI_BYTE, m->root,
                      m->quiet);
}

/* They get the next numbers of the world, and their sites, too. The number of the first. */
static int number_others(const Meeting *m)
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

/* Each of those that have come connects to each of those that have let them in. */
static void connect_others(const Meeting *m, int first)
{
    const double deadline = now() + job_settings.seconds;
    const Hello h = greeting(m);
    for (int i = 0; i < m->other.size && !m->accepts; i++) {
        const struct sockaddr_in at = {
            .sin_family = AF_INET, .sin_port = m->others[i].port, .sin_addr = m->others[i].address};
        const int s = connect_to(at, "the other job", FIREWALL_REMEDY, deadline);
        if (!write_all(s, &h, sizeof h))
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
            close(s);
        } else if (now() > deadline) {
            stop("a process of the other job did not come to site %s within %.0f s; %s",
                 world.names[world.site], job_settings.seconds, FIREWALL_REMEDY);
        } else {
            usleep(100);
        }
    }
    dismiss_guests(guests);
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
    int code = call_Comm_group(comm, &group);
    if (code != MPI_SUCCESS)
        return code;
    if (!members_of(group, &m.mine) || job_settings.relay || (j && (j->inter || j->mixed)))
        code = refuse_call(comm, accepts ? NUMBER_Comm_accept : NUMBER_Comm_connect);
    else if (root < 0 || root >= m.mine.size)
        code = fail(j, MPI_ERR_ROOT);
    if (code == MPI_SUCCESS) {
        m.accepts = accepts;
        m.leads = m.mine.world_rank[root] == world.rank;
        m.port = m.leads && accepts ? port_named(port_name) : NULL;
        if (m.leads && (!read_port(port_name, &m.at, m.key) || (accepts && !m.port)))
            m.other.code = MPI_ERR_PORT;
        code = meet_job(&m, made);
    }
    call_Group_free(&group);
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
