"""For all tests: what goes first where processes share them (`pytest -n 2 --dist loadfile`), and Hypothesis."""

from pathlib import Path

import hypothesis
import pytest

LAUNCHING = {"cli", "conformance", "csrc", "e2e", "mpi", "native", "testbed"}
"""Folders of tests that start programs, and wait for them."""

hypothesis.settings.register_profile("rankwise", deadline=None)  # other work disturbs the times here
hypothesis.settings.load_profile("rankwise")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long files first, so that short ones are left to fill up the time until the last process has ended."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path.relative_to(Path(__file__).parent).parts[0] not in LAUNCHING)
