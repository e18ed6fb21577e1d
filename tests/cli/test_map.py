"""`rankwise map` reads a matrix, places its ranks on a testbed, and writes what a launcher takes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankwise.cli.main import rankwise

PAIRS = "".join(f"{rank},{rank + 4},1000000\n" for rank in range(4))


def mapped(*arguments: str) -> tuple[int, str]:
    """The exit code, and all that was said."""
    result = CliRunner().invoke(rankwise, ["map", *arguments])
    error = f"{result.exception}" if result.exception else ""
    return result.exit_code, result.output + error


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A matrix, and two hosts."""
    (tmp_path / "traffic.csv").write_text(PAIRS)
    (tmp_path / "hosts").write_text("one slots=4\ntwo slots=4\n")
    return str(tmp_path / "traffic.csv"), str(tmp_path / "hosts")


def test_pairs_get_one_host_and_the_rankfile_says_so(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "ranks"
    code, said = mapped(files[0], "--hostfile", files[1], "-o", str(out))
    assert code == 0
    assert "mpirun --rankfile" in said
    hosts = [line.split("=")[1].split()[0] for line in out.read_text().splitlines()]
    assert all(hosts[rank] == hosts[rank + 4] for rank in range(4))


def test_json_and_pins(files: tuple[str, str]) -> None:
    code, said = mapped(files[0], "--hostfile", files[1], "--pin", "0=two,1=two", "--json")
    told = json.loads(said)
    assert (code, told["hosts"][:2], told["cost"]) == (0, ["two", "two"], 4e6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--pin", "0=nowhere"), "nowhere"),
        (("--pin", "99=one"), "no rank 99"),
        (("--pin", "zero"), "pins no rank"),
        (("--distances", "10:1:100"), "do not grow"),
        (("--distances", "1:x"), "no distances"),
        (("-o", "/nowhere/ranks"), "cannot write"),
    ],
)
def test_bad_input(files: tuple[str, str], arguments: tuple[str, ...], words: str) -> None:
    code, said = mapped(files[0], "--hostfile", files[1], *arguments)
    assert code != 0
    assert words in said
