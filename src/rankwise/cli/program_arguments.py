"""What stands after `--` is a program of the user's; arguments for mpiexec are given by `--launcher`."""

from __future__ import annotations

import shlex
import sys

import click
import cloup

from rankwise.cli.options import Parsed
from rankwise.core.errors import InputError


class TakesProgram(cloup.Command):
    """A verb that takes a program of the user's: what stands after `--`, which the verb finds in `ctx.obj`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Cut the line at the first `--`."""
        ctx.obj = ()
        if "--" in args:
            cut = args.index("--")
            ctx.obj, args = tuple(args[cut + 1 :]), args[:cut]
            if not ctx.obj:
                raise InputError("no program after `--`", "give the program and its arguments, or leave out `--`")
            refuse_launcher_arguments(ctx.obj)
        return super().parse_args(ctx, args)


class TakesNoProgram(TakesProgram):
    """A verb that measures our benchmarks alone: anything after `--` is refused."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse a program. Raises InputError."""
        rest = super().parse_args(ctx, args)
        if ctx.obj:
            raise InputError(
                f"`rankwise {self.name}` measures Rankwise's own benchmarks, not a program such as {ctx.obj[0]}",
                f"compare MPIs with it: rankwise compare -- {shlex.join(ctx.obj)}",
            )
        return rest


def refuse_launcher_arguments(arguments: tuple[str, ...]) -> None:
    """Raise InputError for arguments of mpiexec after `--`, where a program stands; the remedy is the new line."""
    if arguments and arguments[0].startswith("-"):
        before = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else []
        line = shlex.join(["rankwise", *before, "--launcher", shlex.join(arguments)])
        raise InputError(f"expected a program after `--`, not arguments for mpiexec: {arguments[0]}", line)


def _launcher_arguments(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"invalid arguments {text!r}: {error}", "close every quotation mark") from error


launcher_option = click.option(
    "--launcher", type=Parsed("arguments", _launcher_arguments), default="", metavar="ARGUMENTS",
    help="Further arguments for mpiexec in one string, for example to map or bind ranks: "
         "--launcher '--bind-to core'.",
)  # fmt: skip
"""Passes `launcher`, the arguments one by one."""
