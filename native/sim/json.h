// JSON as it is read from files (RFC 8259), with the line of each value for what is wrong with it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rankwise::sim
{

/// A value knows the file and the line that it is from; whoever asks it for what it is not gets an
/// Error (exit code 2) that names both.
class Json
{
  public:
    using Array = std::vector<Json>;
    using Object = std::map<std::string, Json, std::less<>>;

    /// Read one value, and nothing behind it.
    static Json read(std::string_view text, const std::string &file_name);

    [[noreturn]] void fail(const std::string &what) const;

    const Array &array() const;
    const std::string &text() const;
    bool boolean() const;
    double number(double least, double most) const;
    std::int64_t whole_number(std::int64_t least, std::int64_t most) const;
    bool is_number() const
    {
        return std::holds_alternative<double>(value_);
    }
    bool is_object() const
    {
        return std::holds_alternative<Object>(value_);
    }
    bool is_array() const
    {
        return std::holds_alternative<Array>(value_);
    }

    /// Of an object: the member, which must be there.
    const Json &operator[](std::string_view name) const;
    /// Of an object: the member, or null.
    const Json *find(std::string_view name) const;
    /// Of an object: the member's number, or what stands for one that is not there.
    double number_or(std::string_view name, double otherwise, double least, double most) const;
    std::int64_t whole_number_or(std::string_view name, std::int64_t otherwise, std::int64_t least,
                                 std::int64_t most) const;
    /// Of an object: refuse members with other names than these.
    void expect_only(std::initializer_list<std::string_view> names) const;

  private:
    friend class JsonReader;
    const Object &object() const;

    std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value_ = nullptr;
    const std::string *file_ = nullptr;
    int line_ = 0;
};

/// Return the text in quotes, with what JSON wants escaped.
std::string quoted(std::string_view text);

} // namespace rankwise::sim
