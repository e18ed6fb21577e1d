// A collective operation as a JSON object:
//   {"operation": "allreduce", "algorithm": "ring", "ranks": 64, "count": 1048576, "element_bytes":
//   4,
//    "root": 0, "segment": 0, "fan_out": 0, "lanes": 0, "repeat": 1,
//    "counts": [...], "send_counts": [...], "sites": [[0, 1, ...], [...]]}
// `sites` are the ranks of each site, for the algorithms that know of sites.
#include "readers.h"

#include "../collective.h"
#include "../json.h"
#include <algorithm>
#include <stdexcept>

namespace rankwise::sim
{

namespace
{

constexpr double kBytesPerStep = 45;

std::vector<std::int64_t> counts_of(const Json &file, std::string_view name, std::uint32_t ranks)
{
    std::vector<std::int64_t> counts;
    const Json *list = file.find(name);
    if (list == nullptr)
        return counts;
    for (const Json &count : list->array())
        counts.push_back(count.whole_number(0, kLargestMessage));
    if (counts.size() != ranks)
        list->fail("there are " + std::to_string(counts.size()) + " counts for " +
                   std::to_string(ranks) + " ranks");
    return counts;
}

std::vector<std::uint32_t> sites_of(const Json &file, std::uint32_t ranks)
{
    const Json *list = file.find("sites");
    if (list == nullptr)
        return {};
    std::vector<std::uint32_t> sites(ranks, UINT32_MAX);
    std::uint32_t site = 0;
    for (const Json &members : list->array()) {
        for (const Json &rank : members.array()) {
            std::uint32_t &place =
                sites[static_cast<std::size_t>(rank.whole_number(0, std::int64_t{ranks} - 1))];
            if (place != UINT32_MAX)
                rank.fail("a rank is in two sites");
            place = site;
        }
        site++;
    }
    for (const std::uint32_t one : sites)
        if (one == UINT32_MAX)
            list->fail("a rank is in no site");
    return sites;
}

CollectiveRequest request_of(const Json &file, const ReaderOptions &options)
{
    file.expect_only({"operation", "algorithm", "ranks", "count", "element_bytes", "root",
                      "segment", "fan_out", "lanes", "repeat", "counts", "send_counts", "sites"});
    CollectiveRequest request;
    request.operation = file["operation"].text();
    request.algorithm = file["algorithm"].text();
    request.ranks = static_cast<std::uint32_t>(file["ranks"].whole_number(
        1, std::min<std::int64_t>(1 << 22, static_cast<std::int64_t>(options.most_ranks))));
    request.root =
        static_cast<std::uint32_t>(file.whole_number_or("root", 0, 0, request.ranks - 1));
    request.count = file.whole_number_or("count", 0, 0, kLargestMessage);
    request.element_bytes = file.whole_number_or("element_bytes", 1, 1, 1 << 20);
    request.segment = file.whole_number_or("segment", 0, 0, kLargestMessage);
    request.fan_out = static_cast<int>(file.whole_number_or("fan_out", 0, 0, 1 << 20));
    request.lanes = static_cast<int>(file.whole_number_or("lanes", 0, 0, 1 << 20));
    request.counts = counts_of(file, "counts", request.ranks);
    request.send_counts = counts_of(file, "send_counts", request.ranks);
    request.sites = sites_of(file, request.ranks);
    return request;
}

} // namespace

Program read_collective(std::string_view text, const std::string &file_name,
                        const Platform &platform, const ReaderOptions &options)
{
    const Json file = Json::read(text, file_name);
    const CollectiveRequest request = request_of(file, options);
    const std::int64_t repeat = file.whole_number_or("repeat", 1, 1, 1 << 30);
    check_memory(kBytesPerRank * request.ranks, file_name, options);
    Program program(request.ranks);
    GraphBuilder graph;
    try {
        check_collective(request);
        for (std::uint32_t rank = 0; rank < request.ranks; rank++)
            for (std::int64_t i = 0; i < repeat; i++) {
                add_collective(graph, request, rank, platform);
                if (graph.nodes() == 0)
                    break;                              // it has nothing to do, however often
                if (i == 0 && (rank & (rank - 1)) == 0) // so far, so many more to come
                    check_memory(
                        kBytesPerStep *
                            (static_cast<double>(program.operations()) +
                             static_cast<double>(graph.nodes()) * static_cast<double>(repeat)) /
                            (rank + 1.0) * request.ranks,
                        file_name, options);
                const std::size_t most = std::min<std::size_t>(graph.nodes(), 64) * request.ranks;
                if (rank == 0 && i == 0)
                    program.reserve_nodes(most, most);
                if (repeat == 1)
                    graph.finish_alone(program, rank);
                else
                    graph.finish(program, rank);
            }
    } catch (const std::invalid_argument &error) {
        file.fail(error.what());
    }
    return program;
}

} // namespace rankwise::sim
