"""Every verb explains itself: a sentence, options, and examples that it would take as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from rankwise.cli.main import rankwise


def verbs(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from verbs(command, (*path, name))


VERBS = sorted(verbs(rankwise))


def test_the_verbs_are_all_here() -> None:
    assert {path[0] for path in VERBS} >= {
        "bench", "compare", "completion", "delete", "doctor", "export", "guidelines", "mpis", "predict", "profile",
        "report", "resume", "run", "runs", "show", "study", "testbed", "tune",
    }  # fmt: skip


@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_help(path: tuple[str, ...]) -> None:
    told = CliRunner().invoke(rankwise, [*path, "--help"], env={"COLUMNS": "80"}, terminal_width=80)
    assert told.exit_code == 0
    lines = told.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    first = next(line.strip() for line in lines[1:] if line.strip())
    assert re.match(r"[A-Z][a-z]+ ", first), first
    examples = [line.strip() for line in lines if line.strip().startswith("rankwise ")]
    assert examples, "no examples"
    for example in examples:
        _parse(example)


def _parse(example: str) -> None:
    """The arguments of an example are those of its verb; what stands behind is a remark."""
    line = re.split(r"\s{2,}|\s[<>|]\s", example)[0]
    words = shlex.split(line)[1:]
    command: click.Command = rankwise
    context = click.Context(rankwise)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            break
        command, words = found, words[1:]
        context = click.Context(command, parent=context, info_name=command.name)
    if "--" in words:
        words = words[: words.index("--")]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for word in words:
        if word.startswith("-") and " " not in word:  # with blanks it is an option's value
            assert word.partition("=")[0] in known, f"{example}: {word}"
