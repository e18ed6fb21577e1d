/* What each rank got from its launcher: `RANK WHAT VALUE` a line, all printed by rank 0, `end`
   last. The arguments are the names of variables, or stay=SECONDS: how long ranks stay. */
#define _GNU_SOURCE
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 16384, MOST = 64 };

static char own[ROOM], all[MOST * ROOM];
static int used, rank;

static void tell(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    used += snprintf(own + used, ROOM - used, "%d ", rank);
    used += vsnprintf(own + used, ROOM - used, format, values);
    used += snprintf(own + used, ROOM - used, "\n");
    va_end(values);
}

static void tell_limits(void)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {
        {"cpu", RLIMIT_CPU},     {"fsize", RLIMIT_FSIZE},     {"data", RLIMIT_DATA},
        {"stack", RLIMIT_STACK}, {"core", RLIMIT_CORE},       {"nofile", RLIMIT_NOFILE},
        {"as", RLIMIT_AS},       {"memlock", RLIMIT_MEMLOCK},
    };
    struct rlimit limit;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (getrlimit(known[i].number, &limit) == 0)
            tell("limit-%s %lld", known[i].name, (long long)limit.rlim_cur);
}

/* Before MPI is there: what a launcher gave, not what a library made of it. */
static const char *input_text(void)
{
    static char text[64];
    struct pollfd input = {0, POLLIN, 0};
    ssize_t size = poll(&input, 1, 3000) > 0 ? read(0, text, sizeof text - 1) : -2;
    if (size > 0)
        text[strcspn(text, "\n")] = '\0';
    return size == -2  ? "(open, and nothing comes)"
           : size < 0  ? "(closed)"
           : size == 0 ? "(end)"
                       : text;
}

static void tell_cores(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        tell("cores %d", CPU_COUNT(&cores));
}

int main(int count, char **words)
{
    char folder[4096] = "", host[256] = "";
    mode_t mask = umask(0);
    int ranks;
    umask(mask);
    const char *input = input_text();
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    gethostname(host, sizeof host - 1);
    tell("host %s", host);
    tell("folder %s", getcwd(folder, sizeof folder) ? folder : "(none)");
    tell("umask %04o", (unsigned)mask);
    tell("stdin %s", input);
    tell("user %d", (int)getuid());
    tell_limits();
    tell_cores();
    unsigned seconds = 0;
    for (int i = 1; i < count; i++)
        if (sscanf(words[i], "stay=%u", &seconds) == 1)
            sleep(seconds);
        else
            tell("%s %s", words[i], getenv(words[i]) ? getenv(words[i]) : "(none)");
    MPI_Gather(own, ROOM, MPI_CHAR, all, ROOM, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks && i < MOST; i++)
        fputs(all + i * ROOM, stdout);
    if (rank == 0)
        puts("end");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
