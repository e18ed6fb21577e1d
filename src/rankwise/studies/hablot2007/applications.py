"""Which applications are run where: NPB on four sets of nodes, ray2mesh of four masters."""

from __future__ import annotations

from rankwise.studies.application_figures import NUMBER
from rankwise.studies.base import Application, Applications, Effort, Further, StudyRun
from rankwise.studies.hablot2007.plan import GRID_MPI
from rankwise.studies.papers import paper

PAPER = paper("hablot2007")
KERNELS = ("ep", "is", "cg", "mg", "ft", "lu", "sp", "bt")
CLASS = "B"
NPB_GRID, NPB_GRID_4, NPB_CLUSTER, NPB_CLUSTER_4 = "npb-grid", "npb-grid-4", "npb-cluster", "npb-cluster-4"
NPB_GAINS, RAY2MESH_GAINS = "npb-gains", "ray2mesh-gains"
SITES: tuple[str, ...] = tuple(name.lower() for name in PAPER["ray2mesh"]["sites"])
WORKERS_OF_SITE = 8
TENTH = 0.1
"""Of what ray2mesh computed and merged in 2007: its own time for 4 masters would be half an hour for each MPI."""


def _between_pairs(*sizes: int) -> tuple[tuple[str, int], ...]:
    return tuple(("point-to-point", size) for size in sizes)


_OF_MG = (8, 24, 32, 96, 128, 320, 800, 1152, 2592, 4352, 9248, 16896, 34848, 66560, 135200)
MESSAGES: dict[str, tuple[tuple[str, int], ...]] = {
    "ep": (("Allreduce", 8), ("Allreduce", 80)),
    "is": (("Allreduce", 4116), ("Alltoall", 4), ("Alltoallv", 8 << 20)),
    "cg": _between_pairs(8, 16, 150000),
    "mg": _between_pairs(*_OF_MG),
    "ft": (("Reduce", 16), ("Alltoall", 2 << 20)),
    "lu": _between_pairs(1000, 1040, 212160),
    "sp": _between_pairs(54080, 118976, 158160),
    "bt": _between_pairs(27040, 162240),
}
"""Calls and the largest sizes of their classes, in class B on 16 ranks, as the definitions have them."""


def seconds_of(kernel: str) -> str:
    """Return the name of the figure that is the kernel's time."""
    return f"{kernel} seconds"


def number_of(kernel: str, call: str, largest_bytes: int) -> str:
    """Return the name of the figure that counts these messages."""
    return f"{kernel} {call} {largest_bytes}"


def label_of(site: str) -> str:
    """Return the label of the run of ray2mesh whose master is there."""
    return f"ray2mesh-{site}"


def ranks_of(site: str) -> range:
    """Return the ranks of the workers in this site."""
    return range(1 + SITES.index(site), 1 + len(_WORKERS), len(SITES))


def rays_of(rank: int) -> str:
    """Return the name of the figure that counts this worker's rays."""
    return f"rays of rank {rank}"


_TIMES = tuple((seconds_of(kernel), rf'"app": "{kernel}".*?"seconds": {NUMBER}') for kernel in KERNELS)
_COUNTS = tuple(
    (
        number_of(kernel, call, size),
        rf'"messages_of": "{kernel}".*?"call": "{call}", "number": {NUMBER}, "smallest": \d+, '
        rf'"largest": {size}}}',
    )
    for kernel, classes in MESSAGES.items()
    for call, size in classes
)


def _npb(
    label: str, title: str, nodes: tuple[str, ...], seconds: float, further: tuple[Further, ...] = ()
) -> StudyRun:
    each = tuple(Application(kernel, CLASS) for kernel in KERNELS)
    counted = _COUNTS if label == NPB_GRID else ()
    return StudyRun(
        label, title, "grid5000-2007-npb", (), Effort((), 3, seconds, 0.0, 3600), None, "block", len(nodes),
        nodes=nodes, profile_of=GRID_MPI if further else "", further=further,
        applications=Applications(each, _TIMES, no_compute=True, messages=counted),
    )  # fmt: skip


def _nodes(**counts: int) -> tuple[str, ...]:
    return tuple(f"{site}-{number}" for site, count in counts.items() for number in range(1, count + 1))


# In turn, since those that ask first may get a set more.
_WORKERS = tuple(f"{site}-{number}" for number in range(1, WORKERS_OF_SITE + 1) for site in SITES)


def _ray2mesh(
    site: str, label: str = "", title: str = "", seconds: float = 1200, further: tuple[Further, ...] = ()
) -> StudyRun:
    """A set of rays took a worker `computing x workers / sets` seconds in 2007; here a tenth of that."""
    stated = PAPER["ray2mesh"]
    where = stated["sites"].index(site.capitalize())
    a_set = TENTH * stated["table7_seconds"]["computing"][where] * len(_WORKERS) / 1000
    own = Application(
        "ray2mesh", "", ("rays=1000000", "set=1000", f"mesh_bytes={TENTH * 235e6:.0f}"), (a_set, 0.0)
    )  # fmt: skip
    figures = [
        (name, rf'"app": "ray2mesh".*?"{name}": {NUMBER}') for name in ("tracing_seconds", "merging_seconds")
    ]
    figures.append(("total", rf'"app": "ray2mesh".*?"seconds": {NUMBER}'))
    rays = [
        (rays_of(rank), rf'"rays_of_rank_{rank}": {NUMBER}')
        for rank in range(1, len(_WORKERS) + 1)
    ]  # fmt: skip
    return StudyRun(
        label or label_of(site), f"ray2mesh, the master in {site.capitalize()}{title}", "grid5000-2007-ray2mesh",
        (), Effort((), 3, seconds, 0.0, 180), None, "hosts=" + "+".join((f"{site}-1", *_WORKERS)),
        1 + len(_WORKERS), profile_of=GRID_MPI if further else "", further=further,
        applications=Applications((own,), (*figures, *rays), no_compute=True),
    )  # fmt: skip


RUNS = (
    _npb(NPB_GRID, "NPB, 8 nodes of Rennes and 8 of Nancy", _nodes(rennes=8, nancy=8), 5400),
    _npb(
        NPB_GAINS, "NPB, 8 nodes of Rennes and 8 of Nancy, overlay, profile and mapping beside the default",
        _nodes(rennes=8, nancy=8), 16200, ("overlay", "profile", "mapping"),
    ),
    _npb(NPB_GRID_4, "NPB, 2 nodes of Rennes and 2 of Nancy", _nodes(rennes=2, nancy=2), 14400),
    _npb(NPB_CLUSTER, "NPB, 16 nodes of Rennes", _nodes(rennes=16), 7200),
    _npb(NPB_CLUSTER_4, "NPB, 4 nodes of Rennes", _nodes(rennes=4), 14400),
    *map(_ray2mesh, SITES),
    _ray2mesh(
        SITES[0], RAY2MESH_GAINS, ", overlay and profile beside the default", 3600, ("overlay", "profile")
    ),
)  # fmt: skip
CAVEATS = (
    "The applications are Rankwise's own, written from their definitions. They wait as long as their phases take "
    "on this host, since its cores are too few for 16 nodes: against computing of 2007, which took several times "
    "as long, messages weigh more here.",
    "Where all nodes share few cores, ranks wait for their turn: kernels of many small messages (CG, MG) then "
    "take longer in the cluster than its network makes them, and the grid looks better beside it than it is.",
    "The paper took the best of five runs of each kernel, here a time is the median of the runs.",
    "ray2mesh computes and merges a tenth of what it did in 2007, on hosts that are all alike: delays weigh ten "
    "times as much.",
)
