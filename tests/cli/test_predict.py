"""`rankwise predict` answers within 80 columns, as JSON and as a page, and says what is wrong with its input."""

import csv
import json
from pathlib import Path

import pytest

from rankwise.cli import main
from rankwise.workflows.schedules import Asked, export
from support.chakra import write_a_send
from support.two_sites import write_two_sites

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_algorithm.py"
Told = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write_two_sites(tmp_path / "p.toml")
    (tmp_path / "flows").write_text("0 2 1000000\n1 3 1000000\n")


def predict(*words: str) -> int:
    return main.run(["predict", *words])


def test_a_pattern(capsys: Told) -> None:
    assert predict("pattern", "flows", "--platform", "p.toml") == 0
    told = capsys.readouterr().out
    for words in ("predicted  41", "90 %:", "lost to contention", "ab", "what would help", "ranks end"):
        assert words in told
    assert max(map(len, told.splitlines())) <= 80


def test_the_same_as_json(capsys: Told) -> None:
    assert predict("pattern", "flows", "--platform", "p.toml", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["band"]["low_seconds"] < told["total_seconds"] < told["band"]["high_seconds"]
    assert [len(one["finish_seconds"]) for one in told["jobs"]] == [4]
    assert told["contention_by_link"][0]["link"] == told["what_would_help"][0]["resource"] == "ab"


def test_tables_as_csv(capsys: Told) -> None:
    def rows(*words: str) -> list[list[str]]:
        assert predict(*words, "--platform", "p.toml", "--csv") == 0
        return list(csv.reader(capsys.readouterr().out.splitlines()))

    names, *flows = rows("pattern", "flows")
    assert names == ["job", "from", "to", "size_bytes", "start_seconds", "end_seconds"]
    assert [one[:5] for one in flows] == [
        ["flows", "0", "2", "1000000", "0"],
        ["flows", "1", "3", "1000000", "0"],
    ]
    names, *ends = rows("collective", "bcast", "--algorithm", "binomial")
    assert names == ["job", "rank", "node", "finish_seconds"]
    assert [one[1] for one in ends] == ["0", "1", "2", "3"]
    names, *algorithms = rows("collective", "bcast", "--size", "1K,1M")
    assert names[0] == "algorithm"
    assert {"1024", "1048576"} == {one[1] for one in algorithms}
    names, *points = rows("pattern", "flows", "--sweep", "wan.delay=1ms:1s", "--steps", "4")
    assert names[0] == "wan.delay"
    assert [float(one[0]) for one in points] == pytest.approx([0.001, 0.01, 0.1, 1])


def test_a_page_of_its_own(capsys: Told) -> None:
    assert predict("pattern", "flows", "--platform", "p.toml", "-o", "page.html") == 0
    assert "page.html" in capsys.readouterr().err
    page = Path("page.html").read_text()
    for part in ("What would help", "Timeline", "How busy links are", "in 9 of 10 cases", "two-clusters"):
        assert part in page


def test_algorithms_beside_one_another(capsys: Told) -> None:
    assert predict("collective", "bcast", "--platform", "p.toml", "--size", "1K,1M") == 0
    told = capsys.readouterr().out
    assert "1 KiB" in told
    assert "binomial" in told


def test_a_nominal_platform_says_so(capsys: Told) -> None:
    assert predict("collective", "bcast", "--algorithm", "binomial", "--testbed", "cluster", "--size", "0") == 0
    told = capsys.readouterr().out
    assert "nothing of this platform is measured" in " ".join(told.split())
    assert "no band" in told


def test_a_schedule_of_ones_own(capsys: Told) -> None:
    assert predict("schedule", str(EXAMPLE), "-n", "4", "--platform", "p.toml") == 0
    assert "24, 6 MiB in all" in capsys.readouterr().out


def test_a_schedule_whose_file_says_for_how_many_ranks(tmp_path: Path, capsys: Told) -> None:
    (tmp_path / "three.json").write_text(export(Asked((str(EXAMPLE),), 3), "json"))
    assert predict("schedule", str(tmp_path / "three.json"), "--platform", "p.toml") == 0
    assert "messages   12, 4 MiB in all" in capsys.readouterr().out


def test_traces_of_chakra(tmp_path: Path, capsys: Told) -> None:
    """The first file stands for those of all ranks."""
    assert predict("trace", write_a_send(tmp_path, 1000).name, "--platform", "p.toml", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["messages"], told["bytes"]) == (1, 1000)
    assert len(told["jobs"][0]["finish_seconds"]) == 2


def test_a_sweep(capsys: Told) -> None:
    assert predict("pattern", "flows", "--platform", "p.toml", "--sweep", "wan.delay=1ms:1s", "--steps", "4") == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "█" in line]
    assert [row.strip().split("  ")[0] for row in rows] == ["1 ms", "10 ms", "100 ms", "1 s"]


def test_tolerance(capsys: Told) -> None:
    assert predict("tolerance", "pattern", "flows", "--platform", "p.toml") == 0
    told = capsys.readouterr().out
    assert "by the derivative alone" in told
    assert max(map(len, told.splitlines())) <= 80


def test_a_change_is_told_beside_what_is(capsys: Told) -> None:
    assert predict("pattern", "flows", "--platform", "p.toml", "--what-if", "wan.rate=x2") == 0
    assert "with wan.rate=x2: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pattern", "flows"), "rankwise fit"),
        (("pattern", "flows", "--platform", "no.toml"), "platform not found: no.toml"),
        (("pattern", "no", "--platform", "p.toml"), "cannot read no"),
        (("pattern", "flows", "--platform", "p.toml", "--what-if", "x.rate=1G"), "it has: lan, wan"),
        (("pattern", "flows", "--platform", "p.toml", "--what-if", "x"), "NAME.rate=10G"),
        (("pattern", "flows", "--platform", "p.toml", "--sweep", "wan.delay=5ms"), "1ms:100ms"),
        (("collective", "allreduce", "--algorithm", "no", "--platform", "p.toml"), "recursive_doubling"),
        (("collective", "no", "--platform", "p.toml"), "unknown operation"),
        (("trace", "dead", "--platform", "p.toml"), "rank 0 waits for a message from rank 1"),
        (("trace", "cut", "--platform", "p.toml"), "cut:3"),
        (("trace", "unknown", "--platform", "p.toml"), "unknown:3: a rank must be"),
        (("pattern", "absurd", "--platform", "p.toml"), "absurd:1: a size must be"),
        (("tolerance", "collective", "bcast", "--platform", "p.toml"), "--algorithm"),
    ],
    ids=lambda it: " ".join(it) if isinstance(it, tuple) else "",
)
def test_what_is_wrong_is_said_with_exit_2(words: tuple[str, ...], said: str, capsys: Told) -> None:
    Path("dead").write_text("0 recv 1 0 8\n1 recv 0 0 8\n")
    Path("cut").write_text("num_ranks 1\nrank 0 {\n")
    Path("unknown").write_text("num_ranks 2\nrank 0 {\nl1: send 8b to 5\n}\nrank 1 {\n}\n")
    Path("absurd").write_text("0 1 99999999999999999999\n")
    assert predict(*words) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("0 1 -5\n", "correct that line"),
        ("0 1\n", "correct that line"),
        ("", "write the file again"),
        ("num_ranks 1\nrank 0 {\n", "write the file again"),
    ],
)
def test_a_file_that_cannot_be_read_has_a_remedy(text: str, remedy: str, capsys: Told) -> None:
    Path("file").write_text(text)
    assert predict("trace", "file", "--platform", "p.toml") == 2
    assert f"remedy: {remedy}" in capsys.readouterr().err


def test_a_billion_messages_are_refused_with_the_memory_they_need(capsys: Told) -> None:
    words = ("collective", "alltoall", "--algorithm", "pairwise", "-n", "40000", "--size", "1")
    assert predict(*words, "--platform", "p.toml", "--memory", "1G") == 3
    assert "GiB of memory" in capsys.readouterr().err


def test_noise_tells_the_median_and_p99(capsys: Told) -> None:
    assert predict("pattern", "flows", "--platform", "p.toml", "--seeds", "20", "--noise", "0.2") == 0
    assert "in the median of 20 runs, p99" in capsys.readouterr().out
    assert predict("pattern", "flows", "--platform", "p.toml", "--seeds", "20", "--json") == 0
    spread = json.loads(capsys.readouterr().out)["spread"]
    assert 0 < spread["least_seconds"] <= spread["p50_seconds"] <= spread["p99_seconds"] <= spread["most_seconds"]


def test_the_timeline_as_a_file_for_perfetto(capsys: Told) -> None:
    assert predict("pattern", "flows", "--platform", "p.toml", "--trace-out", "timeline.json") == 0
    capsys.readouterr()
    assert json.loads(Path("timeline.json").read_text())["traceEvents"]


@pytest.mark.parametrize(
    "words", [("--noise", "0.1"), ("--seeds", "2", "--sweep", "wan.delay=1ms:2ms"), ("--seeds", "0")]
)
def test_noise_that_means_nothing_is_refused(words: tuple[str, ...]) -> None:
    assert predict("pattern", "flows", "--platform", "p.toml", *words) == 2
