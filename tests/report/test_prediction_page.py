"""The page of a prediction tells the total, what would help and when ranks end, and its figures are Plotly's."""

from dataclasses import replace
from pathlib import Path

import plotly.graph_objects as go
import pytest

from rankwise.analysis.predict.load import link_loads
from rankwise.analysis.predict.results import Prediction
from rankwise.report import page as builder
from rankwise.report.colours import dark_colours
from rankwise.report.prediction_figures import load_figure, timeline_figure
from rankwise.report.prediction_page import STYLES, prediction_page
from rankwise.workflows.predict.predictor import PredictRequest, predict
from rankwise.workflows.predict.questions import Files
from support.two_sites import write_two_sites

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Prediction:
    folder: Path = tmp_path_factory.mktemp("page")
    (folder / "flows").write_text("0 2 1000000\n1 3 1000000\n0 1 500\n")
    return predict(
        PredictRequest(Files((str(folder / "flows"),)), write_two_sites(folder / "p.toml"), timeline=True)
    )


def rendered(found: Prediction) -> str:
    assert found.timeline is not None
    loads = link_loads(found.timeline, found.platform, found.nodes_of_ranks, found.simulation.total_seconds, 9)
    return builder.render(prediction_page(found, loads, 0.0))


def test_what_helps_and_where_time_is_lost(found: Prediction) -> None:
    page = rendered(found)
    for words in ("What would help", ">ab<", "a1", "Timeline", "How busy links are", "in 9 of 10 cases"):
        assert words in page


def test_names_cannot_become_markup(found: Prediction) -> None:
    nodes = tuple(HOSTILE if node == "a1" else node for node in found.nodes_of_ranks)
    page = builder.render(
        prediction_page(replace(found, title=HOSTILE, platform_name=HOSTILE, nodes_of_ranks=nodes), None, 0.0)
    )
    assert HOSTILE not in page


def test_figures_follow_plotlys_schema_and_have_dark_colours(found: Prediction) -> None:
    assert found.timeline is not None
    total = found.simulation.total_seconds
    loads = link_loads(found.timeline, found.platform, found.nodes_of_ranks, total, 9)
    drawn = [timeline_figure(found.timeline, found.nodes_of_ranks, STYLES), load_figure(loads, STYLES)]
    dark = dark_colours(STYLES.values())
    for figure in drawn:
        go.Figure(figure)
        assert all(trace["meta"] for trace in figure["data"])
    assert all(one["line"]["color"] in dark for one in drawn[0]["data"])
    assert all(colour in dark for _, colour in drawn[1]["data"][0]["colorscale"])


def test_without_contention_and_timeline_the_sections_are_left_out(found: Prediction) -> None:
    quiet = replace(found.simulation, contention_seconds=0.0)
    page = builder.render(prediction_page(replace(found, simulation=quiet, helps=(), timeline=None), None, 0.0))
    assert 'id="timeline"' not in page
    assert 'id="what_would_help"' not in page
    assert 'id="rank_ends"' in page
