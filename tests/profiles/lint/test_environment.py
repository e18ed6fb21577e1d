"""Variables of MPIs that mean nothing, and entries of tables that are never reached, are found with their line."""

import pytest

from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.family import family_named
from rankwise.profiles.lint.environment import findings
from rankwise.profiles.lint.findings import Known
from support.mpis import FOUND

KNOWN = Known((
    Vocabulary("intelmpi-2021", "intelmpi", "2021", {"bcast": {str(n): f"preset-{n}" for n in range(15)}}),
    Vocabulary("mpich-5", "mpich", "5", {}, {"MPIR_CVAR_BCAST_MIN_PROCS": (), "MPIR_CVAR_NOLOCAL": ()}),
    Vocabulary("openmpi-5", "openmpi", "5", {}, {"btl_tcp_links": (), "coll_tuned_use_dynamic_rules": ()}),
))  # fmt: skip


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("export I_MPI_ADJUST_BCAST='3:0-1023;1:1024-4096'", []),
        ("I_MPI_ADJUST_BCAST=3", []),
        ("setenv I_MPI_ADJUST_BCAST 3 # best", []),
        ("I_MPI_ADJUST_BCAST=99", ["unknown name"]),
        ("I_MPI_ADJUST_BCASTS=3", ["unknown name"]),
        ("I_MPI_ADJUST_BCAST=binomial", ["syntax"]),
        ("I_MPI_ADJUST_BCAST=", ["syntax"]),
        ("I_MPI_ADJUST_BCAST='3:0-4K'", ["unit"]),
        ("I_MPI_ADJUST_BCAST='3:9-4'", ["unreachable"]),
        ("I_MPI_ADJUST_BCAST='3:0-100;1:50-90'", ["unreachable"]),
        ("I_MPI_ADJUST_BCAST='3;1:50-90'", ["unreachable"]),
        ("I_MPI_ADJUST_BCAST='3:0-9@4-4;1:10-20'", ["out of range"]),
        ("I_MPI_ADJUST_ALLREDUCE_KN_RADIX=4", []),
        ("MPIR_CVAR_NOLOCAL=1", []),
        ("MPIR_CVAR_NO_LOCAL=1", ["unknown name"]),
        ("export OMPI_MCA_btl_tcp_link=2", ["unknown name"]),
        ("export OMPI_MCA_btl_tcp_links=2", []),
        ("PATH=/usr/bin", []),
    ],
)
def test_each_mistake_is_found(line: str, expected: list[str]) -> None:
    found = list(findings(f"# a comment\n\n{line}\n", KNOWN))
    assert [(one.line, one.kind) for one in found] == [(3, kind) for kind in expected]


def test_of_a_variable_that_is_set_twice_the_last_line_counts() -> None:
    (one,) = findings("FI_PROVIDER=tcp\nexport FI_PROVIDER=verbs\n", KNOWN)
    assert (one.line, one.kind) == (1, "unreachable") and "line 2" in one.message


@pytest.mark.mpi
@pytest.mark.parametrize("one", [one for one in FOUND if one.family == "intelmpi"], ids=lambda one: one.id)
def test_presets_are_those_of_the_installation(one) -> None:  # type: ignore[no-untyped-def]
    known = Known((family_named("intelmpi").vocabulary(one),), named=True)
    assert list(findings("I_MPI_ADJUST_BCAST=1:0-10;2:11-20\n", known)) == []
    assert [found.kind for found in findings("I_MPI_ADJUST_BCAST=1:0-10;999:11-20\n", known)] == ["unknown name"]
