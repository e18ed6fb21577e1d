#include "collective.h"

extern "C" {
#include "algorithm.h"
}
#include <limits>
#include <memory>
#include <stdexcept>

namespace rankwise::sim
{

namespace
{

Operation operation_of(const ::Step &step, const CollectiveRequest &request,
                       const Platform &platform)
{
    const std::int64_t bytes = step.length * request.element_bytes;
    const auto at_rate = [&](double seconds_per_byte) {
        return Operation::compute(from_seconds(seconds_per_byte * static_cast<double>(bytes)));
    };
    if (bytes > kLargestMessage)
        throw std::invalid_argument("a step has " + std::to_string(bytes) + " bytes");
    const auto peer = static_cast<std::uint32_t>(step.peer);
    switch (step.kind) {
    case SEND_STEP:
        return Operation::message(Kind::send, peer, kCollectiveTags + step.tag, bytes);
    case RECEIVE_STEP:
        return Operation::message(Kind::receive, peer, kCollectiveTags + step.tag, bytes);
    case COPY_STEP:
        return at_rate(platform.copy_seconds_per_byte);
    case REDUCE_STEP:
        break;
    }
    return at_rate(platform.reduce_seconds_per_byte);
}

const Algorithm *algorithm_of(const CollectiveRequest &request)
{
    for (const Algorithm *one = first_algorithm(); one != nullptr; one = one->next)
        if (request.operation == operation_name(one->operation) && request.algorithm == one->name)
            return one;
    return nullptr;
}

struct FreeSchedule {
    void operator()(Schedule *schedule) const
    {
        free_schedule(schedule);
        delete schedule;
    }
};

} // namespace

std::string first_algorithm_of(std::string_view operation)
{
    for (const Algorithm *one = first_algorithm(); one != nullptr; one = one->next)
        if (operation == operation_name(one->operation))
            return one->name;
    return "";
}

void check_collective(const CollectiveRequest &request)
{
    if (algorithm_of(request) != nullptr)
        return;
    std::string known;
    bool is_operation = false;
    for (int i = 0; i < OPERATIONS; i++)
        is_operation =
            is_operation || request.operation == operation_name(static_cast<::Operation>(i));
    for (const Algorithm *one = first_algorithm(); one != nullptr; one = one->next)
        if (request.operation == operation_name(one->operation))
            known += (known.empty() ? "" : ", ") + std::string(one->name);
    if (!is_operation)
        throw std::invalid_argument("there is no operation " + request.operation);
    throw std::invalid_argument("there is no algorithm " + request.algorithm + " for " +
                                request.operation +
                                "; there is: " + (known.empty() ? "none" : known));
}

void add_collective(GraphBuilder &graph, const CollectiveRequest &request, std::uint32_t rank,
                    const Platform &platform)
{
    const Algorithm *algorithm = algorithm_of(request);
    Problem problem{};
    problem.operation = algorithm->operation;
    problem.rank = static_cast<int>(rank);
    problem.ranks = static_cast<int>(request.ranks);
    problem.root = static_cast<int>(request.root);
    problem.count = request.count;
    problem.counts = request.counts.empty() ? nullptr : request.counts.data();
    problem.send_counts = request.send_counts.empty() ? nullptr : request.send_counts.data();
    problem.commutative = true;
    problem.segment = request.segment;
    problem.fan_out = request.fan_out;
    problem.lanes = request.lanes;
    problem.element_bytes = request.element_bytes;
    ::Network network{};
    static_assert(sizeof(int) == sizeof(std::uint32_t));
    if (!request.sites.empty()) {
        network.ranks = problem.ranks;
        network.levels = 1;
        network.group = reinterpret_cast<const int *>(request.sites.data());
        for (const std::uint32_t site : request.sites)
            network.sites = std::max(network.sites, static_cast<int>(site) + 1);
        problem.network = &network;
    }
    const std::unique_ptr<Schedule, FreeSchedule> schedule(new Schedule{});
    make_schedule(schedule.get(), algorithm, &problem);
    if (schedule->failure != nullptr)
        throw std::invalid_argument(request.algorithm + ": " + schedule->failure);
    for (int i = 0; i < schedule->count; i++) {
        const ::Step &step = schedule->steps[i];
        const std::uint32_t node = graph.add(operation_of(step, request, platform));
        for (int d = 0; d < step.dependencies; d++)
            graph.depend(
                node, static_cast<std::uint32_t>(schedule->dependency[step.first_dependency + d]));
    }
}

} // namespace rankwise::sim
