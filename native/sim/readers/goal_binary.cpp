// GOAL as LogGOPSim's txt2bin writes it. All numbers are little-endian and unaligned:
//   magic 4223 (8 bytes); from here on offsets count: ranks (4), processors (1), NICs (1), and for
//   each rank the begin and the end of its part (8 + 8). A part: nodes (4), nodes without
//   dependencies (4), their numbers (4 each), the nodes (39 each), and the numbers of nodes that
//   depend on others (4 each). A node: how many it waits for (4), type (1: send 1, receive 2,
//   calculation 3), peer (4), size (8), tag (4), processor (1), NIC (1), then count and place of
//   those that wait for its end (4 + 4), and of those that wait for its start (4 + 4).
#include "readers.h"

#include "base/error.h"
#include "goal_numbers.h"
#include "text_file.h"
#include <cstring>

namespace rankwise::sim
{

namespace
{

constexpr std::size_t kMagicBytes = 8, kNodeBytes = 39;
constexpr std::uint32_t kAnyTagInFile = UINT32_MAX;
constexpr double kBytesPerFileByte = 1.5;

class BinaryReader
{
  public:
    BinaryReader(std::string_view bytes, std::string file_name, const ReaderOptions &options)
        : bytes_(bytes.substr(kMagicBytes)), pages_(bytes_, options.is_mapped),
          file_name_(std::move(file_name)), options_(options)
    {
    }

    Program read()
    {
        const auto ranks = get<std::uint32_t>(0);
        if (ranks == 0 || ranks > options_.most_ranks ||
            6 + 16 * std::uint64_t{ranks} > bytes_.size())
            fail("there are " + std::to_string(ranks) + " ranks, or the file is cut off");
        check_memory(kBytesPerRank * ranks, file_name_, options_);
        Program program(ranks);
        program.reserve_nodes(bytes_.size() / kNodeBytes, bytes_.size() / 4);
        ranks_ = ranks;
        for (std::uint32_t rank = 0; rank < ranks; rank++) {
            rank_ = rank;
            read_rank(get<std::uint64_t>(6 + 16 * std::uint64_t{rank}));
            if (!graph_.has_order())
                fail("operations wait for one another in a circle");
            graph_.finish_alone(program, rank);
        }
        tags_.finish(program);
        program.notices = other_units_.notices();
        return program;
    }

  private:
    template <typename Number> Number get(std::uint64_t at) const
    {
        if (at > bytes_.size() || bytes_.size() - at < sizeof(Number))
            fail_short();
        return read_at<Number>(bytes_.data() + at);
    }
    [[noreturn]] void fail_short() const
    {
        fail("the file ends at byte " + std::to_string(bytes_.size() + kMagicBytes) +
             ", but more is wanted");
    }
    [[noreturn]] void fail(const std::string &what) const
    {
        throw input_error(file_name_ + ": rank " + std::to_string(rank_) + ": " + what);
    }
    /// What is known to be within the file.
    template <typename Number> static Number read_at(const char *place)
    {
        Number number;
        std::memcpy(&number, place, sizeof number);
        return number;
    }
    void read_rank(std::uint64_t begin)
    {
        if (begin > bytes_.size())
            fail("its part begins behind the end of the file");
        pages_.read_to(bytes_.data() + begin);
        const auto nodes = get<std::uint32_t>(begin), roots = get<std::uint32_t>(begin + 4);
        const std::uint64_t first = begin + 8 + 4 * std::uint64_t{roots};
        const std::uint64_t appendix = first + kNodeBytes * std::uint64_t{nodes};
        if (appendix > bytes_.size())
            fail("the file is cut off within its " + std::to_string(nodes) + " operations");
        const char *place = bytes_.data() + first;
        for (std::uint32_t i = 0; i < nodes; i++, place += kNodeBytes)
            graph_.add(operation(place));
        place = bytes_.data() + first;
        for (std::uint32_t i = 0; i < nodes; i++, place += kNodeBytes) {
            depend(i, place + 23, bytes_.substr(appendix), false);
            depend(i, place + 31, bytes_.substr(appendix), true);
        }
    }
    void depend(std::uint32_t earlier, const char *at, std::string_view appendix, bool at_start)
    {
        const auto count = read_at<std::uint32_t>(at);
        if (count == 0)
            return;
        const std::uint64_t place = read_at<std::uint32_t>(at + 4);
        if (place + count > appendix.size() / 4)
            fail_short();
        for (std::uint64_t i = place; i < place + count; i++) {
            const auto later = read_at<std::uint32_t>(appendix.data() + 4 * i);
            if (later >= graph_.nodes())
                fail("operation " + std::to_string(later) + " is waited for, but is none");
            graph_.depend(later, earlier, at_start);
        }
    }
    Operation operation(const char *at)
    {
        const auto type = read_at<std::uint8_t>(at + 4);
        const auto peer = read_at<std::uint32_t>(at + 5);
        const auto size = read_at<std::uint64_t>(at + 9);
        const auto tag = read_at<std::uint32_t>(at + 17);
        other_units_.processors |= read_at<std::uint8_t>(at + 21) > 0;
        other_units_.nics |= read_at<std::uint8_t>(at + 22) > 0;
        if (type == 3) {
            if (static_cast<double>(size) > kLongestSeconds * 1e9)
                fail("a calculation takes " + std::to_string(size) + " ns");
            return Operation::compute(static_cast<Time>(size) * 1000);
        }
        const bool sends = type == 1;
        if (type != 1 && type != 2)
            fail("there is no operation of type " + std::to_string(type));
        if (peer >= ranks_ && (sends || peer != kAnySource))
            fail("there is no rank " + std::to_string(peer));
        if (size > static_cast<std::uint64_t>(kLargestMessage))
            fail("a message of " + std::to_string(size) + " bytes is too large");
        if (tag == kAnyTagInFile && sends)
            fail("a message has the tag -1, which a receive alone may have");
        return Operation::message(sends ? Kind::send : Kind::receive, peer,
                                  tag == kAnyTagInFile ? kAnyTag : tags_.number(tag),
                                  static_cast<std::int64_t>(size));
    }

    std::string_view bytes_;
    PagesBehind pages_;
    std::string file_name_;
    const ReaderOptions &options_;
    std::uint32_t ranks_ = 0, rank_ = 0;
    GraphBuilder graph_;
    GoalTags tags_;
    OtherUnits other_units_;
};

} // namespace

Program read_goal_binary(std::string_view bytes, const std::string &file_name,
                         const ReaderOptions &options)
{
    check_memory(kBytesPerFileByte * static_cast<double>(bytes.size()), file_name, options);
    return BinaryReader(bytes, file_name, options).read();
}

} // namespace rankwise::sim
