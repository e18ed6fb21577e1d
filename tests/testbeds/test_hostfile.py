"""Hostfiles of every launcher's dialect are read as that launcher reads them, or refused with file and line."""

import os
import re
import string
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.records import Implementation
from rankwise.testbeds.base import kinds
from rankwise.testbeds.hostfile import hosts_in, notices_in, read_hostfile
from support.mpis import FOUND


def written(folder: Path, text: str) -> Path:
    file = folder / "cluster.hosts"
    file.write_text(text)
    return file


def slots(file: Path) -> dict[str, int]:
    return {node.name: node.cores for node in hosts_in(file)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n1 slots=4\nn2 slots=2 max_slots=8\n", {"n1": 4, "n2": 2}),
        ("n1:4\nn2:2", {"n1": 4, "n2": 2}),
        ("n1\n\n  # all of them\nn2 # the last\n", {"n1": 1, "n2": 1}),
        ("n1 cpu=2\nn2 max-slots=3", {"n1": 2, "n2": 3}),
        ("n1 slots = 4\nn2 slots= 2 max_cpu =2\nn3 count=3", {"n1": 4, "n2": 2, "n3": 3}),
        ("// all\nn1 slots=2 // c\n/* n2\nn3 */ n4:3 /* c */\nn5#c", {"n1": 2, "n4": 3, "n5": 1}),
        ("n1 slots=2 /* never ends\nn2\n", {"n1": 2}),
        ("n1:2 binding=cpu:core port=22\nn2 user=ada slots_max=2 4", {"n1": 2, "n2": 2}),
        ("n1 slots=0\nn2 slots=2\nn3:0\nn3:1", {"n2": 2, "n3": 1}),
        ("n2\nn1\nn2\nn2:3", {"n2": 5, "n1": 1}),
        ("node-1.example.org slots=2\n10.0.0.7:3", {"node-1.example.org": 2, "10.0.0.7": 3}),
    ],
)
def test_what_launchers_take(text: str, expected: dict[str, int], tmp_path: Path) -> None:
    assert slots(written(tmp_path, text)) == expected
    assert list(slots(written(tmp_path, text))) == list(expected)


def test_users_and_sites(tmp_path: Path) -> None:
    topology = read_hostfile(written(tmp_path, "ada@n1 site=rennes slots=2\nn2 site=nancy\n"))
    assert [(node.name, node.address, node.site) for node in topology.nodes] == [
        ("n1", "ada@n1", "rennes"), ("n2", "n2", "nancy"),
    ]  # fmt: skip
    assert (topology.name, topology.sites, topology.remote_shell) == ("cluster", ("rennes", "nancy"), "ssh")
    assert topology.kind in kinds()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n1\nn2 slots=none", "hosts:2: 'none' is not a number of slots"),
        ("n1 slots=0", "no hosts in"),
        ("n1 slots=100000", "hosts:1: '100000' is not a number"),
        ("n1 slots=4 max_slots=2", "hosts:1: at most 2 slots"),
        ("n1\n^n2", "hosts:2: invalid host name '^n2'"),
        ("+n0", "hosts:1: invalid host name"),
        ("2001:db8::7 slots=2", "hosts:1: invalid host name '2001:db8::7'"),
        ("n1 /* c */ slots=2", "hosts:1: invalid host name 'slots=2'"),
        ("n1 slots 4", "hosts:1: 'slots' is not understood"),
        ("n1 username=a;b", "hosts:1: 'username=a;b' is not understood"),
        ("rank 0=n1 slot=2", "hosts:1: "),
        ("n1\0n2", "binary"),
        ("n1 slots=-1", "hosts:1: '-1' is not a number"),
        ("n1:2 slots=3", "hosts:1: slots is given twice"),
        ("n1 max_slots=x", "hosts:1: 'x' is not a number"),
        ("n1 sluts=3", "hosts:1: 'sluts=3' is not understood"),
        ("n1,n2", "hosts:1: invalid host name 'n1,n2'"),
        ("-oProxyCommand=x", "hosts:1: invalid host name '-oProxyCommand=x'"),
        ("@n1", "invalid host name"),
        ("ada@n1\nbob@n1", "hosts:2: n1 has another user"),
        ("", "no hosts in"),
        ("# none\n", "no hosts in"),
    ],
)
def test_what_makes_no_sense_says_where(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        hosts_in(written(tmp_path, text))
    assert said in str(caught.value)
    assert caught.value.remedy


def test_what_is_not_used_is_named(tmp_path: Path) -> None:
    text = "n1:2 port=2222 binding=core\nn2 username=ada slots=1 fast\nn3 slots=0\nn4\nn5\nn5\nada@n6\n"
    told = [one.message for one in notices_in(written(tmp_path, text))]
    assert len(told) == 5
    for words, one in zip(("port=2222", "binding=core", "'fast'", "n3 has 0", "for n4, n6"), told, strict=True):
        assert words in one
    assert notices_in(written(tmp_path, "n1 slots=1\nn2:2 # c\n")) == ()


def test_a_user_is_a_word_too(tmp_path: Path) -> None:
    (node,) = hosts_in(written(tmp_path, "n1 user-name = ada slots = 2"))
    assert (node.address, node.cores) == ("ada@n1", 2)


def test_files_that_are_too_long(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="longer than"):
        hosts_in(written(tmp_path, "n1 " * (3 << 20)))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for file in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match="cannot read the hostfile"):
            hosts_in(file)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        hosts_in(tmp_path / "binary")


names = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=6)
forms = st.sampled_from([
    "{} slots={}", "{}:{}", "{} cpu={} # x", "{} slots = {} // x", "/* x\n y */{} count= {}", "{}:{} binding=core",
    "{} max_slots={}",
])  # fmt: skip


@given(st.lists(st.tuples(names, st.integers(1, 99), forms), min_size=1))
def test_slots_of_all_lines_add_up(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, int, str]]
) -> None:
    text = "\n".join(form.format(name, count) for name, count, form in lines)
    file = written(tmp_path_factory.mktemp("hosts"), text)
    assert sum(slots(file).values()) == sum(count for _, count, _ in lines)
    assert list(slots(file)) == list(dict.fromkeys(name for name, _, _ in lines))


@given(st.text())
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.mktemp("hosts") / "file"
    file.write_bytes(text.encode(errors="replace"))
    try:
        assert all(node.cores > 0 and not node.address.startswith("-") for node in hosts_in(file))
    except InputError as error:
        assert error.remedy


@pytest.mark.mpi
@pytest.mark.nightly
@pytest.mark.parametrize("one", [one for one in FOUND if one.family == "openmpi"], ids=lambda one: one.id)
@pytest.mark.parametrize(
    "text",
    [
        "localhost slots = 4\n", "localhost max_slots=3 // c\n", "localhost count=2 port=22 username=root\n",
        "localhost /* a\n b */\nlocalhost\n", "# c\n\nlocalhost slots=2 4 word\n", "localhost cpu= 5 max-cpu =6\n",
    ],
)  # fmt: skip
def test_open_mpi_itself_counts_the_same_slots(one: Implementation, text: str, tmp_path: Path) -> None:
    option = ["--display-allocation"] if one.version.startswith("4") else ["--display", "allocation"]
    argv = [one.mpiexec, *option, "--hostfile", str(written(tmp_path, text)), "-np", "1", "true"]
    environment = {
        **os.environ, **dict(one.environment),
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }  # fmt: skip
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=False)
    counted = set(re.findall(r"\bslots=(\d+)", done.stdout))
    assert counted == {str(sum(slots(written(tmp_path, text)).values()))}, done.stdout + done.stderr
