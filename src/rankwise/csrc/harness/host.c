/* The machine that this process is on, and which ranks share it. */
#define _GNU_SOURCE
#include "harness.h"
#include "proc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static char *gather_names(const Job *job, char name[HOST_BYTES])
{
    char *all = malloc((size_t)job->ranks * HOST_BYTES);
    if (all)
        MPI_Allgather(name, HOST_BYTES, MPI_BYTE, all, HOST_BYTES, MPI_BYTE, job->comm);
    return all;
}

bool gather_hosts(Job *job)
{
    char host[HOST_BYTES] = "", boot[HOST_BYTES] = "";
    gethostname(host, sizeof host - 1);
    rw_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    job->hosts = gather_names(job, host);
    if (job->hosts)
        job->machines = gather_names(job, boot[0] ? boot : host);
    return job->hosts && job->machines;
}

const char *host_of(const Job *job, int rank)
{
    return job->hosts + (size_t)rank * HOST_BYTES;
}

int ranks_on_machine(const Job *job)
{
    const char *mine = job->machines + (size_t)job->rank * HOST_BYTES;
    int here = 0;
    for (int rank = 0; rank < job->ranks; rank++)
        here += strcmp(job->machines + (size_t)rank * HOST_BYTES, mine) == 0;
    return here;
}
