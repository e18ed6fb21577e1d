"""The keys of a joined job: no other user finds one, who holds none is no rank, and none stays."""

from __future__ import annotations

import os
import re
import socket
import sqlite3
import stat
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from rankwise.core import paths
from support.abi import compiled, needs_compiler, prepare
from support.command_line import rankwise, started
from support.emulated import needs_emulation
from support.joined import hello
from support.mpis import FOUND
from support.ordinary_user import NOBODY, folder_of, needs_root
from support.other_user import BOB, EVE, run_as
from support.sshd import servers

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(600)]
HAS_LAM = any(one.family == "lammpi" for one in FOUND)
LATE_SITE = """case $RANKWISE_JOIN in
*/1/1,1/*) while [ ! -e go ]; do sleep 0.05; done ;;
*) echo "$RANKWISE_JOIN/$RANKWISE_JOIN_KEY" > settings.part; mv settings.part settings ;;
esac
exec "$@"
"""
SEARCH = """
import os, sys
keys = [one.encode() for one in sys.argv[1:]]
files = [f"/proc/{one}/{what}" for one in os.listdir("/proc")
         if one.isdigit() and int(one) != os.getpid() for what in ("cmdline", "environ")]
for name in os.listdir("/tmp"):
    if name.startswith("rankwise"):
        for folder, _, names in os.walk("/tmp/" + name):
            files += [folder + "/" + one for one in names]
seen = 0
for path in files:
    try:
        text = open(path, "rb").read()
    except OSError:
        continue
    seen += b"RANKWISE_JOIN=" in text
    if any(key in text for key in keys):
        print("found in", path)
print("searched", seen)
"""


def keys_of(*roots: int) -> tuple[list[Path], list[str]]:
    """The files with keys that all that descends from these processes is told of, and the keys in them."""
    files = set()
    for one in [one for root in roots for one in psutil.Process(root).children(recursive=True)]:
        try:
            words, variables = one.cmdline(), one.environ()
        except psutil.Error:
            continue
        files |= {word for option, word in pairwise(words) if option == "--key"}
        files |= {variables[name] for name in ("RANKWISE_JOIN_KEY",) if name in variables}
    paths = sorted(map(Path, files))
    return paths, [key for path in paths for key in path.read_text().split()]


def require_hidden(files: list[Path], keys: list[str], how: str) -> None:
    """Two other users find none of the keys, in whatever they may read of processes and of our folders."""
    assert len(keys) >= (3 if how == "--relay" else 1) and all(len(key) >= 32 for key in keys)
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in files)
    for user in (BOB, EVE):
        done = run_as(user, SEARCH, *keys)
        assert done.returncode == 0, done.stderr
        words = done.stdout.split()
        assert words[0] == "searched" and int(words[1]) > 0, done.stdout


ON_NODES = "north=mpich-5:2,south=openmpi-5:2", ["--testbed", "two-clusters"]


@needs_root
@pytest.mark.parametrize("how", ["", "--relay", "--encrypt"])
@pytest.mark.parametrize(
    ("sites", "where"),
    [
        ("rennes=mpich-5:1,nancy=openmpi-5:1", []),
        pytest.param(*ON_NODES, marks=[needs_emulation, pytest.mark.nightly]),
    ],
    ids=["local", "emulated"],
)
def test_no_other_user_finds_a_key(how: str, sites: str, where: list[str], tmp_path: Path) -> None:
    prepare("mpich-5", "openmpi-5")
    line = ["run", "--join", sites, *where, *how.split(), "--", str(compiled("joined_where")), "wait"]
    with started(*line, home=tmp_path) as job:
        assert job.stdout is not None
        job.stdout.readline()
        files, keys = keys_of(job.pid)
        require_hidden(files, keys, how)
        job.terminate()
        job.wait(60)
    assert not any(one.exists() for one in files)


@needs_root
@pytest.mark.nightly
@pytest.mark.parametrize("how", ["", "--relay"])
def test_keys_on_hosts_by_ssh_are_closed_and_go_with_the_next_job_there(how: str, tmp_path: Path) -> None:
    """The second host does not see this one's folder, and gets a copy."""
    prepare("mpich-5", "openmpi-5")
    (folder := tmp_path / "servers").mkdir()
    with servers(folder, "127.0.0.1") as hosts:
        hosts.start("127.0.0.2", hidden=paths.runtime_folder())
        path = f"{hosts.add_to_path()}:{os.environ['PATH']}"
        (tmp_path / "hosts").write_text("127.0.0.1 slots=1 site=rennes\n127.0.0.2 slots=1 site=nancy\n")
        line = ["run", "--join", "rennes=mpich-5:1,nancy=openmpi-5:1", "--hostfile", "hosts", *how.split()]
        with started(*line, "--", str(compiled("joined_where")), "wait", home=tmp_path, PATH=path) as job:
            assert job.stdout is not None
            job.stdout.readline()
            files, keys = keys_of(job.pid, *(one.pid for one in hosts.running.values()))
            copies = [one for one in files if one.parent != paths.runtime_folder()]
            assert copies
            require_hidden(files, keys, how)
            job.kill()
            job.wait(10)
        done = rankwise(
            "run", "--mpi", "mpich-5", "-n", "2", "--hostfile", "hosts", "--", "true", home=tmp_path, PATH=path
        )
        assert done.returncode == 0, done.stderr
        assert not any(one.exists() for one in files)


def test_who_holds_no_key_is_no_rank(tmp_path: Path) -> None:
    """Another user takes the place of a rank by what everybody may see: where to go, and what to say first."""
    prepare("mpich-5", "openmpi-5")
    (tmp_path / "late.sh").write_text(LATE_SITE)
    line = ["run", "--join", "rennes=mpich-5:1,nancy=openmpi-5:1", "--abi", "--limit", "100s", "--",
            "/bin/sh", "late.sh", str(compiled("joined_where"))]  # fmt: skip
    with started(*line, home=tmp_path) as job:
        for key in ("", "0" * 32):
            with _met(tmp_path) as stranger:
                stranger.settimeout(30)
                stranger.sendall(hello(key))
                assert stranger.recv(4096) == b"", "nothing is said to it"
        (tmp_path / "go").touch()
        out, err = job.communicate(timeout=100)
    assert job.returncode == 0, out + err
    assert "rank 0 of 2" in out and "rank 1 of 2" in out
    assert err.count("it has another job's key") == 2


def _met(folder: Path) -> socket.socket:
    for _ in range(600):
        if (folder / "settings").exists():
            host, port = (folder / "settings").read_text().split("/")[:2]
            try:
                return socket.create_connection((host, int(port)), 5)
            except ConnectionRefusedError:
                pass
        psutil.cpu_percent(0.1)
    pytest.fail("nobody listens")


@pytest.mark.parametrize("how", ["", "--relay"])
def test_after_kill_9_the_next_verb_removes_keys(how: str, tmp_path: Path) -> None:
    prepare("mpich-5", "openmpi-5")
    program = str(compiled("joined_where"))
    line = ["run", "--join", "rennes=mpich-5:1,nancy=openmpi-5:1", *how.split(), "--", program, "wait"]
    with started(*line, home=tmp_path) as job:
        assert job.stdout is not None
        job.stdout.readline()
        files, _ = keys_of(job.pid)
        assert files
        rankwise("runs", home=tmp_path)
        assert all(one.exists() for one in files), "those of a job that runs stay"
        job.kill()
        job.wait(10)
    rankwise("runs", home=tmp_path)
    assert not any(one.exists() for one in files)


def test_the_store_has_no_key(tmp_path: Path) -> None:
    line = ["bench", "barrier", "--join", "a=mpich-5:1,b=openmpi-5:1", "--launches", "1"]
    done = rankwise(*line, home=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    with sqlite3.connect(tmp_path / "results.sqlite") as stored:
        text = "\n".join(stored.iterdump())
    assert "RANKWISE_JOIN_KEY=" in text
    assert not re.search(r"RANKWISE_JOIN=\S*[0-9a-f]{32}", text)


@needs_root
@pytest.mark.skipif(not HAS_LAM, reason="LAM/MPI is not installed")
def test_lammpis_nobody_has_the_key_of_its_job(tmp_path: Path) -> None:
    prepare("mpich-5", "lammpi")
    program = str(compiled("joined_where"))
    with folder_of(NOBODY) as home:
        done = rankwise("run", "--join", "a=lammpi:1,b=mpich-5:1", "--limit", "100s", "--", program, home=home)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rank 1 of 2" in done.stdout and "rank 0 of 2" in done.stdout


@needs_emulation
@pytest.mark.nightly
@pytest.mark.parametrize("how", ["", "--relay"])
def test_nodes_of_a_testbed_have_the_key(how: str, tmp_path: Path) -> None:
    prepare("mpich-5", "openmpi-5")
    line = ["run", "-q", "--join", "north=mpich-5:2,south=openmpi-5:2", "--testbed", "two-clusters", *how.split()]
    done = rankwise(*line, "--limit", "200s", "--", str(compiled("joined_where")), home=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rank 3 of 4 on south-2" in done.stdout
