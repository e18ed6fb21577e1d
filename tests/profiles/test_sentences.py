from __future__ import annotations

from rankwise.core.tuning import Tuning
from rankwise.profiles.sentences import profile_sentence
from support.profiles import RMEM, part, profile


def test_a_profile_in_a_sentence() -> None:
    one = part()
    assert profile_sentence(profile(one), one) == (
        "Profile wan sets for openmpi-5.0.11: eager-threshold 32 MiB, transport tcp; "
        "bcast on 4 ranks binomial up to 4 KiB, pipeline, segments of 64 KiB, fan-out 2 above 4 KiB; "
        f"{RMEM} = 4096 131072 16777216 on every host."
    )


def test_nothing_and_another_version() -> None:
    one = part(tuning=Tuning())
    assert profile_sentence(profile(one), one, "openmpi-4.1.4") == (
        "Profile wan sets for openmpi-4.1.4 (made for openmpi-5.0.11): nothing, all is as by default."
    )
