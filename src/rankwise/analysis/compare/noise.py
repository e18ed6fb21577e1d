"""What the noise of a run is made of, in words."""

from __future__ import annotations

from collections.abc import Iterable

from rankwise.core.records import Launch
from rankwise.stats.variances import VarianceParts, Variances

_FROM = {
    "launch": "from launch to launch",
    "cell": "from cell to cell within a launch, the same at each visit",
    "visit": "from where a cell stands in its launch",
    "repetition": "from repetition to repetition",
}


def noise(launches: Iterable[Launch]) -> VarianceParts | None:
    """Return the parts of the variance of all these launches; None where they are too few."""
    variances = Variances()
    for launch in launches:
        variances.add(launch)
    return variances.parts()


def noise_sentence(parts: VarianceParts | None) -> str:
    """Return the parts as a sentence, the largest first; '' where nothing is known.

    `Of the noise 64% comes from where a cell stands in its launch, 34% from launch to launch and 2% ...`
    """
    shares = sorted((parts.shares() if parts else {}).items(), key=lambda item: -item[1])
    said = [f"{share:.0%} comes {_FROM[name]}" for name, share in shares if share >= 0.005]
    return f"of the noise, {', '.join(said)}" if said else ""
