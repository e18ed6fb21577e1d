"""The options `--testbed` and `--hostfile`, which say where something runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rankwise.cli.screen import err
from rankwise.core.errors import InputError
from rankwise.workflows import testbeds


def testbed_option(default: str = "this host") -> Callable[..., Any]:
    """Return the option `--testbed`, whose help names what happens without it."""
    return click.option(
        "--testbed", default="", metavar="NAME|FILE", shell_complete=testbeds.complete_any,
        help="A preset, a TOML file, or a testbed that is up (`rankwise testbed list`).  "
             f"[default: {default}]",
    )  # fmt: skip


def _with_notices(_context: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """Print what of the hostfile is not used; one that cannot be read is refused where it is read."""
    with contextlib.suppress(InputError):
        for notice in testbeds.hostfile_notices(path) if path else ():
            err(f"note: {notice.message}; {notice.remedy}")
    return path


hostfile_option = click.option(
    "--hostfile", callback=_with_notices, type=click.Path(dir_okay=False, path_type=Path),
    help="Hosts reached by ssh, as mpirun takes them: `host slots=N`.",
)  # fmt: skip

WHERE_OPTIONS = (testbed_option(), hostfile_option)


def where_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--testbed` and `--hostfile`."""
    for option in reversed(WHERE_OPTIONS):
        function = option(function)
    return function
