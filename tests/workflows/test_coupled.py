"""Coupled models run once in a site and once across two, each on hosts of its own; unknown patterns are said."""

from __future__ import annotations

import math

import pytest

from rankwise.core.apps import AppResult
from rankwise.core.coupled import PATTERNS, CoupledResult
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.testbeds import description
from rankwise.testbeds.base import make
from rankwise.workflows.coupled import Places, patterns, places


def test_a_model_is_in_each_of_two_sites() -> None:
    testbed = make(description.load("grid5000-2007"))
    assert places(testbed) == Places(("rennes-1", "rennes-2"), ("rennes-1", "nancy-1"))
    assert places(testbed, 4) == Places(
        ("rennes-1", "rennes-1", "rennes-2", "rennes-2"), ("rennes-1", "rennes-2", "nancy-1", "nancy-2")
    )


def test_the_first_model_has_the_odd_rank() -> None:
    assert places(make(description.load("two-clusters")), 3).across == ("north-1", "north-2", "south-1")


def test_a_site_of_one_host_takes_both_models() -> None:
    assert places(make(description.load("grid5000-2007-sites"))) == Places(
        ("rennes-1",) * 2, ("rennes-1", "nancy-1")
    )


def test_on_one_site_there_is_no_long_way() -> None:
    assert places(make(description.load("cluster"))) == Places(
        ("cluster-1", "cluster-2", "cluster-3", "cluster-4")
    )
    with pytest.raises(InputError, match="two models cannot run on 1 rank"):
        places(make(description.load("cluster")), 1)


def test_patterns_are_known_by_name() -> None:
    assert patterns(()) == PATTERNS
    assert [one.name for one in patterns(("meg", "climate", "meg"))] == ["meg", "climate"]
    with pytest.raises(UnknownNameError, match="unknown pattern 'weather'"):
        patterns(("weather",))


def test_what_the_long_way_costs_is_the_difference_of_steps() -> None:
    near, far, as_near = (_took(one) for one in (0.1, 0.12, 0.1005))
    assert CoupledResult(PATTERNS[0], near, far).wan_seconds == pytest.approx(0.02)
    assert CoupledResult(PATTERNS[0], near, far).is_apart
    assert CoupledResult(PATTERNS[0], far, near).is_apart
    assert not CoupledResult(PATTERNS[0], near, as_near).is_apart
    assert math.isnan(CoupledResult(PATTERNS[0], near).wan_seconds)
    failed = CoupledResult(PATTERNS[0], near, AppResult("coupled", "", "mpich-5.0.2", 2, "", ""))
    assert math.isnan(failed.wan_seconds) and not failed.is_apart


def _took(seconds: float) -> AppResult:
    times = (("step", seconds), ("lower_step", 0.99 * seconds), ("upper_step", 1.01 * seconds))
    figures = tuple((f"{name}_seconds", value) for name, value in times)
    return AppResult("coupled", "", "mpich-5.0.2", 2, "", "", figures=figures)
