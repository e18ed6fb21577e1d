// SimGrid's time-independent traces, as SMPI replays them (SimGrid 3.32, src/smpi/internals/
// smpi_replay.cpp and src/xbt/xbt_replay.cpp): `RANK ACTION ARGUMENTS...` a line, for all ranks in
// one file, or in a file for each rank, which a list names as `smpirun -trace-ti` writes it. Sizes
// are elements of a datatype, which the line's last argument names; without it they are bytes, or
// doubles where the trace's `init` has an argument. Sizes may differ by rank in gatherv, scatterv,
// allgatherv, alltoallv and reducescatter; these are made of the operations without the v.
#include "readers.h"

#include "../collective.h"
#include "base/error.h"
#include "open_requests.h"
#include "text_file.h"
#include "trace_line.h"
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <stdexcept>
#include <unordered_map>

namespace rankwise::sim
{

namespace
{

constexpr double kBytesPerTraceLine = 32;
/// Of SimGrid's datatypes 0 to 29: double, int, char, short, long, float, byte, long long, ...
constexpr std::array<int, 30> kDatatypeBytes = {8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4,  8,  8, 16,
                                                4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8};

/// As SMPI writes them: any source is MPI_ANY_SOURCE, or MPI_UNDEFINED after its rank was looked
/// up.
constexpr std::array<std::int64_t, 3> kAnySources = {-1, -333, -555};
constexpr std::array<std::int64_t, 2> kAnyTags = {-1, -444};
/// Of the requests within a sendRecv, which no `wait` names.
constexpr std::int32_t kOwnTag = INT32_MIN;

/// Return the largest number that a line begins with.
std::int64_t most_rank(std::string_view text)
{
    std::int64_t most = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::int64_t value = 0;
        const auto [stop, error] =
            std::from_chars(text.data() + at, text.data() + text.size(), value);
        if (error == std::errc{})
            most = std::max(most, value);
        const std::size_t end = text.find('\n', at);
        at = end == std::string_view::npos ? text.size() : end + 1;
    }
    return most;
}

class TraceReader
{
  public:
    TraceReader(const Platform &platform, const ReaderOptions &options)
        : words_("", ""), pages_("", false), platform_(platform), options_(options), program_(0)
    {
    }
    /// The largest rank of all files; without this call there is one file.
    void know_ranks(std::int64_t most)
    {
        grow(most + 1);
        knows_ranks_ = true;
        file_of_.resize(program_.ranks());
    }
    void read(std::string_view text, const std::string &file_name)
    {
        text_ = text;
        files_.push_back(file_name);
        words_ = Words(text, file_name);
        pages_ = PagesBehind(text, options_.is_mapped);
        while (read_simple_line() || words_.next("#")) {
            pages_.read_to(words_.rest().data());
            if (was_simple_)
                continue;
            set_rank(words_.number(words_[0], "a rank", 0, UINT32_MAX - 1));
            if (words_.count() < 2)
                words_.fail("expected: rank, action, arguments");
            read_action(words_[1]);
        }
    }
    Program finish()
    {
        check_peers();
        return std::move(program_);
    }

  private:
    /// Ranks are all those that do something.
    void set_rank(std::int64_t rank)
    {
        if (rank >= std::int64_t{program_.ranks()})
            grow(rank + 1);
        rank_ = static_cast<std::uint32_t>(rank);
        if (!file_of_.empty())
            check_file();
    }
    void check_file()
    {
        std::size_t &file = file_of_[rank_];
        if (file != 0 && file != files_.size())
            words_.fail("rank " + std::to_string(rank_) + " is also in " + files_[file - 1] +
                        ": these are files of two runs");
        file = files_.size();
    }
    void grow(std::int64_t ranks)
    {
        if (ranks > static_cast<std::int64_t>(options_.most_ranks))
            words_.fail("there is a rank " + std::to_string(ranks - 1));
        check_memory(kBytesPerRank * static_cast<double>(ranks), "the trace", options_);
        program_.set_ranks(static_cast<std::size_t>(ranks));
        open_.resize(static_cast<std::size_t>(ranks));
    }
    /// What all ranks do together needs to know them all.
    void find_all_ranks()
    {
        if (knows_ranks_)
            return;
        const std::int64_t most = most_rank(text_);
        if (most >= std::int64_t{program_.ranks()})
            grow(most == INT64_MAX ? most : most + 1);
        knows_ranks_ = true;
    }
    /// Ranks are met one after another: whether there is such a peer is known at the end.
    std::uint32_t noted_peer(std::int64_t peer)
    {
        if (peer > most_peer_) {
            most_peer_ = peer;
            most_peer_line_ = words_.line();
            most_peer_file_ = files_.size() - 1;
        }
        return static_cast<std::uint32_t>(peer);
    }
    void check_peers() const
    {
        if (most_peer_ >= std::int64_t{program_.ranks()})
            throw input_error(files_[most_peer_file_] + ":" + std::to_string(most_peer_line_) +
                              ": a rank must be a whole number from 0 to " +
                              std::to_string(std::int64_t{program_.ranks()} - 1) + ", not " +
                              std::to_string(most_peer_));
    }

    /// False: the next line is for read_action, if there is one.
    bool read_simple_line()
    {
        was_simple_ = false;
        const std::size_t length = simple_.read(words_.rest(), line_);
        if (length == 0)
            return false;
        const bool waits = line_.kind == Kind::wait;
        const bool sends = line_.kind == Kind::send || line_.kind == Kind::isend;
        const auto &[first, second, third, type] = line_.numbers;
        if (line_.count < (waits || sends ? 3U : 2U) || first >= UINT32_MAX ||
            (waits ? second : 0) >= UINT32_MAX || (waits ? third : second) >= kCollectiveTags)
            return false;
        std::uint64_t bytes = 0;
        if (sends) {
            if (line_.count > 3 && type >= kDatatypeBytes.size())
                return false;
            const std::int64_t element = line_.count > 3 ? kDatatypeBytes[type] : default_bytes_;
            if (third > static_cast<std::uint64_t>(kLargestMessage) / 64)
                return false;
            bytes = third * static_cast<std::uint64_t>(element);
        }
        words_.skip_line(length);
        set_rank(line_.rank);
        if (waits)
            wait({noted_peer(static_cast<std::int64_t>(first)),
                  noted_peer(static_cast<std::int64_t>(second)), static_cast<std::int32_t>(third)});
        else
            message(line_.kind, noted_peer(static_cast<std::int64_t>(first)),
                    static_cast<std::int32_t>(second), static_cast<std::int64_t>(bytes));
        was_simple_ = true;
        return true;
    }

    void read_action(std::string_view action)
    {
        if (action == "send" || action == "isend" || action == "Isend")
            point_to_point(action == "send" ? Kind::send : Kind::isend);
        else if (action == "recv" || action == "irecv" || action == "Irecv")
            point_to_point(action == "recv" ? Kind::receive : Kind::ireceive);
        else if (action == "sendRecv")
            send_and_receive();
        else if (action == "wait")
            wait({peer(2, true), peer(3, true), tag(4, true)});
        else if (action == "waitall" || action == "waitAll")
            wait_all();
        else if (action == "compute")
            add(Operation::compute(
                from_seconds(words_.real(word(2), "an amount of work", 0,
                                         kLongestSeconds * platform_.flops_per_second) /
                             platform_.flops_per_second)));
        else if (action == "sleep")
            add(Operation::compute(
                from_seconds(words_.real(word(2), "a time", 0, kLongestSeconds))));
        else if (action == "init")
            default_bytes_ = words_.count() > 2 ? 8 : 1;
        else if (action != "finalize" && action != "comm_size" && action != "comm_split" &&
                 action != "comm_dup" && action != "test" && action != "location" &&
                 !collective(action))
            words_.fail("the action " + shown(action) + " is not known");
    }
    void add(Operation operation)
    {
        program_.add(rank_, operation);
    }
    std::string_view word(std::size_t i) const
    {
        if (i >= words_.count())
            words_.fail("the line ends too early");
        return words_[i];
    }
    std::int64_t element_bytes(std::size_t i) const
    {
        if (i >= words_.count())
            return default_bytes_;
        const std::int64_t type = words_.number(words_[i], "a datatype", 0, 1 << 20);
        if (type >= static_cast<std::int64_t>(kDatatypeBytes.size()))
            words_.fail("the datatype " + std::to_string(type) + " is not known");
        return kDatatypeBytes[static_cast<std::size_t>(type)];
    }
    std::uint32_t peer(std::size_t i, bool any)
    {
        return any && is_one_of(i, kAnySources)
                   ? kAnySource
                   : noted_peer(words_.number(word(i), "a rank", 0, UINT32_MAX - 1));
    }
    std::int32_t tag(std::size_t i, bool any) const
    {
        return any && is_one_of(i, kAnyTags) ? kAnyTag
                                             : static_cast<std::int32_t>(words_.number(
                                                   word(i), "a tag", 0, kCollectiveTags - 1));
    }
    template <std::size_t size>
    bool is_one_of(std::size_t i, const std::array<std::int64_t, size> &values) const
    {
        std::int64_t value = 0;
        const std::string_view text = word(i);
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} && stop == text.data() + text.size() &&
               std::ranges::find(values, value) != values.end();
    }
    std::int64_t bytes(std::size_t i, std::size_t type) const
    {
        return words_.bytes(word(i), static_cast<double>(element_bytes(type)));
    }
    std::vector<std::int64_t> bytes_of_each(std::size_t first, std::size_t type) const
    {
        std::vector<std::int64_t> sizes;
        for (std::size_t i = 0; i < program_.ranks(); i++)
            sizes.push_back(bytes(first + i, type));
        return sizes;
    }

    void point_to_point(Kind kind)
    {
        const bool sends = kind == Kind::send || kind == Kind::isend;
        const std::uint32_t other = peer(2, !sends);
        const std::int32_t its_tag = tag(3, !sends);
        // A receive's size may be unknown, -1; it is the send's that counts.
        message(kind, other, its_tag, sends ? bytes(4, 5) : 0);
    }
    /// `sendRecv SIZE TO SIZE FROM TYPE TYPE`, both with tag 0.
    void send_and_receive()
    {
        const RequestKey own{rank_, rank_, kOwnTag};
        const std::uint32_t from = peer(5, true), to = peer(3, false);
        const std::uint32_t received = open_[rank_].open(own), sent = open_[rank_].open(own);
        if (std::max(sent, received) >= kMostRequests)
            words_.fail("rank " + std::to_string(rank_) + " has 2^20 requests at once");
        add(Operation::message(Kind::ireceive, from, 0, 0, received));
        add(Operation::message(Kind::isend, to, 0, bytes(2, 6), sent));
        wait(own);
        wait(own);
    }
    void message(Kind kind, std::uint32_t other, std::int32_t its_tag, std::int64_t bytes)
    {
        std::uint32_t request = 0;
        if (kind == Kind::isend || kind == Kind::ireceive) {
            request = open_[rank_].open(kind == Kind::isend ? RequestKey{rank_, other, its_tag}
                                                            : RequestKey{other, rank_, its_tag});
            if (request >= kMostRequests)
                words_.fail("rank " + std::to_string(rank_) + " has 2^20 requests at once");
        }
        add(Operation::message(kind, other, its_tag, bytes, request));
    }
    /// A request that `test` may have ended is no longer there, and not waited for.
    void wait(const RequestKey &key)
    {
        const std::uint32_t request = open_[rank_].close(key);
        if (request != kMostRequests)
            add(Operation::wait(request));
    }
    void wait_all()
    {
        if (open_[rank_].close_all())
            add(Operation::wait_all());
    }

    /// False: this is no collective operation.
    bool collective(std::string_view action)
    {
        find_all_ranks();
        CollectiveRequest request;
        request.ranks = program_.ranks();
        request.operation = operation_of(action);
        double work = 0;
        const auto size = [&](std::size_t at, std::size_t type) {
            request.element_bytes = element_bytes(type);
            request.count = words_.bytes(word(at), static_cast<double>(request.element_bytes)) /
                            request.element_bytes;
        };
        const auto root = [&](std::size_t i) {
            if (i < words_.count())
                request.root = static_cast<std::uint32_t>(
                    words_.number(words_[i], "a rank", 0, std::int64_t{program_.ranks()} - 1));
        };
        if (action == "barrier") {
        } else if (action == "bcast") {
            size(2, 4);
            root(3);
        } else if (action == "reduce" || action == "allreduce") {
            size(2, action == "reduce" ? 5 : 4);
            work = work_at(3);
            if (action == "reduce")
                root(4);
        } else if (action == "alltoall" || action == "allToAll" || action == "allgather") {
            size(2, 4);
        } else if (action == "gather" || action == "scatter") {
            size(2, 5);
            root(4);
        } else if (action == "scan" || action == "exscan") {
            size(2, 4);
            work = work_at(3);
        } else if (!sizes_by_rank(action, request, root, work)) {
            return false;
        }
        expand(request);
        if (work > 0)
            add(Operation::compute(from_seconds(work / platform_.flops_per_second)));
        return true;
    }
    static std::string operation_of(std::string_view action)
    {
        if (action == "reducescatter")
            return "reduce_scatter";
        if (action == "allToAll" || action == "alltoallv")
            return "alltoall";
        if (action == "gatherv" || action == "scatterv" || action == "allgatherv")
            action.remove_suffix(1);
        return std::string(action);
    }
    double work_at(std::size_t i) const
    {
        return words_.real(word(i), "an amount of work", 0,
                           kLongestSeconds * platform_.flops_per_second);
    }
    /// Collective operations with a size for each rank, in bytes; false: it is none. At ranks that
    /// are not the root, SMPI's lines may have any sizes but the rank's own.
    template <typename Root>
    bool sizes_by_rank(std::string_view action, CollectiveRequest &request, const Root &root,
                       double &work)
    {
        const std::size_t n = program_.ranks();
        if (action == "gatherv") { // SIZE SIZES ROOT TYPE TYPE
            root(3 + n);
            request.counts = bytes_of_each(3, 5 + n);
            request.counts[rank_] = bytes(2, 4 + n);
        } else if (action == "scatterv") { // SIZES SIZE ROOT TYPE TYPE
            root(3 + n);
            request.counts = bytes_of_each(2, 4 + n);
            request.counts[rank_] = bytes(2 + n, 5 + n);
        } else if (action == "allgatherv") { // SIZE SIZES [TYPE TYPE] [DISPLACEMENTS]
            const bool has_types = words_.count() > 3 + 2 * n || words_.count() <= 5 + n;
            request.counts = bytes_of_each(3, has_types ? 4 + n : words_.count());
            request.counts[rank_] = bytes(2, has_types ? 3 + n : words_.count());
        } else if (action == "alltoallv") { // SIZE SIZES SIZE SIZES TYPE TYPE
            request.send_counts = bytes_of_each(3, 4 + 2 * n);
            request.counts = bytes_of_each(4 + n, 5 + 2 * n);
        } else if (action == "reducescatter") { // SIZES WORK TYPE
            request.counts = bytes_of_each(2, 3 + n);
            work = work_at(2 + n);
        } else {
            return false;
        }
        return true;
    }
    /// With sizes by rank, one for which it is enough that a rank knows the sizes in its own line.
    static std::string usual_algorithm(const CollectiveRequest &request)
    {
        if (request.counts.empty())
            return first_algorithm_of(request.operation);
        if (request.operation == "allgather")
            return "ring";
        return request.operation == "reduce_scatter" ? "pairwise" : "linear";
    }
    void expand(CollectiveRequest &request)
    {
        const auto given = options_.algorithms.find(request.operation);
        request.algorithm =
            given == options_.algorithms.end() ? usual_algorithm(request) : given->second;
        try {
            check_collective(request);
            add_collective(graph_, request, rank_, platform_);
        } catch (const std::invalid_argument &error) {
            words_.fail(error.what());
        }
        graph_.finish(program_, rank_);
    }

    std::string_view text_;
    std::vector<std::string> files_;
    std::vector<std::size_t> file_of_; // of each rank, from 1 on; empty: there is one file
    Words words_;
    PagesBehind pages_;
    TraceLineReader simple_;
    TraceLine line_;
    bool was_simple_ = false, knows_ranks_ = false;
    const Platform &platform_;
    const ReaderOptions &options_;
    Program program_;
    std::int64_t most_peer_ = -1, most_peer_line_ = 0;
    std::size_t most_peer_file_ = 0;
    std::uint32_t rank_ = 0;
    std::int64_t default_bytes_ = 1;
    std::vector<OpenRequests> open_;
    GraphBuilder graph_;
};

} // namespace

Program read_time_independent(std::string_view text, const std::string &file_name,
                              const Platform &platform, const ReaderOptions &options)
{
    check_memory(kBytesPerTraceLine * lines_of(text), file_name, options);
    TraceReader reader(platform, options);
    reader.read(text, file_name);
    return reader.finish();
}

Program read_time_independent_list(const std::vector<std::string> &files,
                                   const std::string &file_name, const Platform &platform,
                                   const ReaderOptions &options)
{
    std::int64_t most = 0;
    double lines = 0;
    for (const std::string &name : files) {
        const MappedFile file(name);
        most = std::max(most, most_rank(file.bytes()));
        lines += lines_of(file.bytes());
    }
    check_memory(kBytesPerTraceLine * lines, file_name, options);
    TraceReader reader(platform, options);
    reader.know_ranks(most);
    for (const std::string &name : files) {
        const MappedFile file(name);
        reader.read(file.bytes(), name);
    }
    return reader.finish();
}

} // namespace rankwise::sim
