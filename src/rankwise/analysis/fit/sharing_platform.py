"""What the patterns of one site tell, added to the platform of single messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankwise.analysis.fit.accuracy import SharingFit
from rankwise.analysis.fit.sharing import Simulate, covering_error
from rankwise.analysis.fit.sharing_costs import Estimate
from rankwise.analysis.fit.sharing_data import Observed
from rankwise.core.platform import Interval, Platform, PlatformSite, Route


def with_sharing(
    platform: Platform, site: str, fit: SharingFit, unseen: Sequence[Observed], simulate: Simulate
) -> Platform:
    """Return the platform with the rates of this site's nodes and with all models, each with its interval.

    A model's error is that of this very platform on the patterns that no fit has seen, `unseen`: what a message
    costs alone was fitted to single messages, and that has a share in it.
    """
    measured = {"out_bytes_per_second": fit.out_rate, "in_bytes_per_second": fit.in_rate}
    rates = {key: rate for key, rate in measured.items() if rate}
    sites = tuple(
        _with_rates(candidate, fit) if candidate.name == site else candidate for candidate in platform.sites
    )
    fitted = replace(platform, sites=sites, models=tuple(model_fit.model for model_fit in fit.models.values()))
    if unseen:
        alone = _one_site(fitted, site)
        fitted = replace(fitted, models=tuple(
            replace(candidate, relative_error=covering_error(alone, candidate.name, unseen, simulate))
            for candidate in fitted.models
        ))  # fmt: skip
    return replace(
        fitted,
        intervals={**platform.intervals, **_intervals(site, rates, fit)},
        not_identified=_not_identified(platform, site, rates, fit),
    )


def _with_rates(site: PlatformSite, fit: SharingFit) -> PlatformSite:
    """A NIC that was not the limit keeps the rate that single messages told."""
    (fitted,) = fit.platform.sites
    return replace(
        site,
        out_bytes_per_second=(fitted if fit.out_rate else site).out_bytes_per_second,
        in_bytes_per_second=(fitted if fit.in_rate else site).in_bytes_per_second,
    )


def _one_site(platform: Platform, site: str) -> Platform:
    """The platform of this site's nodes alone: ranks of its patterns count from there."""
    own: tuple[Route, ...] = tuple(
        route for route in platform.routes if route.from_site == site and route.to_site == site
    )  # fmt: skip
    return replace(
        platform, sites=tuple(candidate for candidate in platform.sites if candidate.name == site),
        routes=tuple(replace(route, links=()) for route in own), links=(),
    )  # fmt: skip


def _intervals(site: str, rates: Mapping[str, Estimate], fit: SharingFit) -> dict[str, Interval]:
    of_rates = {f"sites.{site}.{key}": rate.interval for key, rate in rates.items()}
    of_models = {
        f"models.{name}.{key}": interval
        for name, model_fit in fit.models.items()
        for key, interval in model_fit.intervals.items()
    }
    return {**of_rates, **of_models}


def _not_identified(
    platform: Platform, site: str, rates: Mapping[str, Estimate], fit: SharingFit
) -> dict[str, str]:  # fmt: skip
    """Return what is left; one switch has no links, those between sites stay unknown."""
    left = dict(platform.not_identified)
    for key in ("models", "links", *(f"sites.{site}.{key}" for key in rates)):
        left.pop(key, None)
    if len(platform.sites) > 1:
        left["links"] = "patterns were measured within one site: what sites share between them is not known"
    for name, model_fit in fit.models.items():
        left |= {f"models.{name}.{key}": why for key, why in model_fit.not_identified.items()}
    return left
