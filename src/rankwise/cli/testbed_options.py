"""Where something runs: the options `--testbed` and `--hostfile`, and the testbed that they mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rankwise.core.errors import InputError
from rankwise.testbed.base import TestbedKind, make
from rankwise.testbed.hostfile import read_hostfile
from rankwise.testbed.local import LocalTestbed
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


def testbed_of(name: str, hostfile: Path | None) -> TestbedKind:
    """The testbed that the options mean, not yet up. Raises InputError."""
    if name and hostfile:
        raise InputError("--testbed and --hostfile are two places", "give one of them")
    if hostfile:
        return make(read_hostfile(hostfile))
    return LocalTestbed() if name in ("", "local") else make(testbeds.topology_of(name))
