"""The kind `ssh` reaches real OpenSSH servers, copies files there and clears up, and its errors are strict."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.core.mapped_libraries import Watch
from rankwise.core.network import Topology
from rankwise.testbeds import ssh
from rankwise.testbeds.remote_shell import REMOTE_MARK
from rankwise.testbeds.ssh import SshTestbed
from support.closed_port import closed_port
from support.sshd import Servers, servers

HOSTS = ("h1", "h2")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with servers(tmp_path_factory.mktemp("servers"), *HOSTS) as found:
        yield found


@pytest.fixture(scope="module")
def testbed(two: Servers) -> Iterator[SshTestbed]:
    with SshTestbed(two.topology(*HOSTS)) as found:
        yield found


def sh(script: str, *arguments: str) -> LaunchSteps:
    return LaunchSteps(Command(("sh", "-c", script, *arguments)))


def left(owner: int = os.getpid()) -> set[str]:
    """Folders of testbeds that a process has made, and the command lines of processes that bear their marks."""
    mark = f"{ssh._prefix()}{owner}-"
    marked = subprocess.run(
        ["grep", "-ls", f"{REMOTE_MARK}={mark}", *map(str, Path("/proc").glob("[0-9]*/environ"))],
        check=False, capture_output=True, text=True, timeout=20,
    ).stdout.split()  # fmt: skip
    folders = {str(path) for path in Path("/tmp").glob(f"{mark}*")}
    return folders | {Path(path).with_name("cmdline").read_text() for path in marked}


def test_words_and_variables_arrive_as_they_were(testbed: SshTestbed) -> None:
    odd = 'it\'s "$HOME" `x` \\ *\n!  end'
    steps = LaunchSteps(Command(("printf", "%s|", odd, ""), (("ODD", odd),)))
    assert testbed.run(steps, HOSTS, 20).stdout == f"{odd}||"
    steps = LaunchSteps(Command(("sh", "-c", 'printf %s "$ODD"'), (("ODD", odd),)))
    assert testbed.run(steps, HOSTS, 20).stdout == odd


def test_the_callers_variables_are_passed_but_those_of_its_host(
    testbed: SshTestbed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MV2_OF_A_PLUG_IN", "self,tcp")
    monkeypatch.setenv("SOMETHING_ELSE", "it's\nhere")
    monkeypatch.setenv("DISPLAY", ":17")
    said = testbed.run(sh('echo "$MV2_OF_A_PLUG_IN-$SOMETHING_ELSE-$DISPLAY"'), HOSTS, 20).stdout
    assert said == "self,tcp-it's\nhere-\n"


def test_no_command_line_shows_the_callers_variables(testbed: SshTestbed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here ssh and what it starts run on this host: `ps` shows the command lines of both sides."""
    monkeypatch.setenv("SOME_SECRET", "secret-17-of-the-caller")
    script = "for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$file 2>/dev/null; done"
    said = testbed.run(sh(f"{script}; echo $SOME_SECRET"), HOSTS, 20).stdout
    assert said.count("secret-17-of-the-caller") == 1


def test_a_folder_that_is_not_there_is_none(
    testbed: SshTestbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert testbed.run(sh("pwd"), HOSTS, 20).stdout.strip() == str(tmp_path)
    tmp_path.rmdir()
    monkeypatch.setattr(Path, "cwd", lambda: tmp_path)
    assert testbed.run(sh("pwd"), HOSTS, 20).stdout.startswith("/tmp/rankwise-")


def test_the_shell_for_launchers_is_called_like_ssh(testbed: SshTestbed) -> None:
    for words in ("h2", "-x h2", "nobody@h2 -n", "-o LogLevel=QUIET -x h2"):
        steps = sh(f"{testbed.remote_shell()} {words} \"echo it\\'s \\$0, '\\$(echo \\$((1 + 1)))'\"; exit $?")
        outcome = testbed.run(steps, HOSTS, 20)
        assert outcome.stdout == "it's sh, $(echo $((1 + 1)))\n", outcome.stderr
    assert testbed.run(sh(f"{testbed.remote_shell()} h2 exit 7"), HOSTS, 20).returncode == 7


def test_what_launchers_leave_elsewhere_is_ended(testbed: SshTestbed) -> None:
    outcome = testbed.run(sh(f"{testbed.remote_shell()} h2 'setsid sleep 963 >/dev/null 2>&1 &'"), HOSTS, 20)
    assert outcome.returncode == 0
    assert not any(re.search("sleep[\0 ]963", words) for words in left())


def test_the_time_is_the_commands_own(testbed: SshTestbed) -> None:
    began = time.monotonic()
    outcome = testbed.run(sh("sleep 0.5; exit 3"), HOSTS, 20)
    assert outcome.returncode == 3
    assert 0.5 <= outcome.seconds <= time.monotonic() - began - 0.1, "looking for what was left takes that long"


@pytest.mark.nightly
def test_the_libraries_of_what_runs_there_are_seen(testbed: SshTestbed, tmp_path: Path) -> None:
    library = tmp_path / "libmpi.so.12"
    source = tmp_path / "empty.c"
    source.write_text("int empty;")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    code = f"import ctypes, time; ctypes.CDLL('{library}'); time.sleep(3)"
    with Watch(testbed.mapped) as watch:
        testbed.run(LaunchSteps(Command((sys.executable, "-c", code))), HOSTS, 20)
    assert set(watch.found.values()) == {frozenset({str(library)})}
    assert "h1" in {name.split()[0] for name in watch.found}


def test_what_was_left_by_one_that_was_killed_is_cleared_by_the_next(two: Servers, tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from rankwise.core.network import Node, Topology\n"
        "from rankwise.core.jobs import Command, LaunchSteps\n"
        "from rankwise.testbeds.ssh import SshTestbed\n"
        "nodes = (Node('h1', 'here', address='h1'),)\n"
        "one = SshTestbed(Topology('t', 'ssh', nodes=nodes, remote_shell=sys.argv[1]))\n"
        "one.up()\n"
        "one.run(LaunchSteps(Command(('sh', '-c', 'sleep 964; true'))), ('h1',), 60)\n"
    )
    victim = subprocess.Popen([sys.executable, "-c", script, two.shell])
    deadline = time.monotonic() + 30
    while not any(re.search("sleep[\0 ]964", words) for words in left(victim.pid)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    victim.kill()
    victim.wait(10)
    with SshTestbed(two.topology("h2", "h1")):
        assert left(victim.pid) == set()


def test_whose_owner_is_in_another_space_of_process_ids_is_not_taken_for_dead() -> None:
    ours = ssh._prefix()
    theirs = f"{ours.rstrip('-').rpartition('-')[0]}-f0000001-"
    assert ssh._is_left(f"{ours}1-1-abcdef")
    assert not ssh._is_left(f"{theirs}1-1-abcdef")


def test_nothing_is_left_after_down(two: Servers) -> None:
    before = left()
    with SshTestbed(two.topology(*HOSTS)) as one:
        shell = Path(one.remote_shell())
        assert shell.exists()
        assert left() > before
    assert left() == before
    one.down()  # again: nothing happens
    with pytest.raises(HostError, match="not up"):
        one.run(sh("true"), HOSTS, 5)


@pytest.mark.parametrize("theirs", ["a link", "another user's"])
def test_a_folder_that_somebody_else_made_is_neither_used_nor_removed(
    two: Servers, theirs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh.secrets, "token_hex", lambda _bytes: "c0ffee")
    folder = Path(f"/tmp/{ssh._prefix()}{process.identity(os.getpid())}-c0ffee")
    if theirs == "a link":
        folder.symlink_to(tmp_path)
    elif os.geteuid() != 0:
        pytest.skip("only root can make a folder for another user")
    else:
        folder.mkdir()
        os.chown(folder, 65534, 65534)
    try:
        with pytest.raises(HostError, match=r"h1: .*c0ffee cannot be made, or somebody else has made it"):
            SshTestbed(two.topology(*HOSTS)).up()
        assert folder.is_dir()
        assert list(folder.iterdir()) == list(tmp_path.iterdir()) == []
    finally:
        folder.unlink() if folder.is_symlink() else folder.rmdir()


def test_facts_are_one_where_hosts_agree(testbed: SshTestbed) -> None:
    facts = {fact.key: fact.value for fact in testbed.facts()}
    assert facts["kernel"] == f"{os.uname().sysname} {os.uname().release}"
    assert facts["hostname"] == os.uname().nodename
    assert {"cpu", "cores_usable", "memory_bytes", "tcp_congestion_control", "tcp_rmem_bytes"} <= set(facts)
    assert "2 hosts" in facts["testbed"]
    assert all(facts.values())


def test_facts_say_which_host_differs() -> None:
    said = {"h1": "kernel\tLinux 6\ncpu\tA\n", "h2": "kernel\tLinux 6\ncpu\tB\n", "h3": "kernel\tLinux 6\n"}
    facts = {fact.key: fact.value for fact in ssh.remote_facts.facts(said)}
    assert facts == {"kernel": "Linux 6", "cpu": "A (h1); B (h2); unknown (h3)"}


def test_files_that_all_have_are_not_copied(testbed: SshTestbed, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho $0\n")
    program.chmod(0o755)
    steps = LaunchSteps(Command((str(program),)), files=(str(program),))
    assert testbed.run(steps, HOSTS, 20).stdout.strip() == str(program)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide a folder from a server")
def test_hosts_that_share_no_files_get_copies_that_are_removed(two: Servers, tmp_path: Path) -> None:
    folder = tmp_path / "hidden"
    folder.mkdir()
    program, library = folder / "the program", folder / "library.so"
    program.write_text('#!/bin/sh\necho "$0 $LOAD $*"; cat "${LOAD%%:*}"\n')
    program.chmod(0o755)
    library.write_text("contents\n")
    two.start("h3", hidden=folder)
    files = (str(program), str(library))
    variables = (("LOAD", f"{library}:/other/library.so"),)
    steps = LaunchSteps(
        Command((str(program), f"-x={library}", f"{library}.not"), variables),
        everywhere=(Command(("test", "-x", str(program))),), files=files,
    )  # fmt: skip
    with SshTestbed(two.topology("h1", "h3")) as one:
        outcome = one.run(steps, ("h1", "h3"), 20)
        copies = Path(one.remote_shell()).parent
        expected = f"{copies}{program} {copies}{library}:/other/library.so -x={copies}{library} {library}.not"
        assert outcome.stdout.splitlines() == [expected, "contents"], outcome.stderr
        assert one.run(steps, ("h1",), 20).stdout.startswith(f"{program} ")  # h1 has them itself
        library.write_text("changed\n")
        assert one.run(steps, ("h1", "h3"), 20).stdout.splitlines()[-1] == "changed"
    assert not copies.exists()
    two.stop("h3")


def described(two: Servers, *addresses: str, shell: str = "") -> Topology:
    topology = two.topology(*HOSTS[:1])
    nodes = tuple(replace(topology.nodes[0], name=f"n{i}", address=one) for i, one in enumerate(addresses))
    return replace(topology, nodes=nodes, remote_shell=shell or topology.remote_shell)


def refused(topology: Topology) -> HostError:
    before = left()
    with pytest.raises(HostError) as caught:
        SshTestbed(topology).up()
    assert caught.value.remedy
    assert left() == before
    return caught.value


def test_a_host_where_nobody_listens(two: Servers) -> None:
    with closed_port() as port:
        two.add_client_config("nobody", port)
        error = refused(described(two, "h1", "nobody"))
    assert "cannot reach n1" in str(error)
    assert "Connection refused" in str(error)
    assert "sshd" in error.remedy


def test_a_host_that_does_not_exist(two: Servers) -> None:
    error = refused(described(two, "no-such-host.invalid"))
    assert "Could not resolve hostname no-such-host.invalid" in str(error)
    assert "DNS" in error.remedy


def test_a_host_whose_key_is_unknown_or_has_changed(two: Servers, tmp_path: Path) -> None:
    known = tmp_path / "known"
    shell = f"{two.shell} -o UserKnownHostsFile={known}"
    error = refused(described(two, "h1", shell=shell))
    assert "Host key verification failed" in str(error)
    assert f"{shell} h1 true" in error.remedy
    other = (two.folder / "h2" / "host_key.pub").read_text()
    known.write_text(f"[127.0.0.1]:{two.ports['h1']} {other}")
    error = refused(described(two, "h1", shell=shell))
    assert "IDENTIFICATION HAS CHANGED" in str(error)
    assert "ssh-keygen -R h1" in error.remedy


def test_a_host_that_does_not_let_us_in(two: Servers) -> None:
    error = refused(described(two, "h1", shell=f"{two.shell} -o PubkeyAuthentication=no"))
    assert "Permission denied (" in str(error)
    assert "ssh-copy-id h1" in error.remedy


def test_hosts_that_the_first_cannot_reach(two: Servers, tmp_path: Path) -> None:
    """As where the key is here alone: from the first host the shell means another ssh."""
    pretender = tmp_path / "ssh"
    pretender.write_text(
        f'#!/bin/sh\n[ -n "${REMOTE_MARK}" ] && {{ echo "Permission denied (publickey)." >&2; exit 255; }}\n'
        f'exec ssh -F {two.folder}/client "$@"\n'
    )
    pretender.chmod(0o755)
    error = refused(described(two, "h1", "h2", shell=str(pretender)))
    assert "n0 cannot reach n1: Permission denied" in str(error)


def test_a_shell_that_is_none(two: Servers) -> None:
    with pytest.raises(HostError, match="cannot start /no/such/shell"):
        SshTestbed(described(two, "h1", shell="/no/such/shell")).up()
    with pytest.raises(InputError):
        SshTestbed(replace(two.topology(*HOSTS), remote_shell=" "))
    with pytest.raises(InputError):
        SshTestbed(replace(two.topology(*HOSTS), nodes=()))


def test_a_launcher_that_is_not_there_is_named_with_its_host(testbed: SshTestbed) -> None:
    with pytest.raises(HostError, match="/no/such/mpirun is not installed on h1") as caught:
        testbed.run(LaunchSteps(Command(("/no/such/mpirun", "-np", "2"))), HOSTS, 10)
    assert "same path" in caught.value.remedy


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide a folder from a server")
@pytest.mark.nightly
def test_a_launcher_that_one_host_lacks_is_named_with_that_host(two: Servers, tmp_path: Path) -> None:
    folder = tmp_path / "prefix"
    folder.mkdir()
    (folder / "mpirun").symlink_to("/bin/true")
    two.start("h4", hidden=folder)
    with (
        SshTestbed(two.topology("h1", "h4")) as one,
        pytest.raises(HostError, match=r"/mpirun is not installed on h4"),
    ):
        one.run(LaunchSteps(Command((str(folder / "mpirun"),))), ("h1", "h4"), 10)
    two.stop("h4")


def test_kernel_settings_of_real_hosts_are_left_alone(testbed: SshTestbed) -> None:
    steps = replace(sh("true"), settings=(("net.ipv4.tcp_congestion_control", "cubic"),))
    with pytest.raises(HostError, match=r"net\.ipv4\.tcp_congestion_control cannot be set"):
        testbed.run(steps, HOSTS, 10)


def test_an_unknown_host_is_answered_with_the_nearest(testbed: SshTestbed) -> None:
    with pytest.raises(UnknownNameError) as caught:
        testbed.run(sh("true"), ("h1", "h22"), 10)
    assert "h2" in caught.value.remedy


@pytest.mark.nightly
def test_a_connection_that_breaks_during_a_run_is_told(two: Servers) -> None:
    before = left()
    with SshTestbed(two.topology(*HOSTS)) as one:
        # what serves this very connection: the parent of the first process of ours there
        outcome = one.run(sh("p=$PPID; kill -9 $(ps -o ppid= -p $p) $p; sleep 5"), HOSTS, 20)
        assert "the connection to h1 broke" in outcome.broken
        assert one.run(sh("exit 255"), HOSTS, 20).broken == ""
    assert left() == before
