"""The values of a control variable, which MPICH numbers by their places in its description."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LISTED = re.compile(r"(\w+) +- ")
_FIRST = "auto"


def listed(description: str, names: Iterable[str]) -> list[str]:
    """Return the values that a variable's description lists, in order; '' for one that is not among `names`.

    MPICH 4 runs the lines together: `Binomial Treenb - Force ...`.
    """
    longest_first = sorted(names, key=len, reverse=True)
    tokens = _LISTED.findall(description)
    first = next((place for place, token in enumerate(tokens) if token.endswith(_FIRST)), len(tokens))
    return [_FIRST if place == first else _ending(token, longest_first) for place, token in enumerate(tokens)][
        first:
    ]


def _ending(token: str, names: Iterable[str]) -> str:
    return next(
        (name for name in names if token.endswith(name) and not token.removesuffix(name).endswith("_")), ""
    )
