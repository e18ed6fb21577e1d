"""Finds plug-ins by looking into a package: one new file there is enough, nothing else is edited.

Extra folders named in RANKWISE_PLUGINS (separated by ':') are looked into as well, each with sub-folders of its
own (`mpi/`, `testbeds/`, `recordings/`, `studies/`, `cli/`, `csrc/kernels/`, `csrc/schedules/`), so that a site
need not touch this package.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import logging
import os
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from rankwise.core.escaping import escaped

_log = logging.getLogger(__name__)
PLUGIN_VARIABLE = "RANKWISE_PLUGINS"


def plugin_folders(below: str) -> list[Path]:
    """Return the existing folders `PLUGIN/below` of every folder named in RANKWISE_PLUGINS."""
    roots = [Path(part) for part in os.environ.get(PLUGIN_VARIABLE, "").split(":") if part]
    return [root / below for root in roots if (root / below).is_dir()]


def modules_of(package: str, below: str, only: str = "") -> Iterator[ModuleType]:
    """Import and yield every module and sub-package of `package`, then those of the plug-in folders `below`.

    With `only`, none but those of that name.
    """
    parent = importlib.import_module(package)
    for info in sorted(pkgutil.iter_modules(parent.__path__), key=lambda module_info: module_info.name):
        if info.name == (only or info.name):
            yield importlib.import_module(f"{package}.{info.name}")
    for folder in plugin_folders(below):
        files = [*folder.glob(f"{only or '*'}.py"), *folder.glob(f"{only or '*'}/__init__.py")]
        for path in sorted(files):
            module = _import_file(path)
            if module is not None:
                yield module


def text_beside(package: str, below: str, name: str, file: str) -> str:
    """Return the text of a file in the folder of the sub-package `name`, '' where there is none.

    It may be ours, or one of the plug-in folders `below`, which comes first.
    """
    parent = importlib.util.find_spec(package)
    ours = map(Path, (parent.submodule_search_locations or ()) if parent else ())
    for folder in (*reversed(plugin_folders(below)), *ours):
        path = folder / name / file
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return ""


def defines(module: ModuleType, kind: type) -> bool:
    """Return whether the class was written in this module, or in one of this package, and not only imported."""
    return f"{kind.__module__}.".startswith(f"{module.__name__}.")


@functools.cache
def _import_file(path: Path) -> ModuleType | None:
    """Import the module, or the package whose `__init__.py` it is, under a name that no other file shares.

    One that cannot be imported is named in a warning, and left out: None.
    """
    package = path.parent if path.name == "__init__.py" else None
    stem = package.name if package else path.stem
    name = f"rankwise_plugin_{stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(
        name, path, submodule_search_locations=[str(package)] if package else None
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no loader for {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        reason = escaped(f"{type(error).__name__}: {error}")
        _log.warning("warning: the plug-in %s cannot be loaded and is left out: %s", escaped(str(path)), reason)
        return None
    return module
