"""Comparisons at the edge: what a page and its tables must survive."""

from __future__ import annotations

import pytest

from rankwise.core.results import Comparison
from report import edges, samples


@pytest.fixture
def one_implementation() -> Comparison:
    return edges.only(samples.comparison(), (samples.BASELINE,))


@pytest.fixture
def too_few_launches() -> Comparison:
    return edges.without_intervals(samples.comparison())


@pytest.fixture
def one_size() -> Comparison:
    return edges.at_size(samples.comparison(), 1024)


@pytest.fixture
def all_failed() -> Comparison:
    return edges.failed(samples.comparison())


@pytest.fixture
def nothing() -> Comparison:
    return edges.only(edges.at_size(samples.comparison(), -1), ())
