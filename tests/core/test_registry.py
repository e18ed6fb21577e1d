"""Every module of a package or plug-in folder is found without being registered anywhere."""

from pathlib import Path

import pytest

from rankwise.core import registry


def test_every_module_of_a_package_is_found() -> None:
    names = {module.__name__ for module in registry.modules_of("rankwise.core", "core")}
    assert {"rankwise.core.units", "rankwise.core.errors"} <= names


def test_a_file_in_a_plugin_folder_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "extra.py").write_text("ANSWER = 42\n")
    monkeypatch.setenv(registry.PLUGIN_VARIABLE, f"{tmp_path}:{tmp_path}/not-there")
    found = [module for module in registry.modules_of("rankwise.core", "core") if hasattr(module, "ANSWER")]
    assert [module.ANSWER for module in found] == [42]
