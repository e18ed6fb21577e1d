"""A decision table of the overlay: what the overlay would refuse, and lines that nothing reaches, are named."""

from __future__ import annotations

import pytest

from rankwise.core.vocabulary import Vocabulary
from rankwise.profiles.lint import formats, overlay_table
from rankwise.profiles.lint.findings import Finding, Known

KNOWN = Known((
    Vocabulary(
        "rankwise-1", overlay_table.FAMILY, "1",
        {"bcast": {"lanes": "lanes", "chain": "chain"}, "allreduce": {"ring": "ring"}, "barrier": {},
         "gather": {"linear": "linear"}, "scatter": {"linear": "linear"},
         "alltoall": {"linear": "linear", "ring": "ring"}},
        {"bcast.lanes": ("segment", "lanes"), "bcast.chain": ("segment",), "allreduce.ring": ()},
    ),
))  # fmt: skip
GOOD = """# rankwise overlay 1
bcast      ranks=2-64 bytes=1M-   lanes:lanes=4,segment=32K   # large ones
bcast      bytes=1M-  sites=3     chain
bcast      bytes=-8K  chain:segment=64

allreduce  bytes=-8K sites=2-     ring
allreduce  ranks=8                file:own/ring.json
allreduce                         native
"""


def found(*lines: str) -> list[Finding]:
    return list(formats.findings("\n".join(["# rankwise overlay 1", *lines]), KNOWN))


def test_a_good_table_is_recognised_and_has_no_finding() -> None:
    assert list(formats.findings(GOOD, KNOWN)) == []


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("bcast lnes", "unknown name", "bcast has no algorithm lnes"),
        ("bcats lanes", "unknown name", "unknown operation 'bcats'"),
        ("bcast file", "syntax", "file needs a schedule's file"),
        ("bcast rank=4 lanes", "unknown name", "'rank' is not a condition"),
        ("bcast bytes=4-2 lanes", "syntax", "'4-2' is not a range of bytes"),
        ("bcast bytes=64k lanes", "syntax", "'64k' is not a range of bytes"),
        ("bcast bytes=- lanes", "syntax", "'-' is not a range of bytes"),
        ("bcast bytes=4", "syntax", "no algorithm is named"),
        ("bcast lanes bytes=4", "syntax", "comes after the algorithm"),
        ("bcast native:segment=4", "syntax", "native takes no parameters"),
        ("allreduce ring:segment=4", "unknown name", "allreduce.ring does not take segment"),
        ("bcast lanes:lanes=many", "syntax", "lanes needs a number"),
    ],
)
def test_what_the_overlay_would_refuse(line: str, kind: str, words: str) -> None:
    (one,) = found("barrier native", line)
    assert (one.line, one.kind) == (3, kind) and words in one.message


@pytest.mark.parametrize(
    ("lines", "reached"),
    [
        (("bcast lanes", "bcast bytes=1M- chain"), False),
        (("bcast bytes=-1M lanes", "bcast bytes=1M- chain", "bcast native"), False),
        (("bcast bytes=-1M lanes", "bcast bytes=2M- chain", "bcast native"), True),
        (("bcast ranks=4 lanes", "bcast chain"), True),
        (("bcast sites=2- lanes", "bcast sites=3 ranks=4 chain"), False),
        (("allreduce ring", "bcast chain"), True),
        (("alltoall bytes=-1M linear", "alltoall bytes=1M- ring", "alltoall linear"), True),
        (("alltoall linear", "alltoall bytes=1M- ring"), False),
        (("alltoall bytes=-1M linear", "alltoall ring", "alltoall native"), False),
        (("gather bytes=-1M linear", "gather bytes=0- linear"), True),
        (("scatter bytes=0- linear", "scatter bytes=1M- linear"), False),
    ],
)
def test_lines_that_others_stand_before(lines: tuple[str, ...], reached: bool) -> None:
    assert [(one.line, one.kind) for one in found(*lines)] == (
        [] if reached else [(1 + len(lines), "unreachable")]
    )


def test_another_first_line_is_told_where_the_format_is_named() -> None:
    (one,) = formats.findings("# rankwise overlay 2\nbcast native\n", KNOWN, "overlay-table")
    assert (one.line, one.kind) == (1, "syntax")


def test_the_names_are_those_of_the_overlay_s_own_table() -> None:
    assert overlay_table.HEADING == "# rankwise overlay 1"
