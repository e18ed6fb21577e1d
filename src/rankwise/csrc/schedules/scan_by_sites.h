/* Scans over sites whose ranks are neighbours: one crossing. */
#ifndef RANKWISE_SCAN_BY_SITES_H
#define RANKWISE_SCAN_BY_SITES_H

#include "sites.h"

const char *scan_objection(const Problem *p);
void scan_by_sites(Schedule *s, const Problem *p); /* p->operation is SCAN or EXSCAN */

#endif
