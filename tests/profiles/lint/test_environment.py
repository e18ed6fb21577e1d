"""Variables of MPIs that mean nothing, and entries of tables that are never reached, are found with their line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.family import family_named
from rankwise.profiles.lint.environment import findings, settings
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


SWITCH = "OMPI_MCA_coll_tuned_use_dynamic_rules=1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"export {SWITCH} OMPI_MCA_btl_tcp_link=3\n", [(1, "unknown name")]),
        ("export A=1; export OMPI_MCA_btl_tcp_link=3; B=2\n", [(1, "unknown name")]),
        ("mpirun -x OMPI_MCA_btl_tcp_link=3 -genv MPIR_CVAR_NO_LOCAL 1 ./a\n", [(1, "unknown name")] * 2),
        ("set -gx MPIR_CVAR_NO_LOCAL 1\n", [(1, "unknown name")]),
        ("export UCX_TLS=tcp\nif [ $A = 1 ]; then\n  export UCX_TLS=rc\nelse\n  export UCX_TLS=ud\nfi\n", []),
        ("case $A in\n x) export UCX_TLS=tcp ;;\n y) export UCX_TLS=rc;;\nesac\n", []),
        ("if test -d /x; then export UCX_TLS=rc; fi\nexport UCX_TLS=tcp\n", [(1, "unreachable")]),
        ("f() {\nexport UCX_TLS=rc\n}\nexport UCX_TLS=tcp UCX_TLS=rc\n", [(2, "unreachable"), (4, "unreachable")]),
        ("export UCX_TLS=tcp\nmpirun ./a\nexport UCX_TLS=rc\nmpirun ./a\n", []),
        ("export UCX_TLS=tcp\nUCX_TLS=rc mpirun ./a\n", []),
        ("export I_MPI_ADJUST_BCAST=$PRESET MPIR_CVAR_NOLOCAL=`cat x`\n", []),
        ("export MV2_ENABLE_AFFINITY=0\n", []),
    ],
)
def test_words_branches_and_programs_of_a_script(text: str, expected: list[tuple[int, str]]) -> None:
    assert sorted((one.line, one.kind) for one in findings(text, KNOWN)) == expected


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["export ", "", "declare -x ", "env "]),
            st.lists(st.tuples(st.integers(0, 99), st.sampled_from(["", "'", '"'])), min_size=1, max_size=4),
            st.sampled_from(["", " # a comment", " ;", ";"]),
        ),
        min_size=1, max_size=5,
    )
)  # fmt: skip
def test_every_setting_of_a_script_is_read(lines: list[tuple[str, list[tuple[int, str]], str]]) -> None:
    texts, expected = [], []
    for number, (before, words, after) in enumerate(lines, 1):
        texts.append(before + " ".join(f"UCX_V{name}={quote}{name}{quote}" for name, quote in words) + after)
        expected += [(number, f"UCX_V{name}", str(name)) for name, _ in words]
    assert [(one.line, one.name, one.value) for one in settings("\n".join(texts))] == expected


def test_of_a_variable_that_is_set_twice_the_last_line_counts() -> None:
    (one,) = findings("FI_PROVIDER=tcp\nexport FI_PROVIDER=verbs\n", KNOWN)
    assert (one.line, one.kind) == (1, "unreachable") and "line 2" in one.message


@pytest.mark.mpi
@pytest.mark.parametrize("one", [one for one in FOUND if one.family == "intelmpi"], ids=lambda one: one.id)
def test_presets_are_those_of_the_installation(one) -> None:  # type: ignore[no-untyped-def]
    known = Known((family_named("intelmpi").vocabulary(one),), named=True)
    assert list(findings("I_MPI_ADJUST_BCAST=1:0-10;2:11-20\n", known)) == []
    assert [found.kind for found in findings("I_MPI_ADJUST_BCAST=1:0-10;999:11-20\n", known)] == ["unknown name"]
