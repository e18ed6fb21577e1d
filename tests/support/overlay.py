"""Programs under the overlay, started as a user starts them, with what the overlay says it has replaced."""

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.schedules import generator
from support.command_line import rankwise
from support.mpis import working

HEADING = "# rankwise overlay 1"
SOURCES = Path(__file__).parent.parent / "interpose"


@dataclass(frozen=True)
class Ran:
    """A job's end, and the report of each rank."""

    done: subprocess.CompletedProcess[str]
    reports: list[dict[str, Any]]

    def replaced(self) -> Counter[str]:
        """Calls of all ranks that our schedules carried out, by function."""
        return self._sum("replaced")

    def passed(self) -> Counter[str]:
        """Those that were left to the library."""
        return self._sum("passed")

    def algorithms(self) -> Counter[str]:
        """Calls of all ranks by the algorithm that did them."""
        total: Counter[str] = Counter()
        for report in self.reports:
            total.update(report["algorithms"])
        return total

    def _sum(self, which: str) -> Counter[str]:
        total: Counter[str] = Counter()
        for report in self.reports:
            for name, counts in report["functions"].items():
                total[name] += counts[which]
        return +total


@cache
def compiled(implementation_id: str, name: str) -> Path:
    """Return tests/interpose/NAME.c, compiled for this implementation."""
    flags = ("-std=gnu99", "-O1")
    program = Artifact(name, (SOURCES / f"{name}.c",), flags=flags, libraries=("-pthread", "-lm"))
    return builder.build(program, working(implementation_id))


@contextmanager
def _open_folder() -> Iterator[Path]:
    """One that LAM/MPI's ranks can write into too: as root they run as nobody."""
    folder = Path(tempfile.mkdtemp(prefix="rankwise-overlay-"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def run(
    implementation_id: str, ranks: int, table: Path | str, home: Path, program: Sequence[str], *words: str,
    timeout: float = 100, **variables: str,
) -> Ran:  # fmt: skip
    """Run a program under the overlay with this table, `default`, or '' for none."""
    overlay = ["--overlay", str(table)] if table else []
    with _open_folder() as folder:
        done = rankwise(
            "run", "-q", "-n", str(ranks), "--mpi", implementation_id, *overlay, *words, "--", *program, home=home,
            timeout=timeout, RANKWISE_OVERLAY_REPORT=str(folder / "report"), **variables,
        )  # fmt: skip
        files = sorted(folder.iterdir(), key=lambda file: int(file.suffix[1:]))
        return Ran(done, [json.loads(file.read_text()) for file in files])


def write_table(folder: Path, rules: Iterable[str]) -> Path:
    file = folder / "overlay.table"
    file.write_text("\n".join([HEADING, *rules, ""]))
    return file


def everything(turn: int) -> list[str]:
    """Rules that leave nothing to the library; in each turn other algorithms come first."""
    by_operation: dict[str, list[str]] = {}
    for one in generator.algorithms():
        by_operation.setdefault(one.operation, []).append(one.name)
    rules = []
    for operation, names in by_operation.items():
        first = turn % len(names)
        rules += [f"{operation} {name}" for name in names[first:] + names[:first]]
    return rules


def turns() -> int:
    """How many turns it takes until each algorithm was the first choice."""
    return max(Counter(one.operation for one in generator.algorithms()).values())
