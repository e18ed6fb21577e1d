"""The page of a prediction: what it takes, what would help, a timeline, and how busy the links are."""

from __future__ import annotations

from rankwise.analysis.predict.load import LinkLoads
from rankwise.analysis.predict.results import Prediction
from rankwise.core.units import format_size
from rankwise.report.canvas import time_words
from rankwise.report.colours import styles_for
from rankwise.report.page import Choice, Introduction, Page, Section, present
from rankwise.report.prediction_figures import (
    ACTIVITIES,
    LOAD,
    MESSAGE,
    MOST_MESSAGES,
    MOST_RANKS,
    load_figure,
    timeline_figure,
)
from rankwise.report.prediction_view import change_words, gain_words
from rankwise.report.sections.shared import notices

MOST_LINKS = 24
MOST_PAIRS = 12
STYLES = styles_for([*ACTIVITIES, MESSAGE, LOAD])


def prediction_page(prediction: Prediction, loads: LinkLoads | None, generated_at: float) -> Page:
    """Return the page; `loads`: of the busiest links, None where there is no timeline."""
    return Page(
        prediction.title,
        _introduction(prediction),
        present(
            notices(prediction.notices),
            _helps(prediction),
            _timeline(prediction),
            _load(loads),
            _ranks(prediction),
        ),
        (),
        STYLES,
        generated_at,
    )


def _introduction(prediction: Prediction) -> Introduction:
    simulation = prediction.simulation
    first = f"It takes {time_words(simulation.total_seconds)}"
    if prediction.band:
        low, high = time_words(prediction.band.low_seconds), time_words(prediction.band.high_seconds)
        first += f", in 9 of 10 cases between {low} and {high}"
    sentences = [f"{first}."]
    if prediction.no_band:
        sentences.append(f"{'The band is ' if prediction.band else 'No band: '}{prediction.no_band}.")
    if prediction.baseline_seconds is not None:
        sentences.append(f"{change_words(prediction).capitalize()}.")
    if prediction.helps:
        best = min(prediction.helps, key=lambda option: option.total_seconds)
        sentences.append(f"What would help most: {best.resource}, if messages did not have to share it "
                         f"({gain_words(best, simulation.total_seconds)}).")  # fmt: skip
    shares = sorted(
        (share for share in simulation.critical_path if share.seconds >= 5e-3 * simulation.total_seconds),
        key=lambda share: -share.seconds,
    )
    if shares and simulation.total_seconds > 0:
        parts = ", ".join(
            f"{share.what.replace('_', ' ')} {share.seconds / simulation.total_seconds:.0%}" for share in shares
        )
        sentences.append(f"The critical path consists of {parts}.")
    tiles = (
        ("Ranks", str(simulation.ranks)), ("Messages", str(simulation.messages)),
        ("Bytes in all", format_size(simulation.size_bytes)), ("Model", prediction.model),
        ("Lost to contention, summed", time_words(simulation.contention_seconds)),
    )  # fmt: skip
    return Introduction(f"prediction · platform {prediction.platform_name}", tuple(sentences), tiles)


def _helps(prediction: Prediction) -> Section | None:
    simulation = prediction.simulation
    if not simulation.contention_seconds:
        return None
    helps = [(option.resource, option.contention_seconds, option.total_seconds,
              gain_words(option, simulation.total_seconds))
             for option in prediction.helps]  # fmt: skip
    values = {
        "helps": helps, "links": simulation.by_link[:MOST_PAIRS], "pairs": simulation.by_pair[:MOST_PAIRS],
        "total": simulation.total_seconds,
    }  # fmt: skip
    return Section("what_would_help", values, link="What would help")


def _timeline(prediction: Prediction) -> Section | None:
    if prediction.timeline is None:
        return None
    figure = timeline_figure(prediction.timeline, prediction.nodes_of_ranks, STYLES)
    kinds = [trace["name"] for trace in figure["data"]]
    values = {
        "kinds": [(kind, STYLES[kind]) for kind in kinds], "ranks": len(prediction.nodes_of_ranks),
        "most_ranks": MOST_RANKS, "messages": len(prediction.timeline.passages), "most_messages": MOST_MESSAGES,
    }  # fmt: skip
    return Section("timeline", values, link="Timeline", choices={"prediction": [Choice("", {"timeline": figure})]})


def _load(loads: LinkLoads | None) -> Section | None:
    if loads is None or not loads.links:
        return None
    figure = load_figure(loads, STYLES)
    return Section(
        "link_load", {"most": MOST_LINKS}, link="Links", choices={"links": [Choice("", {"load": figure})]}
    )


def _ranks(prediction: Prediction) -> Section | None:
    ends = [end for job in prediction.simulation.jobs for end in job.finish_seconds]
    rows = list(zip(range(len(ends)), prediction.nodes_of_ranks, ends, strict=True))
    flows = [flow for job in prediction.simulation.jobs for flow in job.flows][:MOST_RANKS]
    late = sorted(rows, key=lambda row: -row[2])[:MOST_RANKS]
    values = {"rows": late, "all": len(rows), "flows": flows, "measured": prediction.measured}
    return Section("rank_ends", values, link="Ranks")
