"""Real processes: they end at their limit, with all that they started, and nothing is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from rankwise.core import process, signals
from rankwise.core.errors import HostError, InterruptedRun

PYTHON = sys.executable


def shell(script: str, limit_seconds: float = 20.0, **options: object) -> process.Outcome:
    return process.run(["sh", "-c", script], limit_seconds, **options)  # type: ignore[arg-type]


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_output_code_and_command_are_kept() -> None:
    outcome = shell("echo out; echo err >&2; exit 3", environment=(("COLOUR", "deep blue"),))
    assert (outcome.stdout, outcome.stderr, outcome.returncode) == ("out\n", "err\n", 3)
    assert outcome.command.startswith("COLOUR='deep blue' sh -c")
    assert not outcome.timed_out


def test_a_missing_program_is_an_error_with_a_remedy() -> None:
    with pytest.raises(HostError, match="cannot start no-such-program") as caught:
        process.run(["no-such-program"], 5.0)
    assert caught.value.remedy


def test_at_the_limit_the_program_and_its_children_end(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    outcome = shell(f"sleep 60 & echo $! > {pids}; setsid sleep 60 & echo $! >> {pids}; wait", 0.5)
    assert outcome.timed_out
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_one_that_ignores_sigterm_is_killed() -> None:
    started = time.monotonic()
    outcome = shell("trap '' TERM; while :; do sleep 0.1; done", 0.3)
    assert outcome.timed_out
    assert outcome.returncode == -signal.SIGKILL
    assert time.monotonic() - started < 15


def test_a_daemon_that_keeps_stdout_open_makes_nobody_wait_and_is_ended(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    outcome = shell(f"(trap '' HUP; sleep 60) & echo $! > {pid_file}; echo started")
    assert outcome.stdout == "started\n"
    assert outcome.seconds < 10
    assert gone(int(pid_file.read_text()))


def test_with_a_mark_a_daemon_lives_until_its_mark_is_ended(tmp_path: Path) -> None:
    pid_file, mark = tmp_path / "pid", process.new_mark()
    shell(f"setsid sleep 60 & echo $! > {pid_file}", mark=mark)
    pid = int(pid_file.read_text())
    assert not gone(pid)
    process.end_marked(mark)
    assert gone(pid)


def test_a_program_that_hangs_after_its_last_words_counts_as_finished() -> None:
    outcome = shell("echo '{\"end\"}'; sleep 60", end_marker='{"end"')
    assert outcome.finished_early
    assert not outcome.timed_out
    assert outcome.stdout == '{"end"}\n'


def test_the_marker_counts_only_at_the_start_of_a_line() -> None:
    outcome = shell("echo 'not {\"end\"}'; sleep 60", 1.0, end_marker='{"end"')
    assert outcome.timed_out


def test_orphans_of_a_killed_owner_are_found_and_ended(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    script = (
        "import sys\nfrom rankwise.core import process\n"
        f"process.run(['sh', '-c', 'setsid sleep 60 & echo $! > {pid_file}; wait'], 60.0)\n"
    )
    owner = subprocess.Popen([PYTHON, "-c", script])
    deadline = time.monotonic() + 20
    while not (pid_file.exists() and pid_file.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.05)
    pid = int(pid_file.read_text())
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    process.end_orphans()  # any verb in another process of tests does the same, and may be quicker
    assert gone(pid)


def test_processes_of_a_living_owner_are_no_orphans(tmp_path: Path) -> None:
    pid_file, mark = tmp_path / "pid", process.new_mark()
    shell(f"setsid sleep 60 & echo $! > {pid_file}", mark=mark)
    assert int(pid_file.read_text()) not in process.end_orphans()
    process.end_marked(mark)


def test_a_signal_while_a_program_starts_leaves_nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = subprocess.Popen

    def interrupted(*args: object, **options: object) -> subprocess.Popen[bytes]:
        child = start(*args, **options)  # type: ignore[call-overload]
        started.append(child.pid)
        signal.raise_signal(signal.SIGTERM)
        return child  # type: ignore[no-any-return]

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    with signals.stop_on_signals(), pytest.raises(InterruptedRun):
        process.run(["sleep", "60"], 20.0, mark="shared-with-others")
    assert [gone(pid) for pid in started] == [True]
