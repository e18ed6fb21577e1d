// SimGrid's time-independent traces, as SMPI replays them: `RANK ACTION ARGUMENTS...` a line, for
// all ranks in one file. Sizes are elements of a datatype, which the line's last argument names;
// without it they are bytes, or doubles where the trace's `init` has an argument.
#include "readers.h"

#include "../collective.h"
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

class TraceReader
{
  public:
    TraceReader(std::string_view text, const std::string &file_name, const Platform &platform,
                const ReaderOptions &options)
        : text_(text), words_(text, file_name), pages_(text, options.is_mapped),
          platform_(platform), options_(options), program_(0)
    {
    }

    Program read()
    {
        while (read_simple_line() || words_.next("#")) {
            pages_.read_to(words_.rest().data());
            if (was_simple_)
                continue;
            set_rank(words_.number(words_[0], "a rank", 0, UINT32_MAX - 1));
            if (words_.count() < 2)
                words_.fail("expected: rank, action, arguments");
            read_action(words_[1]);
        }
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
        std::int64_t most = 0;
        for (std::size_t at = 0; at < text_.size() && !knows_ranks_;) {
            std::int64_t value = 0;
            const auto [stop, error] =
                std::from_chars(text_.data() + at, text_.data() + text_.size(), value);
            if (error == std::errc{})
                most = std::max(most, value);
            const std::size_t end = text_.find('\n', at);
            at = end == std::string_view::npos ? text_.size() : end + 1;
        }
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
        }
        return static_cast<std::uint32_t>(peer);
    }
    void check_peers() const
    {
        if (most_peer_ >= std::int64_t{program_.ranks()})
            words_.fail("a rank must be a whole number from 0 to " +
                            std::to_string(std::int64_t{program_.ranks()} - 1) + ", not " +
                            std::to_string(most_peer_),
                        most_peer_line_);
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
        return noted_peer(words_.number(word(i), "a rank", any ? -1 : 0, UINT32_MAX - 1));
    }
    std::int32_t tag(std::size_t i, bool any) const
    {
        return static_cast<std::int32_t>(
            words_.number(word(i), "a tag", any ? -1 : 0, kCollectiveTags - 1));
    }

    void point_to_point(Kind kind)
    {
        const bool sends = kind == Kind::send || kind == Kind::isend;
        const std::uint32_t other = peer(2, !sends);
        const std::int32_t its_tag = tag(3, !sends);
        // A receive's size may be unknown, -1; it is the send's that counts.
        const std::int64_t bytes =
            sends ? words_.bytes(word(4), static_cast<double>(element_bytes(5))) : 0;
        message(kind, other, its_tag, bytes);
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
        request.operation = action == "allToAll" ? "alltoall" : std::string(action);
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
            work = words_.real(word(3), "an amount of work", 0,
                               kLongestSeconds * platform_.flops_per_second);
            if (action == "reduce")
                root(4);
        } else if (action == "alltoall" || action == "allToAll" || action == "allgather") {
            size(2, 4);
        } else if (action == "gather" || action == "scatter") {
            size(2, 5);
            root(4);
        } else {
            return false;
        }
        expand(request);
        if (work > 0)
            add(Operation::compute(from_seconds(work / platform_.flops_per_second)));
        return true;
    }
    void expand(CollectiveRequest &request)
    {
        const auto given = options_.algorithms.find(request.operation);
        request.algorithm = given == options_.algorithms.end()
                                ? first_algorithm_of(request.operation)
                                : given->second;
        try {
            check_collective(request);
            add_collective(graph_, request, rank_, platform_);
        } catch (const std::invalid_argument &error) {
            words_.fail(error.what());
        }
        graph_.finish(program_, rank_);
    }

    std::string_view text_;
    Words words_;
    PagesBehind pages_;
    TraceLineReader simple_;
    TraceLine line_;
    bool was_simple_ = false, knows_ranks_ = false;
    const Platform &platform_;
    const ReaderOptions &options_;
    Program program_;
    std::int64_t most_peer_ = -1, most_peer_line_ = 0;
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
    return TraceReader(text, file_name, platform, options).read();
}

} // namespace rankwise::sim
