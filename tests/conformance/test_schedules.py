"""Every algorithm of csrc/schedules moves the right data over every MPI's messages, at 1 to 8 ranks."""

import pytest

from rankwise.core.records import Benchmark, Options
from rankwise.schedules import generator
from support.conformance import menu, verify
from support.mpis import FOUND, by_day

LARGEST = 1 << 20
SIZES_BYTES = (0, 4, 4099)
RANKS = (
    (5, LARGEST // 8),  # by rendezvous too, and soon over
    *(pytest.param(ranks, LARGEST, marks=pytest.mark.nightly) for ranks in (1, 2, 3, 4, 5, 8)),
)
VARIANTS = (
    Options(in_place=True, root="rotate"), Options(groups=2), Options(datatype="int", layout="struct"),
    *(pytest.param(options, marks=pytest.mark.nightly)
      for options in (Options(layout="vector", in_place=True), Options(layout="indexed"),
                      Options(datatype="double", operation="max"),
                      Options(datatype="int", operation="prod"), Options(operation="min", cold_cache=True))),
)  # fmt: skip
PARAMETERS = ("segment=1K", "fan_out=3", "lanes=2")

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(240)]


IDS = [one.id for one in FOUND]
on_some = pytest.mark.parametrize("implementation_id", by_day(IDS, "mpich-5", "openmpi-5"))
on_one = pytest.mark.parametrize("implementation_id", by_day(IDS, "openmpi-5"))
"""What is sent is decided by our schedules, whatever MPI carries it."""


@pytest.fixture(params=IDS)
def implementation_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def schedules(implementation_id: str) -> dict[str, Benchmark]:
    return {name: one for name, one in menu(implementation_id).items() if one.category == "schedule"}


def held(implementation_id: str, ranks: int, options: Options, sizes: tuple[int, ...], among: set[str]) -> None:
    """All of these are right, or say that they are not made for these ranks or sizes."""
    launch, cells = verify(implementation_id, ranks, options, sizes, among)
    assert launch.status == "finished", f"{launch.reason}\n{launch.stderr}"
    refused = {one.cell for one in launch.failures}
    assert [one for one in launch.failures if one.kind != "unsupported"] == []
    assert set(launch.verified) | refused == cells
    assert len(refused) < len(cells) / 2


def test_every_algorithm_is_a_benchmark_of_its_operation(implementation_id: str) -> None:
    found = schedules(implementation_id)
    assert {one.id for one in generator.algorithms()} <= set(found)
    for name, one in found.items():
        native = menu(implementation_id)[name.partition(".")[0]]
        assert (one.sized, one.reduces, one.derived_types) == (native.sized, native.reduces, native.derived_types)
        assert one.supported


@on_some
@pytest.mark.parametrize(("ranks", "largest"), RANKS)
def test_every_algorithm_moves_the_right_data(implementation_id: str, ranks: int, largest: int) -> None:
    sizes = (*SIZES_BYTES, largest)
    held(implementation_id, ranks, Options(root="rotate"), sizes, set(schedules(implementation_id)))


@on_one
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_way_to_do_it_moves_the_right_data(implementation_id: str, options: Options) -> None:
    among = {
        name
        for name, one in schedules(implementation_id).items()
        if (one.in_place or not options.in_place) and (one.derived_types or options.layout == "contiguous")
    }
    if among:
        held(implementation_id, 4, options, (24, 4099), among)
    else:
        assert implementation_id.startswith("lammpi") and options.in_place, "an MPI-1 does nothing in place"


@on_one
def test_parameters_move_the_right_data(implementation_id: str) -> None:
    among = {
        f"{one.id}:{parameter}"
        for one in generator.algorithms()
        for parameter, heeded in zip(PARAMETERS, (one.segmented, one.fans, one.lanes), strict=True)
        if heeded
    }
    assert any("segment" in name for name in among)
    held(implementation_id, 5, Options(), (24, 100_003), among)
