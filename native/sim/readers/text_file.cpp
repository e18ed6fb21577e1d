#include "text_file.h"

#include "../program.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/word_file.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>

namespace rankwise::sim
{

MappedFile::MappedFile(const std::string &path)
{
    const auto fail = [&] {
        throw input_error("cannot read " + path + ": " + std::strerror(errno));
    };
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {
    };
    if (!file.is_open() || ::fstat(file.number(), &status) != 0)
        fail();
    if (!S_ISREG(status.st_mode))
        throw input_error("cannot read " + path + ": it is no regular file");
    if (status.st_size == 0)
        return;
    size_ = static_cast<std::size_t>(status.st_size);
    void *mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (mapped == MAP_FAILED)
        fail();
    ::madvise(mapped, size_, MADV_SEQUENTIAL);
    data_ = static_cast<const char *>(mapped);
}

MappedFile::~MappedFile()
{
    if (data_ != nullptr)
        ::munmap(const_cast<char *>(data_), size_);
}

/// Pages of the next part are mapped at once: one by one each costs an interrupt.
void PagesBehind::move_to(const char *place)
{
    constexpr std::uintptr_t kPage = 4096, kPart = std::uintptr_t{1} << 20;
    const auto down = [](const char *at) {
        return reinterpret_cast<std::uintptr_t>(at) / kPage * kPage;
    };
    const std::uintptr_t begin = down(behind_), read = down(place);
    const std::uintptr_t part = std::min(kPart, reinterpret_cast<std::uintptr_t>(end_) - read);
    if (begin < read)
        ::madvise(reinterpret_cast<void *>(begin), read - begin, MADV_DONTNEED);
#ifdef MADV_POPULATE_READ
    ::madvise(reinterpret_cast<void *>(read), part, MADV_POPULATE_READ); // a hint: see above
#endif
    behind_ = reinterpret_cast<const char *>(read);
    next_ = part < kPart ? end_ + 1 : behind_ + part;
}

bool Words::next(std::string_view comment)
{
    while (!text_.empty()) {
        const std::size_t end = std::min(text_.find('\n'), text_.size());
        std::string_view line = text_.substr(0, end);
        text_.remove_prefix(std::min(end + 1, text_.size()));
        line_++;
        if (!comment.empty())
            if (const std::size_t begin = line.find(comment); begin != std::string_view::npos)
                line = line.substr(0, begin);
        words_.clear();
        const char *at = line.data(), *const last = at + line.size();
        const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
        for (;;) {
            while (at != last && is_blank(*at))
                at++;
            if (at == last)
                break;
            const char *const begin = at;
            while (at != last && !is_blank(*at))
                at++;
            words_.emplace_back(begin, static_cast<std::size_t>(at - begin));
        }
        if (!words_.empty())
            return true;
    }
    line_++;
    return false;
}

std::string shown(std::string_view word)
{
    constexpr std::size_t kLongest = 40;
    std::string text(word.substr(0, kLongest));
    if (!is_text(text))
        return "(no text)";
    return word.size() > kLongest ? text + "..." : text;
}

void Words::fail(const std::string &what, std::int64_t line) const
{
    throw input_error(file_name_ + ":" + std::to_string(line > 0 ? line : line_) + ": " + what);
}

void Words::fail_number(std::string_view word, const char *what, std::int64_t least,
                        std::int64_t most) const
{
    fail(std::string(what) + " must be a whole number from " + std::to_string(least) + " to " +
         std::to_string(most) + ", not " + shown(word));
}

double Words::real(std::string_view word, const char *what, double least, double most) const
{
    double value = 0;
    const char *end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc{} || stop != end || !(value >= least && value <= most)) {
        std::ostringstream range;
        range << what << " must be a number from " << least << " to " << most << ", not "
              << shown(word);
        fail(range.str());
    }
    return value;
}

std::int64_t Words::bytes(std::string_view word, double unit) const
{
    return std::llround(
        unit * real(word, "a size", 0, std::floor(static_cast<double>(kLargestMessage) / unit)));
}

} // namespace rankwise::sim
