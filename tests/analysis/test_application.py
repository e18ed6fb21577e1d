"""What an application does is read from CSV as weights, and what cannot be read is pointed at by line."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.application import Application, Use, of_rows, together
from rankwise.analysis.recordings.application import rows
from rankwise.core.errors import InputError
from rankwise.core.records import Cell

HEADER = "operation,size_bytes,ranks,count\n"
TUNABLE = ("allreduce", "bcast", "alltoall", "reduce_scatter", "pingpong")


def parse(text: str, source: str, tunable: Collection[str]) -> Application:
    return of_rows(rows(text, source), source, tunable)


def counts(text: str) -> dict[Use, int]:
    return dict(parse(HEADER + text, "app.trace", TUNABLE).counts)


def test_names_of_mpi_ours_and_any_case_are_the_same() -> None:
    found = counts("MPI_Allreduce,1000,8,5\nAllreduce,1024,8,2\nallreduce,513,8,1\nPMPI_ALLREDUCE,512,8,4\n")
    assert found == {Use("allreduce", 8, 1024): 8, Use("allreduce", 8, 512): 4}
    assert counts("MPI_Reduce_scatter_block,64,4,3\n") == {Use("reduce_scatter", 4, 64): 3}


def test_sizes_are_taken_up_to_a_power_of_two() -> None:
    found = counts("bcast,0,4,1\nbcast,1,4,1\nbcast,3,4,1\nbcast,4097,4,1\nbcast,1M,4,1\n")
    assert sorted(use.size_bytes for use in found) == [0, 1, 4, 8192, 1 << 20]


def test_both_ends_of_a_message_count_once() -> None:
    text = "MPI_Isend,4096,8,100\nMPI_Send,4096,8,20\nMPI_Irecv,4096,8,90\nMPI_Recv,64,8,7\n"
    assert counts(text) == {Use("pingpong", 8, 4096): 120, Use("pingpong", 8, 64): 7}


def test_what_cannot_be_tuned_is_named() -> None:
    text = "bcast,8,4,1\nMPI_Scan,8,4,30\nMPI_Put,8,4,2\n"
    (notice,) = parse(HEADER + text, "app.trace", TUNABLE).notices
    assert notice.kind == "not-tunable"
    assert "scan (30 calls), put (2 calls)" in notice.message
    many = "".join(f"MPI_Op{i},8,4,{i + 1}\n" for i in range(9))
    (notice,) = parse(HEADER + "bcast,8,4,1\n" + many, "app.trace", TUNABLE).notices
    assert "6 more" in notice.message
    assert parse(HEADER + "bcast,8,4,1\n", "app.trace", TUNABLE).notices == ()


def test_columns_in_any_order_comments_and_blank_lines() -> None:
    text = "\ufeff# from a trace\n\n count , ranks,operation, size_bytes \n 3 , 4 , bcast , 64 \n# end\n\n"
    assert dict(parse(text, "x.csv", TUNABLE).counts) == {Use("bcast", 4, 64): 3}


def test_sizes_of_an_operation_and_weights() -> None:
    application = parse(HEADER + "bcast,64,4,30\nbcast,8,4,10\nbcast,8,8,60\n", "app", TUNABLE)
    assert application.sizes_bytes("bcast", 4) == (8, 64)
    assert application.sizes_bytes("reduce", 4) == ()
    assert application.weights()[Use("bcast", 4, 64)] == pytest.approx(0.3)
    by_time = application.weights(lambda use: float(use.size_bytes))
    assert by_time[Use("bcast", 4, 64)] == pytest.approx(64 * 30 / (64 * 30 + 8 * 70))
    assert sum(by_time.values()) == pytest.approx(1)


def test_calls_go_to_the_nearest_cells_of_their_operation_and_ranks() -> None:
    text = HEADER + "bcast,64,4,30\nbcast,4096,4,10\nbcast,64,8,5\nMPI_Send,1024,8,6\nalltoall,8,4,1\n"
    application = parse(text, "app", TUNABLE)
    cells = [Cell("x", "bcast", size, 4) for size in (48, 3072, 6144)]
    pairs = [Cell("x", "pingpong", size, 2, placement=one) for size in (1024, 1 << 20) for one in ("block", "far")]
    assert application.calls_at([*cells, *pairs]) == (30, 10, 0, 3, 3, 0, 0)
    assert application.calls_at([]) == ()


def test_several_applications_are_one() -> None:
    one, two = (parse(f"{HEADER}bcast,64,4,{count}\n", "app", TUNABLE) for count in (3, 4))
    both = together([one, two])
    assert both is not None and both.counts == ((Use("bcast", 4, 64), 7),)
    assert together([]) is None


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", "", "is empty"),
        ("op,size,ranks,count\n", "line 1", "the columns are"),
        ("bcast,64,4,10\n", "line 1", "the columns are"),
        (HEADER + "bcast,64,4\n", "line 2", "3 fields"),
        (HEADER + "bcast,64,4,10,5\n", "line 2", "5 fields"),
        (HEADER + "bcast,64,4,1\n\nbcast,-1,4,10\n", "line 4", "not a message size"),
        (HEADER + "bcast,64,four,10\n", "line 2", "ranks: 'four'"),
        (HEADER + "bcast,64,0,10\n", "line 2", "ranks: '0'"),
        (HEADER + "bcast,64,4,-3\n", "line 2", "count: '-3'"),
        (HEADER + "bcast,64,4,1.5\n", "line 2", "count: '1.5'"),
        (HEADER + "bcast,64,4,²\n", "line 2", "count: "),
        (HEADER + ",64,4,10\n", "line 2", "is not a valid operation"),
        (HEADER + "b cast,64,4,10\n", "line 2", "is not a valid operation"),
        (HEADER + "MPI_Scan,64,4,10\n", "", "it has only scan"),
        (HEADER, "", "nothing that can be tuned"),
        (HEADER + "bcast,64,4,0\n", "", "nothing that can be tuned"),
    ],
)
def test_what_cannot_be_understood_is_said_with_its_line(text: str, line: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "app.trace", TUNABLE)
    assert "app.trace" in str(caught.value)
    assert line in str(caught.value)
    assert says in str(caught.value)
    assert caught.value.remedy


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for content in (text, HEADER + text):
        try:
            parse(content, "x", TUNABLE)
        except InputError as error:
            assert str(error)


uses = st.tuples(st.sampled_from(TUNABLE[:4]), st.integers(0, 1 << 30), st.integers(1, 64), st.integers(1, 1000))


@given(st.lists(uses, min_size=1))
def test_no_call_is_lost(rows: list[tuple[str, int, int, int]]) -> None:
    found = counts("".join(f"{name},{size},{ranks},{count}\n" for name, size, ranks, count in rows))
    assert sum(found.values()) == sum(row[3] for row in rows)
    assert {(use.operation, use.ranks) for use in found} == {(row[0], row[2]) for row in rows}
