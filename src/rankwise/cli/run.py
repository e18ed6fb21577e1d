"""`rankwise run`: one job of the user's own, by any implementation, on any testbed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rankwise.bench.placement import place
from rankwise.cli.measuring_options import PassesThrough
from rankwise.cli.options import DURATION
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import testbed_of, where_options
from rankwise.core.errors import HostError, InputError
from rankwise.core.records import Implementation, Job
from rankwise.core.tuning import Loaded
from rankwise.mpi import select
from rankwise.mpi.family import FamilyLauncher
from rankwise.profiles import folders, loading
from rankwise.testbed.base import TestbedKind
from rankwise.workflows import profile_use
from rankwise.workflows.host_settings import applied_settings


@click.command(
    name="run",
    cls=PassesThrough,
    epilog="\b\nExamples:\n"
    "  rankwise run -n 4 -- ./app input.txt            with the MPI it was linked with\n"
    "  rankwise run -n 4 --testbed grid5000-2007 --mpi mpich -- ./app\n"
    "  rankwise run -n 8 --hostfile hosts --placement cyclic -- ./app\n"
    "  rankwise run -n 4 --testbed grid5000-2007 --profile wan -- ./app\n"
    "  rankwise run -n 2 --mpi openmpi --launcher '--mca btl tcp,self' -- ./app",
)
@click.option("-n", "ranks", type=click.IntRange(1), help="Ranks.  [default: every slot of the testbed]")
@click.option(
    "--mpi", default="", metavar="MPI", help="Start it with this one.  [default: the one it is linked with]"
)
@click.option("--placement", default="block", show_default=True, metavar="WORD|FILE",
              help="block, cyclic, one-per-node, across-sites, or a rankfile.")  # fmt: skip
@click.option("--launcher", default="", metavar="WORDS", help="Further words for mpiexec.")
@click.option("--limit", type=DURATION, default="24h", show_default=True, help="End a job that takes longer.")
@click.option("--prefix", "prefixes", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
              help="Look for an MPI here too.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Only what the program says.")
@profile_use.profile_options
@where_options
@click.pass_context
def command(context: click.Context, /, **asked: Any) -> int:
    """Run your own MPI program: what follows `--` is the program and its arguments.

    Its exit code is this command's; its input, output and errors go straight through.
    """
    program = _program(context.obj)
    screen = Screen(quiet=asked["quiet"])
    testbed = testbed_of(asked["testbed"], asked["hostfile"])
    implementation = _implementation(asked["mpi"], asked["prefixes"], Path(program[0]), screen)
    loaded = _loaded(implementation, testbed, asked, screen)
    job = _job(program, testbed, asked, loaded)
    with screen.busy(f"bringing up {testbed.name}"):
        testbed.up()
    try:
        steps = FamilyLauncher().steps(implementation, replace(job, remote_shell=testbed.remote_shell()))
        settings = applied_settings(testbed, loaded.host_settings)
        outcome = testbed.run(replace(steps, attached=True, settings=settings), job.hosts, asked["limit"])
    finally:
        testbed.down()
    if outcome.broken:
        raise HostError(f"the testbed broke down during the run: {outcome.broken}", "run it again")
    for notice in outcome.notices:
        screen.say(f"warning: {notice.message}")
    if outcome.timed_out:
        raise HostError(
            f"no end within {asked['limit']:.0f} s: ended with all its processes", "give a longer --limit"
        )
    if outcome.stderr and outcome.returncode:  # a step before the launcher failed, whose words nobody has seen
        screen.say(outcome.stderr.rstrip())
    return outcome.returncode


def _program(words: tuple[str, ...]) -> tuple[str, ...]:
    """The program with its full path: it is started in other folders, perhaps on other hosts."""
    if not words:
        raise InputError("no program was named", "put it behind `--`: rankwise run -n 4 -- ./app")
    found = shutil.which(words[0])
    if not found:
        raise InputError(f"there is no program {words[0]}", "is the path right, and is it executable?")
    return (str(Path(found).absolute()), *words[1:])


def _loaded(implementation: Implementation, testbed: TestbedKind, asked: dict[str, Any], screen: Screen) -> Loaded:
    """What the profile adds; what it cannot do here is said."""
    name, topology = asked["profile"], testbed.topology()
    ranks = asked["ranks"] or sum(host.slots for host in testbed.hosts())
    loaded, notices = profile_use.load(name, implementation, topology, ranks=ranks, force=asked["force"])
    for notice in notices:
        screen.say(f"warning: {notice.message}", whole=notice.kind == "edited-profile")
    left_out = loaded.host_settings and not applied_settings(testbed, loaded.host_settings)
    if left_out and not (topology is None and profile_use.host_settings_in_force(loaded.host_settings)):
        screen.say("warning: the profile's host settings are not applied to real hosts; to apply them there:")
        for line in loading.by_hand(folders.find(name), loaded.host_settings):
            screen.say(line, whole=True)
    return loaded


def _job(program: tuple[str, ...], testbed: TestbedKind, asked: dict[str, Any], loaded: Loaded) -> Job:
    hosts = testbed.hosts()
    ranks = asked["ranks"] or sum(host.slots for host in hosts)
    placed = place(asked["placement"], hosts, ranks)
    alone = not testbed.remote_shell()
    return Job(
        program, ranks, oversubscribed=testbed.oversubscribed(placed), hosts=() if alone else placed,
        environment=loaded.environment, files=loaded.files,
        launcher_arguments=(*loaded.arguments, *asked["launcher"].split()),
    )  # fmt: skip


def _implementation(name: str, prefixes: tuple[Path, ...], program: Path, screen: Screen) -> Implementation:
    with screen.busy("looking for MPI implementations") as update:
        found, _ = select.working(
            [name] if name else [], prefixes, lambda one: update(f"proving that {one} works")
        )
    meant = found if name else select.linked_with(program, found)
    if len(meant) == 1:
        return meant[0]
    known = ", ".join(one.id for one in (meant or found))
    if name:
        raise InputError(f"'{name}' could be any of {known}", "name one of them with --mpi")
    raise InputError(f"which MPI {program.name} was built with does not show", f"say --mpi, one of: {known}")
