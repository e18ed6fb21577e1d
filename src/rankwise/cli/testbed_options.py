"""The options `--testbed` and `--hostfile`, which say where something runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rankwise.workflows import testbeds

_OPTIONS = (
    click.option("--testbed", default="", metavar="NAME|FILE", shell_complete=testbeds.complete_any,
                 help="A preset, a TOML file, or a testbed that is up (`rankwise testbed list`).  "
                 "[default: this host]"),
    click.option("--hostfile", type=click.Path(dir_okay=False, path_type=Path),
                 help="Hosts reached by ssh, as mpirun takes them: `host slots=N`."),
)  # fmt: skip


def where_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--testbed` and `--hostfile`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
