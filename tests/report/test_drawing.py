"""The drawing of a network shows every node and link with its figures, legibly, and runs nothing of a name."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rich.console import Console

from rankwise.core.network import Node, PathFigures, Topology
from rankwise.core.toml_places import parse
from rankwise.report.drawing import topology_svg
from rankwise.report.site_words import joins, node_lines
from rankwise.report.terminal_drawing import topology_drawing
from rankwise.testbeds.description import load, presets
from rankwise.testbeds.description.emulated_kind import describe_emulated
from rankwise.testbeds.paths import site_paths

SVG = "{http://www.w3.org/2000/svg}"
MEASURED = (PathFigures("rennes-1", "nancy-1", 0.0058, 0.00585, 0.006, 1e9, 938e6, 0.0, 0.0),)
CROSSED = """
[nic]
rate = "1 Gbit/s"
[site.a]
nodes = 9
uplink = { rate = "500 Mbit/s", delay = "1 ms" }
[node.a-4]
cores = 2
[site.b]
nodes = 0
[site.c]
[[link]]
between = ["a", "b"]
delay = "3 ms"
rate = "100 Mbit/s"
jitter = "0.5 ms"
distribution = "exponential"
loss = "1 %"
burst = 3
back = { rate = "10 Mbit/s" }
[[link]]
between = ["b", "c"]
delay = "2 ms"
"""
TOPOLOGIES = {
    **{name: load(name) for name in presets()},
    "crossed": describe_emulated(parse(CROSSED, "t.toml"), "crossed"),
    "hosts": Topology("hosts", "ssh", ("x", "y"), (Node("n1", "x", 4), Node("n2", "y", 4)), remote_shell="ssh"),
}


def drawn(topology: Topology, *paths: PathFigures, alone: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring(topology_svg(topology, paths, alone=alone))


def texts(svg: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def on_terminal(topology: Topology) -> str:
    console = Console(width=80, force_terminal=False, highlight=False)
    with console.capture() as capture:
        console.print(topology_drawing(topology))
    return capture.get()


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_everything_is_on_the_paper(name: str) -> None:
    topology = TOPOLOGIES[name]
    svg = drawn(topology)
    _, _, width, height = map(float, svg.attrib["viewBox"].split())
    frames = [
        {key: float(value) for key, value in rect.attrib.items() if key != "class"}
        for rect in svg.iter(f"{SVG}rect")
    ]
    assert frames
    for one in frames:
        assert 0 <= one["x"] <= one["x"] + one["width"] <= width
        assert 0 <= one["y"] <= one["y"] + one["height"] <= height
    assert all(any(site in text for text in texts(svg)) for site in topology.sites)
    assert len(list(svg.iter(f"{SVG}line"))) == len(joins(topology))


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_plates_and_boxes_do_not_cover_one_another(name: str, measured: bool) -> None:
    topology = TOPOLOGIES[name]
    pairs = site_paths(topology) if measured else ()
    paths = [PathFigures(one, other, 0.0, 0.00945, 0.0, 1e9, 938.4e6, 0.0, 0.0) for one, other in pairs]
    found = [
        tuple(float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        for rect in drawn(topology, *paths).iter(f"{SVG}rect")
        if rect.attrib["class"] == "rw-g"
    ]
    for index, (x, y, width, height) in enumerate(found):
        for other_x, other_y, other_width, other_height in found[index + 1 :]:
            apart_across = x + width <= other_x or other_x + other_width <= x
            assert apart_across or y + height <= other_y or other_y + other_height <= y


def test_a_link_says_what_was_asked_and_what_was_measured() -> None:
    found = texts(drawn(load("grid5000-2007"), *MEASURED))
    assert "5.79 ms, 1 Gbit/s" in found
    assert "measured 5.85 ms" in found
    assert "938 Mbit/s, 0 % loss" in found
    assert not any("measured" in text for text in texts(drawn(load("grid5000-2007"))))


def test_hosts_without_a_described_network_are_joined_by_what_was_measured() -> None:
    path = PathFigures("n1", "n2", float("nan"), 0.001, 0.002, float("nan"), 1e9, float("nan"), float("nan"))
    svg = drawn(TOPOLOGIES["hosts"], path)
    assert texts(svg)[-2:] == ["measured 1 ms", "1 Gbit/s"]
    assert len(list(svg.iter(f"{SVG}line"))) == 1


def test_directions_that_differ_are_both_told() -> None:
    found = texts(drawn(TOPOLOGIES["crossed"]))
    assert "→ 3 ms ± 500 us, 100 Mbit/s, 1 % loss in runs of 3" in found
    assert "← 3 ms ± 500 us, 10 Mbit/s, 1 % loss in runs of 3" in found


def test_names_cannot_break_out_of_the_picture() -> None:
    evil = replace(load("cluster"), name='<script>"&')
    svg = drawn(evil)
    assert svg.findtext(f"{SVG}title") == 'Testbed <script>"&: cluster'
    assert not list(svg.iter(f"{SVG}script"))


def test_colours_are_the_pages_and_only_a_file_of_its_own_sets_a_theme() -> None:
    inside = topology_svg(load("cluster"))
    assert all(f"var(--{name}," in inside for name in ("ink", "paper", "hair", "accent", "muted"))
    assert "style" not in drawn(load("cluster")).attrib
    assert drawn(load("cluster"), alone=True).attrib["style"] == "color-scheme:light dark"


def test_it_is_described_for_those_who_cannot_see_it() -> None:
    svg = drawn(load("two-clusters"))
    assert svg.attrib["role"] == "img"
    assert svg.findtext(f"{SVG}desc") == "north to south: 500 us, 1 Gbit/s"


def test_alike_nodes_are_one_line() -> None:
    lines = node_lines(TOPOLOGIES["crossed"], "a")
    assert lines[0] == "a-1 .. a-3"
    assert "a-4" in lines
    assert "a-5 .. a-9" in lines
    assert lines[-1] == "uplink 1 ms, 500 Mbit/s"


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_the_terminal_shows_it_within_80_columns(name: str) -> None:
    topology = TOPOLOGIES[name]
    shown = on_terminal(topology)
    assert max(map(len, shown.splitlines())) <= 80
    assert all(site in shown for site in topology.sites)
    assert topology.name in shown


def test_the_terminal_tells_round_trips_and_settings() -> None:
    shown = on_terminal(load("grid5000-2007-untuned"))
    assert "11.6 ms" in shown
    assert "5.79 ms" in shown
    assert "tcp_rmem                4096 87380 174760" in shown
    crossed = on_terminal(TOPOLOGIES["crossed"])
    assert "a → b" in crossed
    assert "b - c" in crossed
    assert "500 us exponential" in crossed
