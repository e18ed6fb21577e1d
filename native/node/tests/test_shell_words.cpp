// Whatever the words of the remote shell are, they make a whole command or none.
#include "base/tests/check.h"
#include "base/tests/mutation.h"
#include "shell_words.h"
#include <sstream>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

std::vector<std::string> split(const std::string &line)
{
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

void fuzz()
{
    const std::vector<std::string> valid = {"-e a1 sh -c true", "-s a1 net.ipv4.tcp_rmem 1 2 3",
                                            "-qp 22 me@a1 -n -- hostname",
                                            "-o BatchMode=yes -l me a1 -T orted --daemonize"};
    Mutation mutation(7,
                      {"-", "--", "-n", "-o", "-p22", "-e", "-s", "@", "me@", "a1", "-bcdefilmop"});
    int commands = 0, none = 0;
    for (int i = 0; i < 20'000; i++) {
        const auto words = split(mutation.damaged(valid[mutation.below(valid.size())]));
        const auto command = parse_shell_words(words);
        (command ? commands : none)++;
        if (!command)
            continue;
        CHECK(!command->words.empty());
        CHECK(command->kind != RequestKind::run_at_home || command->words.size() == 3);
    }
    CHECK(commands > 1000 && none > 1000);
    CHECK(!parse_shell_words({}));
}

} // namespace

int main()
{
    fuzz();
    return conclude();
}
