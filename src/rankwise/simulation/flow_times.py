"""What the messages of patterns take on a platform, by `rankwise-sim`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.flows import Pattern, text_of

FloatArray = npt.NDArray[np.float64]
LIMIT_SECONDS = 120.0


def flow_times(
    program: Path, platform_json: str, patterns: Sequence[Pattern], nodes: Sequence[str]
) -> list[FloatArray]:  # fmt: skip
    """Return of each pattern the seconds of its flows, from their starts, shape (flows,).

    All patterns run at once, each on its own nodes of the platform (`nodes`: their numbers as `--job` takes them).
    Raises HostError in the simulator's words.
    """
    with tempfile.TemporaryDirectory(prefix="rankwise-flows-") as name:
        folder = Path(name)
        platform = folder / "platform.json"
        platform.write_text(platform_json, encoding="utf-8")
        arguments = [str(program), "--platform", str(platform)]
        for number, (pattern, where) in enumerate(zip(patterns, nodes, strict=True)):
            file = folder / f"{number}.pattern"
            file.write_text(text_of(pattern), encoding="utf-8")
            arguments += ["--job", f"{file}@nodes={where}"]
        outcome = process.run(arguments, LIMIT_SECONDS)
    if outcome.returncode:
        raise HostError(f"the simulator failed: {outcome.stderr.strip() or outcome.stdout.strip()}")
    jobs = json.loads(outcome.stdout)["jobs"]
    return [np.array([one["end"] - one["start"] for one in job["flows"]]) for job in jobs]
