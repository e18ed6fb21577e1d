/* Times messages between ranks 0 and 1: `joined_cost ROUNDS PASSES SIZE...` prints the least
 * one-way time of all passes in microseconds for each size, by MPI and, with `tcp` after the sizes,
 * over a TCP connection of its own: on the loopback, or with `network` in its place between two
 * hosts. Passes take turns. Other ranks sleep until it is over. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_SIZES = 16 };

static int rank;
static char *buffer;

static struct in_addr own_address(int between_hosts)
{
    struct in_addr found = {htonl(INADDR_LOOPBACK)};
    struct ifaddrs *all = NULL;
    if (between_hosts && !getifaddrs(&all))
        for (const struct ifaddrs *i = all; i; i = i->ifa_next)
            if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && strcmp(i->ifa_name, "lo") != 0)
                found = ((const struct sockaddr_in *)i->ifa_addr)->sin_addr;
    freeifaddrs(all);
    return found;
}

static int connect_ranks(int between_hosts)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = own_address(between_hosts)};
    socklen_t bytes = sizeof at;
    const int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    int connection = s;
    if (rank == 1) {
        if (bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, 1))
            MPI_Abort(MPI_COMM_WORLD, 1);
        getsockname(s, (struct sockaddr *)&at, &bytes);
        MPI_Send(&at, sizeof at, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        connection = accept(s, NULL, NULL);
    } else {
        MPI_Recv(&at, sizeof at, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (connect(s, (struct sockaddr *)&at, sizeof at))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return connection;
}

static void give(int connection, int size)
{
    if (connection < 0) {
        MPI_Send(buffer, size, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD);
        return;
    }
    for (int done = 0; done < size;)
        done += (int)send(connection, buffer + done, (size_t)(size - done), 0);
}

/* As a library waits: without sleeping in the kernel. */
static void take(int connection, int size)
{
    if (connection < 0) {
        MPI_Recv(buffer, size, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int done = 0; done < size;) {
        const ssize_t came = recv(connection, buffer + done, (size_t)(size - done), MSG_DONTWAIT);
        done += came > 0 ? (int)came : 0;
    }
}

static double one_way(int connection, int size, int rounds)
{
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            give(connection, size);
            take(connection, size);
        } else {
            take(connection, size);
            give(connection, size);
        }
    }
    return (MPI_Wtime() - start) / rounds / 2 * 1e6;
}

static void measure(int argc, char **argv)
{
    const int rounds = atoi(argv[1]), passes = atoi(argv[2]);
    const int between_hosts = !strcmp(argv[argc - 1], "network");
    const int tcp = between_hosts || !strcmp(argv[argc - 1], "tcp"), sizes = argc - 3 - tcp;
    const int connection = tcp ? connect_ranks(between_hosts) : -1;
    double least[MOST_SIZES][2];
    for (int pass = 0; pass < passes; pass++)
        for (int s = 0; s < sizes && s < MOST_SIZES; s++)
            for (int way = 0; way <= tcp; way++) {
                const int size = atoi(argv[3 + s]);
                const double time =
                    one_way(way ? connection : -1, size, size < 100000 ? rounds : rounds / 20 + 1);
                if (!pass || time < least[s][way])
                    least[s][way] = time;
            }
    for (int s = 0; rank == 0 && s < sizes; s++)
        for (int way = 0; way <= tcp; way++)
            printf("%s %s %.3f\n", way ? "tcp" : "mpi", argv[3 + s], least[s][way]);
}

int main(int argc, char **argv)
{
    int ranks, over = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    buffer = calloc(1 << 24, 1);
    if (rank < 2)
        measure(argc, argv);
    for (int r = 2; r < ranks && rank == 0; r++)
        MPI_Send(&over, 1, MPI_INT, r, 2, MPI_COMM_WORLD);
    while (rank >= 2 && !over) {
        usleep(20000);
        MPI_Iprobe(0, 2, MPI_COMM_WORLD, &over, MPI_STATUS_IGNORE);
    }
    if (rank >= 2)
        MPI_Recv(&over, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
