"""Patterns that tell what sites share between them.

Ranks 0 to k-1 are nodes of one site, k to 2k-1 those of another one, or of all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.core.flows import Flow, Pattern

MOST_PAIRS = 4
FEWEST_PAIRS = 2
ALONE_SHARES = (1, 2, 4)
"""A flow alone has all of the bytes, a half and a quarter: a line needs more than a point."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two sites with so many nodes each, and the bytes of each flow between them."""

    pairs: int
    size_bytes: int

    def there(self, count: int) -> Pattern:
        """Return flows of so many pairs of nodes, from the first site to the other."""
        return tuple(Flow(i, self.pairs + i, self.size_bytes) for i in range(count))

    def back(self, count: int) -> Pattern:
        """Return the same in the other direction, of the last pairs: other nodes than `there` has, if possible."""
        return tuple(
            Flow(self.pairs + i, i, self.size_bytes) for i in range(self.pairs - count, self.pairs)
        )  # fmt: skip

    @property
    def alone(self) -> tuple[Pattern, ...]:
        """Return one flow, of several sizes."""
        return tuple((Flow(0, self.pairs, self.size_bytes // share),) for share in ALONE_SHARES)

    @property
    def alone_back(self) -> Pattern:
        """Return one flow in the other direction."""
        return (Flow(self.pairs, 0, self.size_bytes),)

    @property
    def both_ways(self) -> Pattern:
        """Return flows there and back, at nodes that either send or receive."""
        half = self.pairs // 2
        return self.there(half) + self.back(half)

    @property
    def against(self) -> Pattern:
        """Return one flow there, beside flows back of all other pairs."""
        return self.there(1) + self.back(self.pairs - 1)

    @property
    def within(self) -> tuple[Pattern, ...]:
        """Return one flow within each site."""
        return (Flow(0, 1, self.size_bytes),), (Flow(self.pairs + 1, self.pairs, self.size_bytes),)

    @property
    def beside_within(self) -> tuple[Pattern, ...]:
        """Return a flow to the other site that shares a NIC with one within its own, or within the other."""
        across = Flow(0, self.pairs, self.size_bytes)
        return tuple((across, *within) for within in self.within)

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """Return all of them, each once."""
        more = [self.there(count) for count in range(2, self.pairs + 1)]
        more += [self.back(count) for count in {self.pairs // 2, self.pairs}]
        more += [self.both_ways, self.against]
        every = (*self.alone, self.alone_back, *more, *self.within, *self.beside_within)
        return tuple(dict.fromkeys(every))


@dataclass(frozen=True, slots=True)
class Fan:
    """A site with its nodes first, and nodes of others behind: what goes to several sites may share an uplink."""

    pairs: int
    size_bytes: int

    @property
    def out(self) -> Pattern:
        """Return flows from the site, each to another one's node."""
        return tuple(Flow(i, self.pairs + i, self.size_bytes) for i in range(self.pairs))

    @property
    def into(self) -> Pattern:
        """Return flows to the site."""
        return tuple(Flow(self.pairs + i, i, self.size_bytes) for i in range(self.pairs))

    def to_one_site(self, sites: Sequence[str], *, into: bool) -> tuple[Pattern, ...]:
        """Return the flows of each other site by themselves; `sites`: of the nodes behind, in their order."""
        flows = self.into if into else self.out
        return tuple(
            tuple(flow for flow, site in zip(flows, sites, strict=True) if site == target)
            for target in dict.fromkeys(sites)
        )

    def patterns(self, sites: Sequence[str]) -> tuple[Pattern, ...]:
        """Return all of them."""
        apart = (*self.to_one_site(sites, into=False), *self.to_one_site(sites, into=True))
        return tuple(dict.fromkeys((self.out, self.into, *apart)))
