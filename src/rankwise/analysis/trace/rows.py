"""What a call was called with, as a row of numbers (docs/traces.md): does it say all that its kind says?"""

from __future__ import annotations

from collections.abc import Sequence

_SHORTEST = {
    "region": 3, "send": 5, "isend": 6, "recv": 8, "irecv": 6, "both": 11, "probe": 7, "start": 7, "completion": 2,
    "collective": 5, "created": 2, "freed": 2,
}  # fmt: skip
"""How many numbers a signature has at least; those of calls that failed have the function alone."""


def wrong_row(row: tuple[int, ...], functions: Sequence[tuple[str, str]]) -> str:
    """Return why a signature does not say what those of its kind say; '' if it does."""
    if not row or not 0 <= row[0] < len(functions):
        return "there is a call of a function that is not there"
    function, kind = functions[row[0]]
    if 1 < len(row) < _SHORTEST.get(kind, 1) or (kind == "completion" and 1 < len(row) != 2 + 4 * row[1]):
        return f"a call of {function} is cut off"
    return "a number is larger than any" if max(map(abs, row)) > 2**62 else ""
