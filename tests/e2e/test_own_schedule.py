"""An algorithm of a user's own, from a file, is measured and checked on every MPI beside the operation."""

import json
from pathlib import Path

import pytest

from rankwise.schedules import generator
from rankwise.schedules.fixed import fixed_of
from rankwise.schedules.formats.json_file import to_json
from rankwise.schedules.model import Problem
from support.command_line import rankwise
from support.mpis import FOUND, by_day, newest_of_each_family

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]


def ring(folder: Path, ranks: int) -> Path:
    file = folder / "mine.json"
    problem = Problem("allreduce", ranks, 0, ranks)
    file.write_text(to_json(fixed_of(generator.algorithm("allreduce", "ring"), problem)))
    return file


@pytest.mark.parametrize("one", by_day(sorted(newest_of_each_family()), "lammpi", "openmpi"))
def test_its_data_are_right(one: str, tmp_path: Path) -> None:
    file = ring(tmp_path, 3)
    done = rankwise(
        "bench", "--mpi", one, "--schedule", str(file), "-n", "3", "--sizes", "12,6000", "--verify",
        "--json", home=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["failed"] == []
    assert {cell["benchmark"] for cell in found["verified"]} == {"allreduce", "allreduce.file:mine"}


def test_a_wrong_one_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    file = ring(tmp_path, 3)
    file.write_text(file.read_text().replace('"peer": 1', '"peer": 2', 1))
    done = rankwise("bench", "--schedule", str(file), "-n", "3", home=tmp_path)
    assert done.returncode == 2
    assert "mine.json" in done.stderr
    assert "rank" in done.stderr


def test_one_for_other_ranks_is_refused(tmp_path: Path) -> None:
    done = rankwise("bench", "--schedule", str(ring(tmp_path, 3)), "-n", "2", home=tmp_path)
    assert done.returncode == 2
    assert "3 ranks, not of 2" in done.stderr
