/* Calls that are under way have tags of their own; one whose tags are taken waits for the call that
 * has them, and for no other. */
#include "call_tags.h"
#include "check.h"
#include "progress.h"
#include <stdlib.h>

enum { MOST = 300, STEPS = 100000, BOUND = 100000 };

static CallTags *ends_in_a_turn;

/* A turn, in which what is waited for ends. */
void progress(void)
{
    leave_tags(ends_in_a_turn);
    ends_in_a_turn = NULL;
}

static TagsInUse all = {.tag_bound = BOUND};

/* In the order of the calls. */
static struct {
    CallTags *tags;
    int place;
} calls[MOST];
static int count;

static bool is_first_with(int place, int until)
{
    for (int i = 0; i < until; i++)
        if (calls[i].place == place)
            return false;
    return true;
}

static void check(void)
{
    for (int i = 0; i < count; i++)
        CHECK(calls[i].tags->waits == !is_first_with(calls[i].place, i));
}

static void end(int which)
{
    leave_tags(calls[which].tags);
    for (count--; which < count; which++)
        calls[which] = calls[which + 1];
}

static void random_calls(void)
{
    long made = 0;
    for (int step = 0; step < STEPS; step++) {
        if (count < MOST && (draw(2) || !count)) {
            calls[count].place = (int)(made++ % CALLS_AT_ONCE);
            calls[count].tags = take_tags(&all);
            count++;
        } else {
            const int which = draw(count);
            if (!calls[which].tags->waits)
                end(which);
        }
        if (step % 16 == 0)
            check();
    }
    while (count)
        end(0);
}

static void tags_are_apart(void)
{
    static bool taken[BOUND + 1];
    CallTags *held[CALLS_AT_ONCE + PERSISTENT_AT_ONCE];
    int n = 0;
    for (int i = 0; i < CALLS_AT_ONCE; i++)
        held[n++] = take_tags(&all);
    for (int i = 0; i < PERSISTENT_AT_ONCE; i++)
        held[n++] = take_persistent_tags(&all);
    CHECK(take_persistent_tags(&all) == NULL);
    for (int i = 0; i < n; i++)
        for (int t = 0; t < tag_count(held[i]); t++) {
            const int tag = first_tag(held[i]) + t;
            CHECK(tag >= 0 && tag <= BOUND && !taken[tag]);
            taken[tag] = true;
        }
    for (int i = 0; i < 1000; i++) {
        const int tag = tag_of_program(BOUND, draw(1000), draw(1 << 30));
        CHECK(tag >= 0 && tag <= BOUND && !taken[tag]);
    }
    while (n)
        leave_tags(held[--n]);
}

static void waiting(void)
{
    CallTags *first = take_tags(&all), *second = NULL;
    hold_tags(first);
    leave_tags(first); /* another holder is left */
    for (int i = 0; i < CALLS_AT_ONCE; i++) {
        if (second)
            leave_tags(second);
        second = take_tags(&all);
    }
    CHECK(second->waits);
    ends_in_a_turn = first;
    await_tags(second);
    CHECK(!second->waits && !ends_in_a_turn);
    leave_tags(second);
}

int main(void)
{
    random_calls();
    tags_are_apart();
    waiting();
    return failures != 0;
}
