"""Protects: whatever stands in a file of the user's is read, or refused as InputError with file and line."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.network import Link, Topology
from rankwise.testbeds import description
from rankwise.testbeds.hostfile import hosts_in
from rankwise.testbeds.network_file import network_text
from support import stored

ODD_NUMBERS = st.sampled_from(
    [
        "9" * 5000,
        "0x" + "f" * 5000,
        "-" + "9" * 40,
        "inf",
        "-inf",
        "nan",
        "1e400",
        "-0.0",
        "1e-400",
        "0",
        "-1",
        "1_000",
    ]
)
ODD_TEXTS = st.sampled_from(
    ["", "٣ Gbit/s", "²", "٣ ms", "9" * 5000 + " KiB", "9" * 400 + " s", "1 Gbit/s", "5 ms", "64 KiB",
     "0.01 %", "inf", "a\\u0000b", "\\u2028", "a b", "1e400", "1e-400", "𝟜K", "unlimited", "4096 ² 9",
     "0.0000001 bit/s", "../x"]
).map('"{}"'.format)  # fmt: skip
VALUES = st.recursive(
    ODD_NUMBERS | ODD_TEXTS | st.sampled_from(["true", "2", "1.25", "[" * 2000 + "]" * 2000, "1979-05-27"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda found: f"[{', '.join(found)}]"),
    max_leaves=3,
)
KEYS = st.sampled_from(
    ["rate", "delay", "queue", "jitter", "loss", "burst", "nodes", "cores", "mtu", "segment_limit", "bus", "rmem",
     "wmem", "congestion_control", "tcp_sack", "net.ipv4.'a b'", '"net.core.x\\u0000"', "between", "via", "name",
     "kind", "nic_profile", "slots", "user", "hostfile", "remote_shell", "served_queues", "distribution",
     "include", "uplink"]
)  # fmt: skip
HEADERS = st.sampled_from(
    ["[nic]", "[site.a]", "[site.b]", "[tcp]", "[hardware]", "[[link]]", "[[route]]", "[[host]]", "[node.a-1]",
     "[site.a.uplink]", "[site.a.nic]"]
)  # fmt: skip
BEGINNINGS = st.sampled_from(["", 'kind = "ssh"\n', 'kind = "local"\n', "[site.a]\n[nic]\n", "[site.a]\n[tcp]\n"])
LINES = st.lists(HEADERS | st.builds("{} = {}".format, KEYS, VALUES), max_size=6).map("\n".join)
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@SAME_FOLDER
@given(BEGINNINGS, LINES)
def test_a_description_is_read_or_refused_with_its_line(tmp_path: Path, beginning: str, lines: str) -> None:
    file = tmp_path / "t.toml"
    file.write_text(beginning + lines, encoding="utf-8")
    try:
        topology = description.read(file)
    except InputError as error:
        assert re.match(rf"{re.escape(str(file))}:\d+: |cannot read the hostfile ", str(error))
        assert error.remedy
        return
    assert topology.nodes
    for link in topology.links:
        figures = (link.rate_bits_per_second, link.delay_seconds, link.jitter_seconds, link.loss, link.loss_burst)
        assert all(math.isfinite(one) and one >= 0 for one in figures)
        assert 0 <= link.queue_bytes < 1 << 63
    if topology.kind == "emulated":
        assert network_text(topology).isprintable() or "\n" in network_text(topology)


@SAME_FOLDER
@given(st.text(max_size=60) | st.binary(max_size=60))
def test_any_bytes_are_a_description_or_refused(tmp_path: Path, contents: str | bytes) -> None:
    file = tmp_path / "t.toml"
    file.write_bytes(contents if isinstance(contents, bytes) else contents.encode("utf-8", "surrogatepass"))
    try:
        assert description.read(file).nodes
    except InputError as error:
        assert str(file) in str(error)


HOST_WORDS = st.sampled_from(
    ["n1", "n2:4", "ada@n3", "slots=2", "slots=٣", "slots=²", "slots=" + "9" * 5000, "n1:" + "9" * 5000, "n1:٣",
     "slots=inf", "site=x", "max_slots=0", "#", "\x0c", "\x1c", "\u2028", "\r", "=", "n4 slots=00", "été"]
)  # fmt: skip


@SAME_FOLDER
@given(st.lists(st.lists(HOST_WORDS, max_size=3).map(" ".join), max_size=5).map("\n".join) | st.text(max_size=40))
def test_a_hostfile_is_read_or_refused_with_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hosts"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        nodes = hosts_in(file)
    except InputError as error:
        found = re.match(rf"{re.escape(str(file))}:(\d+): ", str(error))
        assert found or str(file) in str(error)
        if found:
            assert 1 <= int(found[1]) <= text.count("\n") + text.count("\r") + 1
        return
    assert all(1 <= node.cores <= 99999 * 5 and node.name for node in nodes)


@pytest.mark.parametrize("line_break", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_only_a_newline_ends_a_line_of_a_hostfile(tmp_path: Path, line_break: str) -> None:
    (tmp_path / "hosts").write_text(f"# one{line_break}still a comment\nn1 slots=x\n", encoding="utf-8")
    with pytest.raises(InputError, match="hosts:2: 'x' is not a number of slots"):
        hosts_in(tmp_path / "hosts")


@given(stored.topologies)
def test_a_network_file_says_what_the_topology_says_or_refuses(topology: Topology) -> None:
    try:
        lines = network_text(topology).split("\n")
    except InputError as error:
        assert error.remedy
        return
    told = [line.split(" ") for line in lines if line.startswith("link ")]
    assert len(told) == len(topology.links)
    for (_, name, rate, delay, queue, jitter, _kind, loss, burst), link in zip(told, topology.links, strict=True):
        assert (name, int(queue)) == (link.name, link.queue_bytes)
        assert float(rate) == pytest.approx(link.rate_bits_per_second, abs=1e-11)
        assert int(delay) == pytest.approx(link.delay_seconds * 1e9, abs=0.51, rel=1e-9)
        assert int(jitter) == pytest.approx(link.jitter_seconds * 1e9, abs=0.51, rel=1e-9)
        assert float(loss) == pytest.approx(link.loss, abs=1e-11)
        assert float(burst) == pytest.approx(link.loss_burst, abs=1e-11)
    assert all(line.isprintable() for line in lines)


@given(st.floats(), st.floats(), st.text(max_size=8))
def test_a_link_of_any_figures_is_one_line_or_refused(rate: float, delay: float, name: str) -> None:
    node = stored.TOPOLOGY.nodes[0]
    topology = Topology("t", "emulated", nodes=(node,), links=(Link(name, rate, delay),))
    try:
        text = network_text(topology)
    except InputError:
        return
    assert len([line for line in text.split("\n") if line.startswith("link ")]) == 1
    assert math.isfinite(rate) and math.isfinite(delay)
