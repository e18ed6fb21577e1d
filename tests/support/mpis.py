"""The MPI implementations of this host, for tests that are parametrised over them."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rankwise.artifacts.harness import build
from rankwise.core.records import Implementation
from rankwise.mpi.discover import installations
from rankwise.mpi.smoke_test import smoke_test
from support.alone import alone

FOUND: list[Implementation] = installations()
"""Every installation on this host, not yet tested; read once, when tests are collected."""


def newest_of_each_family() -> set[str]:
    """Return the ids of the installations that stand for their families by day."""
    by_age = sorted(FOUND, key=lambda one: [int(number) for number in re.findall(r"\d+", one.version)])
    return set({one.family: one.id for one in by_age}.values())


def by_day(ids: Iterable[str], *beginnings: str) -> list[Any]:
    """Return ids as parameters of a test that all but those that begin so run by night alone.

    For what hardly depends on the MPI: the rest of the day's tests use all of them.
    """
    found = list(ids)
    chosen = [one for one in found if one.startswith(beginnings)] or found[:1]
    return [pytest.param(one, marks=() if one in chosen else pytest.mark.nightly) for one in found]


@cache
def working(implementation_id: str) -> Implementation:
    """Return the installation of this id, smoke-tested once a session; the test fails if it does not work."""
    one = smoke_test(next(found for found in FOUND if found.id == implementation_id))
    assert one.status == "works", f"{one.id}: {one.reason}"
    return one


@cache
def harness(implementation_id: str) -> Path:
    """Return the compiled harness of this implementation."""
    with alone(f"harness-{implementation_id}"):
        return build(working(implementation_id))
