"""The best of several whole settings is selected only if it is slower in no cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.tune.simulated import IMPLEMENTATION, Simulated, setting
from rankwise.analysis.tune.race import SearchCriteria
from rankwise.analysis.tune.setting_search import SettingSearch, candidates_of
from rankwise.core.records import Cell
from rankwise.core.tuning import Knob, Setting, Tuning

BUFFERS = Knob(
    "socket-buffers",
    ("sndbuf", "rcvbuf"),
    "environment",
    "bytes on the way",
    ("auto", "131072", "4194304"),
    default="131072",
)
CELLS = tuple(
    Cell(IMPLEMENTATION, "pingpong", size, 2, testbed="lab", placement=placement)
    for placement in ("block", "across-sites")
    for size in (64, 65536, 4 << 20)
)
GAIN = {"": 1.0, "auto": 0.4, "4194304": 0.42, "1048576": 0.7}


def seconds(tuning: Tuning, cell: Cell) -> float:
    """Buffers matter to large messages over the long way."""
    factor = GAIN[setting(tuning, "socket-buffers")]
    far = cell.placement == "across-sites" and cell.size_bytes > 65536
    return (1e-5 + cell.size_bytes * 1e-8) * (factor if far else 1.0)


def buffer_search(*values: str, **more: object) -> SettingSearch:
    cells = more.pop("cells", CELLS)
    return SettingSearch("socket-buffers", candidates_of(BUFFERS, values), cells, **more)  # type: ignore[arg-type]


def test_each_choice_but_the_default_is_a_candidate() -> None:
    assert candidates_of(BUFFERS) == {
        "socket-buffers=auto": Tuning((Setting("socket-buffers", "auto"),)),
        "socket-buffers=4194304": Tuning((Setting("socket-buffers", "4194304"),)),
    }


@pytest.mark.parametrize(("spread", "drift"), [(0.01, 0.0), (0.04, 0.0), (0.02, 0.05)])
def test_the_best_wins_or_one_as_good(spread: float, drift: float) -> None:
    for seed in range(3):
        one = buffer_search("auto", "1048576", "4194304")
        machine = Simulated(seconds, np.random.default_rng(seed), spread, drift)
        assert setting(machine.answer(one), "socket-buffers") in ("auto", "4194304")
        assert len(machine.launched) <= one.exhaustive_launches()


def test_the_default_is_kept_when_all_are_alike() -> None:
    found = [
        Simulated(lambda _, cell: 1e-5 + cell.size_bytes * 1e-8, np.random.default_rng(seed), 0.08).answer(
            buffer_search("auto", "1048576", "4194304", criteria=SearchCriteria(max_rounds=8))
        )
        for seed in range(12)
    ]
    assert all(tuning == Tuning() for tuning in found)


def test_significantly_worse_in_one_cell_is_out_however_good_elsewhere() -> None:
    def pinned(tuning: Tuning, cell: Cell) -> float:
        worse = 1.3 if cell == replace(CELLS[0], label=cell.label) else 1.0
        return seconds(tuning, cell) * (worse if setting(tuning, "socket-buffers") == "auto" else 1.0)

    one = buffer_search("auto", "1048576")
    found = Simulated(pinned, np.random.default_rng(1), 0.01).answer(one)
    assert setting(found, "socket-buffers") == "1048576"
    assert "socket-buffers=auto: slower than the default in pingpong of 64 B on 2 ranks" in one.reasons()[0].words


def test_a_gain_in_one_cell_of_many_is_not_lost_in_the_mean() -> None:
    cells = tuple(replace(CELLS[0], size_bytes=size) for size in range(1, 20)) + CELLS[-1:]
    one = buffer_search("1048576", cells=cells)
    found = Simulated(seconds, np.random.default_rng(1), 0.01).answer(one)
    assert setting(found, "socket-buffers") == "1048576"  # 0.7 ** (1 / 20): 2 % in the mean


def test_weights_say_what_matters() -> None:
    def mixed(tuning: Tuning, cell: Cell) -> float:
        better = {"": (1.0, 1.0), "auto": (0.5, 1.0), "4194304": (1.0, 0.7)}[setting(tuning, "socket-buffers")]
        return better[cell.size_bytes > 1000] * 1e-5

    cells = (CELLS[0], CELLS[2])
    for weights, winner in (((9.0, 1.0), "auto"), ((1.0, 9.0), "4194304")):
        one = buffer_search("auto", "4194304", cells=cells, calls=weights)
        assert setting(Simulated(mixed, np.random.default_rng(1)).answer(one), "socket-buffers") == winner


def test_a_candidate_that_crashes_is_named_and_the_others_go_on() -> None:
    one = buffer_search("auto", "4194304", costs={"socket-buffers=4194304": "4 MiB a connection"})
    found = Simulated(
        seconds, np.random.default_rng(2),
        hangs=lambda tuning, _: "exit code 139" if setting(tuning, "socket-buffers") == "auto" else "",
    ).answer(one)  # fmt: skip
    assert setting(found, "socket-buffers") == "4194304"
    (reason,) = one.reasons()
    assert "socket-buffers=auto: unusable: exit code 139" in reason.words
    assert reason.words.startswith("socket-buffers=4194304: ") and "unusable" not in reason.words[:60]
    assert reason.cost == "4 MiB a connection"


def test_cells_that_nobody_can_do_are_left_out() -> None:
    one = buffer_search("auto", cells=(*CELLS, replace(CELLS[0], benchmark="late_receiver")))
    machine = Simulated(
        seconds, np.random.default_rng(2), 0.01,
        fails=lambda _, cell: "needs MPI-3" if cell.benchmark == "late_receiver" else "",
    )  # fmt: skip
    assert setting(machine.answer(one), "socket-buffers") == "auto"
    assert sum(cell.benchmark == "late_receiver" for trial in machine.launched for cell in trial.cells) == 2
    none = buffer_search("auto")
    machine = Simulated(seconds, np.random.default_rng(2), fails=lambda *_: "needs MPI-3")
    assert machine.answer(none) == Tuning()
    assert machine.rounds == 1
    assert none.reasons()[0].words.startswith("left as it is")


def test_whole_variants_may_set_hosts() -> None:
    limits = (("net.ipv4.tcp_rmem", "4096 131072 4194304"),)
    one = SettingSearch("host settings", {"larger buffers": Tuning(host_settings=limits)}, CELLS[-1:])
    found = Simulated(lambda tuning, _: 0.1 if tuning.host_settings else 0.2, np.random.default_rng(3)).answer(one)
    assert found.host_settings == limits


def test_nothing_to_choose_is_answered_at_once() -> None:
    one = SettingSearch("transport", {}, CELLS)
    assert one.ask() == ()
    assert one.best() == Tuning()
    assert one.exhaustive_launches() == 0


def test_sizes_that_differ_are_told_apart() -> None:
    """A fifth at large sizes and nothing at small ones is not "0.45 over all"."""
    cells = [replace(CELLS[0], size_bytes=size) for size in (1, 1024, 1 << 20, 1 << 22)]

    def law(tuning: Tuning, cell: Cell) -> float:
        return 0.2 if tuning.host_settings and cell.size_bytes > 1024 else 1.0

    one = SettingSearch("limits", {"limits=large": Tuning(host_settings=(("tcp_rmem", "1"),))}, cells)
    assert Simulated(law, np.random.default_rng(1)).answer(one).host_settings
    (reason,) = one.reasons()
    small, large = reason.words.split(", placement")[:2]
    assert small.startswith("limits=large: ") and "of 1 B to 1 KiB" in small
    assert "of 1 MiB to 4 MiB" in large and "0.2" in large


@pytest.mark.parametrize(
    ("spread", "gain", "worth_it"), [(0.15, 0.5, True), (0.05, 1.0, False), (0.05, 0.9, False)]
)
def test_a_lone_candidate_that_seems_much_faster_is_worth_a_validation(
    spread: float, gain: float, worth_it: bool
) -> None:
    """Where the time is over after three rounds nothing may be certain; the validation is a test of its own."""
    cells = [replace(CELLS[0], size_bytes=size) for size in (64, 1 << 22)]

    def law(tuning: Tuning, cell: Cell) -> float:
        return gain if tuning.host_settings and cell.size_bytes > 64 else 1.0

    one = SettingSearch("limits", {"limits=large": Tuning(host_settings=(("tcp_rmem", "1"),))}, cells)
    machine = Simulated(law, np.random.default_rng(3), spread)
    for _ in range(3):
        one.tell(machine.round(one.ask()))
    assert bool(one.ask()) is not worth_it, "more launches of the search would not tell more"
    assert bool(one.best().host_settings) is worth_it
