"""Who is on which site, in the record of a job over several sites, and what went between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankwise.analysis.trace.matrix import Matrix
from rankwise.analysis.trace.reading import Trace

SITES = "sites"
"""In what is known of the job: a list of sites, each with `site`, `implementation` and the number of `ranks`."""


@dataclass(frozen=True, slots=True)
class SiteUse:
    """One site: its ranks of MPI_COMM_WORLD, and their messages, point to point."""

    site: str
    implementation: str
    first: int
    ranks: int
    hosts: tuple[str, ...]
    messages_within: int
    bytes_within: int
    messages_to_others: int
    bytes_to_others: int

    @property
    def last(self) -> int:
        """Return the highest rank."""
        return self.first + self.ranks - 1


def site_uses(trace: Trace, matrix: Matrix) -> tuple[SiteUse, ...]:
    """Return the sites in the order of their ranks; () for a job of one MPI, or if what is known does not fit."""
    stated = trace.about.get(SITES)
    if not isinstance(stated, list) or not all(map(_is_site, stated)):
        return ()
    uses, first = [], 0
    for site in stated:
        ranks = site["ranks"]
        own = slice(first, first + ranks)
        hosts = dict.fromkeys(of.host for of in trace.ranks if first <= of.rank < first + ranks)
        messages, within = int(matrix.messages[own].sum()), int(matrix.messages[own, own].sum())
        size, size_within = int(matrix.bytes[own].sum()), int(matrix.bytes[own, own].sum())
        uses.append(
            SiteUse(
                str(site["site"]), str(site["implementation"]), first, ranks, tuple(hosts),
                within, size_within, messages - within, size - size_within,
            )
        )  # fmt: skip
        first += ranks
    return tuple(uses) if first == len(matrix.messages) else ()


def _is_site(site: Any) -> bool:
    named = isinstance(site, dict) and {"site", "implementation", "ranks"} <= site.keys()
    return named and isinstance(site["ranks"], int) and site["ranks"] > 0
