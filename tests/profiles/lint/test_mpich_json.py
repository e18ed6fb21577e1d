"""What would make MPICH abort, or would never be reached, in a selection file is found with its line."""

import json

import pytest

from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.family import family_named
from rankwise.mpi.mpich.library import library
from rankwise.mpi.mpich.selection import text
from rankwise.profiles.lint.findings import Known
from rankwise.profiles.lint.mpich_json import findings
from support.mpis import FOUND

ONE = Vocabulary("mpich-5.0.2", "mpich", "5.0.2", {"MPICH": {"MPIR_A": "MPIR_A"}})
OTHER = Vocabulary("mpich-4.0.2", "mpich", "4.0.2", {"MPICH": {"MPIR_A": "MPIR_A", "MPIR_B": "MPIR_B"}})
A = '{"algorithm=MPIR_A": {}}'


def found(tree: str, *known: Vocabulary) -> list[tuple[int, str]]:
    return [
        (one.line, one.kind) for one in findings(f'{{"collective=bcast": {{\n{tree}\n}}}}', Known(known or (ONE,)))
    ]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ('"algorithm=MPIR_A": {}', []),
        (f'"comm_size<=4": {A},\n"comm_size < 9": {A},\n"comm_size=any": {A}', []),
        (f'"comm_size<=4": {A},\n"comm_size<5": {A},\n"comm_size=any": {A}', [(3, "unreachable")]),
        (f'"comm_size=any": {A},\n"comm_size<5": {A}', [(3, "unreachable")]),
        (f'"avg_msg_size<=4K": {A},\n"avg_msg_size=any": {A}', [(2, "unit")]),
        (f'"avg_msg_size<=99999999999": {A},\n"avg_msg_size=any": {A}', [(2, "out of range")]),
        (f'"avg_msg_size<=4": {A}', [(1, "out of range")]),
        (f'"is_commutative=yes": {A},\n"is_commutative=no": {A}', []),
        (f'"is_commutative=yes": {A}', [(1, "out of range")]),
        (f'"message_size<=4": {A},\n"avg_msg_size=any": {A}', [(2, "unknown name")]),
        ('"algorithm=MPIR_Z": {}', [(2, "unknown name")]),
        ('"algorithm=MPIR_A": {},\n"algorithm=MPIR_A2": {}', [(3, "unreachable")]),
        ('"comm_size=any": {}', [(2, "syntax")]),
        ('"comm_size=any": 3', [(2, "syntax")]),
    ],
)
def test_each_mistake_has_its_line(tree: str, expected: list[tuple[int, str]]) -> None:
    assert found(tree) == expected


def test_an_algorithm_that_only_another_version_has() -> None:
    assert found('"algorithm=MPIR_B": {}', ONE, OTHER) == [(2, "other version")]


@pytest.mark.mpi
@pytest.mark.parametrize("one", [one for one in FOUND if one.family == "mpich"], ids=lambda one: one.id)
def test_the_librarys_own_default_is_without_findings(one) -> None:  # type: ignore[no-untyped-def]
    known = Known((family_named("mpich").vocabulary(one),), named=True)
    told = library(one)
    for tree in (told.selection, told.composition):
        assert [f"{found.line}: {found.message}" for found in findings(text(tree), known)] == []
    broken = json.dumps(told.selection).replace("MPIR_Bcast_intra_binomial", "MPIR_Bcast_intra_binomal")
    assert {found.kind for found in findings(broken, known)} == {"unknown name"}
