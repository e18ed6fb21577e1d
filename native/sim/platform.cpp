#include "platform.h"

#include "base/error.h"
#include "json.h"
#include <algorithm>
#include <map>

namespace rankwise::sim
{

namespace
{

constexpr double kSlowest = 1, kFastest = 1e15; // bytes a second
constexpr std::int64_t kMostNodes = 1 << 26;

class Reader
{
  public:
    explicit Reader(const Json &file) : file_(file)
    {
    }

    Platform read()
    {
        file_.expect_only({"format", "sites", "links", "routes", "classes", "same_node",
                           "packet_bytes", "flops_per_second", "copy_seconds_per_byte",
                           "reduce_seconds_per_byte", "model", "provenance"});
        if (file_["format"].text() != "rankwise-platform 1")
            file_["format"].fail("expected \"rankwise-platform 1\"");
        read_classes();
        read_sites();
        read_links();
        read_routes();
        read_rest();
        if (const Json *model = file_.find("model"))
            read_model(*model);
        return std::move(platform_);
    }

  private:
    static Time time(const Json &range, std::string_view name)
    {
        return from_seconds(range.number_or(name, 0, 0, kLongestSeconds));
    }
    static double per_byte(const Json &range, std::string_view name)
    {
        return range.number_or(name, 0, 0, 1) * kPicosecondsPerSecond;
    }
    static CostRange cost_range(const Json &range)
    {
        range.expect_only({"up_to", "L", "o_s", "o_s_byte", "o_r", "o_r_byte", "g", "G"});
        CostRange costs;
        costs.up_to = range.whole_number_or("up_to", INT64_MAX, 0, std::int64_t{1} << 52);
        costs.latency = time(range, "L");
        costs.send_overhead = time(range, "o_s");
        costs.receive_overhead = time(range, "o_r");
        costs.send_overhead_byte = per_byte(range, "o_s_byte");
        costs.receive_overhead_byte = per_byte(range, "o_r_byte");
        costs.gap = time(range, "g");
        costs.gap_byte = per_byte(range, "G");
        return costs;
    }
    void read_classes()
    {
        for (const Json &one : file_["classes"].array()) {
            one.expect_only({"name", "eager_below", "weight", "ranges"});
            PairClass made;
            made.name = one["name"].text();
            made.eager_below = one.whole_number_or("eager_below", 65536, 0, std::int64_t{1} << 52);
            made.weight = one.number_or("weight", 1, 1e-6, 1e6);
            for (const Json &range : one["ranges"].array()) {
                made.ranges.push_back(cost_range(range));
                if (made.ranges.size() > 1 &&
                    made.ranges.rbegin()[1].up_to >= made.ranges.back().up_to)
                    range.fail("\"up_to\" must grow from one range to the next");
            }
            if (made.ranges.empty() || made.ranges.back().up_to != INT64_MAX)
                one["ranges"].fail("the last range must be without \"up_to\"");
            number(class_numbers_, made.name, one);
            platform_.classes.push_back(std::move(made));
        }
        if (platform_.classes.empty())
            file_["classes"].fail("there is no class of pairs");
        platform_.same_node = class_named(file_["same_node"]);
    }
    void read_sites()
    {
        for (const Json &one : file_["sites"].array()) {
            one.expect_only({"name", "nodes", "out", "in"});
            const std::string &name = one["name"].text();
            number(site_numbers_, name, one);
            platform_.sites.push_back(name);
            add_nodes(one);
        }
        if (platform_.nodes.empty())
            file_["sites"].fail("there is no node");
        platform_.routes.resize(platform_.sites.size() * platform_.sites.size());
    }
    void add_nodes(const Json &site)
    {
        Node node;
        node.site = static_cast<std::uint32_t>(platform_.sites.size() - 1);
        node.out = site["out"].number(kSlowest, kFastest);
        node.in = site["in"].number(kSlowest, kFastest);
        const Json &nodes = site["nodes"];
        std::vector<std::string> &names = platform_.node_names.emplace_back();
        if (nodes.is_array())
            for (const Json &name : nodes.array())
                names.push_back(name.text());
        const std::size_t count = nodes.is_array()
                                      ? names.size()
                                      : static_cast<std::size_t>(nodes.whole_number(1, kMostNodes));
        platform_.nodes.reserve(platform_.nodes.size() + count);
        for (; node.number < count; node.number++)
            platform_.nodes.push_back(node);
    }
    void read_links()
    {
        const Json *links = file_.find("links");
        if (links == nullptr)
            return;
        for (const Json &one : links->array()) {
            one.expect_only({"name", "rate"});
            number(link_numbers_, one["name"].text(), one);
            platform_.links.push_back(
                {one["name"].text(), one["rate"].number(kSlowest, kFastest), 0});
        }
    }
    void read_routes()
    {
        std::vector<char> known(platform_.routes.size());
        std::vector<char> placed(platform_.links.size());
        for (const Json &one : file_["routes"].array()) {
            one.expect_only({"from", "to", "links", "class"});
            const std::size_t place =
                number_of(site_numbers_, one["from"]) * platform_.sites.size() +
                number_of(site_numbers_, one["to"]);
            if (known[place])
                one.fail("there are two routes between these sites");
            known[place] = true;
            Route &route = platform_.routes[place];
            route.pair_class = class_named(one["class"]);
            if (const Json *links = one.find("links"))
                for (const Json &link : links->array())
                    add_link(route, link, placed);
        }
        for (std::size_t place = 0; place < known.size(); place++)
            if (!known[place])
                file_["routes"].fail("there is no route from " +
                                     platform_.sites[place / platform_.sites.size()] + " to " +
                                     platform_.sites[place % platform_.sites.size()]);
    }
    void add_link(Route &route, const Json &link, std::vector<char> &placed)
    {
        const std::uint32_t number = number_of(link_numbers_, link);
        if (std::ranges::find(route.links, number) != route.links.end())
            link.fail("a route takes a link twice");
        if (route.links.size() + 2 == kLongestRoute)
            link.fail("a route has at most " + std::to_string(kLongestRoute - 2) + " links");
        if (!placed[number])
            platform_.links[number].place = static_cast<std::uint32_t>(route.links.size());
        placed[number] = true;
        route.links.push_back(number);
    }
    void read_rest()
    {
        platform_.packet_bytes = file_.whole_number_or("packet_bytes", 1500, 0, 1 << 30);
        platform_.flops_per_second = file_.number_or("flops_per_second", 1e9, 1, 1e21);
        platform_.copy_seconds_per_byte = file_.number_or("copy_seconds_per_byte", 0, 0, 1);
        platform_.reduce_seconds_per_byte = file_.number_or("reduce_seconds_per_byte", 0, 0, 1);
    }
    void read_model(const Json &model)
    {
        model.expect_only(
            {"name", "alpha", "kappa", "tolerance", "outer_cut", "mixed_cut", "window"});
        try {
            platform_.model = model_named(model["name"].text());
        } catch (const Error &error) {
            model["name"].fail(error.what());
        }
        ModelSettings &m = platform_.model;
        // Prices are rates to the power of -alpha: beyond 16 they span more than numbers do, and
        // max-min is 2 % away.
        if (const Json *alpha = model.find("alpha")) {
            if (alpha->number(0, 1e300) > 16)
                alpha->fail("alpha is above 16: take the model max-min, which is its limit");
            m.alpha = alpha->number(0.1, 16);
        }
        m.kappa = model.number_or("kappa", 2, 1, 1e300);
        m.tolerance = model.number_or("tolerance", 1e-3, 1e-10, 0.1);
        m.outer_cut = model.number_or("outer_cut", 0.5, 1e-3, 1);
        m.mixed_cut = model.number_or("mixed_cut", 3, 0, 1000);
        m.window = model.number_or("window", 0, 0, 1e12);
    }

    using Numbers = std::map<std::string, std::uint32_t, std::less<>>;
    static void number(Numbers &numbers, const std::string &name, const Json &where)
    {
        if (!numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).second)
            where.fail("there are two of the name " + name);
    }
    static std::uint32_t number_of(const Numbers &numbers, const Json &name)
    {
        const auto found = numbers.find(name.text());
        if (found == numbers.end())
            name.fail("nothing has the name " + name.text());
        return found->second;
    }
    std::uint32_t class_named(const Json &name) const
    {
        return number_of(class_numbers_, name);
    }

    const Json &file_;
    Platform platform_;
    Numbers class_numbers_, site_numbers_, link_numbers_;
};

} // namespace

ModelSettings model_named(const std::string &name)
{
    static const std::map<std::string, Sharing> names = {{"none", Sharing::none},
                                                         {"max-min", Sharing::max_min},
                                                         {"alpha-fair", Sharing::alpha_fair},
                                                         {"flow-cuts", Sharing::flow_cuts},
                                                         {"queues", Sharing::queues}};
    const auto found = names.find(name);
    if (found == names.end())
        throw input_error("there is no model " + name,
                          "one of queues, alpha-fair, max-min, flow-cuts, none");
    ModelSettings settings;
    settings.sharing = found->second;
    return settings;
}

ModelSettings steady_state(ModelSettings settings)
{
    if (settings.sharing == Sharing::queues) {
        settings.sharing = Sharing::alpha_fair;
        settings.alpha = 1;
    }
    return settings;
}

Platform read_platform(std::string_view text, const std::string &file_name)
{
    const Json file = Json::read(text, file_name);
    return Reader(file).read();
}

} // namespace rankwise::sim
