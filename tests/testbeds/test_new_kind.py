"""Protects: a testbed kind is one new file in a plug-in folder; every verb takes it, nothing else is edited."""

import json
from pathlib import Path

import pytest

from rankwise.core.errors import InputError
from rankwise.testbeds import description
from rankwise.testbeds.base import kinds, make
from support.command_line import rankwise
from support.mpis import FOUND

KIND = '''
from rankwise.core import process
from rankwise.core.network import Node, Topology
from rankwise.testbeds import host
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.description.section import Section, testbed_name


class NiceTestbed(TestbedKind):
    """A nice testbed runs everything here, behind whatever else this host does."""

    kind = "nice"

    @classmethod
    def describe(cls, table, name):
        top = Section(table, ("name", "description", "kind", "cores"))
        node = Node("here", "desk", cores=top.count("cores", 2, 1, 64))
        return Topology(testbed_name(top, name), cls.kind, ("desk",), (node,), description=top.text("description"))

    def facts(self):
        return host.facts()

    def command_on(self, node, arguments):
        self.check_node(node)
        return ["env", "POLITE=very", "nice", *arguments]

    def run(self, steps, hosts, limit_seconds, end_marker=""):
        from dataclasses import replace

        main = replace(steps.main, argv=("env", "POLITE=very", "nice", *steps.main.argv))
        return process.run_steps(replace(steps, main=main), limit_seconds, end_marker)
'''
PRESET = 'kind = "nice"\ndescription = "this host, politely"\n'


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "plugins" / "testbeds"
    folder.mkdir(parents=True)
    (folder / "nice.py").write_text(KIND)
    (folder / "polite.toml").write_text(PRESET)
    (tmp_path / "mine.toml").write_text(PRESET + "cores = 3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKWISE_PLUGINS", str(folder.parent))
    return str(folder.parent)


def test_it_is_found_and_reads_its_own_keys(plugins: str) -> None:
    assert set(kinds()) >= {"nice", "local", "emulated", "ssh"}
    assert [host.slots for host in make(description.load("mine.toml")).hosts()] == [3]
    Path("mine.toml").write_text('kind = "nice"\ncores = "three"\n')
    with pytest.raises(InputError, match=r"mine.toml:2: cores: 'three' is not a whole number"):
        description.load("mine.toml")


def test_without_its_file_the_kind_is_unknown(plugins: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANKWISE_PLUGINS")
    with pytest.raises(InputError, match=r"mine.toml:1: kind: unknown kind of testbed 'nice'") as caught:
        description.load("mine.toml")
    assert "emulated" in caught.value.remedy


def test_testbed_verbs_take_it(plugins: str, tmp_path: Path) -> None:
    def verb(*arguments: str) -> tuple[int, str, str]:
        told = rankwise("testbed", *arguments, home=tmp_path, RANKWISE_PLUGINS=plugins)
        return told.returncode, told.stdout, told.stderr

    listed = json.loads(verb("list", "--json")[1])
    assert {"name": "polite", "description": "this host, politely", "sites": ["desk"], "nodes": 1} in listed[
        "presets"
    ]
    assert "desk" in verb("show", str(tmp_path / "mine.toml"))[1]
    assert verb("exec", "here", "--testbed", "polite", "--", "printenv", "POLITE")[:2] == (0, "very\n")
    code, _, said = verb("exec", "her", "--testbed", "polite", "--", "true")
    assert (code, "unknown node 'her'" in said) == (2, True)
    code, _, said = verb("up", "polite")
    assert (code, "nothing needs to be brought up" in said) == (2, True)


@pytest.mark.mpi
@pytest.mark.skipif(not FOUND, reason="no MPI here")
def test_what_runs_and_measures_takes_it(plugins: str, tmp_path: Path) -> None:
    file = str(tmp_path / "mine.toml")
    words = ["run", "--mpi", FOUND[0].id, "-n", "2", "--testbed", file, "--", "printenv", "POLITE"]
    done = rankwise(*words, home=tmp_path, RANKWISE_PLUGINS=plugins)
    assert (done.returncode, done.stdout) == (0, "very\nvery\n"), done.stderr
    words = ["bench", "pingpong", "--mpi", FOUND[0].id, "--sizes", "8", "--launches", "1", "--json"]
    done = rankwise(*words, "--testbed", file, home=tmp_path, RANKWISE_PLUGINS=plugins)
    assert done.returncode == 0, done.stderr
    (row,) = [one for one in json.loads(done.stdout)["cells"] if one["benchmark"] == "pingpong"]
    assert row["median_seconds"] > 0
