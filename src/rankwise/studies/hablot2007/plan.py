"""What is measured, where, and for how long."""

from __future__ import annotations

from rankwise.core.records import Options
from rankwise.core.units import parse_sizes_bytes
from rankwise.studies.base import Effort, StudyRun

MIB = 1 << 20
CLUSTER, UNTUNED, TUNED, STREAM, STREAM_16M = (
    "cluster", "grid-untuned", "grid-tuned", "slow-start", "slow-start-16M",
)  # fmt: skip

_SIZES = (1, *parse_sizes_bytes("1K:64M:2"))
_QUICK_NEAR = (1, *parse_sizes_bytes("1K:4M:4"))
_QUICK_FAR = (*_QUICK_NEAR, 16 * MIB)
# With the buffers of 2007 64 MiB take eight seconds one way: a launch would do little else.
_QUICK_UNTUNED = (1, *parse_sizes_bytes("1K:1M:4"))
_PINGPONG = ("pingpong", "tcp_pingpong")
_STREAM = ("stream", "tcp_stream")

RUNS = (
    StudyRun(
        CLUSTER, "Two nodes of a cluster, TCP as it is", "cluster", _PINGPONG, placement="one-per-node",
        full=Effort(_SIZES, 10, 1200, 0.5), quick=Effort(_QUICK_NEAR, 3, 90, 0.1),
    ),
    StudyRun(
        UNTUNED, "Rennes to Nancy, TCP buffers of 2007", "grid5000-2007-untuned", _PINGPONG,
        placement="across-sites",
        full=Effort(_SIZES, 4, 5400, 0.5, 900), quick=Effort(_QUICK_UNTUNED, 3, 120, 0.1),
    ),
    StudyRun(
        TUNED, "Rennes to Nancy, TCP buffers of 4 MiB", "grid5000-2007-tuned", _PINGPONG,
        placement="across-sites", full=Effort(_SIZES, 6, 1800, 0.5), quick=Effort(_QUICK_FAR, 3, 260, 0.1),
    ),
    StudyRun(
        STREAM, "200 messages of 1 MiB, Rennes to Nancy, tuned", "grid5000-2007-tuned", _STREAM,
        placement="across-sites", full=Effort((MIB,), 10, 600, 0.5), quick=Effort((MIB,), 3, 240, 0.1),
    ),
    StudyRun(
        STREAM_16M, "20 messages of 16 MiB, Rennes to Nancy, tuned", "grid5000-2007-tuned", _STREAM,
        placement="across-sites", options=Options(messages=20),
        full=Effort((16 * MIB,), 6, 600, 0.5), quick=None,
    ),
)  # fmt: skip
