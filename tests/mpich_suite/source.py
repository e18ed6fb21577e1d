"""MPICH's test suite as Debian's source package has it: unpacked once into the cache, and made ready to compile.

`tools/mpich-suite` downloads the package. The suite's configure script is not run: what it would find out is the
same for all MPIs here (`settings.h`).
"""

from __future__ import annotations

import shutil
import tarfile
from functools import cache
from pathlib import Path

import pytest

from rankwise.core import paths
from support.alone import alone

VERSION = "4.0.2"
FOLDER = paths.cache_folder() / "mpich-suite"
PACKAGE = FOLDER / f"mpich_{VERSION}.orig.tar.xz"
_SUITE = FOLDER / VERSION
_SETTINGS = Path(__file__).with_name("settings.h")
_SUBSTITUTED = {"@F77_MPI_ADDRESS@": "integer*8", "@F77_MPI_OFFSET@": "integer*8"}
"""In declarations of Fortran's programs."""

needs_suite = pytest.mark.skipif(
    not PACKAGE.exists(),
    reason="MPICH's test suite is not here: run tools/mpich-suite, which needs apt and a network",
)


@cache
def suite() -> Path:
    """Return the folder of the suite."""
    with alone("mpich-suite"):
        if not _SUITE.exists():
            _unpack()
        for place in ("include/mpitestconf.h", "dtpools/dtpoolsconf.h"):
            if not (_SUITE / place).exists() or (_SUITE / place).read_bytes() != _SETTINGS.read_bytes():
                shutil.copy(_SETTINGS, _SUITE / place)
    return _SUITE


def _unpack() -> None:
    partial = FOLDER / f"{VERSION}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(PACKAGE) as archive:
        inside = f"mpich-{VERSION}/test/mpi/"
        for member in archive:
            if member.name.startswith(inside):
                member.name = member.name.removeprefix(inside)
                archive.extract(member, partial, filter="data")
    for template in partial.glob("**/f77/**/*.h.in"):
        text = template.read_text()
        for name, value in _SUBSTITUTED.items():
            text = text.replace(name, value)
        template.with_suffix("").write_text(text)
    partial.rename(_SUITE)
