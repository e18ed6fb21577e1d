"""A platform from the classes of pairs that were fitted: sites with the rates of their nodes, and routes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from rankwise.analysis.fit.point_to_point import ClassFit, named_after
from rankwise.core.platform import PairClass, Platform, PlatformSite, Provenance, Route

SitePair = tuple[str, str]


def platform_of(
    nodes: Mapping[str, Sequence[str]],
    fits: Mapping[SitePair, ClassFit],
    same_node: ClassFit | None,
    provenance: Provenance,
) -> Platform:
    """Return the platform of sites with these nodes; `fits` by pair of sites, in either order, (a, a) within one.

    Nothing is known yet of what concurrent messages share: there are no links beside the nodes' own. Raises
    ValueError where no class was fitted at all.
    """
    everything = [named_after(fit) for fit in (*filter(None, [same_node]), *fits.values())]
    if not everything:
        raise ValueError("a platform has at least one class of pairs")
    unknown = {key: why for fit in everything for key, why in fit.not_identified.items()}
    if same_node is None:
        unknown["same_node"] = "no host has two slots: two ranks of one node were not measured"
    sites, routes = [], []
    for name, own in nodes.items():
        rate, why = _rate(name, fits, same_node)
        sites.append(PlatformSite(name, tuple(own), rate, rate))
        unknown |= {f"sites.{name}.{key}": why for key in _RATES if why}
    for source, destination in product(nodes, nodes):
        between = _between(source, destination, fits)
        if between is None:
            unknown[f"routes.{source}.{destination}"] = "there is no pair of nodes: that of another class is taken"
        routes.append(Route(source, destination, (between or same_node or everything[0]).pair_class.name))
    unknown |= dict.fromkeys(("links", "models"), "what concurrent messages share was not measured")
    unknown |= dict.fromkeys(_COMPUTING, "nothing was measured that computes")
    return Platform(
        sites=tuple(sites), routes=tuple(routes), classes=_classes(everything),
        same_node=(same_node or everything[0]).pair_class.name, provenance=provenance,
        intervals={key: interval for fit in everything for key, interval in fit.intervals.items()},
        misfits={fit.pair_class.name: fit.misfit for fit in everything}, not_identified=unknown,
    )  # fmt: skip


_COMPUTING = ("flops_per_second", "copy_seconds_per_byte", "reduce_seconds_per_byte")
_RATES = ("out_bytes_per_second", "in_bytes_per_second")


def _classes(fits: Sequence[ClassFit]) -> tuple[PairClass, ...]:
    return tuple(fit.pair_class for fit in fits)


def _between(source: str, destination: str, fits: Mapping[SitePair, ClassFit]) -> ClassFit | None:
    return fits.get((source, destination)) or fits.get((destination, source))


def _rate(site: str, fits: Mapping[SitePair, ClassFit], same_node: ClassFit | None) -> tuple[float, str]:
    """What a node of the site sends and receives at most, and why that is not known ('': it is)."""
    own = fits.get((site, site))
    if own and own.gap_seconds_per_byte > 0:
        return 1 / own.gap_seconds_per_byte, ""
    gaps = [fit.gap_seconds_per_byte for pair, fit in fits.items() if site in pair]
    if usable := [gap for gap in gaps if gap > 0]:
        return 1 / min(usable), "the site has one node: it is at least what goes to another site"
    gap = same_node.gap_seconds_per_byte if same_node else 0.0
    return (1 / gap if gap > 0 else 1e9), "there is no other node: no message leaves this one"
