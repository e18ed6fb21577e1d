// rankwise-relay: see kHelp in options.cpp.
#include "base/error.h"
#include "base/version.h"
#include "options.h"
#include "relay.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <malloc.h>

namespace
{

int run(int count, char **words)
{
    using rankwise::relay::Options;
    const Options options = rankwise::relay::parse_options(count, words);
    if (options.mode == Options::Mode::help) {
        std::fputs(rankwise::relay::kHelp, stdout);
        return EXIT_SUCCESS;
    }
    if (options.mode == Options::Mode::version) {
        std::puts("rankwise-relay " RANKWISE_VERSION);
        return EXIT_SUCCESS;
    }
    // Windows fill and empty all the time: their memory is kept.
    ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
    rankwise::relay::Relay relay(options);
    if (*options.port == 0) {
        std::printf("listens at port %d\n", relay.port());
        std::fflush(stdout);
    }
    relay.run();
    std::fputs(relay.report().c_str(), stdout);
    return EXIT_SUCCESS;
}

} // namespace

int main(int count, char **words)
{
    try {
        return run(count, words);
    } catch (const rankwise::Error &error) {
        std::fputs(error.told_by("rankwise-relay").c_str(), stderr);
        return error.exit_code();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "rankwise-relay: a bug of ours: %s\n", error.what());
        return rankwise::kExitBug;
    }
}
