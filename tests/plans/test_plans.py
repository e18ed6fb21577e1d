"""Random MPI programs are right natively, under the overlay, by the standard ABI, in joined jobs.

By day some plans, the same ones each time; by night many, others each time. A plan that fails is made smaller and
printed whole, and can be given to the interpreter alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from support.abi import IDS, compiled_plans, needs_compiler, prepare
from support.command_line import BY_DAY, rankwise
from support.emulated import needs_emulation
from support.joined import join
from support.mpis import working
from support.overlay import everything, write_table
from support.plan_runs import drawn, run_plans, smallest

HERE = Path(__file__).parent
SOURCES = tuple(sorted((HERE / "interpreter").glob("*.c")))
FLAGS = ("-std=gnu99", "-O1")
pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900 if BY_DAY else 7200)]
SECONDS = 10
"""Of a rank's processor time, in which every step has to end."""
PLANS = 67 if BY_DAY else 1820
"""In each of the modes."""
AT_ONCE = 200
"""Plans of one night's launch."""

WITHOUT = {
    "mpich-5": {"status-of-persistent", "spread-reductions"},
    "intelmpi": {"status-of-persistent", "spread-reductions"},
    "openmpi-5": {"free-after-init", "free-under-way", "idup", "inter-in-threads"},
}
"""What these libraries do wrong by themselves, and by that wherever they do it: see `plans`."""


@dataclass(frozen=True)
class Mode:
    """A way to start programs."""

    implementations: tuple[str, ...]
    sites: tuple[int, ...] = (2, 2)
    kind: str = "native"

    def __str__(self) -> str:
        return "-".join((self.kind, *self.implementations))

    @property
    def ranks(self) -> int:
        """Of all sites."""
        return sum(self.sites)

    @property
    def without(self) -> frozenset[str]:
        """What one of the libraries does wrong."""
        return frozenset().union(*(WITHOUT.get(one, set()) for one in self.implementations))

    def words(self, folder: Path) -> list[str]:
        """What `rankwise run` is told of it."""
        first = self.implementations[0]
        if self.kind == "joined":
            return ["--join", join(*self.implementations, ranks=self.sites)]
        more = {
            "native": [], "abi": ["--abi"], "overlay": [*ACROSS, "--overlay"],
            "table": ["--overlay", str(write_table(folder, everything(0)))] if self.kind == "table" else [],
        }[self.kind]  # fmt: skip
        return ["-n", str(self.ranks), "--mpi", first, *more]

    def program(self) -> Path:
        """The interpreter."""
        if self.kind in ("joined", "abi"):
            prepare(*self.implementations)
            return compiled_plans(SOURCES, FLAGS)
        one = working(next(one for one in IDS if one.startswith(self.implementations[0])))
        return builder.build(Artifact("plans", SOURCES, flags=FLAGS, libraries=("-pthread",)), one)

    def launcher(self, home: Path, *more: str) -> Callable[[Path], str]:
        """Start the interpreter on a file."""
        program = str(self.program())

        def launch(file: Path) -> str:
            line = ["run", "-q", *self.words(home), "--", program, str(file), str(SECONDS), *more]
            done = rankwise(*line, home=home, timeout=850 if BY_DAY else 7000)
            return done.stdout + done.stderr

        return launch


ACROSS = ["--testbed", "two-clusters", "--placement", "across-sites"]
NIGHTLY = pytest.mark.nightly
MODES = [
    Mode(("mpich-5",)),
    Mode(("mpich-5",), kind="table"),
    Mode(("mpich-5", "mpich-5"), kind="joined"),
    pytest.param(Mode(("mpich-5",), kind="abi"), marks=NIGHTLY),
    pytest.param(Mode(("intelmpi",)), marks=NIGHTLY),
    pytest.param(Mode(("openmpi-5",)), marks=NIGHTLY),
    pytest.param(Mode(("openmpi-5",), kind="abi"), marks=NIGHTLY),
    pytest.param(Mode(("openmpi-5",), kind="table"), marks=NIGHTLY),
    pytest.param(Mode(("openmpi-5", "mpich-5"), kind="joined"), marks=NIGHTLY),
    pytest.param(Mode(("mpich-5", "openmpi-5", "mpich-5"), (1, 3, 2), kind="joined"), marks=NIGHTLY),
    pytest.param(Mode(("mpich-5",), kind="overlay"), marks=[needs_emulation, NIGHTLY]),
]


def some_plans(mode: Mode) -> list[str]:
    """By day always the same."""
    number = 1 if BY_DAY else random.SystemRandom().randrange(1 << 30)
    print(f"plans of number {number}")
    return drawn(PLANS, mode.sites, mode.without, number=number)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_random_programs_are_right(mode: Mode, tmp_path: Path) -> None:
    launch, plans = mode.launcher(tmp_path), some_plans(mode)
    for first in range(0, len(plans), AT_ONCE):
        failures = run_plans(plans[first : first + AT_ONCE], mode.ranks, tmp_path, launch)
        assert not failures, "\n".join(
            f"{failure.printed}\n{smallest(failure, mode.ranks, tmp_path, launch)}" for failure in failures
        )


def test_a_wrong_answer_is_found(tmp_path: Path) -> None:
    """What is expected is made wrong: every plan that receives something fails."""
    mode = Mode(("mpich-5",))
    plans = [
        plan for plan in drawn(12, mode.sites, mode.without, number=1) if " mpr" in plan or "allreduce b" in plan
    ]
    assert plans
    failures = run_plans(plans, mode.ranks, tmp_path, mode.launcher(tmp_path, "spoilt"), most=len(plans))
    assert len(failures) == len(plans)
