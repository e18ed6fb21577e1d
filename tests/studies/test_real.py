"""A small study of a plug-in folder, for real: a testbed comes up, an MPI runs, a statement is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command_line import rankwise
from support.emulated import needs_emulation
from support.mpis import FOUND

MPICH = next((one.id for one in FOUND if one.family == "mpich" and one.source != "debian"), "")
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not MPICH, reason="needs an MPICH"), needs_emulation]

STUDY = """
from rankwise.studies.base import Chart, Claim, Effort, Page, Row, Study, StudyRun, Table
from rankwise.studies import claims, wording
from rankwise.studies.charts import bandwidth_figure
from rankwise.studies.pingpong import best_curves, latencies
from rankwise.studies.ranges import at_least
from rankwise.report.colours import styles_for

SETTINGS = (("net.ipv4.tcp_rmem", "4096 131072 131072"),)


def page(results):
    curves = best_curves(results.get("far"))
    found = latencies(curves)
    claim = Claim("far", "It is at least 5.8 ms away.", "1")
    statement = claims.about_all(claim, found, lambda one: at_least(one, 5.8e-3), wording.milliseconds)
    rows = tuple(Row(name, (wording.with_interval(one, wording.microseconds),)) for name, one in found.items())
    names = [name for name in curves if name != "TCP"]
    chart = Chart("far", "Far", bandwidth_figure(curves, styles_for(names), []))
    return Page((statement,), (Table("Latency", ("here",), rows),), (chart,))


effort = Effort((1, 1024, 65536), 3, 80.0, 0.05)
run = StudyRun(
    "far", "Rennes to Nancy", "grid5000-2007", ("pingpong", "tcp_pingpong"), effort, effort, "across-sites",
    settings=SETTINGS,
)
study = Study("mine", "My own study", "one line", (run,), page)
"""


@pytest.mark.nightly
def test_from_the_command_line_to_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "studies"
    folder.mkdir(parents=True)
    (folder / "mine.py").write_text(STUDY)
    plugins = str(folder.parent)
    done = rankwise("study", "mine", "--quick", "--mpi", MPICH, "--json", home=tmp_path, RANKWISE_PLUGINS=plugins)
    assert done.returncode == 0, done.stderr
    assert "[1/1] Rennes to Nancy" in done.stderr
    answer = json.loads(done.stdout)
    (statement,) = answer["statements"]
    assert statement["verdict"] == "holds", answer
    assert "TCP (" in statement["measured"]
    assert f"{MPICH} (" in statement["measured"]
    assert 'data-figure="study/far"' in Path(answer["report"]).read_text()

    stored = ",".join(map(str, answer["runs"].values()))
    again = rankwise("study", "mine", "--quick", "--from", stored, home=tmp_path, RANKWISE_PLUGINS=plugins)
    assert again.returncode == 0, again.stderr
    assert "✓ holds" in again.stdout
    assert "[1/1]" not in again.stderr, "nothing is measured twice"
    assert (tmp_path / "rankwise-mine.html").is_file()
