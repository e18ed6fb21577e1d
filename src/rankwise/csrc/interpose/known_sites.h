/* Which host is in which site, and which one leads it, as it was measured: by this program, or by
 * one before it. */
#ifndef RANKWISE_KNOWN_SITES_H
#define RANKWISE_KNOWN_SITES_H

#include <stdbool.h>

enum { MOST_HOSTS = 256 };

typedef struct {
    int count;
    const char *name[MOST_HOSTS];
    int first_rank[MOST_HOSTS];
    int site[MOST_HOSTS];  /* from 0 on */
    int place[MOST_HOSTS]; /* unique; the least of a site's is that of the host that leads it */
} HostSites;

/* Fills in sites and places from this program's memory, or else from a file in Rankwise's cache,
 * which is named by the hosts. False: neither has all of these hosts. */
bool recall_sites(HostSites *hosts);

/* Keeps them for this program's other communicators; and for other programs. */
void remember_sites(const HostSites *hosts);
void store_sites(const HostSites *hosts);

#endif
