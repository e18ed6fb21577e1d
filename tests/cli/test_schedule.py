"""`rankwise schedule` lists, shows, proves and exports algorithms and files of users, and says what is wrong."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rankwise.cli import main
from rankwise.schedules import generator
from rankwise.workflows import schedules

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_algorithm.py"
WRONG = """
import rankwise

@rankwise.schedule("bcast", chunks=1)
def half(rank, ranks):
    if rank == 0:
        rank.send(1, rank.data[:])
    elif rank == 1:
        rank.receive(0, rank.data[:])
"""
TWO = (
    EXAMPLE.read_text()
    + """
@rankwise.schedule("barrier")
def star(rank, ranks):
    others = range(1, ranks)
    if rank == 0:
        for other in others:
            rank.receive(other)
        for other in others:
            rank.send(other)
    else:
        rank.send(0)
        rank.receive(0)
"""
)


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main.run(["schedule", *arguments]) == code
    captured = capsys.readouterr()
    assert (
        max(map(len, captured.out.splitlines()), default=0) <= 80 or "--json" in arguments or "export" in arguments
    )
    return captured.out if code != 2 else captured.err


def test_the_list_has_every_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(said(capsys, "list", "--json"))
    assert [f"{one['operation']}.{one['name']}" for one in told] == [one.id for one in generator.algorithms()]
    assert "allreduce.ring" in said(capsys, "list", "allreduce")
    assert "bcast.binomial" not in said(capsys, "list", "allreduce")


def test_show_counts_by_links_and_draws_each_round(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(
        capsys, "show", "bcast", "binomial", "--sites", "3,2,1", "--root", "2", "--size", "1K"
    ).splitlines()
    assert lines[0].startswith("bcast.binomial on 6 ranks: ")
    assert lines[1] == "3 rounds, 5 messages, 5 KiB in all; a rank sends at most 3 KiB"
    assert ["WAN", "3", "3", "KiB", "2"] in [line.split() for line in lines]
    assert lines[-3:] == ["   1  2→0", "   2  0→1 2⇒4", "   3  2⇒3 4⇒5"]


def test_show_of_a_file_of_a_user(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(said(capsys, "show", str(EXAMPLE), "--sites", "2x4", "--size", "800", "--json"))
    assert (told["operation"], told["ranks"], told["rounds"], told["messages"]) == ("allreduce", 8, 14, 112)
    assert told["bytes"] == 14 * 800
    assert [level["messages"] for level in told["levels"]] == [28, 84, 0]
    assert told["messages_by_round"][0][3] == {"from": 3, "to": 4, "bytes": 100.0}


def test_the_picture_has_an_arrow_a_message(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said(capsys, "show", "bcast", "binomial", "--sites", "2x3", "--svg", str(tmp_path / "x.svg"))
    drawn = list(ElementTree.parse(tmp_path / "x.svg").getroot())
    arrows = [one.get("class") for one in drawn if one.get("marker-end")]
    assert sorted(set(arrows)) == ["rw-a", "rw-w"]
    assert len(arrows) == 5


def test_what_is_right_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "verify", str(EXAMPLE), "-n", "5")
    assert told.startswith("right  ring: allreduce on 5 ranks, any count, for operations that commute")
    assert "right" in said(capsys, "verify", "allreduce", "ring", "-n", "5", "--size", "1001")
    assert json.loads(said(capsys, "verify", "bcast", "binomial", "--json"))["right"] is True


def test_what_is_wrong_is_told_by_rank(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text(WRONG)
    told = said(capsys, "verify", str(tmp_path / "half.py"), "-n", "3", code=1)
    assert told.startswith("wrong  half: bcast on 3 ranks")
    assert "rank 2: element 0 of OUTPUT" in told
    found = json.loads(said(capsys, "verify", str(tmp_path / "half.py"), "-n", "3", "--json", code=1))
    assert [fault["rank"] for fault in found["faults"]] == [2]
    assert "lists all faults" in said(capsys, "export", str(tmp_path / "half.py"), "-n", "3", code=2)


def test_several_schedules_in_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(TWO)
    assert "has several schedules: ring, star" in said(capsys, "verify", str(path), "-n", "3", code=2)
    assert said(capsys, "verify", str(path), "-n", "3", "--name", "star").startswith("right  star: barrier on 3")
    assert "unknown schedule" in said(capsys, "verify", str(path), "-n", "3", "--name", "moon", code=2)


@pytest.mark.parametrize("form", ["json", "msccl"])
def test_what_is_exported_is_read_again(form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / f"ring.{form}"
    said(capsys, "export", str(EXAMPLE), "-n", "4", "--format", form, "-o", str(path))
    assert said(capsys, "verify", str(path)).startswith("right  ring: allreduce on 4 ranks, any count")
    assert "4 ranks" in said(capsys, "show", str(path))
    assert "of 4 ranks, not of 5" in said(capsys, "show", str(path), "-n", "5", code=2)


def test_what_does_not_survive_its_export_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = schedules.to_msccl
    monkeypatch.setattr(schedules, "to_msccl", lambda one: real(one).replace('srcoff="0"', 'srcoff="1"', 1))
    assert "cannot be written as MSCCL" in said(
        capsys, "export", "allreduce", "ring", "-n", "4", "--format", "msccl", code=2
    )


def test_the_other_formats(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(
        capsys, "export", "bcast", "binomial", "-n", "3", "--format", "goal", "--size", "300"
    ).splitlines()[:4] == ["num_ranks 3", "", "rank 0 {", "l1: send 300b to 2 tag 0"]
    assert said(capsys, "export", "bcast", "binomial", "--format", "text").startswith("# rankwise schedule 1\n")


@pytest.mark.parametrize(
    ("arguments", "told", "remedy"),
    [
        (["show", "allreduce"], "no algorithm given for allreduce", "ring"),
        (["show", "allreduce", "rign"], "unknown algorithm of allreduce 'rign'", "did you mean ring"),
        (["show", "allredcue", "ring"], "unknown operation 'allredcue'", "did you mean allreduce"),
        (["show", "a", "b", "c"], "no schedule given", "an operation and an algorithm"),
        (["show", "bcast", "binomial", "--sites", "2y8"], "'2y8' is not a layout of ranks", "2x8"),
        (
            ["show", "bcast", "binomial", "--sites", "2x8", "-n", "4"],
            "4 ranks do not match --sites, which has 16",
            "",
        ),
        (["show", "bcast", "binomial", "--root", "8"], "rank 8 cannot be the root of 8 ranks", "0 to 7"),
        (["show", "allreduce", "ring", "--ordered"], "a ring reduces in an order of its own", "schedule list"),
        (["verify", "none.py"], "file not found: none.py", ".json, .xml or .py"),
        (["verify", str(EXAMPLE)], "can be a schedule of any number of ranks", "-n 8"),
        (["export", "barrier", "x"], "unknown algorithm of barrier", ""),
    ],
)
def test_what_cannot_be_done(
    arguments: list[str], told: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said(capsys, *arguments, code=2)
    assert told in shown
    assert remedy in shown


def test_a_host_without_a_compiler(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    generator._loaded.cache_clear()
    assert main.run(["schedule", "list"]) == 3
    told = capsys.readouterr().err
    assert "there is no C compiler 'no-such-cc' here" in told
    assert "set CC" in told
