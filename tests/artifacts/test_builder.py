"""An artifact is compiled again whenever a source, header, flag, compiler or library changes, and only then."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.artifacts.builder import Artifact, build, key
from rankwise.core.errors import BuildError, HostError
from rankwise.core.records import Implementation
from support.bare_host import script

COUNTING = """\
echo run >>{log}
if [ "$1" = -show ]; then sed -i '$d' {log}; echo "{cc} -L{folder} -lmpi"; exit; fi
exec {cc} "$@"
"""


@pytest.fixture
def implementation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Implementation:
    """A wrapper around the real C compiler, which counts its builds, and an MPI library of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "libmpi.so").write_text("library")
    compiler = script(tmp_path / "cc", 'exec gcc "$@"\n')
    mpicc = script(tmp_path / "mpicc", COUNTING.format(log=tmp_path / "log", cc=compiler, folder=tmp_path))
    return Implementation("fake-1", "fake", "1", str(tmp_path), str(mpicc), "", "path")


@pytest.fixture
def artifact(tmp_path: Path) -> Artifact:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "one.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "include").mkdir()
    return Artifact("one", (tmp_path / "source" / "one.c",), include_folders=(tmp_path / "include",))


def builds(folder: Path) -> int:
    return len((folder / "log").read_text().splitlines())


def test_nothing_is_built_twice(artifact: Artifact, implementation: Implementation, tmp_path: Path) -> None:
    first = build(artifact, implementation)
    assert build(artifact, implementation) == first
    assert builds(tmp_path) == 1


def test_who_comes_while_it_is_built_waits_for_it(
    artifact: Artifact, implementation: Implementation, tmp_path: Path
) -> None:
    slow = (tmp_path / "mpicc").read_text().replace("exec", "sleep 0.5; exec")
    script(tmp_path / "mpicc", slow.partition("\n")[2])
    key(artifact, implementation)  # which asks the compiler what it is
    with ThreadPoolExecutor(3) as pool:
        found = set(pool.map(lambda _: build(artifact, implementation), range(3)))
    assert len(found) == 1 and builds(tmp_path) == 1
    assert [path.name for path in found.pop().parent.parent.iterdir() if path.name.startswith(".")] == []


CHANGES: dict[str, Callable[[Path], object]] = {
    "source": lambda folder: (folder / "source" / "one.c").write_text("int main(void) { return 1; }\n"),
    "header beside it": lambda folder: (folder / "source" / "one.h").write_text("/* new */\n"),
    "header of an include folder": lambda folder: (folder / "include" / "one.h").write_text("/* new */\n"),
    "library": lambda folder: (folder / "libmpi.so").write_text("library, upgraded in place"),
    "wrapper": lambda folder: (folder / "mpicc").write_text((folder / "mpicc").read_text() + "# newer\n"),
    "wrapped compiler": lambda folder: (folder / "cc").write_text((folder / "cc").read_text() + "# newer\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_can_change_the_result_is_a_build_of_its_own(
    artifact: Artifact, implementation: Implementation, change: str, tmp_path: Path
) -> None:
    first = build(artifact, implementation)
    CHANGES[change](tmp_path)
    assert build(artifact, implementation) != first
    assert builds(tmp_path) == 2


def test_of_several_sources_only_the_changed_one_is_compiled_again(
    artifact: Artifact, implementation: Implementation, tmp_path: Path
) -> None:
    """Two folders, each with a file of one name: their objects are not mistaken for each other."""
    (tmp_path / "more").mkdir()
    several = (*artifact.sources, tmp_path / "source" / "two.c", tmp_path / "more" / "two.c")
    artifact.sources[0].write_text("int f(void), g(void);\nint main(void) { return f() + g(); }\n")
    several[1].write_text("int f(void) { return 1; }\n")
    several[2].write_text("int g(void) { return 2; }\n")
    first = build(replace(artifact, sources=several), implementation)
    assert subprocess.run([first], check=False).returncode == 3
    assert builds(tmp_path) == 3  # a folder each, and the linker
    several[2].write_text("int g(void) { return 5; }\n")
    second = build(replace(artifact, sources=several), implementation)
    assert subprocess.run([second], check=False).returncode == 6
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 5
    assert len(list((tmp_path / "cache" / "rankwise" / "objects").iterdir())) == 4


def test_flags_kind_and_libraries_are_part_of_the_key(artifact: Artifact, implementation: Implementation) -> None:
    others = [
        replace(artifact, flags=("-O0",)), replace(artifact, kind="shared object"),
        replace(artifact, libraries=("-lm",)), replace(artifact, name="two"),
    ]  # fmt: skip
    assert len({key(one, implementation) for one in (artifact, *others)}) == 5


def test_a_shared_object_is_one(artifact: Artifact, implementation: Implementation) -> None:
    library = build(replace(artifact, name="one.so", kind="shared object"), implementation)
    assert library.read_bytes()[16:18] == b"\3\0"  # ET_DYN ...
    assert b"__libc_start_main" not in library.read_bytes()  # ... and no program


def test_a_failed_build_leaves_nothing_and_shows_the_compilers_words(
    artifact: Artifact, implementation: Implementation, tmp_path: Path
) -> None:
    artifact.sources[0].write_text("this is not C\n")
    with pytest.raises(BuildError, match=r"one\.c") as caught:
        build(artifact, implementation)
    assert str(tmp_path / "mpicc") in caught.value.command
    assert " -o one " in caught.value.command  # no folder that is gone
    assert not list((tmp_path / "cache" / "rankwise" / "builds").iterdir())


def test_a_compiler_that_hangs_is_ended_at_the_limit(
    artifact: Artifact, implementation: Implementation, tmp_path: Path
) -> None:
    script(tmp_path / "cc", "sleep 60\n")
    with pytest.raises(BuildError, match="did not finish one within 1 s"):
        build(artifact, implementation, limit_seconds=1)


def test_a_cache_that_cannot_be_written_is_an_error_with_a_remedy(
    artifact: Artifact, implementation: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(HostError, match="build cache") as caught:
        build(artifact, implementation)
    assert "XDG_CACHE_HOME" in caught.value.remedy
