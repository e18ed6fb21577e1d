"""Every benchmark that the harness lists moves the right data, on every implementation, at 1 to 8 ranks."""

import pytest

from rankwise.core.records import Benchmark, Options
from rankwise.core.schedule_names import is_schedule
from support.conformance import menu, verify
from support.mpis import FOUND, by_day, newest_of_each_family
from support.real_harness import CSRC

SIZES_BYTES = (1, 24, 4099, 65536)
RANKS = (
    (2, (1, 65536)),
    *(pytest.param(ranks, SIZES_BYTES, marks=pytest.mark.nightly) for ranks in (1, 2, 3, 4, 5, 8)),
)
KERNELS = {path.stem: path.read_text() for path in CSRC.glob("kernels/*.c")}
ALL = frozenset(KERNELS)
LAYOUTS = ("contiguous", "vector", "indexed", "struct")

VARIANTS = (
    Options(in_place=True, window=8), Options(groups=2, window=8), Options(threads=4), Options(topology="graph"),
    Options(sync="fence", window=8), Options(sync="pscw", window=8),
    *(pytest.param(options, marks=pytest.mark.nightly)
      for options in (Options(sync="lock", window=8), Options(sync="flush-local", window=8),
                      Options(in_place=True, root="rotate"), Options(threads=2))),
)  # fmt: skip
KNOWN_WRONG = ("its persistent allgather, bcast, gather and scatter go wrong",)
"""Reasons of our own to leave a benchmark out."""

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(240)]


IDS = [one.id for one in FOUND]
on_one = pytest.mark.parametrize("implementation_id", by_day(IDS, "mpich-5"))
"""For ways to do what is done on every MPI: one that lacks no benchmark."""


@pytest.fixture(params=IDS)
def implementation_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def concerns(options: Options, benchmark: Benchmark) -> bool:
    """Whether these options change what this benchmark does."""
    if options.in_place:
        return benchmark.in_place
    if options.sync != "flush":
        return benchmark.category == "one-sided"
    if options.topology != "cartesian":
        return benchmark.category == "neighbourhood"
    return options.threads == 1 or benchmark.name == "pingpong_threads"


@pytest.mark.parametrize(("ranks", "sizes"), RANKS)
def test_every_benchmark_moves_the_right_data(
    implementation_id: str, ranks: int, sizes: tuple[int, ...]
) -> None:  # fmt: skip
    launch, cells = verify(implementation_id, ranks, Options(root="rotate", window=8), sizes, ALL)
    assert launch.failures == ()
    assert launch.status == "finished", f"{launch.reason}\n{launch.stderr}"
    assert set(launch.verified) == cells


@on_one
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_way_to_do_it_moves_the_right_data(implementation_id: str, options: Options) -> None:
    """In place, on groups of ranks, with threads, by each synchronisation and in each topology."""
    if options.threads > 1 and implementation_id.startswith("lammpi"):
        pytest.skip("LAM/MPI does not allow several threads")
    among = {name for name in ALL if concerns(options, menu(implementation_id)[name])}
    if not any(menu(implementation_id)[name].supported for name in among):
        pytest.skip("LAM/MPI has none of these benchmarks")
    launch, cells = verify(implementation_id, 4, options, (24, 4099), among)
    assert launch.failures == ()
    assert launch.status == "finished", f"{launch.reason}\n{launch.stderr}"
    assert set(launch.verified) == cells


@on_one
@pytest.mark.parametrize(
    "layout", [*(pytest.param(one, marks=pytest.mark.nightly) for one in LAYOUTS[1:-1]), LAYOUTS[-1]]
)
def test_derived_datatypes_move_the_right_data(implementation_id: str, layout: str) -> None:
    launch, cells = verify(implementation_id, 3, Options(datatype="int", layout=layout, window=8), (24, 4099), ALL)
    assert launch.failures == ()
    assert set(launch.verified) == cells


REDUCTIONS = frozenset(name for name, text in KERNELS.items() if ".reduces" in text)


@on_one
@pytest.mark.parametrize(
    ("operation", "among"),
    [
        ("sum", REDUCTIONS),
        *(pytest.param(name, REDUCTIONS, marks=pytest.mark.nightly) for name in ("max", "min", "prod")),
        pytest.param("sum", ALL, marks=pytest.mark.nightly),  # to most of them the operation means nothing
    ],
    ids=["sum", "max", "min", "prod", "all in every type"],
)  # fmt: skip
def test_reductions_reduce_in_every_type(implementation_id: str, operation: str, among: frozenset[str]) -> None:
    for datatype in ("int", "float", "double"):
        options = Options(datatype, operation=operation, window=8)
        launch, cells = verify(implementation_id, 3, options, (1, 4096), among)
        assert launch.failures == ()
        assert set(launch.verified) == cells


def test_what_an_implementation_lacks_is_said_with_the_reason(implementation_id: str) -> None:
    lacking = [benchmark for benchmark in menu(implementation_id).values() if not benchmark.supported]
    for benchmark in lacking:
        assert "needs MPI" in benchmark.reason or benchmark.reason.startswith(KNOWN_WRONG), benchmark.name
    names = {benchmark.name for benchmark in lacking}
    assert ("ibcast" in names) == implementation_id.startswith("lammpi")
    assert ("pingpong_partitioned" in names) == implementation_id.startswith(("lammpi", "openmpi-4"))


@pytest.mark.parametrize(
    "ids",
    [newest_of_each_family(), pytest.param({one.id for one in FOUND}, marks=pytest.mark.nightly)],
    ids=["newest", "all"],
)
def test_every_implementation_lists_the_same_benchmarks(ids: set[str]) -> None:
    names = [set(menu(one)) for one in ids]
    assert all(one == names[0] for one in names)
    assert {name for name in names[0] if not is_schedule(name)} == ALL
    assert {
        "pingpong",
        "allreduce",
        "iallreduce",
        "put",
        "stream",
        "tcp_pingpong",
        "tcp_stream",
        "memcpy",
        "empty",
    } <= names[0]
