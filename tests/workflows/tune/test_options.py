"""A search that an older Rankwise has begun goes on with all that it was asked for."""

import msgspec

from rankwise.analysis.tune.race import SearchCriteria
from rankwise.workflows.tune.stages import TuneSpec
from rankwise.workflows.tune.tuner import TuneOptions, stored_options


def test_options_come_back_also_under_their_former_names() -> None:
    options = TuneOptions('wan "rigour": 1', "/profiles", TuneSpec((), (), criteria=SearchCriteria(0.2)), 60.0)
    text = msgspec.json.encode(options).decode()
    assert '"criteria":' in text
    assert stored_options(text) == options
    assert stored_options(text.replace('"criteria":', '"rigour":')) == options
