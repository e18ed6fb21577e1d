"""The platform to predict for: what `rankwise fit` measured, or a testbed's description, unmeasured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.predict.nominal import nominal
from rankwise.core import paths
from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.platforms import platform_file
from rankwise.store.store import Store
from rankwise.workflows import testbeds
from rankwise.workflows.fit import fitting

_REMEDY = "measure one: rankwise fit --testbed NAME --mpi MPI; or give --testbed NAME for what is only described"


@dataclass(frozen=True, slots=True)
class NamedPlatform:
    """A platform, and what is to be said of it."""

    platform: Platform
    name: str
    """Where its figures are from."""
    notices: tuple[Notice, ...] = ()


def find(file: Path | None, testbed: str, mpi: str = "", store: Path | None = None) -> NamedPlatform:
    """Return the platform of a file, of a stored fit of this MPI, or of a testbed's description.

    With a file and a testbed, the file's, and a warning if it was measured elsewhere. Raises InputError with the
    remedy.
    """
    if file is not None and mpi:
        raise InputError("a platform file is of one MPI already", "give --platform or --mpi")
    if mpi:
        return _fitted(mpi, testbed, store)
    if file is None and not testbed:
        raise InputError("no platform given", _REMEDY)
    if file is None:
        if testbed == "local":
            raise InputError("the network of this host is not described", _REMEDY)
        described = testbeds.topology_of(testbed)
        warning = Notice(
            "nominal platform",
            "nothing of this platform is measured: rates and delays are those of the description of "
            f"{described.name}, and overheads are assumed",
            f"rankwise fit --testbed {testbed} --mpi MPI measures it",
        )
        return NamedPlatform(nominal(described), f"{described.name}, as described", (warning,))
    if not file.exists():
        raise InputError(f"platform not found: {file}", _REMEDY)
    platform = platform_file.read(file)
    source = platform.provenance
    source_text = _source_in_words(platform)
    name = f"{file.name}: {source_text}" if source_text else file.name
    notices = _not_measured(platform)
    if testbed and source.testbed not in ("", testbed, _described_name(testbed)):
        notices = (other_testbed(platform, testbed), *notices)
    return NamedPlatform(platform, name, notices)


def _fitted(mpi: str, testbed: str, store: Path | None) -> NamedPlatform:
    """The newest stored fit of an MPI, on this testbed if one is given."""
    with Store(store) as opened:
        fits = [run for run in opened.runs() if run.kind == "fit" and run.status == "complete"]
    parts = {run.id for run in fits if run.parent in {other.id for other in fits}}
    where = {testbed, _described_name(testbed)} if testbed else {run.testbed for run in fits}
    known = [run for run in fits if run.id not in parts and run.testbed in where]
    those = [run for run in known if any(own == mpi or own.startswith(f"{mpi}-") for own in run.implementations)]
    if not those:
        there = sorted(
            {f"{' and '.join(run.implementations)} on {run.testbed}" for run in fits if run.id not in parts}
        )
        raise InputError(
            f"no fit of {mpi}{f' on {testbed}' if testbed else ''} is stored"
            + (f"; there is {', '.join(there)}" if there else ""),
            f"measure it: rankwise fit --testbed {testbed or 'NAME'} --mpi {mpi}",
        )
    newest = max(those, key=lambda run: run.id)
    fit = fitting.load(newest.id, store or paths.store_path())
    platform = fit.platform
    return NamedPlatform(platform, f"run {newest.id}: {_source_in_words(platform)}", _not_measured(platform))


def _source_in_words(platform: Platform) -> str:
    source = platform.provenance
    text = " with ".join(part for part in (source.testbed, source.implementation) if part)
    return text + (f", {source.measured}" if text and source.measured else "")


def _described_name(testbed: str) -> str:
    """Return the name in a testbed's description; a file of real hosts has none."""
    try:
        return testbeds.topology_of(testbed).name
    except InputError:
        return testbed


def _not_measured(platform: Platform) -> tuple[Notice, ...]:
    """Whole parts of a platform that are assumed; single parameters stand in its file."""
    return tuple(
        Notice("not measured", f"{name}: {why}", "rankwise platform show FILE shows what was measured")
        for name, why in platform.not_identified.items()
        if "." not in name
    )


def other_testbed(platform: Platform, testbed: str) -> Notice:
    """Return the warning that a platform was measured on another testbed than this one."""
    return Notice(
        "other testbed",
        f"the platform is that of {platform.provenance.testbed}, not of {testbed}",
        f"rankwise fit --testbed {testbed} --mpi MPI measures this one",
    )
