"""A choice of a schedule is never taken for an MPI's own algorithm, and has the benchmark that measures it."""

from rankwise.core.schedule_names import benchmark_of, choice_name, chosen_schedule
from rankwise.core.tuning import Choice


def test_schedules_and_own_algorithms_are_told_apart() -> None:
    assert chosen_schedule(Choice(choice_name("chain"))) == "chain"
    assert chosen_schedule(Choice("chain")) == chosen_schedule(Choice()) == ""


def test_parameters_are_part_of_the_benchmark() -> None:
    assert benchmark_of("bcast", Choice("schedule:lanes")) == "bcast.lanes"
    assert benchmark_of("bcast", Choice("schedule:knomial", 8192, 4)) == "bcast.knomial:segment=8192:fan_out=4"
