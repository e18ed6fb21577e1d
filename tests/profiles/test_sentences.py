"""Sentences say everything that a profile sets."""

from __future__ import annotations

from rankwise.core.tuning import Tuning
from rankwise.profiles.sentences import tuning_sentence
from support.profiles import RMEM, part


def test_a_tuning_in_a_sentence() -> None:
    assert tuning_sentence("wan", "openmpi-5.0.11", part().tuning) == (
        "Profile wan sets for openmpi-5.0.11: eager-threshold 32 MiB, transport tcp; "
        "bcast on 4 ranks binomial up to 4 KiB, pipeline, segments of 64 KiB, fan-out 2 above 4 KiB; "
        f"{RMEM} = 4096 131072 16777216 on every host."
    )


def test_a_tuning_that_sets_nothing() -> None:
    said = tuning_sentence("wan", "openmpi-4.1.4", Tuning())
    assert said == "Profile wan sets for openmpi-4.1.4: nothing, all is as by default."
