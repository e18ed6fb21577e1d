#include "table.h"
#include "../schedules/fixed_schedule.h"
#include "../schedules/schedule_file.h"
#include "../schedules/text_file.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HEADING[] = "# rankwise overlay 1";

typedef struct {
    const char *name;
    int line;
    char *error;
    size_t room;
} Where;

__attribute__((format(printf, 2, 3))) static bool wrong(const Where *where, const char *format, ...)
{
    const int used = snprintf(where->error, where->room, "%s:%d: ", where->name, where->line);
    va_list arguments;
    va_start(arguments, format);
    if (used > 0 && (size_t)used < where->room)
        vsnprintf(where->error + used, where->room - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static bool within(Range range, int64_t value)
{
    return range.from <= value && value <= range.to;
}

static bool read_range(const char *text, Range *range)
{
    if (*text != '-' && !read_size(&text, INT64_MAX, &range->from))
        return false;
    if (*text == '\0') {
        range->to = range->from;
        return true;
    }
    if (*text++ != '-')
        return false;
    if (*text && !read_size(&text, INT64_MAX, &range->to))
        return false;
    return *text == '\0' && range->from <= range->to;
}

static bool read_parameter(char *text, Rule *rule, const Where *where)
{
    char *value = strchr(text, '=');
    int64_t amount = 0;
    if (value)
        *value++ = '\0';
    const char *rest = value;
    if (!value || !read_size(&rest, INT64_MAX, &amount) || *rest)
        return wrong(where, "%s needs a number below 2^63: %s=4", text, text);
    const Algorithm *algorithm = rule->algorithm;
    if (strcmp(text, "segment") == 0 && algorithm->segmented)
        rule->segment_bytes = amount;
    else if (strcmp(text, "fan-out") == 0 && algorithm->fans && amount < INT32_MAX)
        rule->fan_out = (int)amount;
    else if (strcmp(text, "lanes") == 0 && algorithm->lanes && amount < INT32_MAX)
        rule->lanes = (int)amount;
    else
        return wrong(where, "%s.%s does not take %s", operation_name(rule->operation),
                     algorithm->name, text);
    return true;
}

/* Beside the table, if the path is relative: so a folder with both may be moved. The algorithm has
 * the file's name up to the first character that is none of these. */
static bool read_file(const char *path, Rule *rule, const Where *where)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    char whole[PATH_MAX], error[512];
    const char *slash = *path == '/' ? NULL : strrchr(where->name, '/');
    snprintf(whole, sizeof whole, "%.*s%s", slash ? (int)(slash - where->name + 1) : 0, where->name,
             path);
    char name[64]; /* of a longer one the beginning */
    snprintf(name, sizeof name, "%.63s", strrchr(whole, '/') ? strrchr(whole, '/') + 1 : whole);
    name[strspn(name, letters)] = '\0';
    rule->algorithm = read_schedule(whole, name, error, sizeof error);
    if (!rule->algorithm)
        return wrong(where, "%s", error);
    const int ranks = ((const FixedSchedule *)rule->algorithm)->ranks;
    if (rule->algorithm->operation != rule->operation)
        return wrong(where, "%s is for %s, not for %s", path,
                     operation_name(rule->algorithm->operation), operation_name(rule->operation));
    if (!within(rule->ranks, ranks))
        return wrong(where, "%s is for %d ranks, which the line's condition leaves out", path,
                     ranks);
    rule->ranks = (Range){ranks, ranks};
    return true;
}

static bool read_algorithm(char *text, Rule *rule, const Where *where)
{
    char *rest = strchr(text, ':');
    if (rest)
        *rest++ = '\0';
    if (strcmp(text, "file") == 0)
        return rest ? read_file(rest, rule, where)
                    : wrong(where, "file needs a schedule's file: file:ring.json");
    rule->algorithm = find_algorithm(rule->operation, text);
    if (strcmp(text, "native") == 0)
        return !rest || wrong(where, "native takes no parameters");
    if (!rule->algorithm)
        return wrong(where,
                     "%s has no algorithm '%s' (rankwise schedule list names those there are)",
                     operation_name(rule->operation), text);
    char *more;
    for (char *one = rest ? strtok_r(rest, ",", &more) : NULL; one;
         one = strtok_r(NULL, ",", &more))
        if (!read_parameter(one, rule, where))
            return false;
    return true;
}

static bool read_condition(char *text, char *value, Rule *rule, const Where *where)
{
    Range *range = strcmp(text, "ranks") == 0   ? &rule->ranks
                   : strcmp(text, "bytes") == 0 ? &rule->bytes
                   : strcmp(text, "sites") == 0 ? &rule->sites
                                                : NULL;
    if (!range)
        return wrong(where, "'%s' is not a condition: there are ranks, bytes and sites", text);
    if (!read_range(value, range))
        return wrong(where, "'%s' is not a range of %s, as in 2-64 or 1M-", value, text);
    return true;
}

static bool read_rule(char *line, Rule *rule, const Where *where)
{
    static const Range any = {0, INT64_MAX};
    *rule = (Rule){.operation = OPERATIONS, .ranks = any, .bytes = any, .sites = any};
    char *more, *word = strtok_r(line, " \t\r", &more);
    for (int o = 0; o < OPERATIONS; o++)
        if (strcmp(word, operation_name((Operation)o)) == 0)
            rule->operation = (Operation)o;
    if (rule->operation == OPERATIONS)
        return wrong(where, "unknown operation '%s'", word);
    while ((word = strtok_r(NULL, " \t\r", &more))) {
        char *equals = strchr(word, '='), *colon = strchr(word, ':');
        if (!equals || (colon && colon < equals))
            break;
        *equals = '\0';
        if (!read_condition(word, equals + 1, rule, where))
            return false;
    }
    if (!word)
        return wrong(where, "no algorithm is named");
    if (!read_algorithm(word, rule, where))
        return false;
    word = strtok_r(NULL, " \t\r", &more);
    return !word || wrong(where, "'%s' comes after the algorithm: conditions come before it", word);
}

bool read_table(Table *table, const char *text, const char *name, char *error, size_t room)
{
    Where where = {name, 1, error, room};
    char *copy = strdup(text), *rest = copy, *line;
    bool fine = copy != NULL;
    *table = (Table){0};
    for (; fine && (line = strsep(&rest, "\n")); where.line++) {
        if (where.line == 1 && strncmp(line, HEADING, sizeof HEADING - 1) != 0)
            fine = wrong(&where, "the first line is not '%s'", HEADING);
        line[strcspn(line, "#")] = '\0';
        if (!fine || line[strspn(line, " \t\r")] == '\0')
            continue;
        Rule *rules = realloc(table->rules, (size_t)(table->count + 1) * sizeof *rules);
        if (!rules) {
            fine = wrong(&where, "no memory is left");
            continue;
        }
        table->rules = rules;
        fine = read_rule(line, &rules[table->count++], &where);
    }
    free(copy);
    return fine;
}

static bool holds(const Rule *rule, const Question *q)
{
    const bool all_bytes = rule->bytes.from == 0 && rule->bytes.to == INT64_MAX;
    return rule->operation == q->operation && within(rule->ranks, q->ranks) &&
           within(rule->sites, q->sites) &&
           (q->bytes < 0 ? all_bytes : within(rule->bytes, q->bytes));
}

static bool reduces(Operation operation)
{
    return operation == REDUCE || operation == ALLREDUCE || operation == REDUCE_SCATTER ||
           operation == SCAN || operation == EXSCAN;
}

static bool can(const Algorithm *algorithm, const Question *q)
{
    return (q->commutative || !algorithm->commutative_only) &&
           (q->equal_blocks || !algorithm->equal_blocks) &&
           (q->counts_known || !algorithm->needs_all_counts) &&
           !(q->reproducible && algorithm->for_networks && reduces(q->operation));
}

const Rule *find_rule(const Table *table, const Question *question)
{
    for (const Rule *rule = table->rules; rule < table->rules + table->count; rule++)
        if (holds(rule, question) && (!rule->algorithm || can(rule->algorithm, question)))
            return rule->algorithm ? rule : NULL;
    return NULL;
}

bool could_replace(const Table *table, Operation operation, int ranks, int sites)
{
    for (const Rule *rule = table->rules; rule < table->rules + table->count; rule++)
        if (rule->operation == operation && rule->algorithm && within(rule->ranks, ranks) &&
            within(rule->sites, sites))
            return true;
    return false;
}

bool asks_for_sites(const Table *table, int ranks)
{
    for (const Rule *rule = table->rules; rule < table->rules + table->count; rule++)
        if (rule->algorithm && within(rule->ranks, ranks) &&
            (rule->sites.from > 1 || rule->sites.to != INT64_MAX || rule->algorithm->for_networks))
            return true;
    return false;
}
