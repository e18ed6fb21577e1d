"""A prediction is the simulator's own; what is told beside it (help, band, changes, sweeps) was simulated too."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.analysis.predict.what_if import parse_changes
from rankwise.core.errors import InputError
from rankwise.core.flows import Flow as CoreFlow
from rankwise.core.flows import benchmark_of
from rankwise.core.programs import WALL_TIME, Metric, Program, StoredProgram, metric_of
from rankwise.core.records import Cell, Launch, Plan, Segment, Series, Timeline
from rankwise.simulation.simulator import Bounds
from rankwise.store.store import Store
from rankwise.workflows.fit import fitting
from rankwise.workflows.predict.asking import parse_sweep
from rankwise.workflows.predict.predictor import PredictRequest, compare, predict, sweep
from rankwise.workflows.predict.questions import Collective, Files
from rankwise.workflows.schedules import parse_sites
from support.fitted import store_fit
from support.made_up_trace import NUMBER, rank_file
from support.stored import measured
from support.two_sites import LAN_DELAY, NIC, OVERHEAD, WAN, WAN_DELAY, write_two_sites

SIZE = 1_000_000


@pytest.fixture
def ask(tmp_path: Path):
    """A request about a pattern on the platform of two sites."""

    def made(pattern: str, **platform: object) -> PredictRequest:
        (tmp_path / "flows").write_text(pattern)
        file = write_two_sites(tmp_path / "platform.toml", **platform)
        return PredictRequest(Files((str(tmp_path / "flows"),)), file, bounds=Bounds(60, at_once=2))

    return made


def test_total_and_nodes(ask) -> None:
    found = predict(ask(f"0 2 {SIZE}\n"))
    assert found.simulation.total_seconds == pytest.approx(2 * OVERHEAD + SIZE / WAN + WAN_DELAY, rel=1e-4)
    assert found.nodes_of_ranks == ("a1", "a2", "b1")
    assert found.platform_name == "platform.toml: two-clusters with mpich-5.0.2"
    assert not found.notices


def test_the_band_has_the_error_of_the_model_and_of_the_delay(ask) -> None:
    found = predict(ask(f"0 2 {SIZE}\n"))
    assert found.band is not None
    assert found.band.model_share == 0.03
    moved = 1e-4 * 1.645 / 1.960
    assert found.band.parameter_share == pytest.approx(moved / found.simulation.total_seconds, rel=1e-3)


def test_no_band_where_the_error_is_unknown(ask) -> None:
    asked = ask(f"0 2 {SIZE}\n")
    found = predict(replace(asked, model="max-min"))
    assert found.band is None
    assert "max-min" in found.no_band


def test_without_the_shared_wan_two_messages_take_as_long_as_one(ask) -> None:
    found = predict(ask(f"0 2 {SIZE}\n1 3 {SIZE}\n"))
    alone = predict(ask(f"0 2 {SIZE}\n")).simulation.total_seconds
    assert found.simulation.total_seconds > 1.8 * alone
    (best,) = found.helps
    assert best.resource == "ab"
    assert best.total_seconds == pytest.approx(alone, rel=1e-3)


def test_what_hides_another_bottleneck_helps_only_together_with_it(ask) -> None:
    found = predict(ask(f"0 1 {4 * SIZE}\n0 2 {SIZE}\n3 1 {SIZE}\n0 3 {SIZE}\n", models=()))
    single = [one for one in found.helps if one.resource.endswith((".out", ".in"))]
    together = [one for one in found.helps if one not in single]
    assert len(single) > 1
    assert min(one.total_seconds for one in together) < 0.8 * min(one.total_seconds for one in single)


def test_changes_are_told_beside_what_is(ask) -> None:
    asked = ask(f"0 2 {SIZE}\n")
    found = predict(replace(asked, changes=parse_changes("wan.delay=x10")))
    assert found.baseline_seconds is not None
    assert found.simulation.total_seconds - found.baseline_seconds == pytest.approx(9 * WAN_DELAY, rel=1e-3)


def test_a_sweep_is_the_changes_one_by_one(ask) -> None:
    asked = ask(f"0 2 {SIZE}\n")
    found = sweep(asked, *parse_sweep("wan.delay=1ms:100ms"), 3)
    assert [one.value for one in found.points] == pytest.approx([1e-3, 1e-2, 1e-1])
    rest = found.total_now_seconds - WAN_DELAY
    assert [one.total_seconds for one in found.points] == pytest.approx([rest + d for d in (1e-3, 1e-2, 1e-1)])


def test_a_trace_is_predicted_on_the_hosts_that_it_ran_on(tmp_path: Path) -> None:
    """Where the platform has them, and nothing else is asked for."""
    file = write_two_sites(tmp_path / "p.toml")
    folder = tmp_path / "app.trace"
    folder.mkdir()
    send, receive = (NUMBER["MPI_Send"], 0, 1, 7, SIZE), (NUMBER["MPI_Recv"], 0, 0, 7, SIZE, 0, 7, SIZE)
    for rank, (call, host) in enumerate([(send, "b1"), (receive, "b2")]):
        (folder / f"rank-{rank:06d}.trace").write_bytes(rank_file(rank, 2, [(call, 0, 1)], host=host))
    near = predict(PredictRequest(Files((str(folder),)), file))
    assert near.nodes_of_ranks == ("b1", "b2")
    far = predict(PredictRequest(Files((f"{folder}@nodes=0,2",)), file))
    assert far.nodes_of_ranks == ("a1", "b1")
    assert far.simulation.total_seconds > near.simulation.total_seconds + 0.9 * WAN_DELAY


def test_a_collective_on_more_nodes_than_measured_says_so(tmp_path: Path) -> None:
    file = write_two_sites(tmp_path / "p.toml")
    asked = Collective("bcast", "binomial", 1000, network=parse_sites("4x4"))
    found = predict(PredictRequest(asked, file))
    assert found.simulation.ranks == len(found.nodes_of_ranks) == 16
    assert len(set(found.nodes_of_ranks)) == 16
    (notice,) = found.notices
    assert "2 sites of 2 nodes" in notice.message


def test_ranks_share_nodes_as_the_layout_says(tmp_path: Path) -> None:
    file = write_two_sites(tmp_path / "p.toml")
    found = predict(PredictRequest(Collective("bcast", "binomial", 1000, network=parse_sites("2x1x2")), file))
    assert found.nodes_of_ranks == ("a1", "a1", "b1", "b1")
    assert not found.notices


def test_algorithms_are_compared_and_refusals_told(tmp_path: Path) -> None:
    file = write_two_sites(tmp_path / "p.toml")
    names = ("ring", "recursive_doubling")
    found = compare(PredictRequest(Collective("allreduce", "ring", SIZE), file),
                    [Collective("allreduce", name, SIZE) for name in names])  # fmt: skip
    totals = [one.total_seconds for one in found.rows]
    assert sorted(one.name for one in found.rows) == sorted(names)
    assert totals == sorted(totals)
    single = predict(PredictRequest(Collective("allreduce", found.rows[0].name, SIZE), file))
    assert single.simulation.total_seconds == totals[0]


def test_several_programs_at_once_cost_one_another(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(f"0 1 {SIZE}\n")
    file = write_two_sites(tmp_path / "p.toml")
    alone = predict(PredictRequest(Files((f"{tmp_path}/a@nodes=0,1",)), file)).simulation.total_seconds
    both = predict(PredictRequest(Files((f"{tmp_path}/a@nodes=0,1", f"{tmp_path}/a@nodes=0,1")), file))
    assert alone == pytest.approx(2 * OVERHEAD + SIZE / NIC + LAN_DELAY, rel=1e-4)
    assert both.simulation.total_seconds > 1.9 * alone
    assert len(both.nodes_of_ranks) == 4


def test_a_folder_of_ranks_is_one_trace(tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    (folder / "rank0").write_text("0 init\n0 send 1 0 100\n0 finalize")
    (folder / "rank1").write_text("1 init\n1 recv 0 0 100\n1 finalize")
    (folder / "README").write_text("nothing of this is a trace")
    file = write_two_sites(tmp_path / "p.toml")
    assert predict(PredictRequest(Files((str(folder),)), file)).simulation.messages == 1


def test_a_platform_of_another_testbed_is_warned_of(ask) -> None:
    found = predict(replace(ask("0 1 8\n"), testbed="cluster"))
    assert [one.kind for one in found.notices] == ["other testbed"]
    assert not predict(replace(ask("0 1 8\n"), testbed="two-clusters")).notices


@pytest.mark.parametrize(
    ("files", "platform", "testbed"),
    [
        (("none",), "", "cluster"),
        (("flows@nodes=3-1",), "", "cluster"),
        (("flows@nodes=x",), "", "cluster"),
        (("flows",), "", ""),
        (("flows",), "none.toml", ""),
        (("flows",), "", "local"),
    ],
)
def test_what_cannot_be_predicted_has_a_remedy(
    tmp_path: Path, files: tuple[str, ...], platform: str, testbed: str
) -> None:
    (tmp_path / "flows").write_text("0 1 8\n")
    asked = PredictRequest(
        Files(tuple(f"{tmp_path}/{one}" for one in files)), tmp_path / platform if platform else None, testbed
    )
    with pytest.raises(InputError) as caught:
        predict(asked)
    assert caught.value.remedy


def test_a_stored_run_beside_it(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with Store(store) as opened:
        run_id = measured(opened)
    file = write_two_sites(tmp_path / "p.toml")
    questions = [Collective("allreduce", name, 16, ranks=2) for name in ("ring", "recursive_doubling")]
    asked = PredictRequest(questions[0], file, compare_with=run_id)
    found = compare(asked, questions, store)
    (row,) = found.measured
    assert (row.benchmark, row.size_bytes, row.ranks, row.same) == ("allreduce", 16, 2, False)
    assert row.algorithm == found.rows[0].name
    assert row.predicted_seconds == found.rows[0].total_seconds
    assert 2e-6 < row.seconds < 6e-6
    assert row.error == pytest.approx(row.predicted_seconds / row.seconds - 1)
    assert [one.kind for one in found.notices] == ["other testbed"]


def test_a_run_without_such_cells_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with Store(store) as opened:
        run_id = measured(opened)
    file = write_two_sites(tmp_path / "p.toml")
    with pytest.raises(InputError, match="on 3 ranks"):
        predict(PredictRequest(Collective("allreduce", "ring", 16, ranks=3), file, compare_with=run_id), store)
    with pytest.raises(InputError, match="did not measure this pattern"):
        (tmp_path / "flows").write_text("0 1 8\n")
        predict(PredictRequest(Files((str(tmp_path / "flows"),)), file, compare_with=run_id), store)


def test_a_pattern_beside_a_run_that_measured_it(tmp_path: Path) -> None:
    pattern = (CoreFlow(0, 2, SIZE), CoreFlow(1, 3, SIZE, 0.01))
    cell = Cell("mpich-5", benchmark_of(pattern), 0, 4)
    store = tmp_path / "store.sqlite"
    with Store(store) as opened:
        run_id = opened.begin_run("rankwise bench", "two-clusters", Plan((cell,), 1, 60.0))
        line = Timeline(cell, "flow", np.array([0.5, 0.25] * 3), np.arange(6.0))
        opened.add_launch(
            run_id, Launch((Segment("mpich-5", 4),), "finished", "", (), 0.0, 1.0, (), timelines=(line,))
        )
    (tmp_path / "flows").write_text(f"0 2 {SIZE} 0\n1 3 {SIZE} 0.01\n")
    file = write_two_sites(tmp_path / "p.toml")
    found = predict(PredictRequest(Files((str(tmp_path / "flows"),)), file, compare_with=run_id), store)
    assert [(one.benchmark, one.seconds) for one in found.measured] == [
        ("until the last ends", 0.5), ("0 -> 2", 0.5), ("1 -> 3", 0.25),
    ]  # fmt: skip
    flows = found.simulation.jobs[0].flows
    assert found.measured[2].predicted_seconds == pytest.approx(flows[1].end_seconds - 0.01)


CALC = "num_ranks 2\nrank 0 {\nl1: calc 500000000\n}\nrank 1 {\nl1: calc 250000000\n}\n"
"""Half a second."""
TYPED = ("./app", "10")


def store_program(path: Path, arguments: tuple[str, ...] = TYPED) -> int:
    """A run of a program on 2 ranks: a wall time, what it tells of seconds, and a rate."""
    metrics = (
        Metric(WALL_TIME),
        Metric("time", r"Time in seconds = ([0-9.]+)"),
        Metric("speed", r"Mop/s = ([0-9.]+)"),
    )
    cells = tuple(Cell("mpich-5.0.2", one.name, 0, ranks) for one in metrics for ranks in (2, 4))
    kept = StoredProgram(Program(arguments, metrics), (), ("",))
    with Store(path) as opened:
        run_id = opened.begin_run(
            "rankwise compare", "two-clusters", Plan(cells, 1, 60.0), kind="program", request=kept.text
        )
        for seconds in (0.8, 0.625, 0.5):
            series = tuple(
                Series(
                    one, "time" if one.benchmark == WALL_TIME else "metric", np.array([seconds * one.ranks / 2])
                )
                for one in cells
            )
            opened.add_launch(run_id, Launch((Segment("mpich-5.0.2", 2),), "finished", "", (), 0.0, 1.0, series))
        opened.finish_run(run_id, "complete", "precise")
    return run_id


def test_a_trace_beside_a_run_of_its_program(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    run_id = store_program(store)
    (tmp_path / "app.goal").write_text(CALC)
    asked = PredictRequest(
        Files((str(tmp_path / "app.goal"),)), write_two_sites(tmp_path / "p.toml"), compare_with=run_id
    )
    found = predict(asked, store)
    assert [(one.benchmark, one.seconds, one.ranks) for one in found.measured] == [
        (WALL_TIME, 0.625, 2), ("time", 0.625, 2),
    ]  # fmt: skip
    assert [one.error for one in found.measured] == pytest.approx([-0.2, -0.2], abs=1e-6)
    assert [one.kind for one in found.notices] == ["launching"]


def test_a_metric_that_is_a_time_stands_beside_the_wall_time(tmp_path: Path) -> None:
    """The wall time is the launch's own; a time is known by the name of its group, and has its unit."""
    metrics = (
        metric_of(r"(?P<wall_milliseconds>\S+)"),
        metric_of(r"Loop time of (\S+)"),
        metric_of(r"Mop/s = (\S+)"),
    )
    cells = tuple(Cell("mpich-5.0.2", one.name, 0, 2) for one in metrics)
    kept = StoredProgram(Program(TYPED, metrics), (), ("",))
    with Store(tmp_path / "store.sqlite") as opened:
        run_id = opened.begin_run(
            "rankwise compare", "two-clusters", Plan(cells, 1, 60.0), kind="program", request=kept.text
        )
        series = tuple(Series(cell, "metric", np.array([500.0])) for cell in cells)
        opened.add_launch(run_id, Launch((Segment("mpich-5.0.2", 2),), "finished", "", (), 0.0, 1.25, series))
    (tmp_path / "app.goal").write_text(CALC)
    asked = PredictRequest(
        Files((str(tmp_path / "app.goal"),)), write_two_sites(tmp_path / "p.toml"), compare_with=run_id
    )
    found = predict(asked, tmp_path / "store.sqlite")
    assert {one.benchmark: one.seconds for one in found.measured} == {
        WALL_TIME: 1.25, "wall milliseconds": 0.5, "Loop time of": 500.0,
    }  # fmt: skip


def test_a_run_of_another_program_or_other_ranks_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    other, same = store_program(store, ("./other", "10")), store_program(store, ("/where/it/is/app", "10"))
    folder = tmp_path / "trace"
    folder.mkdir()
    call = (NUMBER["MPI_Barrier"], 0, -1, 0, 0)
    for rank in range(2):
        (folder / f"rank-{rank:06d}.trace").write_bytes(rank_file(rank, 2, [(call, 0, 1)]))
    (folder / "trace.json").write_text('{"program": ["./app", "10"]}')
    file = write_two_sites(tmp_path / "p.toml")
    asked = PredictRequest(Files((str(folder),)), file, compare_with=other)
    with pytest.raises(InputError, match=r"measured \./other 10, and the trace is one of \./app 10"):
        predict(asked, store)
    assert len(predict(replace(asked, compare_with=same), store).measured) == 2
    (tmp_path / "three.goal").write_text(CALC.replace("ranks 2", "ranks 3"))
    with pytest.raises(InputError, match="on 3 ranks"):
        predict(PredictRequest(Files((str(tmp_path / "three.goal"),)), file, compare_with=same), store)
    with pytest.raises(InputError, match="several at the same time"):
        predict(replace(asked, question=Files((str(tmp_path / "three.goal"), str(folder)))), store)


def test_the_newest_stored_fit_of_an_mpi_is_a_platform(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with pytest.raises(InputError, match=r"^no fit of openmpi is stored$") as caught:
        predict(PredictRequest(Collective("bcast", "binomial", 8), mpi="openmpi", fits=store))
    assert caught.value.remedy == "measure it: rankwise fit --testbed NAME --mpi openmpi"
    store_fit(store, launches=2)
    newest = store_fit(store, launches=2)
    found = predict(PredictRequest(Collective("bcast", "binomial", 8), mpi="openmpi", fits=store))
    assert found.platform_name.startswith(f"run {newest}: duo with openmpi-5.0.11, ")
    assert found.platform == fitting.load(newest, store).platform
    for asked in ({"mpi": "mpich"}, {"mpi": "openmpi-5.0.1"}, {"mpi": "openmpi", "testbed": "cluster"}):
        with pytest.raises(InputError, match=r"is stored; there is openmpi-5\.0\.11 on duo"):
            predict(PredictRequest(Collective("bcast", "binomial", 8), fits=store, **asked))
    with pytest.raises(InputError, match="of one MPI already"):
        predict(PredictRequest(Collective("bcast", "binomial", 8), tmp_path / "p.toml", mpi="openmpi", fits=store))


def test_what_a_platform_has_not_measured_is_told(ask) -> None:
    missing = {"links": "what messages share was not measured", "classes.wan.weight": "too few flows"}
    (notice,) = predict(ask("0 1 8\n", not_identified=missing)).notices
    assert notice.message == "links: what messages share was not measured"
