// Summaries and timelines are JSON that says what happened; the critical path adds up to the total.
#include "json.h"
#include "reports.h"
#include "world.h"
#include <random>
#include <sstream>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

constexpr double kLargest = 1e18;

Platform platform()
{
    Platform p = ideal(8, model(Sharing::alpha_fair));
    CostRange &costs = p.classes[0].ranges[0];
    costs.latency = 20'000'000;
    costs.send_overhead = costs.receive_overhead = 1'000'000;
    p.classes[0].eager_below = 65536;
    p.packet_bytes = 1500;
    return p;
}

void summary()
{
    const ReadProgram read = read_pattern("0 1 125000\n2 1 125000\n2 3 125000\n", "pattern", {});
    const Platform p = platform();
    const std::vector<Job> jobs = {job(read.program)};
    Record record(4);
    const Outcome outcome = Engine(p, jobs, {}, &record).run();
    std::ostringstream out;
    write_summary(out, p, jobs, outcome, {read.pattern}, &record, {4, 1, 3, 2}, {});
    write_critical_path(out, critical_path(record, outcome.finish));
    const Json told = Json::read(out.str() + "}", "summary");
    CHECK_NEAR(told["total_seconds"].number(0, 1), seconds(outcome.total), 1e-12);
    const Json &flows = told["jobs"].array()[0]["flows"];
    // Two overheads at rank 2, three latencies of a rendezvous, then zigzag rates of 2/3, 1/3, 2/3.
    CHECK(flows.array().size() == 3);
    CHECK_NEAR(flows.array()[0]["end"].number(0, 1), 1e-6 + 60e-6 + 1.5e-3, 3e-6);
    CHECK_NEAR(flows.array()[1]["end"].number(0, 1), 1e-6 + 60e-6 + 2e-3, 3e-6);
    double lost = 0;
    for (const Json &pair : told["contention_by_pair"].array())
        lost += pair["seconds"].number(0, 1);
    CHECK_NEAR(lost, told["contention_seconds"].number(0, 1), 1e-9);
    CHECK_NEAR(lost, 0.5e-3 + 1e-3 + 0.5e-3, 5e-6);
    double by_link = 0;
    for (const Json &link : told["contention_by_link"].array()) {
        CHECK(link["link"].text() == "n2.out" || link["link"].text() == "n1.in");
        by_link += link["seconds"].number(0, 1);
    }
    CHECK_NEAR(by_link, lost, 1e-8);
    CHECK_NEAR(told["seeds"]["p50"].number(0, 1), 2e-12, 1e-15);
    CHECK_NEAR(told["seeds"]["p99"].number(0, 1), 4e-12, 1e-15);
}

void timeline()
{
    const Platform p = platform();
    const Program program =
        read_time_independent("0 compute 1e6\n0 send 1 0 100\n1 recv 0 0 0\n", "trace", p, {});
    const std::vector<Job> jobs = {job(program)};
    Record record(2);
    Engine(p, jobs, {}, &record).run();
    std::ostringstream out;
    write_timeline(out, jobs, record);
    const Json told = Json::read(out.str(), "timeline");
    int arrows = 0, begun = 0;
    for (const Json &event : told["traceEvents"].array()) {
        const std::string &kind = event["ph"].text();
        arrows += kind == "s" || kind == "f";
        begun += kind == "X";
        if (kind == "X" && event["name"].text() == "compute")
            CHECK_NEAR(event["dur"].number(0, kLargest), 1000, 1e-6); // microseconds
    }
    CHECK(arrows == 2 && begun == 3);
}

/// Parts follow one another without a gap from 0 to the end, and waits are none of what has a
/// cause.
void path()
{
    std::mt19937_64 random(11);
    for (int i = 0; i < 30; i++) {
        std::string trace;
        for (int round = 0; round < 20; round++)
            for (std::uint64_t rank = 0; rank < 6; rank++) {
                const std::string me = std::to_string(rank), next = std::to_string((rank + 1) % 6),
                                  before = std::to_string((rank + 5) % 6),
                                  size = round % 3 ? "1000" : "100000";
                trace += me + " compute " + std::to_string(random() % 100'000) + "\n" + me +
                         " irecv " + before + " 0 0\n" + me + " send " + next + " 0 " + size +
                         "\n" + me + " wait " + before + " " + me + " 0\n";
            }
        const Platform p = platform();
        const Program program = read_time_independent(trace, "trace", p, {});
        Record record(6);
        const Outcome outcome = simulate(p, program, &record);
        const std::vector<PathPart> parts = critical_path(record, outcome.finish);
        sim::Time at = 0, waited = 0;
        for (const PathPart &part : parts) {
            CHECK(part.begin == at && part.end > part.begin);
            at = part.end;
            waited += part.what == PathPart::What::wait ? part.end - part.begin : 0;
        }
        CHECK(at == outcome.total);
        CHECK(waited == 0);
    }
}

} // namespace

int main()
{
    summary();
    timeline();
    path();
    return rankwise::test::conclude();
}
