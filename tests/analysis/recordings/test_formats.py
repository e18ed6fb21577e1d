"""Each format of recordings is recognized by itself alone, read, and refused with its path where it is damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from rankwise.analysis.application import of_rows
from rankwise.analysis.recordings import application, matrix, monitoring, mpip, otf2, trace
from rankwise.analysis.recordings.base import Format, Source, format_of, formats, read
from rankwise.core.errors import InputError
from rankwise.core.units import MOST_COUNT
from support.recordings import (
    CSV,
    MONITORED,
    MPIP,
    a_damaged_archive,
    a_damaged_trace,
    a_trace,
    an_archive,
    text_file,
)


class Example(NamedTuple):
    """A format, the smallest recording in it, one that is damaged, and which of the three it holds."""

    form: Format
    make: Callable[[Path], Path]
    damage: Callable[[Path], Path]
    holds: set[str]


EXAMPLES = (
    Example(application.FORMAT, text_file("a.csv", CSV), text_file("a.csv", CSV + "bcast,64,four,1\n"),
            {"totals"}),
    Example(matrix.FORMAT, text_file("m", "from,to,bytes\n0,1,5\n"), text_file("m", "0,1,5\n0,x,5\n"),
            {"traffic"}),
    Example(mpip.FORMAT, text_file("r", MPIP), text_file("r", MPIP[:20]), {"totals"}),
    Example(monitoring.FORMAT, text_file("m.0.prof", MONITORED * 2 + MONITORED.replace("E\t0\t1", "E\t1\t0")),
            text_file("m.0.prof", MONITORED), {"totals", "traffic"}),
    Example(otf2.FORMAT, an_archive, a_damaged_archive, {"calls", "totals", "traffic"}),
    Example(trace.FORMAT, a_trace, a_damaged_trace, {"calls", "totals", "traffic"}),
)  # fmt: skip
OF_EACH = pytest.mark.parametrize("example", EXAMPLES, ids=[one.form.what for one in EXAMPLES])


def test_every_format_has_an_example() -> None:
    assert set(formats()) == {one.form for one in EXAMPLES}


@OF_EACH
def test_the_smallest_recording_is_recognized_by_its_format_alone_and_read(
    example: Example, tmp_path: Path
) -> None:
    path = example.make(tmp_path)
    assert [one.what for one in formats() if one.recognizes(Source.of(path))] == [example.form.what]
    found = read(path)
    needs = {"calls": found.need_calls, "totals": found.need_totals, "traffic": found.need_traffic}
    for name, need in needs.items():
        if name in example.holds:
            assert need()
        else:
            with pytest.raises(InputError) as caught:
                need()
            assert str(path) in str(caught.value) and example.form.what in str(caught.value)
            assert "rankwise trace" in caught.value.remedy


@OF_EACH
def test_a_damaged_recording_is_refused_with_its_path(example: Example, tmp_path: Path) -> None:
    path = example.damage(tmp_path)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(path) in str(caught.value) and caught.value.remedy


def test_calls_are_the_same_totals_and_traffic_from_both_formats_that_have_them(tmp_path: Path) -> None:
    archive = read(an_archive(tmp_path))
    recorded = read(tmp_path / "app.trace")
    assert archive.need_totals().rows == recorded.need_totals().rows == (("send", 128, 2, 1),)
    for one in (archive, recorded):
        assert one.need_traffic().matrix.sent_bytes.toarray().tolist() == [[0, 100], [0, 0]]
    assert read(tmp_path / "o").need_totals() == archive.need_totals(), "the archive's folder"


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "hello\n", "num_ranks 2\nrank 0 {\n}\n", "0 init\n1 init\n", "{}"]
)
def test_what_is_no_recording_is_in_no_format_and_refused_with_its_path(text: str, tmp_path: Path) -> None:
    path = text_file("x", text)(tmp_path)
    assert format_of(Source.of(path)) is None
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(path) in str(caught.value) and "OTF2" in caught.value.remedy


def test_what_cannot_be_read_is_refused_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x7fELF\xff\xfe\x00")
    (tmp_path / "list").write_bytes(b"0,1,5\n0,1,\xff\n")
    for path in (tmp_path / "nothing", tmp_path / "binary", tmp_path / "list", tmp_path):
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(path) in str(caught.value) and caught.value.remedy


def test_a_folder_with_recordings_of_two_formats_is_refused(tmp_path: Path) -> None:
    folder = a_trace(tmp_path)
    text_file("run.0.prof", MONITORED)(folder)
    with pytest.raises(InputError, match="several"):
        read(folder)


def test_more_calls_than_can_be_counted_are_refused() -> None:
    rows = (("bcast", 64, 4, MOST_COUNT + 1),)
    with pytest.raises(InputError, match="app"):
        of_rows(rows, "app", ("bcast",))


def test_a_format_is_one_new_file_in_a_folder_of_plug_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "recordings").mkdir()
    (tmp_path / "recordings" / "mine.py").write_text(
        "from rankwise.analysis.recordings.base import Format, Recording, Totals\n\n"
        "def _read(source):\n"
        "    return Recording(source.path, 'mine', totals=Totals((('bcast', 8, 2, int(source.text()[5:])),)))\n\n"
        "FORMAT = Format('mine', lambda source: source.head.startswith('mine '), _read)\n"
    )
    monkeypatch.setenv("RANKWISE_PLUGINS", str(tmp_path))
    found = read(text_file("x", "mine 7")(tmp_path))
    assert found.need_totals().rows == (("bcast", 8, 2, 7),)
