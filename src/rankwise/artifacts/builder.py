"""Compiles an artifact with an implementation's own mpicc or the host's cc, once, into a cache.

The key covers the content of all sources and headers, the flags, the wrapper and the compiler that it calls, and
the MPI library that it links. A build is made in a temporary folder beside its place and renamed there, so that
concurrent builders cannot harm each other: whoever comes second waits and finds the first one's work, or, where
files cannot be locked, drops its own.

What has several sources keeps the object of each: the harness with a kernel more compiles that kernel alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from rankwise.artifacts import compiler
from rankwise.artifacts.compiler import Toolchain
from rankwise.core import paths, process
from rankwise.core.errors import BuildError, HostError
from rankwise.core.records import Implementation

COMPILE_LIMIT_SECONDS = 180.0
_SHARED = ("-shared", "-fPIC")


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact is one program, shared object or archive that is compiled for an implementation."""

    name: str
    """Of the file that is built: `rankwise-harness`, `idle.so`."""
    sources: tuple[Path, ...]
    kind: Literal["program", "shared object", "archive"] = "program"
    include_folders: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ("-O2",)
    libraries: tuple[str, ...] = ()
    """As the linker takes them: `-lm`."""


def build(
    artifact: Artifact,
    implementation: Implementation | Toolchain,
    limit_seconds: float = COMPILE_LIMIT_SECONDS,
) -> Path:
    """Return the path of the artifact for `implementation`, or as this toolchain makes it, compiled if need be.

    Raises BuildError with the command and the compiler's words, HostError if the compiler cannot be started or
    the cache cannot be written.
    """
    using = _toolchain(implementation)
    place = _builds() / f"{using.id}-{key(artifact, using)}"
    file = place / artifact.name
    if file.exists():
        return file
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(error) from error
    with _in_turn(place):
        return file if file.exists() else _made(artifact, using, place, limit_seconds)


@contextlib.contextmanager
def _in_turn(place: Path) -> Iterator[None]:
    """Within: no other process builds the same, which would take as long; where there are no locks it may."""
    name = place.with_name(f".lock-{place.name}")
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            fcntl.flock(stack.enter_context(name.open("w")), fcntl.LOCK_EX)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                name.unlink()


def _made(artifact: Artifact, using: Toolchain, place: Path, limit_seconds: float) -> Path:
    file = place / artifact.name
    try:
        scratch = Path(tempfile.mkdtemp(prefix=".building-", dir=place.parent))
    except OSError as error:
        raise unwritable(error) from error
    try:
        objects = _objects(artifact, using, scratch, limit_seconds) if len(artifact.sources) > 1 else []
        _link(artifact, using, objects or artifact.sources, scratch, limit_seconds)
        scratch.chmod(0o755)
        scratch.rename(place)
    except OSError as error:
        if not file.exists():  # else another one was faster
            raise unwritable(error) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return file


def reference(file: Path) -> str:
    """Return what stands for a built file wherever the cache is: `mpich-5.0.2-KEY/rankwise-overlay.so`."""
    return f"{file.parent.name}/{file.name}"


def built(reference: str) -> Path:
    """Return the built file that `reference` stands for; it may have been removed since."""
    return _builds() / reference


def _builds() -> Path:
    return paths.cache_folder() / "builds"


def key(artifact: Artifact, implementation: Implementation | Toolchain) -> str:
    """Return a digest of all that can change what is built."""
    facts = (artifact.name, artifact.kind, artifact.flags, artifact.libraries, _toolchain(implementation).facts)
    return _digest([*artifact.sources, *_headers(artifact)], facts)


def _toolchain(implementation: Implementation | Toolchain) -> Toolchain:
    return compiler.of(implementation) if isinstance(implementation, Implementation) else implementation


def _digest(files: Sequence[Path], facts: tuple[object, ...]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(repr(facts).encode())
    return digest.hexdigest()[:16]


def unwritable(error: OSError) -> HostError:
    """Return the error that says that nothing can be put into the cache."""
    return HostError(
        f"cannot write the build cache: {error}",
        "free some space, or set XDG_CACHE_HOME to a folder that can be written",
    )


def _headers(artifact: Artifact) -> list[Path]:
    """Those that a source can include: of the folders named for that, and of its own."""
    folders = dict.fromkeys([*artifact.include_folders, *(source.parent for source in artifact.sources)])
    return [path for folder in folders for path in sorted(folder.glob("*.h"))]


def _objects(artifact: Artifact, using: Toolchain, scratch: Path, limit_seconds: float) -> list[Path]:
    """The object of each source in the cache, compiled if need be, those of one folder at once."""
    kept = paths.cache_folder() / "objects"
    kept.mkdir(exist_ok=True)
    facts = (artifact.kind, artifact.flags, using.facts)
    headers = _digest(_headers(artifact), facts)
    objects = {source: kept / f"{using.id}-{_digest([source], (headers,))}.o" for source in artifact.sources}
    missing: defaultdict[Path, list[Path]] = defaultdict(list)
    for source, file in objects.items():
        if not file.exists():
            missing[source.parent].append(source)
    for number, sources in enumerate(missing.values()):
        folder = scratch / str(number)  # two folders may have files of one name
        folder.mkdir()
        _run(using, artifact, [*_flags(artifact), "-c", *map(str, sources)], folder, limit_seconds)
        for source in sources:
            (folder / f"{source.stem}.o").replace(objects[source])
        folder.rmdir()
    return list(objects.values())


def _flags(artifact: Artifact) -> list[str]:
    shared = _SHARED if artifact.kind == "shared object" else ()
    return [*artifact.flags, *shared, *(f"-I{folder}" for folder in artifact.include_folders)]


def _link(
    artifact: Artifact, using: Toolchain, parts: Sequence[Path], scratch: Path, limit_seconds: float
) -> None:
    """Make the artifact of its objects, or of its only source."""
    if artifact.kind == "archive":
        _run(replace(using, command="ar"), artifact, ["rcs", artifact.name, *map(str, parts)], scratch,
             limit_seconds)  # fmt: skip
        return
    arguments = [*_flags(artifact), "-o", artifact.name, *map(str, parts), *artifact.libraries]
    _run(using, artifact, arguments, scratch, limit_seconds)


def _run(using: Toolchain, artifact: Artifact, arguments: list[str], folder: Path, limit_seconds: float) -> None:
    """Run the compiler in a folder: the command that a user reads then works anywhere. Raises BuildError."""
    argv = [using.command, *arguments]
    outcome = process.run(argv, limit_seconds, environment=using.environment, cwd=folder)
    if outcome.timed_out:
        raise BuildError(
            f"{using.id}: {using.name} did not finish {artifact.name} within {limit_seconds:g} s",
            outcome.command, outcome.stderr, f"try it: {outcome.command}",
        )  # fmt: skip
    if outcome.returncode != 0:
        raise BuildError(
            f"{using.id}: {using.name} failed to build {artifact.name}",
            outcome.command, outcome.stdout + outcome.stderr, using.remedy,
        )  # fmt: skip
