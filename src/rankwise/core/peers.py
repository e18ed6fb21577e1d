"""What our benchmarks are called by the OSU micro-benchmarks 7.5 and the Intel MPI Benchmarks 2021."""

from __future__ import annotations

from rankwise.core.records import Category

_COLLECTIVES = {
    "allgather": "Allgather", "allgatherv": "Allgatherv", "allreduce": "Allreduce",
    "alltoall": "All-to-All Personalized Exchange", "alltoallv": "All-to-Allv Personalized Exchange",
    "alltoallw": "All-to-Allw Personalized Exchange", "barrier": "Barrier", "bcast": "Broadcast",
    "gather": "Gather", "gatherv": "Gatherv", "reduce": "Reduce", "reduce_scatter": "Reduce_scatter",
    "reduce_scatter_block": "Reduce_scatter_block", "scatter": "Scatter", "scatterv": "Scatterv",
}  # fmt: skip
_NEIGHBOURHOOD = {
    "neighbor_allgather": "Allgather", "neighbor_allgatherv": "Allgatherv", "neighbor_alltoall": "Alltoall",
    "neighbor_alltoallv": "All-to-Allv", "neighbor_alltoallw": "All-to-Allw",
}  # fmt: skip

OSU_TITLES = {
    "pingpong": "MPI Latency Test", "bandwidth": "MPI Bandwidth Test",
    "bibandwidth": "MPI Bi-Directional Bandwidth Test", "multi_pingpong": "MPI Multi Latency Test",
    "multi_bandwidth": "MPI Multiple Bandwidth / Message Rate Test",
    "pingpong_threads": "MPI Multi-threaded Latency Test", "pingpong_persistent": "MPI Latency Persistent Test",
    "bandwidth_persistent": "MPI Bandwidth Persistent Test",
    "bibandwidth_persistent": "MPI Bi-Directional Bandwidth Persistent Test",
    "put": "MPI_Put Latency Test", "get": "MPI_Get latency Test", "accumulate": "MPI_Accumulate latency Test",
    "get_accumulate": "MPI_Get_accumulate latency Test", "fetch_and_op": "MPI_Fetch_and_op latency Test",
    "compare_and_swap": "MPI_Compare_and_swap latency Test", "put_bandwidth": "MPI_Put Bandwidth Test",
    "put_bibandwidth": "MPI_Put Bi-directional Bandwidth Test", "get_bandwidth": "MPI_Get Bandwidth Test",
    **{name: f"MPI {title} Latency Test" for name, title in _COLLECTIVES.items()},
    **{f"i{name}": f"MPI Non-blocking {title} Latency Test" for name, title in _COLLECTIVES.items()},
    "ialltoall": "MPI Non-blocking All-to-All Latency Test", "ibcast": "MPI Non-Blocking Broadcast Latency Test",
    **{f"{name}_persistent": f"MPI {title} Persistent Latency Test" for name, title in _COLLECTIVES.items()},
    **{name: f"MPI Neighborhood {title} Latency Test" for name, title in _NEIGHBOURHOOD.items()},
    **{f"i{name}": f"MPI Non-blocking Neighborhood {title} Latency Test"
       for name, title in _NEIGHBOURHOOD.items()},
}  # fmt: skip
"""The titles of OSU's logs after the word OSU, by our names, as 7.4 spells them."""

_IMB_COLLECTIVES = (
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "gather", "gatherv",
    "reduce", "reduce_scatter", "scatter", "scatterv",
)  # fmt: skip

IMB_NAMES = {
    "pingpong": "PingPong", "pingpong_any_source": "PingPongAnySource", "pingping": "PingPing",
    "sendrecv": "Sendrecv", "sendrecv_replace": "SendRecv_Replace", "exchange": "Exchange",
    "multi_bandwidth": "Uniband", "message_rate": "Biband", "reduce_local": "Reduce_local",
    "reduce_scatter_block": "Reduce_scatter_block", "window_create": "Window", "put": "Unidir_put",
    "get": "Unidir_get", "accumulate": "Accumulate", "get_accumulate": "Get_accumulate",
    "fetch_and_op": "Fetch_and_op", "compare_and_swap": "Compare_and_swap", "pingpong_threads": "PingPongMT",
    "write_own": "P_Write_Priv", "read_own": "P_Read_Priv", "write_shared": "P_Write_Expl",
    "read_shared": "P_Read_Expl", "write_together": "C_Write_Expl", "read_together": "C_Read_Expl",
    **{name: name.capitalize() for name in _IMB_COLLECTIVES},
    **{f"i{name}": f"I{name}" for name in _IMB_COLLECTIVES},
    **{f"{name}_persistent": f"{name.capitalize()}_persist" for name in _IMB_COLLECTIVES},
}  # fmt: skip
"""IMB's names, by ours."""

UNSIZED = frozenset({
    "barrier", "ibarrier", "barrier_persistent", "fetch_and_op", "compare_and_swap",
})  # fmt: skip
"""Those that have size 0 here, whatever a log says."""

_CATEGORIES: dict[str, Category] = {
    **dict.fromkeys(("put", "get", "accumulate", "fetch_and_op", "compare_and_swap"), "one-sided"),
    **dict.fromkeys(("write", "read"), "file"),
    **dict.fromkeys(("init", "window_create"), "start-up"),
    **dict.fromkeys(_COLLECTIVES, "collective"),
    **{f"i{name}": "nonblocking" for name in _COLLECTIVES},
    **{f"{name}_persistent": "persistent" for name in _COLLECTIVES},
    **{prefix + name: "neighbourhood" for name in _NEIGHBOURHOOD for prefix in ("", "i")},
}  # fmt: skip


def category_of(benchmark: str) -> Category:
    """Return the category of a benchmark of which nothing but its name is known, by the most of its words."""
    parts = benchmark.split("_")
    names = ("_".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((_CATEGORIES[name] for name in names if name in _CATEGORIES), "point-to-point")
