"""A family of a plug-in folder, `Our MPI`, that can be asked but never starts anything."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from support.stored import OPENMPI

OURS = replace(OPENMPI, id="ours-1.0", family="ours", version="1.0")
_CLASS = """
from rankwise.core.errors import InputError
from rankwise.core import bound_variables
from rankwise.core.tuning import Algorithm, Knob, Native, Setting
from rankwise.mpi.family import Family


class Ours(Family):
    name = "ours"
    title = "Our MPI"

    def identify(self, compiler, ask):
        return ""

    def steps(self, implementation, job):
        raise AssertionError("nothing is to be measured")
"""


def install(methods: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it known, with these methods beside."""
    (folder / "mpi").mkdir()
    (folder / "mpi" / "ours.py").write_text(f"{_CLASS}\n{textwrap.indent(textwrap.dedent(methods), '    ')}")
    monkeypatch.setenv("RANKWISE_PLUGINS", str(folder))
