#include "sharing_model.h"

namespace rankwise::sim
{

std::unique_ptr<SharingModel> make_model(const ModelSettings &settings, Network &network)
{
    switch (settings.sharing) {
    case Sharing::none:
        return nullptr;
    case Sharing::max_min:
        return make_max_min(settings, network);
    case Sharing::alpha_fair:
        return make_alpha_fair(settings, network);
    case Sharing::queues:
        return make_alpha_fair(steady_state(settings), network);
    case Sharing::flow_cuts:
        return make_flow_cuts(settings, network);
    }
    return nullptr;
}

} // namespace rankwise::sim
