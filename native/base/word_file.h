// Text files of words, as all of ours are: a command a line, blanks between words, # begins a
// comment.
#pragma once
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace rankwise
{

/// A word file is read line by line; what is wrong in it is reported with its name and line.
class WordFile
{
  public:
    /// `lines` must outlive this object; `name` is what errors call the file.
    WordFile(std::istream &lines, std::string name);

    /// Go to the next line that has words; false: there is none. Throws Error for a line that is
    /// not UTF-8 text.
    bool next();
    /// Return the words of this line: at least one.
    const std::vector<std::string> &words() const;

    /// Throw Error (exit code 2) for this line.
    [[noreturn]] void fail(const std::string &what) const;
    /// Throw Error (exit code 2) for the file as a whole.
    [[noreturn]] void fail_whole(const std::string &what) const;
    /// Check the number of words; `form` is what the error expects instead.
    void expect(std::size_t least, std::size_t most, const char *form) const;
    /// Return a word as a number in this range; `what` is what errors call it.
    double number(const std::string &word, const std::string &what, double least,
                  double most) const;
    /// Return a word as a number without a fraction.
    std::int64_t whole_number(const std::string &word, const std::string &what, double least,
                              double most) const;

  private:
    std::istream &lines_;
    std::string name_;
    int line_ = 0;
    std::vector<std::string> words_;
};

/// Tell whether bytes are UTF-8 text without control characters other than tab and carriage return.
bool is_text(const std::string &bytes);

} // namespace rankwise
