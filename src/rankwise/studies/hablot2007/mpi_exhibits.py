"""Table 5, what tuning each MPI set and gained, how near that comes to raw TCP, and figure 7."""

from __future__ import annotations

import math

from rankwise.core.tuning import Knob, Part
from rankwise.core.units import exact_size, format_size, whole_number
from rankwise.profiles import words
from rankwise.report.colours import styles_for
from rankwise.studies import claims, wording
from rankwise.studies.base import TCP, Chart, Row, Table
from rankwise.studies.charts import PaperLine, bandwidth_figure
from rankwise.studies.hablot2007.findings import MPI_NETS, Findings
from rankwise.studies.hablot2007.mpi_statements import AIM_SHARE, AIM_TIME, in_dip, shares_of_tcp
from rankwise.studies.hablot2007.plan import DIP, GRID_MPI, LARGE, MIB, THRESHOLD, TUNED
from rankwise.studies.hablot2007.published import PAPER, ancestor, ancestors
from rankwise.studies.ranges import Range

_NONE = "–"
_AS_IT_WAS = "as it was"
_MBIT = 1e6
_HANDSHAKE = 0.5
"""Of a round trip more than TCP: who never takes so much longer waits for no receiver."""
_SEEN_UP_TO_BYTES = 4 * MIB
"""Above, a little less bandwidth takes as long as a round trip."""


def mpi_tables(findings: Findings) -> tuple[Table, ...]:
    """Return the paper's table 5, and what stands behind ours."""
    return (_table_5(findings), _gains(findings), _beside_tcp(findings))


def figure_7(findings: Findings) -> Chart:
    """Draw bandwidth in the grid after TCP and MPI tuning."""
    most = PAPER["bandwidth_Mbps"]["grid_tcp_tuned_max"]
    line = PaperLine(most * _MBIT, f"2007: all but Open MPI as TCP, ≈ {most} Mbit/s")
    figure = bandwidth_figure(findings.curves[GRID_MPI], styles_for(findings.implementations), [line])
    note = "The paper's figure 7: each MPI with the profile that was made for it in this network, beside raw TCP."
    return Chart("figure-7", "In the grid, TCP and MPI tuned", figure, note)


def _table_5(findings: Findings) -> Table:
    published = PAPER["table5_eager_threshold_bytes"]
    rows = []
    for name in findings.implementations:
        ours = (_original(findings, name), *(_chosen(findings, net, name) for net in MPI_NETS))
        theirs = [_size(size) for size in published.get(ancestor(name), ())] or [_NONE] * 3
        rows.append(Row(name, (*ours, *theirs), name))
    rows += [
        Row(name, (*[_NONE] * 3, *map(_size, sizes)))
        for name, sizes in published.items()
        if name not in ancestors()
    ]
    return Table(
        "Up to which size messages go eagerly",
        ("original", "Cluster", "Grid", "2007 original", "2007 cluster", "2007 grid"), tuple(rows),
        "The paper's table 5. Original: as the installation reports; where it chooses for itself, with where the "
        "ping-pong of the grid jumps. Cluster, grid: what `rankwise tune` chose there, the smallest threshold "
        "that is as good as any, for receivers that are early and late; the paper had early ones only. "
        f"“{_AS_IT_WAS}”: no other was significantly better. ∞: no rendezvous.",
    )  # fmt: skip


def _size(size_bytes: float) -> str:
    return "∞" if math.isinf(size_bytes) else format_size(size_bytes)


def _original(findings: Findings, name: str) -> str:
    knob = _threshold_knob(findings, name)
    if knob is None or not knob.default:
        return _NONE
    number = whole_number(knob.default)
    if number is not None:
        return exact_size(number)
    seen = [
        f"{format_size(jump.below_bytes)} – {format_size(jump.at_bytes)}"
        for jump in claims.jumps(findings.results.get(TUNED), name)
    ]
    return f"{knob.default} ({'; '.join(seen) or 'no jump seen'})"


def _threshold_knob(findings: Findings, name: str) -> Knob | None:
    known = (
        knob for net in MPI_NETS if net in findings.results for knob in findings.results[net].knobs.get(name, ())
    )
    return next((knob for knob in known if knob.name == THRESHOLD), None)


def _part(findings: Findings, net: str, name: str) -> Part | None:
    results = findings.results.get(net)
    profile = results.profile if results else None
    return next((part for part in profile.parts if part.implementation == name), None) if profile else None


def _chosen(findings: Findings, net: str, name: str) -> str:
    """The threshold; a transport that was chosen may have none."""
    part = _part(findings, net, name)
    if part is None:
        return _NONE
    settings = {setting.knob: setting for setting in part.tuning.settings}
    if THRESHOLD in settings:
        return words.value_words(settings[THRESHOLD])
    if "transport" not in settings:
        return _AS_IT_WAS
    transport = settings["transport"].value
    return f"{'eager everywhere' if _no_handshake(findings, net, name) else 'its own'} ({transport})"


def _no_handshake(findings: Findings, net: str, name: str) -> bool:
    """At no size does this MPI take so much longer than TCP that it could have waited for the receiver."""
    tcp = {point.size_bytes: point.seconds.value for point in findings.curves[net].get(TCP, ())}
    own = findings.curves[net].get(name, ())
    if not tcp or not own:
        return False
    allowed = _HANDSHAKE * 2 * min(tcp.values())
    seen = [point for point in own if point.size_bytes in tcp and point.size_bytes <= _SEEN_UP_TO_BYTES]
    return all(point.seconds.value - tcp[point.size_bytes] < allowed for point in seen)


def _gains(findings: Findings) -> Table:
    rows = []
    for name in findings.implementations:
        cells: list[str] = []
        for net in MPI_NETS:
            part = _part(findings, net, name)
            cells += [_set(part), _gain(part)] if part else [_NONE, _NONE]
        rows.append(Row(name, tuple(cells), name))
    return Table(
        "What tuning set, and what that gained on fresh launches",
        ("Cluster", "gain", "Grid", "gain"), tuple(rows),
        "Default against tuned, measured interleaved after the search, at sizes that the search had not used; "
        "what is slower anywhere goes back to the default. Why each setting was chosen, and what it costs: "
        f"{' and '.join(f'`rankwise profile show hablot2007-{net}`' for net in MPI_NETS)}.",
    )  # fmt: skip


def _set(part: Part) -> str:
    said = [f"{setting.knob} {words.value_words(setting)}" for setting in part.tuning.settings]
    return ", ".join(said) or "nothing"


def _gain(part: Part) -> str:
    gain = words.gain(part.verdicts)
    if not gain.cells:
        return _NONE
    parts = filter(None, (words.faster_words(gain), words.slower_words(gain)))
    return f"time × {gain.ratio:.3g}; {', '.join(parts)}"


def _beside_tcp(findings: Findings) -> Table:
    rows = []
    for name in findings.implementations:
        times = findings.over_tcp[GRID_MPI].get(name, {})
        shares, dip = shares_of_tcp(times), in_dip(times)
        cells = [_percent(shares.get(size)) for size in LARGE]
        worst = max(dip, key=lambda size: dip[size].value, default=None)
        cells.append(
            f"{wording.with_interval(dip[worst], lambda value: f'{value:.3f} times')} at {format_size(worst)}"
            if worst else _NONE
        )  # fmt: skip
        rows.append(Row(name, tuple(cells), name))
    dip_words = f"{format_size(DIP[0])} – {format_size(DIP[1])}"
    return Table(
        "In the grid, TCP and MPI tuned: how near each MPI comes to raw TCP",
        (*(f"bandwidth at {format_size(size)}" for size in LARGE), f"most time, {dip_words}"), tuple(rows),
        f"Raw TCP of the same run is 100 %, and 1. Aims: at least {AIM_SHARE:.0%} of its bandwidth, and at most "
        f"{AIM_TIME:g} times its time.",
    )  # fmt: skip


def _percent(share: Range | None) -> str:
    return wording.with_interval(share, lambda value: f"{100 * value:.1f} %") if share else _NONE
