"""Each of MPICH's three selection files has its own names, and its own way with a case that no key fits."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.family import family_named
from rankwise.profiles.lint.findings import Known
from rankwise.profiles.lint.mpich_json import findings, recognises
from support.mpis import FOUND

KNOWN = Known((
    Vocabulary(
        "mpich-5.0.2", "mpich", "5.0.2",
        {
            "MPICH": {"MPIR_A": "MPIR_A"}, "MPICH CH4": {"MPIDI_A_alpha": ""},
            "MPICH POSIX": {"MPIDI_POSIX_a": ""}, "MPICH collectives": {"bcast": "", "barrier": ""},
        },
    ),
))  # fmt: skip
WITHOUT_OWN_MEMORY = Known((Vocabulary("mpich-4.0.2", "mpich", "4.0.2", {"MPICH": {"MPIR_A": "MPIR_A"}}),))
LEAVES = ('"algorithm=MPIR_A"', '"composition=MPIDI_A_alpha"', '"algorithm=MPIDI_POSIX_a"')
INSTALLED = [one for one in FOUND if one.family == "mpich"]


def found(text: str, known: Known = KNOWN) -> list[str]:
    assert recognises(text)
    return [one.kind for one in findings(text, known)]


def both(inner: str) -> str:
    return f'{{"collective=bcast": {inner}, "collective=barrier": {inner}}}'


@pytest.mark.parametrize("leaf", LEAVES)
def test_a_gap_falls_back_in_the_files_of_devices_alone(leaf: str) -> None:
    gap = both(f'{{"is_multi_threaded=no": {{{leaf}: {{}}}}}}')
    assert found(gap) == (["out of range"] * 2 if "MPIR_" in leaf else [])


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("last", ["comm_size<=4", "avg_msg_size<9", "comm_size=pow2", "count<pow2"])
def test_a_bound_as_the_last_key_ends_mpi_init_in_every_file(leaf: str, last: str) -> None:
    assert found(both(f'{{"{last}": {{{leaf}: {{}}}}}}')) == ["out of range"] * 2


def test_a_file_above_all_devices_replaces_the_whole_default() -> None:
    only = '{"collective=bcast": {"comm_type=intra": {%s: {}}}}'
    assert found(only % LEAVES[0]) == ["out of range"]
    assert found(only % LEAVES[1]) == found(only % LEAVES[2]) == []


def test_names_are_those_of_the_same_file() -> None:
    assert found(both('{"algorithm=MPIDI_POSIX_b": {}}')) == ["unknown name"] * 2
    assert found(both('{"algorithm=MPIDI_POSIX_b": {}}'), WITHOUT_OWN_MEMORY) == []
    assert found(both('{"composition=MPIDI_A_alph": {}}')) == ["unknown name"] * 2
    assert found('{"collective=bcst": {"composition=MPIDI_A_alpha": {}}}') == ["unknown name"]


@given(
    st.lists(st.sampled_from(["/* a \" ' } */", "// b } \n", " ", "\n"]), min_size=9, max_size=9),
    st.booleans(), st.sampled_from("\"'"), st.sampled_from(["", " and more", "}"]),
)  # fmt: skip
def test_text_is_what_json_c_takes(between: list[str], comma: bool, quote: str, after: str) -> None:
    last = "," if comma else ""
    pieces = [
        "", "{", f"{quote}composition=MPIDI_A_alpha{quote}", ":", "{", "}", last, "}", after,
    ]  # fmt: skip
    leaf = "".join(piece + space for piece, space in zip(pieces[:-1], between, strict=False))
    text = f'{between[8]}{{"collective=bcast": {leaf}{last}}}{after}'
    assert [one.message for one in findings(text, KNOWN)] == []


@pytest.mark.mpi
@pytest.mark.nightly
@pytest.mark.parametrize("one", INSTALLED, ids=lambda one: one.id)
@pytest.mark.parametrize(
    ("inner", "right"),
    [
        ('{"comm_type=intra": {"composition=MPIDI_Bcast_intra_composition_alpha": {},},} /* x */', True),
        ('{"is_multi_threaded=yes": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}}', True),
        ('{"avg_msg_size<=8": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}}', False),
        ('{"comm_type=intra": {"composition=MPIDI_Bcast_intra_composition_zeta": {}}}', False),
        ('{"message=intra": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}}', False),
        ("{}", False),
    ],
)
def test_mpich_itself_gives_the_same_answer(one, inner: str, right: bool, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    text = f'{{"collective=bcast": {inner}}}'
    known = Known((family_named("mpich").vocabulary(one),), named=True)
    assert (list(findings(text, known)) == []) == right
    (tmp_path / "tree.json").write_text(text)
    (tmp_path / "a.c").write_text(
        "#include <mpi.h>\nint main(void){int x=1;MPI_Init(0,0);MPI_Bcast(&x,1,MPI_INT,0,MPI_COMM_WORLD);"
        "return MPI_Finalize();}\n"
    )
    environment = {
        **os.environ, **dict(one.environment),
        "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE": str(tmp_path / "tree.json"),
    }  # fmt: skip
    subprocess.run([one.mpicc, "a.c", "-o", "a"], cwd=tmp_path, check=True, env=environment, capture_output=True)
    run = subprocess.run(["./a"], cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False)
    assert (run.returncode == 0) == right


@pytest.mark.mpi
@pytest.mark.parametrize("one", INSTALLED, ids=lambda one: one.id)
def test_values_of_variables_are_those_that_mpich_takes(one) -> None:  # type: ignore[no-untyped-def]
    vocabulary = family_named("mpich").vocabulary(one)
    name, chosen = "MPIR_CVAR_BCAST_MIN_PROCS", "MPIR_CVAR_BCAST_INTRA_ALGORITHM"
    for value in ("8", "-8", "+8", ""):
        assert vocabulary.objection(name, value) is None
    for value in ("4K", "abc", "0x10", "8 ", "99999999999"):
        assert vocabulary.objection(name, value)
    assert vocabulary.objection(name, "4K").remedy == "write 4096"  # type: ignore[union-attr]
    for value in ("auto", "binomial", "smp", "nb"):
        assert vocabulary.objection(chosen, value) is None
    for value in ("binomal", "SMP", "3"):
        assert vocabulary.objection(chosen, value)
