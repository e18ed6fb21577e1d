"""The picture of a schedule: a line a rank, time in rounds downwards, an arrow a message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from rankwise.schedules.model import Network
from rankwise.schedules.traffic import Shown

_COLUMN, _ROW, _MARGIN, _HEAD = 34, 30, 24, 46
_SITE_GAP = 26
_MOST_ARROWS = 20_000
_STYLE = (
    "<style>"
    ".rw-t{font:12px var(--sans,system-ui,sans-serif);fill:var(--ink,light-dark(#18202b,#e9edf2))}"
    ".rw-r{stroke:var(--hair,light-dark(#c4cad2,#3c4654));stroke-width:1}"
    ".rw-a{stroke:var(--accent,light-dark(#00609a,#6cb8f2));stroke-width:1.6;fill:none}"
    ".rw-w{stroke:var(--warm,light-dark(#b34700,#ff9a5c));stroke-width:2.4;fill:none}"
    "</style>"
)
"""Within a report its colours win, and its choice of light or dark."""


def schedule_svg(shown: Shown, *, alone: bool = False) -> str:
    """Return the schedule as an SVG element; messages between sites are thicker, and of a colour of their own.

    `alone`: a file of its own, which follows the theme of whoever opens it.
    """
    problem, traffic = shown.problem, shown.traffic
    network = problem.network or Network()
    across = _columns(problem.ranks, network)
    width, height = across[-1] + _MARGIN, _HEAD + traffic.rounds * _ROW + _MARGIN
    theme = ' style="color-scheme:light dark"' if alone else ""
    summary = f"{shown.title} on {problem.ranks} ranks: {traffic.rounds} rounds, {traffic.messages} messages"
    parts = [*_ranks(across, height), *_arrows(across, shown, network)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}"{theme}><title>{escape(summary)}</title>{_STYLE}'
        '<defs><marker id="rw-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" '
        'fill="context-stroke"/></marker></defs>'
        f'<text class="rw-t" x="{_MARGIN - 8}" y="16">{escape(summary)}</text>{"".join(parts)}</svg>'
    )


def _columns(ranks: int, network: Network) -> list[int]:
    """Where each rank's line is: sites are apart."""
    sites = network.groups[0] if network.groups else (0,) * ranks
    positions, at = [], _MARGIN
    for rank in range(ranks):
        at += (_SITE_GAP if rank and sites[rank] != sites[rank - 1] else 0) + (_COLUMN if rank else 0)
        positions.append(at)
    return positions


def _ranks(across: Sequence[int], height: int) -> Iterator[str]:
    for rank, x in enumerate(across):
        yield f'<text class="rw-t" text-anchor="middle" x="{x}" y="{_HEAD - 8}">{rank}</text>'
        yield f'<line class="rw-r" x1="{x}" y1="{_HEAD}" x2="{x}" y2="{height - _MARGIN + 8}"/>'


def _arrows(across: Sequence[int], shown: Shown, network: Network) -> Iterator[str]:
    for (rank, at), number in list(shown.traffic.round_of.items())[:_MOST_ARROWS]:
        peer = shown.schedules[rank].steps[at].peer
        far = bool(network.groups) and network.link_level(rank, peer) == 0
        top = _HEAD + number * _ROW
        yield (
            f'<line class="rw-{"w" if far else "a"}" marker-end="url(#rw-head)" '
            f'x1="{across[rank]}" y1="{top + 4}" x2="{across[peer]}" y2="{top + _ROW - 4}"/>'
        )
