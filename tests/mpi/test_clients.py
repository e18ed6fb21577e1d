"""A user's program gets the libraries of the MPI that starts it, and another MPI in its ranks is noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.records import Implementation
from rankwise.mpi import clients
from rankwise.mpi.clients import LIBRARY_PATH, MPI4PY_LIBRARY, judge, library_of, surroundings
from support.mpis import FOUND, working

pytestmark = pytest.mark.mpi
NAMES = [one.id for one in FOUND]


@pytest.mark.parametrize("name", [one.id for one in FOUND if one.family != "lammpi"])
def test_library_path_and_mpi4py_lead_to_its_own_library(name: str) -> None:
    one = working(name)
    found = surroundings(one, {})
    variables = dict(found.environment)
    library = library_of(one)
    assert library is not None and not found.notices
    assert Path(variables[MPI4PY_LIBRARY]).resolve() == library.resolve()
    folders = variables.get(LIBRARY_PATH, dict(one.environment).get(LIBRARY_PATH, "")).split(":")
    assert str(library.parent) in folders or str(library.parent).startswith("/usr/lib/")
    assert not judge(one, {"1": frozenset({str(library.resolve())})})[0]


def test_what_the_user_has_set_stays_and_is_told_where_it_leads_elsewhere(tmp_path: Path) -> None:
    one = next(working(name) for name in NAMES if name.startswith("mpich-5"))
    other = tmp_path / "libmpi.so.12"
    other.write_text("")
    found = surroundings(one, {LIBRARY_PATH: f"/nowhere:{tmp_path}", MPI4PY_LIBRARY: str(other)})
    folders = dict(found.environment)[LIBRARY_PATH].split(":")
    assert folders[:2] == ["/nowhere", str(tmp_path)] and len(folders) == 3
    assert MPI4PY_LIBRARY not in dict(found.environment)
    assert [one.kind for one in found.notices] == ["other-mpi-preferred"] * 2
    assert str(tmp_path) in found.notices[1].message and found.notices[1].remedy == f"unset {LIBRARY_PATH}"
    library = library_of(one)
    assert library is not None
    same = surroundings(one, {LIBRARY_PATH: f"{library.parent}:{tmp_path}", MPI4PY_LIBRARY: str(library)})
    assert not same.notices and not same.environment


def test_ranks_with_another_mpi_are_told(tmp_path: Path) -> None:
    one = next(working(name) for name in NAMES if name.startswith("mpich-5"))
    library = library_of(one)
    assert library is not None
    own, other = str(library.resolve()), str(tmp_path / "libmpi.so.40")
    wrong, _ = judge(one, {"1": frozenset({own}), "2": frozenset({other}), "3": frozenset({other})})
    assert wrong.startswith(f"2 of the ranks that {one.id} started loaded {other} instead")
    assert not judge(one, {"1": frozenset({own, other})})[0], "it has its own as well"
    assert not judge(one, {})[0] and not judge(one, {"1": frozenset({str(tmp_path / "libfabric.so.1")})})[0]


def test_a_library_outside_of_the_prefix_is_a_warning(tmp_path: Path) -> None:
    one = next(working(name) for name in NAMES if name.startswith("mpich-5"))
    library = library_of(one)
    assert library is not None
    files = frozenset({str(library.resolve()), str(tmp_path / "libfabric.so.1")})
    wrong, (notice,) = judge(one, {"1": files, "2": files})
    assert not wrong and notice.kind == "outside-library" and str(tmp_path / "libfabric.so.1") in notice.message
    assert not judge(replace(one, prefix=str(tmp_path.anchor)), {"1": files})[1]


def test_an_implementation_that_shows_no_library_is_left_alone() -> None:
    unknown = Implementation("any-1", "any", "1", "/x", "/x/bin/mpicc", "/x/bin/mpiexec", "prefix")
    assert surroundings(unknown, {}).environment == ()
    assert clients.is_own(Path("/y/libmpi.so"), unknown)
