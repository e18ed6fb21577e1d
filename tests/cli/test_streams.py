"""Where standard output cannot be written, or nobody reads it, the exit code and the message say so."""

from __future__ import annotations

import ast
import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankwise
from support.command_line import COMMAND, environment

PACKAGE = Path(rankwise.__file__).parent
LINES = (["schedule", "list"], ["schedule", "list", "--json"], ["--help"], ["completion", "bash"])


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_a_full_disk_is_named(words: list[str], tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [COMMAND, *words], env=environment(tmp_path), cwd=tmp_path, stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_a_closed_pipe_is_silent(words: list[str], tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        done = subprocess.run(
            [COMMAND, *words], env=environment(tmp_path), cwd=tmp_path, stdout=pipe, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (141, "")


def test_a_closed_terminal_is_an_interruption(tmp_path: Path) -> None:
    master, terminal = pty.openpty()
    os.close(master)
    with os.fdopen(terminal, "w") as end:
        done = subprocess.run(
            [COMMAND, "schedule", "list"], env=environment(tmp_path), cwd=tmp_path, stdout=end, stderr=end,
            check=False,
        )  # fmt: skip
    assert done.returncode == 130


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&- 1>&- 2>&-", "2>/dev/full"])
def test_other_streams_may_be_closed(closed: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {COMMAND} schedule list {closed}"], env=environment(tmp_path), cwd=tmp_path,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0


@pytest.mark.parametrize("variables", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_what_the_encoding_lacks_is_escaped(variables: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "schedule", "show", "bcast", "b\u00e9\udc80\x1b[31m"],
        env=environment(tmp_path, **variables), cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr
    shown = subprocess.run(
        [COMMAND, "schedule", "show", "bcast", "binomial", "--sites", "2x2"],
        env=environment(tmp_path, **variables), cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert shown.returncode == 0


def test_a_deleted_folder_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", f"rmdir {gone}; exec {COMMAND} mpis"], env=environment(tmp_path), cwd=gone,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "current folder" in done.stderr


def printing(tree: ast.Module) -> Iterator[str]:
    """What prints past the one place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in {"print", "click.echo", "click.secho", "Console"} or name.endswith("stdout.write"):
                yield f"{node.lineno}: {name}"
        if isinstance(node, ast.ImportFrom) and node.module == "rich.console":
            yield from (f"{node.lineno}: {one.name}" for one in node.names if one.name == "Console")


def test_nothing_is_printed_but_in_one_place() -> None:
    """A program of its own, which is started, prints for us: it is not looked at."""
    own = {"cli/screen.py", "cli/main.py", "analysis/trace/otf2_reading.py"}
    found = {
        str(path.relative_to(PACKAGE)): list(printing(ast.parse(path.read_text())))
        for path in PACKAGE.rglob("*.py")
        if str(path.relative_to(PACKAGE)) not in own
    }
    assert {name: places for name, places in found.items() if places} == {}
    assert list(printing(ast.parse((PACKAGE / "cli/screen.py").read_text())))
