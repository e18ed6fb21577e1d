"""No derivative of a program's time is beyond what a path through the program has, by any model."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from rankwise.simulation.simulator import Bounds
from rankwise.workflows.predict.predictor import MODELS, PredictRequest
from rankwise.workflows.predict.questions import Files
from rankwise.workflows.predict.tolerance import tolerance
from support.two_sites import write_two_sites

RANKS = 4


def steps_of_neighbours(folder: Path, steps: int, seed: int) -> Path:
    """Ranks that exchange with two neighbours in each step, messages of nearly one size: they share links."""
    draw = random.Random(seed)
    sizes = [[draw.randint(5000, 9000) for _ in range(RANKS)] for _ in range(steps)]
    lines = []
    for rank in range(RANKS):
        lines.append(f"{rank} init")
        for step in range(steps):
            peer = rank ^ (1 if step % 2 else 2)
            lines += [
                f"{rank} irecv {peer} 0 {sizes[step][peer]}", f"{rank} send {peer} 0 {sizes[step][rank]}",
                f"{rank} wait {peer} {rank} 0",
            ]  # fmt: skip
        lines.append(f"{rank} finalize")
    path = folder / f"job-{steps}-{seed}"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("steps", "seed"), [(2, 1), (20, 2), (300, 3), (300, 4)])
def test_derivatives_are_within_what_a_path_has(model: str, steps: int, seed: int, tmp_path: Path) -> None:
    platform = write_two_sites(tmp_path / "platform.toml")
    job = steps_of_neighbours(tmp_path, steps, seed)
    found = tolerance(PredictRequest(Files((str(job),)), platform, model=model, bounds=Bounds(60, at_once=2)))
    for one in found.classes:
        assert one.longest_path <= steps, "one message a step is on a path"
        assert math.isnan(one.by_delay) or 0 <= one.by_delay <= one.longest_path * 1.001
        assert math.isnan(one.by_rate_seconds) or -found.total_seconds * 1.001 <= one.by_rate_seconds <= 0
    left_out = any(math.isnan(one.by_delay) or math.isnan(one.by_rate_seconds) for one in found.classes)
    assert left_out == any(one.kind == "no derivative" for one in found.notices)
    if model == "none":
        assert not left_out
