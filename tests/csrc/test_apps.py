"""Kernels give the published results with every MPI on any ranks, and one that computes wrongly is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankwise.artifacts import apps
from rankwise.cli.npb import command
from rankwise.core.apps import AppResult, Messages
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Loaded
from rankwise.measurement.job import build_job
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.apps import AppsRequest, run_apps
from rankwise.workflows.events import Silent
from support.mpis import FOUND, by_day, working

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
IDS = [one.id for one in FOUND]
BY_DAY = [one for one in IDS if one.startswith(("mpich-5", "openmpi-5"))]
KERNELS = ["cg", "ep", "ft", "is", "lu", "mg"]
ON_SQUARES = ["bt", "sp"]
"""These run on square numbers of ranks."""
RANKS = [4, *(pytest.param(ranks, marks=pytest.mark.nightly) for ranks in (1, 2))]
"""On four every kernel runs, and sends."""


def run(*names: str, ranks: int, mpi: str = BY_DAY[0], **how: object) -> tuple[AppResult, ...]:
    return run_apps(AppsRequest(names, implementations=(mpi,), ranks=ranks, **how), Silent())  # type: ignore[arg-type]


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("mpi", IDS)
def test_the_results_are_the_published_ones(mpi: str, ranks: int) -> None:
    results = run(ranks=ranks, mpi=mpi)
    kernels = sorted(KERNELS + (ON_SQUARES if ranks != 2 else []))
    assert [one.kernel for one in results] == kernels
    assert [(one.remark, one.verified) for one in results] == [("", True)] * len(kernels)
    assert all(one.seconds > 0 and one.mops > 0 for one in results)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("mpi", IDS)
def test_so_they_are_of_all_implementations_in_one_launch_each(mpi: str, ranks: int) -> None:
    kernels = sorted(KERNELS + (ON_SQUARES if ranks != 2 else []))
    words = " then ".join(f"{name} --class S" for name in kernels).split()
    testbed, one = LocalTestbed(), working(mpi)
    job = build_job(testbed, (str(apps.build(one)), *words), ranks, placement="block", loaded=Loaded())
    outcome = testbed.run(FamilyLauncher().steps(one, job), job.hosts, 120)
    said = [json.loads(line) for line in outcome.stdout.splitlines() if line.startswith("{")]
    results = [(line["app"], line["verified"]) for line in said if "app" in line]
    assert results == [(name, True) for name in kernels], (outcome.stdout, outcome.stderr)


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [2, 8, 32])
@pytest.mark.parametrize("class_name", ["S", "W"])
def test_so_they_are_of_larger_problems_and_more_ranks(class_name: str, ranks: int) -> None:
    """At 32 ranks MG's coarse grids have fewer points than ranks, and LU's class S too few for a pencil each."""
    results = run(ranks=ranks, class_name=class_name)
    kernels = [one for one in KERNELS if (one, class_name, ranks) != ("lu", "S", 32)]
    assert [(one.kernel, one.remark, one.verified) for one in results] == [(one, "", True) for one in kernels]


@pytest.mark.nightly
@pytest.mark.parametrize(("class_name", "ranks"), [("S", 9), ("S", 16), ("W", 4), ("W", 25)])
def test_so_they_are_on_squares_that_do_not_divide_the_grid(class_name: str, ranks: int) -> None:
    """Cells of 36 points over 5, and of 12 over 9 or 16 ranks at their smallest."""
    results = run(*ON_SQUARES, ranks=ranks, class_name=class_name)
    assert [(one.remark, one.verified) for one in results] == [("", True)] * len(ON_SQUARES)


WRONG = {
    "bt": ("axis, 2 * diffusing, here", "axis, 2.001 * diffusing, here"),
    "cg": ("shift + 1 /", "shift + 1.0000001 /"),
    "ep": ("271828183", "271828185"),
    "ft": ("alpha = 1e-6", "alpha = 1.000001e-6"),
    "is": ("314159265", "314159267"),
    "lu": ("relaxation = 1.2;", "relaxation = 1.2001;"),
    "mg": ("0.25, 0.125, 0.0625", "0.25, 0.125, 0.062501"),
    "sp": ("{0, 1, -1}", "{0, 1, -1.001}"),
}
"""By kernel: what to replace in its file, and by what, so that it computes wrongly."""


def test_kernels_that_compute_wrongly_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "apps"
    shutil.copytree(apps.SOURCES, folder)
    for kernel, (right, wrong) in WRONG.items():
        file = folder / f"{kernel}.c"
        text = file.read_text()
        assert text.count(right) == 1
        file.write_text(text.replace(right, wrong))
    monkeypatch.setattr(apps, "SOURCES", folder)
    told = {one.kernel: (one.verified, "should be" in one.remark) for one in run(ranks=4)}
    assert told == dict.fromkeys(WRONG, (False, True))
    done = CliRunner().invoke(command, ["ep", "--mpi", BY_DAY[0], "-n", "2"], standalone_mode=False)
    assert done.return_value == 1, done.output
    assert "WRONG" in done.stdout


@pytest.mark.parametrize(
    ("kernel", "ranks", "message"),
    [
        ("cg", 3, "cg of class S runs on 1, 2, 4, 8, 16 ... ranks, not on 3"),
        ("mg", 6, "mg of class S runs on 1, 2, 4, 8, 16 ... ranks, not on 6"),
        ("is", 12, "is of class S runs on 1, 2, 4, 8, 16 ... ranks, not on 12"),
        ("is", 1024, "is of class S runs on 1, 2, 4, 8 ... 512 ranks, not on 1024"),
        ("ft", 128, "ft of class S runs on 1, 2, 4 ... 64 ranks, not on 128"),
        ("lu", 3, "lu of class S runs on 1, 2, 4 ... 16 ranks, not on 3"),
        ("lu", 32, "lu of class S runs on 1, 2, 4 ... 16 ranks, not on 32"),
        ("bt", 2, "bt of class S runs on 1, 4, 9 ... 16 ranks, not on 2"),
        ("sp", 25, "sp of class S runs on 1, 4, 9 ... 16 ranks, not on 25"),
    ],
)
def test_what_a_kernel_cannot_run_on_is_said_before_it_is_started(kernel: str, ranks: int, message: str) -> None:
    with pytest.raises(InputError, match=message.replace(".", r"\.")) as caught:
        run(kernel, ranks=ranks)
    assert caught.value.remedy


def test_any_number_of_ranks_will_do_for_what_sends_almost_nothing() -> None:
    (result,) = run("EP", ranks=3)
    assert result.verified is True


def test_an_unknown_kernel_is_said() -> None:
    with pytest.raises(UnknownNameError, match="unknown kernel 'ua'"):
        run("ua", ranks=1)


def test_a_run_that_takes_too_long_is_ended_and_told() -> None:
    (result,) = run("ep", ranks=1, class_name="C", limit_seconds=1.0)
    assert not result.has_ended and result.verified is None
    assert "timed out after 1 s" in result.remark


def test_what_cannot_run_is_left_out_of_all_of_them_and_told() -> None:
    done = CliRunner().invoke(command, ["--mpi", BY_DAY[0], "-n", "3"], standalone_mode=False)
    assert done.return_value == 0, done.output
    assert "ep" in done.stdout and "cg" not in done.stdout
    assert "left out: bt of class S runs on 1, 4, 9 ... 16 ranks, not on 3" in done.stderr


def test_messages_are_counted_by_size() -> None:
    """Of FT a transposition before, one untimed, and one a step: blocks of 64^3 numbers of 16 bytes / ranks^2."""
    (result,) = run("ft", ranks=4, count=True)
    alltoall = [one for one in result.messages if one.call == "Alltoall"]
    assert alltoall == [Messages("Alltoall", 4 * (6 + 2), 64**3, 64**3)]


def point_to_point(kernel: str, ranks: int) -> list[tuple[int, int]]:
    (result,) = run(kernel, ranks=ranks, count=True)
    return [(one.number, one.largest) for one in result.messages if one.call == "point-to-point"]


def test_messages_of_the_solvers_are_those_of_the_originals() -> None:
    """On 2 x 2 ranks, with the untimed first step: lines, planes and faces of 6 of 12 points, 5 values each."""
    face, links = 2 * 6 * 5 * 8, 4
    steps, planes = 50 + 1, 12 - 2
    sweeps, faces = steps * planes * 2 * links, (steps + 2) * 2 * links
    assert point_to_point("lu", 4) == [(sweeps, 5 * 5 * 8), (faces, 12 * face)]
    for kernel, steps, back, forth in [("bt", 61, 7 * 7 * 5 * 8, 7 * 7 * 30 * 8), ("sp", 101, 250 * 8, 550 * 8)]:
        lines, faces = 4 * 3 * steps, 4 * 6 * (steps + 1)
        assert point_to_point(kernel, 4) == [(lines, back), (faces, 6 * face), (lines, forth)]


@pytest.mark.parametrize(
    ("kernels", "ranks"),
    [
        (("cg", "is"), 4),
        pytest.param((), 2, marks=pytest.mark.nightly),
        pytest.param(("bt", "sp"), 4, marks=pytest.mark.nightly),
    ],
)
def test_without_computing_the_messages_are_the_same(kernels: tuple[str, ...], ranks: int) -> None:
    """Of IS the sizes depend on the keys: without them each rank has as much for each."""
    computed = run(*kernels, ranks=ranks, count=True)
    waited = run(*kernels, ranks=ranks, count=True, no_compute=True)
    for one, other in zip(computed, waited, strict=True):
        assert one.verified is True and other.verified is None
        assert [(m.call, m.number) for m in one.messages] == [(m.call, m.number) for m in other.messages]
        assert one.messages == other.messages or one.kernel == "is"
        assert any(one.computing_seconds) and not any(other.computing_seconds)


def test_a_kernel_that_computes_wrongly_is_told_without_computing_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(apps.SOURCES, tmp_path / "apps")
    file = folder / "ep.c"
    file.write_text(file.read_text().replace("271828183", "271828185"))
    monkeypatch.setattr(apps, "SOURCES", folder)
    (result,) = run("ep", ranks=2, no_compute=True)
    assert result.verified is False


def rays(ranks: int, mpi: str = BY_DAY[0], *options: str, **how: object) -> AppResult:
    (result,) = run("ray2mesh", ranks=ranks, mpi=mpi, class_name="", options=options, **how)
    return result


@pytest.mark.parametrize("mpi", by_day(IDS, BY_DAY[0]))
def test_rays_run_as_closed_forms_say_and_each_is_traced_once(mpi: str) -> None:
    result = rays(4, mpi, "rays=20500", "mesh_bytes=100000")
    assert result.remark == "" and result.verified is True
    figures = dict(result.figures)
    assert sum(figures[f"rays_of_rank_{rank}"] for rank in (1, 2, 3)) == 20500
    assert 0 < figures["tracing_seconds"] < result.seconds


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("2 * one->factor * angle", "1.999 * one->factor * angle"),
        ("seconds -= sqrt(", "seconds -= one->factor * sqrt("),  # what a velocity that changes alone shows
        ("] += bytes / w->ray_bytes", "] += bytes / w->ray_bytes - 1"),
        ("w->mesh[i % w->cells] += spent", "w->mesh[i % w->cells] = spent"),
    ],
)
def test_a_wrong_ray_or_a_lost_one_is_told(
    right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(apps.SOURCES, tmp_path / "apps")
    file = folder / "ray2mesh.c"
    assert file.read_text().count(right) == 1
    file.write_text(file.read_text().replace(right, wrong))
    monkeypatch.setattr(apps, "SOURCES", folder)
    assert rays(3).verified is False


def test_a_master_without_workers_is_refused() -> None:
    with pytest.raises(InputError, match="ray2mesh runs on 2 ranks or more: a master and its workers, not on 1"):
        rays(1)


def test_a_mesh_that_cannot_be_merged_is_refused() -> None:
    with pytest.raises(InputError, match="ray2mesh runs on a mesh of 8 bytes or more for each rank") as caught:
        rays(4, BY_DAY[0], "mesh_bytes=8")
    assert caught.value.remedy == "give other sizes"
