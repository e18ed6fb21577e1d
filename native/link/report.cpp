#include "report.h"

#include <sstream>

namespace rankwise
{

namespace
{

double seconds(Time time)
{
    return static_cast<double>(time) / 1e9;
}

/// Names may hold anything but blanks and #.
std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += static_cast<unsigned char>(c) < 32 ? '?' : c;
    }
    return out + "\"";
}

void write_link(std::ostream &out, const Link &link)
{
    const LinkCounters &counters = link.counters();
    out << "{\"link\":" << quoted(link.name()) << ",\"packets\":" << counters.packets
        << ",\"bytes\":" << counters.bytes << ",\"dropped_packets\":" << counters.dropped_packets
        << ",\"lost_packets\":" << counters.lost_packets
        << ",\"queue_high_water_bytes\":" << counters.queue_high_water_bytes << "}";
}

void write_lateness(std::ostream &out, const Lateness &lateness)
{
    out << "\"lateness_seconds\":{\"p50\":" << seconds(lateness.quantile(0.5))
        << ",\"p99\":" << seconds(lateness.quantile(0.99)) << ",\"max\":" << seconds(lateness.max())
        << "},\"lateness_histogram\":[";
    const char *comma = "";
    for (std::size_t bucket = 0; bucket < Lateness::buckets; bucket++) {
        if (lateness.count(bucket) == 0)
            continue;
        out << comma << "[" << seconds(Lateness::upper_bound(bucket)) << ","
            << lateness.count(bucket) << "]";
        comma = ",";
    }
    out << "]";
}

} // namespace

std::string counters_json(Switch &network, const EmulatorCounters &counters)
{
    std::ostringstream out;
    out.precision(9);
    out << "{\"links\":[";
    const char *comma = "";
    for (const auto &link : network.links()) {
        out << comma;
        write_link(out, *link);
        comma = ",";
    }
    out << "],\"delivered_packets\":" << network.counters().delivered_packets
        << ",\"unknown_frames\":" << network.counters().unknown_frames
        << ",\"malformed_frames\":" << counters.malformed_frames
        << ",\"undeliverable_frames\":" << counters.undeliverable_frames << ",";
    write_lateness(out, counters.lateness);
    out << ",\"cpu_seconds\":" << counters.cpu_seconds
        << ",\"wall_seconds\":" << counters.wall_seconds
        << ",\"realtime\":" << (counters.realtime ? "true" : "false")
        << ",\"deep_idle_avoided\":" << (counters.deep_idle_avoided ? "true" : "false") << "}";
    return out.str();
}

} // namespace rankwise
