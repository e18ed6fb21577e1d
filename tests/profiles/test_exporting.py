"""An export holds all that a profile sets, for places without Rankwise, and replaces nothing unasked."""

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.tuning import Native
from rankwise.profiles.exporting import export, remove
from rankwise.profiles.writing import write
from support.profiles import NATIVE, TUNING, part, profile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    native = replace(NATIVE, environment=(*NATIVE.environment, ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")))
    return write(
        profile(part(native=native), part("mpich-5.0.2", Native((), (("A", "1"),)))), tmp_path / "profiles"
    )


def test_mca_parameters_come_together_in_one_file(folder: Path, tmp_path: Path) -> None:
    written = export(folder, tmp_path / "to", ["mca"]).paths
    own = tmp_path / "to"
    assert written == (own / "rules.conf", own / "mca-params.conf")
    first, *lines, last = (own / "mca-params.conf").read_text().splitlines()
    assert first.startswith("# >>> rankwise: profile wan") and last == "# <<< rankwise"
    assert lines == [
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
    written = {str(path.relative_to(tmp_path / "to")) for path in export(folder, tmp_path / "to", []).paths}
    assert {"90-rankwise.conf", "modulefiles/wan/mpich-5.0.2", "openmpi-5.0.11/load.sh"} < written


def test_what_is_there_is_replaced_only_by_force(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "90-rankwise.conf").write_text("mine\n")
    with pytest.raises(InputError, match="already exists"):
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


MINE = "# my own\nbtl_tcp_eager_limit = 1\n\nbtl_tcp_links=2 # two\n"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/mca-params.conf").write_text(MINE)
    (tmp_path / "home/mca-params.conf").chmod(0o600)
    return tmp_path / "home"


def test_a_users_parameter_file_is_added_to_and_its_values_stay(folder: Path, home: Path) -> None:
    done = export(folder, home, ["mca"])
    text = (home / "mca-params.conf").read_text()
    assert text.startswith(MINE)
    assert "\n# not set, line 2 has 1: btl_tcp_eager_limit = 33554432\n" in text and "\nbtl = tcp,self\n" in text
    (notice,) = done.notices
    assert "btl_tcp_eager_limit = 1 in " in notice.message and "33554432 of profile wan" in notice.message
    assert (home / "mca-params.conf.before-rankwise").read_text() == MINE
    assert (home / "mca-params.conf").stat().st_mode & 0o777 == 0o600


def test_done_twice_nothing_changes(folder: Path, home: Path) -> None:
    export(folder, home, [])
    once = everything(home)
    assert export(folder, home, []).notices
    assert everything(home) == once


def test_by_force_the_profiles_value_comes_last_and_counts(folder: Path, home: Path) -> None:
    (notice,) = export(folder, home, ["mca"], force=True).notices
    assert "is overruled by 33554432" in notice.message
    lines = (home / "mca-params.conf").read_text().splitlines()
    assert lines.index("btl_tcp_eager_limit = 33554432") > lines.index("btl_tcp_eager_limit = 1")


@pytest.mark.parametrize("mine", [MINE, MINE.rstrip("\n"), "x = \udcff\n", ""])
def test_what_was_exported_is_taken_out_again(folder: Path, home: Path, mine: str) -> None:
    (home / "mca-params.conf").write_bytes(mine.encode("utf-8", "surrogateescape"))
    before = everything(home)
    export(folder, home, [])
    export(folder, home, [], force=True)
    assert remove(folder, home, []).paths
    assert everything(home) == (before if mine else {})
    assert [path.name for path in home.iterdir()] == (["mca-params.conf"] if mine else [])
    assert remove(folder, home, []).paths == ()


def test_what_the_user_writes_afterwards_stays(folder: Path, home: Path) -> None:
    export(folder, home, [])
    with (home / "mca-params.conf").open("a") as file:
        file.write("later = 1\n")
    (home / "90-rankwise.conf").write_text("mine\n")
    done = remove(folder, home, [])
    assert (home / "mca-params.conf").read_text() == MINE + "later = 1\n"
    assert (home / "90-rankwise.conf").read_text() == "mine\n"
    assert [one.kind for one in done.notices] == ["edited-export"]


def test_another_profile_takes_the_place_of_the_one_before(folder: Path, home: Path) -> None:
    export(folder, home, ["mca"])
    files = (("rules.conf", "2\n"),)
    other = replace(NATIVE, files=files, environment=(("OMPI_MCA_btl_tcp_rcvbuf", "4096"),), arguments=())
    lan = write(profile(part(native=other), name="lan"), folder.parent)
    export(lan, home, ["mca"])
    text = (home / "mca-params.conf").read_text()
    assert text.startswith(MINE) and text.count(">>> rankwise") == 1
    assert "btl_tcp_rcvbuf = 4096" in text and "btl = tcp,self" not in text
    assert (home / "rules.conf").read_text() == "2\n"
    assert (home / "mca-params.conf.before-rankwise").read_text() == MINE


def test_lines_of_a_profile_that_do_not_end_are_told(folder: Path, home: Path) -> None:
    export(folder, home, ["mca"])
    conf = home / "mca-params.conf"
    conf.write_text(conf.read_text().replace("# <<< rankwise", ""))
    for act in (export, remove):
        with pytest.raises(InputError, match=r"mca-params.conf:5: the lines of a profile begin here"):
            act(folder, home, ["mca"])


def test_a_link_to_a_parameter_file_stays_one(folder: Path, home: Path, tmp_path: Path) -> None:
    (home / "mca-params.conf").rename(tmp_path / "real.conf")
    (home / "mca-params.conf").symlink_to(tmp_path / "real.conf")
    export(folder, home, ["mca"])
    assert (home / "mca-params.conf").is_symlink() and "btl = tcp,self" in (tmp_path / "real.conf").read_text()
    remove(folder, home, ["mca"])
    assert (tmp_path / "real.conf").read_text() == MINE


@pytest.mark.parametrize("act", [export, remove])
def test_what_cannot_be_read_is_an_error_with_a_remedy(act, folder: Path, home: Path) -> None:  # type: ignore[no-untyped-def]
    (home / "mca-params.conf").unlink()
    (home / "mca-params.conf").mkdir()
    with pytest.raises(HostError) as caught:
        act(folder, home, ["mca"])
    assert caught.value.remedy
