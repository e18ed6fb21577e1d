"""`rankwise profile`: look at tunings, compare them, prove that they are in force, take them elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console

from rankwise.cli.options import echo_json, json_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import testbed_of, where_options
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_OK, InputError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Part, Profile
from rankwise.mpi import select
from rankwise.mpi.discover import installations
from rankwise.profiles import folders, loading, moving, profile_file, words
from rankwise.profiles.checking import Check
from rankwise.profiles.differences import differences
from rankwise.profiles.exporting import FORMATS, export
from rankwise.profiles.profile_file import Stored
from rankwise.report import profiles as tables
from rankwise.testbed.base import TestbedKind, make
from rankwise.testbed.local import LocalTestbed
from rankwise.workflows import profile_use
from rankwise.workflows.verify import verify

_EXAMPLES = """\b
Examples:
  rankwise profile list
  rankwise profile show wan
  rankwise profile diff wan wan-2
  rankwise profile verify wan --mpi openmpi
  rankwise profile export wan --mpi openmpi --to ~/.openmpi --format mca
  rankwise run --profile wan -n 4 -- ./app            starts a program with it
"""

name_argument = click.argument("name", metavar="NAME|FOLDER", shell_complete=folders.complete)


@click.group("profile", epilog=_EXAMPLES)
def command() -> None:
    """Look into profiles: what `rankwise tune` has found for MPIs on a network.

    A name is looked for in ./profiles, then in Rankwise's data folder; what has a `/` is a folder.
    """


@command.command("list", epilog="\b\nExamples:\n  rankwise profile list\n  rankwise profile list --json")
@json_option
def list_command(as_json: bool) -> None:
    """List the profiles that have a name, and what each gains."""
    found: dict[str, Stored] = {}
    for name, folder in folders.known().items():
        try:
            found[name] = profile_file.read(folder)
        except InputError as error:
            click.echo(f"warning: {error}", err=True)
    if as_json:
        echo_json([
            {"name": name, "folder": one.folder, "testbed": one.profile.testbed,
             "created_at": one.profile.created_at,
             "parts": [{"implementation": part.implementation, **asdict(words.gain(part.verdicts))}
                       for part in one.profile.parts]}
            for name, one in found.items()
        ])  # fmt: skip
    elif found:
        Console(highlight=False).print(tables.profile_list({name: one.profile for name, one in found.items()}))
    else:
        looked = " nor ".join(str(place) for place in folders.places())
        click.echo(f"no profile is in {looked}: rankwise tune makes one", err=True)


@command.command("show", epilog="\b\nExamples:\n  rankwise profile show wan\n  rankwise profile show wan --json")
@name_argument
@json_option
def show_command(name: str, as_json: bool) -> None:
    """Show what a profile changes, why, what it gains and what it costs.

    If its folder was moved, its files are made to name the new place.
    """
    folder = folders.find(name)
    stored = moving.settled(profile_file.read(folder))
    if as_json:
        echo_json({"folder": stored.folder, **asdict(stored.profile)})
    else:
        Console(highlight=False).print(tables.profile_view(stored.profile, stored.folder))
    for notice in loading.edits(folder):
        click.echo(f"note: {notice.message}; {notice.remedy}", err=True)


@command.command(
    "diff", epilog="\b\nExamples:\n  rankwise profile diff wan wan-2\n  rankwise profile diff wan ../old/wan"
)
@click.argument("one", shell_complete=folders.complete)
@click.argument("other", shell_complete=folders.complete)
@json_option
def diff_command(one: str, other: str, as_json: bool) -> int:
    """Show what two profiles do differently. Exit code 1 if they do."""
    left, right = (profile_file.read(folders.find(name)).profile for name in (one, other))
    found = differences(left, right)
    if as_json:
        echo_json(found)
    else:
        Console(highlight=False).print(tables.difference_table(one, other, found))
    return EXIT_ANSWER_IS_NO if found else EXIT_OK


@command.command(
    "export",
    epilog="\b\nExamples:\n  rankwise profile export wan --to settings\n"
    "  rankwise profile export wan --to ~/modules --format modulefile\n"
    "  rankwise profile export wan --to /etc/sysctl.d --format sysctl",
)
@name_argument
@click.option("--to", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder.")
@click.option("--format", "formats", multiple=True, type=click.Choice(list(FORMATS)),
              help="One or several.  [default: all that the profile has]")  # fmt: skip
@click.option("--mpi", default="", metavar="MPI", help="Only this one.  [default: all of the profile]")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@json_option
def export_command(name: str, to: Path, formats: tuple[str, ...], mpi: str, force: bool, as_json: bool) -> None:
    """Write a profile's settings for places without Rankwise.

    env: a script to source; modulefile: for Lmod and Environment Modules; mca: Open MPI's parameter file;
    sysctl: the hosts' kernel settings.
    """
    written = export(folders.find(name), to, formats, implementation=mpi, force=force)
    if as_json:
        echo_json(written)
    else:
        for path in written:
            click.echo(path)


@command.command(
    "verify",
    epilog="\b\nExamples:\n  rankwise profile verify wan\n"
    "  rankwise profile verify wan --mpi openmpi-5 --testbed local",
)
@name_argument
@click.option("--mpi", default="", metavar="MPI", help="Only this one.  [default: all of the profile]")
@click.option("--prefix", "prefixes", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
              help="Look for an MPI here too.")  # fmt: skip
@where_options
@json_option
def verify_command(
    name: str, mpi: str, prefixes: tuple[Path, ...], testbed: str, hostfile: Path | None, as_json: bool
) -> int:
    """Run each implementation with the profile, and ask it which values are in force and which algorithms ran.

    On the network that it was made for, if no other is named. Exit code 1 if something is not in force.
    """
    folder, screen = folders.find(name), Screen()
    profile = profile_file.read(folder).profile
    where = _where(profile, testbed, hostfile)
    chosen = _chosen(profile, mpi, prefixes, screen)
    found: list[Check] = []
    with screen.busy(f"bringing up {where.name}") as update, where:
        for part, implementation in chosen:
            update(f"running {implementation.id}")
            loaded, notices = profile_use.load(str(folder.resolve()), implementation, where.topology())
            for notice in notices:
                screen.say(f"warning: {notice.message}")
            found += verify(part, implementation, loaded, where)
    if as_json:
        echo_json(found)
    else:
        Console(highlight=False).print(tables.check_table(found))
    return EXIT_ANSWER_IS_NO if any(one.state == "not in force" for one in found) else EXIT_OK


def _where(profile: Profile, testbed: str, hostfile: Path | None) -> TestbedKind:
    if testbed or hostfile:
        return testbed_of(testbed, hostfile)
    return make(profile.topology) if profile.topology else LocalTestbed()


def _chosen(
    profile: Profile, mpi: str, prefixes: Sequence[Path], screen: Screen
) -> list[tuple[Part, Implementation]]:
    """The profile's parts with the installations for them that are here; or only those that were named."""
    with screen.busy("looking for MPI implementations") as update:
        here = installations(prefixes)
        meant = select.matching(mpi, here) if mpi else here
        pairs = [(part, one) for part in profile.parts for one in _installed(part, meant)]
        if not pairs and mpi:
            loading.part_for(profile, meant[0])  # says which it has
        if not pairs:
            has = ", ".join(part.implementation for part in profile.parts) or "no implementation"
            raise InputError(f"profile {profile.name} is for {has}, and none of that is here", "rankwise mpis")
        working, _ = select.working(
            [one.id for _, one in pairs], prefixes, lambda one: update(f"proving that {one} works")
        )
    for part in profile.parts:
        if not mpi and all(part is not one for one, _ in pairs):
            screen.say(f"warning: {part.implementation} is not installed here, and not verified")
    proved = {one.id: one for one in working}
    return [(part, proved[one.id]) for part, one in pairs]


def _installed(part: Part, here: Sequence[Implementation]) -> list[Implementation]:
    """Those of this id, else of the same family and version."""
    same = [one for one in here if (one.family, one.version) == (part.family, part.version)]
    return [one for one in same if one.id == part.implementation] or same
