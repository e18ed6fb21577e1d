"""`rankwise fit` makes a platform of a stored run, says what is noise, and measures one for real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.analysis.fit import point_to_point
from rankwise.cli.fit import command
from rankwise.core.errors import InputError
from rankwise.core.records import Plan
from rankwise.platforms.platform_file import read
from rankwise.store.store import Store
from support import fitted
from support.command_line import assert_error, rankwise
from support.emulated import needs_emulation
from support.fitted import BYTE_SECONDS, store_fit


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """How wide intervals are is looked at elsewhere."""
    monkeypatch.setattr(point_to_point, "RESAMPLES", 20)


def fit(path: Path, *words: str) -> Result:
    return CliRunner().invoke(command, [*words, "--store", str(path)], env={"COLUMNS": "80"})


def test_a_stored_run_is_told_and_written(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    store_fit(path)
    result = fit(path, "--from", "1", "-o", str(tmp_path / "p.toml"))
    assert result.exit_code == 0, result.exception
    assert max(map(len, result.stdout.splitlines())) <= 80
    text = " ".join(result.stdout.split())
    assert "within a: eager below 64 KiB" in text
    assert "what concurrent messages share was not measured: that takes a site of 6 nodes: models" in text
    platform = read(tmp_path / "p.toml")
    assert [one.name for one in platform.classes] == ["within a", "within b", "a - b"]
    assert platform.provenance.testbed == "duo"
    assert platform.sites[0].nodes == ("a1", "a2")
    assert platform.sites[0].out_bytes_per_second == pytest.approx(1 / BYTE_SECONDS, rel=0.02)
    across = platform.classes[2]
    assert across.ranges[0].latency_seconds == pytest.approx(fitted.PAIRS["hosts=a1+b1"], rel=0.02)
    low_high = platform.intervals["classes.a - b.ranges.0.latency_seconds"]
    assert low_high.low <= across.ranges[0].latency_seconds <= low_high.high
    assert "same_node" in platform.not_identified


def test_json_has_what_a_platform_does_not_keep(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    store_fit(path)
    told = json.loads(fit(path, "--from", "1", "--json").stdout)
    assert told["file"] is None
    assert told["run"] == 1
    assert told["plogp"]["within a"]["latency_seconds"] > 0
    assert told["gap_seconds_per_byte"]["a - b"] == pytest.approx(BYTE_SECONDS, rel=0.02)


@pytest.mark.parametrize(
    ("launches", "noise", "words"), [(8, 2.0, "too noisy to fit"), (3, 0.0, "3 launches instead")]
)
def test_noise_is_said_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launches: int, noise: float, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    store_fit(tmp_path / "results.sqlite", launches, noise)
    result = CliRunner().invoke(
        command, ["--from", "1", "--store", str(tmp_path / "results.sqlite")], standalone_mode=False
    )
    assert result.return_value == 1
    assert words in " ".join(result.stdout.split())
    assert not (tmp_path / "platform.toml").exists()


def test_a_platform_that_is_there_is_not_replaced_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store_fit(tmp_path / "results.sqlite")
    assert fit(tmp_path / "results.sqlite", "--from", "1").exit_code == 0
    result = fit(tmp_path / "results.sqlite", "--from", "1")
    assert isinstance(result.exception, InputError)
    assert "platform.toml already exists" in str(result.exception)


def test_a_run_of_another_verb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        store.begin_run("rankwise bench", "local", Plan((), 1, 1.0), kind="bench")
    result = fit(path, "--from", "1")
    assert isinstance(result.exception, InputError)
    assert "not a run of `rankwise fit`" in str(result.exception)


def test_several_meanings_are_refused(tmp_path: Path) -> None:
    both = rankwise("fit", "--from", "1", "--resume", "1", home=tmp_path)
    assert_error(both, 2, "mutually exclusive")
    unknown = rankwise("fit", "--mpi", "no-such-mpi", home=tmp_path)
    assert_error(unknown, 2, "unknown MPI implementation")


SLOW = """\
description = "two nodes of 100 Mbit/s, 1 ms apart"
[nic]
rate = "100 Mbit/s"
delay = "20 us"
[site.here]
nodes = 2
delay = "1 ms"
"""


@pytest.mark.nightly
@pytest.mark.mpi
@needs_emulation
def test_the_fit_agrees_with_what_the_testbed_was_told(tmp_path: Path) -> None:
    """The delay is the latency's lower bound, and the payload of 100 Mbit/s is 11.77 MB/s."""
    (tmp_path / "slow.toml").write_text(SLOW)
    done = rankwise("fit", "--testbed", "slow.toml", "--mpi", "openmpi-5", "--json", home=tmp_path, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    (pairs,) = told["platform"]["classes"]
    assert 1 / told["gap_seconds_per_byte"]["within here"] == pytest.approx(11.77e6, rel=0.02)
    assert 1e-3 < pairs["ranges"][0]["latency_seconds"] < 1.2e-3
    assert 32768 < pairs["eager_below_bytes"] <= 65536
