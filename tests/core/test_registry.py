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


def test_a_plugin_that_cannot_be_loaded_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "broken.py").write_text("import no_such_module\n")
    (tmp_path / "core" / "right.py").write_text("ANSWER = 43\n")
    monkeypatch.setenv(registry.PLUGIN_VARIABLE, str(tmp_path))
    for _ in range(2):
        found = [module for module in registry.modules_of("rankwise.core", "core") if hasattr(module, "ANSWER")]
        assert [module.ANSWER for module in found] == [43]
    assert [record.args[0] for record in caplog.records if record.args] == [f"{tmp_path}/core/broken.py"]
