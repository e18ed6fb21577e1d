"""MPICH's own test suite goes under each of our libraries as natively, but for the documented limits."""

from __future__ import annotations

from functools import cache

import pytest

from mpich_suite.build import in_package
from mpich_suite.judging import Verdict, judged, sample
from mpich_suite.limits import limits
from mpich_suite.modes import Mode, modes
from mpich_suite.source import needs_suite, suite
from mpich_suite.testlist import ROOTS, SuiteTest, listed
from support.abi import needs_compiler
from support.emulated import needs_emulation

pytestmark = [pytest.mark.mpi, needs_suite, needs_compiler, needs_emulation]
BY_DAY = 100
MODES = modes()


@cache
def all_tests() -> list[SuiteTest]:
    return [test for test in listed(suite()) if in_package(test)]


def report(differing: list[Verdict]) -> str:
    return "\n\n".join(map(str, differing))


@pytest.mark.timeout(1500)
def test_sample_of_each_folder_in_each_mode() -> None:
    chosen = sample(all_tests(), MODES, BY_DAY)
    able = [test for test in all_tests() if any(mode.fortran == test.fortran for mode in MODES)]
    assert len(chosen) == BY_DAY
    assert {test.root for test, _ in chosen} == {test.root for test in able}
    assert {test.folder for test, _ in chosen} >= {test.folder for test in able if not test.fortran}
    assert {mode.how for _, mode in chosen} == {mode.how for mode in MODES}
    verdicts = judged(chosen)
    assert not (differing := [one for one in verdicts if one.differs]), report(differing)
    assert sum(one.outcome.right for one in verdicts) > 0.8 * BY_DAY, [one.excuse for one in verdicts]
    assert sum(one.outcome.replaced for one in verdicts) > 100  # calls that the overlay has taken over


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("mode", MODES, ids=[one.name for one in MODES])
def test_all_of_a_directory(mode: Mode, root: str) -> None:
    chosen = [(test, mode) for test in all_tests() if test.root == root and test.fortran == mode.fortran]
    verdicts = judged(chosen)
    assert not (differing := [one for one in verdicts if one.differs]), report(differing)
    if mode.how == "overlay" and root == "coll":
        assert sum(one.outcome.replaced > 0 for one in verdicts) > len(verdicts) / 2


def test_each_limit_is_about_tests_of_the_suite() -> None:
    for limit in limits():
        assert any(limit.covers(test, mode) for test in all_tests() for mode in MODES), limit.tests
