"""Every rank is placed on the host that its word or rankfile asks for."""

import itertools
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Host
from rankwise.measurement.placement import WORDS, place

FOUR = (Host("a1", 2, "a"), Host("a2", 2, "a"), Host("b1", 2, "b"), Host("b2", 2, "b"))
UNEVEN = (Host("a1", 1, "a"), Host("a2", 3, "a"), Host("b1", 2, "b"))


def words(placed: tuple[str, ...]) -> str:
    return " ".join(placed)


@pytest.mark.parametrize(
    ("placement", "ranks", "expected"),
    [
        ("block", 3, "a1 a1 a2"),
        ("block", 8, "a1 a1 a2 a2 b1 b1 b2 b2"),
        ("block", 12, "a1 a1 a1 a2 a2 a2 b1 b1 b1 b2 b2 b2"),
        ("block", 9, "a1 a1 a2 a2 b1 b1 b2 b2 b2"),
        ("cyclic", 3, "a1 a2 b1"),
        ("cyclic", 6, "a1 a2 b1 b2 a1 a2"),
        ("cyclic", 10, "a1 a2 b1 b2 a1 a2 b1 b2 a1 a2"),
        ("one-per-node", 3, "a1 a2 b1"),
        ("across-sites", 2, "a1 b1"),
        ("across-sites", 4, "a1 b1 a1 b1"),
        ("across-sites", 7, "a1 b1 a1 b1 a2 b2 a2"),
        ("across-sites", 12, "a1 b1 a1 b1 a1 b1 a2 b2 a2 b2 a2 b2"),
    ],
)
def test_words(placement: str, ranks: int, expected: str) -> None:
    assert words(place(placement, FOUR, ranks)) == expected


def test_uneven_hosts_take_what_they_have_room_for() -> None:
    assert words(place("block", UNEVEN, 5)) == "a1 a2 a2 a2 b1"
    assert words(place("cyclic", UNEVEN, 6)) == "a1 a2 b1 a2 b1 a2"
    assert Counter(place("block", UNEVEN, 12)) == {"a1": 2, "a2": 6, "b1": 4}


hosts = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("xyz")), min_size=1, max_size=8).map(
    lambda found: tuple(Host(f"h{number}", *one) for number, one in enumerate(found))
)


def slots(found: tuple[Host, ...]) -> int:
    return sum(host.slots for host in found)


@given(hosts, st.sampled_from(["block", "cyclic"]), st.integers(1, 100))
def test_every_rank_is_placed_and_no_host_overfull_before_all_are(
    found: tuple[Host, ...], placement: str, ranks: int
) -> None:
    if not slots(found):
        with pytest.raises(InputError):
            place(placement, found, ranks)
        return
    placed = place(placement, found, ranks)
    assert len(placed) == ranks
    taken = Counter(placed)
    for host in found:
        assert taken[host.name] <= host.slots * -(-ranks // slots(found))


@given(hosts.filter(slots), st.integers(1, 100))
def test_block_is_one_block_a_host_in_their_order(found: tuple[Host, ...], ranks: int) -> None:
    order = [host.name for host in found]
    placed = place("block", found, ranks)
    assert list(placed) == sorted(placed, key=order.index)


@given(hosts.filter(slots), st.integers(1, 100))
def test_cyclic_neighbours_share_a_host_only_when_no_other_has_room(found: tuple[Host, ...], ranks: int) -> None:
    placed = place("cyclic", found, ranks)
    most = {host.name: host.slots * -(-ranks // slots(found)) for host in found}
    for rank, (one, next_one) in enumerate(itertools.pairwise(placed), start=1):
        if one == next_one:
            taken = Counter(placed[:rank])
            assert all(taken[name] == most[name] for name in most if name != one)


@given(hosts, st.integers(1, 60))
def test_across_sites_takes_the_sites_in_turn(found: tuple[Host, ...], ranks: int) -> None:
    site = {host.name: host.site for host in found}
    sites = list(dict.fromkeys(host.site for host in found))
    if any(not slots(tuple(host for host in found if host.site == one)) for one in sites) or len(sites) < 2:
        return
    placed = place("across-sites", found, ranks)
    assert [site[name] for name in placed] == [sites[rank % len(sites)] for rank in range(ranks)]


def test_one_per_node_has_no_more_ranks_than_nodes() -> None:
    with pytest.raises(InputError, match="5 ranks cannot be placed one per node: the testbed has 4"):
        place("one-per-node", FOUR, 5)


def test_across_one_site_is_refused() -> None:
    with pytest.raises(InputError, match="only one"):
        place("across-sites", FOUR[:2], 2)


def test_an_unknown_word_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        place("cyclik", FOUR, 2)
    assert "cyclic" in caught.value.remedy
    assert set(WORDS) == {"block", "cyclic", "one-per-node", "across-sites"}


@pytest.mark.parametrize("ranks", [0, -1])
def test_no_ranks_are_refused(ranks: int) -> None:
    with pytest.raises(InputError):
        place("block", FOUR, ranks)


@pytest.mark.parametrize(
    "text",
    [
        "rank 0=b2 slot=0\nrank 2=a1 slot=1:0-1\n\n# all of them\nrank 1 = b1\n",
        "b2\nb1   # second\n\na1\n",
        "rank 2=+n0 slot=0\nrank 0=+n3 slot=0\nrank 1=+n2 slots=0\n",
    ],
)
def test_rankfiles(text: str, tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    file.write_text(text)
    assert words(place(str(file), FOUR, 3)) == "b2 b1 a1"
    assert words(place(str(file), FOUR, 2)) == "b2 b1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rank 0=a1\nrank 0=a2\n", "line 2: rank 0 comes twice"),
        ("a1\na3\n", "line 2: unknown host 'a3'"),
        ("a1\nrank two=a2\n", "line 2: cannot understand"),
        ("rank 0=a1 slot=0\nrank 2=a2 slot=0\n", "no host for rank 1"),
        ("rank 0=+n9\n", "unknown host"),
        ("", "no host for rank 0"),
    ],
)
def test_rankfiles_that_make_no_sense_say_where(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        place(str(file), FOUR, 2)
    assert said in str(caught.value)
    assert caught.value.remedy


def test_a_rankfile_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot read"):
        place(str(tmp_path / "binary"), FOUR, 2)
    with pytest.raises(InputError, match="rankfile not found"):
        place(str(tmp_path / "none"), FOUR, 2)


@given(st.permutations(["a1", "a2", "b1", "b2"]).flatmap(lambda p: st.lists(st.sampled_from(p), min_size=1)))
def test_a_rankfile_gives_back_the_order_it_was_written_from(
    tmp_path_factory: pytest.TempPathFactory, order: list[str]
) -> None:
    file = tmp_path_factory.mktemp("ranks") / "file"
    lines = [f"rank {rank}={host} slot=0" for rank, host in enumerate(order)]
    file.write_text("\n".join(reversed(lines)))
    assert place(str(file), FOUR, len(order)) == tuple(order)


def test_hosts_that_are_named_for_each_rank() -> None:
    hosts = (Host("a1", 2, "a"), Host("b1", 1, "b"))
    assert place("hosts=b1+a1", hosts, 2) == ("b1", "a1")
    assert place("hosts=a1+a1", hosts, 2) == ("a1", "a1")
    with pytest.raises(UnknownNameError, match="c1"):
        place("hosts=a1+c1", hosts, 2)
    with pytest.raises(InputError, match="no host for rank 2"):
        place("hosts=a1+b1", hosts, 3)
