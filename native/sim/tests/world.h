// Platforms and programs for tests, in few words.
#pragma once
#include "base/error.h"
#include "base/tests/check.h"
#include "engine.h"
#include "platform.h"
#include "readers/readers.h"
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace rankwise::sim::test
{

using rankwise::test::failures;

inline constexpr double kRate = 125e6; // bytes a second of a NIC

/// Nodes on one switch, without latency or overheads; messages of all sizes are eager flows.
inline Platform ideal(std::uint32_t nodes, ModelSettings model = {})
{
    Platform platform;
    platform.sites = {"n"};
    for (std::uint32_t i = 0; i < nodes; i++)
        platform.nodes.push_back({0, i, kRate, kRate});
    PairClass pairs;
    pairs.name = "lan";
    pairs.eager_below = INT64_MAX;
    pairs.ranges.push_back({});
    pairs.ranges[0].gap_byte = kPicosecondsPerSecond / kRate;
    platform.classes = {pairs};
    platform.routes.resize(1);
    platform.packet_bytes = 0;
    platform.model = model;
    return platform;
}

inline ModelSettings model(Sharing sharing, double alpha = 1, double kappa = 2)
{
    ModelSettings settings;
    settings.sharing = sharing;
    settings.alpha = alpha;
    settings.kappa = kappa;
    settings.tolerance = 1e-9;
    return settings;
}

/// Each rank on the node of its number.
inline Job job(const Program &program, std::uint32_t first_node = 0)
{
    Job made{"job", &program, std::vector<std::uint32_t>(program.ranks())};
    std::iota(made.nodes.begin(), made.nodes.end(), first_node);
    return made;
}

inline Outcome simulate(const Platform &platform, const Program &program, Record *record = nullptr)
{
    const std::vector<Job> jobs = {job(program)};
    return Engine(platform, jobs, {}, record).run();
}

struct TestFlow {
    std::uint32_t from, to;
    double share = 1; // of the bytes that take a second alone
};

/// Return when each flow has arrived, in seconds, all beginning at once.
inline std::vector<double> times_of(const Platform &platform, const std::vector<TestFlow> &flows)
{
    std::string text;
    for (const TestFlow &flow : flows)
        text += std::to_string(flow.from) + " " + std::to_string(flow.to) + " " +
                std::to_string(static_cast<std::int64_t>(flow.share * kRate)) + "\n";
    const ReadProgram read = read_pattern(text, "pattern", {});
    Record record(read.program.ranks());
    simulate(platform, read.program, &record);
    std::vector<double> times(flows.size(), -1);
    for (const MessageRecord &message : record.messages)
        times[static_cast<std::size_t>(message.tag)] = seconds(message.arrival);
    return times;
}

inline void expect_times(const std::string &what, const Platform &platform,
                         const std::vector<TestFlow> &flows, const std::vector<double> &expected,
                         double tolerance = 1e-8)
{
    const std::vector<double> times = times_of(platform, flows);
    for (std::size_t i = 0; i < expected.size(); i++)
        rankwise::test::claim_near(times[i], expected[i], tolerance,
                                   (what + ", flow " + std::to_string(i)).c_str(), __FILE__,
                                   __LINE__);
}

/// Return the message of the Error that this throws, and check its exit code; empty: it throws
/// none.
inline std::string error_of(const std::function<void()> &what, int exit_code = kExitInput)
{
    try {
        what();
    } catch (const Error &error) {
        CHECK(error.exit_code() == exit_code);
        return error.what();
    }
    return "";
}

inline bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace rankwise::sim::test
