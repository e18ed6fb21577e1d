#include "word_file.h"

#include "error.h"
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

namespace rankwise
{

namespace
{

/// Return how many bytes the character takes that begins with this byte; 0: none does.
std::size_t length_of(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead < 0xe0)
        return 2;
    if (lead >= 0xe0 && lead < 0xf0)
        return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

bool is_control(unsigned char byte)
{
    return (byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f;
}

/// The second byte is where surrogates, overlong forms and what is above U+10FFFF show.
bool may_follow(unsigned char lead, unsigned char second)
{
    if (lead == 0xe0)
        return second >= 0xa0;
    if (lead == 0xed)
        return second < 0xa0;
    if (lead == 0xf0)
        return second >= 0x90;
    return lead != 0xf4 || second < 0x90;
}

} // namespace

bool is_text(const std::string &bytes)
{
    for (std::size_t at = 0; at < bytes.size();) {
        const auto lead = static_cast<unsigned char>(bytes[at]);
        const std::size_t length = length_of(lead);
        if (length == 0 || length > bytes.size() - at || is_control(lead))
            return false;
        for (std::size_t i = 1; i < length; i++)
            if ((static_cast<unsigned char>(bytes[at + i]) & 0xc0) != 0x80)
                return false;
        if (length > 1 && !may_follow(lead, static_cast<unsigned char>(bytes[at + 1])))
            return false;
        at += length;
    }
    return true;
}

WordFile::WordFile(std::istream &lines, std::string name) : lines_(lines), name_(std::move(name))
{
}

bool WordFile::next()
{
    for (std::string line; std::getline(lines_, line);) {
        line_++;
        if (!is_text(line))
            fail("this is not UTF-8 text");
        std::istringstream rest(line.substr(0, line.find('#')));
        words_.clear();
        for (std::string word; rest >> word;)
            words_.push_back(word);
        if (!words_.empty())
            return true;
    }
    return false;
}

const std::vector<std::string> &WordFile::words() const
{
    return words_;
}

void WordFile::fail(const std::string &what) const
{
    throw input_error(name_ + ":" + std::to_string(line_) + ": " + what);
}

void WordFile::fail_whole(const std::string &what) const
{
    throw input_error(name_ + ": " + what);
}

void WordFile::expect(std::size_t least, std::size_t most, const char *form) const
{
    if (words_.size() < least || words_.size() > most)
        fail(std::string("expected: ") + form);
}

double WordFile::number(const std::string &word, const std::string &what, double least,
                        double most) const
{
    double value = 0;
    const char *end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value))
        fail(what + " is not a number: " + word);
    if (value < least || value > most) {
        std::ostringstream range;
        range << what << " is " << word << ", but must be from " << least << " to " << most;
        fail(range.str());
    }
    return value;
}

std::int64_t WordFile::whole_number(const std::string &word, const std::string &what, double least,
                                    double most) const
{
    const double value = number(word, what, least, most);
    if (value != std::floor(value))
        fail(what + " is not a whole number: " + word);
    return static_cast<std::int64_t>(value);
}

} // namespace rankwise
