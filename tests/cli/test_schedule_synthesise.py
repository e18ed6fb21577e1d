"""`rankwise schedule synthesise` writes a file that `rankwise schedule verify` finds right, for any network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.cli import main
from rankwise.core.errors import EXIT_INPUT, EXIT_OK
from rankwise.platforms import platform_file
from support.platforms import TWO_SITES

FOUND = ["schedule", "synthesise", "bcast", "--size", "8K"]


@pytest.mark.parametrize("where", [["--sites", "3,2,1"], ["--testbed", "grid5000-2007-sites"], ["-n", "4"]])
def test_what_it_writes_is_right(where: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "found.json"
    assert main.run([*FOUND, *where, "-o", str(file), "--json"]) == EXIT_OK
    told = json.loads(capsys.readouterr().out)
    assert told["best"]["seconds"] == min(one["seconds"] for one in told["tried"])
    assert main.run(["schedule", "verify", str(file)]) == EXIT_OK


def test_a_platform_is_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "platform.toml"
    file.write_text(platform_file.platform_text(TWO_SITES))
    assert main.run([*FOUND, "--platform", str(file), "-n", "5", "--json"]) == EXIT_OK
    assert json.loads(capsys.readouterr().out)["best"]["seconds"] > 5e-3  # it crosses between the sites


def test_two_networks_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([*FOUND, "--sites", "2x2", "--testbed", "cluster"]) == EXIT_INPUT
    assert "give one of them" in capsys.readouterr().err
