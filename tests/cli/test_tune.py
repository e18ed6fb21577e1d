"""What `rankwise tune` understands of its line; what it does then, `tests/e2e/test_tune.py` sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rankwise.analysis.tune.application import Use
from rankwise.cli.screen import Screen
from rankwise.cli.tune import _wish, command
from rankwise.testbed.local import LocalTestbed

ASKED = {
    "ranks": (4,), "sizes": (64,), "eager_memory": 1 << 20, "delta": 0.05, "placements": ("block", "cyclic"),
}  # fmt: skip


def test_applications_weigh_what_they_do(tmp_path: Path) -> None:
    for name, count in (("one", 3), ("two", 4)):
        (tmp_path / f"{name}.csv").write_text(f"operation,size_bytes,ranks,count\nbcast,64,6,{count}\n")
    files = tuple(str(tmp_path / f"{name}.csv") for name in ("one", "two"))
    wish = _wish(LocalTestbed(), {**ASKED, "wanted": files}, Screen(quiet=True))
    assert wish.application is not None and wish.application.counts == ((Use("bcast", 6, 64), 7),)
    assert [(one.operation, one.ranks, one.sizes_bytes) for one in wish.collectives] == [("bcast", 6, (64,))]
    plain = _wish(LocalTestbed(), {**ASKED, "wanted": ("gather",)}, Screen(quiet=True))
    assert plain.application is None and plain.placements == ("block", "cyclic")


@pytest.mark.parametrize("words", ["diagonal", "block,diagonal", ""])
def test_a_placement_that_does_not_exist_is_refused(words: str) -> None:
    result = CliRunner().invoke(command, ["--placement", words])
    assert result.exit_code == 2
    assert "placement to tune for" in result.output and "cyclic" in result.output
