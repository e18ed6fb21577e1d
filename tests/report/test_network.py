"""Rows of the testbed say what was asked for, what was measured, and how far these are apart."""

from __future__ import annotations

import math
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from rankwise.core.network import LinkCounters, NetworkFigures
from rankwise.report.network import (
    deviation,
    emulator_figure,
    emulator_rows,
    hardware_rows,
    link_rows,
    path_rows,
    warnings,
)
from report import grid, samples


def test_a_path_tells_what_was_asked_measured_and_by_how_much_it_is_off() -> None:
    first, second, third = path_rows(grid.paths())
    assert (first.asked_delay, first.delay, first.delay_deviation) == ("5.8 ms", "5.84 ms", "+42 µs (+0.7 %)")
    assert (first.asked_rate, first.rate, first.rate_deviation) == ("1 Gbit/s", "936 Mbit/s", "−6.4 %")
    assert second.loss == "-"
    assert (third.asked_rate, third.rate_deviation) == ("unlimited", "")
    assert (third.asked_loss, third.loss) == ("0.01 %", "0.013 %")


@pytest.mark.parametrize(
    ("asked", "measured", "text"),
    [(2.0, 2.1, "+5.0 %"), (2.0, 1.0, "−50.0 %"), (0.0, 1.0, ""), (1.0, math.nan, "")],
)
def test_deviations(asked: float, measured: float, text: str) -> None:
    assert deviation(asked, measured) == text


def test_links_with_traffic_in_the_testbeds_order() -> None:
    figures = grid.network()
    backwards = replace(figures, links=figures.links[::-1])
    rows = link_rows(backwards, grid.topology())
    assert [row.link for row in rows] == [link.name for link in grid.topology().links[1:]]
    assert (rows[0].asked, rows[0].packets, rows[0].dropped) == ("1 Gbit/s, 5 µs", 120_000, 412)
    assert rows[0].dropped_share == "0.342 %"
    assert rows[0].high_water == "908.2 KiB (89 %)"
    assert rows[1].dropped_share == ""


def test_links_of_an_unknown_testbed() -> None:
    (row,) = link_rows(NetworkFigures((LinkCounters("x", 1, 100, 0, 0, 100),), (), 1), None)
    assert (row.asked, row.high_water) == ("", "100 B")


def test_the_emulator_over_launches() -> None:
    lates = (1e-5, 3e-5, 2e-5)
    rows = emulator_rows(
        [
            replace(one, lateness_p99_seconds=late, cpu_fraction=late * 1e4)
            for one, late in zip(grid.network(3).emulator, lates, strict=True)
        ]
    )
    assert [(row.median, row.worst) for row in rows if "99" in row.what] == [("20 µs", "30 µs")]
    assert [(row.median, row.worst) for row in rows if "CPU" in row.what] == [("20 %", "30 %")]
    assert emulator_rows([]) == []


def test_the_figure_has_a_point_a_launch_and_no_lateness_is_a_gap() -> None:
    figures = grid.network(4).emulator
    figure = emulator_figure([replace(figures[0], lateness_p50_seconds=0.0), *figures[1:]])
    go.Figure(figure)
    assert [len(t["x"]) for t in figure["data"]] == [4, 4, 4]
    assert figure["data"][2]["y"][0] is None


def test_only_the_testbeds_own_warnings() -> None:
    assert [notice.kind for notice in warnings(grid.comparison().notices)] == ["late-link", "emulator-busy"]
    assert warnings(samples.comparison().notices) == []


def test_hosts_and_cards() -> None:
    topology = grid.topology()
    rows = dict(hardware_rows(topology))
    assert rows["Sites, nodes"] == "2, 4"
    assert rows["net.ipv4.tcp_rmem"] == "4096 87380 4194304"
    odd = replace(topology.nodes[0], settings=(*topology.nodes[0].settings, ("net.core.x", "1")))
    mixed = dict(hardware_rows(replace(topology, nodes=(odd, *topology.nodes[1:]))))
    assert mixed["Settings of single nodes"] == "1"
    bare = dict(hardware_rows(replace(topology, links=(), nodes=())))
    assert "MTU" not in bare
