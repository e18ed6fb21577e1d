/* This process, the machine it is on, and which ranks share it. */
#define _GNU_SOURCE
#include "harness.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* A launcher that is killed outright takes its ranks with it. */
void die_with_launcher(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens, and the process ends anyway */
}

/* Only async-signal-safe calls: the rank may hang anywhere inside the library. */
static void on_limit(int signal_number)
{
    (void)signal_number;
    say("rankwise-harness: a rank ended itself at its time limit, ");
    say(world.current ? world.current->text : "before its first cell");
    say("\n");
    _exit(124);
}

void start_watchdog(double limit_seconds)
{
    if (limit_seconds <= 0)
        return;
    struct sigaction action = {.sa_handler = on_limit};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)limit_seconds,
                     .tv_usec =
                         1 + (suseconds_t)((limit_seconds - (time_t)limit_seconds) * 999998)}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Both leave the empty text where the system does not tell. */
void read_line(const char *path, char *line, size_t size)
{
    line[0] = '\0';
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    if (!fgets(line, (int)size, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

void read_link(const char *path, char *target, size_t size)
{
    const ssize_t length = readlink(path, target, size - 1);
    target[length < 0 ? 0 : length] = '\0';
}

/* 0 where the system does not tell. */
double available_memory_bytes(void)
{
    char line[128];
    double kibibytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %lf", &kibibytes) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kibibytes * 1024;
}

/* The last-level cache, or a generous guess. */
size_t cache_bytes(void)
{
    long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : (size_t)32 << 20;
}

enum { HOST_BYTES = 256 };

static char *hosts, *kernels; /* both of shape (ranks, HOST_BYTES) */

static char *gather_names(char name[HOST_BYTES])
{
    char *all = malloc((size_t)world.ranks * HOST_BYTES);
    MPI_Allgather(name, HOST_BYTES, MPI_BYTE, all, HOST_BYTES, MPI_BYTE, world.comm);
    return all;
}

void gather_hosts(void)
{
    char mine[HOST_BYTES] = "";
    gethostname(mine, sizeof mine - 1);
    hosts = gather_names(mine);
    char boot[HOST_BYTES] = "";
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    kernels = gather_names(boot[0] ? boot : mine);
}

const char *host_of(int rank)
{
    return hosts + (size_t)rank * HOST_BYTES;
}

int ranks_on_machine(void)
{
    const char *mine = kernels + (size_t)world.rank * HOST_BYTES;
    int here = 0;
    for (int rank = 0; rank < world.ranks; rank++)
        here += strcmp(kernels + (size_t)rank * HOST_BYTES, mine) == 0;
    return here;
}
