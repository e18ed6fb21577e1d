"""An export holds all that a profile sets, for places without Rankwise, and replaces nothing unasked."""

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Native
from rankwise.profiles.exporting import export
from rankwise.profiles.writing import write
from support.profiles import NATIVE, TUNING, part, profile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    native = replace(NATIVE, environment=(*NATIVE.environment, ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")))
    return write(
        profile(part(native=native), part("mpich-5.0.2", Native((), (("A", "1"),)))), tmp_path / "profiles"
    )


def test_mca_parameters_come_together_in_one_file(folder: Path, tmp_path: Path) -> None:
    written = export(folder, tmp_path / "to", ["mca"])
    own = tmp_path / "to"
    assert written == (own / "rules.conf", own / "mca-params.conf")
    assert (own / "mca-params.conf").read_text().splitlines() == [
        "btl_tcp_eager_limit = 33554432",
        f"coll_tuned_dynamic_rules_filename = {own}/rules.conf",
        "coll_tuned_use_dynamic_rules = 1",
        "btl = tcp,self",
    ]


def test_several_open_mpis_have_a_folder_each(tmp_path: Path) -> None:
    folder = write(profile(part(), part("openmpi-4.1.4")), tmp_path / "profiles")
    export(folder, tmp_path / "to", ["mca"])
    for own in ("openmpi-4.1.4", "openmpi-5.0.11"):
        assert f"= {tmp_path}/to/{own}/rules.conf" in (tmp_path / "to" / own / "mca-params.conf").read_text()
    export(folder, tmp_path / "one", ["mca"], implementation="openmpi-4")
    assert f"= {tmp_path}/one/rules.conf" in (tmp_path / "one/mca-params.conf").read_text()


def test_a_part_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        export(folder, tmp_path / "to", [], implementation="opnmpi-5.0.11")
    assert "openmpi-5.0.11" in caught.value.remedy


def test_an_edited_file_is_exported_as_it_is(folder: Path, tmp_path: Path) -> None:
    conf = folder / "openmpi-5.0.11/mca-params.conf"
    conf.write_text(conf.read_text().replace("33554432", "1"))
    export(folder, tmp_path / "to", ["env"])
    assert (tmp_path / "to/openmpi-5.0.11/mca-params.conf").read_text() == (
        f"btl_tcp_eager_limit = 1\ncoll_tuned_dynamic_rules_filename = {tmp_path}/to/openmpi-5.0.11/rules.conf\n"
    )
    assert (tmp_path / "to/mpich-5.0.2/load.sh").read_text().count("_rankwise_set A 1\n") == 1


def test_without_a_format_all_that_there_is(folder: Path, tmp_path: Path) -> None:
    written = {str(path.relative_to(tmp_path / "to")) for path in export(folder, tmp_path / "to", [])}
    assert {"90-rankwise.conf", "modulefiles/wan/mpich-5.0.2", "openmpi-5.0.11/load.sh"} < written


def test_what_is_there_is_replaced_only_by_force(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "90-rankwise.conf").write_text("mine\n")
    with pytest.raises(InputError, match="is there already"):
        export(folder, tmp_path, ["sysctl"])
    assert (tmp_path / "90-rankwise.conf").read_text() == "mine\n"
    export(folder, tmp_path, ["sysctl"], force=True)
    assert "tcp_rmem" in (tmp_path / "90-rankwise.conf").read_text()


@pytest.mark.parametrize("name", ["mca", "sysctl"])
def test_a_format_in_which_there_is_nothing(name: str, tmp_path: Path) -> None:
    only = part("mpich-5.0.2", Native((), (("A", "1"),)), replace(TUNING, host_settings=()))
    folder = write(profile(only), tmp_path / "profiles")
    with pytest.raises(InputError, match=f"nothing in the format {name}"):
        export(folder, tmp_path / "to", [name])
