"""`rankwise platform` shows and compares platforms, takes them to SimGrid and back, and refuses what is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.platform import command
from rankwise.core.errors import InputError
from rankwise.core.platform import Interval
from rankwise.platforms.platform_file import platform_text, read
from support.platforms import TWO_SITES


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "p.toml").write_text(platform_text(TWO_SITES))
    return tmp_path / "p.toml"


def platform(*words: str | Path) -> Result:
    return CliRunner().invoke(command, list(map(str, words)), env={"COLUMNS": "80"})


def test_show(path: Path) -> None:
    result = platform("show", path)
    assert result.exit_code == 0, result.exception
    assert max(map(len, result.stdout.splitlines())) <= 80
    text = " ".join(result.stdout.split())
    assert "two, openmpi-5.0.6, 2026-11-23" in text
    assert "within a site: eager below 64 KiB; times off by 0.4 %" in text
    assert "20 us ±5.0 %" in text
    assert "alpha-fair, alpha 2.5, kappa 1.3" in text
    assert "nothing was measured that computes: flops_per_second" in text
    assert json.loads(platform("show", path, "--json").stdout)["same_node"] == "same node"


def test_diff(path: Path, tmp_path: Path) -> None:
    assert platform("diff", path, path).exit_code == 0
    first, lan, across = TWO_SITES.classes
    changed = replace(lan, ranges=(replace(lan.ranges[0], latency_seconds=4e-5), lan.ranges[1]))
    key = "classes.within a site.ranges.0.latency_seconds"
    other = replace(TWO_SITES, classes=(first, changed, across), intervals={key: Interval(3e-5, 5e-5)})
    (tmp_path / "other.toml").write_text(platform_text(other))
    result = CliRunner().invoke(
        command, ["diff", str(path), str(tmp_path / "other.toml"), "--json"], standalone_mode=False
    )
    assert result.return_value == 1
    assert json.loads(result.stdout) == [
        {"parameter": key, "one": "2e-05", "other": "4e-05", "meaning": "+100 %, beyond the intervals"}
    ]


def test_export_and_import(path: Path, tmp_path: Path) -> None:
    result = platform("export", path, "-o", tmp_path / "p.xml")
    assert result.exit_code == 0, result.exception
    assert "those of 'within a site' are written" in result.stderr
    result = platform("import", tmp_path / "p.xml", "-o", tmp_path / "again.toml")
    assert result.exit_code == 0, result.exception
    assert read(tmp_path / "again.toml").sites == TWO_SITES.sites
    told = json.loads(platform("export", path, "--format", "simulator").stdout)
    assert told["format"] == "rankwise-platform 1"


def test_what_is_no_platform(path: Path, tmp_path: Path) -> None:
    with (tmp_path / "long.xml").open("wb") as long:
        long.truncate(1 << 26)
    for words, said in (
        (("import", tmp_path / "long.xml"), "larger than 32 MiB"),
        (("show", tmp_path / "none.toml"), "cannot be read"),
        (("import", path), "not XML"),
        (("show", __file__), "not TOML"),
    ):
        error = platform(*words).exception
        assert isinstance(error, InputError)
        assert said in str(error)
        assert error.remedy


def test_what_is_not_whole_is_measured_again(tmp_path: Path) -> None:
    (tmp_path / "cut.toml").write_text("# A platform of Rankwise\n")
    error = platform("show", tmp_path / "cut.toml").exception
    assert isinstance(error, InputError) and "the key format is missing" in str(error)
    assert "name a file of `rankwise fit`, whole" in error.remedy
