"""Lines of Open MPI's parameter file that do nothing, or not what they say, are found."""

from pathlib import Path

import pytest

from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.family import family_named
from rankwise.profiles.lint.findings import Known
from rankwise.profiles.lint.parameters import findings
from support.mpis import FOUND

NAMES = (
    "btl_tcp_links", "coll_tuned_bcast_algorithm", "coll_tuned_use_dynamic_rules",
    "coll_tuned_dynamic_rules_filename",
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
        ("btl_tcp_links = 2\n--mca btl tcp\n", [(2, "syntax")]),
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
