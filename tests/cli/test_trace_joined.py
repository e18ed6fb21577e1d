"""`rankwise trace --join`: a job over several sites is one record, which says who was where."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rankwise.analysis.trace.reading import read
from support.abi import compiled, native, needs_compiler, prepare
from support.command_line import assert_error, rankwise
from support.emulated import needs_emulation
from support.traces import calls

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    prepare("openmpi-5", "mpich-5")


@needs_emulation
def test_ranks_of_all_sites_are_in_one_record(tmp_path: Path) -> None:
    program, join = str(compiled("traced")), "north=mpich-5:2,south=openmpi-5:1"
    line = ["trace", "--join", join, "--testbed", "two-clusters", "-o", "t", "--", program, "4"]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "calls of 3 ranks in" in done.stderr
    alone = rankwise("trace", "-n", "3", "--mpi", "mpich-5", "-o", "one", "--", program, "4", home=tmp_path)
    assert alone.returncode == 0, alone.stderr
    mine, theirs = read(tmp_path / "t"), read(tmp_path / "one")
    assert [calls(one) for one in mine.ranks] == [calls(one) for one in theirs.ranks]
    assert [one.host for one in mine.ranks] == ["north-1", "north-2", "south-1"]
    found, known = (
        json.loads(rankwise("trace", "show", name, "--json", home=tmp_path).stdout) for name in ("t", "one")
    )
    assert found["messages"] == known["messages"] and found["bytes"] == known["bytes"] and known["sites"] == []
    north, south = found["sites"]
    assert (north["site"], north["first"], north["ranks"], north["hosts"]) == (
        "north",
        0,
        2,
        ["north-1", "north-2"],
    )
    assert south["implementation"].startswith("openmpi-5") and (south["first"], south["ranks"]) == (2, 1)
    counts = found["messages"]
    assert north["messages_within"] == sum(counts[0][:2]) + sum(counts[1][:2])
    assert north["messages_to_others"] == counts[0][2] + counts[1][2] > 0
    assert south["bytes_to_others"] == sum(found["bytes"][2][:2]) and south["messages_within"] == 0
    shown = rankwise("trace", "show", "t", home=tmp_path).stdout
    assert "By site" in shown and "0 to 1" in shown
    predicted = rankwise("predict", "trace", "t", "--testbed", "two-clusters", home=tmp_path)
    assert predicted.returncode == 0, predicted.stderr
    assert "t on 3 ranks" in predicted.stdout and re.search(r"^predicted  [\d.]+ [mµ]?s$", predicted.stdout, re.M)


def test_a_program_linked_to_one_mpi_is_recorded_on_all_sites(tmp_path: Path) -> None:
    program = str(native("joined_where", "mpich-5.0.2"))
    line = ["trace", "-q", "--join", "a=mpich-5:1,b=openmpi-5:1", "-o", "t", "--", program]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    found = read(tmp_path / "t")
    assert [one.rank for one in found.ranks] == [0, 1] and all(one.complete for one in found.ranks)


def test_what_is_of_one_mpi_is_refused(tmp_path: Path) -> None:
    line = ["trace", "-n", "2", "--join", "a=mpich-5:1,b=openmpi-5:1", "--", str(compiled("traced"))]
    assert_error(rankwise(*line, home=tmp_path), 2, "-n is for a job of one MPI")
