"""The options --profile and --any-version, and the completion of profiles' names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankwise.core.records import DEFAULT
from rankwise.workflows import profiles


def complete_profiles(_context: object, _parameter: object, incomplete: str) -> list[str]:
    """Return the profiles whose names begin so, for a shell's completion."""
    return [name for name in profiles.names() if name.startswith(incomplete)]


any_version_option = click.option(
    "--any-version", "force", is_flag=True,
    help="Load a profile made for another version, without the settings that this version does not know.",
)  # fmt: skip
"""Passes `force`."""
_OPTIONS = (
    click.option("--profile", default=DEFAULT, metavar="NAME|FOLDER", shell_complete=complete_profiles,
                 help="Load this profile (`rankwise profile list`).  [default: none]"),
    any_version_option,
)  # fmt: skip


def profile_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--profile` and `--any-version`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
