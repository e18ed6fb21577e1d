"""What a call was called with, as a row of numbers (docs/traces.md): does it say all that its kind says?"""

from __future__ import annotations

from collections.abc import Sequence

_SHORTEST = {
    "region": 3, "send": 5, "isend": 6, "recv": 8, "irecv": 6, "both": 11, "probe": 7, "start": 7, "completion": 2,
    "collective": 5, "created": 2, "freed": 2, "rma": 6, "sync": 3, "window": 3, "window_free": 3, "file": 3,
}  # fmt: skip
"""How many numbers a signature has at least; those of calls that failed have the function alone."""


def wrong_row(row: tuple[int, ...], functions: Sequence[tuple[str, str]]) -> str:
    """Return why a signature does not say what those of its kind say; '' if it does."""
    if not row or not 0 <= row[0] < len(functions):
        return "a call refers to a missing function"
    function, kind = functions[row[0]]
    whole = (
        {"completion": len(row) == 2 + 4 * abs(row[1]), "start": len(row) % 6 in {1, 2}} if len(row) > 1 else {}
    )
    if 1 < len(row) < _SHORTEST.get(kind, 1) or not whole.get(kind, True):
        return f"a call of {function} is cut off"
    return "a number is too large" if max(map(abs, row)) > 2**62 else ""


def goes_on(row: tuple[int, ...], kind: str) -> bool:
    """Return whether the same call goes on in the next row: it had more requests than a row has room for."""
    return len(row) > 1 and ((kind == "completion" and row[1] < 0) or (kind == "start" and len(row) % 6 == 2))
