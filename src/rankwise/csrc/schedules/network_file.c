/* Reads a network file. */
#include "network_file.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file says, and where reading it is. */
typedef struct {
    const char *host;
    int site, line;
} Member;

typedef struct {
    const char *ends[2];
    double delay, rate;
    int line;
} Line;

typedef struct {
    const char *path;
    char *text;
    Member *members;
    int member_count;
    const char **sites;
    int site_count;
    Line *links;
    int link_count;
    double node_rate;
    char *error;
    size_t error_size;
} File;

__attribute__((format(printf, 3, 4))) static int fail(File *f, int line, const char *format, ...)
{
    const int written = line ? snprintf(f->error, f->error_size, "%s:%d: ", f->path, line)
                             : snprintf(f->error, f->error_size, "%s: ", f->path);
    const size_t used = written > 0 ? (size_t)written : 0;
    va_list arguments;
    va_start(arguments, format);
    if (used < f->error_size)
        vsnprintf(f->error + used, f->error_size - used, format, arguments);
    va_end(arguments);
    return 0;
}

static int read_text(File *f)
{
    enum { STEP = 65536 };
    FILE *stream = fopen(f->path, "r");
    if (!stream)
        return fail(f, 0, "cannot be read: %s", strerror(errno));
    size_t length = 0, got = 1;
    while (got) {
        char *longer = realloc(f->text, length + STEP + 1);
        if (!longer)
            break;
        f->text = longer;
        got = fread(f->text + length, 1, STEP, stream);
        length += got;
    }
    const int bad = ferror(stream);
    fclose(stream);
    if (got || bad)
        return fail(f, 0, got ? "no memory to read it" : "cannot be read to its end");
    f->text[length] = '\0';
    if (strlen(f->text) != length)
        return fail(f, 0, "is not a text: it has a zero byte");
    return 1;
}

static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t\r");
    char *end = word + strcspn(word, " \t\r");
    if (word == end)
        return NULL;
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static int find_site(const File *f, const char *name)
{
    for (int i = 0; i < f->site_count; i++)
        if (strcmp(f->sites[i], name) == 0)
            return i;
    return -1;
}

static void *longer(void *memory, int count, size_t bytes)
{
    return realloc(memory, ((size_t)count + 1) * bytes);
}

static int read_site(File *f, char *rest, int line)
{
    const char *name = next_word(&rest), *host = name ? next_word(&rest) : NULL;
    if (!host)
        return fail(f, line, "a site needs a name and hosts: site NAME HOST [HOST...]");
    if (find_site(f, name) >= 0)
        return fail(f, line, "site %s is there twice: name all its hosts in one line", name);
    const char **sites = longer(f->sites, f->site_count, sizeof *sites);
    if (!sites)
        return fail(f, line, "no memory for its sites");
    f->sites = sites;
    f->sites[f->site_count++] = name;
    for (; host; host = next_word(&rest)) {
        Member *members = longer(f->members, f->member_count, sizeof *members);
        if (!members)
            return fail(f, line, "no memory for its hosts");
        f->members = members;
        f->members[f->member_count++] = (Member){host, f->site_count - 1, line};
    }
    return 1;
}

static int read_number(const char *word, double *value)
{
    char *end = NULL;
    *value = word ? strtod(word, &end) : -1;
    return word && end != word && !*end && *value >= 0 && *value < HUGE_VAL;
}

static int read_link(File *f, char *rest, int line)
{
    Line *links = longer(f->links, f->link_count, sizeof *links);
    if (!links)
        return fail(f, line, "no memory for its links");
    f->links = links;
    Line link = {.line = line};
    link.ends[0] = next_word(&rest);
    link.ends[1] = link.ends[0] ? next_word(&rest) : NULL;
    if (!link.ends[1] || !read_number(next_word(&rest), &link.delay) ||
        !read_number(next_word(&rest), &link.rate) || next_word(&rest))
        return fail(f, line,
                    "a link needs two sites and two numbers: "
                    "link SITE SITE DELAY_SECONDS BYTES_PER_SECOND");
    f->links[f->link_count++] = link;
    return 1;
}

static int read_line(File *f, char *rest, int line)
{
    rest[strcspn(rest, "#")] = '\0';
    const char *what = next_word(&rest);
    if (!what)
        return 1;
    if (strcmp(what, "site") == 0)
        return read_site(f, rest, line);
    if (strcmp(what, "link") == 0)
        return read_link(f, rest, line);
    if (strcmp(what, "node") == 0)
        return (read_number(next_word(&rest), &f->node_rate) && !next_word(&rest)) ||
               fail(f, line, "an interface needs a rate: node BYTES_PER_SECOND");
    return fail(f, line, "'%s' means nothing: a line begins with site, link or node", what);
}

static int read_lines(File *f)
{
    static const char first[] = "# rankwise network 1";
    const size_t known = sizeof first - 1;
    if (strncmp(f->text, first, known) != 0 || isalnum((unsigned char)f->text[known]))
        return fail(f, 1, "not a network file of version 1: its first line is '%s'", first);
    char *at = f->text;
    for (int line = 1; *at; line++) {
        char *end = at + strcspn(at, "\n");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        if (!read_line(f, at, line))
            return 0;
        at = next;
    }
    for (int i = 0; i < f->link_count; i++)
        for (int end = 0; end < 2; end++)
            if (find_site(f, f->links[i].ends[end]) < 0)
                return fail(f, f->links[i].line, "there is no site %s: add a line 'site %s HOST'",
                            f->links[i].ends[end], f->links[i].ends[end]);
    return 1;
}

static int by_host(const void *a, const void *b)
{
    const Member *one = a, *other = b;
    return strcmp(one->host, other->host);
}

static size_t short_length(const char *name)
{
    return strcspn(name, ".");
}

/* By its whole name, or by what is before the first dot where one of the two names has no more. */
static const Member *find_member(const File *f, const char *host)
{
    const Member *found = bsearch(&(Member){.host = host}, f->members, (size_t)f->member_count,
                                  sizeof *f->members, by_host);
    for (int i = 0; !found && i < f->member_count; i++) {
        const char *other = f->members[i].host;
        const size_t length = short_length(host);
        if (length == short_length(other) && strncmp(host, other, length) == 0 &&
            (!host[length] || !other[length]))
            found = &f->members[i];
    }
    return found;
}

/* Numbers the sites that have ranks, in the order of the file; -1: the others. */
static int number_sites(File *f, const char *const *hosts, int ranks, int *site_of_rank,
                        int *number)
{
    int sites = 0;
    for (int i = 0; i < f->site_count; i++)
        number[i] = -1;
    for (int r = 0; r < ranks; r++) {
        const Member *member = find_member(f, hosts[r]);
        if (!member) {
            fail(f, 0,
                 "rank %d is on host %s, which is in no site: add it to a line 'site NAME HOST'", r,
                 hosts[r]);
            return 0;
        }
        site_of_rank[r] = member->site;
        number[member->site] = 0;
    }
    for (int i = 0; i < f->site_count; i++)
        if (number[i] == 0)
            number[i] = sites++;
    return sites;
}

static int set_links(File *f, const Network *network, const int *number)
{
    const int all = network->sites * network->sites;
    for (int i = 0; network->delay_seconds && i < all; i++)
        ((double *)network->delay_seconds)[i] = i % (network->sites + 1) ? -1 : 0;
    for (int i = 0; i < f->link_count; i++) {
        const Line *link = &f->links[i];
        const int a = number[find_site(f, link->ends[0])], b = number[find_site(f, link->ends[1])];
        if (a >= 0 && b >= 0 && a != b)
            set_link(network, a, b, link->delay, link->rate);
    }
    for (int a = 0; network->delay_seconds && a < f->site_count; a++)
        for (int b = 0; b < a; b++)
            if (number[a] >= 0 && number[b] >= 0 &&
                network->delay_seconds[number[a] * network->sites + number[b]] < 0)
                return fail(f, 0,
                            "there is no link between sites %s and %s: add a line "
                            "'link %s %s DELAY_SECONDS BYTES_PER_SECOND'",
                            f->sites[b], f->sites[a], f->sites[b], f->sites[a]);
    return 1;
}

static Network *network_of(File *f, const char *const *hosts, int ranks, int *site_of_rank,
                           int *number)
{
    qsort(f->members, (size_t)f->member_count, sizeof *f->members, by_host);
    for (int i = 1; i < f->member_count; i++)
        if (by_host(&f->members[i], &f->members[i - 1]) == 0) {
            fail(f, f->members[i].line, "host %s is there twice: a host is in one site",
                 f->members[i].host);
            return NULL;
        }
    const int sites = number_sites(f, hosts, ranks, site_of_rank, number);
    if (!sites)
        return NULL;
    Network *network = new_network(ranks, 2, sites, f->link_count);
    if (!network || !number_hosts(group_array(network, 1), hosts, ranks)) {
        fail(f, 0, "no memory for the network");
    } else {
        network->node_bytes_per_second = f->node_rate;
        for (int r = 0; r < ranks; r++)
            group_array(network, 0)[r] = number[site_of_rank[r]];
        if (set_links(f, network, number))
            return network;
    }
    free_network(network);
    return NULL;
}

Network *read_network(const char *path, const char *const *hosts, int ranks, char *error,
                      size_t error_size)
{
    File f = {.path = path, .error = error, .error_size = error_size};
    Network *network = NULL;
    if (read_text(&f) && read_lines(&f)) {
        int *site_of_rank = malloc((size_t)(ranks + f.site_count + 1) * sizeof *site_of_rank);
        if (site_of_rank)
            network = network_of(&f, hosts, ranks, site_of_rank, site_of_rank + ranks);
        else
            fail(&f, 0, "no memory for the network");
        free(site_of_rank);
    }
    free(f.text);
    free(f.members);
    free(f.sites);
    free(f.links);
    return network;
}
