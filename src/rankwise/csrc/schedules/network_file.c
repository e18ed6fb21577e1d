/* Reads a network file. */
#include "network_file.h"
#include "text_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a file says, and where it says so. */
typedef struct {
    const char *host;
    int site, line, place; /* place: how many hosts are named before it */
} Member;

typedef struct {
    const char *ends[2];
    double delay, rate;
    int line;
} Line;

typedef struct {
    TextFile text;
    Member *members;
    int member_count;
    const char **sites;
    int site_count;
    Line *links;
    int link_count;
    double node_rate;
} File;

/* The error of a line that was read before. */
#define FAULT_AT(F, LINE, ...) ((F)->text.line = (LINE), text_fault(&(F)->text, __VA_ARGS__))

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

static bool read_site(File *f, char *rest)
{
    const char *name = next_word(&rest), *host = name ? next_word(&rest) : NULL;
    if (!host)
        return text_fault(&f->text, "a site needs a name and hosts: site NAME HOST [HOST...]");
    if (find_site(f, name) >= 0)
        return text_fault(&f->text, "site %s is there twice: name all its hosts in one line", name);
    const char **sites = longer(f->sites, f->site_count, sizeof *sites);
    if (!sites)
        return text_fault(&f->text, "no memory for its sites");
    f->sites = sites;
    f->sites[f->site_count++] = name;
    for (; host; host = next_word(&rest)) {
        Member *members = longer(f->members, f->member_count, sizeof *members);
        if (!members)
            return text_fault(&f->text, "no memory for its hosts");
        f->members = members;
        f->members[f->member_count] =
            (Member){host, f->site_count - 1, f->text.line, f->member_count};
        f->member_count++;
    }
    return true;
}

static bool read_number(const char *word, double *value)
{
    char *end = NULL;
    *value = word ? strtod(word, &end) : -1;
    return word && end != word && !*end && *value >= 0 && *value < HUGE_VAL;
}

static bool read_link(File *f, char *rest)
{
    Line *links = longer(f->links, f->link_count, sizeof *links);
    if (!links)
        return text_fault(&f->text, "no memory for its links");
    f->links = links;
    Line link = {.line = f->text.line};
    link.ends[0] = next_word(&rest);
    link.ends[1] = link.ends[0] ? next_word(&rest) : NULL;
    if (!link.ends[1] || !read_number(next_word(&rest), &link.delay) ||
        !read_number(next_word(&rest), &link.rate) || next_word(&rest))
        return text_fault(&f->text, "a link needs two sites and two numbers: "
                                    "link SITE SITE DELAY_SECONDS BYTES_PER_SECOND");
    f->links[f->link_count++] = link;
    return true;
}

static bool read_line(File *f, char *rest)
{
    const char *what = next_word(&rest);
    if (strcmp(what, "site") == 0)
        return read_site(f, rest);
    if (strcmp(what, "link") == 0)
        return read_link(f, rest);
    if (strcmp(what, "node") == 0)
        return (read_number(next_word(&rest), &f->node_rate) && !next_word(&rest)) ||
               text_fault(&f->text, "an interface needs a rate: node BYTES_PER_SECOND");
    return text_fault(&f->text, "'%s' means nothing: a line begins with site, link or node", what);
}

static bool read_lines(File *f)
{
    for (char *line = next_line(&f->text); line; line = next_line(&f->text))
        if (!read_line(f, line))
            return false;
    for (int i = 0; i < f->link_count; i++)
        for (int end = 0; end < 2; end++)
            if (find_site(f, f->links[i].ends[end]) < 0)
                return FAULT_AT(f, f->links[i].line,
                                "there is no site %s: add a line 'site %s HOST'",
                                f->links[i].ends[end], f->links[i].ends[end]);
    return true;
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

/* Numbers what has ranks, in the order of the file; -1: the others. Returns how many have. */
static int number_in_order(const int *of_rank, int ranks, int *number, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        number[i] = -1;
    for (int r = 0; r < ranks; r++)
        number[of_rank[r]] = 0;
    for (int i = 0; i < count; i++)
        if (number[i] == 0)
            number[i] = found++;
    return found;
}

static bool find_members(File *f, const char *const *hosts, int ranks, int *site_of_rank,
                         int *place_of_rank)
{
    for (int r = 0; r < ranks; r++) {
        const Member *member = find_member(f, hosts[r]);
        if (!member)
            return FAULT_AT(
                f, 0,
                "rank %d is on host %s, which is in no site: add it to a line 'site NAME HOST'", r,
                hosts[r]);
        site_of_rank[r] = member->site;
        place_of_rank[r] = member->place;
    }
    return true;
}

static bool set_links(File *f, const Network *network, const int *number)
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
                return FAULT_AT(f, 0,
                                "there is no link between sites %s and %s: add a line "
                                "'link %s %s DELAY_SECONDS BYTES_PER_SECOND'",
                                f->sites[b], f->sites[a], f->sites[b], f->sites[a]);
    return true;
}

/* `scratch`: as many numbers as twice the ranks, the sites and the hosts. */
static Network *network_of(File *f, const char *const *hosts, int ranks, int *scratch)
{
    int *const site_of_rank = scratch, *const place_of_rank = scratch + ranks;
    int *const number = scratch + 2 * ranks, *const node = number + f->site_count;
    qsort(f->members, (size_t)f->member_count, sizeof *f->members, by_host);
    for (int i = 1; i < f->member_count; i++)
        if (by_host(&f->members[i], &f->members[i - 1]) == 0) {
            FAULT_AT(f, f->members[i].line, "host %s is there twice: a host is in one site",
                     f->members[i].host);
            return NULL;
        }
    if (!find_members(f, hosts, ranks, site_of_rank, place_of_rank))
        return NULL;
    const int sites = number_in_order(site_of_rank, ranks, number, f->site_count);
    number_in_order(place_of_rank, ranks, node, f->member_count);
    Network *network = new_network(ranks, 2, sites, f->link_count);
    if (!network) {
        FAULT_AT(f, 0, "no memory for the network");
    } else {
        network->node_bytes_per_second = f->node_rate;
        for (int r = 0; r < ranks; r++) {
            group_array(network, 0)[r] = number[site_of_rank[r]];
            group_array(network, 1)[r] = node[place_of_rank[r]];
        }
        if (set_links(f, network, number))
            return network;
    }
    free_network(network);
    return NULL;
}

Network *read_network(const char *path, const char *const *hosts, int ranks, char *error,
                      size_t error_size)
{
    File file = {0}, *const f = &file;
    Network *network = NULL;
    if (open_text(&f->text, path, "# rankwise network 1", error, error_size) && read_lines(f)) {
        const size_t numbers = 2 * (size_t)ranks + (size_t)f->site_count + (size_t)f->member_count;
        int *scratch = calloc(numbers + 1, sizeof *scratch);
        if (scratch)
            network = network_of(f, hosts, ranks, scratch);
        else
            FAULT_AT(f, 0, "no memory for the network");
        free(scratch);
    }
    close_text(&f->text);
    free(f->members);
    free(f->sites);
    free(f->links);
    return network;
}
