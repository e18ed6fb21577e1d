"""The files beside profile.toml: each loads exactly what was measured, and the README says all of it."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.bound_variables import bound
from rankwise.core.host_settings import MTU
from rankwise.core.tuning import Native, Tuning
from rankwise.profiles import texts
from rankwise.profiles.writing import write
from support.profiles import NATIVE, RMEM, TUNING, part, profile

_TCL = """
foreach word {module-whatis conflict} { proc $word args {} }
proc module-info {what mode} { expr {$mode eq [lindex $::argv 1]} }
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
        ["tclsh", tmp_path / "read.tcl", module, "load"], capture_output=True, text=True, timeout=20, check=True
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


BOUND = Native((), (
    ("FI_X", "1"), (bound(4, "I_MPI_ADJUST_BCAST"), "1:0-9;3:10-99"), (bound(8, "I_MPI_ADJUST_BCAST"), "2:0-99"),
    (bound(8, "I_MPI_ADJUST_REDUCE"), "5:0-99"),
))  # fmt: skip
INTEL = part("intelmpi-2021.18.1", BOUND)
FOUR, EIGHT = {"BCAST": "1:0-9;3:10-99"}, {"BCAST": "2:0-99", "REDUCE": "5:0-99"}


@pytest.mark.parametrize(
    ("ranks", "tables", "words"),
    [("4", FOUR, ""), ("8", EIGHT, ""), ("", {}, "RANKS=4 . load.sh"), ("3", {}, "the default is kept for 3")],
)
def test_the_script_loads_the_tables_of_so_many_ranks_or_says_why_not(
    ranks: str, tables: dict[str, str], words: str, tmp_path: Path
) -> None:
    """Sourced after that for eight ranks, of which nothing may be left."""
    script = write(profile(INTEL), tmp_path) / "intelmpi-2021.18.1/load.sh"
    ran = subprocess.run(
        ["sh", "-euc", f'RANKS=8 . "$0"; RANKS={ranks} . "$0"; env', script], capture_output=True, text=True,
        timeout=20, check=True, env={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    found = dict(line.split("=", 1) for line in ran.stdout.splitlines() if line.startswith(("I_MPI", "FI_")))
    assert found == {"FI_X": "1", **{f"I_MPI_ADJUST_{name}": value for name, value in tables.items()}}
    assert words in ran.stderr and bool(words) == bool(ran.stderr)


@pytest.mark.skipif(not shutil.which("tclsh"), reason="no tclsh")
@pytest.mark.parametrize(
    ("ranks", "mode", "tables", "words"),
    [
        ("4", "load", FOUR, ""), ("8", "load", EIGHT, ""), ("3", "load", {}, "the default is kept for 3"),
        (None, "load", {}, "RANKS=4 module load wan/intelmpi-2021.18.1"),
        (None, "unload", {"BCAST": "", "REDUCE": ""}, ""),
    ],
)  # fmt: skip
def test_the_modulefile_loads_the_tables_of_so_many_ranks_and_unloads_all(
    ranks: str | None, mode: str, tables: dict[str, str], words: str, tmp_path: Path
) -> None:
    """In the mode `unload`, setenv takes the variable away."""
    place = write(profile(INTEL), tmp_path)
    (tmp_path / "read.tcl").write_text(_TCL)
    module = place / "modulefiles/wan/intelmpi-2021.18.1"
    environment = {"PATH": "/usr/bin:/bin"} | ({"RANKS": ranks} if ranks else {})
    ran = subprocess.run(
        ["tclsh", tmp_path / "read.tcl", module, mode], capture_output=True, text=True, timeout=20, check=True,
        env=environment,
    )  # fmt: skip
    found = dict(one.split("=", 1) for one in ran.stdout.split("\0")[:-1])
    assert found == {"FI_X": "1", **{f"I_MPI_ADJUST_{name}": value for name, value in tables.items()}}
    assert words in ran.stderr and bool(words) == bool(ran.stderr)


def test_the_readme_says_that_tables_need_the_number_of_ranks(tmp_path: Path) -> None:
    text = texts.readme(profile(INTEL, part()), tmp_path)
    assert f"RANKS=4 . {tmp_path}/intelmpi-2021.18.1/load.sh\n    mpiexec -n 4 ./app" in text
    assert "the collective algorithms of intelmpi-2021.18.1 are for jobs of that many ranks only" in text
    assert "Jobs of other numbers of ranks keep the default." in text
    assert max(map(len, text.splitlines())) <= 200


def test_hosts_get_the_larger_of_what_parts_ask_for() -> None:
    other = Tuning(host_settings=((RMEM, "4096 262144 8388608"), ("net.ipv4.tcp_congestion_control", "bbr")))
    made = profile(part(), part("mpich-5.0.2", tuning=other))
    text = texts.sysctl(made)
    assert f"\n{RMEM} = 4096 262144 16777216\n" in text
    assert "# mpich-5.0.2 was measured with 4096 262144 8388608" in text
    assert "\nnet.ipv4.tcp_congestion_control = bbr\n" in text


def test_an_mtu_is_told_but_is_no_kernel_setting(tmp_path: Path) -> None:
    jumbo = replace(TUNING, host_settings=((MTU, "9000"), *TUNING.host_settings))
    made = profile(part(tuning=jumbo))
    lines = texts.sysctl(made).splitlines()
    assert [line.split(" = ")[0] for line in lines if not line.startswith("#")] == [RMEM]
    assert any("ip link set dev IFACE mtu 9000" in line for line in lines if line.startswith("#"))
    readme = texts.readme(made, tmp_path)
    for words in (
        "| MTU of the NICs | 9000 |",
        "    sudo ip link set dev IFACE mtu 9000\n",
        "ping -M do -s 8972",
    ):
        assert words in readme
    alone = profile(part(tuning=replace(TUNING, host_settings=((MTU, "9000"),))))
    assert texts.SYSCTL not in texts.all_files(alone, tmp_path)
    assert "mtu 9000" in texts.readme(alone, tmp_path) and texts.SYSCTL not in texts.readme(alone, tmp_path)


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
        "ompi_info says 33554432).\n\n| operation |",
        "| bcast | 4 | across-sites | 64 KiB to 1 MiB | faster | × 0.5 to 0.64 |",
        "| eager-threshold | 32 MiB |",
        "| bcast | 4 | above 4 KiB | pipeline, segments of 64 KiB, fan-out 2 |",
        "- **eager-threshold**: No handshake up to 32 MiB: 19 ms, not 26 ms. It costs: 32 MiB a pair.",
        "so does your own `~/.openmpi/mca-params.conf`",
        "`sudo rm /etc/sysctl.d/90-rankwise.conf`",
        f". {tmp_path}/openmpi-5.0.11/load.sh\n    mpiexec $RANKWISE_MPIEXEC_ARGUMENTS -n 4 ./app",
        f". {tmp_path}/mpich-5.0.2/load.sh\n    mpiexec -n 4 ./app",
        f"module use {tmp_path}/modulefiles",
        f"rankwise run --profile {tmp_path}",
        f"sudo cp {tmp_path}/90-rankwise.conf /etc/sysctl.d/",
    ):
        assert words in text
    assert "\n\n\n" not in text
    assert "RANKS" not in text.replace(texts.ARGUMENTS, "")


def test_a_readme_of_nothing_says_so(tmp_path: Path) -> None:
    text = texts.readme(
        profile(replace(part(native=Native(), tuning=Tuning()), verdicts=(), reasons=())), tmp_path
    )
    assert "Nothing: no setting was better than the default for certain." in text
    assert "not measured against the default" in text
    assert "No cost was seen." in text
