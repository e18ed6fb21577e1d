"""Where Rankwise keeps things, by the XDG rules: installed MPIs and results (data), built kernels (cache)."""

from __future__ import annotations

import os
from pathlib import Path


def _home(variable: str, default: str) -> Path:
    value = os.environ.get(variable, "")
    return (Path(value) if value else Path.home() / default) / "rankwise"


def data_folder() -> Path:
    """Installed implementations and the default store: $XDG_DATA_HOME/rankwise."""
    return _home("XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """Compiled kernels, safe to delete: $XDG_CACHE_HOME/rankwise."""
    return _home("XDG_CACHE_HOME", ".cache")
