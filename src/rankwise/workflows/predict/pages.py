"""Writes the page of a prediction."""

from __future__ import annotations

import time
from pathlib import Path

from rankwise.analysis.predict.load import link_loads
from rankwise.analysis.predict.results import Prediction
from rankwise.report import page
from rankwise.report.prediction_page import MOST_LINKS, prediction_page


def write(path: Path, prediction: Prediction) -> None:
    """Write the page to `path`. Raises HostError if that is not possible."""
    loads = None
    if prediction.timeline is not None:
        total = prediction.simulation.total_seconds
        loads = link_loads(prediction.timeline, prediction.platform, prediction.nodes_of_ranks, total, MOST_LINKS)
    page.write(path, prediction_page(prediction, loads, time.time()))
