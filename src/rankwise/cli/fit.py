"""`rankwise fit`: measure what communication costs on a testbed with one MPI."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.measuring_options import command_line
from rankwise.cli.options import DURATION, RUN, SEED, json_option, prefix_option, quiet_option, store_option
from rankwise.cli.profile_options import complete_profiles
from rankwise.cli.program_arguments import TakesNoProgram
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core import errors
from rankwise.workflows import configurations, resuming
from rankwise.workflows.events import warn
from rankwise.workflows.fit import fitting
from rankwise.workflows.fit.request import FitRequest, FitResult
from rankwise.workflows.testbeds import testbed_of

DEFAULT_FILE = Path("platform.toml")


SECTION = "Explain and predict"


@click.command(
    name="fit",
    short_help="Measure what messages cost on a network.",
    cls=TakesNoProgram,
    epilog="\b\nExamples:\n"
    "  rankwise fit --testbed two-clusters --mpi openmpi -o two.toml\n"
    "  rankwise fit --mpi mpich                 this host: two ranks of one node\n"
    "  rankwise fit --from 12 -o again.toml     from a stored run\n"
    "  rankwise platform show two.toml",
)
@click.option("--mpi", metavar="MPI", help="The implementation.  [default: the only one that works]")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="File to write.  [default: platform.toml, unless --json is given]")  # fmt: skip
@click.option("--profile", default="", metavar="NAME|FOLDER", shell_complete=complete_profiles,
              help="Load this profile.")  # fmt: skip
@click.option("--time", "budget", type=DURATION, default=0.0,
              help="Time budget of the whole run.  [default: a minute for each class of pairs, and what the "
                   "patterns take]")  # fmt: skip
@click.option("--from", "stored", type=RUN, metavar="RUN", help="Use this stored run instead of measuring.")
@click.option("--resume", type=RUN, metavar="RUN", help="Continue an interrupted run.")
@prefix_option
@click.option("--seed", type=SEED, help="Seed for the order of launches and cells, to repeat a plan.")
@quiet_option
@where_options
@store_option
@json_option
def command(
    mpi: str | None, output: Path | None, profile: str, budget: float, stored: int | None, resume: int | None,
    prefixes: tuple[Path, ...], seed: int | None, quiet: bool, testbed: str, hostfile: Path | None, store: Path,
    as_json: bool,
) -> int:  # fmt: skip
    """Measure what messages cost on a testbed with one MPI, and write it as platform.toml.

    LogGP for each class of pairs (one node, one site, each two sites), piecewise where the protocol changes, with
    95 % intervals. Where a site has six nodes, also how concurrent messages share its switch; where two sites have
    two nodes each, the links between them. What the measurements cannot identify is listed as such. Exit code 1:
    the times vary too much to mean anything.
    """
    screen = Screen(quiet=quiet)
    if not output and not as_json and DEFAULT_FILE.exists():
        raise errors.InputError(f"{DEFAULT_FILE} already exists", "name a file with -o: that one is replaced")
    if stored and resume:
        raise errors.InputError("--from and --resume are mutually exclusive", "give one of them")
    if stored:
        result = fitting.load(stored, store)
    elif resume:
        result = fitting.load(resuming.resume_run(resume, store, screen, kind="fit"), store)
    else:
        chosen = configurations.choose(profile) if profile else None
        request = FitRequest(
            command_line(), mpi or "", testbed_of(testbed, hostfile), prefixes, chosen, budget, seed
        )
        result = fitting.fit(request, store, screen)
    return _told(result, output, screen, as_json=as_json)


def _told(result: FitResult, output: Path | None, screen: Screen, *, as_json: bool) -> int:
    """Print the answer; a platform that is all noise is not written unless a file was named for it."""
    path = output or (None if as_json or result.noisy else DEFAULT_FILE)
    if path:
        fitting.write(path, result.platform)
    print_answer({**result.to_dict(), "file": path}, result.parts(), as_json=as_json)
    screen.say(f"\nrun: {result.run_id}" + (f"\nplatform: {path}" if path else ""), whole=True)
    warn(screen, *result.notices)
    return errors.EXIT_ANSWER_IS_NO if result.noisy else errors.EXIT_OK
