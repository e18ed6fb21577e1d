"""This host is a testbed whose steps run in order, are always cleared up, and whose provenance is told."""

import os
from pathlib import Path

from rankwise.core.jobs import Command, LaunchSteps
from rankwise.testbeds.local import LocalTestbed


def sh(script: str) -> Command:
    return Command(("sh", "-c", script))


def test_it_has_one_host_with_the_usable_cores() -> None:
    (host,) = LocalTestbed().hosts()
    assert host.slots == len(os.sched_getaffinity(0))


def test_steps_run_in_order_and_the_launchers_outcome_counts(tmp_path: Path) -> None:
    log = tmp_path / "log"
    steps = LaunchSteps(
        sh(f"echo main >> {log}; exit 4"), (sh(f"echo before >> {log}"),), (sh(f"echo after >> {log}"),)
    )
    outcome = LocalTestbed().run(steps, (), 10.0)
    assert log.read_text().split() == ["before", "main", "after"]
    assert outcome.returncode == 4


def test_a_failing_first_step_keeps_the_launcher_from_starting_but_not_the_clearing_up(tmp_path: Path) -> None:
    log = tmp_path / "log"
    steps = LaunchSteps(
        sh(f"echo main >> {log}"), (sh("echo no daemon >&2; exit 5"),), (sh(f"echo after >> {log}"),)
    )
    outcome = LocalTestbed().run(steps, (), 10.0)
    assert log.read_text().split() == ["after"]
    assert (outcome.returncode, outcome.stderr) == (5, "no daemon\n")


def test_after_a_launcher_that_hangs_the_clearing_up_still_runs(tmp_path: Path) -> None:
    log = tmp_path / "log"
    outcome = LocalTestbed().run(LaunchSteps(sh("sleep 60"), after=(sh(f"echo after > {log}"),)), (), 0.3)
    assert outcome.timed_out
    assert log.exists()


def test_provenance_names_what_changes_a_measurement() -> None:
    facts = {fact.key: fact.value for fact in LocalTestbed().facts()}
    assert {
        "kernel",
        "cpu",
        "rankwise",
        "cores_usable",
        "load_average",
        "tcp_congestion_control",
        "clocksource",
    } <= set(facts)
    assert all(facts.values())
