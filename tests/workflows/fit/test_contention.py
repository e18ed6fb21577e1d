"""What concurrent messages share goes from stored patterns into the platform, or it says why it does not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.analysis.fit import sharing
from rankwise.analysis.fit.sharing_data import Observed
from rankwise.core.flows import Pattern, benchmark_of
from rankwise.core.network import Topology
from rankwise.core.platform import CostRange, PairClass
from rankwise.core.records import Cell, Launch, Plan, Segment, Timeline
from rankwise.store.store import Store
from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.workflows.fit import contention
from rankwise.workflows.fit.request import FitRequest, FitResult
from support.emulated import two_sites
from support.made_up_flows import KAPPA, LATENCY, RATE, measured, platform

MPI = "mpich-5.0.2"
PLACE = "hosts=a1+a2+a3+a4+a5+a6"
FEW_CANDIDATES = {
    "queues": ((),), "alpha-fair": (("alpha", "kappa"),), "max-min": ((), ("kappa",)),
    "flow-cuts": (("outer_cut",),), "none": ((),),
}  # fmt: skip
"""Which parameters of the models are tried: the tests of the fit try all."""
pytestmark = pytest.mark.timeout(120)


def asked(topology: Topology, seconds: float = 0.0) -> FitRequest:
    return FitRequest("fit", MPI, EmulatedTestbed(topology), time_budget_seconds=seconds)


def test_it_takes_a_site_of_six_nodes() -> None:
    assert contention.budget_of(asked(two_sites(per_site=5))) == "that takes a site of 6 nodes"
    budget = contention.budget_of(asked(two_sites(per_site=7)))
    assert isinstance(budget, contention.Budget)
    assert (budget.site, budget.hosts, budget.launches) == ("a", ("a1", "a2", "a3", "a4", "a5", "a6"), 3)


def test_it_takes_its_share_of_the_time() -> None:
    topology = two_sites(per_site=6)
    whole = contention.budget_of(asked(topology))
    assert isinstance(whole, contention.Budget)
    less = contention.budget_of(asked(topology, 2.1 * whole.launch_seconds / contention.TIME_SHARE))
    assert isinstance(less, contention.Budget) and less.launches == 2
    assert contention.budget_of(asked(topology, whole.launch_seconds)) == "no time was left"


def stored(path: Path, seen: dict[Pattern, Observed]) -> FitResult:
    """A run with these times, and what single messages told of its platform: nothing of models."""
    with Store(path) as store:
        cells = {pattern: Cell(MPI, benchmark_of(pattern), 0, 6, placement=PLACE) for pattern in seen}
        plan = Plan(tuple(cells.values()), 1, 60.0)
        run_id = store.begin_run("rankwise fit", "duo", plan, kind="fit", topology=two_sites(per_site=6))
        part = store.begin_run("rankwise fit", "duo", plan, kind="fit", parent=run_id)
        for number in range(3):
            lines = tuple(
                Timeline(
                    cells[pattern], "flow", np.tile(one.launches[number], 3),
                    np.tile(np.arange(len(pattern), dtype=float), 3),
                )
                for pattern, one in seen.items()
            )  # fmt: skip
            store.add_launch(part, Launch((Segment(MPI, 6),), "finished", "", (), 0.0, 1.0, (), timelines=lines))
    single = platform()
    costs = CostRange(latency_seconds=LATENCY, gap_seconds_per_byte=1.02 / RATE)
    (site,) = single.sites
    site = replace(site, name="a", nodes=tuple(f"a{i}" for i in range(1, 7)), in_bytes_per_second=1e6)
    single = replace(
        single, sites=(site,), routes=(replace(single.routes[0], from_site="a", to_site="a"),),
        classes=(PairClass("lan", (costs,), eager_below_bytes=65536),),
        not_identified=dict.fromkeys(("links", "models", "flops_per_second"), "not measured"),
    )  # fmt: skip
    return FitResult(single, run_id)


def test_models_and_rates_go_into_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "CANDIDATES", FEW_CANDIDATES)
    single = stored(tmp_path / "s.sqlite", measured(platform()))
    with Store(tmp_path / "s.sqlite") as store:
        found = contention.added(single, store)
    assert not found.notices
    assert {one.name for one in found.platform.models} == set(FEW_CANDIDATES)
    first = found.platform.models[0]
    assert first.name == "alpha-fair", "which made the times"
    assert first.kappa == pytest.approx(KAPPA, rel=0.01)
    assert first.relative_error is not None and first.relative_error < 0.05
    assert found.platform.intervals["models.alpha-fair.kappa"].low < KAPPA
    assert found.platform.sites[0].in_bytes_per_second == pytest.approx(RATE, rel=0.02)
    assert list(found.platform.not_identified) == ["flops_per_second"]
    assert found.platform.classes == single.platform.classes


def test_times_that_no_model_explains_leave_the_platform_without_models(tmp_path: Path) -> None:
    seen = measured(platform())
    slower = {
        pattern: replace(one, launches=one.launches * (1 + 0.1 * (len(pattern) > 1)))
        for pattern, one in seen.items()
    }
    single = stored(tmp_path / "s.sqlite", slower)
    with Store(tmp_path / "s.sqlite") as store:
        found = contention.added(single, store)
    assert found.platform.models == single.platform.models
    assert "two flows of one NIC" in found.platform.not_identified["models"]
    assert "two flows of one NIC" in found.notices[0].message and found.notices[0].remedy
