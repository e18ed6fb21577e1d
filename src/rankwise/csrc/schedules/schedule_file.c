/* Reads a schedule file. */
#include "schedule_file.h"
#include "fixed_schedule.h"
#include "text_file.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 1 << 20, MOST_CHUNKS = 1 << 24, MOST_STEPS = 1 << 26 };

static const char *const memories[] = {"input", "output", "scratch"};
static const char *const kinds[] = {"send", "receive", "copy", "reduce"};

static int position(const char *word, const char *const *known, int count)
{
    int at = 0;
    while (word && at < count && strcmp(word, known[at]) != 0)
        at++;
    return word && at < count ? at : -1;
}

/* Chunks of a memory: as the table at Problem in algorithm.h. */
static int64_t chunks_of(const FixedSchedule *fixed, int rank, Memory memory)
{
    const int64_t one = fixed->chunks, all = one * fixed->ranks;
    const bool root = rank == fixed->root, output = memory == OUTPUT_MEMORY;
    if (memory == SCRATCH_MEMORY)
        return fixed->scratch[rank];
    switch (fixed->algorithm.operation) {
    case BCAST:
        return output == root ? 0 : one;
    case REDUCE:
        return output && !root ? 0 : one;
    case REDUCE_SCATTER:
        return output ? one : all;
    case GATHER:
        return output ? (root ? all : 0) : one;
    case SCATTER:
        return output ? one : (root ? all : 0);
    case ALLGATHER:
        return output ? all : one;
    case ALLTOALL:
        return all;
    case EXSCAN:
        return output && !rank ? 0 : one;
    case BARRIER:
        return 0;
    default:
        return one;
    }
}

static bool read_place(TextFile *f, char **rest, Place *at)
{
    const int memory = position(next_word(rest), memories, 3);
    if (memory < 0)
        return text_fault(f, "a place is input, output or scratch, and a number of chunks");
    at->memory = (Memory)memory;
    return next_number(rest, INT_MAX, &at->offset) ||
           text_fault(f, "there is no number of chunks behind '%s'", memories[memory]);
}

static bool read_dependencies(TextFile *f, FixedSchedule *fixed, char *rest, int number, int step)
{
    const char *word = next_word(&rest);
    if (!word)
        return true;
    if (strcmp(word, "after") != 0)
        return text_fault(f, "'%s' means nothing here: write 'after' and numbers of steps", word);
    Schedule *all = &fixed->all;
    while (rest[strspn(rest, " \t")]) {
        int64_t on;
        if (!next_number(&rest, INT_MAX, &on) || on >= number)
            return text_fault(f, "step %d can wait only for steps before it", number);
        depend(all, step, step - number + (int)on);
    }
    return !all->failure || text_fault(f, "%s", all->failure);
}

static bool inside(const FixedSchedule *fixed, int rank, Place at, int64_t length)
{
    return at.offset + length <= chunks_of(fixed, rank, at.memory);
}

/* One step of a rank; its number on this rank is `number`. */
static bool read_step(TextFile *f, FixedSchedule *fixed, int rank, StepKind kind, char *rest)
{
    const int number = fixed->all.count - fixed->first[rank];
    const bool message = kind == SEND_STEP || kind == RECEIVE_STEP;
    const bool reads = kind != RECEIVE_STEP, writes = kind != SEND_STEP;
    int64_t peer = -1, tag = 0, length;
    Place from = {0}, to = {0};
    if (message &&
        (!next_number(&rest, fixed->ranks - 1, &peer) || !next_number(&rest, 1 << 14, &tag)))
        return text_fault(f, "a message needs a peer below %d and a tag up to %d", fixed->ranks,
                          1 << 14);
    if ((reads && !read_place(f, &rest, &from)) || (writes && !read_place(f, &rest, &to)))
        return false;
    if (!next_number(&rest, INT_MAX, &length))
        return text_fault(f, "the step's number of chunks is missing");
    if ((reads && !inside(fixed, rank, from, length)) ||
        (writes && !inside(fixed, rank, to, length)))
        return text_fault(f, "step %d of rank %d is beyond the end of a memory", number, rank);
    if (writes && length && to.memory == INPUT_MEMORY)
        return text_fault(f, "step %d of rank %d writes to the input", number, rank);
    if (!message && !fixed->multiple && (from.offset - to.offset) % fixed->chunks)
        return text_fault(f,
                          "step %d of rank %d moves a chunk to one that may be shorter: write "
                          "'multiple' in the head, so that all are alike",
                          number, rank);
    if (fixed->all.count == MOST_STEPS)
        return text_fault(f, "there are too many steps");
    const int step = add_join(&fixed->all, NO_STEP);
    if (step == NO_STEP)
        return text_fault(f, "no memory for its steps");
    Step *made = &fixed->all.steps[step];
    made->kind = kind;
    made->peer = (int)peer;
    made->tag = (int)tag;
    made->from = from;
    made->to = to;
    made->length = length;
    if (tag >= fixed->all.tags)
        fixed->all.tags = (int)tag + 1;
    return read_dependencies(f, fixed, rest, number, step);
}

static bool read_ranks(TextFile *f, FixedSchedule *fixed)
{
    int rank = -1;
    for (char *rest; (rest = next_line(f));) {
        const char *word = next_word(&rest);
        const int kind = position(word, kinds, 4);
        if (kind >= 0) {
            if (rank < 0)
                return text_fault(f, "a step stands before the line of its rank");
            if (!read_step(f, fixed, rank, (StepKind)kind, rest))
                return false;
            continue;
        }
        int64_t named, scratch;
        const char *second = NULL;
        if (strcmp(word, "rank") != 0 || !next_number(&rest, INT_MAX, &named) ||
            !(second = next_word(&rest)) || strcmp(second, "scratch") != 0 ||
            !next_number(&rest, INT_MAX, &scratch) || next_word(&rest))
            return text_fault(
                f, "'%s' means nothing: write a step, or 'rank NUMBER scratch CHUNKS'", word);
        if (named != rank + 1 || named >= fixed->ranks)
            return text_fault(f, "rank %d comes next, of %d", rank + 1, fixed->ranks);
        rank++;
        fixed->first[rank] = fixed->all.count;
        fixed->scratch[rank] = scratch;
    }
    if (rank + 1 < fixed->ranks)
        return text_fault(f, "the steps of rank %d are missing", rank + 1);
    fixed->first[fixed->ranks] = fixed->all.count;
    return true;
}

static bool read_field(TextFile *f, const char *name, int64_t least, int64_t most, int *value)
{
    char *rest = next_line(f);
    const char *word = rest ? next_word(&rest) : NULL;
    int64_t number = 0;
    if (!word || strcmp(word, name) != 0 || !next_number(&rest, most, &number) || number < least ||
        next_word(&rest))
        return text_fault(f, "the head goes on with '%s' and a number", name);
    *value = (int)number;
    return true;
}

/* A line that is this word alone; else it is read again. */
static bool read_flag(TextFile *f, const char *name)
{
    const TextFile before = *f;
    const size_t length = strlen(name);
    const char *line = f->next + strspn(f->next, " \t");
    if (strncmp(line, name, length) != 0 || !strchr("\r\n", line[length])) {
        *f = before;
        return false;
    }
    next_line(f);
    return true;
}

static bool read_head(TextFile *f, FixedSchedule *fixed)
{
    char *rest = next_line(f);
    const char *word = rest ? next_word(&rest) : NULL, *named = word ? next_word(&rest) : NULL;
    if (!named || strcmp(word, "operation") != 0)
        return text_fault(f, "the head begins with 'operation NAME'");
    int operation = 0;
    while (operation < OPERATIONS && strcmp(named, operation_name((Operation)operation)) != 0)
        operation++;
    if (operation == OPERATIONS)
        return text_fault(f, "unknown operation '%s'", named);
    fixed->algorithm.operation = (Operation)operation;
    if (!read_field(f, "ranks", 1, MOST_RANKS, &fixed->ranks) ||
        !read_field(f, "root", 0, fixed->ranks - 1, &fixed->root) ||
        !read_field(f, "chunks", 1, MOST_CHUNKS, &fixed->chunks))
        return false;
    if (read_flag(f, "commutative"))
        fixed->algorithm.commutative_only =
            "the schedule's file does not keep the order of the ranks";
    fixed->multiple = read_flag(f, "multiple");
    fixed->first = calloc((size_t)fixed->ranks + 1, sizeof *fixed->first);
    fixed->scratch = calloc((size_t)fixed->ranks, sizeof *fixed->scratch);
    return (fixed->first && fixed->scratch) || text_fault(f, "no memory for its ranks");
}

void free_read_schedule(const Algorithm *algorithm)
{
    FixedSchedule *fixed = (FixedSchedule *)algorithm;
    free_schedule(&fixed->all);
    free(fixed->first);
    free(fixed->scratch);
    free((void *)algorithm->name);
    free(fixed);
}

const Algorithm *read_schedule(const char *path, const char *name, char *error, size_t error_size)
{
    TextFile f;
    FixedSchedule *fixed = calloc(1, sizeof *fixed);
    if (!fixed) {
        snprintf(error, error_size, "%s: no memory to read it", path);
        return NULL;
    }
    fixed->algorithm = (Algorithm){.description = "a schedule from a file",
                                   .name = strdup(name),
                                   .equal_blocks = true,
                                   .generate_fixed = generate_fixed};
    const bool right = open_text(&f, path, "# rankwise schedule 1", error, error_size) &&
                       (fixed->algorithm.name || text_fault(&f, "no memory to read it")) &&
                       read_head(&f, fixed) && read_ranks(&f, fixed);
    close_text(&f);
    if (right)
        return &fixed->algorithm;
    free_read_schedule(&fixed->algorithm);
    return NULL;
}
