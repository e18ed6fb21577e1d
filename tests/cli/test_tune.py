"""`rankwise tune` understands its line or refuses it; what it does then, `tests/e2e/test_tune.py` sees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankwise.analysis.application import Use
from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.cli.tune import command
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_OK
from rankwise.core.records import Notice
from rankwise.core.results import Gain
from rankwise.core.tuning import Tuning
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.tune import tuner
from rankwise.workflows.tune.spec import spec_of
from rankwise.workflows.tune.tuner import TuneResult
from support.made_up_trace import NUMBER, write_trace
from support.profiles import VERDICTS, profile


def test_applications_weigh_what_they_do(tmp_path: Path) -> None:
    for name, count in (("one", 3), ("two", 4)):
        (tmp_path / f"{name}.csv").write_text(f"operation,size_bytes,ranks,count\nbcast,64,6,{count}\n")
    files = tuple(str(tmp_path / f"{name}.csv") for name in ("one", "two"))
    spec, notices = spec_of(files, LocalTestbed(), (4,), (64,))
    assert spec.application is not None and spec.application.counts == ((Use("bcast", 6, 64), 7),)
    assert [(one.operation, one.ranks, one.sizes_bytes) for one in spec.collectives] == [("bcast", 6, (64,))]
    assert notices == ()
    plain, _ = spec_of(("gather",), LocalTestbed(), (4,), (64,), ("block", "cyclic"))
    assert plain.application is None and plain.placements == ("block", "cyclic")


def test_applications_are_read_from_what_other_tools_wrote(tmp_path: Path) -> None:
    """And from a trace itself."""
    (tmp_path / "t").mkdir()
    write_trace(tmp_path / "t", [[((NUMBER["MPI_Allreduce"], 0, -3, 64, 64), 1, 1)] for _ in range(2)])
    (tmp_path / "run.0.prof").write_text("E\t0\t1\t800 bytes\t1 msgs sent\t0\nE\t1\t0\t8 bytes\t1 msgs sent\n")
    (tmp_path / "app.mpiP").write_text(
        "@ mpiP\n@ MPI Task Assignment      : 0 here\n@ MPI Task Assignment      : 1 here\n"
        "@--- Callsite Message Sent statistics (all, sent bytes) ---\n"
        "Bcast 1 0 3 64 64 64 192\nBcast 2 1 3 64 64 64 192\n"
    )
    files = tuple(str(tmp_path / name) for name in ("t", "run.0.prof", "app.mpiP"))
    spec, notices = spec_of(files, LocalTestbed(), (4,), (64,))
    assert spec.application is not None
    assert dict(spec.application.counts) == {
        Use("allreduce", 2, 64): 1, Use("pingpong", 2, 1024): 1, Use("pingpong", 2, 8): 1, Use("bcast", 2, 64): 3,
    }  # fmt: skip
    assert [one.kind for one in notices] == ["communicators unknown"]


@pytest.mark.parametrize("words", ["diagonal", "block,diagonal", ""])
def test_a_placement_that_does_not_exist_is_refused(words: str) -> None:
    result = CliRunner().invoke(command, ["--placement", words])
    assert result.exit_code == 2
    assert "placement to tune for" in result.output and "cyclic" in result.output


@pytest.mark.parametrize(("benchmarks", "warned"), [(("pingpong",), True), (("pingpong", "bcast"), False)])
def test_a_proof_between_two_ranks_alone_is_told_as_such(benchmarks: tuple[str, ...], warned: bool) -> None:
    verdicts = tuple(replace(VERDICTS[0], benchmark=name) for name in benchmarks)
    accepted = Acceptance(verdicts, Gain(0.5, 0.4, 0.6, len(verdicts)), Tuning(), ())
    kinds = [one.kind for one in TuneResult(profile(), Path(), {"openmpi-5.0.11": accepted}).notices]
    assert kinds == (["only-pairs"] if warned else [])
    assert TuneResult(profile(), Path(), {}).notices == ()


@pytest.mark.parametrize("written", [True, False])
def test_nothing_to_load_is_not_told_as_a_profile(
    written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "wan" if written else None
    waiting = (
        Notice("not-validated", "ours: found, not validated: a=1", "rankwise resume 1 --time 2m validates it"),
    )
    monkeypatch.setattr(tuner, "carry_out", lambda *_: TuneResult(profile(), folder, {}, waiting=waiting))
    result = CliRunner().invoke(command, ["--for", "p2p"], standalone_mode=False)
    assert result.return_value == (EXIT_OK if written else EXIT_ANSWER_IS_NO)
    assert ("rankwise run --profile" in result.output) is written
    assert "rankwise resume 1 --time 2m" in result.output
