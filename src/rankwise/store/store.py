"""The store: every run, launch and sample in one SQLite file. See schema.sql for the tables."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, get_args

from rankwise.core import paths
from rankwise.core.configuration import Configuration
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.network import PathFigures, Topology
from rankwise.core.records import (
    Benchmark,
    CellFailure,
    Fact,
    Implementation,
    Launch,
    Notice,
    Plan,
    RunKind,
    RunSummary,
)
from rankwise.store import connection as database
from rankwise.store import launches, networks, runs
from rankwise.store.configurations import delete_unused, read_configurations, write_configurations


class Store:
    """An open store; use it as a context manager.

    What a method has written is on the disk when it returns. Every method raises StoreError if the file cannot
    be read or written, and UnknownNameError for a run that is not in it.
    """

    def __init__(
        self, path: Path | None = None, *, create: bool = True, busy_seconds: float = database.BUSY_SECONDS
    ) -> None:
        self.path = path or paths.store_path()
        self._connection = database.open_database(self.path, create=create, busy_seconds=busy_seconds)
        self._connection.row_factory = sqlite3.Row

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    # A run from its beginning to its end

    def begin_run(
        self,
        command_line: str,
        testbed: str,
        plan: Plan,
        *,
        implementations: Iterable[Implementation] = (),
        benchmarks: Iterable[Benchmark] = (),
        facts: Iterable[Fact] = (),
        baseline: str = "",
        topology: Topology | None = None,
        configurations: Iterable[Configuration] = (),
        kind: RunKind = "compare",
        parent: int = 0,
        request: str = "",
    ) -> int:
        """Store what a run sets out to do, and that this process measures it. A plan's cells are distinct.

        `configurations` are those that the cells name; `request` is what the verb that began the run needs to go
        on with it, as text that only this verb reads.
        """
        run = {
            "kind": kind,
            "parent": parent,
            "request": request,
            "created_at": time.time(),
            "command_line": command_line,
            "testbed": testbed,
            "baseline": baseline,
            "topology": None if topology is None else networks.topology_to_json(topology),
            "status": "running",
            **runs.owner(),
        }
        with self._writing() as connection:
            write_configurations(connection, configurations)
            run_id = runs.write_plan(connection, run, plan)
            runs.write_implementations(connection, run_id, implementations)
            runs.write_benchmarks(connection, run_id, benchmarks)
            runs.write_facts(connection, run_id, facts)
        return run_id

    def resume_run(self, run_id: int, facts: Iterable[Fact] = ()) -> None:
        """Take over a run that no process measures. Raises InputError if one still does."""
        with self._writing(run_id) as connection:
            self._refuse_running(run_id, "resume")
            runs.write_facts(connection, run_id, facts)
            connection.execute(
                "UPDATE run SET status = 'running', stopped_because = '', owner_host = :owner_host, "
                "owner_process = :owner_process, owner_since = :owner_since WHERE id = :id",
                {**runs.owner(), "id": run_id},
            )

    def add_launch(self, run_id: int, launch: Launch, configurations: Iterable[Configuration] = ()) -> None:
        """Store one launch with everything in it, and the configurations of its segments that are new."""
        with self._writing(run_id) as connection:
            write_configurations(connection, configurations)
            launches.write_launch(connection, run_id, launch)

    def add_failures(self, run_id: int, failures: Iterable[CellFailure]) -> None:
        """Store cells that failed before any launch."""
        with self._writing(run_id) as connection:
            launches.write_failures(connection, run_id, failures)

    def add_notices(self, run_id: int, notices: Iterable[Notice]) -> None:
        """Store notices about the run as a whole."""
        with self._writing(run_id) as connection:
            launches.write_notices(connection, run_id, notices)

    def add_paths(self, run_id: int, paths: Sequence[PathFigures]) -> None:
        """Store measured paths of the testbed, after those that the run has already."""
        with self._writing(run_id) as connection:
            networks.write_paths(connection, run_id, paths)

    def set_result(self, run_id: int, result: str) -> None:
        """Store what the run found, as text that only the verb that began it reads."""
        with self._writing(run_id) as connection:
            connection.execute("UPDATE run SET result = ? WHERE id = ?", [result, run_id])

    def finish_run(self, run_id: int, status: Literal["complete", "interrupted"], stopped_because: str) -> None:
        """Say how the run ended; no process measures it any more."""
        with self._writing(run_id) as connection:
            connection.execute(
                "UPDATE run SET status = ?, stopped_because = ? WHERE id = ?", [status, stopped_because, run_id]
            )

    def delete(self, run_id: int) -> None:
        """Delete a run and everything in it. Raises InputError while a process measures it."""
        with self._writing(run_id) as connection:
            self._refuse_running(run_id, "delete")
            connection.execute("DELETE FROM run WHERE id = ?", [run_id])
            delete_unused(connection)

    # What is stored

    def runs(self) -> list[RunSummary]:
        """Return every run, oldest first; one that a killed process left behind is `interrupted`."""
        with self._reading() as connection:
            return runs.read_summaries(connection)

    def run(self, run_id: int | None = None) -> RunSummary:
        """Return this run in short, or the newest. Raises InputError if the store has none."""
        if run_id is None:
            everything = self.runs()
            if not everything:
                raise InputError(f"no run is stored in {self.path}", "measure first: rankwise compare")
            return everything[-1]
        with self._reading(run_id) as connection:
            return runs.read_summaries(connection, run_id)[0]

    def latest_interrupted(self, *kinds: RunKind) -> RunSummary | None:
        """Return the newest interrupted run, of these kinds if any are given; None where there is none."""
        kinds = kinds or get_args(RunKind)
        newest_first = reversed(self.runs())
        return next((run for run in newest_first if run.status == "interrupted" and run.kind in kinds), None)

    def request(self, run_id: int) -> str:
        """Return what the verb that began the run stored to go on with it; '' if nothing."""
        return self._text(run_id, "request")

    def result(self, run_id: int) -> str:
        """Return what the run found, as its verb stored it; '' if nothing yet."""
        return self._text(run_id, "result")

    def configurations(self, run_id: int) -> dict[str, Configuration]:
        """Return the configurations that the run's cells and launches name, by id."""
        with self._reading(run_id) as connection:
            return read_configurations(connection, run_id)

    def plan(self, run_id: int) -> Plan:
        """Return the whole plan, as it was begun."""
        with self._reading(run_id) as connection:
            return runs.read_plan(connection, run_id)

    def baseline(self, run_id: int) -> str:
        """Return the variant that the run compares with; '' if it does not compare."""
        return self._text(run_id, "baseline")

    def spent_seconds(self, run_id: int) -> float:
        """Return the time that the run's launches took so far: a resumed run counts it against its budget."""
        with self._reading(run_id) as connection:
            return float(
                connection.execute("SELECT total(seconds) FROM launch WHERE run_id = ?", [run_id]).fetchone()[0]
            )

    def implementations(self, run_id: int) -> tuple[Implementation, ...]:
        """Return the implementations as they were when the run began, in that order."""
        with self._reading(run_id) as connection:
            return runs.read_implementations(connection, run_id)

    def benchmarks(self, run_id: int) -> tuple[Benchmark, ...]:
        """Return the benchmarks as the harness listed them when the run began."""
        with self._reading(run_id) as connection:
            return runs.read_benchmarks(connection, run_id)

    def facts(self, run_id: int) -> tuple[Fact, ...]:
        """Return the provenance read when the run began."""
        moments = self.facts_by_moment(run_id)
        return moments[0] if moments else ()

    def facts_by_moment(self, run_id: int) -> list[tuple[Fact, ...]]:
        """Return the provenance read when the run began, then at each resumption."""
        with self._reading(run_id) as connection:
            return runs.read_facts(connection, run_id)

    def iter_launches(self, run_id: int) -> Iterator[Launch]:
        """Yield the launches in the order they were stored, one in memory at a time, no lock held in between."""
        with self._reading(run_id) as connection:
            ids = launches.launch_ids(connection, run_id)
        for launch_id in ids:
            with self._reading() as connection:
                launch = launches.read_launch(connection, launch_id)
            if launch is not None:
                yield launch

    def launches(self, run_id: int) -> list[Launch]:
        """Return the launches in the order they were stored, equal to what was put in, samples bit by bit."""
        return list(self.iter_launches(run_id))

    def failures(self, run_id: int) -> tuple[CellFailure, ...]:
        """Return what failed before any launch; each launch has its own failures."""
        with self._reading(run_id) as connection:
            return launches.read_failures(connection, run_id)

    def notices(self, run_id: int) -> tuple[Notice, ...]:
        """Return the notices about the run as a whole; each launch has its own."""
        with self._reading(run_id) as connection:
            return launches.read_notices(connection, run_id)

    def topology(self, run_id: int) -> Topology | None:
        """Return the testbed's description as it was when the run began; None where there was no network."""
        with self._reading(run_id) as connection:
            return networks.read_topology(connection, run_id)

    def paths(self, run_id: int) -> tuple[PathFigures, ...]:
        """Return the testbed's paths as measured for this run, in the order they were added."""
        with self._reading(run_id) as connection:
            return networks.read_paths(connection, run_id)

    def _text(self, run_id: int, column: str) -> str:
        with self._reading(run_id) as connection:
            return str(connection.execute(f"SELECT {column} FROM run WHERE id = ?", [run_id]).fetchone()[0])

    # Below: one transaction or read, its errors translated, its run known to exist

    @contextmanager
    def _writing(self, run_id: int | None = None) -> Iterator[sqlite3.Connection]:
        with database.translated(self.path, "write to"), database.transaction(self._connection):
            self._require(run_id)
            yield self._connection

    @contextmanager
    def _reading(self, run_id: int | None = None) -> Iterator[sqlite3.Connection]:
        with database.translated(self.path, "read"):
            self._require(run_id)
            yield self._connection

    def _require(self, run_id: int | None) -> None:
        if run_id is None:
            return
        known = [row["id"] for row in self._connection.execute("SELECT id FROM run").fetchall()]
        if run_id not in known:
            raise UnknownNameError("run", str(run_id), map(str, known))

    def _refuse_running(self, run_id: int, verb: str) -> None:
        run = runs.read_summaries(self._connection, run_id)[0]
        if run.status == "running":
            owner = self._connection.execute("SELECT * FROM run WHERE id = ?", [run_id]).fetchone()
            pid = owner["owner_process"].partition("-")[0]
            raise InputError(
                f"cannot {verb} run {run_id}: process {pid} on {owner['owner_host']} is measuring it",
                "wait until it has ended, or stop it with Ctrl-C",
            )
