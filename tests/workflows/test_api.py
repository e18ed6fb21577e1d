"""`import rankwise` offers what it says, is light until it is used, and its results can be looked into."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankwise
from rankwise.core.errors import InputError
from rankwise.store.store import Store
from rankwise.workflows.api import names_in
from rankwise.workflows.compare import load
from support import stored


def test_everything_that_is_named_is_there_and_documented() -> None:
    for name in rankwise.__all__:
        value = getattr(rankwise, name)
        assert name == "__version__" or inspect.getdoc(value), name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rankwise.nothing


def test_what_is_there_is_seen_where_users_look() -> None:
    assert set(rankwise.__all__) <= set(dir(rankwise))
    shown = pydoc.plain(pydoc.render_doc(rankwise))
    assert "compare(" in shown and "class CompareResult" in shown


def test_names_and_numbers_are_taken_as_on_the_command_line(tmp_path: Path) -> None:
    assert names_in("openmpi,mpich") == names_in(["openmpi", "mpich"]) == ("openmpi", "mpich")
    assert names_in("openmpi") == ("openmpi",) and names_in("") == ()
    with pytest.raises(InputError, match="no-such-mpi"):
        rankwise.compare(
            "no-such-mpi", benchmarks="pingpong", ranks=2, where=rankwise.Where(tmp_path / "results.sqlite")
        )
    with pytest.raises(TypeError, match="colour"):
        rankwise.compare("openmpi", colour=3)  # type: ignore[call-arg]


def test_importing_it_loads_nothing_else() -> None:
    code = "import sys, rankwise; print(sorted(m for m in sys.modules if m.startswith(('rankwise.', 'numpy'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        stored.measured(store, launches=3)
    return path


def test_a_result_can_be_looked_into(path: Path, tmp_path: Path) -> None:
    result = load(None, path)
    assert result.run_id == 1
    assert result.verdicts == () and result.sentences
    found = result.samples("openmpi-5.0.11", "allreduce", 4)
    assert list(found) == [4] and len(found[4]) == 3
    assert np.array_equal(found[4][0], stored.make_launch(0).series[1].samples_seconds)
    with pytest.raises(InputError, match="no samples of bcast"):
        result.samples("openmpi-5.0.11", "bcast")
    assert result.report(tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert "<ul>" in result._repr_html_()


def test_a_result_becomes_a_frame(path: Path) -> None:
    frame = load(1, path).to_frame()
    assert list(frame.columns)[:4] == ["variant", "benchmark", "size_bytes", "ranks"]
    assert len(frame) == 3 * 4 and set(frame["launch"]) == {1, 2, 3}
    assert (frame["min_seconds"] <= frame["median_seconds"]).all()


def test_a_testbed_runs_commands_here() -> None:
    with rankwise.testbed("local") as net:
        assert net.topology is None
        (host,) = net.hosts
        assert net.exec(host, "echo", "a b").stdout == "a b\n"
        with pytest.raises(InputError, match="has no host"):
            net.exec("none-such", "true")
