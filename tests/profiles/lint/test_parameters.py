"""Lines of Open MPI's parameter file that do nothing, or not what they say, are found."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.family import family_named
from rankwise.profiles.lint.findings import Known
from rankwise.profiles.lint.parameters import findings, recognises
from support.mpis import FOUND

NAMES = (
    "btl_tcp_links", "coll_tuned_bcast_algorithm", "coll_tuned_use_dynamic_rules",
    "coll_tuned_dynamic_rules_filename", "coll_tuned_alltoall_algorithm_max_requests",
)  # fmt: skip
KNOWN = Known((Vocabulary("openmpi-5", "openmpi", "5", {}, {**dict.fromkeys(NAMES, ()), "pml": ("ob1", "ucx")}),))
SWITCH = "coll_tuned_use_dynamic_rules = 1\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# x\n\nbtl_tcp_links = 2 # two\n", []),
        ("btl_tcp_link = 2\n", [(1, "unknown name")]),
        ("OMPI_MCA_btl_tcp_links = 2\n", [(1, "unknown name")]),
        ("btl_tcp_links = 2\nbtl_tcp_links = 3\n", [(1, "unreachable")]),
        ("pml = obi\n", [(1, "out of range")]),
        ("btl_tcp_links = 2\nmca btl tcp\n", [(2, "syntax")]),
        ("--mca btl_tcp_links 2\n-mca pml obi\n-x A=1\n", [(2, "out of range")]),
        ("coll_tuned_alltoall_algorithm_max_requests = 4\n", []),
        ("coll_tuned_bcast_algorithm = 1\n", [(1, "no effect")]),
        (SWITCH + "coll_tuned_bcast_algorithm = 1\n", []),
        (SWITCH + "coll_tuned_dynamic_rules_filename = /no/such/file\n", [(2, "out of range")]),
    ],
)
def test_each_mistake_has_its_line(text: str, expected: list[tuple[int, str]]) -> None:
    assert [(one.line, one.kind) for one in findings(text, KNOWN)] == expected


def test_a_rules_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("0\n")
    assert list(findings(f"{SWITCH}coll_tuned_dynamic_rules_filename = {tmp_path}/rules\n", KNOWN)) == []


@pytest.mark.mpi
@pytest.mark.parametrize("one", [one for one in FOUND if one.family == "openmpi"], ids=lambda one: one.id)
def test_parameters_are_those_of_the_installation(one) -> None:  # type: ignore[no-untyped-def]
    known = Known((family_named("openmpi").vocabulary(one),), named=True)
    assert list(findings("btl_tcp_eager_limit = 65536\npml = ob1\n", known)) == []
    (found,) = findings("btl_tcp_eager_limits = 65536\n", known)
    assert found.remedy == "did you mean btl_tcp_eager_limit?"


def test_what_only_some_versions_know_is_told() -> None:
    two = Known((*KNOWN.vocabularies, Vocabulary("openmpi-4", "openmpi", "4", {}, {"pml": ()})))
    (one,) = findings("btl_tcp_links = 2\n", two)
    assert one.kind == "other version" and "openmpi-4" in one.message and "openmpi-5" not in one.message


def test_parameters_of_the_launcher_are_no_parameters_of_open_mpi_5() -> None:
    assert list(findings("rmaps_base_oversubscribe = 1\nplm_rsh_agent = ssh\n", KNOWN)) == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["{} = {}", "{}={}", "  {}\t=  {}  ", "-mca {} {}", "--mca {}  {}", "{} = {}\r"]),
            st.sampled_from(["", "# text = none", "-x A=1", "   "]),
        ),
        min_size=1, max_size=len(NAMES),
    )
)  # fmt: skip
def test_files_of_any_shape_are_read(lines: list[tuple[str, str]]) -> None:
    text = "".join(
        f"{other}\n{form.format(name, '1')}\n"
        for name, (form, other) in zip(NAMES[2:3] + NAMES[:2], lines, strict=False)
    )
    assert recognises(text)
    assert list(findings(f"{text}{SWITCH if SWITCH.split(maxsplit=1)[0] not in text else ''}", KNOWN)) == []
