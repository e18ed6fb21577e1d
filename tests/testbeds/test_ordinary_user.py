"""An ordinary user has all of an emulated testbed, or is told what is missing."""

import sys
from pathlib import Path

import pytest

from support.emulated import wait_until
from support.ordinary_user import NOBODY, as_ordinary_user, folder_of, needs_root, without_user_namespaces

TESTS = Path(__file__).parents[1]
UP = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from support.emulated import two_sites
from rankwise.core.errors import HostError
from rankwise.testbeds.emulated import EmulatedTestbed
try:
    with EmulatedTestbed(two_sites("poor")):
        print("is up")
except HostError as error:
    print(error, "REMEDY", error.remedy)
"""

pytestmark = needs_root


@pytest.mark.parametrize(
    ("module", "only"),
    [
        pytest.param("testbeds/test_running.py", "", marks=pytest.mark.nightly),
        ("testbeds/test_emulated.py", "hosts_of_their_own or shared_memory or reach or settings or limit"),
        pytest.param("testbeds/test_emulated.py", "", marks=pytest.mark.nightly),
        pytest.param("testbeds/test_emulated_life.py", "", marks=pytest.mark.nightly),
        pytest.param("native/test_node.py", "", marks=pytest.mark.nightly),
        pytest.param("native/test_supervisor.py", "", marks=pytest.mark.nightly),
    ],
)
def test_everything_works_without_root(module: str, only: str) -> None:
    with folder_of(NOBODY) as home:
        outcome = as_ordinary_user(
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(TESTS.parent),
            "-c", str(TESTS.parent / "pyproject.toml"), "--basetemp", str(home / "tmp"),
            str(TESTS / module), "-k", only,
            home=home,
        )  # fmt: skip
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert " passed" in outcome.stdout
    wait_until(lambda: not [*Path(f"/tmp/rankwise-{NOBODY}").glob("[!.]*")])  # others may be trying, and go


def test_without_the_right_to_open_tun_the_remedy_is_told() -> None:
    with folder_of(NOBODY) as home:
        outcome = as_ordinary_user(sys.executable, "-c", UP, home=home, tun_mode="600")
    assert "cannot open /dev/net/tun" in outcome.stdout, outcome
    assert "Permission denied REMEDY as root: chmod 666 /dev/net/tun" in outcome.stdout


def test_where_user_namespaces_are_forbidden_the_sysctl_is_named() -> None:
    outcome = without_user_namespaces(sys.executable, "-c", UP)
    assert "cannot make a user namespace" in outcome.stdout, outcome
    assert "REMEDY sysctl -w user.max_user_namespaces=" in outcome.stdout
