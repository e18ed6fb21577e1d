"""Martinasso 2006: small patterns of messages that share network cards, in times of one message alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.analysis.fit.sharing_data import observed
from rankwise.analysis.fit.sharing_patterns import FLOW_BYTES, micro_patterns
from rankwise.core.flows import Flow, benchmark_of
from rankwise.studies import claims
from rankwise.studies.base import Claim, Effort, Page, Results, Row, Statement, Study, StudyRun, Table
from rankwise.studies.papers import citation, paper
from rankwise.studies.ranges import Range, at_least, at_most, between, every, over_launches

PAPER = paper("martinasso2006")
_ALONE = (Flow(0, 1, FLOW_BYTES),)
_PATTERNS = micro_patterns()
_INTO = ("0<-1->2", "0->1<-2")
_THROUGH, _ZIGZAG = "0->1->2", "zigzag of 3"
_NETWORKS = ("GigE/LAM", "GigE/MPICH", "Myrinet/MPICH-MX")
_NONE = "–"
CAVEATS = (
    "The testbed is emulated, at a tenth of the rate: 100 Mbit/s. That hosts of 2006 send and receive over one "
    "bus is a setting of the emulator (kappa = 1.25); measured is how today's MPIs and TCP share such hosts.",
    "The paper's times follow from its table of cuts, for equal flows that start together: 2 - 1/(1 + cut) for "
    "the flow that is cut in 0->1->2, 1 + cut for the outer flows of a zigzag. It has no cuts for more than two "
    "flows at one node.",
    "Times are those of receivers, medians of a launch's repetitions, then over launches; in brackets 95 % "
    "intervals. Below three launches nothing is decided.",
    "How well models predict random patterns of 30 flows is measured by benchmarks/prediction_accuracy.py; the "
    "paper's broadcasts between hosts of two processors (table 4) are not measured.",
)
Times = Mapping[str, tuple[Range, ...]]
"""By pattern, of each flow: its time in units of one flow alone."""


def page(results: Mapping[str, Results]) -> Page:
    """Return three statements on conflicts, and the times of all patterns beside the paper's cuts."""
    found = {
        name: _times(results["conflicts"], name)
        for one in results.values()
        for name in one.comparison.implementations
    }
    return Page((_together(found), _receiving(found), _zigzags(found)), (_table(found),), (), CAVEATS)


def _times(results: Results, implementation: str) -> Times:
    seen = observed(results.launches, implementation)
    if _ALONE not in seen:
        return {}
    alone = seen[_ALONE].seconds[0]
    return {
        name: tuple(over_launches(column / alone) for column in seen[pattern].launches.T)
        for name, pattern in _PATTERNS.items()
        if pattern in seen
    }


def _together(found: Mapping[str, Times]) -> Statement:
    claim = Claim(
        "together", "Two messages that leave one node together, or reach it together, each take twice as long.",
        "table 2",
    )  # fmt: skip
    verdicts, texts = {}, {}
    for name, own in found.items():
        times = [one for pattern in _INTO for one in own.get(pattern, ())]
        if times:
            verdicts[name] = every([between(one, 1.94, 2.06) for one in times])
            texts[name] = f"{name} ({', '.join(_in_units(one.value) for one in times)})"
    return claims.from_verdicts(claim, verdicts, texts)


def _receiving(found: Mapping[str, Times]) -> Statement:
    _, cut = PAPER["table2_flow_cuts"]["GigE/LAM"]["through"]
    slowed = _cut_through(cut)
    claim = Claim(
        "receiving-wins",
        "Where a node sends and receives at once over Gigabit Ethernet, receiving keeps its time and sending "
        f"takes {slowed:.3g} times as long.",
        "table 2",
    )
    verdicts, texts = {}, {}
    for name, own in found.items():
        if _THROUGH in own:
            into, out = own[_THROUGH]
            verdicts[name] = every([at_most(into, 1.1), at_least(out, (1 + slowed) / 2)])
            texts[name] = f"{name} ({_in_units(into.value)} and {_in_units(out.value)})"
    return claims.from_verdicts(claim, verdicts, texts)


def _zigzags(found: Mapping[str, Times]) -> Statement:
    outer = [_outer(network) for network in _NETWORKS[:2]]
    claim = Claim(
        "zigzag",
        f"In 0->1<-2->3 the outer messages take {outer[0]:.3g} (LAM) or {outer[1]:.3g} times as long (MPICH) over "
        "Gigabit Ethernet, the inner one twice.",
        "table 2",
    )
    verdicts, texts = {}, {}
    for name, own in found.items():
        if _ZIGZAG in own:
            first, inner, last = own[_ZIGZAG]
            most = (max(outer) + 2) / 2
            verdicts[name] = every([at_most(first, most), at_most(last, most), between(inner, 1.9, 2.1)])
            texts[name] = f"{name} ({', '.join(_in_units(one.value) for one in own[_ZIGZAG])})"
    return claims.from_verdicts(claim, verdicts, texts)


def _table(found: Mapping[str, Times]) -> Table:
    columns = (*found, *(f"{network}, 2006" for network in _NETWORKS))
    rows = []
    for pattern, flows in _PATTERNS.items():
        ours = [_cells(own.get(pattern, ())) for own in found.values()]
        theirs = [", ".join(map(_in_units, _published(network, pattern, len(flows)))) for network in _NETWORKS]
        rows.append(Row(pattern, (*ours, *(one or _NONE for one in theirs))))
    return Table(
        "Times of flows, in units of one alone", columns, tuple(rows),
        "Flows of 4 MiB in the pattern's order; of 2006 what the paper's table 2 of cuts gives.",
    )  # fmt: skip


def _published(network: str, pattern: str, flows: int) -> Sequence[float]:
    """What the paper's cuts give, where they say something."""
    if pattern in _INTO:
        return (2.0, 2.0)
    if pattern == _THROUGH:
        return [_cut_through(cut) for cut in PAPER["table2_flow_cuts"][network]["through"]]
    if pattern.startswith("zigzag"):
        return [_outer(network) if number % 2 == 0 else 2.0 for number in range(flows)]
    return ()


def _cut_through(cut: float) -> float:
    """The time of a flow that is cut until the other, of the same size, has ended."""
    return 2 - 1 / (1 + cut)


def _outer(network: str) -> float:
    """The time of the outer flows of a zigzag: their cut is the first of the column, `1/2, 2, ...`."""
    first = PAPER["table2_flow_cuts"][network]["out_or_in_second"].partition(",")[0]
    above, _, below = first.partition("/")
    return 1 + float(above) / float(below or 1)


def _cells(times: Sequence[Range]) -> str:
    return ", ".join(f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" for one in times) or _NONE


def _in_units(value: float) -> str:
    return f"{value:.2f}"


study = Study(
    name="martinasso2006",
    title="Concurrent messages that share a host's network card, 2006 and today",
    summary="small patterns of concurrent messages at one switch: how much longer each takes than alone",
    runs=(
        StudyRun(
            "conflicts", "patterns of two to five messages at one switch", "gige-2006",
            tuple(map(benchmark_of, (_ALONE, *_PATTERNS.values()))), full=Effort((0,), 6, 2400, 1e-3),
            quick=Effort((0,), 3, 1200, 1e-3), placement="block", ranks=6,
        ),
    ),
    page=page,
    citation=citation("martinasso2006"),
)  # fmt: skip
