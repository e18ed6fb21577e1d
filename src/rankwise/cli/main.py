"""The command `rankwise`: finds the verbs, and turns every error into a message, a remedy and an exit code."""

from __future__ import annotations

import sys
import traceback

import click

from rankwise import __version__
from rankwise.core import errors, registry, signals
from rankwise.workflows import leftovers


class Verbs(click.Group):
    """Every module beside this one that has a `command` is a verb; plug-in folders may add more."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs' names, sorted."""
        return sorted(self._verbs())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb of that name. Raises UnknownNameError with the nearest ones."""
        only = self._verbs(cmd_name) or self._verbs()
        if cmd_name not in only:
            raise errors.UnknownNameError("verb", cmd_name, only)
        return only[cmd_name]

    def _verbs(self, only: str = "") -> dict[str, click.Command]:
        """All verbs, or `only` one: then the others, and what they import, are not loaded."""
        modules = registry.modules_of("rankwise.cli", "cli", only)
        found = [getattr(module, "command", None) for module in modules]
        return {str(one.name): one for one in found if isinstance(one, click.Command)}


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nStart here:\n  rankwise mpis         which MPIs are there, and do they work?\n"
    "  rankwise compare      measure them against one another, three minutes in all\n"
    "  rankwise doctor       is this machine fit to measure on?",
)
@click.version_option(__version__, prog_name="rankwise")
def rankwise() -> None:
    """Compare, tune, explain and predict MPI communication on your own network.

    Results go to standard output, progress and messages to standard error. Exit codes: 0 ok, 1 the answer is
    no (--fail-on), 2 usage or input, 3 this host lacks something, 101 a bug of ours, 130 interrupted.
    """


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; nothing but the code leaves here."""
    try:
        with signals.stop_on_signals():
            leftovers.clear()
            result = rankwise.main(arguments, prog_name="rankwise", standalone_mode=False)
            return result if isinstance(result, int) else errors.EXIT_OK
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        error.show()
        return errors.EXIT_INPUT
    except errors.RankwiseError as error:
        _say("error", str(error))
        if error.remedy:
            _say("remedy", error.remedy)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        _say("error", "interrupted; what was measured is kept")
        return errors.EXIT_INTERRUPTED
    except Exception:
        traceback.print_exc()
        _say("bug", f"this is a fault of rankwise {__version__}, not yours: please report the lines above")
        return errors.EXIT_BUG


def _say(label: str, message: str) -> None:
    colour = {"error": "red", "bug": "red", "remedy": "green"}[label]
    click.echo(click.style(f"{label}: ", fg=colour, bold=True) + message, err=True)
