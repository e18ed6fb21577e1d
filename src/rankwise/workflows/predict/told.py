"""A prediction as JSON for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rankwise.analysis.predict.results import Prediction


def as_json(found: Prediction) -> dict[str, Any]:
    """Return what was predicted, rank by rank; the platform and the timeline are left out."""
    simulation = found.simulation
    return {
        "title": found.title,
        "platform": found.platform_name,
        "model": found.model,
        "total_seconds": simulation.total_seconds,
        "band": None if found.band is None else asdict(found.band),
        "no_band": found.no_band,
        "messages": simulation.messages,
        "bytes": simulation.size_bytes,
        "spread": None if simulation.spread is None else asdict(simulation.spread),
        "baseline_seconds": found.baseline_seconds,
        "changes": list(found.changes),
        "jobs": [asdict(one) for one in simulation.jobs],
        "nodes_of_ranks": list(found.nodes_of_ranks),
        "critical_path_seconds": {one.what: one.seconds for one in simulation.critical_path},
        "contention_seconds": simulation.contention_seconds,
        "contention_by_link": [asdict(one) for one in simulation.by_link],
        "contention_by_pair": [asdict(one) for one in simulation.by_pair],
        "what_would_help": [asdict(one) for one in found.helps],
        "measured": [asdict(one) | {"error": one.error} for one in found.measured],
        "notices": [asdict(one) for one in found.notices],
    }
