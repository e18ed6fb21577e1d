#include "settings.h"

#include "gateway.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_VARIABLE "RANKWISE_JOIN_KEY"

Settings job_settings;

/* Splits at a character, in place. The number of parts. */
static int split(char *text, char at, char **parts, int most)
{
    int count = 0;
    while (text && count < most) {
        parts[count++] = text;
        text = strchr(text, at);
        if (text)
            *text++ = '\0';
    }
    return count;
}

/* Not in any command line, where others see it: in a file that the user alone can read. */
static const char *read_key(void)
{
    static char key[40];
    const char *const path = getenv(KEY_VARIABLE);
    if (!path)
        stop("site %s has no key of this job: " KEY_VARIABLE " is not set",
             world.names[world.site]);
    FILE *const file = fopen(path, "r");
    if (!file || !fgets(key, sizeof key, file))
        stop("site %s cannot read the key of this job in %s: %s", world.names[world.site], path,
             strerror(errno));
    fclose(file);
    key[strcspn(key, "\n")] = '\0';
    return key;
}

Settings read_settings(char *text)
{
    char *fields[9];
    const int count = split(text, '/', fields, 9);
    if (count != 6 && count != 8)
        stop("RANKWISE_JOIN is not what `rankwise run --join` writes");
    world.site = atoi(fields[2]);
    const int most = (int)strlen(fields[3]) + 2;
    char **sizes = calloc((size_t)most, sizeof *sizes);
    world.names = calloc((size_t)most, sizeof *world.names);
    world.first = calloc((size_t)most, sizeof *world.first);
    if (!sizes || !world.names || !world.first)
        stop("out of memory");
    world.sites = split(fields[3], ',', sizes, most);
    split(fields[4], ',', world.names, most);
    for (int s = 0; s < world.sites; s++)
        world.first[s + 1] = world.first[s] + atoi(sizes[s]);
    world.ranks = world.all_ranks = world.first[world.sites];
    world.all_sites = world.sites;
    free(sizes);
    return (Settings){fields[0],
                      read_key(),
                      count == 8 ? fields[6] : NULL,
                      atoi(fields[1]),
                      count == 8 ? atoi(fields[7]) : 0,
                      atof(fields[5])};
}

/* Which of the site's ranks is the first on this host. */
static int first_here(int rank, int size)
{
    enum { NAME_BYTES = MPI_MAX_PROCESSOR_NAME + 1 };
    char mine[NAME_BYTES] = "", *all = calloc((size_t)size, NAME_BYTES);
    int length, first = 0;
    if (!all || below.Get_processor_name(mine, &length) != MPI_SUCCESS ||
        below.Allgather(mine, NAME_BYTES, MPI_BYTE, all, NAME_BYTES, MPI_BYTE, MPI_COMM_WORLD) !=
            MPI_SUCCESS)
        stop("cannot tell which ranks share a host");
    while (first < rank && strcmp(all + (size_t)first * NAME_BYTES, mine) != 0)
        first++;
    free(all);
    return first;
}

void find_place(void)
{
    int rank, size, there = 0, *bound = NULL;
    below.Comm_rank(MPI_COMM_WORLD, &rank);
    below.Comm_size(MPI_COMM_WORLD, &size);
    if (size != world.first[world.site + 1] - world.first[world.site])
        stop("site %s has %d ranks in MPI_COMM_WORLD, not %d: was it started by its own MPI's "
             "launcher?",
             world.names[world.site], size, world.first[world.site + 1] - world.first[world.site]);
    world.rank = world.first[world.site] + rank;
    world.node = calloc((size_t)world.ranks, sizeof *world.node);
    if (!world.node)
        stop("out of memory");
    world.node[world.rank] = world.first[world.site] + first_here(rank, size);
    below.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &there);
    world.tag_bound = there ? *bound : 32767;
}
