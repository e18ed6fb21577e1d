"""What a profile sets for one implementation, in a sentence."""

from __future__ import annotations

from rankwise.core.tuning import Decision, Part, Profile
from rankwise.profiles.words import decision_words, value_words


def profile_sentence(profile: Profile, part: Part, implementation: str = "") -> str:
    """`Profile wan sets for openmpi-5.0.11: ...`; `implementation` if that is another version of the family."""
    tuning = part.tuning
    said = [", ".join(f"{one.knob} {value_words(one)}" for one in tuning.settings)]
    said += map(decision_sentence, tuning.decisions)
    said.append(", ".join(f"{key} = {value} on every host" for key, value in tuning.host_settings))
    words = "; ".join(filter(None, said)) or "nothing, all is as by default"
    name = implementation or part.implementation
    made_for = "" if name == part.implementation else f" (made for {part.implementation})"
    return f"Profile {profile.name} sets for {name}{made_for}: {words}."


def decision_sentence(found: Decision) -> str:
    """`bcast on 4 ranks binomial up to 4 KiB, pipeline above 4 KiB`."""
    rules = ", ".join(f"{choice} {sizes}" for sizes, choice in decision_words(found))
    return f"{found.operation} on {found.ranks} ranks {rules}"
