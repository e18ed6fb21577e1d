// Large arrays on large pages: millions of ranks and messages are visited in no order, and small
// pages would cost a miss of the translation buffer each time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace rankwise::sim
{

template <typename T> struct HugePages {
    using value_type = T;

    HugePages() = default;
    template <typename U> HugePages(const HugePages<U> &)
    {
    }
    T *allocate(std::size_t count)
    {
        constexpr std::size_t page = std::size_t{2} << 20;
        if (count > (SIZE_MAX >> 2) / sizeof(T))
            throw std::bad_array_new_length();
        std::size_t bytes = count * sizeof(T);
        if (bytes < page)
            return std::allocator<T>().allocate(count);
        bytes = (bytes + page - 1) / page * page;
        void *memory = std::aligned_alloc(page, bytes);
        if (memory == nullptr)
            throw std::bad_alloc();
        ::madvise(memory, bytes, MADV_HUGEPAGE); // a hint: nothing is lost where it is not taken
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, std::size_t count)
    {
        if (count * sizeof(T) < std::size_t{2} << 20)
            std::allocator<T>().deallocate(memory, count);
        else
            std::free(memory);
    }
    template <typename U> bool operator==(const HugePages<U> &) const
    {
        return true;
    }
};

template <typename T> using HugeVector = std::vector<T, HugePages<T>>;

/// Room for so many; what is not written to costs nothing.
template <typename T> class HugeBlock
{
  public:
    explicit HugeBlock(std::size_t room) : begin_(HugePages<T>().allocate(room)), room_(room)
    {
    }
    HugeBlock(HugeBlock &&other) noexcept : begin_(other.begin_), room_(other.room_)
    {
        other.begin_ = nullptr;
    }
    HugeBlock &operator=(HugeBlock &&) = delete;
    ~HugeBlock()
    {
        if (begin_ != nullptr)
            HugePages<T>().deallocate(begin_, room_);
    }
    T *begin() const
    {
        return begin_;
    }

  private:
    T *begin_;
    std::size_t room_;
};

} // namespace rankwise::sim
