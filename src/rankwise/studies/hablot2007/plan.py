"""What is measured, where, and for how long."""

from __future__ import annotations

from rankwise.core import knobs
from rankwise.core.records import Options
from rankwise.core.units import parse_sizes_bytes
from rankwise.studies.base import Effort, StudyRun

MIB = 1 << 20
CLUSTER, UNTUNED, TUNED, STREAM, STREAM_16M, CLUSTER_MPI, GRID_MPI = (
    "cluster", "grid-untuned", "grid-tuned", "slow-start", "slow-start-16M", "cluster-mpi", "grid-mpi",
)  # fmt: skip
LARGE = (MIB, 16 * MIB, 64 * MIB)
"""At which bandwidth is held against TCP's once the MPIs are tuned."""
DIP = (64 << 10, MIB)
"""Between these a rendezvous over a long way costs most."""
THRESHOLD = knobs.EAGER_THRESHOLD

_SIZES = (1, *parse_sizes_bytes("1K:64M:2"))
_QUICK_NEAR = (1, *parse_sizes_bytes("1K:4M:4"))
_QUICK_FAR = (*_QUICK_NEAR, 16 * MIB)
# With the buffers of 2007 64 MiB take eight seconds one way: a launch would do little else.
_QUICK_UNTUNED = (1, *parse_sizes_bytes("1K:1M:4"))
_QUICK_MPI = (1, 4 << 10, 16 << 10, *parse_sizes_bytes("64K:1M:2"), 4 * MIB, LARGE[1])
_PINGPONG = ("pingpong", "tcp_pingpong")
_STREAM = ("stream", "tcp_stream")

RUNS = (
    StudyRun(
        CLUSTER, "Two nodes of a cluster, TCP as it is", "cluster", _PINGPONG, placement="one-per-node",
        full=Effort(_SIZES, 10, 1200, 0.5), quick=Effort(_QUICK_NEAR, 3, 60, 0.05),
    ),
    StudyRun(
        UNTUNED, "Rennes to Nancy, TCP buffers of 2007", "grid5000-2007-untuned", _PINGPONG,
        placement="across-sites",
        full=Effort(_SIZES, 4, 5400, 0.5, 900), quick=Effort(_QUICK_UNTUNED, 3, 70, 0.05),
    ),
    StudyRun(
        TUNED, "Rennes to Nancy, TCP buffers of 4 MiB", "grid5000-2007-tuned", _PINGPONG,
        placement="across-sites", full=Effort(_SIZES, 6, 1800, 0.5), quick=Effort(_QUICK_FAR, 3, 90, 0.05),
    ),
    StudyRun(
        STREAM, "200 messages of 1 MiB, Rennes to Nancy, tuned", "grid5000-2007-tuned", _STREAM,
        placement="across-sites", full=Effort((MIB,), 10, 600, 0.5), quick=Effort((MIB,), 3, 70, 0.05),
    ),
    StudyRun(
        STREAM_16M, "20 messages of 16 MiB, Rennes to Nancy, tuned", "grid5000-2007-tuned", _STREAM,
        placement="across-sites", options=Options(messages=20),
        full=Effort((16 * MIB,), 6, 600, 0.5), quick=None,
    ),
    StudyRun(
        CLUSTER_MPI, "Two nodes of a cluster, each MPI's threshold tuned", "cluster", _PINGPONG,
        placement="one-per-node", tune=(THRESHOLD,),
        full=Effort(_SIZES, 10, 2400, 0.5, tuning_share=0.5),
        quick=Effort(_QUICK_NEAR, 3, 130, 0.05, tuning_share=0.65),
    ),
    StudyRun(
        GRID_MPI, "Rennes to Nancy, TCP buffers of 4 MiB, each MPI tuned", "grid5000-2007-tuned", _PINGPONG,
        placement="across-sites", nodes=("rennes-1", "nancy-1"),
        tune=(knobs.SOCKET_BUFFERS, "transport", THRESHOLD),  # raw TCP beside it has one connection
        full=Effort(_SIZES, 6, 4200, 0.5, tuning_share=0.55),
        quick=Effort(_QUICK_MPI, 3, 280, 0.05, tuning_share=0.65),
    ),
)  # fmt: skip
