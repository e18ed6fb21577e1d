#define _GNU_SOURCE
#include "known_sites.h"
#include "../schedules/network_file.h"
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static HostSites known;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* CACHE/rankwise/networks/NUMBER, where the number is the FNV-1a hash of the names in order. */
static bool find_file(const HostSites *h, char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *names[MOST_HOSTS], *below = "";
    if (!cache || *cache != '/') {
        cache = home;
        below = "/.cache";
    }
    if (!cache || *cache != '/')
        return false;
    memcpy(names, h->name, sizeof names);
    qsort(names, (size_t)h->count, sizeof *names, by_name);
    uint64_t hash = 0xcbf29ce484222325U;
    for (int i = 0; i < h->count; i++)
        for (const char *c = names[i]; c == names[i] || c[-1]; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3U;
    const int length = snprintf(path, PATH_MAX, "%s%s/rankwise/networks/%016llx", cache, below,
                                (unsigned long long)hash);
    return length < PATH_MAX;
}

static bool recall_from_file(HostSites *h)
{
    char path[PATH_MAX], error[256];
    if (!find_file(h, path) || access(path, R_OK) != 0)
        return false;
    Network *network = read_network(path, h->name, h->count, error, sizeof error);
    if (!network)
        return false; /* measured again, and written again */
    for (int i = 0; i < h->count; i++) {
        h->site[i] = site_of(network, i);
        h->place[i] = group_of(network, 1, i);
    }
    free_network(network);
    return true;
}

static bool recall_from_memory(HostSites *h)
{
    for (int i = 0; i < h->count; i++) {
        int k = 0;
        while (k < known.count && strcmp(known.name[k], h->name[i]) != 0)
            k++;
        if (k == known.count)
            return false;
        h->site[i] = known.site[k];
        h->place[i] = known.place[k];
    }
    return true;
}

bool recall_sites(HostSites *h)
{
    pthread_mutex_lock(&changing);
    const bool found = recall_from_memory(h);
    pthread_mutex_unlock(&changing);
    return found || recall_from_file(h);
}

void remember_sites(const HostSites *h)
{
    pthread_mutex_lock(&changing);
    if (h->count > known.count) {
        HostSites own = *h;
        bool all = true;
        for (int i = 0; i < h->count; i++)
            all &= (own.name[i] = strdup(h->name[i])) != NULL;
        HostSites *unused = all ? &known : &own;
        for (int i = 0; i < unused->count; i++)
            free((char *)unused->name[i]);
        if (all)
            known = own;
    }
    pthread_mutex_unlock(&changing);
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* The host of a site with the least place above this one; -1: there is none. */
static int next_of_site(const HostSites *h, int site, int place)
{
    int next = -1;
    for (int i = 0; i < h->count; i++)
        if (h->site[i] == site && h->place[i] > place && (next < 0 || h->place[i] < h->place[next]))
            next = i;
    return next;
}

/* A cache that cannot be written costs the next program a measurement, and no more. */
void store_sites(const HostSites *h)
{
    char path[PATH_MAX], scratch[PATH_MAX + 32];
    if (!find_file(h, path))
        return;
    make_folders(path);
    snprintf(scratch, sizeof scratch, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(scratch, "w");
    if (!file)
        return;
    fputs("# rankwise network 1\n", file);
    for (int site = 0; site < h->count; site++) {
        int host = next_of_site(h, site, -1);
        if (host < 0)
            continue;
        fprintf(file, "site site-%d", site);
        for (; host >= 0; host = next_of_site(h, site, h->place[host]))
            fprintf(file, " %s", h->name[host]);
        fputc('\n', file);
    }
    const bool written = !ferror(file);
    if (fclose(file) != 0 || !written || rename(scratch, path) != 0)
        unlink(scratch);
}
