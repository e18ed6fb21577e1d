#include "realtime.h"

#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

namespace rankwise
{

bool enter_realtime(int priority)
{
    prctl(PR_SET_TIMERSLACK, 1UL); // nanoseconds; by default 50 us
    // Memory that was once needed for packets stays ours: to give it back and take it again costs
    // page faults.
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mlockall(MCL_CURRENT); // may be refused; MCL_FUTURE could make later allocations fail
    if (priority == 0)
        return false;
    sched_param parameter{};
    parameter.sched_priority = priority;
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) == 0;
}

} // namespace rankwise
