#include "measured_network.h"
#include "known_sites.h"
#include <stdlib.h>
#include <string.h>

enum {
    NO_SITE = -1,    /* yet */
    LEAST_TRIPS = 5, /* with each host, of which the shortest counts; the first one also connects */
    MOST_TRIPS = 200, /* as many as there is time for: other processes delay some of them */
    AT_ONCE = 16,     /* hosts that one host has messages under way to */
};
static const double JUMP = 3;    /* times the shortest round trip: another site */
static const double ALIKE = 1.1; /* times the shortest round trips: as near as that host */
static const double NEAR_SECONDS = 0.3e-3; /* what counts as the shortest at least */
static const double TRIPS_SECONDS = 0.15;  /* with the same hosts, unless they are too few */
static const double MOST_SECONDS = 0.6;    /* after which no round trip begins */

/* A round trip that is under way. */
typedef struct {
    int go, back, count;
    double began;
} Trip;

static void begin_trip(MPI_Comm leaders, int host, Trip *trip, MPI_Request *receive)
{
    trip->go = 1;
    PMPI_Irecv(&trip->back, 1, MPI_INT, host, 0, leaders, receive);
    trip->began = PMPI_Wtime();
    PMPI_Send(&trip->go, 1, MPI_INT, host, 0, leaders);
}

/* The shortest seconds of round trips with these hosts, with all at once, so that a near one has
 * many while a far one has few. False: there was no time for enough of them. */
static bool time_often(MPI_Comm leaders, const int *hosts, int count, double end, double *seconds)
{
    MPI_Request receives[AT_ONCE];
    Trip trips[AT_ONCE] = {{0}};
    const double began = PMPI_Wtime();
    bool enough = true;
    for (int i = 0; i < count; i++)
        begin_trip(leaders, hosts[i], &trips[i], &receives[i]);
    for (int under_way = count, i; under_way > 0;) {
        PMPI_Waitany(count, receives, &i, MPI_STATUS_IGNORE);
        const double now = PMPI_Wtime(), took = now - trips[i].began;
        if (took < seconds[hosts[i]])
            seconds[hosts[i]] = took;
        const bool few = ++trips[i].count < LEAST_TRIPS;
        if (few ? now < end : trips[i].count < MOST_TRIPS && now < began + TRIPS_SECONDS) {
            begin_trip(leaders, hosts[i], &trips[i], &receives[i]);
        } else {
            under_way--;
            enough &= !few;
        }
    }
    return enough;
}

/* Round trips from this host to those of this site, then a message that these were all. A negative
 * time of its own: there was no time for them. */
static void time_others(MPI_Comm leaders, int me, const HostSites *h, int site, double end,
                        double *seconds)
{
    int others[MOST_HOSTS], count = 0, stop = 0;
    bool enough = true;
    for (int i = 0; i < h->count; i++) {
        seconds[i] = 1e9;
        if (i != me && h->site[i] == site)
            others[count++] = i;
    }
    for (int first = 0; enough && first < count; first += AT_ONCE)
        enough = time_often(leaders, others + first,
                            count - first < AT_ONCE ? count - first : AT_ONCE, end, seconds);
    for (int i = 0; i < count; i++)
        PMPI_Send(&stop, 1, MPI_INT, others[i], 0, leaders);
    seconds[me] = enough ? 0 : -1;
}

static void answer(MPI_Comm leaders, int host)
{
    int go = 1;
    while (PMPI_Recv(&go, 1, MPI_INT, host, 0, leaders, MPI_STATUS_IGNORE) == MPI_SUCCESS && go)
        PMPI_Send(&go, 1, MPI_INT, host, 0, leaders);
}

/* All get the round trips of host `asks` with those of a site. False: there was no time. */
static bool share_times(MPI_Comm leaders, const HostSites *h, int asks, int site, double end,
                        double *seconds)
{
    int me;
    PMPI_Comm_rank(leaders, &me);
    if (me == asks)
        time_others(leaders, me, h, site, end, seconds);
    else if (h->site[me] == site)
        answer(leaders, asks);
    return PMPI_Bcast(seconds, h->count, MPI_DOUBLE, asks, leaders) == MPI_SUCCESS &&
           seconds[asks] >= 0;
}

/* The longest round trip that is within the site of host `asks`. */
static double longest_near(const HostSites *h, const double *seconds, int asks)
{
    double shortest = 1e9;
    for (int i = 0; i < h->count; i++)
        if (i != asks && h->site[i] == NO_SITE && seconds[i] < shortest)
            shortest = seconds[i];
    if (shortest < NEAR_SECONDS || shortest > JUMP * NEAR_SECONDS)
        shortest = NEAR_SECONDS;
    return JUMP * shortest;
}

/* The first host of a site; as many as there are hosts: the site has none. */
static int first_of(const HostSites *h, int site)
{
    int host = 0;
    while (host < h->count && h->site[host] != site)
        host++;
    return host;
}

/* The nearest host of each site gets the least place of all; `far`: the round trips of each host
 * with hosts of other sites, the same ones for all of a site. */
static void choose_leaders(HostSites *h, const double *far)
{
    for (int i = 0; i < h->count; i++)
        h->place[i] = i;
    for (int site = 0, first; (first = first_of(h, site)) < h->count; site++) {
        double least = far[first];
        int leads = first;
        for (int i = first; i < h->count; i++)
            if (h->site[i] == site && far[i] < least)
                least = far[i];
        while (h->site[leads] != site || far[leads] > ALIKE * least)
            leads++;
        h->place[first] = leads;
        h->place[leads] = first;
    }
}

/* One rank a host: the first host without a site asks all others that have none, and makes a site
 * with those that are near, until each has one; then how far those of the first site are from the
 * second. False: it would take too long. */
static bool find_sites(MPI_Comm leaders, HostSites *h)
{
    double seconds[MOST_HOSTS], far[MOST_HOSTS] = {0};
    const double end = PMPI_Wtime() + MOST_SECONDS;
    for (int i = 0; i < h->count; i++)
        h->site[i] = NO_SITE;
    for (int site = 0, asks; (asks = first_of(h, NO_SITE)) < h->count; site++) {
        if (!share_times(leaders, h, asks, NO_SITE, end, seconds))
            return false;
        const double near = longest_near(h, seconds, asks);
        for (int i = 0; i < h->count; i++)
            if (h->site[i] == NO_SITE && (i == asks || seconds[i] <= near))
                h->site[i] = site;
            else if (h->site[i] == NO_SITE)
                far[i] += seconds[i];
    }
    const int second = first_of(h, 1);
    if (second < h->count && share_times(leaders, h, second, 0, end, seconds))
        for (int i = 0; i < h->count; i++)
            far[i] = h->site[i] == 0 ? seconds[i] : far[i];
    choose_leaders(h, far);
    return true;
}

/* Rank 0 says it for all: as it knows it, or else as the first ranks of the hosts measure it. */
static bool agree(MPI_Comm comm, HostSites *h, const int *host_of_rank)
{
    int rank;
    MPI_Comm leaders = MPI_COMM_NULL;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && !recall_sites(h))
        h->site[0] = NO_SITE;
    if (PMPI_Bcast(h->site, h->count, MPI_INT, 0, comm) != MPI_SUCCESS)
        return false;
    if (h->site[0] < 0) {
        const bool leads = h->first_rank[host_of_rank[rank]] == rank;
        if (PMPI_Comm_split(comm, leads ? 0 : MPI_UNDEFINED, rank, &leaders) != MPI_SUCCESS)
            return false;
        const bool found = leads && find_sites(leaders, h);
        if (rank == 0 && found)
            store_sites(h);
        else if (rank == 0)
            h->site[0] = NO_SITE;
        if (leads)
            PMPI_Comm_free(&leaders);
        if (PMPI_Bcast(h->site, h->count, MPI_INT, 0, comm) != MPI_SUCCESS || h->site[0] < 0)
            return false;
    }
    if (PMPI_Bcast(h->place, h->count, MPI_INT, 0, comm) != MPI_SUCCESS)
        return false;
    remember_sites(h);
    return true;
}

/* Hosts in the order of their first ranks. False: there are too many. */
static bool count_hosts(HostSites *h, const char *const *hosts, int ranks, int *host_of_rank)
{
    for (int r = 0; r < ranks; r++) {
        int i = r ? host_of_rank[r - 1] : 0;
        if (!r || strcmp(h->name[i], hosts[r]) != 0)
            for (i = 0; i < h->count && strcmp(h->name[i], hosts[r]) != 0; i++)
                continue;
        if (i == MOST_HOSTS)
            return false;
        if (i == h->count) {
            h->name[i] = hosts[r];
            h->first_rank[i] = r;
            h->count++;
        }
        host_of_rank[r] = i;
    }
    return true;
}

/* Numbers the sites in the order of the ranks; those of a larger communicator may not all be there.
 */
static int number_sites(HostSites *h)
{
    int number[MOST_HOSTS], sites = 0;
    memset(number, -1, sizeof number);
    for (int i = 0; i < h->count; i++) {
        int *one = &number[h->site[i] % MOST_HOSTS];
        if (*one < 0)
            *one = sites++;
        h->site[i] = *one;
    }
    return sites;
}

Network *measured_network(MPI_Comm comm, const char *const *hosts, int ranks)
{
    HostSites *h = calloc(1, sizeof *h);
    int *host_of_rank = malloc((size_t)ranks * sizeof *host_of_rank);
    Network *network = NULL;
    const bool several =
        h && host_of_rank && count_hosts(h, hosts, ranks, host_of_rank) && h->count > 1;
    const int sites = several && agree(comm, h, host_of_rank) ? number_sites(h) : 1;
    if (sites > 1 && (network = new_network(ranks, 2, sites, 0))) {
        for (int r = 0; r < ranks; r++) {
            group_array(network, 0)[r] = h->site[host_of_rank[r]];
            group_array(network, 1)[r] = h->place[host_of_rank[r]];
        }
    }
    free(host_of_rank);
    free(h);
    return network;
}
