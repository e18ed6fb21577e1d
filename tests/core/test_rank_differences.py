"""Protects: what some ranks have got and others have not is named; what launchers may change is no difference."""

import os
import subprocess

from rankwise.core.rank_differences import Given, difference, given_to, limit_difference, limits_in

CALLER = {"OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
LIMITS = {"nofile": "1024"}


def given(rank: int, limits: dict[str, str] | None = None, **variables: str) -> Given:
    return Given({**CALLER, "PMIX_RANK": str(rank), **variables}, limits or LIMITS)


def test_ranks_that_got_the_same_are_alike() -> None:
    assert difference({"1": given(0), "2": given(1)}, CALLER) == ""
    assert difference({}, CALLER) == ""


def test_a_variable_that_one_rank_lacks_is_named_with_the_rank() -> None:
    lacking = Given({"PATH": CALLER["PATH"], "PMIX_RANK": "1"}, LIMITS)
    said = difference({"10": given(0), "h2 11": lacking}, CALLER)
    assert "OMP_NUM_THREADS" in said and "rank 1" in said and "h2 11" in said


def test_another_value_is_a_difference() -> None:
    assert "OMP_NUM_THREADS" in difference({"1": given(0), "2": given(1, OMP_NUM_THREADS="8")}, CALLER)


def test_no_value_is_told() -> None:
    said = difference({"1": given(0, TOKEN="secret"), "2": given(1)}, {**CALLER, "TOKEN": "secret"})
    assert "TOKEN" in said and "secret" not in said


def test_what_launchers_may_change_is_none() -> None:
    """Their own folders before those of a list, variables that the launch line sets, and what no rank has."""
    longer = given(1, PATH="/opt/mpi/bin:/usr/bin:/bin")
    assert difference({"1": given(0), "2": longer}, CALLER) == ""
    assert difference({"1": given(0), "2": given(1, OMP_NUM_THREADS="2")}, CALLER, {"OMP_NUM_THREADS"}) == ""
    assert difference({"1": given(0), "2": given(1)}, {**CALLER, "HOST_BOUND": "1"}) == ""


def test_another_limit_is_a_difference_of_its_own() -> None:
    ranks = {"1": given(0), "2": given(1, {"nofile": "256"}), "3": given(2)}
    assert difference(ranks, CALLER) == "", "the program may have changed it"
    assert "nofile=256" in limit_difference(ranks)
    assert limit_difference({"1": given(0), "2": given(1)}) == ""


def test_a_process_shows_what_it_has_got() -> None:
    environment = {**os.environ, "SOME": "a\nb = c"}
    # What it writes shows that it runs: the kernel shows no environment while a program is being loaded.
    command = ["sh", "-c", "echo started; read line"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"started\n"
        found = given_to(child.pid)
    assert found.variables["SOME"] == "a\nb = c"
    assert found.limits["nofile"].isdigit()


def test_limits_are_the_soft_ones_that_all_ranks_get() -> None:
    text = "Limit   Soft Limit  Units\nMax open files            777    1024     files\nMax processes    5  6  x\n"
    assert limits_in(text) == {"nofile": "777"}
