"""The fit of sharing finds the parameters that made the times, and refuses times that no model explains."""

from dataclasses import replace

import numpy as np
import pytest

from rankwise.analysis.fit import accuracy as accuracy_of_models
from rankwise.analysis.fit import sharing
from rankwise.analysis.fit.accuracy import SharingFit, accuracy, fit_one_switch
from rankwise.analysis.fit.sharing_data import Observed
from rankwise.analysis.fit.sharing_patterns import GUARDS, micro_patterns, random_pattern
from rankwise.analysis.fit.simulated import simulated
from rankwise.core.errors import HostError
from support.made_up_flows import ALPHA, KAPPA, LATENCY, RATE, measured, platform

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def fit() -> SharingFit:
    """Of the models that did not make the times, with fewer parameters than they may have."""
    others = {"queues": ((), ("kappa",)), "max-min": ((), ("kappa",)), "flow-cuts": (("outer_cut",),)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharing, "CANDIDATES", {**sharing.CANDIDATES, **others})
        return fit_one_switch(measured(platform()), simulated)


def test_the_parameters_are_found_within_their_intervals(fit: SharingFit) -> None:
    found = fit.models["alpha-fair"]
    assert found.model.alpha == pytest.approx(ALPHA, rel=0.05)
    assert found.model.kappa == pytest.approx(KAPPA, rel=0.01)
    assert found.intervals["alpha"].low < ALPHA < found.intervals["alpha"].high
    assert not found.not_identified and next(iter(fit.models)) == "alpha-fair"
    assert fit.alone.seconds_per_byte.value == pytest.approx(1 / RATE, rel=0.01)
    assert fit.alone.latency.value == pytest.approx(LATENCY, abs=3e-3)
    for rate in (fit.in_rate, fit.out_rate):
        assert rate and rate.value == pytest.approx(RATE, rel=0.01)


def test_the_model_that_made_the_times_predicts_others_best(fit: SharingFit) -> None:
    bands = {name: one.model.relative_error for name, one in fit.models.items()}
    assert bands["alpha-fair"] is not None and bands["alpha-fair"] < 0.02
    assert bands["queues"] is not None and bands["queues"] > 0.02, "of alpha = 1"
    others = [band for name, band in bands.items() if name not in {"alpha-fair", "queues"}]
    assert all(band is not None and band > 0.05 for band in others)


def test_how_far_predictions_are_off(fit: SharingFit) -> None:
    pattern = random_pattern(5, 6, ends=3, flows=8)
    (times,) = simulated(platform(), "alpha-fair", [pattern])
    off = accuracy(fit.platform, "alpha-fair", [Observed(pattern, times[np.newaxis] * 1.25)], simulated)
    assert off.mean == pytest.approx(0.2, abs=0.02)
    assert off.flows == 8 and off.covered == 0.0


@pytest.fixture
def one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fits are of alpha-fair alone."""
    monkeypatch.setattr(accuracy_of_models, "MODELS", ("alpha-fair",))


@pytest.mark.nightly
@pytest.mark.usefixtures("one_model")
def test_no_bus_is_no_parameter() -> None:
    found = fit_one_switch(measured(platform(kappa=2.0)), simulated).models["alpha-fair"]
    assert found.model.alpha == pytest.approx(ALPHA, rel=0.05)
    assert (found.model.kappa, sorted(found.not_identified)) == (2.0, ["kappa"])


def test_data_that_wait_in_queues_tell_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy_of_models, "MODELS", ("alpha-fair", "queues"))
    models = fit_one_switch(measured(platform(model="queues", window_bytes=1e5)), simulated).models
    assert list(models) == ["queues", "alpha-fair"], "the default is what predicts others best"
    found = models["queues"]
    assert found.model.kappa == pytest.approx(KAPPA, rel=0.01)
    assert found.model.window_bytes == pytest.approx(1e5, rel=0.2)
    assert found.intervals["window_bytes"].low < 1e5 < found.intervals["window_bytes"].high


@pytest.mark.parametrize("name", GUARDS)
def test_flows_that_do_not_share_a_nic_are_refused(name: str) -> None:
    seen = measured(platform(), noise=0.0)
    pattern = micro_patterns()[name]
    seen[pattern] = replace(seen[pattern], launches=seen[pattern].launches * [1.0, 0.9])
    with pytest.raises(HostError, match=r"two flows of one NIC took 2\.00, 1\.80 times"):
        fit_one_switch(seen, simulated)


def test_dropped_packets_are_refused() -> None:
    with pytest.raises(HostError, match="7 packets were dropped"):
        fit_one_switch(measured(platform()), simulated, dropped=7)


def test_a_pattern_that_is_missing_is_named() -> None:
    seen = measured(platform())
    del seen[micro_patterns()["zigzag of 3"]]
    with pytest.raises(HostError, match="not measured: zigzag of 3"):
        fit_one_switch(seen, simulated)
