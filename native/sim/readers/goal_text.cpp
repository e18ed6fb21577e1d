// GOAL as text (Hoefler, Siebert and Lumsdaine, Group Operation Assembly Language, ICPP 2009):
// `num_ranks N`, then for each rank `rank R {`, operations and what they wait for, `}`. Times are
// nanoseconds. Read is what LogGOPSim's txt2bin takes (txt2bin.re of December 2023), and options in
// another order, a brace on a line of its own, and comments within an operation.
#include "readers.h"

#include "base/error.h"
#include "goal_numbers.h"
#include "text_file.h"
#include <algorithm>
#include <charconv>
#include <cstring>
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

/// A text by characters, as txt2bin scans it: blanks may stand between the parts of an operation
/// and need not, and a line's end ends it. A comment, from // to the line's end or from /* to */,
/// is a blank.
class Scanner
{
  public:
    Scanner(std::string_view text, std::string file_name)
        : at_(text.data()), end_(at_ + text.size()), file_name_(std::move(file_name))
    {
    }
    const char *place() const
    {
        return at_;
    }
    /// Pass over blanks and comments within a line.
    void skip_blanks()
    {
        while (at_ != end_)
            if (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')
                at_++;
            else if (*at_ != '/' || !skip_comment())
                return;
    }
    /// Pass over lines' ends too; false: nothing is left.
    bool skip_lines()
    {
        for (skip_blanks(); at_ != end_ && *at_ == '\n'; skip_blanks()) {
            at_++;
            line_++;
        }
        return at_ != end_;
    }
    bool ends_line() const
    {
        return at_ == end_ || *at_ == '\n' || *at_ == '}';
    }
    /// Take this text if it is the next.
    bool take(std::string_view text)
    {
        if (static_cast<std::size_t>(end_ - at_) < text.size() ||
            std::memcmp(at_, text.data(), text.size()) != 0)
            return false;
        at_ += text.size();
        skip_blanks();
        return true;
    }
    void need(std::string_view text)
    {
        if (!take(text))
            fail_expected(std::string(text));
    }
    /// Take a keyword or a label: all up to a blank, a colon or a brace.
    std::string_view word()
    {
        const char *const begin = at_;
        while (at_ != end_ && !is_end_of_word(*at_))
            at_++;
        const std::string_view taken(begin, static_cast<std::size_t>(at_ - begin));
        skip_blanks();
        return taken;
    }
    /// Take a whole number in this range; `what` is what errors call it.
    std::int64_t number(const char *what, std::int64_t least, std::int64_t most)
    {
        std::int64_t value = 0;
        if (ends_line())
            fail_expected(what);
        const auto [stop, error] = std::from_chars(at_, end_, value);
        if (error != std::errc{} || value < least || value > most) {
            const std::string_view found = word();
            fail(std::string(what) + " must be a whole number from " + std::to_string(least) +
                 " to " + std::to_string(most) + ", not " + shown(found));
        }
        at_ = stop;
        skip_blanks();
        return value;
    }
    [[noreturn]] void fail(const std::string &what) const
    {
        throw input_error(file_name_ + ":" + std::to_string(line_) + ": " + what);
    }
    [[noreturn]] void fail_expected(const std::string &what)
    {
        if (ends_line())
            fail("the line ends too early: expected " + what);
        const std::string_view found = word();
        fail("expected " + what + ", not " + (found.empty() ? shown({at_, 1}) : shown(found)));
    }

  private:
    static bool is_end_of_word(char c)
    {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ':' || c == '{' ||
               c == '}' || c == '/';
    }
    /// False: there is none.
    bool skip_comment()
    {
        const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
        if (rest.starts_with("//")) {
            at_ += std::min(rest.find('\n'), rest.size());
            return true;
        }
        if (!rest.starts_with("/*"))
            return false;
        const std::size_t last = rest.find("*/", 2);
        if (last == std::string_view::npos)
            fail("a comment has no end");
        line_ += std::ranges::count(rest.substr(0, last), '\n');
        at_ += last + 2;
        return true;
    }

    const char *at_, *end_;
    std::string file_name_;
    std::int64_t line_ = 1;
};

class GoalReader
{
  public:
    GoalReader(std::string_view text, const std::string &file_name, const ReaderOptions &options)
        : scanner_(text, file_name), pages_(text, options.is_mapped), file_name_(file_name),
          options_(options)
    {
    }

    Program read()
    {
        if (!scanner_.skip_lines() || scanner_.word() != "num_ranks")
            scanner_.fail("expected: num_ranks N");
        ranks_ = scanner_.number("the number of ranks", 1,
                                 static_cast<std::int64_t>(options_.most_ranks));
        check_memory(kBytesPerRank * static_cast<double>(ranks_), file_name_, options_);
        Program program(static_cast<std::size_t>(ranks_));
        std::vector<char> known(program.ranks());
        while (scanner_.skip_lines()) {
            const std::uint32_t rank = read_head();
            if (known[rank])
                scanner_.fail("rank " + std::to_string(rank) + " is here twice");
            known[rank] = true;
            read_body();
            pages_.read_to(scanner_.place());
            if (!graph_.has_order())
                scanner_.fail("operations of rank " + std::to_string(rank) +
                              " wait for one another in a circle");
            graph_.finish_alone(program, rank);
        }
        tags_.finish(program);
        program.notices = other_units_.notices();
        return program;
    }

  private:
    std::uint32_t read_head()
    {
        if (scanner_.word() != "rank")
            scanner_.fail("expected: rank R {");
        const auto rank = static_cast<std::uint32_t>(scanner_.number("a rank", 0, ranks_ - 1));
        scanner_.skip_lines();
        scanner_.need("{");
        return rank;
    }
    void read_body()
    {
        labels_.clear();
        for (;;) {
            if (!scanner_.skip_lines())
                scanner_.fail("the file ends within a rank: } is missing");
            if (scanner_.take("}"))
                return;
            read_line();
            if (!scanner_.ends_line())
                scanner_.fail_expected("the line's end");
        }
    }
    void read_line()
    {
        const std::string_view first = scanner_.word();
        if (scanner_.take(":")) {
            if (first.empty())
                fail_line();
            const std::uint32_t made = graph_.add(labelled_operation());
            if (labels_.find(first) != Labels::kNoNode)
                scanner_.fail("the label " + shown(first) + " is here twice");
            labels_.add(first, made);
        } else if (first == "send" || first == "recv") {
            graph_.add(message(first == "send"));
        } else if (first == "calc") {
            graph_.add(computation());
        } else {
            const bool at_start = scanner_.take("irequires");
            if (!at_start && !scanner_.take("requires"))
                fail_line();
            const std::uint32_t later = node(first);
            graph_.depend(later, node(scanner_.word()), at_start);
        }
    }
    [[noreturn]] void fail_line() const
    {
        scanner_.fail("expected: send SIZEb to RANK, recv SIZEb from RANK, calc NANOSECONDS, or "
                      "LABEL requires LABEL");
    }
    std::uint32_t node(std::string_view label) const
    {
        const std::uint32_t found = labels_.find(label);
        if (found == Labels::kNoNode)
            scanner_.fail("no operation before has the label " + shown(label));
        return found;
    }
    Operation labelled_operation()
    {
        if (scanner_.take("send"))
            return message(true);
        if (scanner_.take("recv"))
            return message(false);
        if (!scanner_.take("calc"))
            fail_line();
        return computation();
    }
    Operation computation()
    {
        const std::int64_t duration = scanner_.number("nanoseconds", 0, kLongestNanoseconds);
        read_options(false);
        return Operation::compute(duration * 1000);
    }
    Operation message(bool sends)
    {
        const std::int64_t bytes = scanner_.number("a size", 0, kLargestMessage);
        if (!scanner_.take("b"))
            scanner_.fail("a size ends with b, as 8b");
        scanner_.need(sends ? "to" : "from");
        const std::int64_t peer = scanner_.number("a rank", sends ? 0 : -1, ranks_ - 1);
        const std::int32_t tag = read_options(!sends);
        return Operation::message(sends ? Kind::send : Kind::receive,
                                  static_cast<std::uint32_t>(peer), tag, bytes);
    }
    /// Read `tag T`, `cpu C` and `nic N` in any order; return the tag.
    std::int32_t read_options(bool any_tag)
    {
        std::int32_t tag = 0;
        while (!scanner_.ends_line())
            if (scanner_.take("tag"))
                tag = tags_.number(scanner_.number("a tag", any_tag ? -1 : 0, UINT32_MAX - 1));
            else if (scanner_.take("cpu"))
                other_units_.processors |= scanner_.number("a number", 0, UINT8_MAX) > 0;
            else if (scanner_.take("nic"))
                other_units_.nics |= scanner_.number("a number", 0, UINT8_MAX) > 0;
            else
                scanner_.fail_expected("tag, cpu or nic");
        return tag;
    }

    Scanner scanner_;
    PagesBehind pages_;
    std::string file_name_;
    const ReaderOptions &options_;
    std::int64_t ranks_ = 0;
    GraphBuilder graph_;
    Labels labels_;
    GoalTags tags_;
    OtherUnits other_units_;
};

} // namespace

Program read_goal_text(std::string_view text, const std::string &file_name,
                       const ReaderOptions &options)
{
    check_memory(kBytesPerGoalLine * lines_of(text), file_name, options);
    return GoalReader(text, file_name, options).read();
}

} // namespace rankwise::sim
