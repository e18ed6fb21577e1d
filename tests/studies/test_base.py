"""Every study is found, its runs find their testbeds, and published numbers are the paper's."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.core.errors import UnknownNameError
from rankwise.measurement.placement import place
from rankwise.studies import base
from rankwise.studies.papers import paper
from rankwise.testbeds import description
from rankwise.testbeds.base import make
from rankwise.workflows.tune.stages import POINT_TO_POINT


def test_the_studies_are_found() -> None:
    assert {"eickermann1999", "hablot2007", "martinasso2006", "mcclements2006"} <= set(base.studies())
    with pytest.raises(UnknownNameError) as caught:
        base.find("hablot2008")
    assert "hablot2007" in caught.value.remedy


def test_a_plug_in_folder_adds_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "studies"
    folder.mkdir()
    (folder / "mine.py").write_text(
        "from rankwise.studies.base import Page, Study\n"
        "study = Study('mine', 'My own', 'one line', (), lambda results: Page(()))\n"
    )
    monkeypatch.setenv("RANKWISE_PLUGINS", str(tmp_path))
    assert base.find("mine").page({}).statements == ()


@pytest.mark.parametrize("name", ["hablot2007", "eickermann1999", "mcclements2006", "martinasso2006"])
def test_every_run_finds_its_testbed(name: str) -> None:
    study = base.find(name)
    assert len({run.label for run in study.runs}) == len(study.runs)
    for run in study.runs:
        topology = study.topology(run, description.load(run.testbed))
        assert study.run_of(topology.name) is run
        hosts = make(topology).hosts()
        assert len(place(run.placement, hosts, run.ranks)) == run.ranks
        if run.placement == "across-sites":
            assert len({node.site for node in topology.nodes}) == 2


@pytest.mark.parametrize("name", ["hablot2007", "eickermann1999", "mcclements2006", "martinasso2006"])
def test_what_is_tuned_are_knobs_that_have_time(name: str) -> None:
    study = base.find(name)
    for run in study.runs:
        assert set(run.tune) <= set(POINT_TO_POINT)
        for quick in (True, False):
            effort = run.effort(quick=quick)
            assert effort is None or bool(run.tune) == (0 < effort.tuning_share < 1)
    assert 0 < study.seconds(quick=True) < study.seconds(quick=False)


def test_published_numbers_are_those_of_the_papers() -> None:
    assert paper("hablot2007")["table4_latency_us"]["OpenMPI"] == [46, 5820]
    assert paper("eickermann1999")["table1_tcp"]["T3E-SP2_ATM155"] == [16.8, 12.5, 6.5, 2.6]
    for name in ("hablot2007", "eickermann1999", "mcclements2006", "martinasso2006"):
        assert paper(name)["title"]
        assert paper(name)["source"]
