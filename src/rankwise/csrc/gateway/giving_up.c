/* A job that cannot go on ends with the reason. */
#include "gateway.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "libmpi_abi: %s\n", text);
    usleep(200000); /* some launchers drop what a process says as it dies */
    below.Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

/* A site that fails is told of by its own launcher, which then ends this one: that comes first. */
void give_up(const char *what, int rank)
{
    usleep(1000000);
    stop("%s rank %d, site %s: the joined job ends", what, rank, world.names[site_of_rank(rank)]);
}
