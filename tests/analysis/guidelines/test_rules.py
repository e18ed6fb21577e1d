"""Every guideline has its benchmarks and a source, and only what guidelines are about is measured."""

import re

import pytest

from rankwise.analysis.guidelines import rules
from rankwise.artifacts.harness import SOURCES
from rankwise.core.records import Cell, Options
from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.schedules import generator

KERNELS = {
    name: path.read_text()
    for path in (SOURCES / "kernels").glob("*.c")
    for name in re.findall(r"^KERNEL\((\w+)\)", path.read_text(), re.MULTILINE)
}


def test_every_guideline_has_its_benchmarks() -> None:
    known = {*KERNELS, *(one.id for one in generator.algorithms())}
    assert all({one.operation, one.mockup} <= known for one in rules.GUIDELINES)
    assert set(KERNELS) >= rules.SIZED_OPERATIONS


def test_every_mockup_belongs_to_one_guideline() -> None:
    mockups = [name for name, text in KERNELS.items() if "GUIDELINE" in text]
    ours = [one.mockup for one in rules.GUIDELINES]
    assert sorted(mockups) == sorted(name for name in ours if not is_schedule(name))
    assert all(operation_of(one.mockup) == one.operation for one in rules.GUIDELINES if is_schedule(one.mockup))


def test_every_guideline_says_who_stated_it() -> None:
    names = [*(one.mockup for one in rules.GUIDELINES), rules.SPLIT, rules.MONOTONY]
    assert all(re.search(r"\b20\d\d\b", source) for name in names for source in rules.sources(name))
    assert all(rules.sources(name) for name in names)


@pytest.mark.parametrize(
    ("benchmark", "layout", "needed"),
    [
        ("bcast", "contiguous", True),
        ("bcast", "vector", False),
        ("bcast.scatter_allgather_ring", "contiguous", True),
        ("bcast.scatter_allgather_ring", "vector", False),
        ("pingpong", "contiguous", True),  # for split and monotony
        ("pingpong", "vector", True),
        ("pingpong_as_pack_send_unpack", "contiguous", False),  # packing bytes tells nothing
        ("pingpong_as_pack_send_unpack", "struct", True),
        ("alltoall", "contiguous", False),
    ],
)
def test_only_what_a_guideline_speaks_of_is_measured(benchmark: str, layout: str, needed: bool) -> None:
    assert rules.is_needed(Cell("mpich-5.0.2", benchmark, 8, 2, Options(layout=layout))) == needed


def test_guidelines_of_chosen_operations() -> None:
    found = rules.chosen(["allgather"])
    assert rules.benchmarks(found) == ("allgather", "allgather.linear", "allgather.gather_bcast")
    assert rules.chosen() == rules.GUIDELINES


def test_every_guideline_that_is_wanted_is_there() -> None:
    assert {(one.operation, one.other) for one in rules.GUIDELINES} == {
        ("allreduce", "reduce + bcast by messages"),
        ("allreduce", "reduce_scatter + allgather by messages"),
        ("bcast", "scatter + allgather by messages"),
        ("gather", "allgather"),
        ("scatter", "bcast"),
        ("allgather", "a message to each rank"),
        ("allgather", "gather + bcast by messages"),
        ("reduce", "allreduce"),
        ("reduce_scatter", "reduce + scatterv by messages"),
        ("pingpong", "pack + send + unpack"),
    }
    assert {one.operation for one in rules.GUIDELINES} <= rules.SIZED_OPERATIONS


def test_a_short_run_begins_with_what_takes_the_fewest_launches() -> None:
    layouts = ("contiguous", *rules.DERIVED_LAYOUTS)
    priorities = [rules.priority(Cell("mpich-5.0.2", "pingpong", 8, 2, Options(layout=one))) for one in layouts]
    assert priorities == [0, 1, 2, 3]
