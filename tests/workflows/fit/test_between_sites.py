"""What sites share is measured where there is time for it; if not, the platform says how much it takes."""

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.records import Cell, Plan
from rankwise.store.store import Store
from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.workflows import measure
from rankwise.workflows.events import Silent
from rankwise.workflows.fit import between_sites
from rankwise.workflows.fit.request import FitRequest, FitResult
from support.emulated import two_sites
from support.made_up_flows import platform


class Told(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def say(self, text: str, *, whole: bool = False) -> None:
        """Keep it."""
        del whole
        self.words.append(text)


def test_too_little_time_is_said_before_and_in_the_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []
    monkeypatch.setattr(measure, "measure", lambda request, *_: measured.append(request.max_launches))
    topology, events = two_sites(per_site=3), Told()
    (one,) = between_sites.meetings(EmulatedTestbed(topology))
    enough = one.launch_seconds / between_sites.TIME_SHARE
    minutes = between_sites.needed_minutes((one,))
    assert 60 * (minutes - 1) < enough <= 60 * minutes
    two = platform()
    (site,) = two.sites
    with Store(tmp_path / "results.sqlite") as store:
        plan = Plan((Cell("mpich-5.0.2", "pingpong", 1, 2),), 1, 60.0)
        run_id = store.begin_run("rankwise fit", "duo", plan, kind="fit", topology=topology)
        for seconds in (0.9 * enough, 60 * minutes, 0.0):
            request = FitRequest("fit", "mpich-5.0.2", EmulatedTestbed(topology), time_budget_seconds=seconds)
            between_sites.measured(request, run_id, store, events)
        assert measured == [1, between_sites.LAUNCHES]
        assert events.words == [
            f"warning: what sites share between them is left out: that takes --time {minutes}m or more"
        ]
        unknown = replace(two, sites=(site, site), not_identified={"links": ""})
        found = between_sites.added(FitResult(unknown, run_id), store)
    assert found.platform.not_identified["links"] == (
        f"what sites share between them was not measured: that takes --time {minutes}m or more"
    )
