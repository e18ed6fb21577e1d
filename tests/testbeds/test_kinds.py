"""Every kind of testbed keeps what `testbeds.base.TestbedKind` promises.

A new kind adds one line to `MAKERS`.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from rankwise.core.errors import RankwiseError
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.core.network import Link, Node, Route, Topology
from rankwise.testbeds.base import TestbedKind, kinds, make
from rankwise.testbeds.local import this_host
from support.sshd import servers

LIMIT_SECONDS = 30.0


def emulated(_folder: Path) -> contextlib.AbstractContextManager[Topology]:
    links = tuple(
        Link(f"{name}-{way}", rate_bits_per_second=1e9, delay_seconds=1e-5)
        for name in "ab"
        for way in ("out", "in")
    )
    nodes = tuple(
        Node(f"k{name}", "s", address=f"10.99.77.{number}", out=f"{name}-out", into=f"{name}-in")
        for number, name in enumerate("ab", start=1)
    )
    routes = (Route("s", "s", ()),)
    name = f"kinds-{os.getpid()}"
    return contextlib.nullcontext(Topology(name, "emulated", ("s",), nodes, links, routes))


@contextlib.contextmanager
def ssh(folder: Path) -> Iterator[Topology]:
    with servers(folder, "h1", "h2") as found:
        yield found.topology()


MAKERS: dict[str, Callable[[Path], contextlib.AbstractContextManager[Topology]]] = {
    "local": lambda _folder: contextlib.nullcontext(this_host()),
    "emulated": emulated,
    "ssh": ssh,
}


@pytest.fixture(scope="module", params=sorted(kinds()))
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestbedKind]:
    assert request.param in MAKERS, f"add the kind {request.param} to MAKERS"
    with MAKERS[request.param](tmp_path_factory.mktemp("kind")) as topology, make(topology) as found:
        yield found


@pytest.fixture
def hosts(testbed: TestbedKind) -> tuple[str, ...]:
    """A host for each of two ranks, or none where all is on this host."""
    names = [host.name for host in testbed.hosts()]
    return (names[0], names[-1]) if testbed.remote_shell() else ()


def sh(script: str, *environment: tuple[str, str]) -> Command:
    return Command(("sh", "-c", script), environment)


def running(words: str) -> bool:
    """Whether a process with these words runs anywhere, also within namespaces."""
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if words in " ".join(one.cmdline()) and one.pid != os.getpid():
                return True
    return False


def test_hosts_have_names_of_their_own_and_slots(testbed: TestbedKind) -> None:
    found = testbed.hosts()
    assert len({host.name for host in found}) == len(found) > 0
    assert all(host.slots > 0 and host.site for host in found)


def test_a_command_runs_and_its_words_come_back(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    outcome = testbed.run(LaunchSteps(sh("echo said; echo wrong >&2")), hosts, LIMIT_SECONDS)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "said\n", "wrong\n")
    assert not (outcome.timed_out or outcome.finished_early or outcome.broken)
    assert 0 < outcome.seconds < LIMIT_SECONDS


def test_words_are_not_read_again_by_a_shell(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    odd = ("two  blanks", "'", '"', "$HOME", "*", "", "a\nb", "\\")
    outcome = testbed.run(LaunchSteps(Command(("printf", "%s|", *odd))), hosts, LIMIT_SECONDS)
    assert outcome.stdout == "".join(f"{word}|" for word in odd)


@pytest.mark.parametrize("code", [0, 1, 7, 126, 200])
def test_the_exit_code_is_the_commands(testbed: TestbedKind, hosts: tuple[str, ...], code: int) -> None:
    assert testbed.run(LaunchSteps(sh(f"exit {code}")), hosts, LIMIT_SECONDS).returncode == code


def test_a_signal_is_no_success(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    assert testbed.run(LaunchSteps(sh("kill -9 $$")), hosts, LIMIT_SECONDS).returncode in (-9, 137)


def test_variables_arrive(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    steps = LaunchSteps(sh('printf %s "$ODD-$EMPTY-$PATH"', ("ODD", "a 'b' $c\n"), ("EMPTY", "")))
    outcome = testbed.run(steps, hosts, LIMIT_SECONDS)
    assert outcome.stdout.startswith("a 'b' $c\n--/")


def test_it_runs_in_our_folder(
    testbed: TestbedKind, hosts: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert testbed.run(LaunchSteps(sh("pwd")), hosts, LIMIT_SECONDS).stdout.strip() == str(tmp_path)


def test_steps_come_in_their_order(testbed: TestbedKind, hosts: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "log"
    steps = LaunchSteps(
        sh(f"echo main >> {log}; exit 4"),
        before=(sh(f"echo before >> {log}"),), after=(sh(f"echo after >> {log}"),),
        everywhere=(sh(f"echo everywhere >> {log}"),), everywhere_after=(sh(f"echo last >> {log}"),),
    )  # fmt: skip
    assert testbed.run(steps, hosts, LIMIT_SECONDS).returncode == 4
    count = max(1, len(set(hosts)))
    expected = ["everywhere"] * count + ["before", "main", "after"] + ["last"] * count
    assert log.read_text().split() == expected


def test_a_step_that_fails_keeps_the_launcher_from_starting_but_not_the_clearing_up(
    testbed: TestbedKind, hosts: tuple[str, ...], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    steps = LaunchSteps(
        sh(f"echo main >> {log}"),
        before=(sh("echo no daemon >&2; exit 5"),),
        everywhere_after=(sh(f"echo last >> {log}"),),
    )
    outcome = testbed.run(steps, hosts[:1], LIMIT_SECONDS)
    assert (outcome.returncode, outcome.stderr) == (5, "no daemon\n")
    assert log.read_text() == "last\n"


def test_the_time_limit_leaves_nothing(testbed: TestbedKind, hosts: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "log"
    steps = LaunchSteps(
        sh("setsid sleep 9417 & trap '' TERM; sleep 9417; sleep 9417"), after=(sh(f"echo after > {log}"),)
    )
    started = time.monotonic()
    outcome = testbed.run(steps, hosts, 1.0)
    assert outcome.timed_out
    assert time.monotonic() - started < LIMIT_SECONDS
    assert log.exists()
    assert not running("sleep 9417")


def test_what_hangs_after_its_last_words_has_finished(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    steps = LaunchSteps(sh("echo result; echo end-of-it all; sleep 9418"))
    outcome = testbed.run(steps, hosts, LIMIT_SECONDS, "end-of-it")
    assert outcome.finished_early
    assert not outcome.timed_out
    assert outcome.stdout.startswith("result\n")
    assert not running("sleep 9418")


def test_a_daemon_left_behind_is_ended(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    outcome = testbed.run(LaunchSteps(sh("setsid sleep 9419 </dev/null & echo done")), hosts, LIMIT_SECONDS)
    assert outcome.stdout == "done\n"
    assert outcome.seconds < LIMIT_SECONDS / 2
    assert not running("sleep 9419")


def test_a_program_that_is_missing_is_named(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    try:
        outcome = testbed.run(LaunchSteps(Command(("/no/such/launcher", "-n"))), hosts, LIMIT_SECONDS)
    except RankwiseError as error:
        assert "/no/such/launcher" in str(error)
        assert error.remedy
    else:
        assert outcome.returncode == 127
        assert "/no/such/launcher" in outcome.stderr


def test_much_output_arrives_in_full(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    outcome = testbed.run(LaunchSteps(sh("yes 123456789012345 | head -n 65536")), hosts, LIMIT_SECONDS)
    assert len(outcome.stdout) == 1 << 20
    assert set(outcome.stdout.split()) == {"123456789012345"}


def test_stdin_is_empty(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    assert testbed.run(LaunchSteps(sh("cat; echo end")), hosts, LIMIT_SECONDS).stdout == "end\n"


def test_an_unknown_host_is_refused(testbed: TestbedKind, hosts: tuple[str, ...], tmp_path: Path) -> None:
    if not hosts:
        pytest.skip("this kind has one host")
    log = tmp_path / "log"
    steps = LaunchSteps(sh("true"), everywhere=(sh(f"echo here >> {log}"),))
    try:
        outcome = testbed.run(steps, ("no-such-host",), LIMIT_SECONDS)
    except RankwiseError as error:
        assert "no-such-host" in str(error)
    else:
        assert outcome.returncode != 0
        assert "no-such-host" in outcome.stderr
    assert not log.exists()


def test_the_remote_shell_reaches_every_host_from_the_first(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    shell = testbed.remote_shell()
    if not shell:
        pytest.skip("this kind has one host")
    for host in testbed.hosts():
        steps = LaunchSteps(Command((shell, "-x", host.name, "echo", "$((6 * 7));", "exit", "3")))
        outcome = testbed.run(steps, hosts, LIMIT_SECONDS)
        assert (outcome.returncode, outcome.stdout) == (3, "42\n"), outcome.stderr


def test_what_launchers_start_elsewhere_is_ended(testbed: TestbedKind, hosts: tuple[str, ...]) -> None:
    shell = testbed.remote_shell()
    if not shell:
        pytest.skip("this kind has one host")
    script = f"{shell} {hosts[-1]} 'setsid sleep 9420 </dev/null >/dev/null 2>&1 & sleep 9421'"
    assert testbed.run(LaunchSteps(sh(script)), hosts, 2.0).timed_out
    assert not running("sleep 9420")
    assert not running("sleep 9421")


def test_too_many_ranks_on_a_host_share_its_cores(testbed: TestbedKind) -> None:
    names = [host.name for host in testbed.hosts()]
    assert testbed.oversubscribed(names[:1] * 1000)
    assert not testbed.oversubscribed(names[:1])


def test_provenance_has_unique_keys(testbed: TestbedKind) -> None:
    facts = testbed.facts()
    assert len({fact.key for fact in facts}) == len(facts)
    assert all(fact.value for fact in facts)
    assert {"kernel", "cpu", "tcp_congestion_control"} <= {fact.key for fact in facts}


def test_up_again_is_no_second_testbed(testbed: TestbedKind) -> None:
    shell = testbed.remote_shell()
    testbed.up()
    assert testbed.remote_shell() == shell
