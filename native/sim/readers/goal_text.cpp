// GOAL as text (Hoefler, Siebert and Lumsdaine, Group Operation Assembly Language, ICPP 2009; as
// LogGOPSim's txt2bin reads it): `num_ranks N`, then for each rank `rank R {`, operations and what
// they wait for, `}`. Times are nanoseconds.
#include "readers.h"

#include "text_file.h"
#include <algorithm>
#include <unordered_map>

namespace rankwise::sim
{

namespace
{

constexpr double kBytesPerGoalLine = 40;
constexpr std::int64_t kLongestNanoseconds = static_cast<std::int64_t>(kLongestSeconds * 1e9);

/// The labels of a rank: nearly always a letter and a number, and then a place in a table.
class Labels
{
  public:
    std::uint32_t find(std::string_view label) const
    {
        const std::size_t number = number_of(label);
        if (number < numbered_.size() && numbered_[number].letter == label[0])
            return numbered_[number].node;
        const auto found = others_.find(label);
        return found == others_.end() ? kNoNode : found->second;
    }
    void add(std::string_view label, std::uint32_t node)
    {
        const std::size_t number = number_of(label);
        if (number < 2 * std::size_t{node} + 64) {
            if (number >= numbered_.size())
                numbered_.resize(2 * number + 64);
            if (numbered_[number].letter == 0) {
                numbered_[number] = {label[0], node};
                return;
            }
        }
        others_.emplace(label, node);
    }
    void clear()
    {
        numbered_.clear();
        others_.clear();
    }

    static constexpr std::uint32_t kNoNode = UINT32_MAX;

  private:
    struct Entry {
        char letter = 0;
        std::uint32_t node = 0;
    };
    /// 7 of "l7"; huge for all other labels.
    static std::size_t number_of(std::string_view label)
    {
        std::size_t number = 0;
        if (label.size() < 2 || label.size() > 9 || (label[1] == '0' && label.size() > 2))
            return SIZE_MAX;
        for (const char c : label.substr(1)) {
            if (c < '0' || c > '9')
                return SIZE_MAX;
            number = 10 * number + static_cast<std::size_t>(c - '0');
        }
        return number;
    }

    std::vector<Entry> numbered_;
    std::unordered_map<std::string_view, std::uint32_t> others_;
};

class GoalReader
{
  public:
    GoalReader(std::string_view text, const std::string &file_name, const ReaderOptions &options)
        : words_(text, file_name), pages_(text, options.is_mapped), file_name_(file_name),
          options_(options)
    {
    }

    Program read()
    {
        if (!next() || words_.count() != 2 || words_[0] != "num_ranks")
            words_.fail("expected: num_ranks N");
        ranks_ = words_.number(words_[1], "the number of ranks", 1,
                               static_cast<std::int64_t>(options_.most_ranks));
        check_memory(kBytesPerRank * static_cast<double>(ranks_), file_name_, options_);
        Program program(static_cast<std::size_t>(ranks_));
        std::vector<char> known(program.ranks());
        while (next()) {
            const std::uint32_t rank = read_head();
            if (known[rank])
                words_.fail("rank " + std::to_string(rank) + " is here twice");
            known[rank] = true;
            read_body();
            pages_.read_to(words_.rest().data());
            if (!graph_.has_order())
                words_.fail("operations of rank " + std::to_string(rank) +
                            " wait for one another in a circle");
            graph_.finish_alone(program, rank);
        }
        return program;
    }

  private:
    /// Comments are from // to the line's end, and from /* to */.
    bool next()
    {
        while (words_.next("//")) {
            if (in_comment_ || words_[0].starts_with("/*")) {
                in_comment_ = !words_.words().back().ends_with("*/");
                continue;
            }
            return true;
        }
        if (in_comment_)
            words_.fail("a comment has no end");
        return false;
    }
    std::uint32_t read_head()
    {
        std::size_t count = words_.count();
        const bool has_brace = words_.words().back() == "{";
        count -= has_brace ? 1 : 0;
        if (count != 2 || words_[0] != "rank")
            words_.fail("expected: rank R {");
        const auto rank =
            static_cast<std::uint32_t>(words_.number(words_[1], "a rank", 0, ranks_ - 1));
        if (!has_brace && (!next() || words_.count() != 1 || words_[0] != "{"))
            words_.fail("expected: {");
        return rank;
    }
    void read_body()
    {
        labels_.clear();
        for (;;) {
            if (!next())
                words_.fail("the file ends within a rank: } is missing");
            if (words_.count() == 1 && words_[0] == "}")
                return;
            if (words_.count() == 3 && (words_[1] == "requires" || words_[1] == "irequires"))
                graph_.depend(node(words_[0]), node(words_[2]), words_[1] == "irequires");
            else
                read_operation();
        }
    }
    std::uint32_t node(std::string_view label) const
    {
        const std::uint32_t found = labels_.find(label);
        if (found == Labels::kNoNode)
            words_.fail("no operation before has the label " + shown(label));
        return found;
    }
    void read_operation()
    {
        std::size_t at = 0;
        std::string_view label;
        if (words_[0].ends_with(':')) {
            label = words_[0].substr(0, words_[0].size() - 1);
            at = 1;
        } else if (words_.count() > 1 && words_[1] == ":") {
            label = words_[0];
            at = 2;
        }
        const std::uint32_t made = graph_.add(operation(at));
        if (label.empty())
            return;
        if (labels_.find(label) != Labels::kNoNode)
            words_.fail("the label " + shown(label) + " is here twice");
        labels_.add(label, made);
    }
    Operation operation(std::size_t at) const
    {
        const std::string_view name = word(at);
        if (name == "calc") {
            const std::int64_t duration =
                words_.number(word(at + 1), "nanoseconds", 0, kLongestNanoseconds);
            read_options(at + 2, false);
            return Operation::compute(duration * 1000);
        }
        if ((name != "send" && name != "recv") || word(at + 2) != (name == "send" ? "to" : "from"))
            words_.fail("expected: send SIZEb to RANK, recv SIZEb from RANK, calc NANOSECONDS, or "
                        "LABEL requires LABEL");
        std::string_view size = word(at + 1);
        if (!size.ends_with('b'))
            words_.fail("a size ends with b, as 8b: " + shown(size));
        size.remove_suffix(1);
        const std::int64_t bytes = words_.number(size, "a size", 0, kLargestMessage);
        const bool sends = name == "send";
        const std::int64_t peer = words_.number(word(at + 3), "a rank", sends ? 0 : -1, ranks_ - 1);
        const std::int32_t tag = read_options(at + 4, !sends);
        return Operation::message(sends ? Kind::send : Kind::receive,
                                  static_cast<std::uint32_t>(peer), tag, bytes);
    }
    /// Read `tag T`, `cpu C` and `nic N` in any order; return the tag.
    std::int32_t read_options(std::size_t at, bool any_tag) const
    {
        std::int32_t tag = 0;
        for (; at < words_.count(); at += 2) {
            const std::string_view name = words_[at];
            if (name == "tag")
                tag = static_cast<std::int32_t>(
                    words_.number(word(at + 1), "a tag", any_tag ? -1 : 0, kCollectiveTags - 1));
            else if (name != "cpu" && name != "nic")
                words_.fail("expected tag, cpu or nic, not " + shown(name));
            else if (words_.number(word(at + 1), "a number", 0, 255) != 0)
                words_.fail("a rank has one processor and one NIC here: " + shown(name) + " 0");
        }
        return tag;
    }
    std::string_view word(std::size_t i) const
    {
        if (i >= words_.count())
            words_.fail("the line ends too early");
        return words_[i];
    }

    Words words_;
    PagesBehind pages_;
    std::string file_name_;
    const ReaderOptions &options_;
    std::int64_t ranks_ = 0;
    bool in_comment_ = false;
    GraphBuilder graph_;
    Labels labels_;
};

} // namespace

Program read_goal_text(std::string_view text, const std::string &file_name,
                       const ReaderOptions &options)
{
    check_memory(kBytesPerGoalLine * lines_of(text), file_name, options);
    return GoalReader(text, file_name, options).read();
}

} // namespace rankwise::sim
