"""Which tests of the suite run by day, and which go otherwise than natively for no documented reason."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice, zip_longest

from mpich_suite.limits import limit_of, limits
from mpich_suite.modes import Mode, Outcome, native, run
from mpich_suite.testlist import LONGEST, SuiteTest

BY_DAY = ("abi", "openmpi-5", "mpich-5", "openmpi-4")
"""By day programs are built for these alone: each compiler has its own utilities to build."""
MOST_RANKS_BY_DAY = 4
OF_FORTRAN = 5
FURTHER = ("coll", "pt2pt", "comm", "datatype", "topo", "attr", "threads/comm")
NOT_BY_DAY = (
    "attr/keyval_double_free*", "errors/coll/*length *", "errors/f*", "errors/spawn/[bc]*", "f??/ext/*",
    "f??/io/*", "f??/pt2pt/mprobef*", "f??/rma/*", "f??/spawn/*", "f??/info/*", "f90/coll/vw_inplacef90 *",
    "init/session*", "spawn/spacon*", "threads/comm/idup_*", "threads/comm/comm_create*",
    "threads/init/mult_session *", "threads/pt2pt/alltoall *", "topo/cartsuball *", "datatype/typename *",
    "comm/cmfree *", "threads/comm/dup_leak_test *", "topo/dims5 *", "datatype/indexed_misc_oldapi *",
)  # fmt: skip
"""What takes long, or is right natively on few implementations."""
SHARES = {"joined": 4, "overlay": 3}
"""How many tests these have by day for one of each other's."""
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a test in a mode."""

    test: SuiteTest
    mode: Mode
    outcome: Outcome
    excuse: str = ""
    """Why it does not count that it went wrong."""

    @property
    def differs(self) -> bool:
        """Whether it goes otherwise than natively, and no limit says why."""
        return not (self.outcome.right or self.excuse)

    def __str__(self) -> str:
        return f"{self.test.id} under {self.mode.name}: {self.outcome.why}\n{self.outcome.printed[-1500:]}"


def sample(tests: Sequence[SuiteTest], modes: Sequence[Mode], size: int) -> list[tuple[SuiteTest, Mode]]:
    """Return as many short tests, the same ones each time, each with one mode.

    Each folder of C's programs has one, each of Fortran's directories `OF_FORTRAN`; all others are of `FURTHER`.
    """
    groups: dict[str, list[SuiteTest]] = {}
    for test in sorted(tests, key=lambda one: (len(one.arguments), zlib.crc32(one.id.encode()))):
        short = test.ranks <= MOST_RANKS_BY_DAY and test.limit_seconds == LONGEST
        if short and not any(fnmatchcase(test.id, one) for one in NOT_BY_DAY):
            groups.setdefault(test.root if test.fortran else test.folder, []).append(test)
    chosen = [test for those in groups.values() for test in those[: OF_FORTRAN if those[0].fortran else 1]]
    further = zip_longest(*(groups[name][1:] for name in FURTHER))
    chosen += [test for turn in further for test in turn if test]
    with_mode = ((test, _mode_by_day(test, modes)) for test in chosen)
    return list(islice(((test, mode) for test, mode in with_mode if mode), size))


def _mode_by_day(test: SuiteTest, modes: Sequence[Mode]) -> Mode | None:
    """Return the mode that the test's name leads to, whatever else is in the sample; None: no mode is for it."""
    able = [
        one for one in modes
        if one.fortran == test.fortran and one.built_for.startswith(BY_DAY) and not one.on[0].startswith("lammpi")
        and test.ranks >= (2 if one.how == "overlay" else len(one.on))
        and not any(limit.covers(test, one) and not limit.says for limit in limits())
    ]  # fmt: skip
    shares = [one for one in able for _ in range(SHARES.get(one.how, 1))]
    return shares[zlib.adler32(test.id.encode()) % len(shares)] if shares else None


def judged(pairs: Sequence[tuple[SuiteTest, Mode]]) -> list[Verdict]:
    """Run all of them, a few at once, and return what came of each."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda pair: _judge(*pair), pairs))


def _judge(test: SuiteTest, mode: Mode) -> Verdict:
    outcome = run(test, mode)
    if outcome.right:
        return Verdict(test, mode, outcome)
    if limit := limit_of(test, mode, outcome):
        return Verdict(test, mode, outcome, limit.reason)
    alike = replace(test, ranks=mode.ranks(test))
    wrong = [one.name for one in native(mode) if not _right(alike, one)]
    return Verdict(test, mode, outcome, f"not right either: {'; '.join(wrong)}" if wrong else "")


@cache
def _right(test: SuiteTest, mode: Mode) -> bool:
    return run(test, mode).right
