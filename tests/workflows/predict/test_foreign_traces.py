"""Traces of other programs, as these leave them: folders, lists, and what is not simulated."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.simulation.simulator import Bounds
from rankwise.workflows.predict.predictor import Prediction, PredictRequest, predict
from rankwise.workflows.predict.questions import Files
from support.two_sites import write_two_sites

INT = 4
"""Bytes of datatype 1; 6 is of bytes."""


@pytest.fixture
def ask(tmp_path: Path):
    """Predict a file or a folder on the platform of two sites."""
    platform = write_two_sites(tmp_path / "platform.toml")

    def made(path: Path) -> Prediction:
        return predict(PredictRequest(Files((str(path),)), platform, bounds=Bounds(60, at_once=2)))

    return made


def run_of_two(folder: Path, number: int, size: int = 1000) -> list[Path]:
    """The files that one run of `smpirun -trace-ti` leaves."""
    folder.mkdir(exist_ok=True)
    files = [folder / f"{number}.5_rank-{rank}.txt" for rank in (1, 2)]
    files[0].write_text(f"# made up\n0 init\n0 send 1 1 {size} 6\n0 barrier\n0 finalize\n")
    files[1].write_text(f"1 init\n1 recv 0 1 {size} 6\n1 barrier\n1 finalize\n")
    return files


def test_a_folder_has_a_file_for_each_rank(ask, tmp_path: Path) -> None:
    run_of_two(tmp_path / "trace", 1)
    assert ask(tmp_path / "trace").simulation.size_bytes >= 1000


def test_files_of_two_runs_are_refused(ask, tmp_path: Path) -> None:
    run_of_two(tmp_path / "trace", 1)
    run_of_two(tmp_path / "trace", 2)
    with pytest.raises(InputError, match=r"2\.5_rank-1\.txt:2: rank 0 is also in .*1\.5_rank-1\.txt"):
        ask(tmp_path / "trace")


def test_a_list_names_the_files_of_one_run(ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_of_two(tmp_path / "trace", 1)
    files = run_of_two(tmp_path / "trace", 2, size=7000)
    listed = "".join(f"{one.relative_to(tmp_path)}\n" for one in files)
    (tmp_path / "list").write_text(listed)
    assert ask(tmp_path / "list").simulation.size_bytes >= 7000  # beside the list
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "list").write_text(listed)
    monkeypatch.chdir(tmp_path)
    assert ask(Path("other/list")).simulation.size_bytes >= 7000  # where smpirun was started
    (tmp_path / "list").write_text(listed + "trace/none.txt\n")
    with pytest.raises(InputError, match=r"list:3: there is no file trace/none\.txt"):
        ask(tmp_path / "list")


def test_errors_name_the_file_and_its_line(ask, tmp_path: Path) -> None:
    files = run_of_two(tmp_path / "trace", 1)
    files[1].write_text("1 init\n1 jump\n")
    with pytest.raises(InputError, match=r"1\.5_rank-2\.txt:2: the action jump is not known"):
        ask(tmp_path / "trace")
    files[1].write_text("1 init\n1 recv 9 1 5 6\n")
    with pytest.raises(InputError, match=r"1\.5_rank-2\.txt:2: a rank must be"):
        ask(tmp_path / "trace")


@pytest.mark.parametrize(("option", "kind"), [("cpu 1", "one processor"), ("nic 1", "one NIC")])
def test_what_a_rank_has_once_is_told(ask, tmp_path: Path, option: str, kind: str) -> None:
    file = tmp_path / "two.goal"
    file.write_text(f"num_ranks 2\nrank 0 {{\nsend 8b to 1 {option}\n}}\nrank 1 {{\nrecv 8b from 0\n}}\n")
    assert [one.kind for one in ask(file).notices] == [kind]


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.lists(
        st.tuples(st.sampled_from(["send", "sendRecv", "any", "alltoallv", "barrier"]), st.integers(0, 5000)),
        max_size=8,
    )
)
def test_random_traces_send_what_was_written(ask, tmp_path: Path, data: list[tuple[str, int]]) -> None:
    lines: list[list[str]] = [["0 init"], ["1 init"]]
    sent = 0
    for action, size in data:
        other = size // 2
        both = {
            "send": (f"send 1 3 {size} 1", f"recv 0 3 {size} 1"),
            "any": (f"send 1 3 {size} 6", "irecv -333 -444 -1 6\n1 wait -333 1 -444"),
            "sendRecv": (f"sendRecv {size} 1 {other} 1 6 1", f"sendRecv {other} 0 {size} 0 1 6"),
            "alltoallv": (f"alltoallv 9 1 {size} 9 1 {other} 6 6", f"alltoallv 9 {other} 1 9 {size} 1 6 6"),
            "barrier": ("barrier", "barrier"),
        }[action]
        for rank in (0, 1):
            lines[rank].append(f"{rank} {both[rank]}")
        sent += {
            "send": INT * size,
            "any": size,
            "sendRecv": size + INT * other,
            "alltoallv": size + other,
            "barrier": 0,
        }[action]
    folder = tmp_path / "random"
    folder.mkdir(exist_ok=True)
    for rank in (0, 1):
        (folder / f"{rank}.txt").write_text("\n".join(lines[rank]) + "\n")
    assert ask(folder).simulation.size_bytes == sent
