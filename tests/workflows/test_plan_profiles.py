"""What a run with profiles loads, and what is said of it, with a family of our own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.bench.runner import Ready
from rankwise.core.errors import InputError
from rankwise.core.records import Cell, Plan
from rankwise.core.tuning import Native, Setting, Tuning
from rankwise.profiles.writing import write
from rankwise.testbed.local import LocalTestbed
from rankwise.workflows import plan_profiles
from support.profiles import RMEM, part, profile
from support.stored import OPENMPI

OURS = replace(OPENMPI, id="ours-1.0", family="ours", version="1.0")
OTHER = replace(OURS, id="ours-2.0", version="2.0")
FAMILY = """
from rankwise.core.errors import InputError
from rankwise.core.tuning import Native
from rankwise.mpi.family import Family


class Ours(Family):
    name = "ours"
    title = "Our MPI"

    def identify(self, compiler, ask):
        return ""

    def steps(self, implementation, job):
        raise AssertionError("nothing is to be measured")

    def native(self, implementation, tuning):
        lacked = [one for one in tuning.settings if one.knob == "old" and implementation.version != "1.0"]
        if lacked:
            raise InputError("2.0 has no old", "leave it out")
        return Native(environment=tuple((one.knob.upper(), one.value) for one in tuning.settings))
"""


@pytest.fixture(autouse=True)
def _ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mpi").mkdir()
    (tmp_path / "mpi" / "ours.py").write_text(FAMILY)
    monkeypatch.setenv("RANKWISE_PLUGINS", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def stored(tmp_path: Path, *settings: Setting, host: bool = False) -> Plan:
    """A plan that compares the default with the profile `wan`, made for version 1.0."""
    tuning = Tuning(settings, host_settings=((RMEM, "1 2 3"),) if host else ())
    own = part("ours-1.0", Native(environment=(("NATIVE", "1"),)), tuning)
    folder = write(replace(profile(own), topology=None, testbed="local"), tmp_path / "profiles")
    cells = tuple(Cell("ours-1.0", "bcast", 8, 4, label=one) for one in ("default", "wan"))
    return Plan(cells, seed=1, time_budget_seconds=1.0, profiles=(("wan", str(folder)),))


def ready(one: object) -> dict[str, Ready]:
    return {"it": Ready(one, Path("/harness"))}  # type: ignore[arg-type]


def test_its_own_part_is_loaded_and_nothing_is_said(tmp_path: Path) -> None:
    plan = stored(tmp_path, Setting("new", "2"))
    loaded, said = plan_profiles.load(plan, ready(OURS), LocalTestbed())
    assert loaded["ours-1.0", "wan"].environment == (("NATIVE", "1"),)
    assert said == ()
    assert plan_profiles.own_parts(plan, ready(OURS), LocalTestbed()) == loaded


def test_another_version_gets_it_translated_with_a_warning(tmp_path: Path) -> None:
    loaded, said = plan_profiles.load(stored(tmp_path, Setting("new", "2")), ready(OTHER), LocalTestbed())
    assert loaded["ours-2.0", "wan"].environment == (("NEW", "2"),)
    assert [one.kind for one in said] == ["other-version"]


def test_what_a_version_lacks_is_refused_or_left_out(tmp_path: Path) -> None:
    plan = stored(tmp_path, Setting("new", "2"), Setting("old", "3"))
    with pytest.raises(InputError, match=r"ours-2\.0 cannot load it"):
        plan_profiles.load(plan, ready(OTHER), LocalTestbed())
    loaded, said = plan_profiles.load(plan, ready(OTHER), LocalTestbed(), force=True)
    assert loaded["ours-2.0", "wan"].environment == (("NEW", "2"),)
    assert [one.kind for one in said] == ["other-version", "not-loaded"]


def test_another_network_and_kernel_settings_of_real_hosts_are_told(tmp_path: Path) -> None:
    plan = stored(tmp_path, host=True)
    loaded, said = plan_profiles.load(plan, ready(OURS), LocalTestbed())
    assert loaded["ours-1.0", "wan"].host_settings == ()
    assert [one.kind for one in said] == ["host-settings"]
    assert "sysctl -p" in said[0].remedy
    elsewhere = replace(plan, profiles=(("duo", str(write(profile(part("ours-1.0")), tmp_path / "far"))),))
    _, said = plan_profiles.load(elsewhere, ready(OURS), LocalTestbed())
    assert "other-network" in {one.kind for one in said}


def test_each_profile_is_told_in_a_sentence(tmp_path: Path) -> None:
    plan = stored(tmp_path, Setting("new", "2"))
    assert plan_profiles.sentences(plan, [OURS, OTHER, OPENMPI]) == [
        "Profile wan sets for ours-1.0: new 2.",
        "Profile wan sets for ours-2.0 (made for ours-1.0): new 2.",
    ]
    gone = replace(plan, profiles=(("gone", str(tmp_path / "nowhere")),))
    (said,) = plan_profiles.sentences(gone, [OURS])
    assert said.startswith("What profile gone sets cannot be told: cannot read")
