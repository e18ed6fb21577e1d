"""Corrections for asking many times keep the error rate that they promise, and lose little by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankwise.core.records import FloatArray
from rankwise.stats.tests import benjamini_hochberg, hierarchical, holm, simes

ALPHA = 0.05
p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_simes_by_hand() -> None:
    assert simes(np.array([0.04, 0.02, 0.5])) == pytest.approx(0.06)  # min(0.02 x 3, 0.04 x 3 / 2, 0.5)
    assert simes(np.array([])) == 1.0


@given(p_lists)
def test_benjamini_hochberg_is_scipys(p_values: list[float]) -> None:
    found = benjamini_hochberg(np.array(p_values))
    assert found == pytest.approx(stats.false_discovery_control(p_values), abs=1e-12)


def test_hierarchical_by_hand() -> None:
    """Two classes of two. Class a has Simes's 0.02 and the share 1/2: 0.04. Then its first test, share 1/4:
    0.01 / (1/4) = 0.04; its second inherits: 0.03 / (1/2) = 0.06. Class b has by then the whole share: Simes's
    0.09 / 1; its tests have 1/2 each: 0.05 / (1/2) = 0.1; the last one inherits: 0.09 / 1, but not below 0.1."""
    found = hierarchical(np.array([0.01, 0.03, 0.05, 0.09]), ["a", "a", "b", "b"])
    assert found == pytest.approx([0.04, 0.06, 0.1, 0.1])


def test_one_class_of_all_is_about_holms() -> None:
    p_values = np.array([0.001, 0.01, 0.02, 0.5])
    assert hierarchical(p_values, ["a"] * 4) == pytest.approx(holm(p_values))


def test_classes_of_one_are_holms() -> None:
    p_values = np.array([0.001, 0.01, 0.02, 0.5])
    assert hierarchical(p_values, list("abcd")) == pytest.approx(holm(p_values))


def test_none() -> None:
    assert hierarchical(np.array([]), []).size == 0
    assert benjamini_hochberg(np.array([])).size == 0


@given(p_lists, st.integers(1, 6))
def test_hierarchical_is_never_worse_than_bonferroni_and_never_below_the_p_value(
    p_values: list[float], classes: int
) -> None:
    values = np.array(p_values)
    adjusted = hierarchical(values, [i % classes for i in range(values.size)])
    assert np.all(adjusted >= values - 1e-12)
    assert np.all(adjusted <= np.minimum(1, values * values.size) + 1e-9)


@given(p_lists, st.integers(1, 6))
def test_smaller_p_values_are_never_adjusted_to_larger_ones_within_a_class(
    p_values: list[float], classes: int
) -> None:
    values = np.array(p_values)
    names = np.arange(values.size) % classes
    adjusted = hierarchical(values, list(names))
    for name in range(classes):
        own = np.argsort(values[names == name], kind="stable")
        assert np.all(np.diff(adjusted[names == name][own]) >= -1e-12)


def drawn(generator: np.random.Generator, true_classes: int) -> tuple[FloatArray, list[int], FloatArray]:
    """p-values of 12 classes of 8 tests that share their noise in a class; the first classes differ."""
    classes = np.repeat(np.arange(12), 8)
    effects = np.where(classes < true_classes, 3.5, 0.0)
    z = effects + 0.6 * generator.normal(size=12)[classes] + 0.8 * generator.normal(size=96)
    return 2 * stats.norm.sf(np.abs(z)), list(classes), effects != 0


@pytest.mark.parametrize("true_classes", [0, 3, 9])
def test_hierarchical_keeps_the_family_wise_error_and_decides_as_much_as_holm(true_classes: int) -> None:
    """Of 400 comparisons at most 5 % have a false one: 20, and more than 34 in one of 1000 such tests."""
    generator = np.random.default_rng(true_classes)
    false = ours = theirs = 0
    for _ in range(400):
        p_values, classes, true = drawn(generator, true_classes)
        found = hierarchical(p_values, classes) < ALPHA
        false += bool(np.any(found & ~true))
        ours += int(np.sum(found & true))
        theirs += int(np.sum((holm(p_values) < ALPHA) & true))
    assert false <= 34
    assert ours >= theirs


def test_benjamini_hochberg_keeps_the_share_of_false_ones() -> None:
    generator = np.random.default_rng(5)
    shares = []
    for _ in range(400):
        p_values, _, true = drawn(generator, 6)
        found = benjamini_hochberg(p_values) < ALPHA
        shares.append(np.sum(found & ~true) / max(1, np.sum(found)))
    assert np.mean(shares) < ALPHA
