// Chakra execution traces (github.com/mlcommons/chakra, schema/protobuf/et_def.proto): a file for
// each rank, of messages with their lengths before them: the metadata, then nodes. A node begins
// when those have ended that it depends on; a rank has one processor for what takes its time.
//   - computations, memory and storage: their duration_micros; without one, num_ops at the
//   platform's speed;
//   - COMM_SEND and COMM_RECV: comm_src, comm_dst, comm_tag, comm_size;
//   - COMM_COLL: of all ranks, the k-th of each with one another. comm_size is what a rank gives to
//   it, as PyTorch's traces have it: so an all-to-all or a reduce-scatter has blocks of comm_size /
//   ranks.
#include "readers.h"

#include "../collective.h"
#include "base/error.h"
#include "protobuf.h"
#include <array>
#include <cmath>
#include <unordered_map>

namespace rankwise::sim
{

namespace
{

constexpr double kBytesPerTraceByte = 6;
constexpr std::uint64_t kSend = 5, kReceive = 6, kCollective = 7;
constexpr std::int32_t kTagsOfCollective = 1 << 12, kCollectivesAtOnce = 1 << 17;
constexpr std::array<const char *, 10> kOperations = {
    "allreduce", "reduce",         "allgather",
    "gather",    "scatter",        "bcast",
    "alltoall",  "reduce_scatter", "reduce_scatter_block",
    "barrier"};

struct TraceNode {
    std::uint64_t id = 0, type = 0, micros = 0;
    std::uint64_t collective = 0, size = 0, source = 0, destination = 0, tag = 0, root = 0;
    double operations = 0;
    std::vector<std::uint64_t> dependencies;
};

/// Attributes are numbers of many types; of those that are wanted here none is negative.
void read_attribute(std::string_view bytes, TraceNode &node)
{
    std::string_view name;
    std::uint64_t value = 0;
    for (ProtobufFields field(bytes); field.next();) {
        const std::uint64_t number = field.number();
        if (number == 1)
            name = field.bytes();
        else if (number == 3)
            value = static_cast<std::uint64_t>(
                std::max(0.0, std::min(1e18, std::bit_cast<double>(field.value()))));
        else if (number == 15 || number == 17) // signed, zigzag
            value = field.value() >> 1;
        else if (number >= 7 && number <= 25 && number % 2 == 1)
            value = field.value();
    }
    if (name == "comm_type")
        node.collective = value;
    else if (name == "comm_size")
        node.size = value;
    else if (name == "comm_src")
        node.source = value;
    else if (name == "comm_dst")
        node.destination = value;
    else if (name == "comm_tag")
        node.tag = value;
    else if (name == "root" || name == "root_rank")
        node.root = value;
    else if (name == "num_ops")
        node.operations = static_cast<double>(value);
}

TraceNode read_node(std::string_view bytes)
{
    TraceNode node;
    for (ProtobufFields field(bytes); field.next();) {
        const auto depend = [&](std::uint64_t id) { node.dependencies.push_back(id); };
        switch (field.number()) {
        case 1:
            node.id = field.value();
            break;
        case 3:
            node.type = field.value();
            break;
        case 4:
        case 5:
            field.each(depend);
            break;
        case 7:
            node.micros = field.value();
            break;
        case 10:
            read_attribute(field.bytes(), node);
            break;
        default:
            break;
        }
    }
    return node;
}

class ChakraReader
{
  public:
    ChakraReader(std::uint32_t ranks, const Platform &platform, const ReaderOptions &options)
        : ranks_(ranks), platform_(platform), options_(options)
    {
    }
    void read_rank(std::string_view bytes, std::uint32_t rank, Program &program)
    {
        rank_ = rank;
        collectives_ = 0;
        ends_.clear();
        std::vector<TraceNode> nodes;
        ProtobufFields::delimited(bytes); // the metadata
        while (!bytes.empty())
            nodes.push_back(read_node(ProtobufFields::delimited(bytes)));
        std::vector<std::uint32_t> begins;
        for (const TraceNode &node : nodes) {
            const auto [begin, end] = add(node);
            begins.push_back(begin);
            if (!ends_.emplace(node.id, end).second)
                throw std::invalid_argument("two nodes have the id " + std::to_string(node.id));
        }
        for (std::size_t i = 0; i < nodes.size(); i++)
            for (const std::uint64_t id : nodes[i].dependencies) {
                const auto found = ends_.find(id);
                if (found == ends_.end())
                    throw std::invalid_argument("node " + std::to_string(nodes[i].id) +
                                                " depends on " + std::to_string(id) +
                                                ", which is none");
                graph_.depend(begins[i], found->second);
            }
        if (!graph_.has_order())
            throw std::invalid_argument("nodes wait for one another in a circle");
        graph_.finish(program, rank);
    }

  private:
    struct Part {
        std::uint32_t begin, end;
    };
    Part add(const TraceNode &node)
    {
        if (node.type == kCollective)
            return add_collective_node(node);
        const std::uint32_t number = graph_.add(
            node.type == kSend || node.type == kReceive ? message(node) : computation(node));
        return {number, number};
    }
    Operation computation(const TraceNode &node) const
    {
        const double duration = node.micros > 0 ? static_cast<double>(node.micros) * 1e-6
                                                : node.operations / platform_.flops_per_second;
        if (!(duration <= kLongestSeconds))
            throw std::invalid_argument("node " + std::to_string(node.id) + " takes too long");
        return Operation::compute(from_seconds(duration));
    }
    Operation message(const TraceNode &node) const
    {
        const bool sends = node.type == kSend;
        const std::uint64_t peer = sends ? node.destination : node.source;
        if (peer >= ranks_ || node.size > static_cast<std::uint64_t>(kLargestMessage) ||
            node.tag >= static_cast<std::uint64_t>(kCollectiveTags))
            throw std::invalid_argument("node " + std::to_string(node.id) +
                                        " has no possible peer, size or tag");
        return Operation::message(
            sends ? Kind::send : Kind::receive, static_cast<std::uint32_t>(peer),
            static_cast<std::int32_t>(node.tag), static_cast<std::int64_t>(node.size));
    }
    /// Between two nodes that take no time: all of it waits for the first, the last for all of it.
    Part add_collective_node(const TraceNode &node)
    {
        if (node.collective >= kOperations.size())
            throw std::invalid_argument("there is no collective operation " +
                                        std::to_string(node.collective));
        CollectiveRequest request;
        request.operation = kOperations[node.collective];
        const auto given = options_.algorithms.find(request.operation);
        request.algorithm = given != options_.algorithms.end()
                                ? given->second
                                : first_algorithm_of(request.operation);
        const bool in_blocks = node.collective >= 6 && node.collective <= 8;
        const std::uint64_t count = in_blocks ? node.size / ranks_ : node.size;
        if (node.root >= ranks_ || count > static_cast<std::uint64_t>(kLargestMessage) / ranks_)
            throw std::invalid_argument("node " + std::to_string(node.id) +
                                        " has no possible root or size");
        request.ranks = ranks_;
        request.root = static_cast<std::uint32_t>(node.root);
        request.count = static_cast<std::int64_t>(count);
        check_collective(request);
        add_collective(collective_, request, rank_, platform_);
        const std::uint32_t begin = graph_.add(Operation::compute(0));
        const std::uint32_t first =
            graph_.append(collective_, collectives_++ % kCollectivesAtOnce * kTagsOfCollective);
        const std::uint32_t end = graph_.add(Operation::compute(0));
        graph_.depend(end, begin);
        for (std::uint32_t i = first; i < end; i++) {
            graph_.depend(i, begin);
            graph_.depend(end, i);
        }
        return {begin, end};
    }

    std::uint32_t ranks_, rank_ = 0;
    const Platform &platform_;
    const ReaderOptions &options_;
    std::int32_t collectives_ = 0;
    GraphBuilder graph_, collective_;
    std::unordered_map<std::uint64_t, std::uint32_t> ends_; // of each id: the graph's node
};

} // namespace

Program read_chakra(const std::vector<std::string_view> &files, const std::string &file_name,
                    const Platform &platform, const ReaderOptions &options)
{
    double bytes = 0;
    for (const std::string_view file : files)
        bytes += static_cast<double>(file.size());
    check_memory(kBytesPerTraceByte * bytes + kBytesPerRank * static_cast<double>(files.size()),
                 file_name, options);
    Program program(files.size());
    ChakraReader reader(program.ranks(), platform, options);
    for (std::uint32_t rank = 0; rank < program.ranks(); rank++)
        try {
            reader.read_rank(files[rank], rank, program);
        } catch (const std::invalid_argument &error) {
            throw input_error(file_name + ": rank " + std::to_string(rank) + ": " + error.what());
        }
    return program;
}

} // namespace rankwise::sim
