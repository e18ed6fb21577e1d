"""A setting is in force only if the implementation itself says what the profile asks for."""

from dataclasses import replace

import pytest

from rankwise.core.host_settings import MTU
from rankwise.core.tuning import Choice, Decision, Native, ReadBack, Rule, Setting, Tuning
from rankwise.profiles.checking import State, checks, host_check
from support.profiles import TUNING, part


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ([], "cannot be read back"),
        (["33554432"], "in force"),
        (["32M"], "in force"),
        (["32M", "65536"], "not in force"),
        (["65536"], "not in force"),
        (["auto"], "not in force"),
    ],
)
def test_knobs(said: list[str], state: State) -> None:
    one = part(tuning=replace(TUNING, settings=(Setting("eager-threshold", "33554432"),), decisions=()))
    evidence = {2: ReadBack(in_force=tuple(("eager-threshold", value) for value in said))}
    (found,) = checks(one, evidence)
    assert (found.state, found.wanted, found.found) == (state, "32 MiB", ", ".join(said))


def test_algorithms_are_looked_for_in_the_runs_of_their_ranks() -> None:
    one = part(tuning=replace(TUNING, settings=()))
    evidence = ReadBack(in_force=(("algorithms", "/p/rules.conf"),))
    assert [check.state for check in checks(one, {4: evidence}, ["/p/rules.conf"])] == ["in force"]
    assert [check.state for check in checks(one, {2: evidence}, ["/p/rules.conf"])] == ["cannot be read back"]


def test_a_file_that_was_read_speaks_for_what_is_in_it() -> None:
    one = part(tuning=replace(TUNING, settings=()))
    evidence = {4: ReadBack(in_force=(("algorithms", "/p/rules.conf"),))}
    (found,) = checks(one, evidence, ["/p/rules.conf"])
    assert (found.state, found.found, found.wanted) == ("in force", "rules.conf was read", "2 rules")
    (found,) = checks(one, evidence, ["/other/rules.conf"])
    assert (found.state, found.found) == ("not in force", "/p/rules.conf was read")


def test_a_variable_that_was_read_speaks_for_what_is_in_it() -> None:
    native = Native((), (("I_MPI_ADJUST_BCAST", "3:0-4096@4-4"),))
    one = part(native=native, tuning=replace(TUNING, settings=()))
    for value, state in (("3:0-4096@4-4", "in force"), ("1:0-4096@4-4", "not in force")):
        (found,) = checks(one, {4: ReadBack(in_force=(("algorithms of bcast", value), ("fabrics", "shm:ofi")))})
        assert (found.state, found.found) == (state, f"{value} was read")
    (found,) = checks(one, {4: ReadBack(in_force=(("algorithms of reduce", "3:0-4096@4-4"),))})
    assert found.state == "cannot be read back"


def test_kernel_settings_are_words() -> None:
    assert host_check(part(), "k", "4096 1 2", "4096\t1\t2\n").state == "in force"
    assert host_check(part(), "k", "4096 1 2", "4096 1 3").state == "not in force"
    (lacking,) = [host_check(part(), "k", "4096 1 2", "")]
    assert (lacking.state, lacking.found) == ("not in force", "no such setting here")


def test_one_nic_with_the_mtu_is_enough() -> None:
    assert host_check(part(), MTU, "9000", "1500 9000").state == "in force"
    assert host_check(part(), MTU, "9000", "1500").state == "not in force"


def test_schedules_are_in_force_if_all_of_them_ran() -> None:
    rules = (Rule(64, Choice("schedule:one_crossing")), Rule(4096, Choice()), Rule(None, Choice("schedule:lanes")))
    one = part(tuning=Tuning(decisions=(Decision("bcast", 4, rules),)))
    ran = (("schedules of bcast", "lanes"), ("schedules of bcast", "one_crossing"))
    states = [
        [(check.subject, check.wanted, check.found, check.state) for check in checks(one, {4: ReadBack(said)})]
        for said in (ran, ran[:1], ())
    ]
    subject, wanted = "bcast at 4 ranks, by schedules", "lanes, one_crossing"
    assert states == [
        [(subject, wanted, wanted, "in force")],
        [(subject, wanted, "lanes", "not in force")],
        [(subject, wanted, "none", "not in force")],
    ]
