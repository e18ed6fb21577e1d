"""What a search was asked for comes back from the store as it was."""

import msgspec

from rankwise.analysis.tune.race import SearchCriteria
from rankwise.workflows.tune.stages import TuneSpec
from rankwise.workflows.tune.tuner import TuneOptions, stored_options


def test_options_come_back() -> None:
    options = TuneOptions("wan", "/profiles", TuneSpec((), (), criteria=SearchCriteria(0.2)), 60.0)
    text = msgspec.json.encode(options).decode()
    assert stored_options(text) == options
