"""The native programs are taken from the first place that has one that can be run."""

import sys
from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.core.native_programs import program


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NATIVE", str(tmp_path / "native-build"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "beside" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))


def put(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_the_named_folder_goes_before_python_and_path(tmp_path: Path) -> None:
    on_path = put(tmp_path / "path" / "rankwise-link")
    assert program("rankwise-link") == on_path
    beside = put(tmp_path / "beside" / "rankwise-link")
    assert program("rankwise-link") == beside
    built = put(tmp_path / "native-build" / "native" / "link" / "rankwise-link")
    assert program("rankwise-link") == built
    flat = put(tmp_path / "native-build" / "rankwise-link")
    assert program("rankwise-link") == flat


def test_what_cannot_be_run_does_not_count(tmp_path: Path) -> None:
    put(tmp_path / "beside" / "rankwise-link", 0o644)
    (tmp_path / "path" / "rankwise-link").mkdir(parents=True)
    with pytest.raises(HostError, match="rankwise-link is not installed") as caught:
        program("rankwise-link")
    assert "pip install" in caught.value.remedy
