"""`rankwise profile`: look at tunings, compare them, verify that they are in force, take them elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import json_option, prefix_option
from rankwise.cli.profile_lint import lint_command
from rankwise.cli.profile_options import complete_profiles
from rankwise.cli.screen import Screen, err
from rankwise.cli.testbed_options import hostfile_option, testbed_option
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_OK
from rankwise.report import profiles as tables
from rankwise.workflows import profiles
from rankwise.workflows.events import warn
from rankwise.workflows.testbeds import testbed_of

_EXAMPLES = """\b
Examples:
  rankwise profile list
  rankwise profile show wan
  rankwise profile diff wan wan-2
  rankwise profile verify wan --mpi openmpi
  rankwise profile export wan --mpi openmpi --to ~/.openmpi --format mca
  rankwise run --profile wan -n 4 -- ./app            starts a program with it
"""

name_argument = click.argument("name", metavar="NAME|FOLDER", shell_complete=complete_profiles)


SECTION = "Tune"


@click.group(name="profile", short_help="Show, check and export the settings found by tune.", epilog=_EXAMPLES)
def command() -> None:
    """Manage profiles: the settings that `rankwise tune` found for MPIs on a network.

    A name is looked up in ./profiles, then in Rankwise's data folder. An argument with a `/` is a folder.
    """


@command.command("list", epilog="\b\nExamples:\n  rankwise profile list\n  rankwise profile list --json")
@json_option
def list_command(as_json: bool) -> None:
    """List the profiles that have a name, and what each gains."""
    named_profiles = profiles.known(Screen())
    if not named_profiles:
        looked = " nor ".join(str(place) for place in profiles.places())
        err(f"no profile is in {looked}: rankwise tune makes one")
    plain = [
        {"name": name, "folder": stored.folder, "testbed": stored.profile.testbed,
         "created_at": stored.profile.created_at,
         "parts": [{"implementation": part.implementation, **asdict(profiles.gain(part))}
                   for part in stored.profile.parts]}
        for name, stored in named_profiles.items()
    ]  # fmt: skip
    table = (
        [tables.profile_list({name: stored.profile for name, stored in named_profiles.items()})]
        if named_profiles
        else []
    )
    print_answer(plain, table, as_json=as_json)


@command.command("show", epilog="\b\nExamples:\n  rankwise profile show wan\n  rankwise profile show wan --json")
@name_argument
@json_option
def show_command(name: str, as_json: bool) -> None:
    """Show what a profile changes, why, what it gains and what it costs.

    If the folder was moved, the paths in its files are updated.
    """
    stored, edits = profiles.load(name)
    plain = {"folder": stored.folder, **asdict(stored.profile)}
    print_answer(plain, [tables.profile_view(stored.profile, stored.folder)], as_json=as_json)
    warn(Screen(), *edits)


@command.command(
    "diff", epilog="\b\nExamples:\n  rankwise profile diff wan wan-2\n  rankwise profile diff wan ../old/wan"
)
@click.argument("one", shell_complete=complete_profiles)
@click.argument("other", shell_complete=complete_profiles)
@json_option
def diff_command(one: str, other: str, as_json: bool) -> int:
    """Show the differences between two profiles. Exit code 1 if there are any."""
    differences = profiles.compare(one, other)
    print_answer(differences, [tables.difference_table(one, other, differences)], as_json=as_json)
    return EXIT_ANSWER_IS_NO if differences else EXIT_OK


@command.command(
    "export",
    epilog="\b\nExamples:\n  rankwise profile export wan --to settings\n"
    "  rankwise profile export wan --to ~/modules --format modulefile\n"
    "  rankwise profile export wan --to /etc/sysctl.d --format sysctl\n"
    "  rankwise profile export wan --to ~/.openmpi --format mca\n"
    "  rankwise profile export wan --to ~/.openmpi --format mca --remove",
)
@name_argument
@click.option("--to", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder.")
@click.option("--format", "formats", multiple=True, type=click.Choice(profiles.FORMATS),
              help="One or several.  [default: all that the profile has]")  # fmt: skip
@click.option("--mpi", default="", metavar="MPI", help="Only this implementation.  [default: all in the profile]")
@click.option("--force", is_flag=True, help="Replace existing files, and settings of your own that differ.")
@click.option("--remove", is_flag=True, help="Remove what was exported there.")
@json_option
def export_command(
    name: str, to: Path, formats: tuple[str, ...], mpi: str, force: bool, remove: bool, as_json: bool
) -> None:
    """Write a profile's settings in formats that work without Rankwise.

    env: a script to source; modulefile: for Lmod and Environment Modules; mca: Open MPI's parameter file;
    sysctl: the hosts' kernel settings.

    An existing parameter file is extended. Its own settings stay in force unless --force is given, and a backup is
    kept as FILE.before-rankwise. Note that every version of Open MPI reads ~/.openmpi.
    """
    exported = profiles.export(name, to, formats, implementation=mpi, force=force, remove=remove)
    lines = (f"removed {_lines_from(path)}" if remove else str(path) for path in exported.paths)
    print_answer(exported.paths, lines, as_json=as_json)
    warn(Screen(), *exported.notices)


def _lines_from(path: Path) -> str:
    return f"the profile's lines from {path}" if path.exists() else str(path)


@command.command(
    "verify",
    epilog="\b\nExamples:\n  rankwise profile verify wan\n"
    "  rankwise profile verify wan --mpi openmpi-5 --testbed local",
)
@name_argument
@click.option("--mpi", default="", metavar="MPI", help="Only this implementation.  [default: all in the profile]")
@prefix_option
@testbed_option("the network that the profile was made for")
@hostfile_option
@json_option
def verify_command(
    name: str, mpi: str, prefixes: tuple[Path, ...], testbed: str, hostfile: Path | None, as_json: bool
) -> int:
    """Run each implementation with the profile, and check which values are in force and which algorithms ran.

    Runs on the network that the profile was made for, unless another one is named. Exit code 1 if a setting is
    not in force.
    """
    where = testbed_of(testbed, hostfile) if testbed or hostfile else None
    checks = profiles.check(profiles.VerifyRequest(name, mpi, where, prefixes), Screen())
    print_answer(checks, [tables.check_table(checks)], as_json=as_json)
    return EXIT_ANSWER_IS_NO if any(check.state == "not in force" for check in checks) else EXIT_OK


command.add_command(lint_command)
