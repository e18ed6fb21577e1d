"""A platform as the JSON that `rankwise-sim` reads: rates in bytes a second, times in seconds, one model."""

from __future__ import annotations

import json
from typing import Any

from rankwise.core.errors import UnknownNameError
from rankwise.core.platform import ContentionModel, CostRange, PairClass, Platform

_COSTS = {
    "L": "latency_seconds",
    "o_s": "send_overhead_seconds",
    "o_s_byte": "send_overhead_seconds_per_byte",
    "o_r": "receive_overhead_seconds",
    "o_r_byte": "receive_overhead_seconds_per_byte",
    "g": "gap_seconds",
    "G": "gap_seconds_per_byte",
}
_REST = ("packet_bytes", "flops_per_second", "copy_seconds_per_byte", "reduce_seconds_per_byte")


def simulator_json(platform: Platform, model: str = "", tolerance: float | None = None) -> str:
    """Return the platform with this model of contention ('': its first), as `rankwise-sim --platform` takes it.

    `tolerance` is that of rates, as a share of the capacity; None leaves it to the simulator. A model that the
    platform has no parameters of has those of `ContentionModel`. Raises UnknownNameError for one that is unknown.
    """
    chosen = model_of(platform, model)
    written = {
        "format": "rankwise-platform 1",
        "sites": [
            {
                "name": site.name,
                "nodes": list(site.nodes),
                "out": site.out_bytes_per_second,
                "in": site.in_bytes_per_second,
            }
            for site in platform.sites
        ],
        "links": [{"name": link.name, "rate": link.bytes_per_second} for link in platform.links],
        "routes": [
            {"from": route.from_site, "to": route.to_site, "class": route.pair_class, "links": list(route.links)}
            for route in platform.routes
        ],
        "classes": [_class(pair_class) for pair_class in platform.classes],
        "same_node": platform.same_node,
        **{name: getattr(platform, name) for name in _REST},
        "model": _model(chosen) | ({} if tolerance is None else {"tolerance": tolerance}),
    }
    return json.dumps(written, ensure_ascii=False)


KNOWN_MODELS = ("queues", "alpha-fair", "max-min", "flow-cuts", "none")


def model_of(platform: Platform, name: str = "") -> ContentionModel:
    """Return the platform's model of this name, '': its first. Raises UnknownNameError for an unknown one."""
    if not name:
        return platform.models[0] if platform.models else ContentionModel()
    for model in platform.models:
        if model.name == name:
            return model
    if name not in KNOWN_MODELS:
        raise UnknownNameError("model of contention", name, KNOWN_MODELS)
    return ContentionModel(name)


def _class(pairs: PairClass) -> dict[str, Any]:
    return {
        "name": pairs.name,
        "eager_below": pairs.eager_below_bytes,
        "weight": pairs.weight,
        "ranges": [_range(costs) for costs in pairs.ranges],
    }


def _range(costs: CostRange) -> dict[str, Any]:
    """What is 0 is left out, and the last range has no end."""
    end = {} if costs.up_to_bytes is None else {"up_to": costs.up_to_bytes}
    return end | {name: value for name, key in _COSTS.items() if (value := getattr(costs, key))}


def _model(model: ContentionModel) -> dict[str, Any]:
    """Only what the simulator knows of a model of this name."""
    written: dict[str, Any] = {"name": model.name}
    if model.name == "flow-cuts":
        return written | {"outer_cut": model.outer_cut, "mixed_cut": model.mixed_cut}
    if model.name == "alpha-fair":
        written["alpha"] = model.alpha
    if model.name == "none":
        return written
    if model.name == "queues":
        written["window"] = model.window_bytes
    return written | {"kappa": model.kappa}
