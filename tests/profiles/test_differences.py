"""Two profiles differ in exactly the choices that are named."""

from dataclasses import replace

from rankwise.core.tuning import Setting
from rankwise.profiles.differences import ABSENT, Difference, differences
from support.profiles import RMEM, TUNING, part, profile


def test_a_profile_does_not_differ_from_itself() -> None:
    assert differences(profile(), profile(name="other")) == ()


def test_each_choice_that_differs_is_named() -> None:
    tuning = replace(
        TUNING, settings=(Setting("eager-threshold", "65536"), Setting("links", "2"), TUNING.settings[1]),
        decisions=(), host_settings=(),
    )  # fmt: skip
    found = differences(profile(), profile(part(tuning=tuning)))
    assert set(found) == {
        Difference("openmpi-5.0.11", "eager-threshold", "32 MiB", "64 KiB"),
        Difference("openmpi-5.0.11", "links", ABSENT, "2"),
        Difference(
            "openmpi-5.0.11", "bcast at 4 ranks",
            "up to 4 KiB: binomial; above 4 KiB: pipeline, segments of 64 KiB, fan-out 2", ABSENT,
        ),
        Difference("hosts", RMEM, "4096 131072 16777216", ABSENT),
    }  # fmt: skip


def test_an_implementation_that_only_one_has() -> None:
    found = differences(profile(), profile(part(), part("mpich-5.0.2")))
    assert found[0] == Difference("mpich-5.0.2", "", "", "yes")
    assert {one.implementation for one in found} == {"mpich-5.0.2"}
