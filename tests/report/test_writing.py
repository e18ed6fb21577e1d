"""A page is written whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.report.writing import write_page


def test_whole_and_readable_by_others(tmp_path: Path) -> None:
    path = tmp_path / "deeper" / "page.html"
    write_page(path, "old")
    write_page(path, "new")
    assert path.read_text() == "new"
    assert [one.name for one in path.parent.iterdir()] == ["page.html"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o044


def test_where_it_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match="cannot write the report"):
        write_page(tmp_path / "file" / "page.html", "text")
