#include "json.h"

#include "base/error.h"
#include "base/word_file.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

namespace rankwise::sim
{

namespace
{

constexpr int kDeepest = 64;

const std::string *lasting(const std::string &file_name)
{
    static std::set<std::string> names; // values outlive their reader, and names are few
    return &*names.insert(file_name).first;
}

void append_utf8(std::string &text, unsigned code)
{
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xc0 | code >> 6);
        text += static_cast<char>(0x80 | (code & 63));
    } else {
        text += static_cast<char>(0xe0 | code >> 12);
        text += static_cast<char>(0x80 | (code >> 6 & 63));
        text += static_cast<char>(0x80 | (code & 63));
    }
}

} // namespace

class JsonReader
{
  public:
    JsonReader(std::string_view text, const std::string &file_name)
        : text_(text), file_(lasting(file_name))
    {
    }

    Json whole()
    {
        Json value = any(0);
        skip_blanks();
        if (at_ < text_.size())
            fail("there is something behind the end");
        return value;
    }

  private:
    [[noreturn]] void fail(const std::string &what) const
    {
        throw input_error(*file_ + ":" + std::to_string(line_) + ": " + what);
    }
    void skip_blanks()
    {
        for (; at_ < text_.size(); at_++) {
            const char c = text_[at_];
            if (c == '\n')
                line_++;
            else if (c != ' ' && c != '\t' && c != '\r')
                return;
        }
    }
    char peek()
    {
        skip_blanks();
        if (at_ == text_.size())
            fail("the file ends too early");
        return text_[at_];
    }
    bool take(char c)
    {
        if (peek() != c)
            return false;
        at_++;
        return true;
    }
    void want(char c)
    {
        if (!take(c))
            fail(std::string("expected: ") + c);
    }

    Json any(int depth)
    {
        if (depth > kDeepest)
            fail("this is nested too deeply");
        Json value;
        const char c = peek();
        value.file_ = file_;
        value.line_ = line_;
        if (c == '{')
            value.value_ = object(depth);
        else if (c == '[')
            value.value_ = array(depth);
        else if (c == '"')
            value.value_ = string();
        else
            word(value);
        return value;
    }
    Json::Object object(int depth)
    {
        Json::Object members;
        want('{');
        while (!take('}')) {
            if (!members.empty())
                want(',');
            if (peek() != '"')
                fail("expected a name in quotes");
            std::string name = string();
            want(':');
            if (!members.emplace(name, any(depth + 1)).second)
                fail("\"" + name + "\" is here twice");
        }
        return members;
    }
    Json::Array array(int depth)
    {
        Json::Array elements;
        want('[');
        while (!take(']')) {
            if (!elements.empty())
                want(',');
            elements.push_back(any(depth + 1));
        }
        return elements;
    }
    std::string string()
    {
        std::string text;
        for (at_++; at_ < text_.size() && text_[at_] != '"'; at_++) {
            if (static_cast<unsigned char>(text_[at_]) < 0x20)
                fail("a text has no end in its line");
            if (text_[at_] == '\\')
                escaped(text);
            else
                text += text_[at_];
        }
        if (at_++ >= text_.size())
            fail("a text has no end");
        if (!is_text(text))
            fail("this is not UTF-8 text");
        return text;
    }
    void escaped(std::string &text)
    {
        static constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        if (++at_ == text_.size())
            fail("a text has no end");
        if (const std::size_t found = names.find(text_[at_]); found != std::string_view::npos) {
            text += meant[found];
            return;
        }
        unsigned code = 0;
        const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (text_[at_] != 'u' || error != std::errc{} || end != digits.data() + 4)
            fail("there is no such escape in a text");
        append_utf8(text, code); // half of a pair is no UTF-8 text, and refused
        at_ += 4;
    }
    void word(Json &value)
    {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}:[{\"", at_), text_.size());
        const std::string_view word = text_.substr(at_, end - at_);
        double number = 0;
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (word == "true" || word == "false")
            value.value_ = word == "true";
        else if (word == "null")
            value.value_ = nullptr;
        else if (error == std::errc{} && stop == word.data() + word.size() && std::isfinite(number))
            value.value_ = number;
        else
            fail("this is no JSON: " + (is_text(std::string(word)) ? std::string(word) : "..."));
        at_ = end;
    }

    std::string_view text_;
    const std::string *file_;
    std::size_t at_ = 0;
    int line_ = 1;
};

Json Json::read(std::string_view text, const std::string &file_name)
{
    return JsonReader(text, file_name).whole();
}

void Json::fail(const std::string &what) const
{
    throw input_error(*file_ + ":" + std::to_string(line_) + ": " + what);
}

const Json::Array &Json::array() const
{
    if (!is_array())
        fail("expected a list");
    return std::get<Array>(value_);
}

const Json::Object &Json::object() const
{
    if (!is_object())
        fail("expected an object in braces");
    return std::get<Object>(value_);
}

const std::string &Json::text() const
{
    if (!std::holds_alternative<std::string>(value_))
        fail("expected a text in quotes");
    return std::get<std::string>(value_);
}

bool Json::boolean() const
{
    if (!std::holds_alternative<bool>(value_))
        fail("expected true or false");
    return std::get<bool>(value_);
}

double Json::number(double least, double most) const
{
    if (!is_number())
        fail("expected a number");
    const double value = std::get<double>(value_);
    if (!(value >= least && value <= most)) {
        std::ostringstream range;
        range << value << " is not from " << least << " to " << most;
        fail(range.str());
    }
    return value;
}

std::int64_t Json::whole_number(std::int64_t least, std::int64_t most) const
{
    const double value = number(static_cast<double>(least), static_cast<double>(most));
    if (value != std::floor(value))
        fail("expected a whole number");
    return static_cast<std::int64_t>(value);
}

const Json *Json::find(std::string_view name) const
{
    const auto found = object().find(name);
    return found == object().end() ? nullptr : &found->second;
}

const Json &Json::operator[](std::string_view name) const
{
    const Json *member = find(name);
    if (member == nullptr)
        fail("\"" + std::string(name) + "\" is missing here");
    return *member;
}

double Json::number_or(std::string_view name, double otherwise, double least, double most) const
{
    const Json *member = find(name);
    return member == nullptr ? otherwise : member->number(least, most);
}

std::int64_t Json::whole_number_or(std::string_view name, std::int64_t otherwise,
                                   std::int64_t least, std::int64_t most) const
{
    const Json *member = find(name);
    return member == nullptr ? otherwise : member->whole_number(least, most);
}

void Json::expect_only(std::initializer_list<std::string_view> names) const
{
    for (const auto &[name, value] : object())
        if (std::ranges::find(names, name) == names.end())
            value.fail("\"" + name + "\" is not known here");
}

std::string quoted(std::string_view text)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += '\\';
        if (byte < 0x20)
            (out += "\\u00") += {digits[byte >> 4], digits[byte & 15]};
        else
            out += c;
    }
    return out + "\"";
}

} // namespace rankwise::sim
