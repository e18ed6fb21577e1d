"""Programs recorded as a user records them."""

import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rankwise.analysis.trace.reading import RankTrace, Trace, read
from support.command_line import rankwise


@contextmanager
def open_folder() -> Iterator[Path]:
    """One that every user can enter: as root LAM/MPI's ranks run as nobody."""
    with tempfile.TemporaryDirectory(prefix="rankwise-trace-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def recorded(
    implementation_id: str, ranks: int, program: Sequence[str | Path], *words: str, code: int | None = 0,
    **variables: str,
) -> Trace:  # fmt: skip
    """The trace of a program; it must end with this code, if one is given."""
    with open_folder() as folder:
        done = record(folder / "t", implementation_id, ranks, program, *words, **variables)
        assert code is None or done.returncode == code, done.stderr
        return read(folder / "t")


def record(
    folder: Path, implementation_id: str, ranks: int, program: Sequence[str | Path], *words: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a program under the tracer."""
    return rankwise(
        "trace", "-n", str(ranks), "--mpi", implementation_id, "-o", str(folder), *words, "--",
        *map(str, program), home=folder.parent, **variables,
    )  # fmt: skip


def calls(trace: RankTrace) -> Counter[str]:
    """How often a rank called what; of a summary as well."""
    if trace.keep != "all":
        counts = trace.statistics["calls"].tolist()
        return Counter(
            {name: sum(count for row, count in zip(trace.signatures, counts, strict=True) if row[0] == number)
             for number, (name, _) in enumerate(trace.functions)}
        )  # fmt: skip
    return Counter(trace.functions[trace.signatures[one][0]][0] for one in trace.order.tolist())


def rows(trace: RankTrace, function: str) -> list[tuple[int, ...]]:
    """What was recorded of each call of a function, in order, without the function."""
    found = (trace.signatures[one] for one in trace.order.tolist())
    return [row[1:] for row in found if trace.functions[row[0]][0] == function]
