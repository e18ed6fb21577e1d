/* The interpreter of plans: a plan is a list of steps, which each rank reads whole and carries out
 * as far as it takes part. What arrives is known beforehand: each element is a function of the
 * operation, its round, where it comes from, where it goes, and its place.
 * What steps look like is said in tests/support/plans.py, which draws them.
 */
#ifndef PLAN_H
#define PLAN_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_RANKS = 10, MAX_WORDS = 160, MAX_THREADS = 4, MAX_LETTERS = 4, MAX_COMMS = 64 };

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define PERSISTENT_COLLECTIVES 1
#else
#define PERSISTENT_COLLECTIVES 0
#endif

/* layouts.c: what an element is, and where the units of a message lie in memory */
typedef struct {
    int length;
    char letters[MAX_LETTERS + 1];
    size_t at[MAX_LETTERS], extent;
} Unit;

typedef struct {
    Unit unit;
    char kind;
    int units;     /* in one item of the type */
    size_t extent; /* of an item */
    MPI_Datatype type;
    int made; /* the type is to be freed */
} Layout;

typedef struct {
    int operation, round, from, to;
    int small; /* so that sums of it fit */
    int named; /* the first element is the operation's number */
} Source;

typedef struct {
    Layout layout;
    char *memory, *expected;
    size_t bytes;
    int items;
} Area;

Unit unit_of(const char *letters);
MPI_Datatype type_of(const Unit *unit);
Layout make_layout(const char *letters, const char *layouts, int turn);
void free_layout(Layout *layout);
Area make_area(const char *letters, const char *layouts, int turn, int units);
void free_area(Area *area);
void *address_of(Area *area, int *count); /* what the call is given, and its count of items */
void clear_area(Area *area);
void put(char *memory, const Area *area, int item, int units, Source source);
int64_t get(const char *memory, const Area *area, int item, int place);
void set(char *memory, const Area *area, int item, int place, int64_t value);
int64_t value_of(char letter, Source source, int place);
void check_area(const Area *area, const char *what);

/* plan.c */
typedef struct {
    int number, thread, words;
    char *word[MAX_WORDS], *text;
} Step;

typedef struct Operation Operation;
typedef struct Comm Comm;

typedef struct {
    int rank, ranks, steps, persistent, spoilt, threads;
    char name[64];
    Step *step;
    Step **made_by;        /* for each operation, the step that begins it */
    Operation *operations; /* as many as steps, and one */
    Comm *comms;
} Plan;

extern Plan plan;
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
void now_at(const Step *step);
int flag(const Step *step, int word, char letter);
static inline int digit(char c)
{
    return c - '0';
}

/* communicators.c */
struct Comm {
    MPI_Comm handle;
    int live, inter, rank, size,
        remote_size; /* those of no intercommunicator are their own remote */
    int members[MAX_RANKS], remote[MAX_RANKS];
};
void make_communicator(const Step *step);
void free_communicator(int number);
void free_communicators(void);
int place_of(const int *members, int size, int rank);

/* operations */
typedef enum { NOTHING, SEND, RECEIVE, COLLECTIVE, COPY } Sort;

struct Operation {
    Sort sort;
    const Step *step;
    Comm *comm;
    MPI_Request request;
    int active, persistent, round, post;
    Area in, out;
    MPI_Op op;
    int *arrays; /* counts and displacements */
    MPI_Datatype *types;
    int source, tag, elements; /* of a message; what a receive is to get */
};

/* messages.c */
void send_message(const Step *step);
void receive_message(const Step *step);
void exchange(const Step *step);
void fill_message(Operation *op);
void check_message(Operation *op, MPI_Status *status);
void cancel_receive(const Step *step);
void forget_pools(void);

/* collectives.c */
void begin_collective(const Step *step);
void fill_collective(Operation *op);
void check_collective(Operation *op);
void call_collective(Operation *op, char kind);
void free_collective(Operation *op);
int have_persistent(void);

/* operators.c */
MPI_Op make_operator(const char *name);
int is_predefined(const char *name);
int64_t combine(const char *name, int64_t left, int64_t right);
void combine_affine(const int64_t left[2], int64_t right[2]);

/* requests.c */
void start(const Step *step);
void wait_for(const Step *step);
void drop(const Step *step);
void end_all(void);

#endif
