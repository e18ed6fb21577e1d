"""How many ranks a job may have: checked where a number comes from, before anything of that size is made."""

from __future__ import annotations

from rankwise.core.errors import InputError

MOST_RANKS = 1_000_000
"""Of one job. More is a mistake, and would fill the memory before any launcher could say so."""


def checked_ranks(ranks: int) -> int:
    """Return the number. Raises InputError for more than any job has."""
    if ranks > MOST_RANKS:
        raise InputError("too many ranks", f"a job has at most {MOST_RANKS}")
    return ranks
