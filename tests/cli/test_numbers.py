"""What is typed for an option is a value or a usage error, whatever it is: each option of each verb is tried."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from rankwise.cli import main
from rankwise.cli.options import Parsed, Share
from support.bare_host import bare_host

NUMBERS = (
    "9" * 5000, "-" + "9" * 5000, "0." + "9" * 5000, "9" * 18, "9" * 30, "1e400", "nan", "inf", "-1", "²", "٣",
    "1_0", "0x10", "",
)  # fmt: skip
FORMS = (
    "{}", "1,{}", "1:{}", "{}:1", "1:2:{}", "{}K", "{}ms", "2x{}", "{}x2", "{}=a", "a={}", "a=mpich-5:{}", "{}-1",
    "wan.delay=x{}", "wan.rate={}G", "wan.delay=1ms:{}ms", "x@nodes={}", "x@nodes=0-{}", "pattern:{}-1",
    "a+n{}", "{}:2",
)  # fmt: skip
"""Where a number may stand in what the options take."""
WORDS = [form.format(number) for form in FORMS for number in NUMBERS]


@cache
def commands() -> dict[tuple[str, ...], click.Command]:
    """Every verb, also those within groups, by its words."""

    def below(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
        if not isinstance(command, click.Group):
            yield words, command
            return
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from below(found, (*words, name))

    return dict(below(main.rankwise, ()))


def parameters(*kinds: type) -> list[Any]:
    return [
        pytest.param(words, one, id=" ".join((*words, one.opts[0])))
        for words, command in commands().items()
        for one in command.params
        if isinstance(one.type, kinds)
    ]


def test_all_verbs_are_looked_at() -> None:
    assert len(commands()) > 40
    assert len(parameters(click.IntRange)) > 50
    assert len(parameters(Parsed)) > 50


@pytest.mark.parametrize(("words", "one"), parameters(click.types.IntParamType, click.types.FloatParamType))
def test_every_number_has_bounds(words: tuple[str, ...], one: click.Parameter) -> None:
    assert isinstance(one.type, click.IntRange | Share), f"{words}: a type with bounds"
    assert one.type.max is not None and abs(one.type.max) < 1 << 63
    assert one.type.min is not None


TYPES = {id(param.values[1].type): param for param in parameters(click.IntRange, click.FloatRange, Parsed)}
"""Several options may share one."""


@pytest.mark.parametrize(("words", "one"), TYPES.values())
def test_every_value_is_read_or_is_a_usage_error(words: tuple[str, ...], one: click.Parameter) -> None:
    context = click.Context(commands()[words], info_name=" ".join(words))
    for word in WORDS:
        try:
            found = one.type.convert(word, one, context)
        except click.UsageError:
            continue
        if isinstance(one.type, click.IntRange | click.FloatRange):
            assert one.type.min <= found <= one.type.max  # type: ignore[operator]


TEXTS = parameters(click.types.StringParamType, click.types.UnprocessedParamType)


@pytest.mark.parametrize(("words", "one"), TEXTS)
def test_no_word_is_a_fault_of_ours(
    words: tuple[str, ...], one: click.Parameter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Whole command lines, on a host without MPI; what else must be named is a file without anything."""
    bare_host(tmp_path, monkeypatch)
    monkeypatch.setenv("RANKWISE_STORE", str(tmp_path / "results.sqlite"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    empty = tmp_path / "empty"
    empty.write_text("")
    rest = [
        "bcast" if isinstance(other.type, click.types.StringParamType) else str(empty)
        for other in commands()[words].params
        if isinstance(other, click.Argument) and other.required and other is not one
    ]
    for value in ("²", "9" * 5000, "x@nodes=²", "\udc80\x1b[31m"):
        given = [*rest, value] if isinstance(one, click.Argument) else [f"{one.opts[0]}={value}", *rest]
        if isinstance(one, click.Option) and not one.opts[0].startswith("--"):
            given = [one.opts[0], value, *rest]
        code = main.run([*words, *given])
        captured = capsys.readouterr()
        assert code in (0, 1, 2, 3), captured.err
        assert "\x1b" not in captured.out + captured.err
