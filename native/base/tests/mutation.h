// Damaged copies of valid inputs, the same ones in every run: what readers are tested with.
#pragma once
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rankwise::test
{

class Mutation
{
  public:
    /// `tokens` are put in beside random bytes: what a reader of this kind might stumble over.
    Mutation(std::uint64_t seed, std::vector<std::string> tokens)
        : random_(seed), tokens_(std::move(tokens))
    {
    }

    /// Return a number below `limit`, 0 if that is 0.
    std::size_t below(std::size_t limit)
    {
        return limit == 0 ? 0 : static_cast<std::size_t>(random_() % limit);
    }

    /// Return the text with one to three things done to it.
    std::string damaged(std::string text)
    {
        for (std::size_t steps = 1 + below(3); steps > 0; steps--)
            damage(text);
        return text;
    }

  private:
    void damage(std::string &text)
    {
        const std::size_t at = below(text.size() + 1), length = below(text.size() - at + 1);
        switch (below(8)) {
        case 0:
            text.resize(at);
            break;
        case 1:
            text.erase(at, below(12));
            break;
        case 2:
            text.insert(at, 1, static_cast<char>(random_()));
            break;
        case 3:
            if (at < text.size())
                text[at] = static_cast<char>(random_());
            break;
        case 4: // a part of it again, somewhere else
            text.insert(below(text.size() + 1), text.substr(at, length));
            break;
        case 5:
            text.insert(at, below(3) * below(3000), static_cast<char>('0' + below(10)));
            break;
        default:
            replace_word(text, at);
        }
    }

    void replace_word(std::string &text, std::size_t near)
    {
        const std::size_t begin = text.find_first_not_of(" \n", near);
        if (begin == std::string::npos || tokens_.empty())
            return;
        const std::size_t end = text.find_first_of(" \n", begin);
        text.replace(begin, end == std::string::npos ? end : end - begin,
                     tokens_[below(tokens_.size())]);
    }

    std::mt19937_64 random_;
    std::vector<std::string> tokens_;
};

} // namespace rankwise::test
