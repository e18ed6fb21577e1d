#include "scan_by_sites.h"

ALGORITHM(one_crossing, EXSCAN) = {
    .description = "one rank of each site adds up its site, and sends the sum to all later sites",
    .generate = scan_by_sites,
    .for_networks = true,
    .objection = scan_objection,
};
