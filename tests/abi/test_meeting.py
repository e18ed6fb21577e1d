"""Strangers at the port where a joined job gathers are bounded, per address and in all, and hold up nobody."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.abi import gateway
from rankwise.artifacts.abi.standard import standard
from support.abi import needs_compiler
from support.mpis import FOUND
from support.real_harness import SANITIZED, WARNINGS

pytestmark = [pytest.mark.mpi, needs_compiler]
OF_GATEWAY = {"guests.c", "representation.c"}


def test_the_oldest_make_room_and_who_belongs_here_is_let_in() -> None:
    made = gateway.artifact(standard(FOUND))
    sources = (*(one for one in made.sources if one.name in OF_GATEWAY), Path(__file__).with_name("meeting.c"))
    flags = (*WARNINGS, *(flag for flag in made.flags if not flag.startswith("-O")), *SANITIZED)
    program = replace(made, name="meeting", kind="program", sources=sources, flags=flags)
    done = subprocess.run(
        [builder.build(program, compiler.of_host())], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "of one address 44, the oldest 44",
        "of each of two 44",
        "of any address 10, the oldest 10",
        "taken 1 while others wait 1",
        "in the end 910 of 910",
    ]
    assert done.stderr.count("too many others") == 8, "it is told of a few alone"
