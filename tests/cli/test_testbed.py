"""`rankwise testbed` lists, shows, brings up, checks and takes down testbeds, and points at what is wrong."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rankwise.cli import main
from rankwise.workflows.testbeds import complete_any, complete_nodes
from support.command_line import rankwise
from support.emulated import needs_emulation

NAME = f"verbs-{os.getpid()}"
SMALL = """
[nic]
rate = "1 Gbit/s"
[site.x]
nodes = 2
[site.y]
[[link]]
between = ["x", "y"]
delay = "3 ms"
rate = "200 Mbit/s"
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


def test_the_list_has_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["testbed", "list"]) == 0
    shown = capsys.readouterr().out
    for name in ("cluster", "two-clusters", "grid5000-2007", "gigabit-testbed-1999", "transatlantic"):
        assert name in shown
    assert main.run(["testbed", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    known = {one["name"]: one for one in listed["presets"]}
    assert known["grid5000-2007"]["nodes"] == 4
    assert known["grid5000-2007"]["sites"] == ["rennes", "nancy"]


def test_show_draws_in_three_ways(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main.run(["testbed", "show", file]) == 0
    shown = capsys.readouterr().out
    assert "x, 2 nodes" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert main.run(["testbed", "show", file, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [node["name"] for node in told["nodes"]] == ["x-1", "x-2", "y-1"]
    assert {link["name"]: link["delay_seconds"] for link in told["links"]}["x>y"] == 0.003
    assert main.run(["testbed", "show", file, "--svg", str(tmp_path / "s.svg")]) == 0
    assert capsys.readouterr().out == ""
    assert ElementTree.parse(tmp_path / "s.svg").getroot().tag.endswith("svg")


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["list"], ["show"], ["up"], ["down"], ["exec"], ["check"]):
        assert main.run(["testbed", *words, "--help"]) == 0
        assert "rankwise testbed" in capsys.readouterr().out.partition("Examples:")[2]


@pytest.mark.parametrize(
    ("words", "code", "said", "remedy"),
    [
        (["show", "clutser"], 2, "unknown testbed 'clutser'", "did you mean cluster"),
        (["show", "none.toml"], 2, "file not found: none.toml", "give a TOML file"),
        (["show", "cluster", "--svg", "/no/such/folder/x.svg"], 3, "cannot write", "another place"),
        (["up", "clutser"], 2, "unknown testbed", "did you mean"),
        (["down"], 2, "no testbed given", "--all"),
        (["down", "clutser", "--all"], 2, "no testbed given", "--all"),
        (["down", "never-up"], 2, "unknown running testbed 'never-up'", ""),
        (["exec", "a-1", "--testbed", "cluster-x", "--", "true"], 2, "unknown testbed", "did you mean cluster"),
        (["exec", "a-1", "--testbed", "transatlantic", "--", "true"], 2, "is not up", "rankwise testbed up"),
        (["check", "clutser"], 2, "unknown testbed", "did you mean"),
    ],
)
def test_what_makes_no_sense(
    words: list[str], code: int, said: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["testbed", *words]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert remedy in captured.err


def test_an_error_points_at_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.toml").write_text(SMALL.replace("200 Mbit/s", "0 bit/s"))
    assert main.run(["testbed", "show", str(tmp_path / "bad.toml")]) == 2
    assert "bad.toml:10: link[1].rate: link rate too low: 0 bit/s" in capsys.readouterr().err


def test_real_hosts_need_not_be_brought_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hosts.toml"
    path.write_text('kind = "ssh"\nremote_shell = "echo via"\n[[host]]\nname = "n1"\nuser = "ada"\n')
    assert main.run(["testbed", "up", str(path)]) == 2
    assert "existing hosts (ssh)" in capsys.readouterr().err
    told = rankwise("testbed", "exec", "n1", "--testbed", str(path), "--", "echo", "a b", home=tmp_path)
    assert (told.returncode, told.stdout) == (0, "via ada@n1 echo 'a b'\n")


@needs_emulation
@pytest.mark.nightly
def test_up_exec_check_down(file: str, tmp_path: Path) -> None:
    def testbed(*words: str, **options: object) -> tuple[int, str, str]:
        told = rankwise("testbed", *words, home=tmp_path, **options)  # type: ignore[arg-type]
        return told.returncode, told.stdout, told.stderr

    assert testbed("up", file, "--name", NAME)[:2] == (0, f"{NAME} is up: x-1, x-2, y-1\n")
    try:
        code, out, _ = testbed("list", "--json")
        assert NAME in [one["name"] for one in json.loads(out)["up"]]
        assert NAME in complete_any(None, None, "verbs-")
        assert "y-1" in complete_nodes(None, None, "y")
        code, _, err = testbed("up", file, "--name", NAME)
        assert (code, "is already up" in err) == (2, True)
        on_x = ("exec", "x-1", "--testbed", NAME, "--")
        assert testbed(*on_x, "hostname")[:2] == (0, "x-1\n")
        assert testbed(*on_x, "sh", "-c", "echo out; echo err >&2; exit 7") == (7, "out\n", "err\n")
        code, _, err = testbed("exec", "x-3", "--testbed", NAME, "--", "true")
        assert (code, "unknown node 'x-3'" in err) == (2, True)
        code, out, err = testbed("check", NAME, "--quick", "--json")
        assert code == 0, err
        between, within = json.loads(out)
        assert (between["source"], between["destination"]) == ("x-1", "y-1")
        assert 0.003 < between["delay_seconds"] < 0.05
        assert between["asked_delay_seconds"] == pytest.approx(0.003)
        assert between["rate_bits_per_second"] < 400e6  # the link's 200, not the NICs' 1000, on a busy host too
        assert within["destination"] == "x-2"
        assert testbed("exec", "x-2", "--testbed", file, "--", "hostname")[:2] == (0, "x-2\n")  # by its file too
    finally:
        assert testbed("down", file)[:2] == (0, f"{NAME} is down\n")
    assert NAME not in testbed("list")[1]


@needs_emulation
def test_what_a_file_brought_up_is_taken_down_by_that_file_even_when_its_name_differs(tmp_path: Path) -> None:
    path = tmp_path / "other-stem.toml"
    path.write_text(f'name = "file-{NAME}"\n[site.x]\n')
    try:
        assert rankwise("testbed", "up", str(path), home=tmp_path).returncode == 0
        path.write_text(path.read_text() + 'delay = "1 ms"\n')  # edited since: the name still tells
    finally:
        told = rankwise("testbed", "down", "./other-stem.toml", home=tmp_path, cwd=tmp_path)
    assert (told.returncode, told.stdout) == (0, f"file-{NAME} is down\n"), told.stderr


@needs_emulation
@pytest.mark.nightly
def test_check_brings_up_what_is_not_up_and_leaves_nothing(file: str, tmp_path: Path) -> None:
    told = rankwise("testbed", "check", file, home=tmp_path)
    assert told.returncode in (0, 1), told.stderr
    assert told.stderr == ""
    assert max(map(len, told.stdout.splitlines())) <= 80
    assert "asked" in told.stdout
    assert ("failed" in told.stdout) == (told.returncode == 1)
    assert "small" not in rankwise("testbed", "list", home=tmp_path).stdout.partition("is up")[0].splitlines()[-1]
