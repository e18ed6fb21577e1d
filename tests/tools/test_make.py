"""Setting up and testing need no root: what an ordinary user cannot install is left out with a sentence."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.ordinary_user import NOBODY, as_ordinary_user, folder_of, needs_root

ROOT = Path(__file__).parents[2]
FIRST = "not root, so these are left out of the tests:"


def only(folder: Path, *tools: str) -> str:
    """Return a PATH on which only these tools of the system are."""
    folder.mkdir()
    for tool in tools:
        (folder / tool).symlink_to(shutil.which(tool) or "")
    return str(folder)


@needs_root
def test_what_tests_need_is_named_and_nothing_is_installed() -> None:
    with folder_of(NOBODY) as home:
        path = only(home / "bin", "sh", "id", "ping", "ps", "unshare", "ip")
        told = as_ordinary_user("env", f"PATH={path}", str(ROOT / "tools" / "test-packages"), home=home)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith(FIRST)
    assert "Debian's Open MPI" in told.stdout and "paths as ping sees them" not in told.stdout
    last = told.stdout.splitlines()[-1]
    assert (
        last.startswith("to have them: sudo apt install ") and "openmpi-bin" in last and "iputils-ping" not in last
    )


def test_without_apt_the_suite_of_mpich_is_left_out_with_a_sentence(tmp_path: Path) -> None:
    variables = {"PATH": only(tmp_path / "bin", "sh"), "HOME": str(tmp_path)}
    told = subprocess.run(
        [ROOT / "tools" / "mpich-suite"], env=variables, capture_output=True, text=True, check=True
    )
    assert told.stdout.startswith("MPICH's test suite is left out of the tests: ")
    assert not (tmp_path / ".cache").exists()


@needs_root
@pytest.mark.parametrize(("tools", "code"), [(("gcc", "g++"), 0), (("g++",), 3)])
def test_without_a_compiler_the_line_that_gets_one_is_told(tools: tuple[str, ...], code: int) -> None:
    with folder_of(NOBODY) as home:
        path = only(home / "bin", "sh", "id", *tools)
        told = as_ordinary_user(
            "env", f"PATH={path}", str(ROOT / "tools" / "base-packages"), sys.executable, home=home
        )
    assert told.returncode == code, told.stderr
    assert ("get them with: sudo apt install gcc libc6-dev" in told.stderr) == bool(code)


@needs_root
@pytest.mark.nightly
@pytest.mark.timeout(1300)
def test_make_unit_passes_in_a_checkout_of_an_ordinary_user() -> None:
    """As `make test` does once the packages are there; what is installed already is used as it is."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    with folder_of(NOBODY) as home:
        checkout = home / "checkout"
        for name in filter(None, names.split("\0")):
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / name)  # with its age, by which make goes
        (checkout / ".venv").symlink_to(sys.prefix)
        for path in (checkout, *checkout.rglob("*")):
            shutil.chown(path, NOBODY, NOBODY) if not path.is_symlink() else None
        told = as_ordinary_user(
            "make", "-C", str(checkout), "--assume-old=.venv/.installed-dev", "unit", home=home, limit_seconds=1200
        )
    assert told.returncode == 0, told.stdout[-8000:] + told.stderr[-2000:]
    assert " passed" in told.stdout and "pip install" not in told.stdout
