"""Topologies as hwloc itself writes them, at the time of the test."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

LSTOPO = shutil.which("lstopo-no-graphics") or shutil.which("lstopo") or ""


def run_lstopo(*words: str) -> str:
    """Run it and return its output; where there is none, the test is left out."""
    if not LSTOPO:
        pytest.skip("lstopo of hwloc is not here")
    return subprocess.run([LSTOPO, *words], check=True, capture_output=True, text=True).stdout


def lstopo(file: Path, *words: str) -> Path:
    """Write a topology: of a synthetic machine where `words` describe one, else of this host."""
    run_lstopo(*words, "--of", "xml", str(file))
    return file
