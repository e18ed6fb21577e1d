/* The life of the program: read the command line, join the job, measure cell after cell, leave. */
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>

World world;

void end_job(const char *reason)
{
    if (world.current)
        emit_failure(world.current->kernel->name, world.current->size_bytes, "failed", reason);
    else
        fprintf(stderr, "rankwise-harness: before the first cell: %s\n", reason);
    MPI_Abort(MPI_COMM_WORLD, 3);
    abort();
}

/* An MPI call has failed in this rank: the library's own words become the cell's failure. Only the
 * launcher can end the other ranks. */
static void on_mpi_error(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    (void)comm;
    MPI_Error_string(*code, text, &length);
    end_job(text);
}

static void join_job(int *argc, char ***argv)
{
    MPI_Errhandler handler;
    MPI_Init(argc, argv);
    MPI_Comm_create_errhandler(on_mpi_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &world.comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &world.kernel_comm);
    MPI_Comm_set_errhandler(world.comm, handler);
    MPI_Comm_set_errhandler(world.kernel_comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_rank(world.comm, &world.rank);
    MPI_Comm_size(world.comm, &world.ranks);
}

static void measure_all(const Options *options)
{
    set_yielding(options->yield);
    gather_hosts();
    const ClockReport clock = start_clock(options);
    measure_slack();
    if (world.rank == 0)
        emit_begin(&clock);
    for (int i = 0; i < options->cell_count; i++)
        run_cell(&options->cells[i], options);
    wait_for_all();
    if (world.rank == 0)
        emit_end();
}

int main(int argc, char **argv)
{
    Options options;
    if (!parse_options(argc, argv, &options))
        return 2;
    if (options.help)
        print_help();
    if (options.list)
        emit_list();
    if (options.help || options.list)
        return 0;
    die_with_launcher();
    start_watchdog(options.limit_seconds);
    join_job(&argc, &argv);
    measure_all(&options);
    MPI_Finalize();
    return 0;
}
