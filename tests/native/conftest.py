"""What a sanitizer finds in a native program fails the test that ran it, also if nobody waits for the program.

The programs are sanitized if RANKWISE_SANITIZED names the build tree of CMake's preset `sanitize` (`make native`).
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def sanitizer_reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder into which sanitized programs write what they find, whoever runs them."""
    folder = tmp_path_factory.mktemp("sanitizers")
    folder.chmod(0o1777)
    variables = ("ASAN_OPTIONS", "UBSAN_OPTIONS")
    before = {name: os.environ.get(name) for name in variables}
    for name in variables:
        os.environ[name] = f"log_path={folder}/report:print_stacktrace=1:{before[name] or ''}"
    yield folder
    for name, value in before.items():
        os.environ.pop(name)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(scope="module", autouse=True)
def sanitized_programs() -> Iterator[None]:
    """For the tests here alone: what is sanitized is slow."""
    with pytest.MonkeyPatch.context() as patch:
        if sanitized := os.environ.get("RANKWISE_SANITIZED"):
            patch.setenv("RANKWISE_NATIVE", sanitized)
        yield


@pytest.fixture(autouse=True)
def nothing_found_by_sanitizers(sanitizer_reports: Path) -> Iterator[None]:
    """After each test: no reports."""
    yield
    reports = sorted(sanitizer_reports.iterdir())
    found = [one.read_text(errors="replace") for one in reports]
    for one in reports:
        one.unlink()
    assert not found, "\n".join(found)
