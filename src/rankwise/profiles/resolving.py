"""Native settings whose FOLDER has been replaced by a place on disk."""

from __future__ import annotations

from pathlib import Path

from rankwise.core.tuning import FOLDER, Native


def resolved(native: Native, folder: Path) -> Native:
    """Return the same with FOLDER replaced by `folder`, made absolute: launches run elsewhere."""
    where = str(folder.absolute())
    return Native(
        files=tuple((name, text.replace(FOLDER, where)) for name, text in native.files),
        environment=tuple((name, value.replace(FOLDER, where)) for name, value in native.environment),
        arguments=tuple(word.replace(FOLDER, where) for word in native.arguments),
        libraries=native.libraries,
    )
