"""The report as a reader has it: opened from a file in Chromium, without a network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankwise.core.results import Comparison
from report import edges, grid, samples
from report.test_comparison_page import write_report

playwright_api = pytest.importorskip("playwright.sync_api")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
if hasattr(os, "geteuid") and os.geteuid() == 0:
    ARGUMENTS.append("--no-sandbox")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH (Debian: apt install chromium)"),
]

Open = Callable[..., Any]
TRACES = """() => [...document.querySelectorAll('figure:not([hidden]) .plot')].flatMap((plot) =>
    (plot.data || []).filter((trace) => trace.meta.implementation)
        .map((trace) => [trace.meta.implementation, trace.visible]))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, samples.comparison(), samples.context())
    return path


@pytest.fixture
def open_page(browser: Any, report: Path) -> Iterator[Open]:
    """Opens the report; at the end of the test there must have been no request and no word on the console."""
    contexts: list[Any] = []
    requests: list[str] = []
    complaints: list[str] = []

    def open_it(path: Path = report, width: int = 1280, height: int = 900, scheme: str = "light") -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()

        def route(route: Any) -> None:
            requests.append(route.request.url)
            route.abort()

        page.route(lambda url: not url.startswith(("file:", "data:", "blob:")), route)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert requests == []
    assert complaints == []


def draw(page: Any, kind: str) -> Any:
    """Bring a figure into view and wait until it is drawn."""
    figure = page.locator(f"[data-figure={kind}]")
    figure.scroll_into_view_if_needed()
    figure.locator(".main-svg").first.wait_for(state="attached")
    return figure


def test_figures_are_drawn_when_they_come_into_view(open_page: Open) -> None:
    page = open_page()
    assert page.locator("[data-figure=ecdf] .main-svg").count() == 0
    for kind in ("latency", "bandwidth", "ecdf"):
        assert draw(page, kind).locator(".scatterlayer .trace").count() >= len(samples.IMPLEMENTATIONS)


def test_every_benchmark_can_be_chosen_and_has_its_figures(open_page: Open) -> None:
    page = open_page()
    draw(page, "latency")
    for index, (name, (category, _, _, _, moved)) in enumerate(samples.BENCHMARKS.items()):
        page.select_option("#benchmark", str(index))
        assert name in page.locator("[data-figure=latency] .which").inner_text()
        draw(page, "latency")
        assert page.locator("[data-figure=bandwidth]").is_visible() == (moved > 0)
        assert page.locator("[data-figure=overlap]").is_visible() == (category == "nonblocking")
        if category == "nonblocking":
            assert draw(page, "overlap").locator(".scatterlayer .trace").count() == 2 * 5  # bands and lines


@pytest.mark.nightly
def test_arrows_go_round_the_benchmarks(open_page: Open) -> None:
    page = open_page()
    draw(page, "latency")
    page.click("[data-step='-1']")
    assert page.locator("[data-figure=latency] .which").inner_text() == "put, 2 ranks"
    page.click("[data-step='1']")
    assert page.locator("[data-figure=latency] .which").inner_text() == "pingpong, 2 ranks"


def test_a_toggle_hides_an_implementation_everywhere(open_page: Open) -> None:
    page = open_page()
    for kind in ("latency", "bandwidth", "ecdf"):
        draw(page, kind)
    name = "mpich-5.0.2"
    toggle = page.locator(f"[data-toggle='{name}']")
    toggle.click()
    shown = page.evaluate(TRACES)
    assert {visible for owner, visible in shown if owner == name} == {False}
    assert {visible for owner, visible in shown if owner != name} == {True}
    assert page.locator(f"[data-implementation='{name}']:visible").count() == 0
    assert toggle.get_attribute("aria-pressed") == "false"
    page.select_option("#benchmark", "5")  # and stays hidden in what is drawn later
    draw(page, "latency")
    assert {visible for owner, visible in page.evaluate(TRACES) if owner == name} == {False}
    toggle.click()
    assert {visible for _, visible in page.evaluate(TRACES)} == {True}
    assert page.locator(f"[data-implementation='{name}']:visible").count() > 10


def test_dark_and_light(open_page: Open) -> None:
    page = open_page()
    draw(page, "latency")
    look = """() => [getComputedStyle(document.body).backgroundColor,
                     document.querySelector('.plot').data.at(-1).marker.color]"""
    light = page.evaluate(look)
    page.click("#theme")
    dark = page.evaluate(look)
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    page.click("#theme")
    assert page.evaluate(look) == light
    other = open_page(scheme="dark")
    draw(other, "latency")
    assert other.evaluate(look) == dark


@pytest.mark.nightly
def test_a_distribution_is_drawn_on_demand(open_page: Open) -> None:
    page = open_page()
    figure = draw(page, "ecdf")
    fastest = "() => document.querySelector('[data-figure=ecdf] .plot').data[0].x[0]"
    before = page.evaluate(fastest)
    page.select_option("#ecdf-benchmark", label="allreduce, 4 ranks")
    page.select_option("#ecdf-size", label="64 KiB")
    assert figure.locator(".which").inner_text() == "allreduce, 4 ranks, 64 KiB"
    first = next(
        distribution
        for distribution in samples.comparison().distributions
        if (distribution.cell.benchmark, distribution.cell.size_bytes) == ("allreduce", 65536)
        and distribution.cell.implementation == sorted(samples.IMPLEMENTATIONS)[0]
    )
    after = page.evaluate(fastest)
    assert after != before
    assert after == pytest.approx(first.quantiles_seconds[0], rel=1e-3)


def test_verdicts_are_filtered_and_sorted(open_page: Open) -> None:
    page = open_page()
    rows = page.locator("#verdict-table tbody tr:visible")
    total = len(samples.comparison().verdicts)
    assert rows.count() == total
    page.fill("#filters [name=text]", "alltoall 4 MiB")
    assert rows.count() == 4
    page.select_option("#filters [name=candidate]", "lammpi-7.1.4")
    assert page.locator("#shown").inner_text() == f"1 of {total} shown"
    page.fill("#filters [name=text]", "")
    page.select_option("#filters [name=candidate]", "")
    page.click("#verdict-table th:nth-child(5) button")
    ratios = [float(text) for text in page.locator("#verdict-table td:nth-child(5)").all_inner_texts()]
    assert ratios == sorted(ratios)
    page.click("#verdict-table th:nth-child(5) button")
    assert page.locator("#verdict-table th:nth-child(5)").get_attribute("aria-sort") == "descending"


@pytest.mark.nightly
def test_a_cell_of_the_heat_map_tells_its_numbers(open_page: Open) -> None:
    page = open_page()
    cell = page.locator(".heatmap td[data-tip]").first
    cell.scroll_into_view_if_needed()
    page.wait_for_function("() => new Promise(requestAnimationFrame)")  # scrolling hides the tip
    cell.hover()
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert "× the time [" in tip.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.nightly
def test_a_phone_never_scrolls_sideways(open_page: Open, scheme: str) -> None:
    page = open_page(width=375, height=812, scheme=scheme)
    for kind in ("latency", "bandwidth", "ecdf"):
        draw(page, kind)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    assert page.locator("[data-figure=latency] .main-svg").first.bounding_box()["width"] <= 375


def test_on_paper_everything_is_drawn_in_light_and_fits(open_page: Open) -> None:
    page = open_page(scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for kind in ("latency", "bandwidth", "ecdf"):
        svg = page.locator(f"[data-figure={kind}] .main-svg").first
        assert 0 < svg.bounding_box()["width"] <= 700
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for section in ("#answer", "#notices", "#curves", "#ratios", "#distributions", "#provenance"):
        assert page.locator(section).is_visible()
    assert not page.locator("#filters").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.nightly
def test_a_hostile_name_does_nothing(open_page: Open, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)>\"'</script>"
    comparison = edges.renamed(samples.comparison(), "mpich-5.0.2", hostile)
    path = tmp_path / "hostile.html"
    write_report(path, comparison, samples.context(comparison.implementations, title=hostile))
    page = open_page(path)
    for kind in ("latency", "bandwidth", "ecdf"):
        draw(page, kind)
    page.locator(".chip", has_text="<img").click()
    assert {visible for owner, visible in page.evaluate(TRACES) if owner == hostile} == {False}
    assert page.locator("img").count() == 0


@pytest.mark.parametrize(
    "fixture", ["nothing", "one_implementation", "too_few_launches", "one_size", "all_failed"]
)
def test_degenerate_comparisons_open_without_a_complaint(
    open_page: Open, tmp_path: Path, fixture: str, request: pytest.FixtureRequest
) -> None:
    comparison: Comparison = request.getfixturevalue(fixture)
    path = tmp_path / "report.html"
    write_report(path, comparison, replace(samples.context(comparison.implementations), sentences=()))
    page = open_page(path, width=375)
    if comparison.curves:
        draw(page, "latency")
        draw(page, "ecdf")
    page.locator("footer").scroll_into_view_if_needed()
    assert page.evaluate("document.documentElement.scrollWidth") == 375


@pytest.fixture(scope="module")
def grid_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("grid") / "report.html"
    write_report(path, grid.comparison(), grid.context())
    return path


GRID_FIGURES = ("overhead/ratio", "overhead/difference", "stream/bandwidth", "emulator/lateness")


def draw_section(page: Any, kind: str) -> Any:
    return draw(page, f"'{kind}'")


def test_the_sections_of_a_network_draw_what_is_chosen(open_page: Open, grid_report: Path) -> None:
    page = open_page(grid_report)
    for kind in GRID_FIGURES:
        draw_section(page, kind)
    ratio = page.locator("[data-figure='overhead/ratio']")
    highest = "() => Math.max(...document.querySelector(\"[data-figure='overhead/ratio'] .plot\").data.at(-1).y)"
    far = page.evaluate(highest)
    page.select_option("[data-choice=overhead]", label="pingpong, 2 ranks, placement block")
    assert ratio.locator(".which").inner_text() == "pingpong, 2 ranks, placement block"
    assert page.evaluate(highest) > 2 > far
    page.select_option("[data-choice=stream]", "1")
    assert "reno" in page.locator("[data-figure='stream/bandwidth'] .which").inner_text()
    assert page.locator("[data-figure='stream/bandwidth'] .y4tick").count() > 0


@pytest.mark.nightly
def test_a_toggle_leaves_raw_tcp(open_page: Open, grid_report: Path) -> None:
    page = open_page(grid_report)
    draw_section(page, "stream/bandwidth")
    name = grid.STREAMED[0]
    page.locator(f"[data-toggle='{name}']").click()
    shown = page.evaluate(
        """() => document.querySelector("[data-figure='stream/bandwidth'] .plot").data
            .map((trace) => [trace.meta.implementation || trace.meta.baseline, trace.visible])"""
    )
    assert {visible for owner, visible in shown if owner == name} == {False}
    assert {visible for owner, visible in shown if owner != name} == {True}
    assert page.locator("#streams td:visible, #streams th:visible").filter(has_text=name).count() == 0


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_a_network_fits_a_phone_and_paper(open_page: Open, grid_report: Path, scheme: str) -> None:
    page = open_page(grid_report, width=375, height=812, scheme=scheme)
    for kind in GRID_FIGURES:
        draw_section(page, kind)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    svg = page.locator("[data-figure='stream/bandwidth'] .main-svg").first
    assert 400 < svg.bounding_box()["height"] <= 600
    assert page.pdf(format="A4").startswith(b"%PDF")
