// What a run tells: a summary, a timeline, the critical path.
#pragma once
#include "engine.h"
#include "readers/readers.h"
#include <iosfwd>
#include <string>
#include <vector>

namespace rankwise::sim
{

struct RunTimes {
    double read_seconds = 0, simulate_seconds = 0; // of this machine's time
    double read_cpu_seconds = 0, simulate_cpu_seconds = 0;
};

/// Write the summary as a JSON object. `patterns` has the messages of each job that is a pattern;
/// `totals` the runs with noise, if there were any.
void write_summary(std::ostream &out, const Platform &platform, const std::vector<Job> &jobs,
                   const Outcome &outcome, const std::vector<std::vector<PatternMessage>> &patterns,
                   const Record *record, std::vector<Time> totals, const RunTimes &times);

/// Write the run as Chrome's JSON trace events, which Perfetto shows: a process for each job, a
/// thread for each rank, arrows for messages.
void write_timeline(std::ostream &out, const std::vector<Job> &jobs, const Record &record);

/// A part of the chain of events that the total time is made of.
struct PathPart {
    enum class What {
        compute,
        send_overhead,
        receive_overhead,
        latency,
        transfer,
        contention,
        wait
    };
    What what;
    std::uint32_t rank;  // where; of a message's parts the sender
    std::uint32_t other; // the message's receiver, else the rank
    Time begin, end;
};

/// Return the critical path from the beginning to the end of the rank that ends last, in the order
/// of time.
std::vector<PathPart> critical_path(const Record &record, const std::vector<Time> &finish);

/// Write the path as the members of a JSON object: how long for each kind of part, and the parts.
void write_critical_path(std::ostream &out, const std::vector<PathPart> &path);

} // namespace rankwise::sim
