"""A configuration's id depends on its content and on nothing else, and stays the same for ever."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core import configuration
from rankwise.core.configuration import Configuration, by_id, plain
from rankwise.core.tuning import Choice, Decision, Native, Rule, Setting, Tuning
from support.stored import OPENMPI

FULL = Configuration(
    "mpich-5.0.2",
    Tuning(
        (Setting("eager-threshold", "65536"),),
        (Decision("bcast", 4, (Rule(1024, Choice("binomial")), Rule(None, Choice("ring", 8192, 2)))),),
        (("net.ipv4.tcp_rmem", "4096 131072 6291456"),),
    ),
    Native((("rules.json", "{}\n"),), (("UCX_RNDV_THRESH", "64K"),), ("-genv", "A=1")),
    "MPICH 5.0.2",
)
_TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
_PAIRS = st.lists(st.tuples(_TEXT, _TEXT), max_size=3).map(tuple)
_CONFIGURATIONS = st.builds(
    Configuration,
    _TEXT,
    st.builds(Tuning, st.lists(st.builds(Setting, _TEXT, _TEXT), max_size=2).map(tuple), host_settings=_PAIRS),
    st.builds(Native, _PAIRS, _PAIRS, st.lists(_TEXT, max_size=2).map(tuple)),
    _TEXT,
)


def test_the_id_is_the_same_in_every_release() -> None:
    assert FULL.id == "9e254fbbe4672a15"


@given(_CONFIGURATIONS, _CONFIGURATIONS)
def test_equal_contents_have_equal_ids_and_others_have_others(one: Configuration, other: Configuration) -> None:
    assert (one == other) == (one.id == other.id) == (one.content == other.content)


@given(_CONFIGURATIONS)
def test_it_comes_back_from_its_content(one: Configuration) -> None:
    assert configuration.from_content(one.content) == one


def test_everything_that_is_loaded_is_part_of_it() -> None:
    changed = (
        replace(FULL, implementation="mpich-5.0.1"),
        replace(FULL, tuning=replace(FULL.tuning, settings=())),
        replace(FULL, native=replace(FULL.native, files=(("rules.json", "{ }\n"),))),
        replace(FULL, native=replace(FULL.native, environment=())),
        replace(FULL, library="MPICH 5.0.2 (upgraded in place)"),
    )
    assert len(by_id([FULL, *changed])) == 1 + len(changed)


def test_an_implementation_as_it_is_loads_nothing() -> None:
    assert plain(OPENMPI).is_default and not FULL.is_default


@pytest.mark.parametrize("text", ["", "{}", '{"implementation": 3}', "[]", "nonsense"])
def test_what_is_no_content_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        configuration.from_content(text)
