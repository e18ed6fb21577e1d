"""Settings of a testbed's hosts: set for one launch, read back, refused in words. On real emulated nodes."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from rankwise.core.errors import HostError
from rankwise.core.host_settings import MTU
from rankwise.core.network import Settings
from rankwise.core.tuning import Tuning
from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import host_settings, verify
from support.emulated import launch_steps, needs_emulation, two_sites
from support.profiles import part

CONGESTION_CONTROL = "net.ipv4.tcp_congestion_control"
ASKED: Settings = ((MTU, "9000"), (CONGESTION_CONTROL, "cubic"))


SEND_UNFRAGMENTED = """
import socket, time
sender = socket.socket(type=socket.SOCK_DGRAM)
sender.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER, IP_PMTUDISC_DO
sender.sendto(bytes(8972), ("10.77.2.1", 9))
time.sleep(0.2)  # until it has arrived
"""


@pytest.fixture(scope="module")
def duo() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("duo-host-kernels", per_site=1)) as testbed:
        yield testbed


@needs_emulation
def test_they_are_in_force_for_one_launch_and_then_as_before(duo: EmulatedTestbed) -> None:
    keys = [key for key, _ in ASKED]
    assert host_settings.values(duo, keys) == ["1500", "reno"]
    assert host_settings.values(duo, keys, ASKED) == ["9000", "cubic"]
    assert host_settings.values(duo, keys) == ["1500", "reno"]


@needs_emulation
def test_a_frame_of_that_size_arrives(duo: EmulatedTestbed) -> None:
    send = (sys.executable, "-c", SEND_UNFRAGMENTED)
    outcome = duo.run(launch_steps(*send, settings=ASKED), ["a1", "b1"], 20)
    assert outcome.returncode == 0, outcome.stderr
    assert next(one.bytes for one in outcome.links if one.link == "b1-in") >= 9000
    refused = duo.run(launch_steps(*send), ["a1", "b1"], 20)
    assert "Message too long" in refused.stderr


@needs_emulation
@pytest.mark.parametrize(
    ("setting", "said"),
    [(("net.ipv4.nosuch", "1"), "has no setting net.ipv4.nosuch"), ((MTU, "90000"), "cannot set mtu to '90000'")],
)
def test_what_the_kernel_lacks_or_refuses_is_told_and_all_is_put_back(
    duo: EmulatedTestbed, setting: tuple[str, str], said: str
) -> None:
    asked = ((CONGESTION_CONTROL, "cubic"), setting)
    with pytest.raises(HostError, match=said):
        host_settings.values(duo, [MTU], asked)
    assert host_settings.values(duo, [MTU, CONGESTION_CONTROL]) == ["1500", "reno"]
    first, second = verify.host_checks(part(tuning=Tuning(host_settings=asked)), duo)
    assert (first.state, second.state) == ("not in force", "not in force")
    assert said in first.found


@needs_emulation
def test_congestion_control_and_mtu_are_read_back(duo: EmulatedTestbed) -> None:
    found = verify.host_checks(part(tuning=Tuning(host_settings=ASKED)), duo)
    assert [(one.subject, one.found, one.state) for one in found] == [
        (MTU, "9000", "in force"), (CONGESTION_CONTROL, "cubic", "in force"),
    ]  # fmt: skip


def test_this_host_is_only_read() -> None:
    here = LocalTestbed()
    assert host_settings.applied_settings(here, ASKED) == ()
    found = dict(host_settings.known(here, [CONGESTION_CONTROL, "net.ipv4.nosuch", MTU]))
    assert found[CONGESTION_CONTROL] and "net.ipv4.nosuch" not in found
    (check,) = verify.host_checks(part(tuning=Tuning(host_settings=((MTU, "123"),))), here)
    assert check.state == "not in force"
