// A peer: allreduce and broadcast of Facebook's gloo between processes that an MPI launcher has
// started.
//
//     gloo_peer FOLDER REPETITIONS OPERATION:ALGORITHM:BYTES...
//
// Processes meet by files in FOLDER, which all see. Each prints a line of JSON: when it entered and
// left each repetition, in seconds of CLOCK_MONOTONIC, which the nodes of an emulated network
// share. A repetition begins at an agreed moment.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace
{

constexpr double kGridSeconds = 0.1; // repetitions begin at multiples of this

double now_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void wait_until(double seconds)
{
    timespec end{};
    end.tv_sec = static_cast<time_t>(seconds);
    end.tv_nsec = static_cast<long>(1e9 * (seconds - std::floor(seconds)));
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);
}

// The first address that is not the loopback's.
std::string own_address()
{
    ifaddrs *all = nullptr;
    std::string found = "127.0.0.1";
    if (getifaddrs(&all))
        return found;
    for (const ifaddrs *one = all; one; one = one->ifa_next) {
        if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET ||
            (one->ifa_flags & IFF_LOOPBACK))
            continue;
        char text[INET_ADDRSTRLEN];
        const auto *address = reinterpret_cast<const sockaddr_in *>(one->ifa_addr);
        inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
        found = text;
        break;
    }
    freeifaddrs(all);
    return found;
}

// What the launchers of Open MPI, MPICH and Intel MPI tell a process.
int told(const char *first, const char *second)
{
    const char *text = getenv(first) ? getenv(first) : getenv(second);
    return text ? atoi(text) : -1;
}

struct Cell {
    std::string operation, algorithm;
    size_t bytes;
};

Cell parsed(const std::string &word)
{
    const size_t first = word.find(':'), second = word.find(':', first + 1);
    return {word.substr(0, first), word.substr(first + 1, second - first - 1),
            std::stoul(word.substr(second + 1))};
}

void run(const std::shared_ptr<gloo::Context> &context, const Cell &cell, std::vector<float> &data)
{
    const size_t count = cell.bytes / sizeof(float);
    if (cell.operation == "bcast") {
        gloo::BroadcastOptions options(context);
        options.setOutput(data.data(), count);
        options.setRoot(0);
        gloo::broadcast(options);
        return;
    }
    gloo::AllreduceOptions options(context);
    options.setOutput(data.data(), count);
    options.setAlgorithm(cell.algorithm == "ring" ? gloo::AllreduceOptions::Algorithm::RING
                                                  : gloo::AllreduceOptions::Algorithm::BCUBE);
    void (*sum)(void *, const void *, const void *, size_t) = &gloo::sum<float>;
    options.setReduceFunction(sum);
    gloo::allreduce(options);
}

} // namespace

int main(int argc, char **argv)
{
    const int rank = told("OMPI_COMM_WORLD_RANK", "PMI_RANK"),
              ranks = told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
    if (argc < 4 || rank < 0 || ranks < 1) {
        fprintf(stderr,
                "usage: mpiexec -n N gloo_peer FOLDER REPETITIONS OPERATION:ALGORITHM:BYTES...\n");
        return 2;
    }
    gloo::transport::tcp::attr own;
    own.hostname = own_address();
    auto device = gloo::transport::tcp::CreateDevice(own);
    auto context = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
    gloo::rendezvous::FileStore store(argv[1]);
    context->connectFullMesh(store, device);
    const int repetitions = atoi(argv[2]);
    for (int i = 3; i < argc; i++) {
        const Cell cell = parsed(argv[i]);
        std::vector<float> data(cell.bytes / sizeof(float), 1.0F);
        std::string times;
        for (int k = 0; k < repetitions; k++) {
            gloo::BarrierOptions together(context);
            gloo::barrier(together);
            wait_until(kGridSeconds * (1.0 + std::ceil(now_seconds() / kGridSeconds)));
            const double entered = now_seconds();
            run(context, cell, data);
            char text[80];
            snprintf(text, sizeof text, "%s[%.9f, %.9f]", k ? ", " : "", entered, now_seconds());
            times += text;
        }
        printf("{\"rank\": %d, \"cell\": \"%s\", \"times\": [%s]}\n", rank, argv[i], times.c_str());
        fflush(stdout);
    }
    return 0;
}
