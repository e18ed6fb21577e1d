"""Variables for one number of ranks come back from their names, and reach jobs and shells of that number only."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.bound_variables import bound, names, of_all, of_job, real, shell_lines, tables

ALL = (("A", "1"), (bound(4, "B"), "x;y"), (bound(8, "B"), "it's"), (bound(8, "C"), "$D"))


@given(st.integers(1, 10**6), st.text(min_size=1).filter(lambda name: not name.startswith("RANKWISE_AT_")))
def test_a_name_says_its_number(ranks: int, name: str) -> None:
    assert real(bound(ranks, name)) == (ranks, name)
    assert real(name) == (0, name)


def test_a_job_gets_what_is_for_all_and_for_its_number() -> None:
    assert of_job(ALL, 4) == (("A", "1"), ("B", "x;y"))
    assert of_job(ALL, 5) == of_all(ALL) == (("A", "1"),)
    assert tables(ALL) == {4: (("B", "x;y"),), 8: (("B", "it's"), ("C", "$D"))}
    assert names(ALL) == ("B", "C")


@pytest.mark.parametrize("ranks", [4, 5, 8])
def test_a_shell_gets_the_same(ranks: int) -> None:
    lines = [f"{name}=old; export {name}" for name in names(ALL)] + shell_lines(ALL, "load.sh") + ["env"]
    said = subprocess.run(
        ["sh", "-euc", "\n".join(lines)], env={"RANKS": str(ranks), "PATH": "/usr/bin:/bin"}, capture_output=True,
        text=True, check=True, timeout=10,
    ).stdout  # fmt: skip
    found = {tuple(line.split("=", 1)) for line in said.splitlines() if line[:2] in ("B=", "C=")}
    assert found == set(of_job(ALL, ranks)) - {("A", "1")}


def test_without_bound_ones_a_shell_has_nothing_to_choose() -> None:
    assert shell_lines(of_all(ALL), "load.sh") == []
