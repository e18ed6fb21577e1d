// rankwise-sim: see kManual in options.cpp.
#include "base/error.h"
#include "base/version.h"
#include "engine.h"
#include "options.h"
#include "readers/text_file.h"
#include "reports.h"
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <new>

namespace
{

using namespace rankwise;
using namespace rankwise::sim;

class Stopwatch
{
  public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

    double cpu_seconds() const
    {
        return static_cast<double>(std::clock() - cpu_begin_) / CLOCKS_PER_SEC;
    }

  private:
    std::clock_t cpu_begin_ = std::clock();
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Platform platform_of(const Options &options)
{
    const MappedFile file(options.platform);
    Platform platform = read_platform(file.bytes(), options.platform);
    if (!options.model.empty())
        platform.model.sharing = model_named(options.model).sharing;
    if (options.tolerance)
        platform.model.tolerance = *options.tolerance;
    if (options.packet_bytes)
        platform.packet_bytes = *options.packet_bytes;
    return platform;
}

/// Rank r of n is on the place r * places / n of the given nodes: blocks as equal as can be.
std::vector<std::uint32_t> nodes_of(const JobOption &job, std::uint32_t ranks,
                                    const Platform &platform)
{
    std::vector<std::uint32_t> places, nodes;
    const auto count = static_cast<std::uint32_t>(platform.nodes.size());
    auto ranges = job.nodes;
    if (ranges.empty())
        ranges.emplace_back(0, count - 1);
    for (const auto &[from, to] : ranges) {
        if (to >= count)
            throw input_error(job.file + ": there is no node " + std::to_string(to) +
                              "; the platform has " + std::to_string(count));
        for (std::uint32_t node = from; node <= to; node++)
            places.push_back(node);
    }
    for (std::uint64_t rank = 0; rank < ranks; rank++)
        nodes.push_back(places[places.size() <= ranks ? rank * places.size() / ranks : rank]);
    return nodes;
}

struct Work {
    std::vector<ReadProgram> programs;
    std::vector<Job> jobs;
    std::vector<std::vector<PatternMessage>> patterns;
    bool has_pattern = false;
};

Work read_jobs(const Options &options, const Platform &platform)
{
    ReaderOptions reading;
    reading.algorithms = options.algorithms;
    reading.is_mapped = true;
    reading.memory_bytes = options.memory_bytes > 0 ? options.memory_bytes : available_memory();
    Work work;
    std::uint64_t ranks = 0;
    for (const JobOption &job : options.jobs) {
        const MappedFile file(job.file);
        work.programs.push_back(read_program(file.bytes(), job.file, platform, reading));
        ranks += work.programs.back().program.ranks();
    }
    if (ranks >= reading.most_ranks)
        throw input_error("there are too many ranks: " + std::to_string(ranks));
    for (std::size_t j = 0; j < work.programs.size(); j++) {
        const Program &program = work.programs[j].program;
        work.jobs.push_back(
            {options.jobs[j].file, &program, nodes_of(options.jobs[j], program.ranks(), platform)});
        work.has_pattern = work.has_pattern || !work.programs[j].pattern.empty();
        work.patterns.push_back(std::move(work.programs[j].pattern));
    }
    return work;
}

void check_deadlock(const Outcome &outcome)
{
    if (!outcome.deadlock.empty())
        throw input_error(
            outcome.deadlock,
            "look for a receive without a send, or for large sends that wait for each "
            "other");
}

void write_trace(const Options &options, const Work &work, const Record &record)
{
    std::ofstream file(options.trace);
    write_timeline(file, work.jobs, record);
    file.close();
    if (!file)
        throw input_error("cannot write " + options.trace + ": " + std::strerror(errno));
}

void run(const Options &options)
{
    const Stopwatch reading;
    const Platform platform = platform_of(options);
    const Work work = read_jobs(options, platform);
    RunTimes times;
    times.read_seconds = reading.seconds();
    times.read_cpu_seconds = reading.cpu_seconds();
    std::uint32_t ranks = 0;
    for (const Job &job : work.jobs)
        ranks += job.program->ranks();
    std::optional<Record> record;
    if (!options.trace.empty() || options.critical_path || work.has_pattern)
        record.emplace(ranks);
    const Stopwatch simulating;
    const Outcome outcome = Engine(platform, work.jobs, {}, record ? &*record : nullptr).run();
    times.simulate_seconds = simulating.seconds();
    times.simulate_cpu_seconds = simulating.cpu_seconds();
    check_deadlock(outcome);
    std::vector<Time> totals;
    for (std::uint32_t seed = 1; seed <= options.seeds; seed++)
        totals.push_back(Engine(platform, work.jobs, Noise(seed, options.noise)).run().total);
    write_summary(std::cout, platform, work.jobs, outcome, work.patterns,
                  record ? &*record : nullptr, std::move(totals), times);
    if (options.critical_path)
        write_critical_path(std::cout, critical_path(*record, outcome.finish));
    if (options.derivatives)
        write_derivatives(std::cout, derivatives(platform, work.jobs, *options.derivatives));
    std::cout << "}\n";
    if (!options.trace.empty())
        write_trace(options, work, *record);
}

} // namespace

int main(int count, char **arguments)
{
    std::ios::sync_with_stdio(false);
    try {
        const Options options = read_options({arguments + 1, arguments + count});
        if (options.help)
            std::cout << kManual;
        else if (options.version)
            std::cout << "rankwise-sim " RANKWISE_VERSION "\n";
        else
            run(options);
        return 0;
    } catch (const Error &error) {
        std::cerr << error.told_by("rankwise-sim");
        return error.exit_code();
    } catch (const std::bad_alloc &) {
        std::cerr << "rankwise-sim: there is not enough memory for this program\n";
        return kExitHost;
    } catch (const std::exception &error) {
        std::cerr << "rankwise-sim: a bug of ours: " << error.what() << "\n";
        return kExitBug;
    }
}
