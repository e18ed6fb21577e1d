// A file in memory, and its words line by line: for files of millions of lines.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankwise::sim
{

/// A file's bytes, mapped and not copied. Throws Error (exit code 2) where it cannot be read.
class MappedFile
{
  public:
    explicit MappedFile(const std::string &path);
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;
    ~MappedFile();

    std::string_view bytes() const
    {
        return {data_, size_};
    }

  private:
    const char *data_ = nullptr;
    std::size_t size_ = 0;
};

/// Gives the pages of a mapped file back once they have been read, so that a large file is never in
/// memory as a whole. What is looked at again is read again.
class PagesBehind
{
  public:
    PagesBehind(std::string_view text, bool is_mapped)
        : behind_(text.data()), next_(text.data()), end_(text.data() + text.size()),
          is_mapped_(is_mapped)
    {
        if (is_mapped_)
            move_to(behind_);
    }
    /// All before this place has been read.
    void read_to(const char *place)
    {
        if (place >= next_ && is_mapped_) [[unlikely]]
            move_to(place);
    }

  private:
    void move_to(const char *place);

    const char *behind_, *next_, *end_;
    bool is_mapped_;
};

/// Splits text into lines and these into words at blanks. What is wrong is reported with the name
/// of the file and the line.
class Words
{
  public:
    Words(std::string_view text, std::string file_name)
        : text_(text), file_name_(std::move(file_name))
    {
    }
    /// Go to the next line that has words, `comment` beginning what is none; false: there is none.
    bool next(std::string_view comment);
    /// Return the text from the next line on.
    std::string_view rest() const
    {
        return text_;
    }
    /// Pass over the next line, which with its end is so long.
    void skip_line(std::size_t length)
    {
        text_.remove_prefix(length);
        line_++;
    }
    std::int64_t line() const
    {
        return line_;
    }
    const std::vector<std::string_view> &words() const
    {
        return words_;
    }
    std::size_t count() const
    {
        return words_.size();
    }
    std::string_view operator[](std::size_t i) const
    {
        return words_[i];
    }

    /// `line` is where, if it is not the line of the words.
    [[noreturn]] void fail(const std::string &what, std::int64_t line = 0) const;
    /// Return a word as a whole number in this range; `what` is what errors call it.
    std::int64_t number(std::string_view word, const char *what, std::int64_t least,
                        std::int64_t most) const
    {
        std::int64_t value = 0;
        const char *end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, value);
        if (error != std::errc{} || stop != end || value < least || value > most)
            fail_number(word, what, least, most);
        return value;
    }
    /// The same for a number that may have a fraction or an exponent.
    double real(std::string_view word, const char *what, double least, double most) const;
    /// The same for a size in bytes, which some programs write as a real number.
    std::int64_t bytes(std::string_view word, double unit = 1) const;

  private:
    [[noreturn]] void fail_number(std::string_view word, const char *what, std::int64_t least,
                                  std::int64_t most) const;

    std::string_view text_;
    std::string file_name_;
    std::int64_t line_ = 0;
    std::vector<std::string_view> words_;
};

/// Return a word as an error may show it.
std::string shown(std::string_view word);

} // namespace rankwise::sim
