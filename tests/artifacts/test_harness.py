"""The harness is compiled once for each set of sources and each library, and compile errors reach the user."""

import concurrent.futures
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.artifacts import harness as building
from rankwise.core.errors import BuildError, HostError
from rankwise.core.records import Implementation
from rankwise.measurement.launch import list_benchmarks
from support.mpis import FOUND, working

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]


@pytest.fixture
def implementation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Implementation:
    """A real one, to build sources that take no time; conformance/ builds ours with each."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for folder, text in (
        ("harness", "int main(void) { return kernel(); }"),
        ("kernels", "int kernel(void) { return 0; }"),
    ):
        (tmp_path / "csrc" / folder).mkdir(parents=True)
        (tmp_path / "csrc" / folder / "one.c").write_text(f"#include <mpi.h>\nint kernel(void);\n{text}\n")
    monkeypatch.setattr(building, "SOURCES", tmp_path / "csrc")
    return working(FOUND[0].id)


def test_the_second_build_is_the_first_one(implementation: Implementation) -> None:
    first = building.build(implementation)
    built_at = first.stat().st_mtime_ns
    assert building.build(implementation) == first
    assert first.stat().st_mtime_ns == built_at


def test_another_library_or_another_kernel_is_another_build(
    implementation: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = building.build(implementation)
    assert building.build(replace(implementation, version="another")) != first
    (tmp_path / "csrc" / "harness" / "one.h").write_text("/* a header of the harness */\n")
    second = building.build(implementation)
    assert second != first
    kernels = tmp_path / "plugins" / "csrc" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "nothing.c").write_text("/* a kernel will be here */\n")
    monkeypatch.setenv("RANKWISE_PLUGINS", str(tmp_path / "plugins"))
    assert building.build(implementation) not in (first, second)


def test_concurrent_builders_end_with_one_program(implementation: Implementation, tmp_path: Path) -> None:
    start = threading.Barrier(2)

    def build() -> Path:
        start.wait()
        return building.build(implementation)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        programs = {future.result() for future in [pool.submit(build), pool.submit(build)]}
    (program,) = programs
    assert os.access(program, os.X_OK)
    assert [path.name for path in program.parent.parent.iterdir()] == [program.parent.name]


def test_a_compile_error_shows_the_compilers_words_and_the_command(
    implementation: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = tmp_path / "plugins" / "csrc" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "broken.c").write_text("this is not C\n")
    monkeypatch.setenv("RANKWISE_PLUGINS", str(tmp_path / "plugins"))
    with pytest.raises(BuildError) as caught:
        building.build(implementation)
    assert "broken.c" in str(caught.value)
    assert implementation.mpicc in str(caught.value)
    assert not list((tmp_path / "cache" / "rankwise" / "builds").iterdir())


def test_a_cache_that_cannot_be_written_is_an_error_with_a_remedy(
    implementation: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(HostError, match="build cache") as caught:
        building.build(implementation)
    assert "XDG_CACHE_HOME" in caught.value.remedy


def test_a_program_that_does_not_start_is_a_build_error(implementation: Implementation, tmp_path: Path) -> None:
    program = tmp_path / "broken"
    program.write_text("#!/bin/sh\necho 'libmpi.so.40: not found' >&2; exit 127\n")
    program.chmod(0o755)
    with pytest.raises(BuildError, match=r"libmpi\.so\.40"):
        list_benchmarks(implementation, program)
