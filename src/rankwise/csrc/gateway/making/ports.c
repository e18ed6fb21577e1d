#include "ports.h"
#include "calls.h"
#include "communicators.h"
#include "encrypted.h"
#include "relayed.h"
#include "sockets.h"
#include "wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define PREFIX "rankwise:"
#define RELAY_PREFIX "rankwise-relay:"
#define ENCRYPTED_PREFIX "rankwise-encrypted:"
#define FOLDER "RANKWISE_NAMES" /* of files with published names */
enum { PATH_ROOM = 4096 };

static Port *ports;

Port *port_named(const char *name)
{
    Port *p = ports;
    while (p && strcmp(p->name, name) != 0)
        p = p->next;
    return p;
}

/* Both jobs have to encrypt what goes between them, or neither. */
static bool encrypts_otherwise(const char *name)
{
    const bool encrypted = strncmp(name, ENCRYPTED_PREFIX, strlen(ENCRYPTED_PREFIX)) == 0;
    if (encrypted == (encryption != NULL) || strncmp(name, "rankwise", strlen("rankwise")) != 0)
        return false;
    fprintf(stderr,
            "libmpi_abi: the job of that port %s, and this one %s: start both with --encrypt, or "
            "neither\n",
            encrypted ? "encrypts" : "does not encrypt", encrypted ? "does not" : "does");
    return true;
}

bool read_port(const char *name, struct sockaddr_in *at, char key[PORT_KEY], bool *relayed)
{
    char host[RELAY_ROOM];
    int port = 0;
    *relayed = strncmp(name, RELAY_PREFIX, strlen(RELAY_PREFIX)) == 0;
    if (!*relayed && encrypts_otherwise(name))
        return false;
    const char *const prefix = *relayed ? RELAY_PREFIX : encryption ? ENCRYPTED_PREFIX : PREFIX;
    return strncmp(name, prefix, strlen(prefix)) == 0 &&
           sscanf(name + strlen(prefix), "%63[^:]:%d:%32[0-9a-f]", host, &port, key) == 3 &&
           port >= 1 && port <= 65535 && strlen(key) == PORT_KEY - 1 &&
           !find_address(host, port, at);
}

/* That of a connection to another site, or else of one that would lead to where all have met. */
struct in_addr own_address(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t bytes = sizeof at;
    for (int r = 0; r < world.ranks; r++)
        if (peers[r].socket >= 0 &&
            getsockname(peers[r].socket, (struct sockaddr *)&at, &bytes) == 0)
            return at.sin_addr;
    const struct sockaddr_in met = address_of(job_settings.host, job_settings.port);
    const int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s >= 0 && connect(s, (const struct sockaddr *)&met, sizeof met) == 0)
        getsockname(s, (struct sockaddr *)&at, &bytes);
    if (s >= 0)
        close(s);
    return at.sin_addr;
}

int call_Open_port(MPI_Info info, char *port_name)
{
    unsigned char random[(PORT_KEY - 1) / 2];
    uint16_t port;
    if (!world.started)
        return below.Open_port(info, port_name);
    if (job_settings.relay && strlen(job_settings.relay) >= RELAY_ROOM)
        return fail(NULL, MPI_ERR_PORT);
    Port *p = calloc(1, sizeof *p);
    if (!p || getrandom(random, sizeof random, 0) != sizeof random) {
        free(p);
        return fail(NULL, MPI_ERR_NO_MEM);
    }
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(p->key + 2 * i, 3, "%02x", random[i]);
    p->listener = listen_at(0, &port);
    if (job_settings.relay) {
        let_in_by_relay(p->key, 0, 1, port);
        snprintf(p->name, sizeof p->name, RELAY_PREFIX "%s:%d:%s", job_settings.relay,
                 job_settings.relay_port, p->key);
    } else {
        snprintf(p->name, sizeof p->name, "%s%s:%d:%s", encryption ? ENCRYPTED_PREFIX : PREFIX,
                 inet_ntoa(own_address()), ntohs(port), p->key);
    }
    p->next = ports;
    ports = p;
    strcpy(port_name, p->name);
    return MPI_SUCCESS;
}

int call_Close_port(const char *port_name)
{
    if (!world.started)
        return below.Close_port(port_name);
    Port *p = port_named(port_name);
    if (!p)
        return fail(NULL, MPI_ERR_PORT);
    Port **place = &ports;
    while (*place != p)
        place = &(*place)->next;
    *place = p->next;
    if (job_settings.relay)
        let_in_by_relay(p->key, 0, 1, 0);
    close(p->listener);
    free(p);
    return MPI_SUCCESS;
}

/* The file of a published name: what is no letter or digit is written as its number. */
static bool file_of(const char *service, const char *ending, char path[PATH_ROOM])
{
    const char *const folder = getenv(FOLDER);
    size_t length = folder ? (size_t)snprintf(path, PATH_ROOM, "%s/", folder) : 0;
    for (; *service && length && length + 16 < PATH_ROOM; service++) {
        const unsigned char c = (unsigned char)*service;
        const bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
        length += (size_t)snprintf(path + length, 4, plain ? "%c" : "%%%02X", c);
    }
    if (!length || *service)
        return false;
    snprintf(path + length, PATH_ROOM - length, ".%s", ending);
    return true;
}

/* Written whole or not at all; only its owner may read the key in it. */
int call_Publish_name(const char *service_name, MPI_Info info, const char *port_name)
{
    char path[PATH_ROOM], partial[PATH_ROOM];
    if (!world.started)
        return below.Publish_name(service_name, info, port_name);
    if (!file_of(service_name, "port", path) || !file_of(service_name, "XXXXXX", partial))
        return fail(NULL, MPI_ERR_SERVICE);
    const int file = mkstemp(partial);
    const ssize_t bytes = (ssize_t)strlen(port_name);
    const bool written = file >= 0 && write(file, port_name, (size_t)bytes) == bytes;
    if (file >= 0)
        close(file);
    if (written && rename(partial, path) == 0)
        return MPI_SUCCESS;
    if (file >= 0)
        unlink(partial);
    return fail(NULL, MPI_ERR_SERVICE);
}

int call_Lookup_name(const char *service_name, MPI_Info info, char *port_name)
{
    char path[PATH_ROOM], name[sizeof ports->name];
    if (!world.started)
        return below.Lookup_name(service_name, info, port_name);
    FILE *file = file_of(service_name, "port", path) ? fopen(path, "r") : NULL;
    const bool there = file && fgets(name, sizeof name, file);
    if (file)
        fclose(file);
    if (!there)
        return fail(NULL, MPI_ERR_NAME);
    strcpy(port_name, name);
    return MPI_SUCCESS;
}

int call_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name)
{
    char path[PATH_ROOM];
    if (!world.started)
        return below.Unpublish_name(service_name, info, port_name);
    if (!file_of(service_name, "port", path) || unlink(path) != 0)
        return fail(NULL, MPI_ERR_SERVICE);
    return MPI_SUCCESS;
}
