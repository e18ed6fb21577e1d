"""The algorithms of `tuned` in each version of Open MPI, as its sources number them, installed or not."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.core.vocabulary import Vocabulary

_FIRST: Mapping[str, str] = {
    "allgather": "linear bruck recursive_doubling ring neighbor two_proc",
    "allgatherv": "default bruck ring neighbor two_proc",
    "allreduce": "basic_linear nonoverlapping recursive_doubling ring segmented_ring rabenseifner",
    "alltoall": "linear pairwise modified_bruck linear_sync two_proc",
    "alltoallv": "basic_linear pairwise",
    "barrier": "linear double_ring recursive_doubling bruck two_proc tree",
    "bcast": "basic_linear chain pipeline split_binary_tree binary_tree binomial knomial scatter_allgather "
    "scatter_allgather_ring",
    "exscan": "linear recursive_doubling",
    "gather": "basic_linear binomial linear_sync",
    "reduce": "linear chain pipeline binary binomial in-order_binary rabenseifner",
    "reduce_scatter": "non-overlapping recursive_halving ring butterfly",
    "reduce_scatter_block": "basic_linear recursive_doubling recursive_halving butterfly",
    "scan": "linear recursive_doubling",
    "scatter": "basic_linear binomial",
}
"""Of 4.0, from number 1 on."""
_CHANGES: Mapping[str, Mapping[str, str]] = {
    "4.1": {"scatter": "basic_linear binomial linear_nb"},
    "5.0": {
        "allgather": "linear bruck recursive_doubling ring neighbor two_proc sparbit",
        "allgatherv": "default bruck ring neighbor two_proc sparbit",
    },
    "6.0": {
        "allgather": "linear bruck-k-fanout recursive_doubling ring neighbor two_proc sparbit direct-messaging",
        "allreduce": f"{_FIRST['allreduce']} allgather_reduce",
        "reduce": f"{_FIRST['reduce']} knomial",
    },
}
"""What each later version counts otherwise than the one before it."""


def published() -> tuple[Vocabulary, ...]:
    """Return the numbers and names of 4.0, 4.1, 5.0 and 6.0."""
    tables, vocabularies = dict(_FIRST), [_vocabulary("4.0", _FIRST)]
    for version, changes in _CHANGES.items():
        tables |= changes
        vocabularies.append(_vocabulary(version, tables))
    return tuple(vocabularies)


def _vocabulary(version: str, tables: Mapping[str, str]) -> Vocabulary:
    algorithms = {
        operation: {str(number): name for number, name in enumerate(("ignore", *names.split()))}
        for operation, names in tables.items()
    }
    return Vocabulary(f"openmpi-{version}", "openmpi", version, algorithms)
