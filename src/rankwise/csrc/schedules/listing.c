/* How long the structures are, for bindings that describe them again: they compare these first. */
#include "algorithm.h"

extern const int64_t schedule_layout[];
const int64_t schedule_layout[] = {
    sizeof(Problem), sizeof(Algorithm), sizeof(Network), sizeof(Schedule), sizeof(Step), OPERATIONS,
};
