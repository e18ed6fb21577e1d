"""The files beside profile.toml: each loads exactly what was measured, and the README says all of it."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.tuning import Native, Tuning
from rankwise.profiles import texts
from rankwise.profiles.writing import write
from support.profiles import NATIVE, RMEM, TUNING, part, profile

_TCL = """
foreach word {module-whatis conflict} { proc $word args {} }
proc setenv {name value} { puts -nonewline "$name=$value\\0" }
proc prepend-path {name value} { puts -nonewline "$name<$value\\0" }
source [lindex $argv 0]
"""


@pytest.mark.skipif(not shutil.which("tclsh"), reason="no tclsh")
def test_the_modulefile_sets_what_is_loaded(tmp_path: Path) -> None:
    native = replace(NATIVE, environment=(*NATIVE.environment, ("LD_PRELOAD", "/a/lib.so"), ("TAB", "a\tb{")))
    place = write(profile(part(native=native)), tmp_path)
    (tmp_path / "read.tcl").write_text(_TCL)
    module = place / "modulefiles/wan/openmpi-5.0.11"
    said = subprocess.run(
        ["tclsh", tmp_path / "read.tcl", module], capture_output=True, text=True, timeout=20, check=True
    ).stdout
    assert said.split("\0")[:-1] == [
        f"OMPI_MCA_mca_base_param_files={place}/openmpi-5.0.11/mca-params.conf",
        'ODD=a "b" $c [d] \\',
        "LD_PRELOAD</a/lib.so",
        "TAB=a\tb{",
        "RANKWISE_MPIEXEC_ARGUMENTS=--mca btl tcp,self",
    ]
    assert module.read_text().startswith("#%Module")


def test_the_script_sets_what_is_loaded(tmp_path: Path) -> None:
    native = replace(NATIVE, environment=(*NATIVE.environment, ("LD_LIBRARY_PATH", "/a b/lib")))
    place = write(profile(part(native=native)), tmp_path)
    script = '. "$0"; printf "%s\\n" "$ODD" "$LD_LIBRARY_PATH" "$RANKWISE_MPIEXEC_ARGUMENTS"'
    said = subprocess.run(
        ["sh", "-c", script, place / "openmpi-5.0.11/load.sh"], capture_output=True, text=True, timeout=20,
        check=True, env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/old"},
    ).stdout  # fmt: skip
    assert said.splitlines() == ['a "b" $c [d] \\', "/a b/lib:/old", "--mca btl tcp,self"]


def test_hosts_get_the_larger_of_what_parts_ask_for() -> None:
    other = Tuning(host_settings=((RMEM, "4096 262144 8388608"), ("net.ipv4.tcp_congestion_control", "bbr")))
    made = profile(part(), part("mpich-5.0.2", tuning=other))
    text = texts.sysctl(made)
    assert f"\n{RMEM} = 4096 262144 16777216\n" in text
    assert "# mpich-5.0.2 was measured with 4096 262144 8388608" in text
    assert text.endswith("net.ipv4.tcp_congestion_control = bbr\n") or "bbr\n" in text


def test_without_host_settings_there_is_no_file_for_them(tmp_path: Path) -> None:
    made = profile(part(tuning=replace(TUNING, host_settings=())))
    assert texts.SYSCTL not in texts.all_files(made, tmp_path)
    assert texts.SYSCTL not in texts.readme(made, tmp_path)


def test_the_readme_says_what_why_gain_cost_and_how(tmp_path: Path) -> None:
    text = texts.readme(profile(part(), part("mpich-5.0.2", Native((), (("UCX_RNDV_THRESH", "32M"),)))), tmp_path)
    for words in (
        "rankwise tune --testbed duo --name 'w a n'",
        "| openmpi-5.0.11 | 2 of 4 cells faster, none slower; time × 0.752 in the mean |",
        "| 120 (trying everything: 4000) |",
        "| bcast | 4 | across-sites | 64 KiB to 1 MiB | faster | × 0.5 to 0.64 |",
        "| eager-threshold | 32 MiB |",
        "| bcast | 4 | above 4 KiB | pipeline, segments of 64 KiB, fan-out 2 |",
        "No handshake up to 32 MiB",
        "- openmpi-5.0.11, eager-threshold: 32 MiB a pair",
        "ompi_info says 33554432",
        f". {tmp_path}/openmpi-5.0.11/load.sh\n    mpiexec $RANKWISE_MPIEXEC_ARGUMENTS -n 4 ./app",
        f". {tmp_path}/mpich-5.0.2/load.sh\n    mpiexec -n 4 ./app",
        f"module use {tmp_path}/modulefiles",
        f"rankwise run --profile {tmp_path}",
        f"sudo cp {tmp_path}/90-rankwise.conf /etc/sysctl.d/",
    ):
        assert words in text
    assert "\n\n\n" not in text


def test_a_readme_of_nothing_says_so(tmp_path: Path) -> None:
    text = texts.readme(
        profile(replace(part(native=Native(), tuning=Tuning()), verdicts=(), reasons=())), tmp_path
    )
    assert "Nothing: no setting was better than the default for certain." in text
    assert "not measured against the default" in text
    assert "Nothing that was seen." in text
