// Where the processes of this site listen: nobody is ever connected to anything else.
#pragma once
#include "frame.h"
#include <functional>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <vector>

namespace rankwise::relay
{

class Registry
{
  public:
    using Found = std::function<void(const std::optional<sockaddr_in> &)>;

    explicit Registry(double patience_seconds) : patience_(patience_seconds)
    {
    }
    void add(Target target, const sockaddr_in &at);
    void remove(Target target)
    {
        places_.erase(target);
    }
    bool is_empty() const
    {
        return places_.empty();
    }
    /// Tells at once, or when the process has come; nothing if it does not in time.
    void ask(Target target, Found found);
    /// To be called now and then.
    void turn();

  private:
    struct Waiting {
        Target target;
        double deadline;
        Found found;
    };
    double patience_;
    std::map<Target, sockaddr_in> places_;
    std::vector<Waiting> waiting_;
};

} // namespace rankwise::relay
