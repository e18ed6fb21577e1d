/* Carries out the plans of a file, each on a communicator of its own:
 *     plans FILE [SECONDS] [spoilt]
 * Rank 0 says of each plan whether it was right on all ranks; what is wrong is said by the rank
 * that has found it. No step may take more than so many seconds of a rank's processor time, or 20
 * times as long where it sleeps. `spoilt`: all that is expected is wrong, so that no plan may be
 * right.
 */
#include "plan.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { BUFFERED = 4 << 20, MOST_TOLD = 5 };

Plan plan;
static Comm comms[MAX_COMMS];
static const Step *current[MAX_THREADS + 1]; /* what each thread is at; the first one is main */
static int found_wrong;
static int seconds = 10;
static __thread int own_thread;

void wrong(const char *format, ...)
{
    char words[400];
    const Step *step = current[own_thread];
    va_list rest;
    if (__atomic_add_fetch(&found_wrong, 1, __ATOMIC_SEQ_CST) > MOST_TOLD)
        return;
    va_start(rest, format);
    vsnprintf(words, sizeof words, format, rest);
    va_end(rest);
    printf("plan %s rank %d: %s\n    in step %d: %s\n", plan.name, plan.rank, words,
           step ? step->number : -1, step ? step->text : "at the end");
    fflush(stdout);
}

/* Where others use the cores, too, a rank that waits for ever uses time of its own all the same. */
static void begin_to_count(void)
{
    const struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(20 * (unsigned)seconds);
}

void now_at(const Step *step)
{
    current[own_thread] = step;
    begin_to_count();
}

int flag(const Step *step, int word, char letter)
{
    return strchr(step->word[word], letter) != NULL;
}

/* Says where this rank is, and ends it. */
static void stopped(int signal)
{
    char words[600];
    const int for_ever = signal == SIGALRM || signal == SIGPROF;
    for (int i = 0; i <= plan.threads; i++) {
        const int length = snprintf(words, sizeof words, "plan %s rank %d: %s in step %d: %s\n",
                                    plan.name, plan.rank, for_ever ? "waits for ever" : "crashed",
                                    current[i] ? current[i]->number : -1,
                                    current[i] ? current[i]->text : "at the end");
        if (write(1, words, (size_t)length) < 0)
            break;
    }
    if (for_ever)
        sleep(5); /* so that the other ranks can say so, too */
    _exit(3);
}

static void failed(MPI_Comm *comm, int *code, ...)
{
    char words[MPI_MAX_ERROR_STRING];
    int length;
    (void)comm;
    MPI_Error_string(*code, words, &length);
    wrong("error: %s", words);
    sleep(1);
    MPI_Abort(MPI_COMM_WORLD, 4);
}

static void carry_out(const Step *step)
{
    static const struct {
        const char *name;
        void (*call)(const Step *step);
    } calls[] = {
        {"send", send_message},
        {"recv", receive_message},
        {"exchange", exchange},
        {"coll", begin_collective},
        {"start", start},
        {"wait", wait_for},
        {"drop", drop},
        {"cancel", cancel_receive},
        {"comm", make_communicator},
    };
    const size_t known = sizeof calls / sizeof *calls;
    now_at(step);
    if (!strcmp(step->word[0], "free")) {
        free_communicator(atoi(step->word[1]));
        return;
    }
    for (size_t i = 0; i < known; i++)
        if (!strcmp(step->word[0], calls[i].name)) {
            calls[i].call(step);
            return;
        }
    wrong("unknown step");
}

typedef struct {
    int thread, first;
} Section;

static void *run_section(void *state)
{
    const Section *section = state;
    own_thread = section->thread + 1;
    for (int i = section->first; i < plan.steps && plan.step[i].thread >= 0; i++)
        if (plan.step[i].thread == section->thread)
            carry_out(&plan.step[i]);
    current[own_thread] = NULL;
    return NULL;
}

/* Steps that belong to threads run at the same time, or one after another if the MPI wants that.
 * Returns the step after. */
static int run_threads(int first, int several)
{
    pthread_t threads[MAX_THREADS];
    Section sections[MAX_THREADS];
    int last = first, count = 0;
    for (; last < plan.steps && plan.step[last].thread >= 0; last++) {
        count = plan.step[last].thread >= count ? plan.step[last].thread + 1 : count;
        if (!several)
            carry_out(&plan.step[last]);
    }
    plan.threads = count;
    for (int i = 0; several && i < count; i++) {
        sections[i] = (Section){i, first};
        pthread_create(&threads[i], NULL, run_section, &sections[i]);
    }
    for (int i = 0; several && i < count; i++)
        pthread_join(threads[i], NULL);
    plan.threads = 0;
    return last;
}

/* One line; @K before a step of thread K. */
static Step parsed(char *line, int number)
{
    Step step = {.number = number, .thread = -1, .text = strdup(line)};
    char *rest = NULL, *word = strtok_r(line, " \n", &rest);
    if (word && word[0] == '@') {
        step.thread = atoi(word + 1);
        word = strtok_r(NULL, " \n", &rest);
    }
    step.text[strcspn(step.text, "\n")] = 0;
    for (; word && step.words < MAX_WORDS; word = strtok_r(NULL, " \n", &rest))
        step.word[step.words++] = word;
    return step;
}

/* The step that an operation begins with, and the types of which something may be received. */
static void look_through(void)
{
    plan.made_by = calloc((size_t)plan.steps + 1, sizeof *plan.made_by);
    plan.operations = calloc((size_t)plan.steps + 1, sizeof *plan.operations);
    for (int i = 0; i < plan.steps; i++) {
        Step *step = &plan.step[i];
        const int made = !strcmp(step->word[0], "send") || !strcmp(step->word[0], "recv");
        if (!made && strcmp(step->word[0], "coll") != 0)
            continue;
        const int number = atoi(step->word[1]);
        if (number < 0 || number > plan.steps)
            exit(5);
        plan.made_by[number] = step;
        const Unit unit = unit_of(step->word[made ? 7 : 6]);
        type_of(&unit);
    }
}

static void forget(void)
{
    for (int i = 0; i <= plan.steps; i++)
        free_area(&plan.operations[i].in), free_area(&plan.operations[i].out);
    for (int i = 0; i < plan.steps; i++)
        free(plan.step[i].text);
    forget_pools();
    free(plan.made_by), free(plan.operations), free(plan.step);
    plan.step = NULL, plan.steps = 0;
}

static void begin_world(Comm *world)
{
    *world = (Comm){.live = 1, .rank = plan.rank, .size = plan.ranks, .remote_size = plan.ranks};
    for (int i = 0; i < plan.ranks; i++)
        world->members[i] = world->remote[i] = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &world->handle);
}

static int run_plan(int several)
{
    static char buffer[BUFFERED];
    void *detached;
    int size, all;
    found_wrong = 0;
    look_through();
    begin_to_count();
    begin_world(&comms[0]);
    MPI_Buffer_attach(buffer, BUFFERED);
    for (int i = 0; i < plan.steps;)
        if (plan.step[i].thread >= 0)
            i = run_threads(i, several);
        else
            carry_out(&plan.step[i++]);
    current[0] = NULL;
    end_all();
    MPI_Buffer_detach(&detached, &size);
    begin_to_count();
    free_communicators();
    MPI_Allreduce(&found_wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    forget();
    begin_to_count();
    if (plan.rank == 0)
        printf("plan %s: %s\n", plan.name, all ? "wrong" : "right");
    fflush(stdout);
    return all;
}

/* A plan begins with `plan NAME RANKS` and ends with `end`. */
static int run_all(FILE *file, int several)
{
    static char line[4096];
    static char *lines[1 << 14];
    int wrong_ones = 0, count = 0, ranks = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (sscanf(line, "plan %63s %d", plan.name, &ranks) == 2) {
            count = 0;
            continue;
        }
        if (strncmp(line, "end", 3) != 0) {
            lines[count++] = strdup(line);
            continue;
        }
        plan.step = calloc((size_t)count + 1, sizeof *plan.step);
        plan.steps = count;
        for (int i = 0; i < count; i++)
            plan.step[i] = parsed(lines[i], i);
        if (ranks == plan.ranks)
            wrong_ones += run_plan(several) != 0;
        else if (plan.rank == 0)
            printf("plan %s: is for %d ranks, and here are %d\n", plan.name, ranks, plan.ranks);
        for (int i = 0; i < count; i++)
            free(lines[i]);
    }
    return wrong_ones;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Errhandler handler;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &plan.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &plan.ranks);
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file || plan.ranks > MAX_RANKS) {
        fprintf(stderr, "plans FILE [SECONDS] [spoilt], at most %d ranks\n", MAX_RANKS);
        return 2;
    }
    if (argc > 2)
        seconds = atoi(argv[2]);
    plan.spoilt = argc > 3;
    plan.comms = comms;
    plan.persistent = have_persistent();
    MPI_Comm_create_errhandler(failed, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    signal(SIGALRM, stopped), signal(SIGPROF, stopped), signal(SIGSEGV, stopped),
        signal(SIGBUS, stopped), signal(SIGABRT, stopped);
    const int wrong_ones = run_all(file, level == MPI_THREAD_MULTIPLE);
    fclose(file);
    if (plan.rank == 0)
        printf("plans that are wrong: %d\n", wrong_ones);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return wrong_ones != 0;
}
