"""Schedules in the terminal: which there are, what one sends round by round, and what is wrong with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.core.units import format_size
from rankwise.schedules.generator import Algorithm
from rankwise.schedules.model import Network
from rankwise.schedules.prover import Proof
from rankwise.schedules.traffic import Shown

MOST_ROUNDS = 40
"""That the terminal shows."""


def list_parts(algorithms: Sequence[Algorithm]) -> Iterator[RenderableType]:
    """Yield a table of algorithms within 80 columns."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("algorithm", no_wrap=True)
    table.add_column("heeds")
    table.add_column("what it does", overflow="fold")
    for algorithm in algorithms:
        heeds = {
            "segment": algorithm.segmented,
            "fan-out": algorithm.fans,
            "lanes": algorithm.lanes,
            "sites": algorithm.for_networks,
        }
        what = algorithm.description + (" (commutative operations)" if algorithm.commutative_only else "")
        table.add_row(algorithm.id, ", ".join(name for name, so in heeds.items() if so), Text(what))
    yield table


def show_parts(shown: Shown) -> Iterator[RenderableType]:
    """Yield what a schedule sends, by level of links and by rounds, within 80 columns."""
    traffic, element = shown.traffic, shown.bytes_per_element
    yield Text.assemble((shown.title, "bold"), f" on {shown.problem.ranks} ranks: {shown.description}")
    yield Text(
        f"{traffic.rounds} rounds, {traffic.messages} messages, {format_size(traffic.elements * element)} in all; "
        f"a rank sends at most {format_size(traffic.most_sent * element)}\n"
    )
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("links")
    for name in ("messages", "bytes", "one after another"):
        table.add_column(name, justify="right")
    for level in traffic.levels:
        table.add_row(level.level, str(level.messages), format_size(level.elements * element), str(level.chain))
    yield table
    yield Text("\n".join(["", *_rounds(shown)]))


def rounds_of(shown: Shown) -> list[list[tuple[int, int, int]]]:
    """Return for each round its messages (sender, receiver, elements), in order."""
    rounds: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for (rank, at), number in sorted(shown.traffic.round_of.items()):
        step = shown.schedules[rank].steps[at]
        rounds[number].append((rank, step.peer, step.length))
    return [rounds[number] for number in range(shown.traffic.rounds)]


def _rounds(shown: Shown) -> Iterator[str]:
    """A line a round: 0→1 within a site, 0⇒8 between sites."""
    network = shown.problem.network or Network()
    rounds = rounds_of(shown)
    for number, messages in enumerate(rounds[:MOST_ROUNDS], 1):
        line = f"{number:4d}  "
        for sender, receiver, _ in messages:
            arrow = "⇒" if network.groups and network.link_level(sender, receiver) == 0 else "→"
            message = f"{sender}{arrow}{receiver} "
            if len(line) + len(message) > 78:
                yield line.rstrip()
                line = "      "
            line += message
        yield line.rstrip()
    if len(rounds) > MOST_ROUNDS:
        yield f"      ... and {len(rounds) - MOST_ROUNDS} more rounds"


def proof_parts(what: str, proof: Proof) -> Iterator[RenderableType]:
    """Yield whether a schedule is right, and where it is not."""
    if proof.right:
        yield Text.assemble(("right", "bold green"), f"  {what}")
        yield Text("every rank ends with the right data, and nothing can deadlock, however messages are buffered")
        return
    yield Text.assemble(("wrong", "bold red"), f"  {what}" + (", with MPI_IN_PLACE" if proof.in_place else ""))
    for fault in proof.faults:
        yield Text(f"  {fault}", overflow="fold")
