// Being in another network namespace for a while.
#pragma once
#include "base/descriptor.h"
#include <string>

namespace rankwise
{

/// From construction to destruction the calling thread is in the namespace at `path`,
/// /proc/PID/ns/net or /run/netns/NAME. What is opened meanwhile belongs to it and stays there.
class NetNamespace
{
  public:
    explicit NetNamespace(const std::string &path);
    ~NetNamespace();
    NetNamespace(const NetNamespace &) = delete;
    NetNamespace &operator=(const NetNamespace &) = delete;

  private:
    Descriptor home_;
};

} // namespace rankwise
