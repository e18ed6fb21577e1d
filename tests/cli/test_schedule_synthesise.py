"""`rankwise schedule synthesise` writes a file that `rankwise schedule verify` finds right, for any network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankwise.cli.main import cli as main


@pytest.mark.parametrize("where", [["--sites", "3,2,1"], ["--testbed", "grid5000-2007-sites"], ["-n", "4"]])
def test_what_it_writes_is_right(where: list[str], tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    made = CliRunner().invoke(
        main, ["schedule", "synthesise", "bcast", *where, "--size", "8K", "-o", str(file), "--json"]
    )
    assert made.exit_code == 0, made.output
    told = json.loads(made.stdout)
    assert told["best"]["seconds"] == min(one["seconds"] for one in told["tried"])
    assert CliRunner().invoke(main, ["schedule", "verify", str(file)]).exit_code == 0


def test_two_networks_are_refused() -> None:
    asked = ["schedule", "synthesise", "bcast", "--sites", "2x2", "--testbed", "cluster"]
    made = CliRunner().invoke(main, asked)
    assert made.exit_code != 0
