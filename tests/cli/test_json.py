"""Every verb that prints a result prints it as JSON with `--json`, and nothing else on standard output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankwise.cli.main import rankwise
from rankwise.store.store import Store
from support import stored

NOT_RESULTS = {
    "completion", "export", "platform export", "platform import", "schedule export", "trace export",  # files
    "run", "testbed exec", "trace",  # what a program prints
}  # fmt: skip


def verbs(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield each command that does something by itself."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from verbs(command, (*path, name))


def test_every_verb_that_prints_a_result_has_it() -> None:
    without = {name for name, verb in verbs(rankwise) if not any("--json" in one.opts for one in verb.params)}
    assert without == NOT_RESULTS


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKWISE_STORE", str(tmp_path / "results.sqlite"))
    with Store(tmp_path / "results.sqlite") as store:
        stored.measured(store, launches=3)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("runs", None),
        ("show", {"run", "launches"}),
        ("report", {"verdicts", "summary", "notices", "baseline", "report"}),
        ("delete 1 --yes", {"deleted"}),
        ("schedule list allreduce", None),
        ("schedule show allreduce ring -n 4", {"rounds", "messages_by_round"}),
        ("schedule show allreduce ring -n 4 --svg ring.svg", {"rounds", "messages_by_round"}),
        ("testbed list", {"presets", "up"}),
        ("testbed show two-clusters --svg two.svg", {"nodes", "links"}),
        ("profile list", None),
        ("study", None),
    ],
)
def test_it_is_json_alone(line: str, keys: set[str] | None, home: Path) -> None:
    done = CliRunner().invoke(rankwise, [*line.split(), "--json"], standalone_mode=False)
    assert done.exception is None
    answer = json.loads(done.stdout)
    assert isinstance(answer, list) if keys is None else keys <= answer.keys()
