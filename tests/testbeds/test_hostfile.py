"""Hostfiles of every launcher's dialect are read as that launcher reads them, or refused with file and line."""

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.testbeds.base import kinds
from rankwise.testbeds.hostfile import hosts_in, read_hostfile


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
        ("n1 cpu=2\nn2 max-slots=3", {"n1": 2, "n2": 1}),
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
        ("n1\nn2 slots=none", "hosts:2: 'none' is no number of slots"),
        ("n1 slots=0", "hosts:1: '0' is no number"),
        ("n1:0", "hosts:1: '0' is no number"),
        ("n1 slots=-1", "hosts:1: '-1' is no number"),
        ("n1:2 slots=3", "hosts:1: slots is said twice"),
        ("n1 max_slots=x", "hosts:1: 'x' is no number"),
        ("n1 sluts=3", "hosts:1: 'sluts=3' is not understood"),
        ("n1,n2", "hosts:1: 'n1,n2' is no host"),
        ("-oProxyCommand=x", "hosts:1: '-oProxyCommand=x' is no host"),
        ("@n1", "is no host"),
        ("ada@n1\nbob@n1", "hosts:2: n1 was another user's"),
        ("", "there is no host"),
        ("# none\n", "there is no host"),
    ],
)
def test_what_makes_no_sense_says_where(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        hosts_in(written(tmp_path, text))
    assert said in str(caught.value)
    assert caught.value.remedy


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for file in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match="cannot read the hostfile"):
            hosts_in(file)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        hosts_in(tmp_path / "binary")


names = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=6)
forms = st.sampled_from(["{} slots={}", "{}:{}", "{} cpu={} # x"])


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
