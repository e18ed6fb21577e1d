"""A setting is offered only where earlier launches show it to be faster than the default."""

from __future__ import annotations

import numpy as np

from analysis.guidelines.made import one
from rankwise.analysis.guidelines.findings import Finding, findings
from rankwise.analysis.guidelines.measured import faster_settings
from rankwise.core.records import Cell, Launch, Segment, Series

MPI = "mpich-5.0.2"


def finding() -> Finding:
    (found,) = findings([one("violated", 1024, 2.0), one("holds", 2048), one("violated", 4096, 2.0)])
    return found


def launches(seconds: dict[str, float], count: int = 6) -> list[Launch]:
    """Of gather on 4 ranks at 1 KiB and 2 KiB, with each setting in launches of its own."""
    generator = np.random.default_rng(1)
    return [
        Launch((Segment(MPI, 4),), "finished", "", (), 0.0, 1.0, stage=name.partition(": ")[0], series=tuple(
            Series(
                Cell(MPI, "gather", size, 4, label=name.partition(": ")[2]), "time",
                centre * np.exp(0.02 * generator.standard_normal(5)),
            )
            for size in (1024, 2048)
        ))
        for name, centre in seconds.items() for _ in range(count)
    ]  # fmt: skip


def test_the_fastest_setting_that_beat_the_default_at_a_violated_size() -> None:
    times = {
        "algorithms: default": 1e-5,
        "algorithms: gather@4=linear": 7e-6,
        "algorithms: gather@4=binomial": 5e-6,
    }
    (said,) = faster_settings(finding(), launches(times))
    assert said.startswith("algorithms: gather@4=binomial took 0.5")
    assert said.endswith("times the default's time at 1 KiB")


def test_nothing_is_said_of_what_is_not_shown() -> None:
    assert faster_settings(finding(), []) == []
    slower = {"algorithms: default": 1e-5, "algorithms: gather@4=linear": 1.2e-5}
    assert faster_settings(finding(), launches(slower)) == []
    faster = {"algorithms: default": 1e-5, "algorithms: gather@4=linear": 5e-6}
    assert faster_settings(finding(), launches(faster, count=3)) == []
    other_stage = {"eager: default": 1e-5, "algorithms: gather@4=linear": 5e-6}
    assert faster_settings(finding(), launches(other_stage)) == []
