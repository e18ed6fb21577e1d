"""OTF2 archives (Open Trace Format 2), as Score-P and others write them: the anchor file, or its folder."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rankwise.analysis.recordings.base import Format, Recording, Source
from rankwise.analysis.trace import reading
from rankwise.analysis.trace.otf2_reading import convert
from rankwise.core.errors import InputError

WHAT = "an OTF2 archive (traces.otf2)"
_SUFFIX = ".otf2"


def _anchors(path: Path) -> list[Path]:
    return sorted(path.glob(f"*{_SUFFIX}")) if path.is_dir() else [path] * (path.suffix == _SUFFIX)


def _read(source: Source) -> Recording:
    anchor, *others = _anchors(source.path)
    if others:
        raise InputError(f"{source.path} has several archives", f"name one of them: {anchor}")
    with tempfile.TemporaryDirectory(prefix="rankwise-otf2-") as name:
        problems = convert(anchor, Path(name))
        trace = reading.read(Path(name))
    trace.problems[:0] = problems
    return Recording(source.path, WHAT, calls=trace)


FORMAT = Format(WHAT, lambda source: bool(_anchors(source.path)), _read)
