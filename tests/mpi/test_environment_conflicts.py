"""A variable that the user has set already and that a profile would set otherwise is told."""

from pathlib import Path

import pytest

from rankwise.core.bound_variables import bound
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded
from rankwise.mpi.environment_conflicts import notices
from rankwise.mpi.family import family_named


def said(family: str, loaded: Loaded, caller: dict[str, str], version: str = "5.0.11") -> list[tuple[str, str]]:
    one = Implementation(f"{family}-{version}", family, version, "", "", "", "path")
    return [(notice.kind, notice.message) for notice in notices(family_named(family), one, loaded, caller)]


@pytest.fixture
def parameters(tmp_path: Path) -> Loaded:
    file = tmp_path / "mca-params.conf"
    file.write_text("# for Open MPI\nbtl_tcp_eager_limit = 33554432\ncoll_tuned_use_dynamic_rules = 1\n")
    return Loaded((("OMPI_MCA_mca_base_param_files", str(file)),), (), (str(file),))


def test_a_variable_overrules_a_parameter_file(parameters: Loaded) -> None:
    caller = {"OMPI_MCA_btl_tcp_eager_limit": "1024", "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
    ((kind, words),) = said("openmpi", parameters, caller)
    assert kind == "profile-overruled"
    assert "OMPI_MCA_btl_tcp_eager_limit=1024" in words and "33554432" in words


@pytest.mark.parametrize(("version", "overruled"), [("5.0.11", True), ("4.1.4", False)])
def test_the_users_own_file_overrules_from_open_mpi_5_on(
    version: str, overruled: bool, parameters: Loaded, tmp_path: Path
) -> None:
    (tmp_path / ".openmpi").mkdir()
    own = tmp_path / ".openmpi/mca-params.conf"
    own.write_text("btl_tcp_eager_limit=1024 # mine\nbtl_tcp_links = 2\n")
    found = said("openmpi", parameters, {"HOME": str(tmp_path)}, version)
    assert [kind for kind, _ in found] == ["profile-overruled"] * overruled
    assert all(f"= 1024 in {own}" in words for _, words in found)


def test_a_profile_overrules_variables_of_its_own() -> None:
    loaded = Loaded((("UCX_RNDV_THRESH", "32M"), (bound(4, "I_MPI_ADJUST_BCAST"), "1:0-9")))
    caller = {"UCX_RNDV_THRESH": "8K", "I_MPI_ADJUST_BCAST": "3"}
    found = said("intelmpi", loaded, caller)
    assert [kind for kind, _ in found] == ["environment-overruled"] * 2
    assert "UCX_RNDV_THRESH=8K of your environment: it has 32M" in found[0][1]
    assert "for jobs of 4 ranks" in found[1][1]


@pytest.mark.parametrize("version", ["4.1.4", "5.0.11"])
def test_variables_overrule_the_users_own_file(version: str, tmp_path: Path) -> None:
    (tmp_path / ".openmpi").mkdir()
    (tmp_path / ".openmpi/mca-params.conf").write_text("btl_tcp_eager_limit=1024\nbtl_tcp_links = 2\n")
    loaded = Loaded((("OMPI_MCA_btl_tcp_eager_limit", "4096"), ("OMPI_MCA_btl_tcp_links", "2")))
    ((kind, words),) = said("openmpi", loaded, {"HOME": str(tmp_path)}, version)
    assert kind == "environment-overruled"
    assert "OMPI_MCA_btl_tcp_eager_limit = 1024 of " in words and words.endswith("it has 4096")


def test_others_were_not_there_when_it_was_measured() -> None:
    loaded = Loaded((("FI_X", "1"),))
    caller = {"I_MPI_ROOT": "/i", "I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp", "FI_X": "1", "OMPI_MCA_btl": "tcp"}
    ((kind, words),) = said("intelmpi", loaded, caller)
    assert kind == "not-measured-with" and words.startswith("FI_PROVIDER, I_MPI_FABRICS of")


def test_without_a_profile_nothing_is_said() -> None:
    assert said("mpich", Loaded(), {"UCX_TLS": "tcp"}) == []
