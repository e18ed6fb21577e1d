"""Testbeds that cannot be had, and words that name none: a message, a remedy, the exit code, nothing left."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from rankwise.cli import main
from rankwise.core import paths
from rankwise.testbeds import running
from support.command_line import COMMAND, assert_error, rankwise
from support.emulated import leftovers_of, needs_emulation
from support.mpis import FOUND
from support.ordinary_user import (
    NOBODY,
    as_ordinary_user,
    folder_of,
    needs_root,
    with_few_namespaces,
    with_runtime_folder,
    without_tun,
    without_user_namespaces,
)

MPI = next(
    (one.id for one in FOUND if one.family == "mpich" and one.source == "pypi"), FOUND[-1].id if FOUND else ""
)
NAME = f"unfit{os.getpid()}"
SITES = "[site.a]\nnodes = 2\n[site.b]\nnodes = 2\n"
LINK = '[[link]]\nbetween = ["a", "b"]\n'


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    assert leftovers_of(NAME) == []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A description that is right, of a testbed that no one else has."""
    path = tmp_path / "fit.toml"
    path.write_text(f'include = "two-clusters"\nname = "{NAME}"\n')
    return path


Answer = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Answer:
    """Runs a command line in this process, which is quicker where nothing is started."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKWISE_STORE", str(tmp_path / "results.sqlite"))

    def run(words: str) -> subprocess.CompletedProcess[str]:
        code = main.run(words.split())
        return subprocess.CompletedProcess(words, code, *capsys.readouterr())

    return run


WRONG = {
    "no TOML": ("[site.a]\nnodes = 2\n[site.b\n", "wrong.toml:3: this is not TOML"),
    "an unknown key": ("[site.a]\nnodes = 2\nnode = 3\n", "wrong.toml:3: site.a.node: unknown key", "nodes?"),
    "an unknown table": ("[sites.a]\nnodes = 2\n", "wrong.toml:1: sites: unknown key", "site?"),
    "a site without a link": (
        SITES,
        "wrong.toml:3: site.b: no route from site 'a' to site 'b'",
        "[[link]]",
    ),
    "a link to nowhere": (
        SITES + '[[link]]\nbetween = ["a", "c"]',
        ":6: link[1].between[2]: unknown site 'c'",
    ),
    "two hosts of one name": (
        '[site.a]\nnodes = ["x", "y"]\n[site.b]\nnodes = ["X"]\n' + LINK,
        "wrong.toml:4: site.b.nodes[1]: the host name 'X' is taken, see",
    ),
    "a link of 0 bit/s": (
        SITES + LINK + 'rate = "0 Gbit/s"',
        "wrong.toml:7: link[1].rate",
        "0 bit/s",
        "unlimited",
    ),
    "a delay without unit": (SITES + LINK + "delay = 5", "wrong.toml:7: link[1].delay: 5 has no unit"),
    "no node": ("[site.a]\nnodes = 0\n", "wrong.toml:1: site: no nodes given"),
    "what includes itself": ('include = "wrong.toml"\n', "wrong.toml:1: include", "includes this file again"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_description_that_makes_no_sense_is_refused_with_its_line(
    what: str, answer: Answer, tmp_path: Path
) -> None:
    text, *words = WRONG[what]
    (tmp_path / "wrong.toml").write_text(text)
    assert_error(answer("testbed up wrong.toml"), 2, *words)
    assert leftovers_of("wrong") == []


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read(content: bytes | None, answer: Answer, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "odd.toml").write_bytes(content)
    assert_error(answer("testbed show odd.toml"), 2, "odd.toml")


VERBS = ["testbed show {}", "testbed up {}", "testbed check {}", "testbed exec --testbed {} n -- true",
         "compare --testbed {}", "bench pingpong --testbed {}", "run --testbed {} -- true"]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_answers_an_unknown_testbed_with_the_nearest(verb: str, answer: Answer) -> None:
    assert_error(
        answer(verb.format("two-cluster")), 2, "unknown testbed 'two-cluster'", "did you mean two-clusters"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("testbed exec north-1 --testbed fit.toml -- true", f"testbed {NAME} is not up"),
        (f"testbed down {NAME}", NAME),
        ("testbed down", "no testbed given"),
        ("testbed up two-clusters --name ../x", "'../x' cannot name a testbed"),
        (f"testbed up two-clusters --name {NAME}{'n' * 300}", "at most 100"),
        ("compare --testbed two-clusters --hostfile hosts", "--testbed and --hostfile"),
    ],
    ids=["not up", "down", "down none", "a path", "too long", "two at once"],  # NAME is another in each process
)
@pytest.mark.usefixtures("file")
def test_what_cannot_be_meant(words: str, told: str, answer: Answer) -> None:
    assert_error(answer(words), 2, told)


PLACEMENTS = {
    "more ranks than nodes": ("-n 9 --placement one-per-node", "9 ranks cannot be placed one", "at most 4"),
    "an unknown host": ("--placement ranks", "ranks, line 2: unknown host 'nroth-2'", "north-2"),
    "no rankfile": ("--placement ./none", "rankfile not found: ./none"),
    "an unknown word": ("--placement blok", "unknown placement 'blok'", "block?"),
}  # fmt: skip


@pytest.mark.mpi
@pytest.mark.skipif(not MPI, reason="no MPI here")
@pytest.mark.parametrize("what", PLACEMENTS)
def test_ranks_that_cannot_be_placed(what: str, file: Path) -> None:
    (file.parent / "ranks").write_text("rank 0=north-1\nrank 1=nroth-2\n")
    words, *told = PLACEMENTS[what]
    argv = ["compare", MPI, "--testbed", file.name, "--bench", "pingpong", "-q", *words.split()]
    assert_error(rankwise(*argv, home=file.parent), 2, *told)


@needs_emulation
def test_a_testbed_that_is_up_is_not_brought_up_twice_and_its_nodes_are_known(file: Path) -> None:
    home = file.parent
    other = home / "other.toml"
    other.write_text(file.read_text() + "[site.north]\ndelay = '1 ms'\n")
    assert rankwise("testbed", "up", file.name, home=home).returncode == 0
    try:
        for one in (file, other):
            again = rankwise("testbed", "up", one.name, home=home)
            assert_error(again, 2, f"testbed {NAME} is already up", f"testbed down {NAME}")
        clash = rankwise("testbed", "check", other.name, home=home)
        assert_error(clash, 3, f"a testbed {NAME} is already up with another description", f"testbed down {NAME}")
        unknown = rankwise("testbed", "exec", "nroth-1", "--testbed", NAME, "--", "true", home=home)
        assert_error(unknown, 2, "unknown node 'nroth-1'", "north-1")
        missing = rankwise("testbed", "exec", "north-1", "--testbed", NAME, "--", "no-such-program", home=home)
        assert (missing.returncode, missing.stderr) == (127, "no-such-program: No such file or directory\n")
        assert_error(rankwise("testbed", "down", NAME[:-1], home=home), 2, NAME)
        assert rankwise("testbed", "down", NAME, home=home).returncode == 0
        assert_error(rankwise("testbed", "down", NAME, home=home), 2, NAME)
    finally:
        running.stop(paths.runtime_folder() / NAME)


@pytest.mark.mpi
@pytest.mark.skipif(not MPI, reason="no MPI here")
@needs_emulation
@pytest.mark.nightly
def test_a_congestion_control_that_the_kernel_lacks_fails_its_cells_and_no_others(file: Path) -> None:
    words = ["--bench", "pingpong", "--sizes", "1", "--time", "3s", "-q", "--json"]
    argv = ["compare", MPI, "--testbed", file.name, "--congestion-control", "reno,nosuch", *words]
    done = rankwise(*argv, home=file.parent)
    assert done.returncode == 0, done.stderr
    (failed,) = json.loads(done.stdout)["failed"]
    assert "cannot set net.ipv4.tcp_congestion_control to 'nosuch'" in failed["reason"]
    shown = json.loads(rankwise("show", "--json", home=file.parent).stdout)
    measured = {one["cell"]["options"]["congestion_control"] for one in shown["cells"]}
    assert measured == {"reno"}
    assert {one["cell"]["options"]["congestion_control"] for one in shown["failures"]} == {"nosuch"}


def test_too_many_nodes_for_the_memory(tmp_path: Path) -> None:
    sites = psutil.virtual_memory().total // (254 * (8 << 20)) + 1
    if sites > 100:
        pytest.skip("so many nodes would take too long to describe")
    lines = [f"[site.s{number}]\nnodes = 254\n" for number in range(sites)]
    lines += [f'[[link]]\nbetween = ["s0", "s{number}"]\n' for number in range(1, sites)]
    (tmp_path / "many.toml").write_text(f'name = "{NAME}"\n' + "".join(lines))
    done = rankwise("testbed", "up", "many.toml", home=tmp_path)
    assert_error(done, 3, f"{sites * 254} nodes", "of memory are free", "fewer nodes")


@needs_root
@pytest.mark.parametrize("verb", ["testbed up fit.toml", "testbed check fit.toml"])
def test_where_there_is_no_tun_device(verb: str, file: Path) -> None:
    done = without_tun(str(COMMAND), *verb.split(), home=file.parent)
    assert_error(done, 3, "cannot open /dev/net/tun", "No such file or directory", "modprobe tun")


@needs_root
def test_where_only_root_may_open_the_tun_device() -> None:
    with folder_of(NOBODY) as home:
        done = as_ordinary_user(str(COMMAND), "testbed", "up", "cluster", home=home, tun_mode="600")
    assert_error(done, 3, "cannot open /dev/net/tun", "Permission denied", "chmod 666 /dev/net/tun")


@needs_root
def test_where_user_namespaces_are_forbidden(file: Path) -> None:
    done = without_user_namespaces(str(COMMAND), "testbed", "up", file.name, home=file.parent)
    assert_error(done, 3, "cannot make a user namespace", "sysctl -w user.max_user_namespaces=")


@needs_root
@pytest.mark.parametrize("kind", ["net", "pid"])
def test_where_namespaces_are_too_few(kind: str, file: Path) -> None:
    done = with_few_namespaces(kind, 2, str(COMMAND), "testbed", "up", file.name, home=file.parent)
    assert_error(done, 3, "node", "No space left on device", f"user.max_{kind}_namespaces")


@needs_root
@pytest.mark.parametrize(
    ("mount_options", "told"),
    [("ro", "Read-only file system"), ("size=4k", "No space left on device"), ("size=16k", "df /tmp")],
)
def test_where_the_folder_of_testbeds_cannot_be_written(mount_options: str, told: str, file: Path) -> None:
    assert_error(
        with_runtime_folder(mount_options, str(COMMAND), "testbed", "up", file.name, home=file.parent), 3, told
    )


@needs_root
def test_verbs_that_need_no_testbed_do_without_that_folder(tmp_path: Path) -> None:
    done = with_runtime_folder("ro", str(COMMAND), "--version", home=tmp_path)
    assert done.returncode == 0, done.stderr
