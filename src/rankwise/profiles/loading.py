"""From a profile's folder to what a launch loads."""

from __future__ import annotations

from pathlib import Path

from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import FOLDER, Loaded, Native


def place(native: Native, folder: Path) -> Loaded:
    """Write the files of `native` into `folder`, which is made if need be, and return what a launch loads."""
    where = str(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in native.files:
        (folder / name).write_text(text.replace(FOLDER, where))
    environment: Environment = tuple((key, value.replace(FOLDER, where)) for key, value in native.environment)
    return Loaded(
        environment=environment,
        arguments=tuple(word.replace(FOLDER, where) for word in native.arguments),
        files=tuple(str(folder / name) for name, _ in native.files),
    )


def loaded(folder: Path, implementation: Implementation) -> Loaded:
    """What this implementation loads of the profile in `folder`. Raises InputError if that has nothing for it."""
    raise NotImplementedError
