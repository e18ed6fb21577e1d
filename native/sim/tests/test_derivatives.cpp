// The derivatives that one run tells are those that differences of two runs tell, where there is no
// kink, and one-sided differences where there is one.
#include "derivatives.h"
#include "world.h"
#include <map>
#include <random>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

using Values = std::map<std::string, double>;

/// Two sites; every rate and every cost is another.
Platform wan(Sharing sharing, double alpha = 1, double kappa = 2)
{
    return read_platform(
        R"({"format": "rankwise-platform 1",
 "sites": [{"name": "a", "nodes": 16, "out": 1.25e8, "in": 1.31e8}, {"name": "b", "nodes": 16, "out": 1.17e8, "in": 1.1e8}],
 "links": [{"name": "up", "rate": 2.3e8}, {"name": "down", "rate": 1.9e8}, {"name": "wan", "rate": 4.1e8}],
 "classes": [
  {"name": "lan", "eager_below": 65536, "ranges": [{"L": 2e-5, "o_s": 1e-6, "o_r": 1.3e-6, "g": 1e-7, "G": 8.3e-9}]},
  {"name": "wide", "eager_below": 65536, "weight": 1.5, "ranges": [{"L": 2e-3, "o_s": 2e-6, "o_r": 1.7e-6}]}],
 "same_node": "lan", "routes": [
  {"from": "a", "to": "a", "class": "lan"}, {"from": "b", "to": "b", "class": "lan"},
  {"from": "a", "to": "b", "class": "wide", "links": ["up", "wan", "down"]},
  {"from": "b", "to": "a", "class": "wide", "links": ["up", "wan", "down"]}],
 "model": {"name": ")" +
            std::string(sharing == Sharing::max_min     ? "max-min"
                        : sharing == Sharing::flow_cuts ? "flow-cuts"
                                                        : "alpha-fair") +
            "\"" +
            (sharing == Sharing::alpha_fair ? ", \"alpha\": " + std::to_string(alpha)
                                            : std::string()) +
            (sharing == Sharing::flow_cuts ? std::string()
                                           : ", \"kappa\": " + std::to_string(kappa)) +
            ", \"tolerance\": 1e-10}}",
        "platform");
}

class Late
{
  public:
    explicit Late(std::uint64_t seed) : random_(seed)
    {
    }
    Operation operator()()
    {
        return Operation::compute(static_cast<sim::Time>(random_() % 100'000'000));
    }
    std::uint64_t number()
    {
        return random_();
    }

  private:
    std::mt19937_64 random_;
};

void exchange(Program &program, std::uint32_t rank, std::uint32_t from, std::uint32_t to,
              std::int32_t tag, std::int64_t bytes)
{
    program.add(rank, Operation::message(Kind::ireceive, from, tag, bytes, 0));
    program.add(rank, Operation::message(Kind::send, to, tag, bytes));
    program.add(rank, Operation::wait(0));
}

Program ring(std::uint32_t ranks, int rounds, std::int64_t bytes, std::uint64_t seed)
{
    Program program(ranks);
    Late late(seed);
    for (std::uint32_t r = 0; r < ranks; r++)
        for (int i = 0; i < rounds; i++) {
            program.add(r, late());
            exchange(program, r, (r + ranks - 1) % ranks, (r + 1) % ranks, i, bytes);
        }
    return program;
}

Program permutations(std::uint32_t ranks, int rounds, std::int64_t bytes, std::uint64_t seed)
{
    Program program(ranks);
    Late late(seed);
    for (int i = 0; i < rounds; i++) {
        std::vector<std::uint32_t> to(ranks), from(ranks);
        std::iota(to.begin(), to.end(), 0U);
        for (std::uint32_t r = ranks - 1; r > 0; r--)
            std::swap(to[r], to[late.number() % (r + 1)]);
        for (std::uint32_t r = 0; r < ranks; r++)
            from[to[r]] = r;
        for (std::uint32_t r = 0; r < ranks; r++)
            if (to[r] != r) {
                program.add(r, late());
                exchange(program, r, from[r], to[r], i, bytes);
            }
    }
    return program;
}

/// All neighbours on a torus of n x n at once.
Program halo(std::uint32_t n, int rounds, std::int64_t bytes, std::uint64_t seed)
{
    Program program(std::size_t{n} * n);
    Late late(seed);
    for (std::uint32_t r = 0; r < n * n; r++)
        for (int i = 0; i < rounds; i++) {
            const std::uint32_t x = r / n, y = r % n;
            const std::uint32_t peers[] = {(x + 1) % n * n + y, (x + n - 1) % n * n + y,
                                           x * n + (y + 1) % n, x * n + (y + n - 1) % n};
            program.add(r, late());
            for (std::uint32_t k = 0; k < 4; k++)
                program.add(r, Operation::message(Kind::ireceive, peers[k],
                                                  static_cast<std::int32_t>(k), bytes, k));
            for (std::uint32_t k = 0; k < 4; k++)
                program.add(r, Operation::message(Kind::isend, peers[k],
                                                  static_cast<std::int32_t>(k ^ 1), bytes, 4 + k));
            program.add(r, Operation::wait_all());
        }
    return program;
}

Program collective(const std::string &operation, const std::string &algorithm, std::int64_t bytes,
                   const Platform &platform)
{
    return read_collective("{\"operation\": \"" + operation + "\", \"algorithm\": \"" + algorithm +
                               "\", \"ranks\": 24, \"count\": " + std::to_string(bytes) + "}",
                           "collective", platform, {});
}

std::vector<Job> spread(const Program &program)
{
    Job made{"job", &program, {}};
    for (std::uint32_t r = 0; r < program.ranks(); r++) // over both sites, unevenly
        made.nodes.push_back((r * 7) % 32);
    return {made};
}

Values told(const Platform &platform, const std::vector<Job> &jobs, Side side = Side::any)
{
    Values values;
    for (const Derivative &one : derivatives(platform, jobs, side))
        values[one.parameter] = one.value;
    return values;
}

/// The parameters by their name, as something to move.
std::map<std::string, std::function<void(Platform &, double)>> parameters()
{
    const auto nics = [](std::uint32_t site, double Node::*rate) {
        return [site, rate](Platform &p, double share) {
            for (Node &node : p.nodes)
                if (node.site == site)
                    node.*rate *= 1 + share;
        };
    };
    const auto link = [](std::size_t i) {
        return [i](Platform &p, double share) { p.links[i].rate *= 1 + share; };
    };
    const auto latency = [](std::size_t c) {
        return [c](Platform &p, double share) {
            sim::Time &time = p.classes[c].ranges[0].latency;
            time += std::llround(share * static_cast<double>(time));
        };
    };
    return {{"classes.lan.latency", latency(0)},
            {"classes.wide.latency", latency(1)},
            {"classes.lan.gap_byte",
             [](Platform &p, double share) { p.classes[0].ranges[0].gap_byte *= 1 + share; }},
            {"sites.a.out", nics(0, &Node::out)},
            {"sites.a.in", nics(0, &Node::in)},
            {"sites.b.out", nics(1, &Node::out)},
            {"sites.b.in", nics(1, &Node::in)},
            {"links.up.rate", link(0)},
            {"links.down.rate", link(1)},
            {"links.wan.rate", link(2)}};
}

double value_of(const Platform &p, const std::string &name)
{
    const Values values = {{"classes.lan.latency", seconds(p.classes[0].ranges[0].latency)},
                           {"classes.wide.latency", seconds(p.classes[1].ranges[0].latency)},
                           {"classes.lan.gap_byte", p.classes[0].ranges[0].gap_byte * 1e-12},
                           {"sites.a.out", p.nodes[0].out},
                           {"sites.a.in", p.nodes[0].in},
                           {"sites.b.out", p.nodes[16].out},
                           {"sites.b.in", p.nodes[16].in},
                           {"links.up.rate", p.links[0].rate},
                           {"links.down.rate", p.links[1].rate},
                           {"links.wan.rate", p.links[2].rate}};
    return values.at(name);
}

/// Derivatives by the logarithm of each parameter, so that they compare. Times are whole
/// picoseconds, and what is rounded adds up: a difference is uncertain by some tens of them.
void expect_differences(const std::string &what, const Platform &platform, const Program &program)
{
    constexpr double kStep = 1e-5, kRounding = 40e-12 / (2 * kStep);
    const auto jobs = spread(program);
    const Values values = told(platform, jobs);
    double largest = 0;
    for (const auto &[name, move] : parameters()) {
        Platform less = platform, more = platform;
        move(less, -kStep);
        move(more, kStep);
        const double difference =
            seconds(Engine(more, jobs).run().total - Engine(less, jobs).run().total) / (2 * kStep);
        const double value = values.at(name) * value_of(platform, name);
        largest = std::max(largest, std::abs(difference));
        rankwise::test::claim_near(value * 1e6, difference * 1e6,
                                   (1e-3 * std::abs(difference) + kRounding) * 1e6,
                                   (what + ", " + name).c_str(), __FILE__, __LINE__);
    }
    CHECK(largest > 1000 * kRounding || what.starts_with("small"));
}

/// Of three flows over a WAN two come over an uplink: with rates of 3 and 2, the uplink is just
/// full and holds nobody back. More of the WAN is then of no use to these two, less is felt by all.
void kink()
{
    Platform platform = ideal(6, model(Sharing::max_min));
    platform.links = {{"uplink", 2 * kRate / 4, 0}, {"wan", 3 * kRate / 4, 1}};
    platform.sites = {"a", "b", "c"};
    for (std::uint32_t i = 0; i < 6; i++)
        platform.nodes[i].site = i < 2 ? 0 : i < 3 ? 1 : 2;
    platform.routes.assign(9, {});
    platform.routes[2].links = {0, 1};
    platform.routes[5].links = {1};
    Program program(6); // the total is the end of one of the two flows
    for (std::uint32_t r = 0; r < 3; r++) {
        const auto bytes = static_cast<std::int64_t>(kRate) / (r == 2 ? 2 : 1);
        program.add(r, Operation::message(Kind::send, 3 + r, 0, bytes));
        program.add(3 + r, Operation::message(Kind::receive, r, 0, bytes));
    }
    for (const Sharing sharing : {Sharing::max_min, Sharing::alpha_fair}) {
        platform.model = model(sharing);
        const std::vector<Job> jobs = {job(program)};
        const double total = seconds(simulate(platform, program).total);
        CHECK_NEAR(total, 4, 1e-8); // at a quarter of the NIC's rate all the time
        for (const auto &[side, wan, uplink] :
             {std::tuple{Side::left, -1.0, -4.0}, std::tuple{Side::right, 0.0, 0.0}}) {
            const Values values = told(platform, jobs, side);
            Platform moved = platform;
            const double share = side == Side::left ? -1e-6 : 1e-6;
            moved.links[1].rate *= 1 + share;
            const double difference = (seconds(simulate(moved, program).total) - total) / share;
            CHECK_NEAR(values.at("links.wan.rate") * platform.links[1].rate, difference, 1e-3);
            CHECK((difference < -0.5) == (wan < 0));
            moved = platform;
            moved.links[0].rate *= 1 + share;
            CHECK_NEAR(values.at("links.uplink.rate") * platform.links[0].rate,
                       (seconds(simulate(moved, program).total) - total) / share, 1e-3);
            CHECK_NEAR(values.at("links.uplink.rate") * platform.links[0].rate, uplink, 2.1);
        }
    }
}

/// The later of two equal times.
void equal_times()
{
    Platform platform = ideal(3);
    platform.classes[0].ranges[0].latency = 20'000'000;
    platform.classes[0].ranges[0].send_overhead = 20'000'000;
    platform.packet_bytes = 100;
    Program program(3); // rank 1 gets one byte after o_s + L, and is itself busy for as long
    program.add(0, Operation::message(Kind::send, 1, 0, 0));
    program.add(1, Operation::message(Kind::send, 2, 0, 0));
    program.add(1, Operation::message(Kind::send, 2, 1, 0));
    program.add(1, Operation::message(Kind::receive, 0, 0, 0));
    program.add(2, Operation::message(Kind::receive, 1, 0, 0));
    const std::vector<Job> jobs = {job(program)};
    CHECK_NEAR(told(platform, jobs, Side::left).at("classes.lan.latency"), 0, 1e-9);
    CHECK_NEAR(told(platform, jobs, Side::right).at("classes.lan.latency"), 1, 1e-9);
    CHECK_NEAR(told(platform, jobs, Side::right).at("classes.lan.send_overhead"), 2, 1e-9);
}

} // namespace

int main()
{
    for (const Platform &platform :
         {wan(Sharing::alpha_fair), wan(Sharing::alpha_fair, 2.41), wan(Sharing::max_min)}) {
        expect_differences("ring", platform, ring(24, 3, 300'000, 1));
        expect_differences("small ring", platform, ring(24, 3, 1000, 2));
        expect_differences("halo", platform, halo(5, 2, 60'000, 3));
        expect_differences("permutations", platform, permutations(24, 5, 40'000, 4));
        expect_differences("allreduce", platform,
                           collective("allreduce", "recursive_doubling", 300'007, platform));
        expect_differences("bcast", platform, collective("bcast", "binomial", 200'000, platform));
    }
    for (const Platform &platform : {wan(Sharing::flow_cuts), wan(Sharing::max_min, 1, 1.25),
                                     wan(Sharing::alpha_fair, 1, 1.25)})
        expect_differences("permutations", platform, permutations(24, 4, 100'000, 4));
    Platform alone = wan(Sharing::max_min);
    alone.model.sharing = Sharing::none;
    expect_differences("ring alone", alone, ring(24, 3, 300'000, 1));
    kink();
    equal_times();
    return rankwise::test::conclude();
}
