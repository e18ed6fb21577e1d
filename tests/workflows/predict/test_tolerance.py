"""Derivatives of one run agree with differences of two, and a delay that is solved for loses what it says."""

from pathlib import Path

import pytest

from rankwise.analysis.predict.what_if import Change, changed
from rankwise.core.errors import InputError
from rankwise.simulation.simulator import Bounds
from rankwise.workflows.predict.predictor import PredictRequest, predict, ready
from rankwise.workflows.predict.questions import Files
from rankwise.workflows.predict.tolerance import Solver, slopes, tolerance
from support.two_sites import WAN, WAN_DELAY, write_two_sites

SIZE = 1_000_000
FLOWS = f"0 2 {SIZE}\n1 3 {2 * SIZE} 0.003\n0 1 {SIZE} 0.002\n3 2 {SIZE} 0.001\n"


@pytest.fixture
def ask(tmp_path: Path):
    def made(pattern: str) -> PredictRequest:
        (tmp_path / "flows").write_text(pattern)
        file = write_two_sites(tmp_path / "platform.toml")
        return PredictRequest(Files((str(tmp_path / "flows"),)), file, bounds=Bounds(60, at_once=2))

    return made


def test_one_message_over_the_wan(ask) -> None:
    found = tolerance(ask(f"0 2 {SIZE}\n"))
    lan, wan = found.classes
    assert (wan.name, wan.how) == ("wan", "one run")
    assert wan.by_delay == pytest.approx(1, rel=1e-6)
    assert wan.by_rate_seconds == pytest.approx(-SIZE / WAN, rel=1e-3)
    assert lan.by_delay == 0
    for loss in wan.losses:
        assert loss.linear_seconds == pytest.approx(loss.share * found.total_seconds, rel=1e-3)
        assert loss.solved_seconds == pytest.approx(loss.linear_seconds, rel=5e-3)


def test_one_run_agrees_with_differences(ask) -> None:
    asked = ask(FLOWS)
    at = ready(asked)
    solver = Solver(at, asked, 1)
    for one in tolerance(asked).classes:
        by_delay, by_rate = slopes(solver, at.posed.platform, one.name)
        assert one.by_delay == pytest.approx(by_delay, abs=0.01)
        assert one.by_rate_seconds == pytest.approx(by_rate, rel=0.02, abs=1e-5)


def test_the_delay_that_was_found_loses_what_it_says(ask) -> None:
    asked = ask(FLOWS)
    found = tolerance(asked)
    (wan,) = [one for one in found.classes if one.name == "wan"]
    for loss in wan.losses:
        change = Change("wan", "delay", WAN_DELAY + loss.solved_seconds, text="")
        at = ready(asked)
        total = Solver(at, asked, 1).total(changed(at.posed.platform, change))
        assert total / found.total_seconds - 1 == pytest.approx(loss.share, rel=0.02)


def test_a_class_that_another_hides_tolerates_more_than_its_derivative_says(ask) -> None:
    found = tolerance(ask(f"0 1 {SIZE}\n2 1 1000\n"))
    lan, wan = found.classes
    assert lan.by_delay > 0
    assert wan.by_delay == 0
    assert wan.losses[0].linear_seconds == float("inf")
    assert 0.005 < wan.losses[0].solved_seconds < 0.01


def test_what_never_loses_is_said_to(ask) -> None:
    wan = tolerance(ask(f"0 1 {SIZE}\n")).classes[1]
    assert all(loss.solved_seconds == float("inf") for loss in wan.losses)


def test_nothing_that_takes_time_has_no_tolerance(ask, tmp_path: Path) -> None:
    (tmp_path / "idle").write_text("num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n")
    asked = ask("0 1 8\n")
    idle = PredictRequest(Files((str(tmp_path / "idle"),)), asked.platform_file, bounds=asked.bounds)
    assert predict(idle).simulation.total_seconds == 0
    with pytest.raises(InputError, match="takes no time"):
        tolerance(idle)
