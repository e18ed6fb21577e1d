"""Every verb takes every recording that holds enough for it, and refuses the others as bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankwise.analysis.recordings.base import read
from rankwise.analysis.trace.goal import goal
from rankwise.cli.main import rankwise
from rankwise.core.errors import InputError
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.tune.spec import spec_of
from support.recordings import CSV, MONITORED, MPIP, a_trace, an_archive, text_file

RECORDINGS: dict[str, tuple[Callable[[Path], Path], set[str]]] = {
    "trace": (a_trace, {"map", "map by time", "predict", "tune"}),
    "OTF2": (an_archive, {"import", "map", "map by time", "predict", "tune"}),
    "monitoring": (text_file("m.txt", MONITORED), {"map", "tune"}),
    "mpiP": (text_file("app.mpiP", MPIP), {"tune"}),
    "CSV": (text_file("app.csv", CSV), {"tune"}),
    "matrix": (text_file("pairs.csv", "from,to,bytes\n0,1,5\n"), {"map"}),
}
VERBS = {
    "import": "trace import FILE -o imported",
    "map": "map FILE --testbed two-clusters --time 20ms",
    "map by time": "map FILE --testbed two-clusters --time 20ms --objective time",
    "predict": "predict trace FILE --testbed two-clusters",
}


@pytest.mark.parametrize("verb", [*VERBS, "tune"])
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_is_taken_where_it_holds_enough(
    name: str, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make, takers = RECORDINGS[name]
    file = str(make(tmp_path))
    error: BaseException | None = None
    if verb == "tune":
        try:
            assert spec_of((file,), LocalTestbed())[0].application
        except InputError as caught:
            error = caught
    else:
        words = [file if word == "FILE" else word for word in VERBS[verb].split()]
        result = CliRunner().invoke(rankwise, words)
        error = result.exception if result.exit_code else None
    if verb in takers:
        assert error is None, error
    else:
        assert isinstance(error, InputError) and error.exit_code == 2
        assert file in str(error) and error.remedy


def test_an_imported_archive_has_the_same_calls(tmp_path: Path) -> None:
    archive = an_archive(tmp_path)
    result = CliRunner().invoke(rankwise, ["trace", "import", str(archive), "-o", str(tmp_path / "imported")])
    assert result.exit_code == 0, result.output
    trace = read(tmp_path / "imported").need_calls()
    assert list(goal(trace)) == list(goal(read(archive).need_calls()))
    assert not trace.problems
