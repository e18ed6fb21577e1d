/* A job that cannot go on ends with the reason. */
#include "gateway.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

AbiTable below;
AbiTable seen;
World world;

void rest(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    while (nanosleep(&left, &left) && errno == EINTR)
        ;
}

void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "libmpi_abi: %s\n", text);
    rest(0.2); /* some launchers drop what a process says as it dies */
    int begun = 0;
    below.Initialized(&begun);
    if (begun)
        below.Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

/* A site that fails is told of by its own launcher, which then ends this one: that comes first. */
void give_up(const char *what, int rank)
{
    rest(1);
    stop("%s rank %d, site %s: the joined job ends", what, rank, world.names[site_of_rank(rank)]);
}
