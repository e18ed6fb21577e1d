"""`rankwise profile lint` tells mistakes with file and line, and by its exit code."""

import json
from pathlib import Path

import pytest

from rankwise.cli import main

CLEAN, BROKEN = "1\n7\n1\n4\n2\n0 6 0 0\n1024 3 0 8192\n", "1\n7\n1\n4\n2\n0 6 0 0\n4K 3 0 0\n"


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("clean.conf").write_text(CLEAN)
    Path("broken.conf").write_text(BROKEN)
    Path("nothing.txt").write_bytes(b"\0\xff")


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (["clean.conf"], 0), (["broken.conf"], 1), (["clean.conf", "broken.conf"], 1), (["nothing.txt"], 2),
        (["broken.conf", "no-such-file"], 2),
    ],
)  # fmt: skip
def test_the_exit_code_says_clean_found_or_unreadable(files: list[str], code: int) -> None:
    assert main.run(["profile", "lint", *files]) == code


def test_findings_have_file_and_line(capsys: pytest.CaptureFixture[str]) -> None:
    main.run(["profile", "lint", "broken.conf", "nothing.txt"])
    said = capsys.readouterr()
    assert said.out == (
        "broken.conf:7: unit: the message size '4K' is not a whole number of bytes in digits (write 4096)\n"
    )
    assert said.err.endswith(
        "nothing.txt:1: cannot be read: it looks like a binary file, or text that is not UTF-8\n"
    )


def test_json_has_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    main.run(["profile", "lint", "--json", "broken.conf"])
    (told,) = json.loads(capsys.readouterr().out)
    assert told["file"] == "broken.conf" and told["findings"][0]["line"] == 7


@pytest.mark.mpi
def test_an_installation_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sparbit.conf").write_text("1\n0\n1\n4\n1\n0 7 0 0\n")
    assert main.run(["profile", "lint", "--mpi", "openmpi-5", "sparbit.conf"]) == 0
    assert main.run(["profile", "lint", "--mpi", "openmpi-4", "sparbit.conf"]) == 1
    assert "allgather has no algorithm 7 in openmpi-4" in capsys.readouterr().out
    assert main.run(["profile", "lint", "--mpi", "no-such-mpi", "sparbit.conf"]) == 2
