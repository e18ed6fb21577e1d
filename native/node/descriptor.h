#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace rankwise
{

// Owns a file descriptor.
class Descriptor
{
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number)
    {
    }
    Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1))
    {
    }
    Descriptor &operator=(Descriptor &&other) noexcept;
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor();

    int get() const
    {
        return number_;
    }
    bool is_open() const
    {
        return number_ >= 0;
    }
    void close();

  private:
    int number_ = -1;
};

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

// Both ends are closed on exec.
Pipe make_pipe();

// Writes all of it; false if the other side is gone.
bool write_all(int descriptor, const void *data, std::size_t size);

// Reads to the end of the stream.
std::string read_all(int descriptor);

} // namespace rankwise
