/* rankwise-apps NAME [--class C] [--count] [--computing SECONDS,...] [OPTION=NUMBER ...] [then ...]
 *
 * Runs one application and prints a line of JSON; `then` begins the next one. The exit code is 1 if
 * a result is wrong, 2 for a mistake in the command line. rankwise-apps --list prints all there
 * are; rankwise-apps --check RANKS NAME ... runs nothing, and says whether it could on so many
 * ranks. */
#include "app.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    bool counts;
} Choice;

static void list(void)
{
    for (const App *app = first_app(); app; app = app->next) {
        printf("{\"name\": \"%s\", \"description\": \"%s\", \"classes\": \"%s\", \"options\": [",
               app->name, app->description, app->class_names ? app->class_names : "");
        for (const AppOption *one = app->options; one->name; one++)
            printf("%s{\"name\": \"%s\", \"value\": %g, \"what\": \"%s\"}",
                   one == app->options ? "" : ", ", one->name, one->value, one->what);
        printf("]}\n");
    }
}

static bool refuse(const AppRun *run, const char *what, const char *which)
{
    if (run->rank == 0)
        fprintf(stderr, "rankwise-apps: %s%s\n", what, which);
    return false;
}

static bool set_option(AppRun *run, const char *word)
{
    const size_t length = strcspn(word, "=");
    char *end;
    for (AppOption *one = run->options; one->name; one++)
        if (strlen(one->name) == length && strncmp(one->name, word, length) == 0) {
            one->value = strtod(word + length + 1, &end);
            return (*end == 0 && end > word + length + 1) ||
                   refuse(run, "this is not a number: ", word);
        }
    return refuse(run, "there is no such option: ", word);
}

static bool read_seconds(AppRun *run, const char *text)
{
    run->computing.skipped = true;
    for (int i = 0; i < MAX_PHASES && *text; i++) {
        char *end;
        run->computing.seconds[i] = strtod(text, &end);
        if (end == text)
            return refuse(run, "these are not seconds with commas between: ", text);
        text = end + (*end == ',');
    }
    return true;
}

static bool read_words(AppRun *run, Choice *choice, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *after = i + 1 < argc ? argv[i + 1] : "";
        bool understood = true;
        if (strcmp(argv[i], "--class") == 0)
            run->class_name = after[0] && !after[1] ? after[0] : '?', i++;
        else if (strcmp(argv[i], "--computing") == 0)
            understood = read_seconds(run, after), i++;
        else if (strcmp(argv[i], "--count") == 0)
            choice->counts = true;
        else if (i > 1 && strchr(argv[i], '='))
            understood = set_option(run, argv[i]);
        else if (i > 1)
            understood = refuse(run, "this is not an option: ", argv[i]);
        if (!understood)
            return false;
    }
    return true;
}

static const App *choose(AppRun *run, Choice *choice, int argc, char **argv)
{
    const App *app = find_app(choice->name);
    if (!app)
        return refuse(run, "there is no application ", choice->name), NULL;
    memcpy(run->options, app->options, sizeof run->options);
    run->class_name = app->class_names ? app->class_names[0] : 0;
    if (!read_words(run, choice, argc, argv))
        return NULL;
    if (app->class_names ? !strchr(app->class_names, run->class_name) : run->class_name)
        return refuse(run, "it has no such class, but: ", app->class_names ? app->class_names : ""),
               NULL;
    const char *instead = app->refuses ? app->refuses(run) : NULL;
    return instead ? (refuse(run, "it runs on ", instead), NULL) : app;
}

static void print_result(const App *app, AppRun *run)
{
    static const char *const verdicts[] = {"null", "true", "false"};
    double seconds, spent[MAX_PHASES];
    long count[MAX_PHASES];
    Computing *computing = &run->computing;
    PMPI_Reduce(&run->seconds, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, run->comm);
    PMPI_Reduce(computing->spent, spent, MAX_PHASES, MPI_DOUBLE, MPI_SUM, 0, run->comm);
    PMPI_Reduce(computing->count, count, MAX_PHASES, MPI_LONG, MPI_SUM, 0, run->comm);
    if (run->rank != 0)
        return;
    printf("{\"app\": \"%s\", \"class\": \"%.1s\", \"ranks\": %d, \"seconds\": %.9g, "
           "\"mops\": %.9g, \"verified\": %s, \"remark\": \"%s\"%s, \"computing\": [",
           app->name, &run->class_name, run->ranks, seconds, run->operations / seconds / 1e6,
           verdicts[run->verdict], run->remark, run->figures);
    for (int i = 0; i < MAX_PHASES; i++)
        printf("%s%.9g", i ? ", " : "", count[i] ? spent[i] / (double)count[i] : 0);
    printf("]}\n");
}

/* Without MPI_Init: the first of the words is the number of ranks. */
static int check_alone(int argc, char **argv)
{
    AppRun run = {.ranks = atoi(argv[0])};
    Choice choice = {.name = argc > 1 ? argv[1] : ""};
    return choose(&run, &choice, argc, argv) ? 0 : 2;
}

/* The words of one application, of which the first is not looked at; returns the exit code. */
static int run_one(int argc, char **argv)
{
    AppRun run = {.comm = MPI_COMM_WORLD};
    MPI_Comm_rank(run.comm, &run.rank);
    MPI_Comm_size(run.comm, &run.ranks);
    Choice choice = {.name = argc > 1 ? argv[1] : ""};
    const App *app = choose(&run, &choice, argc, argv);
    if (!app)
        return 2;
    if (choice.counts)
        start_counting();
    app->run(&run);
    if (choice.counts)
        print_counts(app->name, run.comm, run.rank);
    print_result(app, &run);
    int wrong = run.verdict == WRONG;
    PMPI_Bcast(&wrong, 1, MPI_INT, 0, run.comm); /* all ranks end alike */
    fflush(stdout);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--check") == 0)
        return check_alone(argc - 2, argv + 2);
    MPI_Init(&argc, &argv);
    int code = 0;
    for (int first = 0, last; first < argc && code != 2; first = last) {
        for (last = first + 1; last < argc && strcmp(argv[last], "then") != 0;)
            last++;
        const int ended = run_one(last - first, argv + first);
        code = ended > code ? ended : code;
    }
    MPI_Finalize();
    return code;
}
