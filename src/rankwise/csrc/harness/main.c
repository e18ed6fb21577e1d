/* The life of the program: read the command line, join the job, measure cell after cell, leave. */
#include "harness.h"
#include <stdlib.h>

static void measure_all(Job *job, const Options *options)
{
    if (!gather_hosts(job))
        end_job(job, "no memory for the names of the hosts");
    divide_job(job, options->groups);
    open_candidates(job, options);
    start_clock(job, &options->clock);
    measure_slack(job);
    if (job->rank == 0)
        emit_begin(job);
    const double begun = local_seconds(job);
    for (int i = 0; i < options->cell_count; i++)
        run_cell(job, &options->cells[i], options);
    wait_for_all(job);
    if (job->rank == 0)
        emit_end(job, local_seconds(job) - begun);
}

int main(int argc, char **argv)
{
    Options options;
    Job job = {0};
    if (!register_schedules(&schedule_kernel) || !parse_options(argc, argv, &flow_kernel, &options))
        return 2;
    if (options.help)
        print_help();
    if (options.list)
        emit_list();
    if (!options.help && !options.list) {
        die_with_launcher();
        end_on_time_limit(&job, options.limit_seconds);
        job.yields = options.yield;
        job.network_file = options.network_file;
        join_job(&job, &argc, &argv, options.threads > 1);
        measure_all(&job, &options);
        close_candidates(&job);
        leave_job(&job);
    }
    free(options.cells);
    free(options.candidates);
    return 0;
}
