"""`rankwise tune`: the settings that make each MPI fast on this network, as files that it loads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from rankwise.analysis.tune import application
from rankwise.analysis.tune.acceptance import Acceptance
from rankwise.analysis.tune.application import Application
from rankwise.analysis.tune.evidence import Rigour
from rankwise.cli.measuring_options import words
from rankwise.cli.options import DURATION, SIZE, SIZES, Parsed, echo_json, json_option, store_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import testbed_of, where_options
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Profile, Tuning
from rankwise.store.store import Store
from rankwise.testbed.base import TestbedKind
from rankwise.workflows import answer
from rankwise.workflows.tune.stages import COLLECTIVE_SIZES, COLLECTIVES, POINT_TO_POINT, Collective, Wish
from rankwise.workflows.tune.tuner import Tuner, TuneRequest, warnings

PLACEMENTS = ("block", "cyclic", "across-sites")


def _placements(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(text.split(",")))
    for one in found:
        if one not in PLACEMENTS:
            raise UnknownNameError("placement to tune for", one, PLACEMENTS)
    return found


def _ranks(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isdigit() and int(part) > 1 for part in parts):
        raise InputError(f"'{text}' is not a number of ranks", "write 4, or 4,8")
    return tuple(int(part) for part in parts)


@click.command(
    name="tune",
    epilog="\b\nExamples:\n"
    "  rankwise tune --testbed grid5000-2007-tuned mpich   ten minutes\n"
    "  rankwise tune --for p2p --time 5m openmpi        only between two ranks\n"
    "  rankwise tune --for bcast,allreduce -n 4,8 --time 30m --name wan\n"
    "  rankwise tune --for app.csv --name app           what an application does\n"
    "  rankwise run --profile wan -n 8 -- ./app         then: with what was found",
)
@click.argument("mpi", nargs=-1)
@click.option("--for", "wanted", multiple=True, metavar="WORDS",
              help="p2p, collectives, operations, knobs, or a file of what an application does.  "
              "[default: p2p,collectives]")  # fmt: skip
@click.option("-n", "ranks", type=Parsed("ranks", _ranks), default=(),
              help="Ranks that collectives are tuned for: 4, or 4,8.  [default: every slot]")  # fmt: skip
@click.option("--sizes", type=SIZES, default=COLLECTIVE_SIZES, show_default="64,4K,64K,1M",
              help="At which collectives are tried first.")  # fmt: skip
@click.option("--placement", "placements", type=Parsed("placements", _placements), default="block",
              show_default=True, metavar="WORDS",
              help="Of the ranks of collectives, one or several: block,cyclic,across-sites. What is chosen is "
              "slower in none.")  # fmt: skip
@click.option("--time", "budget", type=DURATION, default="10m", show_default=True, help="For all of it.")
@click.option("--name", default="", help="Of the profile.  [default: the testbed's]")
@click.option("--to", "parent", type=click.Path(file_okay=False, path_type=Path), default=Path("profiles"),
              show_default=True, help="The folder that it is written into.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a profile of the same name.")
@click.option("--eager-memory", type=SIZE, default="1G", show_default=True,
              help="What a rank may keep for eager messages of all others.")  # fmt: skip
@click.option("--delta", type=click.FloatRange(0, 1, min_open=True), default=0.05, show_default=True,
              help="A gain up to this share is not worth a setting.")  # fmt: skip
@click.option("--resume", type=click.IntRange(1), metavar="RUN", help="Go on with this interrupted search.")
@click.option("--prefix", "prefixes", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
              help="Look for an MPI here too.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="No progress, no messages.")
@where_options
@store_option
@json_option
def command(mpi: tuple[str, ...], store: Path, as_json: bool, **asked: Any) -> None:
    """Find settings that make MPI implementations fast on a network, prove them, and write them as a profile.

    Searched are TCP's buffers, the eager threshold and the algorithms of collectives. What is chosen is measured
    again on fresh launches beside the default: what is slower anywhere goes back to the default, and all of it
    does if nothing proves to be faster.
    """
    screen = Screen(quiet=asked["quiet"])
    testbed = testbed_of(asked["testbed"], asked["hostfile"])
    request = TuneRequest(
        command_line=answer.command_line(), name=asked["name"] or testbed.name, parent=asked["parent"],
        testbed=testbed, wish=_wish(testbed, asked, screen), time_budget_seconds=asked["budget"],
        implementations=mpi, prefixes=asked["prefixes"], force=asked["force"],
        earlier_runs=(asked["resume"],) if asked["resume"] else (),
    )  # fmt: skip
    with Store(store) as opened:
        profile, folder, accepted = Tuner(request, opened, screen).run()
    if as_json:
        echo_json({"profile": asdict(profile), "folder": folder, "notices": warnings(profile, accepted)})
        return
    _show(profile, accepted)
    for notice in warnings(profile, accepted):
        screen.say(f"warning: {notice.message}; {notice.remedy}")
    screen.say(f"\nprofile: {folder}   load it: rankwise run --profile {folder} -n 4 -- ./app")


def _wish(testbed: TestbedKind, asked: dict[str, Any], screen: Screen) -> Wish:
    """What `--for` names: knobs and operations for all ranks and sizes asked for, and what applications do."""
    groups = {"p2p": POINT_TO_POINT, "collectives": COLLECTIVES}
    ranks = asked["ranks"] or (max(sum(host.slots for host in testbed.hosts()), 2),)
    knobs: dict[str, None] = {}
    collectives: dict[tuple[str, int], Collective] = {}
    applications: list[Application] = []
    for word in words(asked["wanted"]) or tuple(groups):
        if "." in word or "/" in word:
            applications.append(_application(Path(word), screen))
            does = _collectives(applications[-1])
        elif word in (*groups, *POINT_TO_POINT, *COLLECTIVES):
            members = groups.get(word, (word,))
            knobs.update(dict.fromkeys(one for one in members if one in POINT_TO_POINT))
            does = [Collective(one, n, asked["sizes"]) for one in members if one in COLLECTIVES for n in ranks]
        else:
            raise UnknownNameError("thing to tune", word, (*groups, *POINT_TO_POINT, *COLLECTIVES))
        if any(one.operation == application.POINT_TO_POINT for one in does):
            knobs.update(dict.fromkeys(POINT_TO_POINT))
        collectives |= {(one.operation, one.ranks): one for one in does if one.operation in COLLECTIVES}
    return Wish(
        tuple(knobs), tuple(collectives.values()), asked["eager_memory"], Rigour(delta=asked["delta"]),
        asked["placements"], application.together(applications),
    )  # fmt: skip


def _application(path: Path, screen: Screen) -> Application:
    """What it does. Raises InputError for a file that cannot be read."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read: {error}", "give a CSV: operation,size_bytes,ranks,count"
        ) from error
    found = application.parse(text, str(path), (application.POINT_TO_POINT, *COLLECTIVES))
    for notice in found.notices:
        screen.say(f"warning: {notice.message}; {notice.remedy}")
    return found


def _collectives(found: Application) -> list[Collective]:
    """Its operations at its own ranks and sizes."""
    kinds = dict.fromkeys((use.operation, use.ranks) for use, _ in found.counts)
    return [Collective(operation, ranks, found.sizes_bytes(operation, ranks)) for operation, ranks in kinds]


def _choices(tuning: Tuning) -> int:
    return len(tuning.settings) + len(tuning.decisions) + len(tuning.host_settings)


def _show(profile: Profile, accepted: Mapping[str, Acceptance]) -> None:
    console = Console(highlight=False)
    weighted = any(one.gain.weighted for one in accepted.values())
    time = f"{'weighted ' if weighted else ''}time, tuned / default"
    table = Table("implementation", "choices", time, "cells", "worse", "launches", box=None)
    for part in profile.parts:
        gain = accepted[part.implementation].gain if part.implementation in accepted else None
        worse = sum(one.verdict == "slower" for one in part.verdicts)
        said = f"{gain.ratio:.2f} [{gain.ratio_low:.2f}, {gain.ratio_high:.2f}]" if gain else "–"
        table.add_row(
            part.implementation, str(_choices(part.tuning)), said,
            str(gain.cells if gain else 0), str(worse), f"{part.launches} of {part.exhaustive_launches}",
        )  # fmt: skip
    console.print(table)
    for part in profile.parts:
        for reason in part.reasons:
            console.print(f"• {part.implementation}, {reason.subject}: {reason.words}", markup=False)
