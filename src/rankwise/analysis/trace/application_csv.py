"""What the program does, as `rankwise tune --for` takes it: `operation,size_bytes,ranks,count`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from rankwise.analysis.application import COLUMNS, class_bytes
from rankwise.analysis.trace.exporting import block_bytes
from rankwise.analysis.trace.operations import Step, operation
from rankwise.analysis.trace.reading import Trace
from rankwise.analysis.trace.summary import sent


def application_csv(trace: Trace) -> Iterator[str]:
    """Yield the lines: a collective counts once for all its ranks, a message once, between two ranks."""
    counts: Counter[tuple[str, int, int]] = Counter()
    for one in trace.ranks:
        whole = one.keep == "all" or not len(one.statistics)
        calls = np.bincount(one.order, minlength=len(one.signatures)) if whole else one.statistics["calls"]
        for row, count in zip(one.signatures, calls.tolist(), strict=False):
            function, kind = one.functions[row[0]]
            known = one.communicators.get(row[1]) if len(row) > 1 else None
            message = sent(one, row)
            if message:
                counts["send", class_bytes(message[2]), 2] += count
            elif kind == "collective" and known and len(row) > 4 and len(known.members) > 1:
                counted_by = row[2] if row[2] >= 0 else 0
                if counted_by < len(known.members) and known.members[counted_by] == one.rank:
                    step = Step("collective", function, 0, 0, known, bytes=row[3], received=row[4])
                    counts[operation(function), class_bytes(block_bytes(step)), len(known.members)] += count
    yield ",".join(COLUMNS)
    for (name, size, ranks), count in sorted(counts.items()):
        if count:
            yield f"{name},{size},{ranks},{count}"
