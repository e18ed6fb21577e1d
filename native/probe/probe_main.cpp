// rankwise-probe: see kHelp in options.cpp.
#include "base/error.h"
#include "base/version.h"
#include "client.h"
#include "options.h"
#include "server.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sys/time.h>
#include <unistd.h>

namespace
{

extern "C" void give_up(int)
{
    constexpr char words[] = "rankwise-probe: not done within --limit seconds\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words, sizeof words - 1);
    ::_exit(rankwise::kExitHost);
}

/// Nothing here may wait for ever, whatever it waits for.
void end_after(double seconds)
{
    std::signal(SIGALRM, give_up);
    const auto whole = static_cast<time_t>(seconds);
    const auto rest = static_cast<suseconds_t>((seconds - static_cast<double>(whole)) * 1e6);
    const itimerval timer{{0, 0}, {whole, rest}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void serve(const rankwise::probe::Options &options)
{
    rankwise::probe::Server server(options.port);
    // A fork does not inherit the timer.
    if (options.background && ::daemon(0, 0) != 0)
        throw rankwise::system_error("cannot go on in the background");
    end_after(options.limit_seconds);
    server.run();
}

int run(int count, char **words)
{
    using rankwise::probe::Options;
    const Options options = rankwise::probe::parse_options(count, words);
    if (options.mode == Options::Mode::help) {
        std::fputs(rankwise::probe::kHelp, stdout);
        return EXIT_SUCCESS;
    }
    if (options.mode == Options::Mode::version) {
        std::puts("rankwise-probe " RANKWISE_VERSION);
        return EXIT_SUCCESS;
    }
    end_after(options.limit_seconds);
    if (options.mode == Options::Mode::serve)
        serve(options);
    else if (options.mode == Options::Mode::measure)
        std::puts(rankwise::probe::measure(options).c_str());
    else
        rankwise::probe::end_server(options);
    return EXIT_SUCCESS;
}

} // namespace

int main(int count, char **words)
{
    try {
        return run(count, words);
    } catch (const rankwise::Error &error) {
        std::fputs(error.told_by("rankwise-probe").c_str(), stderr);
        return error.exit_code();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "rankwise-probe: a bug of ours: %s\n", error.what());
        return rankwise::kExitBug;
    }
}
