// SimGrid's time-independent traces, as SMPI replays them: `RANK ACTION ARGUMENTS...` a line, for
// all ranks in one file. Sizes are elements of a datatype, which the line's last argument names;
// without it they are bytes, or doubles where the trace's `init` has an argument.
#include "readers.h"

#include "../collective.h"
#include "text_file.h"
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
        : words_(text, file_name), platform_(platform), options_(options), program_(0)
    {
    }

    Program read(std::string_view text)
    {
        std::uint32_t ranks = count_ranks(text);
        check_memory(kBytesPerRank * ranks, "the trace", options_);
        program_ = Program(ranks);
        open_.resize(ranks);
        while (words_.next("#")) {
            rank_ = static_cast<std::uint32_t>(words_.number(words_[0], "a rank", 0, ranks - 1));
            if (words_.count() < 2)
                words_.fail("expected: rank, action, arguments");
            read_action(words_[1]);
        }
        return std::move(program_);
    }

  private:
    struct Key {
        std::uint32_t source, destination;
        std::int32_t tag;
        bool operator==(const Key &) const = default;
    };
    struct Open { // a rank's requests that nothing has waited for
        std::vector<std::pair<Key, std::uint32_t>> requests; // oldest first
        std::vector<std::uint32_t> free;
        std::uint32_t used = 0;
    };

    /// Ranks are all those that do something: the largest number at a line's begin.
    std::uint32_t count_ranks(std::string_view text) const
    {
        std::int64_t most = 0;
        Words words(text, "");
        for (std::size_t at = 0; at < text.size();) {
            std::int64_t value = 0;
            const auto [stop, error] =
                std::from_chars(text.data() + at, text.data() + text.size(), value);
            if (error == std::errc{})
                most = std::max(most, value);
            const std::size_t end = text.find('\n', at);
            at = end == std::string_view::npos ? text.size() : end + 1;
        }
        if (most >= static_cast<std::int64_t>(options_.most_ranks))
            words_.fail("there is a rank " + std::to_string(most));
        return static_cast<std::uint32_t>(most + 1);
    }

    void read_action(std::string_view action)
    {
        if (action == "send" || action == "isend" || action == "Isend")
            point_to_point(action == "send" ? Kind::send : Kind::isend);
        else if (action == "recv" || action == "irecv" || action == "Irecv")
            point_to_point(action == "recv" ? Kind::receive : Kind::ireceive);
        else if (action == "wait")
            wait();
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
        else if (!collective(action) && action != "finalize" && action != "comm_size" &&
                 action != "comm_split" && action != "comm_dup" && action != "test" &&
                 action != "location")
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
    std::uint32_t peer(std::size_t i, bool any) const
    {
        return static_cast<std::uint32_t>(
            words_.number(word(i), "a rank", any ? -1 : 0, std::int64_t{program_.ranks()} - 1));
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
        std::uint32_t request = 0;
        if (kind == Kind::isend || kind == Kind::ireceive) {
            Open &open = open_[rank_];
            if (open.free.empty()) {
                open.free.push_back(open.used++);
                if (open.used > kMostRequests)
                    words_.fail("rank " + std::to_string(rank_) + " has 2^20 requests at once");
            }
            request = open.free.back();
            open.free.pop_back();
            open.requests.push_back(
                {sends ? Key{rank_, other, its_tag} : Key{other, rank_, its_tag}, request});
        }
        add(Operation::message(kind, other, its_tag, bytes, request));
    }
    /// The oldest request between these ranks with this tag. One that `test` may have ended is no
    /// longer there, and not waited for.
    void wait()
    {
        const Key key{peer(2, true), peer(3, true), tag(4, true)};
        Open &open = open_[rank_];
        const auto found =
            std::ranges::find(open.requests, key, &std::pair<Key, std::uint32_t>::first);
        if (found == open.requests.end())
            return;
        add(Operation::wait(found->second));
        open.free.push_back(found->second);
        open.requests.erase(found);
    }
    void wait_all()
    {
        Open &open = open_[rank_];
        if (open.requests.empty())
            return;
        add(Operation::wait_all());
        for (const auto &[key, request] : open.requests)
            open.free.push_back(request);
        open.requests.clear();
    }

    /// False: this is no collective operation.
    bool collective(std::string_view action)
    {
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
                request.root = peer(i, false);
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

    Words words_;
    const Platform &platform_;
    const ReaderOptions &options_;
    Program program_;
    std::uint32_t rank_ = 0;
    std::int64_t default_bytes_ = 1;
    std::vector<Open> open_;
    GraphBuilder graph_;
};

} // namespace

Program read_time_independent(std::string_view text, const std::string &file_name,
                              const Platform &platform, const ReaderOptions &options)
{
    check_memory(kBytesPerTraceLine * static_cast<double>(std::ranges::count(text, '\n')),
                 file_name, options);
    return TraceReader(text, file_name, platform, options).read(text);
}

} // namespace rankwise::sim
