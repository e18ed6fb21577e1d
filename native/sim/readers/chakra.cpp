// Chakra execution traces (github.com/mlcommons/chakra, schema/protobuf/et_def.proto, May 2026): a
// file for each rank, of messages with their lengths before them: the metadata, then nodes. What
// they do is what ASTRA-sim (astra-sim/workload/Workload.cc, March 2026) does with them. A node
// begins when those have ended that it depends on; a control dependency on a node that is not in
// the file is none, for the feeder (src/feeder/et_feeder.cpp) waits for data alone. A rank has one
// processor for what takes its time, where ASTRA-sim has a CPU and a GPU.
//   - computations, memory and storage: their duration_micros; without one, num_ops at the
//   platform's speed;
//   - COMM_SEND and COMM_RECV: comm_src, comm_dst, comm_tag, comm_size; what depends on a send does
//   not wait for its receive;
//   - COMM_COLL: of the ranks of pg_name, or of all, the k-th of each with one another. The ranks
//   of a process group are in a METADATA node as PyTorch writes it, else all that name the group.
//   comm_size is what a rank gives to
//   it, as PyTorch's traces have it: so an all-to-all or a reduce-scatter has blocks of comm_size /
//   ranks.
#include "readers.h"

#include "../collective.h"
#include "../json.h"
#include "base/error.h"
#include "base/word_file.h"
#include "protobuf.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_map>

namespace rankwise::sim
{

namespace
{

constexpr double kBytesPerTraceByte = 6;
constexpr std::uint64_t kMetadata = 1, kComputation = 4, kSend = 5, kReceive = 6, kCollective = 7;
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
    bool is_cpu = false;
    std::string_view group;  // empty: all ranks
    std::string_view inputs; // of metadata, where process groups are
    std::vector<std::uint64_t> dependencies, control;
};

/// Attributes are numbers of many types; of those that are wanted here none is negative.
void read_attribute(std::string_view bytes, TraceNode &node)
{
    std::string_view name, text;
    std::uint64_t value = 0;
    const auto whole = [](double real) {
        return static_cast<std::uint64_t>(std::max(0.0, std::min(1e18, real)));
    };
    for (ProtobufFields field(bytes); field.next();) {
        const std::uint64_t number = field.number();
        if (number == 1)
            name = field.bytes();
        else if (number == 3)
            value = whole(std::bit_cast<double>(field.value()));
        else if (number == 5)
            value = whole(double{std::bit_cast<float>(static_cast<std::uint32_t>(field.value()))});
        else if (number == 29)
            text = field.bytes();
        else if (number == 15 || number == 17) // signed, zigzag
            value = field.value() >> 1;
        else if (number >= 7 && number <= 27 && number % 2 == 1)
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
    else if (name == "is_cpu_op")
        node.is_cpu = value != 0;
    else if (name == "pg_name")
        node.group = text;
}

TraceNode read_node(std::string_view bytes)
{
    TraceNode node;
    for (ProtobufFields field(bytes); field.next();) {
        switch (field.number()) {
        case 1:
            node.id = field.value();
            break;
        case 3:
            node.type = field.value();
            break;
        case 4:
            field.each([&](std::uint64_t id) { node.control.push_back(id); });
            break;
        case 5:
            field.each([&](std::uint64_t id) { node.dependencies.push_back(id); });
            break;
        case 7:
            node.micros = field.value();
            break;
        case 8:
            for (ProtobufFields input(field.bytes()); input.next();)
                if (input.number() == 1)
                    node.inputs = input.bytes();
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
        : ranks_(ranks), platform_(platform), options_(options), all_(ranks)
    {
        for (std::uint32_t rank = 0; rank < ranks; rank++)
            all_[rank] = rank;
    }
    /// Find the process groups: call with all ranks before any is read.
    void find_groups(std::string_view bytes, std::uint32_t rank)
    {
        ProtobufFields::delimited(bytes); // the metadata
        while (!bytes.empty()) {
            const TraceNode node = read_node(ProtobufFields::delimited(bytes));
            if (node.type == kMetadata && !node.inputs.empty())
                read_groups(node.inputs);
            else if (node.type == kCollective && !node.group.empty()) {
                Group &group = groups_[std::string(node.group)];
                if (!group.is_told && (group.ranks.empty() || group.ranks.back() != rank))
                    group.ranks.push_back(rank);
            }
        }
    }
    void read_rank(std::string_view bytes, std::uint32_t rank, Program &program)
    {
        rank_ = rank;
        made_.clear();
        ends_.clear();
        std::vector<TraceNode> nodes;
        ProtobufFields::delimited(bytes); // the metadata
        while (!bytes.empty())
            nodes.push_back(read_node(ProtobufFields::delimited(bytes)));
        std::vector<std::uint32_t> begins;
        bool on_cpu = false, on_gpu = false;
        for (const TraceNode &node : nodes) {
            const auto [begin, end] = add(node);
            begins.push_back(begin);
            if (!ends_.emplace(node.id, End{end, node.type == kSend}).second)
                throw std::invalid_argument("two nodes have the id " + std::to_string(node.id));
            if (node.type == kComputation)
                (node.is_cpu ? on_cpu : on_gpu) = true;
        }
        overlaps_ = overlaps_ || (on_cpu && on_gpu);
        for (std::size_t i = 0; i < nodes.size(); i++) {
            for (const std::uint64_t id : nodes[i].dependencies)
                if (!depend(begins[i], id))
                    throw std::invalid_argument("node " + std::to_string(nodes[i].id) +
                                                " depends on " + std::to_string(id) +
                                                ", which is none");
            for (const std::uint64_t id : nodes[i].control)
                if (!depend(begins[i], id))
                    missing_++;
        }
        if (!graph_.has_order())
            throw std::invalid_argument("nodes wait for one another in a circle");
        graph_.finish(program, rank);
    }
    std::vector<ProgramNotice> notices() const
    {
        std::vector<ProgramNotice> said;
        if (overlaps_)
            said.push_back(
                {"one processor",
                 "nodes of the CPU and of the GPU (is_cpu_op) are carried out by the one "
                 "processor that a rank has here, one after another",
                 "take the time for an upper bound"});
        if (missing_ > 0)
            said.push_back({"missing nodes",
                            std::to_string(missing_) +
                                " control dependencies are on nodes that are "
                                "not in the file, and are not waited for",
                            ""});
        std::string untold;
        for (const auto &[name, group] : groups_)
            if (!group.is_told && group.ranks.size() < ranks_ && untold.size() < 60)
                untold += (untold.empty() ? "" : ", ") + name;
        if (!untold.empty() && is_text(untold))
            said.push_back({"process groups",
                            "no node says which ranks the process groups " + untold +
                                " have: they are taken for those that use them",
                            "record the trace with the metadata of its process groups"});
        return said;
    }

  private:
    struct Part {
        std::uint32_t begin, end;
    };
    struct End {
        std::uint32_t node;
        bool is_send;
    };
    struct Group {
        std::vector<std::uint32_t> ranks; // ascending
        bool is_told = false;             // by a node
    };
    /// False: there is no such node.
    bool depend(std::uint32_t later, std::uint64_t id)
    {
        const auto found = ends_.find(id);
        if (found == ends_.end())
            return false;
        graph_.depend(later, found->second.node, found->second.is_send);
        return true;
    }
    /// PyTorch's list of groups, in two characters on each side; without ranks a group has all.
    void read_groups(std::string_view text)
    {
        const std::size_t begin = text.find('['), end = text.rfind(']');
        const std::size_t first = text.find("[{", begin), last = text.rfind("}]", end);
        if (first == std::string_view::npos || last == std::string_view::npos || last < first)
            return;
        const Json list = Json::read(text.substr(first, last + 2 - first), "process groups");
        for (const Json &one : list.array()) {
            Group group{{}, true};
            for (const Json &rank : one["ranks"].array())
                group.ranks.push_back(
                    static_cast<std::uint32_t>(rank.whole_number(0, std::int64_t{ranks_} - 1)));
            std::ranges::sort(group.ranks);
            if (group.ranks.empty())
                for (std::uint32_t rank = 0; rank < ranks_; rank++)
                    group.ranks.push_back(rank);
            groups_[one["pg_name"].text()] = std::move(group);
        }
    }
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
        const auto found = groups_.find(std::string(node.group));
        const bool is_part = found != groups_.end() && found->second.ranks.size() < ranks_;
        const std::vector<std::uint32_t> &members = is_part ? found->second.ranks : all_;
        const auto place = [&](std::uint64_t rank) {
            const auto at = std::ranges::lower_bound(members, rank);
            if (at == members.end() || *at != rank)
                throw std::invalid_argument("node " + std::to_string(node.id) + " has rank " +
                                            std::to_string(rank) + ", which is not of its group");
            return static_cast<std::uint32_t>(at - members.begin());
        };
        request.ranks = static_cast<std::uint32_t>(members.size());
        const bool in_blocks = node.collective >= 6 && node.collective <= 8;
        const bool has_root =
            node.collective == 1 || (node.collective >= 3 && node.collective <= 5);
        const std::uint64_t count = in_blocks ? node.size / request.ranks : node.size;
        if (node.root >= ranks_ ||
            count > static_cast<std::uint64_t>(kLargestMessage) / request.ranks)
            throw std::invalid_argument("node " + std::to_string(node.id) +
                                        " has no possible root or size");
        // A trace without roots means the group's first rank.
        request.root = has_root && node.root > 0 ? place(node.root) : 0;
        request.count = static_cast<std::int64_t>(count);
        check_collective(request);
        add_collective(collective_, request, place(rank_), platform_);
        const std::uint32_t begin = graph_.add(Operation::compute(0));
        const std::uint32_t first =
            graph_.append(collective_, shift(found), is_part ? &members : nullptr);
        const std::uint32_t end = graph_.add(Operation::compute(0));
        graph_.depend(end, begin);
        for (std::uint32_t i = first; i < end; i++) {
            graph_.depend(i, begin);
            graph_.depend(end, i);
        }
        return {begin, end};
    }

    using Groups = std::map<std::string, Group, std::less<>>;
    /// Tags of the k-th collective operation of a group, which are not those of another.
    std::int32_t shift(Groups::const_iterator group)
    {
        const auto number = static_cast<std::uint64_t>(std::distance(groups_.cbegin(), group));
        const std::uint64_t k = made_[number]++;
        return static_cast<std::int32_t>((k * (groups_.size() + 1) + number) % kCollectivesAtOnce) *
               kTagsOfCollective;
    }

    std::uint32_t ranks_, rank_ = 0;
    const Platform &platform_;
    const ReaderOptions &options_;
    Groups groups_; // by name; its end stands for all ranks
    std::vector<std::uint32_t> all_;
    std::unordered_map<std::uint64_t, std::uint64_t> made_; // collectives, by the group's number
    bool overlaps_ = false;
    std::uint64_t missing_ = 0;
    GraphBuilder graph_, collective_;
    std::unordered_map<std::uint64_t, End> ends_; // of each id
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
    const auto each_rank = [&](const auto &visit) {
        for (std::uint32_t rank = 0; rank < program.ranks(); rank++)
            try {
                visit(rank);
            } catch (const std::invalid_argument &error) {
                throw input_error(file_name + ": rank " + std::to_string(rank) + ": " +
                                  error.what());
            }
    };
    each_rank([&](std::uint32_t rank) { reader.find_groups(files[rank], rank); });
    each_rank([&](std::uint32_t rank) { reader.read_rank(files[rank], rank, program); });
    program.notices = reader.notices();
    return program;
}

} // namespace rankwise::sim
