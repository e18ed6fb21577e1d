#include "coupled_cells.h"

static int64_t begin_of(int64_t cells, int part, int parts)
{
    return cells / parts * part + cells % parts * part / parts;
}

double initial(bool first, int64_t cell)
{
    return first ? 1 + (double)(cell % 997) : 1000 + (double)(cell % 1009);
}

/* The new value of a cell, of this model's own and the other one's. Signs change in every step, so
 * that a value of another step than this one is not mistaken for it; nothing that ever came in is
 * forgotten. `older`: the other one's value is of the step before. */
static double advance(bool first, bool both, bool older, double mine, double theirs)
{
    if (!both)
        return first ? -mine * (1 - 1.0 / 4096) : mine + theirs / 4;
    return -(mine + ((older ? -theirs : theirs) - mine) / 4);
}

static bool sees_older(const Model *m, bool first)
{
    return m->hidden || (m->turns && first);
}

void advance_cells(Model *m)
{
    const bool older = sees_older(m, m->first);
    for (int64_t i = 0; i < m->cells; i++)
        m->mine[i] = advance(m->first, m->both, older, m->mine[i], m->theirs[i]);
}

double expected(const Model *m, int steps, double one, double other)
{
    double seen_by_one = 0, seen_by_other = 0;
    for (int i = 0; i < steps + m->hidden; i++) {
        const double before = one, other_before = other;
        if (!m->hidden)
            seen_by_one = other, seen_by_other = one;
        if (m->turns) {
            other = advance(false, m->both, sees_older(m, false), other, one);
            one = advance(true, m->both, sees_older(m, true), one, other);
            continue;
        }
        one = advance(true, m->both, sees_older(m, true), one, seen_by_one);
        other = advance(false, m->both, sees_older(m, false), other, seen_by_other);
        seen_by_one = other_before, seen_by_other = before;
    }
    return m->first ? one : other;
}

void distribute(Model *m, int64_t all)
{
    AppRun *r = m->run;
    const int firsts = (r->ranks + 1) / 2, seconds = r->ranks - firsts;
    m->first = r->rank < firsts;
    const int own = m->first ? firsts : seconds, others = m->first ? seconds : firsts;
    const int place = m->first ? r->rank : r->rank - firsts, peers_begin = m->first ? firsts : 0;
    m->low = begin_of(all, place, own);
    m->cells = begin_of(all, place + 1, own) - m->low;
    m->parts = memory(r, sizeof *m->parts * (size_t)others);
    for (int i = 0; i < others; i++) {
        const int64_t low = begin_of(all, i, others), high = begin_of(all, i + 1, others);
        const int64_t first = low > m->low ? low : m->low;
        const int64_t last = high < m->low + m->cells ? high : m->low + m->cells;
        if (first < last)
            m->parts[m->count++] = (Part){peers_begin + i, first - m->low, last - first};
    }
}
