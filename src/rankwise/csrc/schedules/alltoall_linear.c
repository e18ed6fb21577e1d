/* Every pair exchanges its blocks, at most `fan_out` sends and as many receives of a rank being
 * under way (32, as MPICH has it, if nothing is asked for): the next starts when the one that many
 * before it has ended. P (P - 1) messages in P - 1 rounds, at most ceil((P - 1) / fan_out) of them
 * one after another; (P - 1) m bytes into each rank. */
#include "blocks.h"
#include <stdlib.h>

enum { USUAL_FAN_OUT = 32 };

static void generate(Schedule *s, const Problem *p)
{
    const int n = p->ranks, flying = p->fan_out > 0 ? p->fan_out : USUAL_FAN_OUT;
    const Place input = place(INPUT_MEMORY, 0), output = place(OUTPUT_MEMORY, 0);
    Blocks in = blocks_from(p, p->counts, 0), out = blocks_from(p, p->send_counts, 0);
    const int me = p->rank;
    add_copy(s, beyond(input, blocks_before(&out, me)), beyond(output, blocks_before(&in, me)),
             blocks_length(&in, me, me + 1), NO_STEP);
    int *sent = malloc(2 * (size_t)n * sizeof *sent), *received = sent ? sent + n : NULL;
    if (!sent)
        refuse(s, "no memory for the steps of a schedule");
    for (int i = 1; sent && i < n; i++) {
        const int from = (me + n - i) % n, to = (me + i) % n;
        const bool starts = i <= flying;
        received[i] = add_receive(s, from, 0, beyond(output, blocks_before(&in, from)),
                                  blocks_length(&in, from, from + 1),
                                  starts ? NO_STEP : received[i - flying]);
        sent[i] = add_send(s, to, 0, beyond(input, blocks_before(&out, to)),
                           blocks_length(&out, to, to + 1), starts ? NO_STEP : sent[i - flying]);
    }
    free(sent);
    free_blocks(&in);
    free_blocks(&out);
}

ALGORITHM(linear, ALLTOALL) = {
    .description = "every pair at once, but for a limit of messages under way",
    .generate = generate,
    .fans = true,
};
