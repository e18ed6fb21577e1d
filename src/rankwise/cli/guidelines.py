"""`rankwise guidelines`: is an MPI slower at an operation than at doing the same by other operations?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from rankwise.analysis.compare.variants import by_profile, variant
from rankwise.analysis.guidelines import findings, mending, rules
from rankwise.analysis.guidelines.checks import check
from rankwise.analysis.guidelines.findings import Finding
from rankwise.analysis.guidelines.mending import Remedy
from rankwise.cli import answering, measuring
from rankwise.cli.asking import LAYOUT_NAMES, NAMES, RANKS, PassesThrough, words
from rankwise.cli.options import DURATION, SIZES, echo_json, json_option, store_option
from rankwise.cli.screen import Screen
from rankwise.cli.where import testbed_of, where_options
from rankwise.core import errors
from rankwise.core.records import CellFailure, Implementation, Notice, Options
from rankwise.core.tuning import Decision, Native, Tuning
from rankwise.mpi import select
from rankwise.mpi.family import family_named
from rankwise.report import guidelines as report
from rankwise.store.store import Store

DEFAULT_SIZES = "8,1K,2K,32K,64K,512K,1M"
"""Pairs of which one is twice the other, so that split is checked at its strictest."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a run says about the guidelines."""

    run_id: int
    found: tuple[Finding, ...]
    remedies: dict[Finding, Remedy]
    natives: dict[Finding, Native]
    """How the implementation loads a remedy that is a choice of algorithm."""
    failures: tuple[CellFailure, ...]
    notices: tuple[Notice, ...]


@click.command(
    name="guidelines",
    cls=PassesThrough,
    epilog="\b\nExamples:\n"
    "  rankwise guidelines                       every MPI that works\n"
    "  rankwise guidelines openmpi -n 4 --bench allreduce,bcast --sizes 1K:1M:2\n"
    "  rankwise guidelines --testbed two-clusters --time 10m\n"
    "  rankwise guidelines --from 12             a stored run, of any verb, held to them\n"
    "  rankwise guidelines mpich --fail-on violation --json",
)
@click.argument("mpi", nargs=-1)
@click.option("--bench", multiple=True, metavar="NAMES",
              help=f"Operations, with commas: {', '.join(rules.operations())}.  [default: all]")  # fmt: skip
@click.option("--sizes", type=SIZES, default=DEFAULT_SIZES, show_default=True,
              help="Message sizes; split needs some of which one is a small multiple of another.")  # fmt: skip
@click.option("-n", "ranks", type=RANKS, default=(), help="Ranks: 4, or 2,4,8.  [default: every core]")
@click.option("--layout", type=LAYOUT_NAMES, default=",".join(rules.DERIVED_LAYOUTS), show_default=True,
              help="Derived datatypes to hold to pack + send + unpack.")  # fmt: skip
@click.option("--time", "budget", type=DURATION, default="3m", show_default=True, help="For the whole run.")
@click.option("--delta", type=click.FloatRange(0, 1), default=0.05, show_default=True,
              help="Being slower by up to this share is no violation.")  # fmt: skip
@click.option("--from", "stored", type=click.IntRange(1), metavar="RUN",
              help="Measure nothing: look at this stored run.")  # fmt: skip
@click.option("--resume", type=click.IntRange(1), metavar="RUN", help="Go on with a run that was interrupted.")
@click.option("--fail-on", type=click.Choice(["violation"]), help="Exit with 1 if any guideline is violated.")
@click.option("--placement", type=NAMES, default=(), metavar="WORDS|FILE",
              help="Where ranks go: block, cyclic, one-per-node, across-sites, or a rankfile.")  # fmt: skip
@click.option("--prefix", "prefixes", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
              help="Look for an MPI here too.")  # fmt: skip
@click.option("--limit", type=DURATION, default="120s", show_default=True, help="End a launch that takes longer.")
@click.option("--seed", type=int, help="Of the order of launches and cells, to repeat a plan.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, no messages.")
@where_options
@store_option
@json_option
@click.pass_context
def command(context: click.Context, /, mpi: tuple[str, ...], store: Path, as_json: bool, **asked: Any) -> int:
    """Hold each MPI to its own measure: no operation should be slower than what does the same by others.

    Allreduce against reduce and then bcast, a datatype against packing by hand, a message against its halves, and
    so on. A violation is told with its size, its interval, and what mends it; it has passed a rank test on
    launches that is corrected for the number of checks.
    """
    screen = Screen(quiet=asked["quiet"])
    with Store(store) as opened:
        run_id = _run(opened, mpi, context.obj, asked, screen)
        answer = _answer(opened, run_id, mpi if asked["stored"] else (), asked["delta"])
    if not answer.found:
        raise errors.InputError(
            f"run {run_id} has nothing that a guideline speaks of",
            f"it takes an operation and its mock-up, or an operation at several sizes: rankwise show {run_id}",
        )
    if as_json:
        echo_json(_as_json(answer, asked["delta"]))
    else:
        _show(answer)
        screen.say(f"\nrun: {run_id}")
    violated = any(one.word == "violated" for one in answer.found)
    return errors.EXIT_ANSWER_IS_NO if asked["fail_on"] and violated else errors.EXIT_OK


def _run(
    store: Store, mpi: tuple[str, ...], launcher_arguments: tuple[str, ...], asked: dict[str, Any], screen: Screen
) -> int:
    """The run to look at, measured now unless it is stored."""
    if asked["stored"] and asked["resume"]:
        raise errors.InputError("--from measures nothing, --resume goes on measuring", "give one of them")
    if asked["stored"]:
        return store.run(asked["stored"]).id
    if asked["resume"]:
        measuring.resume(asked["resume"], store, screen)
        return int(asked["resume"])
    return measuring.measure(_request(mpi, launcher_arguments, asked), store, screen)


def _request(
    mpi: tuple[str, ...], launcher_arguments: tuple[str, ...], asked: dict[str, Any]
) -> measuring.Request:
    operations = words(asked["bench"])
    for name in operations:
        if name not in rules.operations():
            raise errors.UnknownNameError("operation with a guideline", name, rules.operations())
    testbed = testbed_of(asked["testbed"], asked["hostfile"])
    slots = sum(host.slots for host in testbed.hosts())
    guidelines = rules.chosen(operations)
    layouts = asked["layout"] if any(one.layouts != rules.CONTIGUOUS for one in guidelines) else ()
    return measuring.Request(
        command_line=answering.command_line(), benchmarks=rules.benchmarks(guidelines),
        sizes_bytes=asked["sizes"], time_budget_seconds=asked["budget"], implementations=mpi,
        prefixes=asked["prefixes"], ranks=asked["ranks"] or (max(2, slots),),
        options=tuple(Options(layout=one) for one in dict.fromkeys((*rules.CONTIGUOUS, *layouts))),
        seed=asked["seed"], launch_limit_seconds=asked["limit"], launcher_arguments=launcher_arguments,
        testbed=testbed, placements=asked["placement"], wanted=rules.is_needed,
    )  # fmt: skip


def _answer(store: Store, run_id: int, only: Sequence[str], delta: float) -> _Answer:
    launches = by_profile(store.launches(run_id))
    benchmarks = {one.name: one for one in store.benchmarks(run_id)}
    failures = store.failures(run_id)
    found = every = findings.findings(check(launches, benchmarks, delta=delta, failures=failures))
    known = _variants(store, run_id)
    if only:
        meant = {one.id for name in only for one in select.matching(name, store.implementations(run_id))}
        found = tuple(one for one in every if known[one.implementation].id in meant)
    remedies = _remedies(found, known, store.run(run_id).testbed)
    return _Answer(
        run_id, found, remedies, _natives(remedies, known),
        (*failures, *(one for launch in launches for one in launch.failures)),
        (*store.notices(run_id), *findings.notices(every)),
    )  # fmt: skip


def _variants(store: Store, run_id: int) -> dict[str, Implementation]:
    """What each implementation is called in the findings, with each profile that it was measured with."""
    profiles = {cell.profile for cell in store.plan(run_id).cells}
    return {variant(one.id, profile): one for one in store.implementations(run_id) for profile in profiles}


def _remedies(
    found: Sequence[Finding], known: Mapping[str, Implementation], testbed: str
) -> dict[Finding, Remedy]:
    violated = [one for one in found if one.word == "violated"]
    offered = {name: _algorithms(known[name]) for name in dict.fromkeys(one.implementation for one in violated)}
    return {one: mending.remedy(one, offered[one.implementation], testbed) for one in violated}


def _algorithms(implementation: Implementation) -> mending.Algorithms:
    """None for an implementation of a stored run that is not on this host, or of a family that is not."""
    try:
        return family_named(implementation.family).algorithms(implementation)
    except (errors.HostError, errors.InputError):
        return {}


def _natives(remedies: Mapping[Finding, Remedy], known: Mapping[str, Implementation]) -> dict[Finding, Native]:
    found = {one: _native(known[one.implementation], remedy.decision) for one, remedy in remedies.items()}
    return {one: native for one, native in found.items() if native is not None}


def _native(implementation: Implementation, decision: Decision | None) -> Native | None:
    if decision is None:
        return None
    try:
        return family_named(implementation.family).native(implementation, Tuning(decisions=(decision,)))
    except (errors.HostError, errors.InputError):
        return None


def _show(answer: _Answer) -> None:
    console = Console(highlight=False)
    for sentence in findings.sentences(answer.found):
        console.print(f"• {sentence}", markup=False)
    mends = {one: _lines(remedy, answer.natives.get(one)) for one, remedy in answer.remedies.items()}
    for part in report.parts(answer.found, mends):
        console.print()
        console.print(part)
    for notice in answer.notices:
        console.print(f"\nwarning: {notice.message}; {notice.remedy}", markup=False)
    for name, reason in dict.fromkeys((one.cell.implementation, one.reason) for one in answer.failures):
        console.print(f"\nwithout result on {name}: {reason}", markup=False)


def _lines(remedy: Remedy, native: Native | None) -> list[str]:
    """The remedy for people: what to do, the variables that load it where they are all it takes, and the tuner."""
    loads: list[str] = []
    if native is not None and not native.files:
        loads = [*(f"{name}={value}" for name, value in native.environment), " ".join(native.arguments)]
    return list(filter(None, (remedy.words, *loads, remedy.tuned_by)))


def _as_json(answer: _Answer, delta: float) -> dict[str, Any]:
    """The answer for machines: the keys are a promise."""
    return {
        "run": answer.run_id,
        "delta": delta,
        "findings": [_finding(one, answer) for one in answer.found],
        "failed": [{"cell": asdict(one.cell), "kind": one.kind, "reason": one.reason} for one in answer.failures],
        "notices": [asdict(one) for one in answer.notices],
    }


def _finding(finding: Finding, answer: _Answer) -> dict[str, Any]:
    remedy = answer.remedies.get(finding)
    native = answer.natives.get(finding)
    return {
        **asdict(finding),
        "sources": rules.sources(finding.guideline),
        "remedy": remedy.words if remedy else None,
        "tuned_by": remedy.tuned_by if remedy else None,
        "decision": asdict(remedy.decision) if remedy and remedy.decision else None,
        "native": asdict(native) if native else None,
    }
