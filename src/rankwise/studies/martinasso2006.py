"""Martinasso 2006: messages that share network cards: small patterns, and how well larger ones are predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankwise.analysis.fit.accuracy import MODELS, accuracy, fit_one_switch
from rankwise.analysis.fit.sharing_data import dropped_packets, observed
from rankwise.analysis.fit.sharing_patterns import (
    FLOW_BYTES,
    alone_patterns,
    late_patterns,
    micro_patterns,
    random_pattern,
)
from rankwise.analysis.fit.simulated import simulated
from rankwise.core.errors import HostError
from rankwise.core.flows import Flow, benchmark_of, ranks_of
from rankwise.studies import claims
from rankwise.studies.application_figures import NUMBER
from rankwise.studies.base import (
    Application,
    Applications,
    Claim,
    Effort,
    Page,
    Results,
    Row,
    Statement,
    Study,
    StudyRun,
    Table,
)
from rankwise.studies.gains import gain_table
from rankwise.studies.papers import citation, paper
from rankwise.studies.pingpong import best_curves
from rankwise.studies.ranges import Range, at_least, at_most, between, every, over_launches

PAPER = paper("martinasso2006")
_ALONE = (Flow(0, 1, FLOW_BYTES),)
_PATTERNS = micro_patterns()
_INTO = ("0<-1->2", "0->1<-2")
_THROUGH, _ZIGZAG = "0->1->2", "zigzag of 3"
_NETWORKS = ("GigE/LAM", "GigE/MPICH", "Myrinet/MPICH-MX")
_SINGLE_BYTES = (1, FLOW_BYTES)
_RANDOM = tuple(random_pattern(seed, 30) for seed in range(1, 4))
"""As in its section 5: 30 flows, two at each of 30 nodes."""
_MODEL_NAMES = {
    "queues": "queues with a host bus (ours)", "alpha-fair": "alpha-fair with a host bus (ours)",
    "max-min": "max-min with a host bus",
    "flow-cuts": "flow cuts (the paper's model)", "none": "no contention",
}  # fmt: skip
_NONE = "–"
CAVEATS = (
    "The testbed is emulated, at a tenth of the rate: 100 Mbit/s. That hosts of 2006 send and receive over one "
    "bus is a setting of the emulator (kappa = 1.25); measured is how today's MPIs and TCP share such hosts.",
    "The paper's times follow from its table of cuts, for equal flows that start together: 2 - 1/(1 + cut) for "
    "the flow that is cut in 0->1->2, 1 + cut for the outer flows of a zigzag. It has no cuts for more than two "
    "flows at one node.",
    "Times are those of receivers, medians of a launch's repetitions, then over launches; in brackets 95 % "
    "intervals. Below three launches nothing is decided.",
    "Models are fitted to the small patterns alone. The paper's random patterns are not published; those here are "
    "others of the same style.",
    "The paper's broadcasts (table 4) are not measured: which placements of 8 processes on 4 hosts of two "
    "processors it calls A and B is not known here.",
)
_HOSTS = tuple(f"cluster-{number}" for number in range(1, 9))
MAPPING = StudyRun(
    "mapping", "CG on 8 hosts of two processors, ranks in turn and as mapped", "gige-2006", (),
    Effort((), 6, 1200, 0.0, 300), None, "hosts=" + "+".join((*_HOSTS, *_HOSTS)), 16, nodes=_HOSTS,
    further=("mapping by time",),
    applications=Applications(
        (Application("cg", "A", computing_seconds=(0.0,)),), (("seconds", rf'"app": "cg".*?"seconds": {NUMBER}'),),
        no_compute=True,
    ),
)  # fmt: skip
"""The paper's future work: its model, applied to what a program was seen to send."""
_MAPPED_TITLE = "What CG gains where its ranks are mapped by the predicted time"
_MAPPED_NOTE = (
    "The kernel of the NAS benchmarks on 16 ranks, recorded and mapped by the time that its communication is "
    "predicted to take with contention, on the network as it is described. It sends its messages without "
    "computing; as it is, ranks are dealt to the hosts in turn, two to each."
)
Times = Mapping[str, tuple[Range, ...]]
"""By pattern, of each flow: its time in units of one flow alone."""


def page(results: Mapping[str, Results]) -> Page:
    """Return three statements on conflicts, and the paper's tables of messages, cuts and errors beside ours."""
    names = list(dict.fromkeys(name for run_results in results.values() for name in run_results.implementations))
    conflicts = results.get("conflicts")
    by_name = {name: _times(conflicts, name) if conflicts else {} for name in names}
    tables = [_table(by_name)]
    if "single" in results:
        tables.insert(0, _single(results["single"], names))
    if conflicts and "random" in results:
        tables.append(_errors(conflicts, results["random"], names))
    tables += gain_table(_MAPPED_TITLE, MAPPING, results.get(MAPPING.label), {"CG": "seconds"}, _MAPPED_NOTE)
    return Page((_together(by_name), _receiving(by_name), _zigzags(by_name)), tuple(tables), (), CAVEATS)


def _single(results: Results, names: Sequence[str]) -> Table:
    """The paper's table 1."""
    curves = {
        name: {point.size_bytes: point.seconds for point in curve} for name, curve in best_curves(results).items()
    }
    known = [curves.get(name, {}) for name in names]
    small, large = _SINGLE_BYTES
    latencies = [_cells((own[small].scaled(1e6),)) if small in own else _NONE for own in known]
    rates = [_cells((own[large].inverted(large / 1e6),)) if large in own else _NONE for own in known]
    theirs = [PAPER["table1"][network] for network in _NETWORKS]
    return Table(
        "One message at a time", (*names, *(f"{network}, 2006" for network in _NETWORKS)),
        (
            Row("latency in us", (*latencies, *(f"{stated['L_us']:g}" for stated in theirs))),
            Row("bandwidth in MB/s", (*rates, *(f"{stated['bw_MBps']:g}" for stated in theirs))),
        ),
        "Best of a launch, of 1 byte and of 4 MiB; of 2006 the paper's table 1. The network here has a tenth of "
        "the rate of Gigabit Ethernet, 12.5 MB/s.",
    )  # fmt: skip


def _errors(conflicts: Results, random: Results, names: Sequence[str]) -> Table:
    """How far each model is off in patterns that its fit has not seen, beside what the paper reports."""
    by_name, why = {}, []
    for name in names:
        try:
            by_name[name] = _errors_of(conflicts, random, name)
        except HostError as error:
            why.append(f" {name}: {error}.")
    rows = []
    for model in MODELS:
        ours = [by_name.get(name, {}).get(model, _NONE) for name in names]
        theirs = [_published_error(network) if model == "flow-cuts" else _NONE for network in _NETWORKS]
        rows.append(Row(_MODEL_NAMES[model], (*ours, *theirs)))
    return Table(
        "Errors of predicted times of flows in random patterns",
        (*names, *(f"{network}, 2006" for network in _NETWORKS)), tuple(rows),
        "Mean and worst absolute error over the flows of 30 at a time; models are fitted to the small patterns."
        + "".join(why),
    )  # fmt: skip


def _errors_of(conflicts: Results, random: Results, name: str) -> Mapping[str, str]:
    """By model. Raises HostError for patterns that were not measured, or that no model explains."""
    unseen = [
        observation for pattern, observation in observed(random.launches, name).items() if pattern in _RANDOM
    ]
    if not unseen:
        return {}
    seen = observed(conflicts.launches, name)
    fit = fit_one_switch(seen, simulated, dropped_packets((*conflicts.launches, *random.launches)))
    nodes = tuple(f"n{number}" for number in range(max(ranks_of(observation.pattern) for observation in unseen)))
    platform = replace(fit.platform, sites=(replace(fit.platform.sites[0], nodes=nodes),))
    errors = {model: accuracy(platform, model, unseen, simulated) for model in MODELS}
    return {model: f"{100 * error.mean:.1f} %, worst {100 * error.worst:.1f} %" for model, error in errors.items()}


def _published_error(network: str) -> str:
    mean, worst = (PAPER[f"pattern_{which}_abs_error_percent"][network] for which in ("mean", "worst"))
    return f"{mean:g} %, worst {worst:g} %"


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


def _together(by_name: Mapping[str, Times]) -> Statement:
    claim = Claim(
        "together", "Two messages that leave one node together, or reach it together, each take twice as long.",
        "table 2",
    )  # fmt: skip
    verdicts, texts = {}, {}
    for name, own in by_name.items():
        times = [estimate for pattern in _INTO for estimate in own.get(pattern, ())]
        if times:
            verdicts[name] = every([between(estimate, 1.94, 2.06) for estimate in times])
            texts[name] = f"{name} ({', '.join(_in_units(estimate.value) for estimate in times)})"
    return claims.from_verdicts(claim, verdicts, texts)


def _receiving(by_name: Mapping[str, Times]) -> Statement:
    _, cut = PAPER["table2_flow_cuts"]["GigE/LAM"]["through"]
    slowed = _cut_through(cut)
    claim = Claim(
        "receiving-wins",
        "Where a node sends and receives at once over Gigabit Ethernet, receiving keeps its time and sending "
        f"takes {slowed:.3g} times as long.",
        "table 2",
    )
    verdicts, texts = {}, {}
    for name, own in by_name.items():
        if _THROUGH in own:
            into, out = own[_THROUGH]
            verdicts[name] = every([at_most(into, 1.1), at_least(out, (1 + slowed) / 2)])
            texts[name] = f"{name} ({_in_units(into.value)} and {_in_units(out.value)})"
    return claims.from_verdicts(claim, verdicts, texts)


def _zigzags(by_name: Mapping[str, Times]) -> Statement:
    outer = [_outer(network) for network in _NETWORKS[:2]]
    claim = Claim(
        "zigzag",
        f"In 0->1<-2->3 the outer messages take {outer[0]:.3g} (LAM) or {outer[1]:.3g} times as long (MPICH) over "
        "Gigabit Ethernet, the inner one twice.",
        "table 2",
    )
    verdicts, texts = {}, {}
    for name, own in by_name.items():
        if _ZIGZAG in own:
            first, inner, last = own[_ZIGZAG]
            most = (max(outer) + 2) / 2
            verdicts[name] = every([at_most(first, most), at_most(last, most), between(inner, 1.9, 2.1)])
            texts[name] = f"{name} ({', '.join(_in_units(estimate.value) for estimate in own[_ZIGZAG])})"
    return claims.from_verdicts(claim, verdicts, texts)


def _table(by_name: Mapping[str, Times]) -> Table:
    columns = (*by_name, *(f"{network}, 2006" for network in _NETWORKS))
    rows = []
    for pattern, flows in _PATTERNS.items():
        ours = [_cells(own.get(pattern, ())) for own in by_name.values()]
        theirs = [", ".join(map(_in_units, _published(network, pattern, len(flows)))) for network in _NETWORKS]
        rows.append(Row(pattern, (*ours, *(text or _NONE for text in theirs))))
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
    return (
        ", ".join(f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]" for estimate in times) or _NONE
    )


def _in_units(value: float) -> str:
    return f"{value:.2f}"


study = Study(
    name="martinasso2006",
    title="Concurrent messages that share a host's network card, 2006 and today",
    summary="concurrent messages at one switch: how much longer each takes than alone, and how far that is known",
    runs=(
        StudyRun(
            "single", "one message at a time", "gige-2006", ("pingpong",),
            full=Effort(_SINGLE_BYTES, 6, 300, 0.3), quick=Effort(_SINGLE_BYTES, 3, 150, 0.3), placement="block",
        ),
        StudyRun(
            "conflicts", "patterns of one to five messages at one switch", "gige-2006",
            tuple(map(benchmark_of, (
                *alone_patterns().values(), *_PATTERNS.values(), *late_patterns().values(),
            ))), full=Effort((0,), 6, 3000, 1e-3), quick=Effort((0,), 3, 1500, 1e-3), placement="block", ranks=6,
        ),
        StudyRun(
            "random", "random patterns of 30 messages, two at each node", "gige-2006",
            tuple(map(benchmark_of, _RANDOM)), full=Effort((0,), 6, 1800, 1e-3),
            quick=Effort((0,), 3, 900, 1e-3), placement="block", ranks=30,
        ),
        MAPPING,
    ),
    page=page,
    citation=citation("martinasso2006"),
)  # fmt: skip
