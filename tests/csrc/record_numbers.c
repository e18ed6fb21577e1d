/* The tracer's recorder without MPI: reads numbers from standard input, each a call whose signature
 * is (1, number), the n-th begins n after the one before and takes 2 n nanoseconds.
 * record_numbers FOLDER MODE END, END is `end`, `kill`, or `full`: no room for more than 4 kB. */
#include "recorder.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char *const modes[] = {"all", "statistics", "summary"};

int main(int argc, char **argv)
{
    char text[512];
    State *state;
    long number;
    int64_t moment = 0;
    const Mode mode = (Mode)atoi(argv[argc - 2]);
    if (open_stream(argv[1], 0, mode != ALL_TIMES, &state) || !prepare_recorder(state, mode))
        return 2;
    snprintf(
        text, sizeof text,
        "{\"format\": 1, \"rank\": 0, \"ranks\": 1, \"keep\": \"%s\", \"begin_ns\": 0, \"host\": "
        "\"\", \"boot\": \"\", \"library\": \"\", \"functions\": [\"region region\", \"f other\"]}",
        modes[mode]);
    write_block('M', text, strlen(text));
    if (strcmp(argv[argc - 1], "full") == 0) {
        const struct rlimit limit = {4096, RLIM_INFINITY};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    for (int64_t i = 1; scanf("%ld", &number) == 1; i++) {
        const int64_t row[] = {1, number};
        if (!record(row, 2, moment + i, moment + 3 * i))
            return state->stopped ? 0 : 3;
        moment += 3 * i;
    }
    if (strcmp(argv[argc - 1], "kill") == 0)
        raise(SIGKILL);
    if (!end_recorder())
        return 4;
    strcpy(text, "{\"events\": 0, \"end_ns\": 0, \"idle\": {}}");
    write_block('E', text, strlen(text));
    close_stream();
    return 0;
}
