"""Where profiles are: in ./profiles, in the data folder, or wherever a path leads."""

from __future__ import annotations

from pathlib import Path

from rankwise.core import paths
from rankwise.core.errors import UnknownNameError
from rankwise.profiles.profile_file import FILE


def places() -> tuple[Path, ...]:
    """Return the folders in which a name is looked for, the first one wins."""
    return Path("profiles"), paths.data_folder() / "profiles"


def known() -> dict[str, Path]:
    """Return the folders of all profiles that have a name."""
    by_name: dict[str, Path] = {}
    for place in places():
        for file in sorted(place.glob(f"*/{FILE}")):
            if not file.parent.name.startswith("."):
                by_name.setdefault(file.parent.name, file.parent)
    return by_name


def find(name_or_path: str) -> Path:
    """Return the folder of this profile; what has a `/`, or is a folder with a profile, is a path.

    Raises UnknownNameError; whether a path leads to a profile shows when it is read.
    """
    path = Path(name_or_path)
    if path.name == FILE:
        return path.parent
    if "/" in name_or_path:
        return path
    names = known()
    if name_or_path in names:
        return names[name_or_path]
    if (path / FILE).is_file():
        return path
    raise UnknownNameError("profile", name_or_path, names)


def complete(_context: object, _parameter: object, incomplete: str) -> list[str]:
    """Return the profiles whose names begin so, for a shell's completion (click's `shell_complete`)."""
    return [name for name in known() if name.startswith(incomplete)]
