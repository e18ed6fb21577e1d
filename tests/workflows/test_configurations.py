"""A profile becomes what each implementation loads, translated and with warnings where something differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.configuration import Configuration, plain
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded, Native, Setting, Tuning
from rankwise.profiles.writing import write
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.configurations import (
    ProfileChoice,
    choose,
    loader,
    resolve,
    resolve_all,
    sentences,
    tuned,
)
from support.made_up_family import OURS, install
from support.profiles import RMEM, part, profile

OTHER = replace(OURS, id="ours-2.0", version="2.0")
METHODS = """
def native(self, implementation, tuning):
    lacked = [one for one in tuning.settings if one.knob == "old" and implementation.version != "1.0"]
    if lacked:
        raise InputError("2.0 has no old", "leave it out")
    return Native(environment=tuple((one.knob.upper(), one.value) for one in tuning.settings))
"""


@pytest.fixture(autouse=True)
def _ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(METHODS, tmp_path, monkeypatch)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def made(tmp_path: Path, *settings: Setting, host: bool = False) -> ProfileChoice:
    """The profile `wan`, made for version 1.0."""
    tuning = Tuning(settings, host_settings=((RMEM, "1 2 3"),) if host else ())
    own = part("ours-1.0", Native(environment=(("NATIVE", "1"),)), tuning)
    folder = write(replace(profile(own), topology=None, testbed="local"), tmp_path / "profiles")
    return ProfileChoice("wan", str(folder))


def test_its_own_part_is_loaded_and_nothing_is_said(tmp_path: Path) -> None:
    found, said = resolve_all([made(tmp_path, Setting("new", "2"))], [OURS], LocalTestbed())
    configuration = found["ours-1.0", "wan"]
    assert configuration.native.environment == (("NATIVE", "1"),)
    assert configuration.tuning.settings == (Setting("new", "2"),)
    assert said == ()
    assert loader(LocalTestbed())(configuration).environment == (("NATIVE", "1"),)


def test_the_default_loads_nothing() -> None:
    found, said = resolve_all([], [OURS, OTHER], LocalTestbed())
    assert found == {("ours-1.0", "default"): plain(OURS), ("ours-2.0", "default"): plain(OTHER)}
    assert said == ()
    assert loader(LocalTestbed())(plain(OURS)) == Loaded()


def test_another_version_gets_it_translated_with_a_warning(tmp_path: Path) -> None:
    found, said = resolve(made(tmp_path, Setting("new", "2")), OTHER, None)
    assert found.native.environment == (("NEW", "2"),)
    assert [one.kind for one in said] == ["other-version"]


def test_what_a_version_lacks_is_refused_or_left_out(tmp_path: Path) -> None:
    choice = made(tmp_path, Setting("new", "2"), Setting("old", "3"))
    with pytest.raises(InputError, match=r"ours-2\.0 cannot load it"):
        resolve(choice, OTHER, None)
    found, said = resolve(choice, OTHER, None, force=True)
    assert found.native.environment == (("NEW", "2"),)
    assert found.tuning.settings == (Setting("new", "2"),), "what is stored is what is loaded"
    assert [one.kind for one in said] == ["other-version", "not-loaded"]


def test_another_network_and_kernel_settings_of_real_hosts_are_told(tmp_path: Path) -> None:
    found, said = resolve_all([made(tmp_path, host=True)], [OURS], LocalTestbed())
    assert loader(LocalTestbed())(found["ours-1.0", "wan"]).host_settings == ()
    assert [one.kind for one in said] == ["host-settings"]
    assert "sysctl -p" in said[0].remedy
    far = ProfileChoice("duo", str(write(profile(part("ours-1.0")), tmp_path / "far")))
    _, said = resolve_all([far], [OURS], LocalTestbed())
    assert "other-network" in {one.kind for one in said}


def test_settings_that_were_tried_on_fewer_ranks_are_told(tmp_path: Path) -> None:
    choice = made(tmp_path, Setting("new", "2"))
    assert [one.kind for ranks in (2, 4) for one in resolve(choice, OURS, None, ranks=ranks)[1]] == []
    (said,) = resolve(choice, OURS, None, ranks=16)[1]
    assert said.kind == "more-ranks"
    assert "were tried on at most 4 ranks, and this job has 16" in said.message


def test_a_file_that_was_edited_by_hand_is_loaded_as_it_stands(tmp_path: Path) -> None:
    own = part("ours-1.0", Native(files=(("rules", "first\n"),)), Tuning())
    folder = write(replace(profile(own), topology=None, testbed="local"), tmp_path / "profiles")
    before, _ = resolve(ProfileChoice("wan", str(folder)), OURS, None)
    (folder / "ours-1.0" / "rules").write_text("second\n")
    found, said = resolve(ProfileChoice("wan", str(folder)), OURS, None)
    assert [one.kind for one in said] == ["edited-profile"]
    assert found.id != before.id
    (file,) = loader(LocalTestbed())(found).files
    assert Path(file).read_text() == "second\n"


def test_variables_of_the_caller_that_do_not_go_with_it_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = profile(part("mpich-5.0.2", Native((), (("UCX_RNDV_THRESH", "32M"),))))
    choice = ProfileChoice("wan", str(write(own, tmp_path)))
    mpich = Implementation("mpich-5.0.2", "mpich", "5.0.2", "", "", "", "path")
    monkeypatch.setenv("UCX_RNDV_THRESH", "8K")
    monkeypatch.setenv("MPIR_CVAR_CH4_NETMOD", "ofi")
    found, notices = resolve(choice, mpich, own.topology)
    assert found.native.environment == (("UCX_RNDV_THRESH", "32M"),)
    assert {notice.kind for notice in notices} >= {"environment-overruled", "not-measured-with"}
    assert resolve(ProfileChoice(), mpich, own.topology)[1] == ()


def test_each_configuration_is_told_in_a_sentence() -> None:
    one = tuned(OURS, Tuning((Setting("new", "2"),)), None)
    assert sentences({one.id: "wan", plain(OURS).id: "default"}, {one.id: one}) == [
        "Profile wan sets for ours-1.0: new 2."
    ]


def test_a_profile_is_chosen_by_name_or_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choice = made(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert choose("wan") == choose(choice.folder) == choice
    assert choose("default") == ProfileChoice()
    with pytest.raises(UnknownNameError):
        choose("none-such")


def test_the_overlay_is_told_as_what_it_is() -> None:
    native = Native(environment=(("RANKWISE_OVERLAY", "default"),))
    found = Configuration("mpich-5.0.2", native=native)
    assert sentences({found.id: "overlay"}, {found.id: found}) == [
        "With overlay the built-in schedules of the overlay carry out collectives of mpich-5.0.2."
    ]
