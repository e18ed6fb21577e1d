// An error tells what was tried, what happened and what to do, and has the exit code of its kind.
#include "base/error.h"
#include "base/tests/check.h"
#include <cerrno>

using namespace rankwise;

int main()
{
    CHECK(input_error("no such option").exit_code() == kExitInput);
    CHECK(input_error("no such option").told_by("us") == "us: no such option\n");
    CHECK(host_error("no TAP", "modprobe tun").exit_code() == kExitHost);
    CHECK(host_error("no TAP", "modprobe tun").told_by("us") == "us: no TAP\ntry: modprobe tun\n");
    errno = ENOENT;
    const Error error = system_error("opening x", "make it");
    CHECK(error.exit_code() == kExitHost && error.remedy() == "make it");
    CHECK(std::string(error.what()) == "opening x: No such file or directory");
    return test::conclude();
}
