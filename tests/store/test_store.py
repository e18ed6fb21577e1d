"""What is put into the store comes out of it again, whoever dies or writes beside."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from rankwise.core.configuration import plain
from rankwise.core.errors import InputError, StoreError, UnknownNameError
from rankwise.core.paths import data_folder, store_path
from rankwise.core.records import (
    Benchmark,
    Cell,
    CellFailure,
    Fact,
    Implementation,
    Launch,
    Notice,
    Plan,
    RunSummary,
    Segment,
    Series,
)  # fmt: skip
from rankwise.store.store import Store
from support import stored

WRITER = """
import sys, time
from pathlib import Path
from support import stored
from rankwise.store.store import Store

with Store(Path(sys.argv[1])) as store:
    run_id = stored.begin(store, sys.argv[2])
    for number in range(int(sys.argv[3])):
        store.add_launch(run_id, stored.make_launch(number, repetitions=1000))
        print(number, flush=True)
    if sys.argv[4] == "stay":
        time.sleep(60)
    store.finish_run(run_id, "complete", "precise")
"""


def writer(path: Path, name: str, launches: int, end: str = "finish") -> subprocess.Popen[str]:
    tests = Path(stored.__file__).parents[1]
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r})\n{WRITER}", str(path), name,
         str(launches), end],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@given(launch=stored.launches)
def test_a_launch_comes_back_as_it_was(shared: Store, launch: Launch) -> None:
    run_id = stored.begin(shared)
    shared.add_launch(run_id, launch)
    assert stored.plain(shared.launches(run_id)) == stored.plain([launch])


@given(plan=stored.plans, implementations=stored.implementations, benchmarks=stored.benchmarks, facts=stored.facts)
def test_all_that_a_resumed_run_needs_comes_back(
    shared: Store,
    plan: Plan,
    implementations: tuple[Implementation, ...],
    benchmarks: tuple[Benchmark, ...],
    facts: tuple[Fact, ...],
) -> None:
    run_id = shared.begin_run(
        "rankwise", "local", plan, implementations=implementations, benchmarks=benchmarks, facts=facts
    )
    assert stored.plain(shared.plan(run_id)) == stored.plain(plan)
    assert shared.implementations(run_id) == implementations
    assert shared.benchmarks(run_id) == benchmarks
    assert shared.facts(run_id) == facts


def test_numpy_scalars_are_stored_as_plain_numbers(store: Store) -> None:
    cell = Cell("a", "b", np.int64(8), np.int32(2))  # type: ignore[arg-type]
    run_id = store.begin_run("rankwise", "local", Plan((cell,), np.uint64(2**64 - 1), np.float32(1)))  # type: ignore[arg-type]
    assert store.plan(run_id) == Plan((Cell("a", "b", 8, 2),), 2**64 - 1, 1.0)


def test_words_that_are_not_utf8_are_kept_readable(store: Store) -> None:
    run_id = store.begin_run("rankwise \udcff", "local", stored.PLAN)
    assert store.run(run_id).command_line == "rankwise \\udcff"


def test_the_list_of_runs(store: Store) -> None:
    before = time.time()
    first = stored.measured(store, launches=2)
    second = stored.begin(store, "rankwise bench")
    runs = store.runs()
    assert [run.id for run in runs] == [first, second]
    assert before <= runs[0].created_at <= time.time()
    assert runs[0] == RunSummary(
        first, runs[0].created_at, "rankwise compare --time 1m", "local", (stored.OPENMPI.id,), 4, 2, "complete",
        "precise",
    )  # fmt: skip
    assert (runs[1].command_line, runs[1].launches, runs[1].status) == ("rankwise bench", 0, "running")
    assert store.run() == runs[1]
    assert store.run(first) == runs[0]
    assert store.baseline(first) == stored.OPENMPI.id
    assert store.spent_seconds(first) == 3.0
    assert store.spent_seconds(second) == 0.0


def test_what_failed_before_any_launch_is_kept_apart_and_is_no_part_of_the_plan(store: Store) -> None:
    run_id = stored.begin(store)
    unsupported = CellFailure(Cell("lammpi-7.1.4", "ibcast", 8, 2), "needs MPI 3", "unsupported")
    built = CellFailure(stored.CELLS[1], "mpicc refused")
    store.add_failures(run_id, [unsupported, built])
    store.add_launch(run_id, stored.make_launch())
    assert store.failures(run_id) == (unsupported, built)
    assert store.launches(run_id)[0].failures == stored.make_launch().failures
    assert store.plan(run_id) == stored.PLAN


def test_notices_of_the_run_are_kept_apart_from_those_of_a_launch(store: Store) -> None:
    run_id = stored.begin(store)
    notice = Notice("oversubscribed", "4 ranks on 2 cores", "use -n 2")
    store.add_notices(run_id, [notice])
    store.add_launch(run_id, stored.make_launch())
    assert store.notices(run_id) == (notice,)
    assert store.launches(run_id)[0].notices == stored.make_launch().notices


def test_one_cell_is_one_row_however_often_it_is_measured(store: Store, path: Path) -> None:
    run_id = stored.measured(store, launches=3)
    unplanned = Cell("x", "y", 1, 2)
    for _ in range(2):
        store.add_failures(run_id, [CellFailure(unplanned, "no"), CellFailure(unplanned, "still no")])
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM cell").fetchone() == (len(stored.CELLS) + 1,)
    raw.close()


def test_an_unknown_run_is_named_with_those_there_are(store: Store) -> None:
    run_id = stored.measured(store)
    for call in (store.run, store.plan, store.launches, store.failures, store.delete, store.facts):
        with pytest.raises(UnknownNameError, match="unknown run '99'") as caught:
            call(99)
        assert str(run_id) in caught.value.remedy
    with pytest.raises(UnknownNameError):
        store.add_launch(99, stored.make_launch())


def test_no_run_at_all(store: Store) -> None:
    assert store.runs() == []
    assert store.latest_interrupted() is None
    with pytest.raises(InputError, match="no run is stored"):
        store.run()


def test_deleting_a_run_leaves_no_row_and_gives_the_space_back(store: Store, path: Path) -> None:
    kept = stored.measured(store, launches=1)
    small = path.stat().st_size
    own = plain(stored.OPENMPI)
    cells = tuple(replace(cell, configuration=own.id) for cell in stored.CELLS)
    run_id = store.begin_run(
        "rankwise compare", "local", replace(stored.PLAN, cells=cells), implementations=[stored.OPENMPI],
        benchmarks=stored.BENCHMARKS, facts=stored.FACTS, configurations=[own],
    )  # fmt: skip
    store.add_failures(run_id, [CellFailure(Cell("x", "y", 1, 2), "no")])
    store.add_notices(run_id, [Notice("a", "b")])
    series = Series(stored.CELLS[0], "time", np.ones(200_000))
    launch = Launch((Segment("x", 2),), "finished", "", (("a", "b"),), 0.0, 1.0, (series,), verified=stored.CELLS)
    store.add_launch(run_id, launch)
    store.add_launch(run_id, stored.networked_launch())
    store.add_paths(run_id, stored.PATHS)
    store.finish_run(run_id, "interrupted", "")
    assert path.stat().st_size > small + 1_600_000
    before = _rows_by_table(path)
    store.delete(run_id)
    after = _rows_by_table(path)
    assert all(before[table] > after[table] for table in after if table not in ("sqlite_sequence", "run_profile"))
    assert path.stat().st_size < small + 100_000
    assert stored.plain(store.launches(kept)) == stored.plain([stored.make_launch(0)])
    assert stored.begin(store) > run_id, "a deleted run's id must not come back"


def _rows_by_table(path: Path) -> dict[str, int]:
    raw = sqlite3.connect(path)
    tables = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    counts = {table: raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}
    raw.close()
    return counts


def test_a_run_that_is_measured_is_neither_deleted_nor_resumed(store: Store) -> None:
    run_id = stored.begin(store)
    with pytest.raises(InputError, match=r"cannot delete run 1: process \d+ on .* is measuring it"):
        store.delete(run_id)
    with pytest.raises(InputError, match="cannot resume run 1"):
        store.resume_run(run_id)


def test_after_kill_9_everything_committed_is_there_and_the_run_goes_on(path: Path) -> None:
    child = writer(path, "rankwise compare", 5, "stay")
    assert child.stdout is not None
    for _ in range(5):
        child.stdout.readline()
    with Store(path) as store:
        assert store.run().status == "running"
        child.kill()
        while not Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].startswith(" Z"):
            time.sleep(0.01)
        assert store.run().status == "interrupted", "a zombie measures nothing"
        child.wait()
        child.stdout.close()
        interrupted = store.latest_interrupted()
        assert interrupted is not None
        assert (interrupted.launches, interrupted.status) == (5, "interrupted")
        expected = [stored.make_launch(number, repetitions=1000) for number in range(5)]
        assert stored.plain(store.launches(interrupted.id)) == stored.plain(expected)

        store.resume_run(interrupted.id, [Fact("kernel", "6.2")])
        assert store.run().status == "running"
        assert store.facts(interrupted.id) == stored.FACTS
        assert store.facts_by_moment(interrupted.id) == [stored.FACTS, (Fact("kernel", "6.2"),)]
        store.add_launch(interrupted.id, stored.make_launch(5))
        store.finish_run(interrupted.id, "complete", "precise")
        assert (store.run().status, store.run().launches) == ("complete", 6)


def test_killed_in_the_middle_of_a_write_the_store_opens_with_whole_launches(path: Path) -> None:
    child = writer(path, "rankwise compare", 10_000)
    assert child.stdout is not None
    for _ in range(3):
        child.stdout.readline()
    child.kill()
    rest = child.communicate()[0].split()
    with Store(path) as store:
        launches = store.launches(store.run().id)
    assert len(launches) >= 3 + len(rest)
    expected = [stored.make_launch(number, repetitions=1000) for number in range(len(launches))]
    assert stored.plain(launches) == stored.plain(expected)


def test_two_processes_write_at_once(path: Path) -> None:
    children = [writer(path, name, 15) for name in ("first", "second")]
    assert [(child.communicate()[0].count("\n"), child.returncode) for child in children] == [(15, 0)] * 2
    expected = [stored.make_launch(number, repetitions=1000) for number in range(15)]
    with Store(path) as store:
        assert sorted(run.command_line for run in store.runs()) == ["first", "second"]
        for run in store.runs():
            assert stored.plain(store.launches(run.id)) == stored.plain(expected)


def test_a_reader_in_the_middle_of_a_run_does_not_block_a_writer(store: Store, path: Path) -> None:
    run_id = stored.measured(store)
    reading = store.iter_launches(run_id)
    next(reading)
    with Store(path, busy_seconds=0) as writing:
        writing.add_launch(run_id, stored.make_launch(3))
        writing.delete(run_id)
    assert list(reading) == [], "launches deleted meanwhile are passed over"


def test_a_reader_of_a_run_that_is_deleted_never_gets_launches_of_the_next(store: Store, path: Path) -> None:
    run_id = stored.measured(store)
    reading = store.iter_launches(run_id)
    next(reading)
    with Store(path, busy_seconds=0) as writing:
        writing.delete(run_id)
        assert len(writing.launches(stored.measured(writing))) > 1
    assert list(reading) == []


def test_a_run_of_another_host_is_running_until_it_has_been_quiet_for_long(store: Store, path: Path) -> None:
    run_id = stored.begin(store)
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("UPDATE run SET owner_host = 'elsewhere', owner_process = '1-1'")
    assert store.run(run_id).status == "running"
    raw.execute("UPDATE run SET owner_since = owner_since - 3600")
    assert store.run(run_id).status == "interrupted"
    raw.execute("UPDATE run SET launch_limit_seconds = 3600")
    assert store.run(run_id).status == "running"
    raw.close()


def test_the_default_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RANKWISE_STORE", raising=False)
    assert store_path() == data_folder() / "results.sqlite"
    monkeypatch.setenv("RANKWISE_STORE", str(tmp_path / "other.sqlite"))
    assert store_path() == tmp_path / "other.sqlite"


def test_a_launch_of_two_segments_comes_back_as_it_was(store: Store) -> None:
    other = replace(stored.CONFIGURATION, implementation="mpich-5.0.2")
    segments = (
        Segment("openmpi-5.0.11", 2, stored.CONFIGURATION.id, "./west 1"),
        Segment("mpich-5.0.2", 3, other.id, "./east 'a b'"),
    )
    run_id = stored.begin(store)
    store.add_launch(run_id, replace(stored.make_launch(), segments=segments), [stored.CONFIGURATION, other])
    (launch,) = store.launches(run_id)
    assert launch.segments == segments
    assert (launch.implementation, launch.ranks) == ("openmpi-5.0.11 + mpich-5.0.2", 5)
    assert store.configurations(run_id) == {stored.CONFIGURATION.id: stored.CONFIGURATION, other.id: other}


def test_a_configuration_is_stored_once_and_goes_with_the_last_run_that_names_it(store: Store, path: Path) -> None:
    first, second = stored.configured(store), stored.configured(store)
    assert store.configurations(first) == store.configurations(second) == {
        stored.CONFIGURATION.id: stored.CONFIGURATION
    }  # fmt: skip
    assert _rows_by_table(path)["configuration"] == 1
    store.delete(first)
    assert store.configurations(second) == {stored.CONFIGURATION.id: stored.CONFIGURATION}
    store.delete(second)
    assert _rows_by_table(path)["configuration"] == 0


def test_a_damaged_configuration_is_an_error_that_says_which(store: Store, path: Path) -> None:
    run_id = stored.configured(store)
    raw = sqlite3.connect(path)
    raw.execute("UPDATE configuration SET content = '{'")
    raw.commit()
    raw.close()
    with pytest.raises(StoreError, match=stored.CONFIGURATION.id):
        store.configurations(run_id)


def test_a_run_has_a_kind_a_parent_and_what_its_verb_needs(store: Store) -> None:
    search = store.begin_run("rankwise tune", "local", stored.PLAN, kind="search", request="{}")
    child = store.begin_run("rankwise tune", "local", stored.PLAN, kind="validation", parent=search)
    store.set_result(search, "found")
    for run_id in (search, child):
        store.finish_run(run_id, "interrupted", "Ctrl-C")
    assert (store.request(search), store.result(search), store.request(child)) == ("{}", "found", "")
    assert (store.run(child).kind, store.run(child).parent) == ("validation", search)
    newest = store.latest_interrupted("search")
    assert newest is not None and newest.id == search
    assert store.latest_interrupted("guidelines") is None
