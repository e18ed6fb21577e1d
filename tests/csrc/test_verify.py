"""Verification finds every operation that delivers wrong data, and blames none that delivers the right ones."""

import itertools
import json
from pathlib import Path

import pytest

from support.real_harness import PLUG_INS, build, launched, listed, records

WRONG_KERNELS = Path(__file__).with_name("wrong_kernels.c")
WRONG = [
    ("swapped_parts:4000", 10, (), "item"),
    ("swapped_parts:4000", 2, (), "item"),
    ("guessed_extremes:400", 5, ("--operation", "max"), "not"),
    ("guessed_extremes:400", 5, ("--operation", "min"), "not"),
    ("first_terms_alone:4", 2, ("--operation", "prod"), "item 0 of 1"),
    ("absent_barrier:0", 2, (), "before rank"),
    ("forgetful_barrier:0", 5, (), "before rank 4 had come"),
    ("reordered_window:64", 2, ("--window", "4"), "from rank 0"),
    ("spoilt_send:64", 3, (), "send buffer"),
    ("overrun:64", 2, (), "byte 64 of 128 where nothing is to be received"),
    ("lavish_gather:64", 3, (), "where nothing is to be received"),
    ("spoilt_by_test:64", 2, (), "item 0"),
]
"""Cell, ranks, options, and what the reason must say."""
REDUCED_BY_DAY = {(5, "sum", "float"), (5, "max", "int"), (5, "min", "double"), (5, "prod", "int")}

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def wrong_harness(harness: Path) -> Path:  # which is left out where there is no MPI
    return build(WRONG_KERNELS)


@pytest.mark.parametrize(("cell", "ranks", "options", "reason"), WRONG)
def test_wrong_data_are_found(
    wrong_harness: Path, cell: str, ranks: int, options: tuple[str, ...], reason: str
) -> None:
    if not listed(wrong_harness)[cell.partition(":")[0]]["supported"]:
        pytest.skip("this MPI has no nonblocking collectives")
    done = launched(wrong_harness, "--verify", *options, cell, ranks=ranks)
    (failure,) = records(done, "failure")
    assert failure["kind"] == "wrong data"
    assert reason in failure["reason"]
    assert not records(done, "verified")


@pytest.mark.parametrize(
    "ranks", [1, 3, *(pytest.param(ranks, marks=pytest.mark.nightly) for ranks in (2, 4, 5, 8))]
)
def test_right_data_are_not_blamed_at_any_number_of_ranks(harness: Path, ranks: int) -> None:
    benchmarks = listed(harness)
    cells = [
        f"{name}:{size}"
        for name, about in benchmarks.items()
        if name not in PLUG_INS and about["supported"] and about["min_ranks"] <= ranks
        for size in ((1, 4096) if about["sized"] else (0,))
        if ranks % 2 == 0 or not about["even_ranks"]
    ]
    done = launched(harness, "--verify", "--root", "rotate", *cells, ranks=ranks)
    assert [f"{one['benchmark']}:{one['size_bytes']}" for one in records(done, "verified")] == cells, json.dumps(
        records(done, "failure")
    )


@pytest.mark.parametrize(
    ("ranks", "operation", "datatype"),
    [
        pytest.param(*one, marks=() if one in REDUCED_BY_DAY else pytest.mark.nightly)
        for one in itertools.product((5, 2, 8), ("sum", "max", "min", "prod"), ("int", "float", "double"))
    ],
)
def test_results_of_every_reduction_are_exact(harness: Path, ranks: int, operation: str, datatype: str) -> None:
    cells = [f"{name}:4000" for name, about in listed(harness).items() if about["supported"] and "reduce" in name]
    done = launched(harness, "--verify", "--operation", operation, "--datatype", datatype, *cells, ranks=ranks)
    assert len(records(done, "verified")) == len(cells) > 5, records(done, "failure")
    assert not records(done, "failure")
