"""What a program said is believed until anything is different on which it may depend."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rankwise.core import answers, process
from support.bare_host import script


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """It counts how often it is asked, beside itself."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return script(tmp_path / "mpicc", 'echo >>"$0.asked"; echo "one $*"; echo two >&2\n')


def asked(program: Path) -> int:
    return len(Path(f"{program}.asked").read_text().splitlines())


def test_it_is_asked_once_for_each_command_line(program: Path) -> None:
    outcomes = [answers.ask((str(program), word), 10) for word in ("-v", "-v", "-show", "-v")]
    assert [one.stdout for one in outcomes] == ["one -v\n", "one -v\n", "one -show\n", "one -v\n"]
    assert {(one.returncode, one.stderr, one.timed_out) for one in outcomes} == {(0, "two\n", False)}
    assert outcomes[0].command == outcomes[1].command == f"{program} -v"
    assert asked(program) == 2


def rewrite(program: Path, patch: pytest.MonkeyPatch) -> None:
    script(program, 'echo >>"$0.asked"; echo "one $*"; echo two >&2\n# upgraded\n')


def touch(program: Path, patch: pytest.MonkeyPatch) -> None:
    os.utime(program, ns=(1, 1))


def touch_what_it_is_about(program: Path, patch: pytest.MonkeyPatch) -> None:
    program.with_name("data").write_text("changed")


def set_a_variable(program: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("OMPI_CC", "clang")


def forget(program: Path, patch: pytest.MonkeyPatch) -> None:
    answers.forget()


def damage(program: Path, patch: pytest.MonkeyPatch) -> None:
    for file in (program.parent / "cache/rankwise/answers").iterdir():
        file.write_text('{"conditions": 1')


@pytest.mark.parametrize(
    "change",
    [rewrite, touch, touch_what_it_is_about, set_a_variable, forget, damage],
    ids=lambda one: one.__name__,
)
def test_a_change_is_noticed(
    change: Callable[[Path, pytest.MonkeyPatch], None], program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for expected in (1, 2, 2):
        answers.ask((str(program), "-v"), 10, about=[program.with_name("data")])
        assert asked(program) == expected
        if expected == 1:
            change(program, monkeypatch)


def test_another_environment_is_another_question(program: Path) -> None:
    for root in ("/a", "/b"):
        answers.ask((str(program), "-v"), 10, environment=(("I_MPI_ROOT", root),))
    assert asked(program) == 2


def test_what_a_terminal_sets_changes_nothing(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in ("80", "100"):
        monkeypatch.setenv("COLUMNS", width)
        monkeypatch.setenv("RANKWISE_STORE", f"/store-{width}")
        answers.ask((str(program), "-v"), 10)
    assert asked(program) == 1


@pytest.mark.parametrize("ending", ["exit 3", "sleep 60"])
def test_a_failure_is_never_kept(ending: str, program: Path) -> None:
    script(program, f'echo >>"$0.asked"; {ending}\n')
    for expected in (1, 2):
        outcome = answers.ask((str(program), "-v"), 0.3)
        assert outcome.returncode == 3 or outcome.timed_out
        assert asked(program) == expected


def test_a_cache_that_cannot_be_written_keeps_nothing(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program.parent / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(program.parent / "file"))
    assert [answers.ask((str(program), "-v"), 10).stdout for _ in range(2)] == ["one -v\n"] * 2
    assert asked(program) == 2


def test_answers_under_other_variables_are_kept_beside_one_another(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ("a", "b", "a", "b"):
        monkeypatch.setenv("OMPI_MCA_btl", value)
        answers.ask((str(program), "-v"), 10)
    assert asked(program) == 2


def test_no_more_are_kept_than_are_of_use(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST", 3)
    for word in "abcd":
        answers.ask((str(program), word), 10)
    assert len(list((program.parent / "cache/rankwise/answers").iterdir())) == 1
    answers.ask((str(program), "d"), 10)
    assert asked(program) == 4


def test_a_refusal_is_believed_where_it_is_an_answer(program: Path) -> None:
    script(program, 'echo >>"$0.asked"; echo "no such name" >&2; exit 1\n')
    for words, expected in (("such", 1), ("such", 1), ("disk is full", 1)):
        outcome = answers.kept(
            (str(program),),
            words,
            lambda: process.run([str(program)], 10),
            lambda one, said=words: said in one.stderr,
        )
        assert outcome.returncode == 1 and "no such name" in outcome.stderr
        assert asked(program) == expected + (words != "such")
