"""The simulator's answers arrive typed and unchanged, and what it refuses is an error with a remedy."""

from pathlib import Path

import pytest

from rankwise.core.errors import HostError, InputError
from rankwise.platforms.simulator_json import simulator_json
from rankwise.simulation.results import read_simulation
from rankwise.simulation.simulator import Bounds, Detail, SimulatorJob, simulate, simulate_and_trace
from support.two_sites import LAN_DELAY, NIC, OVERHEAD, two_sites

PLATFORM = simulator_json(two_sites())
BOUNDS = Bounds(60, at_once=1)
SIZE = 1_250_000


def test_one_message_takes_what_the_costs_say() -> None:
    found = simulate(PLATFORM, [SimulatorJob("one", text=f"0 1 {SIZE}\n")], BOUNDS)
    alone = OVERHEAD + SIZE / NIC + LAN_DELAY + OVERHEAD
    assert found.total_seconds == pytest.approx(alone, rel=1e-6)
    assert (found.messages, found.size_bytes, found.ranks) == (1, SIZE, 2)
    assert found.jobs[0].name == "one"
    assert found.jobs[0].flows[0].end_seconds == pytest.approx(alone - OVERHEAD, rel=1e-6)
    assert found.contention_seconds == 0


def test_loss_is_told_by_link_and_by_pair() -> None:
    found = simulate(PLATFORM, [SimulatorJob("in", text=f"0 1 {SIZE}\n2 1 {SIZE}\n", nodes=(0, 1, 0))], BOUNDS)
    assert found.by_link[0].link in ("a1.out", "a2.in")
    assert {(one.from_node, one.to_node) for one in found.by_pair} == {("a1", "a2")}
    assert found.contention_seconds == pytest.approx(2 * SIZE / NIC, rel=1e-2)


def test_detail_is_what_was_asked_for() -> None:
    wanted = Detail(critical_path=True, timeline=True)
    found, timeline = simulate_and_trace(PLATFORM, [SimulatorJob("one", text=f"0 1 {SIZE}\n")], BOUNDS, wanted)
    parts = {one.what: one.seconds for one in found.critical_path}
    assert sum(parts.values()) == pytest.approx(found.total_seconds, rel=1e-6)
    assert parts["transfer"] == pytest.approx(SIZE / NIC, rel=1e-3)
    assert timeline is not None
    (passage,) = timeline.passages
    assert (passage.from_rank, passage.to_rank, passage.size_bytes) == (0, 1, SIZE)
    assert passage.end_seconds - passage.begin_seconds == pytest.approx(SIZE / NIC + LAN_DELAY, rel=1e-3)
    assert {one.what for one in timeline.activities} >= {"send", "receive"}


def test_ranks_of_several_jobs_are_counted_on() -> None:
    jobs = [SimulatorJob("a", text="0 1 1000\n", nodes=(0, 1)), SimulatorJob("b", text="0 1 2000\n", nodes=(2, 3))]
    _, timeline = simulate_and_trace(PLATFORM, jobs, BOUNDS, Detail(timeline=True))
    assert timeline is not None
    assert {(one.from_rank, one.to_rank, one.size_bytes) for one in timeline.passages} == {
        (0, 1, 1000), (2, 3, 2000)
    }  # fmt: skip


def test_a_deadlock_says_who_waits_for_whom() -> None:
    with pytest.raises(InputError, match="rank 0 waits for a message from rank 1"):
        simulate(PLATFORM, [SimulatorJob("dead", text="0 recv 1 0 8\n1 recv 0 0 8\n")], BOUNDS)


def test_errors_name_the_job_and_not_a_temporary_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^mine:2: "):
        simulate(PLATFORM, [SimulatorJob("mine", text="0 1 8\n0 1 x\n")], BOUNDS)
    file = tmp_path / "cut.goal"
    file.write_text("num_ranks 2\nrank 0 {\nl1: send 8b to 1\n")
    with pytest.raises(InputError, match=r"^cut.goal:4: .*} is missing"):
        simulate(PLATFORM, [SimulatorJob("cut.goal", file)], BOUNDS)


def test_too_much_memory_is_refused_with_what_it_needs() -> None:
    asked = '{"operation": "alltoall", "algorithm": "pairwise", "ranks": 40000, "count": 1}'
    with pytest.raises(HostError, match="GiB of memory"):
        simulate(PLATFORM, [SimulatorJob("all", text=asked)], Bounds(60, 1 << 30, 1))


def test_the_time_limit_holds() -> None:
    asked = '{"operation": "alltoall", "algorithm": "pairwise", "ranks": 1500, "count": 1000000}'
    with pytest.raises(HostError, match="was ended after"):
        simulate(PLATFORM, [SimulatorJob("all", text=asked)], Bounds(0.3, 0, 1))


def test_memory_is_shared_by_those_at_one_time() -> None:
    assert Bounds(1, 1000, 4).memory_of_each() == 250


@pytest.mark.parametrize("text", ["", "{}", '{"total_seconds": 1}', "[1]"])
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(HostError, match="invalid output of rankwise-sim"):
        read_simulation(text)
