"""`rankwise profile` shows, compares and exports what is on disk, and `verify` asks a real MPI."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.cli import main
from rankwise.core.tuning import Native, Setting, Tuning
from rankwise.profiles.writing import write
from support.command_line import rankwise
from support.profiles import NATIVE, TUNING, part, profile

_DATA = os.environ.get("XDG_DATA_HOME", "")
"""Where MPIs are installed."""


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def wan() -> Path:
    return write(profile(part(), part("mpich-5.0.2")), Path("profiles"))


@pytest.mark.parametrize("words", [["list"], ["show", "wan"], ["diff", "wan", "lan"]])
def test_tables_fit_eighty_columns(words: list[str], wan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(profile(part(tuning=Tuning()), name="lan"), wan.parent)
    assert main.run(["profile", *words]) == (words[0] == "diff")
    shown = capsys.readouterr().out
    assert "openmpi-5.0.11" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_list_has_the_gain_of_each(wan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["profile", "list", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["name"], told["testbed"], told["folder"]) == ("wan", "duo", str(wan))
    assert told["parts"][0] == {
        "implementation": "openmpi-5.0.11", "cells": 4, "faster": 2, "slower": 0, "equivalent": 2,
        "probably_faster": 0, "probably_slower": 0, "ratio": pytest.approx(0.7523, abs=1e-3),
    }  # fmt: skip


def test_a_broken_profile_does_not_hide_the_others(wan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (wan.parent / "bad").mkdir()
    (wan.parent / "bad/profile.toml").write_text("format = 1\nname = \n")
    assert main.run(["profile", "list"]) == 0
    told = capsys.readouterr()
    assert "wan" in told.out
    assert "bad/profile.toml:2: this is not TOML" in told.err


def test_show_says_what_why_and_gain(wan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["profile", "show", "wan"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in (
        "eager-threshold 32 MiB No handshake", "bcast 4 above 4 KiB pipeline, segments of 64 KiB, fan-out 2",
        "2 of 4 cells faster, none slower", "64 KiB to 1 MiB faster × 0.5 to 0.64",
        "net.ipv4.tcp_rmem 4096 131072 16777216",
    ):  # fmt: skip
        assert words in shown
    assert main.run(["profile", "show", str(wan), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parts"][1]["implementation"] == "mpich-5.0.2"
    assert told["parts"][0]["verdicts"][2]["verdict"] == "faster"


def test_show_settles_a_moved_folder_and_names_edited_files(
    wan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = wan.rename(tmp_path / "moved")
    conf = moved / "openmpi-5.0.11/mca-params.conf"
    conf.write_text(conf.read_text() + "# mine\n")
    assert main.run(["profile", "show", "./moved"]) == 0
    assert f"{conf} was edited by hand" in capsys.readouterr().err
    assert f"= {moved}/openmpi-5.0.11/rules.conf" in conf.read_text()


def test_diff_names_what_differs(wan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = replace(TUNING, settings=(Setting("eager-threshold", "65536"), TUNING.settings[1]))
    write(profile(part(tuning=other), part("mpich-5.0.2"), name="other"), wan.parent)
    assert main.run(["profile", "diff", "wan", "other", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == [
        {"implementation": "openmpi-5.0.11", "subject": "eager-threshold", "one": "32 MiB", "other": "64 KiB"}
    ]
    assert main.run(["profile", "diff", "wan", "wan"]) == 0


def test_export_says_what_it_wrote(wan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["profile", "export", "wan", "--to", "out", "--format", "sysctl"]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/out/90-rankwise.conf\n"
    (tmp_path / "out/90-rankwise.conf").write_text("mine\n")
    assert main.run(["profile", "export", "wan", "--to", "out", "--format", "sysctl"]) == 2
    assert "--force" in capsys.readouterr().err
    assert main.run(["profile", "export", "wan", "--to", "out", "--force", "--json"]) == 0
    assert f"{tmp_path}/out/90-rankwise.conf" in json.loads(capsys.readouterr().out)


def test_export_adds_to_a_users_file_says_what_conflicts_and_takes_it_out(
    wan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "home/mca-params.conf"
    own.parent.mkdir()
    own.write_text("btl_tcp_eager_limit = 1\n")
    words = ["profile", "export", "wan", "--to", "home", "--format", "mca", "--mpi", "openmpi"]
    assert main.run(words) == 0
    said = capsys.readouterr()
    assert f"btl_tcp_eager_limit = 1 in {own}:1 stays in force, and not 33554432 of profile wan" in said.err
    assert main.run([*words, "--remove"]) == 0
    assert f"removed the profile's lines from {own}" in capsys.readouterr().out
    assert own.read_text() == "btl_tcp_eager_limit = 1\n"
    assert [path.name for path in own.parent.iterdir()] == [own.name]


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["list"], ["show"], ["diff"], ["verify"], ["export"]):
        assert main.run(["profile", *words, "--help"]) == 0
        assert "rankwise profile" in capsys.readouterr().out.partition("Examples:")[2]


@pytest.mark.parametrize(
    ("words", "said", "remedy"),
    [
        (["show", "wam"], "unknown profile 'wam'", "did you mean wan?"),
        (["show", "./nothing"], "cannot read nothing/profile.toml", "rankwise profile list"),
        (["export", "wan", "--to", "x", "--format", "lua"], "'lua' is not one of", ""),
        (["verify", "wan", "--mpi", "no-such-mpi"], "unknown MPI implementation", ""),
        (["verify", "wan", "--testbed", "nowhere"], "unknown testbed", ""),
    ],
)
def test_what_makes_no_sense(
    words: list[str], said: str, remedy: str, wan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["profile", *words]) == 2
    told = capsys.readouterr()
    assert said in told.err and remedy in told.err
    assert told.out == ""


def test_names_are_completed(wan: Path) -> None:
    told = rankwise(
        home=Path.cwd(), _RANKWISE_COMPLETE="bash_complete", COMP_WORDS="rankwise profile show w", COMP_CWORD="3"
    )
    assert told.stdout == "plain,wan\n"


@pytest.mark.mpi
@pytest.mark.parametrize(("value", "code"), [("32M", 0), ("4K", 1)])
def test_verify_asks_the_implementation(value: str, code: int, tmp_path: Path) -> None:
    tuning = Tuning((Setting("eager-threshold", "33554432"), Setting("tcp-connections", "2")))
    native = Native((), (("UCX_RNDV_THRESH", value),))
    made = profile(part("mpich-5.0.2", native, tuning))
    write(replace(made, topology=None, testbed="local"), Path("profiles"))
    told = rankwise("profile", "verify", "wan", "--json", home=tmp_path, XDG_DATA_HOME=_DATA)
    assert told.returncode == code, told.stderr
    found = {one["subject"]: one["state"] for one in json.loads(told.stdout)}
    assert found == {
        "eager-threshold": "not in force" if code else "in force",
        "tcp-connections": "cannot be read back",
    }


def test_verify_of_what_is_not_installed_here(capsys: pytest.CaptureFixture[str]) -> None:
    write(profile(part("openmpi-0.9.9")), Path("profiles"))
    assert main.run(["profile", "verify", "wan"]) == 2
    assert "is for openmpi-0.9.9, which is not installed" in capsys.readouterr().err


@pytest.mark.mpi
def test_verify_says_when_the_run_itself_fails(tmp_path: Path) -> None:
    native = replace(NATIVE, files=(), environment=(), arguments=("-no-such-option",))
    made = profile(part("mpich-5.0.2", native, replace(TUNING, host_settings=(), decisions=())))
    write(replace(made, topology=None, testbed="local"), Path("profiles"))
    told = rankwise("profile", "verify", "wan", home=tmp_path, XDG_DATA_HOME=_DATA)
    assert told.returncode == 1, told.stderr
    assert "the run on 2 ranks failed" in " ".join(told.stdout.split())
    assert max(map(len, told.stdout.splitlines())) <= 80
