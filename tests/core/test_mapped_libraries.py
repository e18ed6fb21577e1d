"""What a running process has loaded is seen from outside: the right files, of the right processes, in time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core import process
from rankwise.core.mapped_libraries import Mapped, Watch, described, is_named, mapped_here, mpi_libraries


@pytest.mark.parametrize(
    ("name", "counts", "is_mpi"),
    [
        ("libmpi.so.40.30.4", True, True), ("libmpich.so.12", True, True), ("libmpi_abi.so.1", True, True),
        ("liblam.so.4.0", True, True), ("libfabric-1a2b3c4d.so.1", True, False), ("libucp.so.0.0.0", True, False),
        ("libpmix.so.2", True, False), ("libmpifort.so.12", False, False), ("libucs.so.0", False, False),
        ("mpi.so", False, False), ("libmpi.a", False, False),
    ],
)  # fmt: skip
def test_only_mpi_and_its_transports_count(name: str, counts: bool, is_mpi: bool) -> None:
    assert is_named(f"/opt/lib/{name}") == counts
    assert mpi_libraries([f"/opt/lib/{name}"]) == ([f"/opt/lib/{name}"] if is_mpi else [])


def fake_library(folder: Path, name: str) -> Path:
    """A shared object that tells a version as libfabric does."""
    source, library = folder / "version.c", folder / name
    source.write_text("unsigned fi_version(void) { return 7u << 16 | 3u; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def test_libraries_of_descendants_are_found_and_tell_their_version(tmp_path: Path) -> None:
    library = fake_library(tmp_path, "libfabric.so.1")
    mpi = fake_library(tmp_path, "libmpi.so.12")
    code = f"import ctypes, time; ctypes.CDLL('{library}'); ctypes.CDLL('{mpi}'); time.sleep(3)"
    with Watch(mapped_here) as watch:
        process.run([sys.executable, "-c", code], 20.0)
    assert list(watch.found.values()) == [frozenset({str(library), str(mpi)})]
    assert [(one.kind, one.version) for one in described([str(library)])] == [("fabric", "7.3")]
    assert described([str(mpi), "/no/such/libucp.so.0"])[0].version == "", "it has no MPI_Get_library_version"
    assert mapped_here() == {}, "they have ended"


def test_a_process_that_is_not_ours_is_not_looked_at(tmp_path: Path) -> None:
    library = fake_library(tmp_path, "libmpi.so.12")
    code = f"import ctypes, time; ctypes.CDLL('{library}'); print(1, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline()
        assert mapped_here() == {}
        other.kill()


@given(st.lists(st.sampled_from(["", "a", "b"]), min_size=1, max_size=4))
def test_a_watch_looks_until_it_saw_the_same_mpi_twice(answers: list[str]) -> None:
    said = [{"1": frozenset({f"/{one}/libmpi.so"})} if one else {} for one in [*answers, "end", "end"]]
    looks, passed_on = iter(said), []
    watch = Watch(lambda: next(looks), passed_on.append, first_seconds=1e-6)
    with watch:
        watch._thread.join(5)
        assert not watch._thread.is_alive()
    expected: list[Mapped] = []
    for one in filter(None, said):
        expected.append(one)
        if expected[-2:-1] == [one]:
            break
    assert passed_on == expected and watch.found == expected[-1]


def test_a_watch_over_what_has_no_mpi_ends_with_it() -> None:
    with Watch(lambda: {"1": frozenset({"/x/libfabric.so.1"})}, first_seconds=1e-6) as watch:
        pass
    assert watch.found == {} and not watch._thread.is_alive()
