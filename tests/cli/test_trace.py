"""`rankwise trace`: a program is recorded, shown, written; what cannot be recorded is refused before it runs."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path

import pytest

from rankwise.analysis.trace.reading import read
from rankwise.artifacts import tracer
from rankwise.testbeds.host import usable_cores
from rankwise.workflows.trace import FOLDERS, FORMATS
from support.command_line import COMMAND, assert_error, environment, rankwise
from support.made_up_trace import NUMBER, write_trace
from support.mpis import FOUND, working
from support.overlay import compiled
from support.recordings import MONITORED, MPIP
from support.traces import open_folder, record

HAS_OTF2 = importlib.util.find_spec("otf2") is not None
IDS = [one.id for one in FOUND]


def newest(family: str) -> str:
    return next(one for one in IDS if one.startswith(family))


@pytest.mark.mpi
def test_recorded_shown_and_written() -> None:
    with open_folder() as home:
        done = rankwise("trace", "-n", "2", "--", str(compiled(newest("mpich-5"), "traced")), "4", home=home)
        assert done.returncode == 0, done.stderr
        assert "calls of 2 ranks in" in done.stderr and done.stdout == ""
        shown = rankwise("trace", "show", "traced.trace", home=home)
        assert "MPI_Allreduce" in shown.stdout and "By region" in shown.stdout and "up to 128 B" in shown.stdout
        found = json.loads(rankwise("trace", "show", "traced.trace", "--json", home=home).stdout)
        assert found["summary"]["calls"] > 150 and found["messages"][1][0] == 5 * 4 + 5 + 1
        for form in (*FORMATS, *(FOLDERS if HAS_OTF2 else ())):
            written = rankwise("trace", "export", "traced.trace", "--format", form, "-o", form, home=home)
            assert written.returncode == 0, written.stderr
            assert (home / form).stat().st_size > 20
        if not HAS_OTF2:
            return
        back = rankwise("trace", "import", "otf2/traces.otf2", "-o", "back", home=home)
        assert back.returncode == 0, back.stderr
        again = json.loads(rankwise("trace", "show", "back", "--json", home=home).stdout)
        assert again["messages"] == found["messages"] and again["bytes"] == found["bytes"]
        assert again["summary"]["calls"] == found["summary"]["calls"]


@pytest.mark.mpi
def test_what_cannot_be_recorded_is_refused_before_it_runs(tmp_path: Path) -> None:
    one = newest("mpich-5")
    source = tmp_path / "static.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-static", "-o", tmp_path / "static", source], check=True, timeout=60)
    done = record(tmp_path / "t", one, 1, [tmp_path / "static"])
    assert_error(done, 2, "is linked statically", "put the tracer before", "rankwise-trace.a")
    source.write_text("int PMPI_Init(void) { return 0; }\nint main(void) { return PMPI_Init(); }\n")
    subprocess.run(["cc", "-o", tmp_path / "own", source], check=True, timeout=60)
    done = record(tmp_path / "t", one, 1, [tmp_path / "own"])
    assert_error(done, 2, "own has its MPI library linked in", "put the tracer before", "rankwise-trace.a")
    assert not (tmp_path / "t").exists()


@pytest.mark.mpi
def test_a_program_with_the_tracer_linked_in_is_recorded(tmp_path: Path) -> None:
    """As one is linked whose MPI is static; nothing is loaded before it."""
    one = working(newest("mpich-5"))
    source = Path(__file__).parents[1] / "interpose" / "traced.c"
    argv = [one.mpicc, "-std=gnu99", "-O1", "-o", tmp_path / "linked", source, tracer.build_archive(one), "-lm"]
    subprocess.run(argv, check=True, timeout=100, env={**os.environ, **dict(one.environment)})
    with open_folder() as home:
        done = record(home / "t", one.id, 2, [tmp_path / "linked", "4"])
        assert done.returncode == 0, done.stderr
        assert "227 calls of 2 ranks" in done.stderr


@pytest.mark.mpi
def test_a_program_that_is_not_mpi_leaves_nothing(tmp_path: Path) -> None:
    done = record(tmp_path / "t", newest("mpich-5"), 1, ["sh", "-c", "exit 0"])
    assert_error(done, 3, "nothing was recorded", "MPI_Init")


@pytest.mark.mpi
def test_the_exit_code_is_the_programs_and_its_trace_is_there(tmp_path: Path) -> None:
    done = record(
        tmp_path / "t", newest("mpich-5"), 1, ["sh", "-c", f"{compiled(newest('mpich-5'), 'traced')}; exit 3"]
    )
    assert done.returncode == 3, done.stderr
    assert "calls of 1 ranks" in done.stderr or "calls of 1 rank" in done.stderr


@pytest.mark.mpi
@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk_is_an_error_of_the_host(tmp_path: Path) -> None:
    """Before anything is recorded, as the folder is made."""
    (tmp_path / "disk").mkdir()
    script = 'mount -t tmpfs -o size=4k none disk && dd if=/dev/zero of=disk/all bs=4k count=1 && exec "$@"'
    words = (
        "trace",
        "-n",
        "2",
        "--mpi",
        newest("mpich"),
        "-o",
        "disk/t",
        "--",
        str(compiled(newest("mpich"), "traced")),
    )
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", str(COMMAND), *words], env=environment(tmp_path),
        cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert_error(done, 3, "cannot write to", "No space left on device")


def test_without_a_program_the_remedy_is_of_this_verb(tmp_path: Path) -> None:
    for words in ((), ("-o", "t")):
        done = rankwise("trace", "-n", "2", *words, home=tmp_path)
        assert_error(done, 2, "no program given", "rankwise trace -n 4 -- ./app")


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    if not IDS:
        pytest.skip("no MPI here")
    (tmp_path / "thesis.tex").write_text("years of work")
    done = record(tmp_path, newest("mpich-5"), 1, [compiled(newest("mpich-5"), "traced")])
    assert_error(done, 2, "has other files than a trace: thesis.tex")
    assert (tmp_path / "thesis.tex").exists()


def test_show_and_export_say_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert_error(rankwise("trace", "show", "empty", home=tmp_path), 2, "no trace found in empty")
    (tmp_path / "t").mkdir()
    write_trace(tmp_path / "t", [[((NUMBER["MPI_Barrier"], 0, -3, 0, 0), 1, 1)]])
    content = (tmp_path / "t" / "rank-000000.trace").read_bytes()
    (tmp_path / "t" / "rank-000000.trace").write_bytes(content[:-5])
    shown = rankwise("trace", "show", "t", home=tmp_path)
    assert shown.returncode == 0 and "ends within a block" in shown.stdout and "MPI_Barrier" in shown.stdout
    done = rankwise("trace", "export", "t", "--format", "goal", "-o", "nowhere/file", home=tmp_path)
    assert_error(done, 3, "cannot write nowhere/file")


def test_what_has_totals_alone_is_for_other_verbs(tmp_path: Path) -> None:
    (tmp_path / "app.mpiP").write_text(MPIP)
    done = rankwise("trace", "import", "app.mpiP", home=tmp_path)
    assert_error(done, 2, "app.mpiP is a report of mpiP", "rankwise tune --for app.mpiP")
    (tmp_path / "monitored").mkdir()
    (tmp_path / "monitored" / "app.0.prof").write_text(MONITORED + MONITORED.replace("E\t0\t1", "E\t1\t0"))
    for name in ("monitored", "monitored/app.0.prof"):
        done = rankwise("trace", "import", name, home=tmp_path)
        assert_error(done, 2, "is output of Open MPI's monitoring", f"rankwise map {name}")


@pytest.mark.skipif(not HAS_OTF2, reason="there is no OTF2 library for this Python (pip install otf2)")
def test_archives_are_refused_with_a_remedy(tmp_path: Path) -> None:
    write_trace(tmp_path, [[((NUMBER["MPI_Barrier"], 0, -3, 0, 0), 1, 1)]])
    assert_error(rankwise("trace", "export", ".", "--format", "otf2", home=tmp_path), 2, "-o DIR")
    done = rankwise("trace", "export", ".", "--format", "otf2", "-o", "rank-000000.trace", home=tmp_path)
    assert_error(done, 2, "already exists")
    assert_error(rankwise("trace", "import", "nothing.otf2", home=tmp_path), 2, "cannot read nothing.otf2")
    (tmp_path / "text.otf2").write_text("no archive")
    assert_error(rankwise("trace", "import", "text.otf2", home=tmp_path), 2, "cannot read text.otf2", "otf2-print")
    assert not (tmp_path / "text.trace").exists()


@pytest.mark.mpi
def test_more_ranks_than_cores_are_warned_of_and_kept_in_the_trace() -> None:
    one = newest("mpich-5")
    for ranks in (1, usable_cores() + 1):
        with open_folder() as home:
            done = record(home / "t", one, ranks, [compiled(one, "traced"), "1"])
            assert done.returncode == 0, done.stderr
            assert ("exceed the number of cores" in done.stderr) == (ranks > 1)
            assert read(home / "t").crowded == (ranks > 1)
