"""The component adapt is one switch; where it leads, rules for what it does are refused: nobody reads them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankwise.core.errors import InputError
from rankwise.core.tuning import Choice, Decision, ReadBack, Rule, Setting, Tuning
from rankwise.mpi.openmpi.parameters import Parameter
from rankwise.mpi.openmpi.settings import knobs, native, read_back
from support.ompi_info import example

TOLD = example()
ON = (Setting("adapt", "on"),)


def rules(operation: str, name: str) -> tuple[Decision, ...]:
    return (Decision(operation, 4, (Rule(None, Choice(name)),)),)


def in_force(adapt: int) -> dict[str, str]:
    said = f"coll_adapt_priority={adapt} (environment)", "coll_han_priority=35 (default)"
    lines = "".join(f"[a:1] {one}\n" for one in (*said, "coll_tuned_priority=30 (default)"))
    return dict(read_back(TOLD, lines).in_force)


def test_its_priority_is_above_those_of_its_rivals_or_zero() -> None:
    assert next(one.default for one in knobs(TOLD) if one.name == "adapt") == "off"
    assert native(TOLD, Tuning(ON)).environment == (("OMPI_MCA_coll_adapt_priority", "45"),)
    assert native(TOLD, Tuning((Setting("adapt", "off"),))).environment == (("OMPI_MCA_coll_adapt_priority", "0"),)
    assert (in_force(45)["adapt"], in_force(31)["adapt"]) == ("on", "off")
    assert read_back(TOLD, "") == ReadBack()


def test_an_installation_without_it_has_no_such_knob() -> None:
    assert "adapt" not in {one.name for one in knobs(example("coll_adapt_priority"))}


@pytest.mark.parametrize(
    ("operation", "name"), [("bcast", "chain"), ("ibcast", "linear"), ("ireduce", "binomial")]
)
def test_rules_for_what_it_does_are_refused_where_it_leads(operation: str, name: str) -> None:
    with pytest.raises(InputError, match=f"{operation}: the component adapt does this"):
        native(TOLD, Tuning(ON, rules(operation, name)))
    users = {**TOLD.parameters, "coll_adapt_priority": Parameter("100")}
    with pytest.raises(InputError, match="adapt"):
        native(replace(TOLD, parameters=users), Tuning(decisions=rules(operation, name)))
    native(TOLD, Tuning((Setting("adapt", "off"),), rules(operation, name)))


def test_other_rules_act_beside_it() -> None:
    found = native(TOLD, Tuning(ON, (*rules("allgather", "ring"), *rules("bcast", ""))))
    assert ("OMPI_MCA_coll_adapt_priority", "45") in found.environment
    assert len(found.files) == 2
