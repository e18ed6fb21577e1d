"""mpiP's report says how often what was called with how many bytes; what it leaves out is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.recordings.mpip import Report, notices, parse, rows
from rankwise.core.errors import InputError

LINE = "-" * 75
HEAD = "@ mpiP\n@ Command : ./app 4 \n@ Version                  : 3.5.0\n"


def section(title: str, *lines: str) -> str:
    return "\n".join([LINE, f"@--- {title} ".ljust(75, "-"), LINE, *lines, ""])


def report(*sections: str, tasks: int = 3) -> str:
    """As mpiP 3.5 writes it."""
    where = "".join(f"@ MPI Task Assignment      : {task} node-{task}\n" for task in range(tasks))
    return "\n".join([HEAD + where, *sections, section("End of Report")])


SENT = section(
    "Callsite Message Sent statistics (all, sent bytes)",
    "Name              Site Rank   Count       Max      Mean       Min       Sum",
    *(
        f"Allreduce {site:>12} {rank:>4} {4:>7} {8:>9} {8:>9} {8:>9} {32:>9}\n"
        f"Allreduce {site:>12}    * {4:>7} {8:>9} {8:>9} {8:>9} {32:>9}\n"
        for rank, site in enumerate((1, 22, 42))
    ),
    *(f"Isend {3:>16} {rank:>4}      20  1.05e+06  1.05e+06  1.05e+06   2.1e+07" for rank in range(3)),
    "Sendrecv             5    1       7       100       100       100       700",
)
TIMES = section(
    "Callsite Time statistics (all, milliseconds): 61",
    "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%",
    *(f"Barrier {site:>14} {rank:>4}      2   0.0261   0.0187   0.0157   5.74   2.86"
      for rank, site in enumerate((4, 30, 52))),
    "Barrier              4    *      6   0.0261   0.0187   0.0157   5.74   2.86",
)  # fmt: skip
AGGREGATE = section(
    "Aggregate Sent Message Size (top twenty, descending, bytes)",
    "Call                 Site      Count      Total       Avrg  Sent%",
    "Isend                   3         60      6e+03        100  75.84",
    "Bcast                  12          3       1200        400  15.18",
)


def test_calls_are_counted_by_operation_and_size() -> None:
    found = parse(report(TIMES, SENT), "app.mpiP")
    assert found.tasks == 3
    assert set(rows(found)) == {
        ("allreduce", 8, 3, 4),
        ("send", 1 << 21, 2, 60),
        ("send", 128, 2, 7),
        ("barrier", 0, 3, 2),
    }
    (notice,) = notices(found, "app.mpiP")
    assert "has no communicators" in notice.message


def test_a_call_site_of_several_sizes_is_said_to_stand_for_its_mean() -> None:
    mixed = section(
        "Callsite Message Sent statistics (all, sent bytes)",
        "Name              Site Rank   Count       Max      Mean       Min       Sum",
        "Isend                3    0      20      4096      1000         8     20000",
        "Isend                4    0      30       100       100       100      3000",
    )
    found = parse(report(TIMES, mixed), "app.mpiP")
    assert (found.averaged, found.averaged_bytes) == (20, 20000)
    (notice,) = [one for one in notices(found, "app.mpiP") if one.kind == "sizes averaged"]
    assert "20 of 50 calls" in notice.message


@pytest.mark.parametrize("text", [HEAD, report(), report(AGGREGATE), report(SENT, tasks=0)])
def test_a_report_without_sizes_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"app\.mpiP has no sizes of the messages of each task"):
        parse(text, "app.mpiP")


@given(st.lists(st.sampled_from([*report(TIMES, SENT, AGGREGATE).splitlines(), "", "Isend 1 0 9 9e99 1e999 0 0"])),
       st.text(max_size=20))  # fmt: skip
def test_any_lines_are_read_or_refused(lines: list[str], word: str) -> None:
    try:
        found = parse("\n".join([HEAD, *lines, word]), "app.mpiP")
    except InputError:
        return
    assert isinstance(found, Report)
    assert all(size >= 0 and ranks > 0 and count > 0 for _, size, ranks, count in rows(found))
