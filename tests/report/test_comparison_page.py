"""The page of a comparison is complete, works offline, and never runs what stands in a name."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.core.network import NetworkFigures
from rankwise.core.records import Notice
from rankwise.core.results import Comparison
from rankwise.report import page as builder
from rankwise.report.comparison_page import comparison_page
from rankwise.report.context import ReportContext
from rankwise.report.groups import GroupedComparison
from rankwise.report.page import data_of, embedded
from report import edges, grid, samples


def render_report(comparison: Comparison, context: ReportContext) -> str:
    return builder.render(comparison_page(comparison, context))


def write_report(path: Path, comparison: Comparison, context: ReportContext) -> None:
    builder.write(path, comparison_page(comparison, context))


HOSTILE = "<script>alert('x')</script>"


class Outline(HTMLParser):
    """The elements of a page, the text outside of scripts and styles, and what its attributes refer to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self._raw = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._raw = tag in ("script", "style")
        for name, value in attrs:
            if name in ("src", "href", "srcset", "action"):
                self.addresses.append(value or "")
            elif name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        self._raw = False

    def handle_data(self, data: str) -> None:
        if not self._raw:
            self.text += data


@pytest.fixture(scope="module")
def page() -> Outline:
    return Outline(render_report(samples.comparison(), samples.context()))


def test_the_page_has_the_answer_first_and_everything_after_it(page: Outline) -> None:
    context = samples.context()
    places = [page.text.index(sentence) for sentence in context.sentences]
    headings = [
        "Summary by size class",
        "Before you rely on it",
        "Time and bandwidth against size",
        "Ratio of times",
        "Distribution of the samples",
        "All verdicts",
        "What failed",
        "Measure it again",
        "AMD EPYC",
    ]
    places += [page.text.rindex(heading) for heading in headings]
    assert places == sorted(places)


def test_the_page_refers_to_nothing_outside_itself(page: Outline) -> None:
    assert [address for address in page.addresses if not address.startswith(("#", "data:"))] == []
    assert "link" in page.tags
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_a_hostile_name_is_shown_and_never_run(page: Outline) -> None:
    comparison = edges.renamed(samples.comparison(), "mpich-5.0.2", HOSTILE)
    comparison = replace(comparison, notices=(Notice(HOSTILE, HOSTILE, HOSTILE),))
    context = replace(samples.context(comparison.implementations, title=HOSTILE), sentences=(HOSTILE, HOSTILE))
    text = render_report(comparison, context)
    outline = Outline(text)
    assert outline.tags.count("script") == page.tags.count("script")
    assert outline.text.count(HOSTILE) > 10
    own = re.sub(r"<script>/\*\*.*?</script>", "", text, flags=re.DOTALL)  # without Plotly's own text
    assert HOSTILE not in own


def test_data_is_json_that_cannot_close_its_script() -> None:
    data = {"name": "</script><!-- & \u2028", "values": [1, 2.5]}
    text = str(embedded(data))
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == data


def test_data_has_the_figures_and_quantiles_of_every_group() -> None:
    grouped = GroupedComparison(samples.comparison())
    data = json.loads(str(embedded(data_of(comparison_page(samples.comparison(), samples.context())))))
    for groups in (data["groups"], data["ecdf"]["groups"]):
        assert [group["label"] for group in groups] == [group.label for group in grouped.groups]
    assert all(group["figures"]["latency"]["data"] for group in data["groups"])
    assert all(group["quantiles"] for group in data["ecdf"]["groups"])


@pytest.mark.parametrize(
    "fixture", ["nothing", "one_implementation", "too_few_launches", "one_size", "all_failed"]
)
def test_degenerate_comparisons_make_a_page(fixture: str, request: pytest.FixtureRequest) -> None:
    comparison: Comparison = request.getfixturevalue(fixture)
    context = replace(samples.context(comparison.implementations), sentences=())
    text = Outline(render_report(comparison, context)).text
    assert "Measure it again" in text
    assert "nan" not in text.split()


def test_what_is_missing_is_said(nothing: Comparison, all_failed: Comparison) -> None:
    empty = Outline(render_report(nothing, replace(samples.context(()), sentences=()))).text
    assert "Nothing could be compared" in empty
    assert "No verdicts" in empty
    assert "mpiexec: command not found" in Outline(render_report(all_failed, samples.context())).text


def test_writing_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.html"
    write_report(path, samples.comparison(), samples.context())
    write_report(path, samples.comparison(), samples.context(title="The second"))
    assert '<h1 id="title">The second</h1>' in path.read_text(encoding="utf-8")
    assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]


def test_a_place_that_cannot_be_written_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    path = tmp_path / "file" / "report.html"
    with pytest.raises(HostError, match="cannot write the report") as caught:
        write_report(path, samples.comparison(), samples.context())
    assert str(path) in str(caught.value)
    assert "another place" in caught.value.remedy


def test_a_full_disk_leaves_the_old_report_whole(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")  # a limit on the size of files: the nearest to a disk without space
    path = tmp_path / "report.html"
    path.write_text("the old one")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        with pytest.raises(HostError, match="cannot write the report") as caught:
            write_report(path, samples.comparison(), samples.context())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "free space" in caught.value.remedy
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("report.html", "the old one")]


def test_nothing_is_left_when_the_last_step_fails(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.mkdir()  # a file cannot take a folder's name
    with pytest.raises(HostError):
        write_report(path, samples.comparison(), samples.context())
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


NETWORK_SECTIONS = {"testbed", "overhead", "streams"}


def test_a_page_between_sites_has_the_testbed_the_overheads_and_the_streams() -> None:
    outline = Outline(render_report(grid.comparison(), grid.context()))
    assert set(outline.ids) >= NETWORK_SECTIONS
    assert {address[1:] for address in outline.addresses if address.startswith("#")} <= set(outline.ids)
    assert len(outline.ids) == len(set(outline.ids))
    assert "svg" in outline.tags
    for words in (
        "Rennes and Nancy, 11.6 ms round trip",
        "rennes-1 → nancy-1",
        "936 Mbit/s",
        "Links, over 40 launches",
        "with real-time priority",
        "emulator-busy",
        "MPI over raw TCP",
        "pingpong, 2 ranks, placement across-sites",
        "Streams over time",
        "Until 90 % of its maximum",
    ):
        assert words in outline.text


def test_data_has_the_figures_of_the_further_sections() -> None:
    found = json.loads(str(embedded(data_of(comparison_page(grid.comparison(), grid.context())))))["choices"]
    assert [sorted(one["figures"]) for one in found["overhead"]] == [["difference", "ratio"]] * 2
    assert [one["label"].split()[-1] for one in found["stream"]] == ["cubic", "reno"]
    assert len(found["emulator"]) == 1


def test_a_page_without_a_network_has_no_empty_section(page: Outline) -> None:
    assert not NETWORK_SECTIONS & set(page.ids)
    assert "Testbed" not in page.text.split("Provenance")[0]


def test_sections_need_only_what_they_show() -> None:
    context = grid.context()
    only = Outline(render_report(samples.comparison(), replace(context, paths=(), network=None)))
    assert "Hosts and NICs" in only.text
    assert "Links, over" not in only.text
    counted = Outline(render_report(samples.comparison(), replace(context, topology=None, paths=())))
    assert "Links, over" in counted.text
    assert "Hosts and NICs" not in counted.text
    silent = tuple(replace(link, packets=0, dropped_packets=0) for link in grid.network().links)
    quiet = replace(context, network=NetworkFigures(silent, (), 2))
    assert "Nothing went over the network" in Outline(render_report(samples.comparison(), quiet)).text


def test_hostile_words_of_a_testbed_are_shown_and_never_run(page: Outline) -> None:
    topology = replace(grid.topology(), name=HOSTILE, description=HOSTILE)
    paths = tuple(replace(path, source=HOSTILE) for path in grid.paths())
    links = tuple(replace(link, link=HOSTILE) for link in grid.network().links)
    context = replace(grid.context(), topology=topology, paths=paths, network=replace(grid.network(), links=links))
    text = render_report(samples.comparison(), context)
    assert Outline(text).tags.count("script") == page.tags.count("script")
    assert HOSTILE not in re.sub(r"<script>/\*\*.*?</script>", "", text, flags=re.DOTALL)
