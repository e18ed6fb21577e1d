"""What is said when a profile is loaded."""

from pathlib import Path

import pytest

from rankwise.core.records import Implementation
from rankwise.core.tuning import Native
from rankwise.profiles.writing import write
from rankwise.workflows import profile_use
from support.profiles import part, profile


def test_variables_of_the_caller_that_do_not_go_with_it_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = profile(part("mpich-5.0.2", Native((), (("UCX_RNDV_THRESH", "32M"),))))
    folder = str(write(made, tmp_path))
    mpich = Implementation("mpich-5.0.2", "mpich", "5.0.2", "", "", "", "path")
    monkeypatch.setenv("UCX_RNDV_THRESH", "8K")
    monkeypatch.setenv("MPIR_CVAR_CH4_NETMOD", "ofi")
    loaded, notices = profile_use.load(folder, mpich, made.topology)
    assert loaded.environment == (("UCX_RNDV_THRESH", "32M"),)
    assert {notice.kind for notice in notices} >= {"environment-overruled", "not-measured-with"}
    assert profile_use.load("default", mpich, made.topology)[1] == ()
