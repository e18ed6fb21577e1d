"""Stores for the tests: one a test, and one for a whole module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.store.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all examples of a property: making a file for each takes most of the time."""
    with Store(tmp_path_factory.mktemp("shared") / "results.sqlite") as opened:
        yield opened
