"""Every native program says which Rankwise it belongs to, and what it is for."""

import subprocess

import pytest

from rankwise import __version__
from rankwise.core.native_programs import program

PROGRAMS = ("link", "map", "nodes", "probe", "relay", "rsh", "sim")


@pytest.mark.parametrize("name", [f"rankwise-{what}" for what in PROGRAMS])
def test_version_and_help(name: str) -> None:
    def said(word: str) -> str:
        return subprocess.run([program(name), word], capture_output=True, text=True, timeout=10, check=True).stdout

    assert said("--version") == f"{name} {__version__}\n"
    assert "--version" in said("--help")
