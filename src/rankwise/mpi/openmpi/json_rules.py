"""Decisions as the JSON rules file that Open MPI reads from version 6 on (`tuned_dynamic_file_schema.json` there).

A communicator takes the first entry that its size is within, a call the first rule that its message is within, and
where there is none the default holds: so nothing but what was decided is written. Files in the classic form must
not be given to version 6, which takes the communicator size of a section for one above the last that it is for.

Open MPI's reader and its schema differ: the reader also knows `seg_size` and `allgatherv`, and calls
`reduce_scatter` what the schema calls `reducescatter`. What is written here is what the reader takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from rankwise.core.tuning import Decision
from rankwise.mpi.openmpi.algorithms import OPERATIONS, Step, by_operation, first_size, nameable, numbers
from rankwise.mpi.openmpi.parameters import Installation

SINCE = 6
"""The first version that reads it."""
FILE_VERSION = 3
ENDLESS = "inf"


def tuned_rules(installation: Installation, decisions: Sequence[Decision]) -> str:
    """Return `coll_tuned_dynamic_rules_filename`'s text. Algorithms that reorder are taken where named.

    Raises InputError for decisions that Open MPI cannot carry out or this version does not have.
    """
    spreads = {(decision.operation, decision.ranks): decision.spread for decision in decisions}
    collectives = {
        name: [
            {
                "comm_size_min": ranks,
                "comm_size_max": ranks,
                "comm_rank_distribution": spreads[name, ranks],
                "rules": list(_rules(installation, name, ranks, steps)),
            }
            for ranks, steps in by_ranks.items()
        ]
        for name, by_ranks in by_operation(decisions, nameable(installation)).items()
    }
    file = {"rule_file_version": FILE_VERSION, "module": "tuned", "collectives": collectives}
    return json.dumps(file, indent=2) + "\n"


def _rules(
    installation: Installation, operation: str, ranks: int, steps: Sequence[Step]
) -> Iterator[dict[str, Any]]:
    """A rule for each step that is not the default; names, which another version may count otherwise."""
    known = nameable(installation)[operation]
    factor = ranks if OPERATIONS[operation].total else 1
    for step, following in pairwise([*steps, None]):
        assert step is not None
        choice = numbers(installation, operation, known, step.choice)
        if choice.algorithm == "0":
            continue
        rule: dict[str, Any] = {
            "msg_size_min": first_size(step.from_bytes, factor),
            "msg_size_max": first_size(following.from_bytes, factor) - 1 if following else ENDLESS,
            "alg": step.choice.algorithm,
        }
        if choice.fanout:
            rule["faninout"] = choice.fanout
        if choice.segment:
            rule["seg_size"] = choice.segment
        requests = installation.number(f"coll_tuned_{operation}_algorithm_max_requests")
        if requests:  # without it, this one is none and not the installation's own
            rule["reqs"] = requests
        yield rule
