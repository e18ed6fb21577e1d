"""`rankwise map` reads a matrix, places its ranks on a testbed, and writes what a launcher takes."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankwise.analysis.recordings.base import read
from rankwise.cli.main import rankwise
from rankwise.core.platform import Provenance
from rankwise.workflows import map_verify
from support.command_line import rankwise as rankwise_command
from support.emulated import needs_emulation
from support.hwloc import lstopo
from support.made_up_trace import NUMBER, Call, write_trace
from support.mpis import FOUND
from support.overlay import compiled
from support.traces import open_folder, record
from support.two_sites import write_two_sites

PAIRS = "".join(f"{rank},{rank + 4},1000000\n" for rank in range(4))


def mapped(*arguments: str) -> tuple[int, str]:
    """The exit code, and all that was said."""
    result = CliRunner().invoke(rankwise, ["map", *arguments])
    error = f"{result.exception}" if result.exception else ""
    return result.exit_code, result.output + error


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A matrix, and two hosts."""
    (tmp_path / "traffic.csv").write_text(PAIRS)
    (tmp_path / "hosts").write_text("one slots=4\ntwo slots=4\n")
    return str(tmp_path / "traffic.csv"), str(tmp_path / "hosts")


def test_pairs_get_one_host_and_the_rankfile_says_so(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "ranks"
    code, said = mapped(files[0], "--hostfile", files[1], "-o", str(out))
    assert code == 0
    assert "mpirun --rankfile" in said
    hosts = [line.split("=")[1].split()[0] for line in out.read_text().splitlines()]
    assert all(hosts[rank] == hosts[rank + 4] for rank in range(4))


def test_json_and_pins(files: tuple[str, str]) -> None:
    code, said = mapped(files[0], "--hostfile", files[1], "--pin", "0=two,1=two", "--json")
    told = json.loads(said)
    assert (code, told["hosts"][:2], told["cost"]) == (0, ["two", "two"], 4e6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--pin", "0=nowhere"), "nowhere"),
        (("--pin", "99=one"), "cannot pin rank 99"),
        (("--pin", "zero"), "does not pin a rank"),
        (("--distances", "10:1:100"), "must increase"),
        (("--distances", "1:x"), "not valid distances"),
        (("--distances", "1:2:10:100"), "4 distances were given without --lstopo"),
        (("--lstopo", "/nowhere/host.xml"), "cannot read the topology"),
        (("--pin", "0=one,1=one,2=one,3=one,4=one"), "too many ranks are pinned to one"),
        (("--placement", "nowhere"), "nowhere"),
        (("-o", "/nowhere/ranks"), "cannot write"),
        (("--objective", "time"), "does not hold single calls"),
        (("--platform", "platform.toml"), "--platform is for predicted times"),
        (("--compare", "-o", "ranks"), "does not name its program"),
    ],
)
def test_bad_input(files: tuple[str, str], arguments: tuple[str, ...], words: str) -> None:
    code, said = mapped(files[0], "--hostfile", files[1], *arguments)
    assert code != 0
    assert words in said


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ("0,1,-5\n", "'-5' is not a number of bytes"),
        ("1 2 3 4 5\n1 2 3 4 5\n", "a table of 2 ranks has 2 numbers in each row"),
        ("0,8,1\n", "9 ranks do not fit into the 8 slots of the testbed"),
        ("", "it is empty"),
    ],
)
def test_bad_matrices(files: tuple[str, str], matrix: str, words: str) -> None:
    Path(files[0]).write_text(matrix)
    code, said = mapped(files[0], "--hostfile", files[1])
    assert code != 0 and words in said


def test_hosts_with_unequal_slots_are_not_overfilled(tmp_path: Path) -> None:
    (tmp_path / "traffic.csv").write_text(PAIRS + "0,1,10\n2,3,10\n")
    (tmp_path / "hosts").write_text("one slots=5\ntwo slots=2\nthree slots=1\nfour slots=3\n")
    code, said = mapped(str(tmp_path / "traffic.csv"), "--hostfile", str(tmp_path / "hosts"), "--json")
    hosts = json.loads(said)["hosts"]
    assert code == 0
    assert all(hosts.count(host) <= slots for host, slots in [("one", 5), ("two", 2), ("three", 1), ("four", 3)])
    assert all(hosts[rank] == hosts[rank + 4] for rank in range(4)), "each pair fits on a host"


def test_with_a_topology_neighbours_get_cores_of_one_package(files: tuple[str, str], tmp_path: Path) -> None:
    package = '<object type="Package"><object type="Core"/><object type="Core"/></object>'
    (tmp_path / "host.xml").write_text(f'<topology><object type="Machine">{package * 2}</object></topology>')
    out = tmp_path / "ranks"
    code, said = mapped(files[0], "--hostfile", files[1], "--lstopo", str(tmp_path / "host.xml"), "-o", str(out))
    assert code == 0, said
    places = [line.split("=", 1)[1].split(" slot=") for line in out.read_text().splitlines()]
    assert len({tuple(place) for place in places}) == 8
    for rank in range(4):
        (host, core), (other, near) = places[rank], places[rank + 4]
        assert host == other and int(core) // 2 == int(near) // 2


@pytest.mark.parametrize("synthetic", ["package:2 core:2 pu:2", "node:2 core:2 pu:1"])
def test_cores_packages_and_hosts_are_those_that_lstopo_writes(
    synthetic: str, files: tuple[str, str], tmp_path: Path
) -> None:
    """Ranks of a heavy pair share a package, of a light one a host: by cores, as a rankfile names them."""
    topology = lstopo(tmp_path / "host.xml", "-i", synthetic)
    Path(files[0]).write_text("0,7,1000\n1,6,1000\n2,5,1000\n3,4,1000\n0,6,10\n2,4,10\n")
    out = tmp_path / "ranks"
    code, said = mapped(files[0], "--hostfile", files[1], "--lstopo", str(topology), "-o", str(out))
    assert code == 0, said
    found = [line.split("=", 1)[1].split(" slot=") for line in out.read_text().splitlines()]
    hosts, cores = [host for host, _ in found], [int(core) for _, core in found]
    assert {core for host, core in zip(hosts, cores, strict=True) if host == "one"} == set(range(4))
    for rank in range(4):
        assert (hosts[rank], cores[rank] // 2) == (hosts[7 - rank], cores[7 - rank] // 2)
    assert hosts[0] == hosts[6] and hosts[2] == hosts[4]


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """Ranks 0 and 2, 1 and 3 send one another a megabyte, ten times."""
    message = (7, 1 << 20)

    def calls(rank: int) -> list[Call]:
        send = (NUMBER["MPI_Send"], 0, rank ^ 2, *message)
        receive = (NUMBER["MPI_Recv"], 0, rank ^ 2, *message, rank ^ 2, *message)
        both = (send, receive) if rank < 2 else (receive, send)
        return [(row, 1000, 1000) for _ in range(10) for row in both]

    folder = tmp_path / "app.trace"
    folder.mkdir()
    return str(write_trace(folder, [calls(rank) for rank in range(4)]))


def test_what_a_trace_lacks_is_told(trace: str) -> None:
    """The others' messages are mapped, and not those of a rank whose record is damaged."""
    file = Path(trace) / "rank-000003.trace"
    file.write_bytes(file.read_bytes()[:20])
    code, said = mapped(trace, "--testbed", "grid5000-2007", "--json")
    told = json.loads(said[said.index("{") :])
    assert code == 0 and len(told["hosts"]) == 4
    assert "rank-000003.trace ends within a block" in told["notices"][0]
    assert told["notices"][1] == "of 4 ranks 1 left no readable trace: 3"


def test_the_predicted_time_is_made_small(trace: str) -> None:
    words = ("--placement", "block", "--testbed", "grid5000-2007", "--objective", "time", "--time", "1s")
    code, said = mapped(trace, *words, "--json")
    assert "{" in said, said
    told = json.loads(said[said.index("{") :])
    assert code == 0
    times = dict(told["predicted"])
    assert told["predicted"][0][1] < 0.7 * times["now"]
    sites = [host.split("-")[0] for host in told["hosts"]]
    assert (sites[0], sites[1]) == (sites[2], sites[3])
    assert "nothing of this platform is measured" in " ".join(told["notices"])
    assert times["block"] == times["now"]


def test_the_predicted_gain_has_the_band_of_a_measured_platform(trace: str, tmp_path: Path) -> None:
    words = ("--placement", "block", "--testbed", "two-clusters", "--objective", "time", "--time", "0.5s")
    code, said = mapped(trace, *words, "--json")
    found = json.loads(said[said.index("{") :])["gain"]
    assert code == 0 and found["ratio_low"] is None and "is not known" in found["no_band"]
    (tmp_path / "hosts").write_text("a1\na2\nb1\nb2\n")
    platform = str(write_two_sites(tmp_path / "platform.toml", provenance=Provenance()))
    words = (trace, "--hostfile", str(tmp_path / "hosts"), "--platform", platform, "--objective", "time")
    code, said = mapped(*words, "--time", "0.5s", "--json")
    assert "{" in said, said
    found = json.loads(said[said.index("{") :])["gain"]
    assert code == 0 and found["no_band"] == ""
    ratio = found["mapped_seconds"] / found["now_seconds"]
    assert found["ratio_low"] < ratio < found["ratio_high"] < 1
    assert found["now_band"]["low_seconds"] < found["now_seconds"] < found["now_band"]["high_seconds"]
    assert "of it, in 9 of 10 cases" in mapped(*words, "--time", "0.1s")[1]


def test_a_platforms_own_nodes_are_the_hosts_if_nothing_else_says_so(trace: str, tmp_path: Path) -> None:
    platform = str(write_two_sites(tmp_path / "platform.toml"))
    code, said = mapped(trace, "--platform", platform, "--placement", "cyclic", "--json")
    told = json.loads(said[said.index("{") :])
    assert code == 0 and told["now"] == ["a1", "a2", "b1", "b2"]
    sites = [host[0] for host in told["hosts"]]
    assert sites[0] == sites[2] != sites[1] == sites[3]
    (tmp_path / "traffic.csv").write_text(PAIRS)
    code, said = mapped(str(tmp_path / "traffic.csv"), "--platform", platform, "--json")
    hosts = json.loads(said)["hosts"]
    assert code == 0 and all(hosts.count(host) == 2 for host in hosts), "eight ranks on four nodes"
    code, said = mapped(trace, "--platform", platform, "--objective", "time", "--time", "0.2s", "--json")
    assert code == 0 and json.loads(said[said.index("{") :])["gain"]["no_band"] == ""
    code, said = mapped(trace, "--platform", platform, "--compare", "-o", "ranks")
    assert code != 0 and "--compare cannot run the program on a platform" in said


def test_a_permutation_has_the_hosts_of_now_and_the_header_beside_it(tmp_path: Path) -> None:
    (tmp_path / "traffic.csv").write_text("0,2,1000000\n1,3,1000000\n")
    (tmp_path / "hosts").write_text("one slots=2\ntwo slots=2\nthree slots=8\n")
    words = (str(tmp_path / "traffic.csv"), "--hostfile", str(tmp_path / "hosts"), "--format", "permutation")
    code, said = mapped(*words, "-o", str(tmp_path / "order"))
    assert code == 0 and "rankwise_order.h" in said
    ranks = [int(line) for line in (tmp_path / "order").read_text().split()]
    assert {frozenset(ranks[:2]), frozenset(ranks[2:])} == {frozenset({0, 2}), frozenset({1, 3})}
    assert "rankwise_order(MPI_Comm" in (tmp_path / "rankwise_order.h").read_text()


@pytest.mark.mpi
@pytest.mark.timeout(200)
@needs_emulation
def test_verify_runs_the_program_both_ways_and_says_which_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_verify, "LAUNCHES", 2)
    family = next(one.id for one in FOUND if one.id.startswith("openmpi-5"))
    with open_folder() as home:
        program = str(compiled(family, "traced"))
        assert record(home / "t", family, 4, [program, "4"]).returncode == 0
        words = (str(home / "t"), "--testbed", "two-clusters", "--time", "0.2s", "-o", str(home / "ranks"))
        words += ("--compare", "--store", str(home / "runs"), "--json")
        code, said = mapped(*words, "--placement", "across-sites")
        assert code == 0, said
        found = json.loads(said[said.index("{") :])["verified"]
    text = json.dumps(found)
    assert str(home / "ranks") in text and "across-sites" in text
    assert any(one in text for one in ("faster", "slower", "undecided", "equivalent"))


def test_where_nothing_moves_there_is_nothing_to_verify(trace: str, tmp_path: Path) -> None:
    about = {"program": ["./app"], "implementation": "mpich-5.0.2"}
    (Path(trace) / "trace.json").write_text(json.dumps(about))
    now = tmp_path / "now"
    hosts = ("rennes-1", "nancy-1", "rennes-2", "nancy-2")
    now.write_text("".join(f"rank {rank}={host} slot=0\n" for rank, host in enumerate(hosts)))
    words = (
        "--testbed",
        "grid5000-2007",
        "--placement",
        str(now),
        "--time",
        "0.2s",
        "-o",
        str(tmp_path / "ranks"),
    )
    pins = ",".join(f"{rank}={host}" for rank, host in enumerate(hosts))
    code, said = mapped(trace, *words, "--pin", pins, "--compare")
    assert code == 0 and "--compare has nothing to compare" in said


def test_pinned_ranks_stay_whatever_is_predicted(trace: str) -> None:
    words = ("--placement", "cyclic", "--testbed", "grid5000-2007", "--objective", "time", "--time", "0.2s")
    code, said = mapped(trace, *words, "--pin", "0=nancy-2,2=rennes-1", "--json")
    hosts = json.loads(said[said.index("{") :])["hosts"]
    assert code == 0 and (hosts[0], hosts[2]) == ("nancy-2", "rennes-1")


def test_a_program_runs_again_only_from_a_trace_that_names_it(trace: str) -> None:
    code, said = mapped(trace, "--testbed", "grid5000-2007", "--compare", "-o", "ranks")
    assert code != 0 and "does not name its program" in said
    (Path(trace) / "trace.json").write_text('{"program": ["./app"], "implementation": "mpich-5.0.2"}')
    code, said = mapped(trace, "--testbed", "grid5000-2007", "--compare")
    assert code != 0 and "--compare runs the program with a rankfile" in said
    code, said = mapped(trace, "--testbed", "grid5000-2007", "--compare", "-o", "ranks", "--format", "slurm")
    assert code != 0 and "--compare runs the program with a rankfile" in said


@pytest.mark.mpi
@pytest.mark.parametrize("family", ["openmpi-5", pytest.param("openmpi-4", marks=pytest.mark.nightly)])
def test_what_open_mpi_monitored_is_the_matrix_of_the_trace(family: str) -> None:
    found = [one.id for one in FOUND if one.id.startswith(family)]
    if not found:
        pytest.skip(f"no {family} here")
    """But for the four persistent messages of 12 bytes to the next rank, which it does not count."""
    persistent = np.roll(48 * np.eye(3), 1, axis=1)
    with open_folder() as home:
        program = str(compiled(found[0], "traced"))
        (home / "monitored").mkdir()
        words = "--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename"
        done = rankwise_command(
            "run", "-n", "3", "--mpi", found[0], "--launcher", f"{words} {home}/monitored/run", "--", program, "4",
            home=home,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        done = rankwise_command("trace", "-n", "3", "--mpi", found[0], "-o", "t", "--", program, "4", home=home)
        assert done.returncode == 0, done.stderr
        traced = json.loads(rankwise_command("trace", "show", "t", "--json", home=home).stdout)["bytes"]
        for monitored in (home / "monitored", home / "monitored" / "run.1.prof"):
            assert np.array_equal(read(monitored).need_traffic().matrix.sent_bytes.toarray() + persistent, traced)
        (home / "hosts").write_text("one slots=2\ntwo slots=2\n")
        code, said = mapped(str(home / "monitored"), "--hostfile", str(home / "hosts"))
        assert code == 0, said
