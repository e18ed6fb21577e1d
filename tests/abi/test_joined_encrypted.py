"""With --encrypt sites say nothing to one another in the clear, and whoever has not got the key is sent away."""

from __future__ import annotations

import re
import socket
import sqlite3
import ssl
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from rankwise.artifacts.abi import encryption
from support import command_line
from support.abi import compiled, needs_compiler, prepare
from support.command_line import assert_error, started
from support.emulated import needs_emulation

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(600)]
rankwise = partial(command_line.rankwise, timeout=400)
SITES = "rennes=mpich-5:2,nancy=openmpi-5:2"
OF_NANCY = """case $RANKWISE_JOIN in
*/1/1,1/*) {} ;;
*) echo "$RANKWISE_JOIN" > settings.part; mv settings.part settings ;;
esac
exec "$@"
"""


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    prepare("openmpi-5", "mpich-5")
    encryption.build()


@pytest.mark.parametrize(
    ("name", "sites"),
    [
        ("joined_limits", SITES),
        pytest.param("joined_messages", SITES, marks=pytest.mark.nightly),
        pytest.param("joined_groups", SITES, marks=pytest.mark.nightly),
        pytest.param("joined_intercommunicators", SITES, marks=pytest.mark.nightly),
        pytest.param("joined_messages", "a=mpich-5:1,b=openmpi-5:3,c=intelmpi:2", marks=pytest.mark.nightly),
        pytest.param("joined_groups", "a=openmpi-5:5,b=mpich-5:5", marks=pytest.mark.nightly),
    ],
)
def test_what_goes_in_the_clear_goes_encrypted(name: str, sites: str, tmp_path: Path) -> None:
    line = ["run", "--join", sites, "--encrypt", "--limit", "300s", "--", str(compiled(name))]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.search(r"checked (\d+) lacking 0 wrong 0$", done.stdout, re.MULTILINE)
    assert counts and int(counts[1]) >= 80, done.stdout


@pytest.mark.parametrize(
    ("encrypted", "ranks"),
    [
        (True, 1),
        pytest.param(True, 3, marks=pytest.mark.nightly),
        pytest.param(False, 1, marks=pytest.mark.nightly),
    ],
)
def test_what_is_on_the_wire(encrypted: bool, ranks: int, tmp_path: Path) -> None:
    """Seen in the socket that it comes to; more than any buffer holds goes both ways at once, too."""
    how = ["--encrypt"] * encrypted
    sites = f"rennes=mpich-5:{ranks},nancy=openmpi-5:{ranks}"
    line = ["run", "-q", "--join", sites, *how, "--limit", "100s", "--", str(compiled("joined_wire"))]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"it {'cannot' if encrypted else 'can'} be read, and is right" in done.stdout.splitlines()
    assert re.findall(r"^rank \d: (\d+) long ones wrong$", done.stdout, re.MULTILINE) == ["0"] * 2 * ranks


def with_nancy(home: Path, does: str, *how: str) -> tuple[list[str], Path]:
    """A job of two ranks whose second does something before it starts; the file with the first one's settings."""
    (home / "nancy.sh").write_text(OF_NANCY.format(does))
    line = ["run", "-q", "--join", "rennes=mpich-5:1,nancy=openmpi-5:1", *how, "--abi", "--limit", "100s", "--",
            "/bin/sh", "nancy.sh", str(compiled("joined_where"))]  # fmt: skip
    return line, home / "settings"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("echo 0123456789abcdef0123456789abcdef > key; export RANKWISE_JOIN_KEY=key", "it has another job's key"),
        ("unset RANKWISE_JOIN_ENCRYPTION", "it does not encrypt, and this job does"),
        ("export RANKWISE_JOIN_ENCRYPTION=/nowhere.so", None),
    ],
    ids=["another key", "in the clear", "no OpenSSL"],
)
def test_a_rank_that_does_not_belong_ends_the_job(does: str, told: str | None, tmp_path: Path) -> None:
    line, _ = with_nancy(tmp_path, does, "--encrypt")
    done = rankwise(*line, home=tmp_path)
    assert done.returncode not in {0, None}
    if told:
        assert f"site rennes sent a connection from 127.0.0.1 away: {told}" in done.stderr, done.stderr
    else:
        assert "site nancy cannot encrypt: /nowhere.so" in done.stderr, done.stderr
    assert "site nancy" in done.stderr


@pytest.mark.nightly
def test_one_that_encrypts_alone_ends_the_job(tmp_path: Path) -> None:
    library = encryption.build()
    line, _ = with_nancy(tmp_path, f"export RANKWISE_JOIN_ENCRYPTION={library}")
    done = rankwise(*line, home=tmp_path)
    assert done.returncode != 0
    assert "away: it encrypts, and this job does not" in done.stderr, done.stderr
    assert "site nancy cannot begin an encrypted connection" in done.stderr, done.stderr


def test_strangers_are_sent_away(tmp_path: Path) -> None:
    """The key is in no command line, and its file is gone with the job."""
    line, settings = with_nancy(tmp_path, "while [ ! -e go ]; do sleep 0.05; done", "--encrypt")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with started(*line, home=tmp_path) as job:
        where = meeting(settings)
        files = [one.environ().get("RANKWISE_JOIN_KEY") for one in ranks_of(job.pid)]
        file = Path(next(filter(None, files)))
        assert file.stat().st_mode & 0o077 == 0
        key = file.read_text().strip()
        assert len(key) == 32 and not any(
            key in " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])
        )
        assert key not in settings.read_text()
        silent = [socket.create_connection(where, 5) for _ in range(3)]
        for words in (b"GET / HTTP/1.1\r\n\r\n", b"rankwise" + bytes(60), b"\x16\x03\x01\x00\x05hello" * 9):
            one = socket.create_connection(where, 5)
            one.sendall(words)
            silent.append(one)
        with socket.create_connection(where, 5) as one, pytest.raises(OSError):
            context.wrap_socket(one)
        (tmp_path / "go").touch()
        out, err = job.communicate(timeout=100)
    for one in silent:
        one.close()
    assert job.returncode == 0, out + err
    assert "rank 1 of 2" in out and not file.exists()
    for reason in ("it is not a process of a joined job", "it does not encrypt, and this job does",
                   "it has another job's key"):  # fmt: skip
        assert f"site rennes sent a connection from 127.0.0.1 away: {reason}" in err, err


def meeting(settings: Path) -> tuple[str, int]:
    """Where the first process listens; it does."""
    for _ in range(600):
        if settings.exists():
            host, port = settings.read_text().split("/")[:2]
            with socket.socket() as one:
                if one.connect_ex((host, int(port))) == 0:
                    return host, int(port)
        time.sleep(0.1)
    pytest.fail("nobody listens")


def ranks_of(launcher: int) -> list[psutil.Process]:
    return [one for one in psutil.Process(launcher).children(recursive=True) if one.name() == "joined_where"]


@pytest.mark.nightly
def test_jobs_that_join_have_to_encrypt_both(tmp_path: Path) -> None:
    program, end = str(compiled("joined_other_job")), tmp_path / "end"
    line = ["run", "-q", "--join", "sim=mpich-5:2", "--encrypt", "--limit", "200s", "--", program]
    other = ["run", "-q", "--join", "viz=openmpi-5:1"]
    names = {"RANKWISE_NAMES": str(tmp_path)}
    visit = ["--limit", "60s", "--", program, "visit", "there"]
    end.touch()
    with started(*line, "serve", "there", str(end), home=tmp_path, **names) as server:
        done = rankwise(*other, *visit, home=tmp_path, **names)
        assert done.returncode != 0
        assert "the job of that port encrypts, and this one does not" in done.stderr, done.stderr
        done = rankwise(*other, "--encrypt", *visit, home=tmp_path, **names)
        assert done.returncode == 0, done.stdout + done.stderr
        said, errors = server.communicate(timeout=200)
    assert server.returncode == 0, said + errors
    for text in (said, done.stdout):
        counts = re.search(r"checked (\d+) lacking 0 wrong 0$", text, re.MULTILINE)
        assert counts and int(counts[1]) > 20, said + done.stdout + errors + done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize(("argument", "code", "told"), [("abort", 9, ""), ("kill", None, "site nancy ended")])
def test_a_rank_that_fails_ends_all(argument: str, code: int | None, told: str, tmp_path: Path) -> None:
    line = ["run", "--join", SITES, "--encrypt", "--limit", "60s", "--", str(compiled("joined_where")), argument]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == code if code else done.returncode != 0, done.stdout + done.stderr
    assert told in done.stderr and "all others were ended" in done.stderr


@needs_emulation
@pytest.mark.nightly
def test_nodes_of_a_testbed_have_the_key(tmp_path: Path) -> None:
    line = ["run", "-q", "--join", "north=mpich-5:2,south=openmpi-5:2", "--testbed", "two-clusters", "--encrypt"]
    done = rankwise(*line, "--limit", "200s", "--", str(compiled("joined_where")), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rank 3 of 4 on south-2" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--encrypt", "-n", "2"], "--encrypt is for a job over several sites"),
        (["run", "--join", SITES, "--relay", "--encrypt"], "relays encrypt what goes between sites already"),
        (["compare", "mpich-5", "--encrypt"], "--encrypt is for a job over several sites"),
    ],
)
def test_where_there_is_nothing_to_encrypt(words: list[str], told: str, tmp_path: Path) -> None:
    done = rankwise(*words, "--", str(compiled("joined_where")), home=tmp_path)
    assert_error(done, 2, told)


def test_without_openssls_headers_there_is_a_remedy(tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nexec cc -nostdinc "$@"\n')
    compiler.chmod(0o755)
    line = ["run", "--join", SITES, "--encrypt", "--", str(compiled("joined_where"))]
    done = rankwise(*line, home=tmp_path, CC=str(compiler))
    assert_error(done, 3, "--encrypt needs OpenSSL", "apt install libssl-dev")


@pytest.mark.nightly
def test_benchmarks_run_encrypted_and_the_store_says_so(tmp_path: Path) -> None:
    line = ["bench", "pingpong", "barrier", "--join", SITES, "--encrypt", "--launches", "1", "--sizes", "8,64K"]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    with sqlite3.connect(tmp_path / "results.sqlite") as stored:
        sources = stored.execute("SELECT source FROM implementation WHERE family = 'joined'").fetchall()
    assert sources == [("encrypted",)]
