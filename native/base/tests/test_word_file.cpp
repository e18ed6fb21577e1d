// A file of words is read line by line, and only text is taken for text.
#include "base/error.h"
#include "base/tests/check.h"
#include "base/word_file.h"
#include <sstream>

using namespace rankwise;

namespace
{

void lines_and_words()
{
    std::istringstream text("# nothing\n\none  two\tthree # rest\r\n   \nfour\r");
    WordFile file(text, "f");
    CHECK(file.next());
    CHECK(file.words() == std::vector<std::string>{"one", "two", "three"});
    CHECK(file.next());
    CHECK(file.words() == std::vector<std::string>{"four"});
    CHECK(!file.next());
}

void text()
{
    CHECK(is_text("") && is_text("plain\tand\r") &&
          is_text("Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80"));
    for (const std::string bytes :
         {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\x80", "\xe2\x82", "\x1b[2J", "\x7f"})
        CHECK(!is_text(bytes));
    CHECK(!is_text(std::string("a\0b", 3)));
}

/// The error's message; empty: there was none.
std::string refusal(const std::string &word)
{
    std::istringstream text("\n" + word);
    WordFile file(text, "f");
    try {
        file.next();
        file.expect(1, 1, "ONE");
        file.whole_number(file.words()[0], "it", -2, 1e6);
    } catch (const Error &error) {
        return error.exit_code() == kExitInput ? error.what() : "another exit code";
    }
    return "";
}

void numbers()
{
    CHECK(refusal("7").empty() && refusal("-2").empty() && refusal("1e6").empty());
    CHECK(refusal("1.5") == "f:2: it is not a whole number: 1.5");
    CHECK(refusal("1e7") == "f:2: it is 1e7, but must be from -2 to 1e+06");
    CHECK(refusal("1 2") == "f:2: expected: ONE");
    CHECK(refusal("\xff") == "f:2: this is not UTF-8 text");
    for (const char *word :
         {"inf", "-inf", "nan", "1e999", "0x10", "+1", "1,5", "1_000", "--1", "e"})
        CHECK(refusal(word) == std::string("f:2: it is not a number: ") + word);
}

} // namespace

int main()
{
    lines_and_words();
    text();
    numbers();
    return test::conclude();
}
