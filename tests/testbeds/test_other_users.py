"""Protects: what one user brings up is of no use to another, whatever rights the one has or lacks."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from support.emulated import needs_emulation, wait_until
from support.ordinary_user import NOBODY, as_ordinary_user, folder_of, needs_root

pytestmark = [needs_root, needs_emulation]
STRANGER = 4321
UNTIL_TOLD = f"""
import pathlib, sys, time
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from support.emulated import output_of, two_sites
from rankwise.testbeds.emulated import EmulatedTestbed
up, go = map(pathlib.Path, sys.argv[1:])
with EmulatedTestbed(two_sites("alone", per_site=1)) as testbed:
    print(output_of(testbed, "b1", "hostname"))
    up.with_suffix(".new").write_text(testbed.remote_shell())
    up.with_suffix(".new").rename(up)
    while not go.exists():
        time.sleep(0.02)
"""
ATTACK = """
import os, pathlib, socket, subprocess, sys
os.setgroups([]); os.setgid(4321); os.setuid(4321)
shell = pathlib.Path(sys.argv[1])

def connect():
    socket.socket(socket.AF_UNIX).connect(str(shell.parent / "sockets" / "b1"))

def command_the_link():
    socket.socket(socket.AF_UNIX).connect(str(shell.parent / "link"))

def leave_a_file():
    (shell.parent / "b1" / "mine").touch()

def use_its_shell():
    subprocess.run([shell, "b1", "id"], check=True)

for attack in (lambda: os.listdir(shell.parent), connect, command_the_link, leave_a_file, use_its_shell):
    try:
        attack()
        print("done")
    except Exception as error:
        print(type(error).__name__)
"""


def attacked(shell: Path) -> list[str]:
    """What became of each attack of a stranger on the testbed of this remote shell."""
    outcome = subprocess.run(
        [sys.executable, "-I", "-c", ATTACK, str(shell)],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return outcome.stdout.split()


def test_the_nodes_of_an_ordinary_user_are_closed_to_another() -> None:
    with folder_of(NOBODY) as home:
        up, go = home / "up", home / "go"
        outcomes = []

        def bring_up() -> None:
            outcomes.append(as_ordinary_user(sys.executable, "-c", UNTIL_TOLD, str(up), str(go), home=home))

        thread = threading.Thread(target=bring_up)
        thread.start()
        try:
            wait_until(lambda: up.exists() or outcomes, 30)
            assert up.exists(), outcomes
            results = attacked(Path(up.read_text()))
        finally:
            go.touch()
            thread.join()
    assert results == ["PermissionError"] * 5
    assert outcomes[0].stdout == "b1\n", outcomes[0]


@pytest.mark.parametrize("lacking", ["-sys_admin", "-net_admin", "-sys_admin,-net_admin"])
def test_root_without_the_rights_of_an_administrator_has_nodes_of_its_own(tmp_path: Path, lacking: str) -> None:
    up, go = tmp_path / "up", tmp_path / "go"
    argv = ["setpriv", f"--bounding-set={lacking}", "--inh-caps=-all",
            sys.executable, "-c", UNTIL_TOLD, str(up), str(go)]  # fmt: skip
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd="/") as child:
        try:
            wait_until(lambda: up.exists() or child.poll() is not None, 30)
            assert up.exists()
            shell = Path(up.read_text())
            for user in (NOBODY, STRANGER):
                told = subprocess.run(
                    [str(shell), "b1", "id"], user=user, group=user, extra_groups=(), cwd="/",
                    capture_output=True, text=True, timeout=20, check=False,
                )  # fmt: skip
                assert (told.returncode, told.stdout) == (255, "")
                assert "may not run anything there" in told.stderr
        finally:
            go.touch()
        assert child.communicate(timeout=30)[0] == "b1\n"
        assert child.returncode == 0
