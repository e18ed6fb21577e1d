// What a model of contention is: it gives flows that share resources their rates.
//
// A model is one file: it derives from SharingModel, or from LocalRelaxation where each resource
// has a price and the rates follow from these, and is named in model_names.cpp.
#pragma once
#include "../network.h"
#include <memory>

namespace rankwise::sim
{

class SharingModel
{
  public:
    virtual ~SharingModel() = default;

    /// A flow has begun, and shares one of its resources with others. It has to have a rate when
    /// this returns, if not its last one.
    virtual void started(std::uint32_t flow) = 0;
    /// A flow with this rate has left.
    virtual void ended(std::uint32_t flow) = 0;
    /// Give the flows their rates, with Network::set_rate where these change. Only what the flows
    /// that began and ended since the last time can have changed is looked at.
    virtual void settle() = 0;
    /// Tell whether a flow that shares nothing may have its limit for a rate without being asked
    /// about.
    virtual bool lone_is_free() const
    {
        return true;
    }
};

std::unique_ptr<SharingModel> make_model(const ModelSettings &settings, Network &network);

std::unique_ptr<SharingModel> make_max_min(const ModelSettings &settings, Network &network);
std::unique_ptr<SharingModel> make_alpha_fair(const ModelSettings &settings, Network &network);
std::unique_ptr<SharingModel> make_flow_cuts(const ModelSettings &settings, Network &network);

} // namespace rankwise::sim
