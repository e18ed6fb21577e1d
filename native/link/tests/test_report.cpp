// The lateness histogram, and the counters as JSON.
#include "base/tests/check.h"
#include "link/report.h"
#include "world.h"

using namespace rankwise;
using namespace rankwise::test;

namespace
{

void quantiles()
{
    Lateness lateness;
    CHECK(lateness.quantile(0.5) == 0 && lateness.max() == 0);
    for (Time late = 1; late <= 100'000; late++)
        lateness.add(late);
    CHECK_NEAR(lateness.quantile(0.5), 50'000, 0.13 * 50'000);
    CHECK_NEAR(lateness.quantile(0.99), 99'000, 0.13 * 99'000);
    CHECK(lateness.quantile(1) == 100'000 && lateness.max() == 100'000);
}

/// Every time is below its bucket's bound, and not below that of the bucket before.
void buckets()
{
    for (Time late = 0; late < Time{1} << 34; late += 1 + late / 7) {
        Lateness lateness;
        lateness.add(late);
        std::size_t bucket = 0;
        while (lateness.count(bucket) == 0)
            bucket++;
        CHECK(late < Lateness::upper_bound(bucket));
        CHECK(bucket == 0 || late >= Lateness::upper_bound(bucket - 1));
        CHECK(late < 16 ||
              static_cast<double>(Lateness::upper_bound(bucket)) <= 1.13 * double(late));
    }
    Lateness extremes;
    extremes.add(-5);
    extremes.add(3600 * second);
    CHECK(extremes.count(0) == 1 && extremes.count(Lateness::buckets - 1) == 1);
}

void json()
{
    World world("link a\"b 0 0 0 0 normal 0 1\nlink c\\d 1e9 0 100 0 normal 0 1\n"
                "node n x 10.0.0.1/8 a\"b a\"b\nnode m x 10.0.0.2/8 a\"b c\\d\nroute x x\n");
    for (int i = 0; i < 2; i++)
        world.network_switch.accept(0, plain_frame(0, 1, 100), 0);
    world.run();
    EmulatorCounters counters;
    counters.lateness.add(1'000'000);
    counters.realtime = true;
    counters.wall_seconds = 1.5;
    const std::string text = counters_json(world.network_switch, counters);
    CHECK(text ==
          R"({"links":[{"link":"a\"b","packets":2,"bytes":200,"dropped_packets":0,)"
          R"("lost_packets":0,"queue_high_water_bytes":0},{"link":"c\\d","packets":1,)"
          R"("bytes":100,"dropped_packets":1,"lost_packets":0,)"
          R"("queue_high_water_bytes":100}],"delivered_packets":1,"unknown_frames":0,)"
          R"("malformed_frames":0,"undeliverable_frames":0,"lateness_seconds":{"p50":0.001,)"
          R"("p99":0.001,"max":0.001},"lateness_histogram":[[0.001048576,1]],)"
          R"("cpu_seconds":0,"wall_seconds":1.5,"realtime":true,"deep_idle_avoided":false})");
}

} // namespace

int main()
{
    quantiles();
    buckets();
    json();
    return conclude();
}
