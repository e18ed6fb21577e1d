"""What a profile sets for one implementation, in a sentence."""

from __future__ import annotations

from rankwise.core.tuning import Decision, Tuning
from rankwise.profiles.words import decision_words, value_words


def tuning_sentence(profile: str, implementation: str, tuning: Tuning) -> str:
    """Return `Profile wan sets for openmpi-5.0.11: ...`, with everything that `tuning` sets."""
    said = [", ".join(f"{setting.knob} {value_words(setting)}" for setting in tuning.settings)]
    said += map(decision_sentence, tuning.decisions)
    said.append(", ".join(f"{key} = {value} on every host" for key, value in tuning.host_settings))
    text = "; ".join(filter(None, said)) or "nothing, all is as by default"
    return f"Profile {profile} sets for {implementation}: {text}."


def decision_sentence(decision: Decision) -> str:
    """Describe a decision: `bcast on 4 ranks binomial up to 4 KiB, pipeline above 4 KiB`."""
    rules = ", ".join(f"{choice} {sizes}" for sizes, choice in decision_words(decision))
    return f"{decision.operation} on {decision.ranks} ranks {rules}"
