"""What `rankwise tune` understands of its line; what it does then, `tests/e2e/test_tune.py` sees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankwise.analysis.tune.acceptance import Acceptance, Gain
from rankwise.analysis.tune.application import Use
from rankwise.cli.screen import Screen
from rankwise.cli.tune import _wish, command
from rankwise.core.tuning import Tuning
from rankwise.testbed.local import LocalTestbed
from rankwise.workflows.tune.tuner import warnings
from support.profiles import VERDICTS, profile

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


@pytest.mark.parametrize(("benchmarks", "warned"), [(("pingpong",), True), (("pingpong", "bcast"), False)])
def test_a_proof_between_two_ranks_alone_is_told_as_such(benchmarks: tuple[str, ...], warned: bool) -> None:
    verdicts = tuple(replace(VERDICTS[0], benchmark=name) for name in benchmarks)
    proof = Acceptance(verdicts, Gain(0.5, 0.4, 0.6, len(verdicts)), Tuning(), ())
    kinds = [notice.kind for notice in warnings(profile(), {"openmpi-5.0.11": proof})]
    assert kinds == (["only-pairs"] if warned else [])
    assert warnings(profile(), {}) == ()
