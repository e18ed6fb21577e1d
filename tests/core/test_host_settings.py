"""Protects: one catalogue of host settings, whose names, scripts and commands are what this kernel knows."""

import re
import subprocess
from pathlib import Path

import pytest

import rankwise
from rankwise.core.host_settings import CATALOGUE, MTU, TCP_RMEM, HostSetting, setting


def test_no_name_key_or_fact_is_given_twice() -> None:
    for field in ("name", "key", "fact", "title"):
        given = [value for one in CATALOGUE if (value := getattr(one, field))]
        assert len(set(given)) == len(given)


@pytest.mark.parametrize("one", CATALOGUE, ids=lambda one: one.name)
def test_its_script_reads_what_the_kernel_has(one: HostSetting) -> None:
    told = subprocess.run(["sh", "-c", one.read_script], capture_output=True, text=True, check=True, timeout=10)
    assert told.stdout.count("\n") == 1
    if one.form == "sysctl" and Path(one.path).exists():
        assert told.stdout == Path(one.path).read_text()
        assert one.is_met(told.stdout, " ".join(told.stdout.split()))
    elif one.form == "ip link":
        mtus = {
            Path(nic, "mtu").read_text().strip() for nic in Path("/sys/class/net").iterdir() if nic.name != "lo"
        }
        assert set(told.stdout.split()) == mtus


def test_a_setting_that_the_kernel_lacks_reads_as_an_empty_line() -> None:
    script = setting("net.ipv4.no_such").read_script
    assert (
        subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, timeout=10).stdout == "\n"
    )


def test_native_commands_and_what_meets_them() -> None:
    assert setting(TCP_RMEM).command("1 2 3") == 'sysctl -w net.ipv4.tcp_rmem="1 2 3"'
    assert setting(MTU).command("9000") == "ip link set dev IFACE mtu 9000"
    assert setting(MTU).is_met("9000", "1500 9000") and not setting(MTU).is_met("9000", "1500")
    assert setting(TCP_RMEM).is_met("1 2 3", "1\t2\t3") and not setting(TCP_RMEM).is_met("1 2 3", "1 2 4")
    assert not setting(TCP_RMEM).is_met("1", "")
    assert setting("net.ipv4.other").label == "net.ipv4.other"


def test_no_other_file_spells_a_name_of_the_catalogue() -> None:
    names = [one.name for one in CATALOGUE if one.form == "sysctl"]
    spelt = re.compile("|".join(rf"[\"']{re.escape(name)}[\"']" for name in names))
    root = Path(rankwise.__file__).parent
    found = [file.name for file in root.rglob("*.py") if spelt.search(file.read_text(encoding="utf-8"))]
    assert found == ["host_settings.py"]
