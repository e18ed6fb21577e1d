"""A platform's file holds the platform exactly, reads well, and what is wrong with it is told with its line."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import HostError, InputError
from rankwise.core.platform import Platform
from rankwise.platforms.platform_file import platform_text, read, read_text, write
from support.platforms import TWO_SITES, platforms


@given(platforms())
def test_what_is_written_is_read(platform: Platform) -> None:
    assert read_text(platform_text(platform), "p.toml") == platform


def test_it_reads_well() -> None:
    told = platform_text(TWO_SITES).splitlines()
    assert 'format = "rankwise-platform 1"' in told
    assert '  { name = "a-b", bytes_per_second = 60000000.0 },' in told or any(
        'name = "a-b", bytes_per_second = 60000000.0' in line for line in told
    )
    assert '"classes.within a site.ranges.0.latency_seconds" = [1.9e-05, 2.1e-05]' in told
    assert max(map(len, told)) < 240


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ('format = "rankwise-platform 1"', "", ":1:", "the key format is missing"),
        ('"rankwise-platform 1"', '"rankwise-platform 9"', "format", "expected"),
        ("125000000.0", "-1.0", "sites[1].out_bytes_per_second", "from 1 to 1e+15"),
        ("125000000.0", "nan", "sites[1].out_bytes_per_second", "from 1 to 1e+15"),
        ('nodes = ["b1"', 'nodes = ["a1"', "sites[2].nodes[1]", "duplicate node name: a1"),
        ('["a-b"]', '["a-c"]', "routes[2].links[1]", "unknown link: a-c"),
        ('to_site = "b", pair_class = "w', 'to_site = "a", pair_class = "w', "routes[4]", "two routes"),
        ('nodes = ["b1"', 'nodes = ["b\\u0000"', "sites[2].nodes[1]", "can be printed"),
        ('same_node = "same node"', 'same_node = "same"', "same_node", "unknown class: same"),
        ("up_to_bytes = 65536, ", "", "classes[2].ranges[2]", "must grow"),
        ("alpha = 2.5", "alpha = 17.0", "models[1].alpha", "from 0.1 to 16"),
        ('name = "max-min"', 'name = "fair"', "models[2].name", "unknown model of contention"),
        ("[1.9e-05, 2.1e-05]", "[2.1e-05, 1.9e-05]", "intervals.", "low is larger than high"),
        ("packet_bytes = 1500", "packet_bites = 1500", "packet_bites", "unknown key"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(old: str, new: str, place: str, words: str) -> None:
    text = platform_text(TWO_SITES)
    assert old in text
    with pytest.raises(InputError) as told:
        read_text(text.replace(old, new, 1), "p.toml")
    assert str(told.value).startswith("p.toml:")
    assert place in str(told.value)
    assert words in str(told.value)
    assert told.value.remedy


@given(st.data())
def test_no_text_makes_it_fall_over(data: st.DataObject) -> None:
    text = platform_text(TWO_SITES)
    at, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 40))
    put = data.draw(st.text(max_size=10) | st.sampled_from(["[[", "1e999", '"""', "{}", "[]", "0", "true"]))
    try:
        read_text(text[:at] + put + text[at + length :], "p.toml")
    except InputError as error:
        assert str(error).startswith("p.toml:")


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "new" / "p.toml"
    write(path, platform_text(TWO_SITES))
    assert read(path) == TWO_SITES
    assert [one.name for one in path.parent.iterdir()] == ["p.toml"]
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text"):
        read(tmp_path / "binary.toml")
    with pytest.raises(HostError, match="cannot be written"):
        write(path / "below.toml", "")
    assert replace(TWO_SITES, packet_bytes=0) != TWO_SITES
