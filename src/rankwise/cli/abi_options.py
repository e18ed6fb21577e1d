"""The options --abi and --linked-to: a program whose calls another MPI than its own carries out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

_OPTIONS = (
    click.option("--abi", "standard_abi", is_flag=True,
                 help="Pass the program's calls through MPI-5's standard ABI even if it runs on its own MPI. A "
                 "program that is not visibly linked to an MPI (Python) is taken to be built for that ABI."),
    click.option("--linked-to", default="", metavar="MPI",
                 help="The MPI that the program was compiled for, where that does not show: Python with an mpi4py "
                 "compiled for it."),
)  # fmt: skip


def abi_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--abi` and `--linked-to`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
