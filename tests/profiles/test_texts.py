"""The README and the kernel settings beside profile.toml say all of what was measured, and how it is loaded."""

from dataclasses import replace
from pathlib import Path

from rankwise.core.bound_variables import bound
from rankwise.core.host_settings import MTU
from rankwise.core.tuning import Native, Tuning
from rankwise.profiles import texts
from support.profiles import RMEM, TUNING, part, profile

BOUND = Native((), (
    ("FI_X", "1"), (bound(4, "I_MPI_ADJUST_BCAST"), "1:0-9;3:10-99"), (bound(8, "I_MPI_ADJUST_BCAST"), "2:0-99"),
    (bound(8, "I_MPI_ADJUST_REDUCE"), "5:0-99"),
))  # fmt: skip
INTEL = part("intelmpi-2021.18.1", BOUND)


def test_the_readme_says_that_tables_need_the_number_of_ranks(tmp_path: Path) -> None:
    text = texts.readme(profile(INTEL, part()), tmp_path)
    assert f"RANKS=4 . {tmp_path}/intelmpi-2021.18.1/load.sh && mpiexec -n 4 ./app" in text
    assert (
        "Collective algorithms of intelmpi-2021.18.1 that are variables are for jobs of that many ranks only"
        in text
    )
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
        "| 120 (trying everything: about 4000) |",
        "ompi_info says 33554432\n\n| operation |",
        "| bcast | 4 | across-sites | 64 KiB to 1 MiB | faster | × 0.5 to 0.64 |",
        "| eager-threshold | 32 MiB |",
        "| bcast | 4 | above 4 KiB | pipeline, segments of 64 KiB, fan-out 2 |",
        "- **eager-threshold**: No handshake up to 32 MiB: 19 ms, not 26 ms. It costs: 32 MiB a pair.",
        "or a line of `~/.openmpi/mca-params.conf`\n  stays in force",
        "`mpiexec --mca NAME VALUE` overrules the profile",
        "`mpiexec -genv NAME VALUE` overrules the profile",
        "**Every node needs this folder at the same path**: each rank of openmpi-5.0.11 reads",
        "`sudo rm /etc/sysctl.d/90-rankwise.conf`",
        f". {tmp_path}/openmpi-5.0.11/load.sh && mpiexec $RANKWISE_MPIEXEC_ARGUMENTS -n 4 ./app",
        f". {tmp_path}/mpich-5.0.2/load.sh && mpiexec -n 4 ./app",
        f". {tmp_path}/mpich-5.0.2/load.sh && srun --mpi=pmi2 -n 4 ./app",
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
    assert "Nothing: no setting was shown to be better than the default." in text
    assert "nothing is set: all is as by default" in text
    assert "None of these settings was seen to cost anything." in text
