"""Profiles in the terminal: what is there, what one does and gains, how two differ, what is in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Group as Renderables
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rankwise.core.host_settings import setting
from rankwise.core.tuning import Part, Profile, Reason
from rankwise.profiles import words
from rankwise.profiles.checking import Check, State
from rankwise.profiles.differences import Difference

_LONG = 40
"""Characters that a cell may have."""
_COLOURS: dict[State, str] = {"in force": "green", "not in force": "red", "cannot be read back": "yellow"}


def profile_list(profiles: Mapping[str, Profile]) -> RenderableType:
    """Return one line a profile and implementation."""
    table = _table("profile", "made on", "implementation", "gain on fresh launches")
    table.columns[2].no_wrap = True
    for name, profile in profiles.items():
        label, testbed = name, profile.testbed
        for part in profile.parts:
            table.add_row(label, testbed, part.implementation, words.gain_of_part(part))
            label = testbed = ""
        if not profile.parts:
            table.add_row(label, testbed, "none", "")
    return table


def profile_view(profile: Profile, folder: Path) -> RenderableType:
    """Return what it changes, why, and what it gains."""
    made = datetime.fromtimestamp(profile.created_at, UTC).strftime("%-d %B %Y, %H:%M UTC")
    parts: list[RenderableType] = [
        Text(
            f"{profile.name}: made for {profile.testbed} on {made} by Rankwise {profile.rankwise_version}", "bold"
        ),
        Text(f"in {folder}"),
        Text(profile.command_line, "bright_black"),
    ]
    for part in profile.parts:
        parts += [Text(), *_part(part)]
    settings = words.host_settings(profile)
    if settings:
        table = _table("setting of every host", "value")
        for key, value in settings.items():
            table.add_row(setting(key).label, value)
        parts += [Text(), table]
    return Renderables(*parts)


def _part(part: Part) -> Iterator[RenderableType]:
    yield Text(part.implementation, "bold")
    yield Text(words.gain_of_part(part))
    if not part.tuning.settings and not part.tuning.decisions and not part.tuning.host_settings:
        yield Text("as by default: nothing was significantly better")
    reasons = {reason.subject: reason for reason in part.reasons}
    if part.tuning.settings:
        table = _table("knob", "value", "why")
        for setting in part.tuning.settings:
            reason = reasons.pop(setting.knob, None)
            why = _why(reason) if reason else ""
            table.add_row(setting.knob, words.value_words(setting), why)
        yield Padding(table, (1, 0, 0, 2))
    if part.tuning.decisions:
        table = _table("operation", "ranks", "sizes", "algorithm")
        for decision in part.tuning.decisions:
            for sizes, choice in words.decision_words(decision):
                table.add_row(decision.operation, str(decision.ranks), sizes, choice)
        yield Padding(table, (1, 0, 0, 2))
    for reason in reasons.values():
        yield Padding(Text(f"{reason.subject}: {_why(reason)}"), (0, 0, 0, 2))
    if part.verdicts:
        table = _table("operation", "ranks", "placement", "sizes", "verdict", "time")
        for stretch in words.stretches(part.verdicts):
            sizes, ratio = words.sizes_words(stretch), words.ratio_words(stretch)
            table.add_row(stretch.benchmark, str(stretch.ranks), stretch.placement, sizes, stretch.verdict, ratio)
        yield Padding(table, (1, 0, 0, 2))


def _why(reason: Reason) -> str:
    return f"{reason.words}; it costs {reason.cost}" if reason.cost else reason.words


def difference_table(profile: str, other: str, differences: Sequence[Difference]) -> RenderableType:
    """Return what two profiles do differently."""
    if not differences:
        return Text(f"{profile} and {other} do the same.")
    table = _table("what", profile, other)
    previous = ""
    for row in differences:
        if row.implementation != previous:
            table.add_row(Text(row.implementation, "bold"))
        table.add_row(f"  {row.subject or 'tuned at all'}", row.one or "no", row.other or "no")
        previous = row.implementation
    return table


def check_table(checks: Sequence[Check]) -> RenderableType:
    """Return what is in force, and what is not; long words stand below."""
    table = _table("what", "wanted", "found", "verdict")
    table.columns[0].no_wrap = table.columns[3].no_wrap = True
    previous = ""
    for check in checks:
        if check.implementation != previous:
            table.add_row(Text(check.implementation, "bold"))
        said = "see below" if len(check.found) > _LONG else check.found or "–"
        table.add_row(f"  {check.subject}", check.wanted, said, Text(check.state, _COLOURS[check.state]))
        previous = check.implementation
    notes = dict.fromkeys(f"{check.implementation}: {check.found}" for check in checks if len(check.found) > _LONG)
    return Renderables(table, *(Padding(Text(note), (1, 0, 0, 0)) for note in notes))


class _Rows(Table):
    """Adds strings as they are: rich would read `[...]` in them as its markup."""

    def add_row(self, *cells: RenderableType | None, **options: object) -> None:
        super().add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))


def _table(*titles: str) -> _Rows:
    table = _Rows(box=None, padding=(0, 1), pad_edge=False, header_style="bright_black")
    for title in titles:
        table.add_column(Text(title), overflow="fold")
    return table


def tune_parts(profile: Profile) -> Iterator[RenderableType]:
    """Yield what tuning found: a line for each implementation, one for each class of sizes, then the reasons."""
    table = _table("implementation", "choices", "launches")
    classes = _table(
        "implementation", "operation", "ranks", "placement", "sizes", "verdict", "time, tuned / default"
    )
    for part in profile.parts:
        tuning = part.tuning
        choices = len(tuning.settings) + len(tuning.decisions) + len(tuning.host_settings)
        table.add_row(part.implementation, str(choices), f"{part.launches} of {part.exhaustive_launches}")
        for stretch in words.stretches(part.verdicts):
            classes.add_row(
                part.implementation, stretch.benchmark, str(stretch.ranks), stretch.placement,
                words.sizes_words(stretch), stretch.verdict, words.ratio_words(stretch),
            )  # fmt: skip
    yield table
    if classes.rows:
        yield classes
    for part in profile.parts:
        if part.gain and part.gain.weighted:
            yield Text(f"{part.implementation}, as the application spends its time: {words.gain_of_part(part)}")
        for reason in part.reasons:
            yield Text(f"• {part.implementation}, {reason.subject}: {reason.words}")
