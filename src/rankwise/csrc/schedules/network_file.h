/* Reads a network from a file, which names sites and their hosts, and what the links between sites
 * are like, one way and both directions alike:
 *
 *     # rankwise network 1
 *     site NAME HOST [HOST...]
 *     link SITE SITE DELAY_SECONDS BYTES_PER_SECOND
 *     node BYTES_PER_SECOND
 *
 * A site's hosts are in the order in which they lead it: the first one that has ranks sends and
 * receives where one rank does so for the site, so the nearest to the other sites comes first. '#'
 * begins a comment. Sites without a rank are left out. */
#ifndef RANKWISE_NETWORK_FILE_H
#define RANKWISE_NETWORK_FILE_H

#include "own_network.h"
#include <stddef.h>

/* The network of ranks on these hosts, shape (ranks), with the levels sites and nodes. A host is
 * known by its whole name, or else by what is before the first dot. NULL: `error` names the file,
 * the line and the remedy. */
Network *read_network(const char *path, const char *const *hosts, int ranks, char *error,
                      size_t error_size);

#endif
