/* The command line. Every rank reads the same one, so all find the same mistake before any MPI
 * call. */
#include "harness.h"
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: rankwise-harness [FLAGS] BENCHMARK:SIZE_BYTES[@CANDIDATE]...\n"
    "Measures the given cells in their order; rank 0 writes one JSON object a line.\n\n"
    "  --list                    the benchmarks, as JSON (needs no mpiexec)\n"
    "  --verify                  check the data of every cell instead of timing it\n"
    "  --seconds S               time for the repetitions of one series (0.01)\n"
    "  --min-repetitions N       (5)\n"
    "  --max-repetitions N       (10000)\n"
    "  --warmup N                untimed operations before a series (default: by time, at least "
    "3)\n"
    "  --min-warmup N            where a series has the fewest repetitions, that many are enough "
    "(3)\n"
    "  --datatype TYPE           byte, int, float, double; reductions take byte as float\n"
    "  --layout LAYOUT           contiguous, vector, indexed, struct; the last three have "
    "elements\n"
    "                            of 4 items with gaps. A size that is no multiple of the element\n"
    "                            is rounded up; series carry the result as payload_bytes\n"
    "  --operation OP            of reductions: sum, max, min, prod\n"
    "  --root R|rotate           of rooted collectives; rotate: another rank each repetition (0)\n"
    "  --cold-cache              other buffers each repetition, from a pool beyond the last cache\n"
    "  --window W                messages in flight in the bandwidth benchmarks (64); fewer where\n"
    "                            they would exceed 64 MiB\n"
    "  --groups N                of ranks, with a cell on all of them at once (1)\n"
    "  --in-place                the input of collectives is where their output goes\n"
    "  --sync SYNC               of one-sided operations: flush, flush-local, lock, fence, pscw\n"
    "  --topology TOPOLOGY       of neighbourhood collectives: cartesian (a torus of two\n"
    "                            dimensions), graph (ranks at distances of 1, 2, 4... in a ring)\n"
    "  --threads N               of each rank in the threaded benchmarks (1); with more than one,\n"
    "                            all is measured with MPI_THREAD_MULTIPLE\n"
    "  --folder DIR              for the files of MPI-IO (TMPDIR, or /tmp)\n"
    "  --polls N                 MPI_Test during the computation beside a nonblocking operation\n"
    "                            (16)\n"
    "  --target polls|computes   what the other rank does during one-sided operations: it waits "
    "in\n"
    "                            the library, or computes (polls)\n"
    "  --messages N              of a stream (200)\n"
    "  --idle S                  before a stream, so that TCP's congestion window starts anew\n"
    "                            (default: by the round trip; none within a host)\n"
    "  --congestion-control NAME of the plain TCP connections (default: as the system has it)\n"
    "  --network FILE            sites, hosts and links, for schedules that make use of them\n"
    "  --schedule NAME=FILE      measure the schedule in this file as OPERATION.file:NAME\n"
    "  --candidate NAME=VALUE[,NAME=VALUE...]  once for candidate 1, 2...: control variables\n"
    "                            (MPI_T) and their values in its cells; 0 is none\n"
    "  --start agreed|barrier    start at an agreed time, or on leaving a barrier (agreed)\n"
    "  --yield                   give up the core while waiting: for more ranks than cores\n"
    "  --clock CLOCK             auto, shared, synchronised\n"
    "  --limit SECONDS           every rank ends itself after this time\n"
    "  --delay RANK:S:FRACTION   for tests: the rank enters S late in a fraction of repetitions\n"
    "  --clock-skew OFFSET:DRIFT for tests: rank r's clock t reads t + r * OFFSET + r * DRIFT * "
    "t\n";

void print_help(void)
{
    fputs(help_text, stdout);
}

static bool refuse(const char *flag, const char *value, const char *wanted)
{
    fprintf(stderr, "rankwise-harness: %s does not take '%s'; it takes %s\n", flag, value, wanted);
    return false;
}

/* Reads a number and what ends it (`end`, '\0' for the end of the text); advances *text. */
static bool read_number(const char **text, char end, double *value)
{
    char *rest;
    errno = 0;
    *value = strtod(*text, &rest);
    if (rest == *text || *rest != end || errno || !isfinite(*value))
        return false;
    *text = rest + (end != '\0');
    return true;
}

static bool take_seconds(const char *flag, const char *value, double *result)
{
    const char *text = value;
    return (read_number(&text, '\0', result) && *result >= 0) ||
           refuse(flag, value, "seconds, at least 0");
}

static bool take_count(const char *flag, const char *value, int low, int *result)
{
    char *rest;
    errno = 0;
    const long number = strtol(value, &rest, 10);
    if (rest == value || *rest || errno || number < low || number > 100000000)
        return refuse(flag, value, low ? "a whole number from 1 on" : "a whole number from 0 on");
    *result = (int)number;
    return true;
}

/* `words` is a list "a|b|c"; the result is the index of the word, or -1 after a message. */
static int take_word(const char *flag, const char *value, const char *words)
{
    const size_t length = strlen(value);
    int index = 0;
    for (const char *word = words; word; index++) {
        const size_t word_length = strcspn(word, "|");
        if (length == word_length && strncmp(word, value, length) == 0)
            return index;
        word = word[word_length] ? word + word_length + 1 : NULL;
    }
    refuse(flag, value, words);
    return -1;
}

static bool take_delay(const char *value, Options *o)
{
    const char *text = value;
    double rank;
    if (!read_number(&text, ':', &rank) || !read_number(&text, ':', &o->delay_seconds) ||
        !read_number(&text, '\0', &o->delay_fraction) || !(rank >= 0 && rank <= INT_MAX) ||
        !(o->delay_seconds >= 0))
        return refuse("--delay", value, "RANK:SECONDS:FRACTION");
    o->delay_rank = (int)rank;
    return true;
}

static bool take_skew(const char *value, Options *o)
{
    const char *text = value;
    return (read_number(&text, ':', &o->clock.skew_offset_seconds) &&
            read_number(&text, '\0', &o->clock.skew_drift)) ||
           refuse("--clock-skew", value, "OFFSET_SECONDS:DRIFT");
}

static bool take_threads(const char *value, Options *o)
{
    return take_count("--threads", value, 1, &o->threads) &&
           (o->threads <= MOST_THREADS || refuse("--threads", value, "at most " TEXT(64)));
}

enum { MIN_WARMUP = 'b' };
static const struct option flags[] = {
    {"list", no_argument, NULL, 'l'},
    {"help", no_argument, NULL, 'h'},
    {"verify", no_argument, NULL, 'v'},
    {"cold-cache", no_argument, NULL, 'c'},
    {"yield", no_argument, NULL, 'y'},
    {"seconds", required_argument, NULL, 's'},
    {"min-repetitions", required_argument, NULL, 'm'},
    {"max-repetitions", required_argument, NULL, 'M'},
    {"warmup", required_argument, NULL, 'w'},
    {"min-warmup", required_argument, NULL, MIN_WARMUP},
    {"datatype", required_argument, NULL, 'd'},
    {"layout", required_argument, NULL, 'L'},
    {"operation", required_argument, NULL, 'o'},
    {"root", required_argument, NULL, 'r'},
    {"window", required_argument, NULL, 'W'},
    {"groups", required_argument, NULL, 'G'},
    {"in-place", no_argument, NULL, 'I'},
    {"sync", required_argument, NULL, 'x'},
    {"topology", required_argument, NULL, 'P'},
    {"threads", required_argument, NULL, 'N'},
    {"folder", required_argument, NULL, 'F'},
    {"polls", required_argument, NULL, 'p'},
    {"target", required_argument, NULL, 'T'},
    {"messages", required_argument, NULL, 'n'},
    {"idle", required_argument, NULL, 'i'},
    {"congestion-control", required_argument, NULL, 'g'},
    {"network", required_argument, NULL, 'e'},
    {"schedule", required_argument, NULL, 'f'},
    {"candidate", required_argument, NULL, 'A'},
    {"start", required_argument, NULL, 'S'},
    {"clock", required_argument, NULL, 'C'},
    {"limit", required_argument, NULL, 't'},
    {"delay", required_argument, NULL, 'D'},
    {"clock-skew", required_argument, NULL, 'k'},
    {NULL, 0, NULL, 0},
};

static bool take_switch(int flag, Options *o)
{
    bool *const target = flag == 'l'   ? &o->list
                         : flag == 'h' ? &o->help
                         : flag == 'v' ? &o->verify
                         : flag == 'c' ? &o->cold_cache
                         : flag == 'I' ? &o->in_place
                                       : &o->yield;
    *target = true;
    return true;
}

static bool take_flag(int flag, const char *value, Options *o)
{
    int word;
    switch (flag) {
    case 's':
        return take_seconds("--seconds", value, &o->seconds);
    case 't':
        return take_seconds("--limit", value, &o->limit_seconds);
    case 'm':
        return take_count("--min-repetitions", value, 1, &o->min_repetitions);
    case 'M':
        return take_count("--max-repetitions", value, 1, &o->max_repetitions);
    case 'w':
        return take_count("--warmup", value, 0, &o->warmup);
    case MIN_WARMUP:
        return take_count("--min-warmup", value, 1, &o->min_warmup);
    case 'W':
        return take_count("--window", value, 1, &o->window);
    case 'G':
        return take_count("--groups", value, 1, &o->groups);
    case 'N':
        return take_threads(value, o);
    case 'F':
        o->folder = value;
        return true;
    case 'x':
        word = take_word("--sync", value, "flush|flush-local|lock|fence|pscw");
        o->sync = (Sync)word;
        return word >= 0;
    case 'P':
        word = take_word("--topology", value, "cartesian|graph");
        o->topology = (Topology)word;
        return word >= 0;
    case 'p':
        return take_count("--polls", value, 0, &o->polls);
    case 'T':
        word = take_word("--target", value, "polls|computes");
        o->target_computes = word == 1;
        return word >= 0;
    case 'n':
        return take_count("--messages", value, 1, &o->messages);
    case 'i':
        return take_seconds("--idle", value, &o->idle_seconds);
    case 'g':
        o->congestion_control = value;
        return true;
    case 'e':
        o->network_file = value;
        return true;
    case 'f':
        return register_schedule_file(value);
    case 'd':
        o->datatype = value;
        return take_word("--datatype", value, "byte|int|float|double") >= 0;
    case 'L':
        o->layout = value;
        return take_word("--layout", value, "contiguous|vector|indexed|struct") >= 0;
    case 'o':
        o->reduction = value;
        return take_word("--operation", value, "sum|max|min|prod") >= 0;
    case 'r':
        o->root = ROTATE;
        return strcmp(value, "rotate") == 0 || take_count("--root", value, 0, &o->root);
    case 'A':
        return parse_candidate(value, &o->candidates, &o->candidate_count);
    case 'S':
        word = take_word("--start", value, "agreed|barrier");
        o->barrier_start = word == 1;
        return word >= 0;
    case 'C':
        word = take_word("--clock", value, "auto|shared|synchronised");
        o->clock.choice = (RwClockChoice)word;
        return word >= 0;
    case 'D':
        return take_delay(value, o);
    case 'k':
        return take_skew(value, o);
    case '?':
        return false; /* getopt has said why */
    default:
        return take_switch(flag, o);
    }
}

bool parse_options(int argc, char **argv, const Kernel *pattern, Options *o)
{
    *o = (Options){.seconds = 0.01,
                   .min_repetitions = 5,
                   .max_repetitions = 10000,
                   .warmup = -1,
                   .min_warmup = 3,
                   .datatype = "byte",
                   .layout = "contiguous",
                   .reduction = "sum",
                   .window = 64,
                   .groups = 1,
                   .threads = 1,
                   .folder = "",
                   .polls = 16,
                   .messages = 200,
                   .idle_seconds = -1,
                   .congestion_control = "",
                   .network_file = "",
                   .delay_rank = -1};
    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        if (!take_flag(flag, optarg, o))
            return false;
    }
    if (o->max_repetitions < o->min_repetitions)
        o->max_repetitions = o->min_repetitions;
    o->cells = calloc((size_t)argc, sizeof *o->cells);
    if (!o->cells) {
        fprintf(stderr, "rankwise-harness: cannot allocate %zu bytes for the list of cells\n",
                (size_t)argc * sizeof *o->cells);
        return false;
    }
    for (int i = optind; i < argc; i++) {
        if (!parse_cell(argv[i], pattern, o->candidate_count, &o->cells[o->cell_count]))
            return false;
        o->cell_count++;
    }
    if (o->cell_count || o->list || o->help)
        return true;
    fputs("rankwise-harness: nothing to measure; give cells like bcast:4096, or --help\n", stderr);
    return false;
}
