#define _GNU_SOURCE
#include "stream.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1, NAME_ROOM = 32 };

typedef struct {
    char type, unused[3];
    uint32_t bytes;
    uint64_t checksum;
} Heading;

static struct {
    State *state;
    size_t state_bytes;
    char trace[NAME_ROOM], open[NAME_ROOM]; /* without the folder */
    int folder, file;
    unsigned char scratch[NODE_ROOM * 2 * NUMBER_BYTES];
} stream = {.folder = -1, .file = -1};

/* The block's type, and the sum of all bytes, each times twice its place plus one: what a byte
 * more, less or changed, or two that changed places, do not leave as it was. */
static uint64_t checksum(char type, const unsigned char *data, size_t bytes)
{
    uint64_t sum = (uint64_t)type << 56;
    for (size_t i = 0; i < bytes; i++)
        sum += data[i] * (uint64_t)(2 * i + 1);
    return sum;
}

/* A new file of the folder in place of an earlier one: whatever has this name there goes, and is
 * not followed where it is a link. -1: errno has the reason. */
static int create(const char *name, int rights)
{
    if (unlinkat(stream.folder, name, 0) && errno != ENOENT)
        return -1;
    return openat(stream.folder, name, rights | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/* In one of another user everything could be renamed and replaced. */
static int open_folder(const char *path)
{
    struct stat found;
    stream.folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (stream.folder < 0 || fstat(stream.folder, &found))
        return errno;
    return found.st_uid == geteuid() ? 0 : EPERM;
}

static int map_state(bool statistics)
{
    const size_t bytes = sizeof(State) + (statistics ? MOST_SIGNATURES * sizeof(Statistics) : 0);
    const int file = create(stream.open, O_RDWR);
    if (file < 0)
        return errno;
    /* Else a full disk would be a SIGBUS. */
    int error = posix_fallocate(file, 0, (off_t)bytes);
    void *place =
        error ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!error && place == MAP_FAILED)
        error = errno;
    close(file);
    if (error) {
        unlinkat(stream.folder, stream.open, 0);
        return error;
    }
    stream.state = place;
    stream.state_bytes = bytes;
    memcpy(stream.state->magic, "rwopen\n", 8);
    stream.state->version = VERSION;
    return 0;
}

int open_stream(const char *folder, int rank, bool statistics, State **state)
{
    snprintf(stream.trace, NAME_ROOM, "rank-%06d.trace", rank);
    snprintf(stream.open, NAME_ROOM, "rank-%06d.open", rank);
    int error = open_folder(folder);
    if (error)
        return error;
    stream.file = create(stream.trace, O_WRONLY);
    if (stream.file < 0)
        return errno;
    error = map_state(statistics);
    *state = stream.state;
    return error;
}

static bool write_all(const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        const ssize_t written = write(stream.file, at, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written ? errno : ENOSPC;
            return false;
        }
        at += written;
        bytes -= (size_t)written;
    }
    return true;
}

bool write_block(char type, const void *data, size_t bytes)
{
    const Heading heading = {type, "", (uint32_t)bytes, checksum(type, data, bytes)};
    State *s = stream.state;
    if (s->stopped)
        return false;
    if (write_all(&heading, sizeof heading) && write_all(data, bytes)) {
        s->stream_bytes += sizeof heading + bytes;
        return true;
    }
    s->stopped = (uint32_t)errno;
    fprintf(stderr,
            "rankwise trace: cannot write %s: %s; the program goes on, and the trace ends here\n",
            stream.trace, strerror((int)s->stopped));
    if (ftruncate(stream.file, (off_t)s->stream_bytes)) /* the reader drops a torn block as well */
        return false;
    return false;
}

bool flush_definitions(void)
{
    State *s = stream.state;
    const uint32_t bytes = s->definition_bytes;
    if (bytes && !write_block('D', s->definitions, bytes))
        return false;
    s->definition_bytes = 0;
    return true;
}

bool flush_times(void)
{
    State *s = stream.state;
    if (s->time_bytes && !write_block('T', s->times, s->time_bytes))
        return false;
    s->time_bytes = 0;
    return true;
}

bool flush_nodes(uint32_t count)
{
    State *s = stream.state;
    unsigned char *at = stream.scratch;
    if (!flush_definitions()) /* first: the nodes name them */
        return false;
    for (uint32_t i = 0; i < count; i++) {
        at = put_number(at, s->nodes[i].symbol);
        at = put_number(at, s->nodes[i].count);
    }
    if (count && !write_block('N', stream.scratch, (size_t)(at - stream.scratch)))
        return false;
    s->node_count -= count;
    memmove(s->nodes, s->nodes + count, s->node_count * sizeof *s->nodes);
    return true;
}

bool flush_statistics(void)
{
    State *s = stream.state;
    const size_t bytes = s->signatures * sizeof *s->statistics;
    if (!flush_definitions() || (bytes && !write_block('S', s->statistics, bytes)))
        return false;
    memset(s->statistics, 0, bytes);
    return true;
}

void close_stream(void)
{
    close(stream.file);
    if (!stream.state->stopped)
        unlinkat(stream.folder, stream.open, 0);
    munmap(stream.state, stream.state_bytes);
    close(stream.folder);
}
