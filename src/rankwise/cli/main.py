"""The command `rankwise`: finds the verbs, and turns every error into a message, a remedy and an exit code."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import traceback
from types import ModuleType

import click
import cloup

from rankwise import __version__
from rankwise.cli import streams
from rankwise.core import errors, paths, registry, signals
from rankwise.core.escaping import escaped
from rankwise.core.units import short
from rankwise.workflows import leftovers

SECTIONS = ("Measure", "Results", "Tune", "Explain and predict", "Networks", "MPIs and hosts", "Research")
"""Sections of the top-level help, in this order; those that plug-ins add follow."""


FORMER = {
    "--bytes": "--size", "--force": "--any-version", "--html": "--report", "--output": "--launch all",
    "--ranks": "-n", "--topology": "--lstopo", "--verify": "--compare",
}  # fmt: skip
"""Former names of options, which a verb that has the present one suggests."""


class Verbs(cloup.Group):
    """Every module beside this one that has a `command` is a verb; plug-in folders may add more.

    The module's `SECTION` is where the top-level help lists it.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs' names, sorted."""
        return sorted(str(module.command.name) for module in _modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb of that name. Raises UnknownNameError with the nearest ones."""
        verbs = {str(module.command.name): module.command for module in _modules(cmd_name) or _modules()}
        if cmd_name not in verbs:
            raise errors.UnknownNameError("verb", cmd_name, verbs)
        command: click.Command = verbs[cmd_name]
        return command

    def list_sections(self, ctx: click.Context, include_default_section: bool = True) -> list[cloup.Section]:
        """Return the verbs by section, in the order of `SECTIONS`."""
        sections = {title: cloup.Section(title) for title in SECTIONS}
        for module in _modules():
            title = getattr(module, "SECTION", "Plug-ins")
            sections.setdefault(title, cloup.Section(title)).add_command(module.command)
        return [section for section in sections.values() if len(section)]


def _modules(only: str = "") -> list[ModuleType]:
    """Return the verbs' modules, or `only` one: then the others, and what they import, are not loaded."""
    modules = registry.modules_of("rankwise.cli", "cli", only)
    return [module for module in modules if isinstance(getattr(module, "command", None), click.Command)]


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nStart here:\n  rankwise mpis         the MPIs that were found, and whether they work\n"
    "  rankwise compare      measure them against one another, three minutes in all\n"
    "  rankwise doctor       whether this machine is fit to measure on",
)
@click.version_option(__version__, prog_name="rankwise")
def rankwise() -> None:
    """Compare, tune, explain and predict MPI communication on your own network.

    Results go to standard output, progress and messages to standard error. Exit codes: 0 ok, 1 check failed
    (--fail-on), 2 usage or input, 3 missing prerequisite, 101 internal error, 130 interrupted, 141 output closed
    (| head).
    """
    paths.complete_environment()


def main() -> None:
    """Run the command line and exit."""
    streams.install()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; nothing but the code leaves here."""
    try:
        with signals.stop_on_signals():
            leftovers.clear()
            result = rankwise.main(arguments, prog_name="rankwise", standalone_mode=False)
            sys.stdout.flush()
            return result if isinstance(result, int) else errors.EXIT_OK
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        return _usage(error)
    except errors.RankwiseError as error:
        return _ended_by(error)
    except (KeyboardInterrupt, click.Abort):
        _say("error", "interrupted; what was measured is kept")
        return errors.EXIT_INTERRUPTED
    except Exception as error:
        return _ended_by(error)


def _usage(error: click.ClickException) -> int:
    """Print a usage error, with the present name of a former option, and return the exit code."""
    if isinstance(error, click.NoSuchOption) and error.ctx:
        present = FORMER.get(error.option_name, "")
        if any(present.split(" ")[0] in parameter.opts for parameter in error.ctx.command.params):
            error = click.NoSuchOption(error.option_name, f"{error.message} Use {present}.", ctx=error.ctx)
    shown = io.StringIO()
    error.show(shown)
    _say("", shown.getvalue())
    return errors.EXIT_INPUT


def _ended_by(error: Exception) -> int:
    """Print what went wrong and return the exit code."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:  # the name of a file is always the user's
        name = short(os.fsdecode(error.filename or ""))
        error = errors.InputError(f"the file name is too long: {name}", "give a shorter one")
    if not isinstance(error, errors.RankwiseError):
        _say("", "".join(traceback.format_exception(error)))
        _say("bug", f"internal error of rankwise {__version__}: please report the traceback above")
        return errors.EXIT_BUG
    if not isinstance(error, errors.OutputClosedError):
        _say("error", str(error))
    if error.remedy:
        _say("remedy", error.remedy)
    return error.exit_code


def _say(label: str, message: str) -> None:
    """Print it; where nobody can be told, the exit code is left."""
    colour = {"error": "red", "bug": "red", "remedy": "green"}.get(label)
    with contextlib.suppress(errors.RankwiseError):
        start = click.style(f"{label}: ", fg=colour, bold=True) if label else ""
        click.echo(start + escaped(message.rstrip("\n")), err=True)
