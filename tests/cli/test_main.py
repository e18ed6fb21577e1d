"""Every verb is found and explained by the front of the command line, and exit codes mean what they say."""

import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankwise.cli import main
from rankwise.core import errors
from support.command_line import COMMAND, FORKING, environment

VERBS = {"bench", "compare", "completion", "delete", "doctor", "export", "mpis", "report", "runs", "show"}


def verbs() -> dict[str, click.Command]:
    context = click.Context(main.rankwise)
    group = main.rankwise
    assert isinstance(group, main.Verbs)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: one for name, one in found.items() if one is not None}


def test_every_verb_is_found() -> None:
    assert set(verbs()) >= VERBS


@pytest.mark.parametrize("name", sorted(VERBS))
def test_every_verb_has_help_with_examples_that_fit_80_columns(name: str) -> None:
    result = CliRunner().invoke(main.rankwise, [name, "--help"], terminal_width=80)
    assert result.exit_code == 0
    assert "Examples:" in result.output
    assert f"rankwise {name}" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("rankwise, version ")


def test_an_unknown_verb_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["comprae"]) == 2
    captured = capsys.readouterr()
    assert "compare" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InputError("bad"), 2),
        (errors.HostError("lacking", "get it"), 3),
        (errors.InterruptedRun("stop"), 130),
        (KeyboardInterrupt(), 130),
        (ZeroDivisionError("ours"), 101),
    ],
)
def test_exit_codes(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command("fail")
    def fail() -> None:
        raise error

    monkeypatch.setattr(main, "rankwise", fail)
    assert main.run([]) == code
    assert ("Traceback" in capsys.readouterr().err) == (code == 101)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_command(shell: str) -> None:
    result = CliRunner().invoke(main.rankwise, ["completion", shell])
    assert result.exit_code == 0
    assert "_RANKWISE_COMPLETE" in result.output


def test_a_command_line_in_a_forked_process_is_as_one_that_was_started(tmp_path: Path) -> None:
    argv, variables = [str(COMMAND), "compare", "--baseline"], environment(tmp_path)
    forked = FORKING.run(argv, tmp_path, variables, 60)
    started = subprocess.run(argv, env=variables, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (forked.returncode, forked.stdout, forked.stderr) == (2, started.stdout, started.stderr)
    assert "--baseline" in started.stderr


@pytest.mark.parametrize(
    ("line", "present"),
    [
        ("bench pingpong --format json", "--json"),
        ("coupled --bytes 1K", "--size"),
        ("map app.trace --topology host.xml", "--lstopo"),
        ("map app.trace --verify", "--compare"),
        ("predict pattern flows.txt --html page.html", "--report"),
        ("run --force -- true", "--any-version"),
        ("schedule synthesise bcast --ranks 4", "-n"),
        ("show --output", "--launch all"),
    ],
)
def test_a_former_option_is_refused_with_its_present_name(
    line: str, present: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(line.split()) == 2
    assert f"use {present}" in capsys.readouterr().err.lower()
    assert main.run(["runs", "--verify"]) == 2
    assert "--compare" not in capsys.readouterr().err
