"""Protects: what a real emulator loses unasked is counted for the launch in which it was lost, and told."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.testbeds.lost_frames import LossWatch
from support.emulated import launch_steps, needs_emulation, parts_of, two_sites, wait_until

pytestmark = needs_emulation
BURST = """
import pathlib, socket, sys, time
ready, go = map(pathlib.Path, sys.argv[1:])
ready.touch()
while not go.exists():
    time.sleep(0.01)
sender = socket.socket(type=socket.SOCK_DGRAM)
for _ in range(5000):
    sender.sendto(bytes(100), ("10.77.2.1", 9))
"""


@pytest.fixture(scope="module")
def duo() -> Iterator[EmulatedTestbed]:
    """Two nodes whose NICs have no rate: nothing makes them wait."""
    limited = two_sites("lost-frames", per_site=1)
    links = tuple(replace(link, rate_bits_per_second=0.0) for link in limited.links)
    with EmulatedTestbed(replace(limited, links=links)) as testbed:
        yield testbed


def test_what_a_node_sends_while_the_emulator_stands_still_is_counted_once(
    duo: EmulatedTestbed, tmp_path: Path
) -> None:
    folder, ready, go = Path(duo.remote_shell()).parent, tmp_path / "ready", tmp_path / "go"
    link = parts_of(folder)["link"]

    def stand_still() -> None:
        wait_until(ready.exists)
        os.kill(link, signal.SIGSTOP)
        go.touch()
        try:
            watch = LossWatch(folder, ["a1"])
            wait_until(lambda: watch._ring_drops() >= 3000)
        finally:
            os.kill(link, signal.SIGCONT)

    tmp_path.chmod(0o755)
    thread = threading.Thread(target=stand_still)
    thread.start()
    outcome = duo.run(launch_steps(sys.executable, "-c", BURST, str(ready), str(go)), ["a1", "b1"], 30)
    thread.join()
    (told,) = [one for one in outcome.notices if one.kind == "lost-frames"]
    assert "at a node's full transmit ring" in told.message
    assert 3000 <= int(told.message.partition("explains: ")[2].split()[0]) <= 5000
    assert "lost-frames" not in [one.kind for one in duo.run(launch_steps("true"), ["a1", "b1"], 30).notices]


def test_a_node_that_is_gone_is_an_error_of_the_host(duo: EmulatedTestbed) -> None:
    with pytest.raises(HostError, match="NIC of node c9"):
        LossWatch(Path(duo.remote_shell()).parent, ["c9"])
