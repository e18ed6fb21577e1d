"""For all tests: how many `make test` takes, what goes first where processes share them, what may be left out.

`make nightly` takes all. By day the newest installation of each MPI family stands for the family, and Hypothesis
tries fewer examples.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from rankwise.core.records import Implementation
from support.mpis import FOUND, newest_of_each_family

LONGEST = (
    "mpich_suite/test_mpich_suite", "plans/test_plans", "abi/test_joined", "testbeds/test_kinds",
    "interpose/test_behaviour", "testbeds/test_ssh", "csrc/test_apps", "cli/test_other_files",
    "abi/test_mirrors", "conformance/test_schedules", "cli/test_numbers",
    "cli/test_bench_joined", "benchmarks/test_scripts", "csrc/test_harness", "conformance/test_kernels",
    "abi/test_mpi4py", "studies/test_martinasso2006", "conformance/test_ranks_alike", "conformance/test_switching",
    "analysis/fit/test_sharing", "native/test_relay", "abi/test_programs", "csrc/test_candidates",
    "interpose/test_conformance", "cli/test_compare_program", "cli/test_trace", "interpose/test_mpi4py",
    "abi/test_joined_input", "cli/test_compare_joined", "cli/test_map", "interpose/test_measured_network",
    "workflows/test_study_applications", "csrc/test_schedules", "cli/test_trace_joined", "cli/test_study",
    "cli/test_predict", "examples/test_examples", "e2e/test_profile_on_hosts", "e2e/test_bad_input",
)  # fmt: skip
"""Files that keep a process for long."""
LAUNCHING = {
    "abi",
    "cli",
    "mpich_suite",
    "plans",
    "conformance",
    "csrc",
    "e2e",
    "interpose",
    "mpi",
    "native",
    "testbeds",
}
"""Folders of tests that start programs, and wait for them."""

for name, examples in (("day", 15), ("nightly", 300)):  # no deadline: other work disturbs the times here
    hypothesis.settings.register_profile(name, deadline=None, max_examples=examples)
hypothesis.settings.load_profile("day")


STRICT_VARIABLE = "RANKWISE_STRICT"
"""Set by .ci/run: a skip that is not on the list below is a failure."""
MAY_BE_SKIPPED = {
    "this kernel does not list congestion controls": "a kernel without /proc/sys/net/ipv4/tcp_available_...",
    "so many nodes would take too long to describe": "a machine with much memory",
    "as root LAM/MPI runs as nobody, whom no host lets in": "only an ordinary user's LAM/MPI uses ssh",
    "this MPI has no nonblocking collectives": "LAM/MPI is an MPI-2",
    "LAM/MPI does not allow several threads": "LAM/MPI is an MPI-2",
    "LAM/MPI has none of these benchmarks": "LAM/MPI is an MPI-2",
    "LAM/MPI needs a booted universe": "its own tests boot one",
    "this kind has one host": "a test between two hosts",
    "this user cannot give a process a host name": "a container without CAP_SYS_ADMIN",
    "there is no OTF2 library for this Python": "otf2 has no wheels for Python 3.12 and later",
    "cannot mount here": "a container without CAP_SYS_ADMIN",
    "LogGOPSim is not here": "no distribution has it",
    "no HPL here": "Debian's hpcc, which one test of the night uses",
    "MPICH's test suite is not here": "a mirror without source packages",
}
"""The beginnings of reasons for which a test may be left out on any machine, and why."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make golden` gives."""
    parser.addoption("--rewrite-golden", action="store_true", help="write golden files instead of comparing")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Turn a skip into a failure where CI must see all there is."""
    outcome = yield
    report = outcome.get_result()
    if not report.skipped or not os.environ.get(STRICT_VARIABLE) or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[-1]).removeprefix("Skipped: ") if report.longrepr else ""
    if not reason.startswith(tuple(MAY_BE_SKIPPED)):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and its reason is not on the list: {reason}"


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses among them
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark older installations as nightly, and put long files first.

    Short files are left then to fill up the time until the last process has ended.
    """
    older = {one.id for one in FOUND} - newest_of_each_family()
    for item in items:
        values = getattr(getattr(item, "callspec", None), "params", {}).values()
        if any(
            (one.id if isinstance(one, Implementation) else one) in older
            for one in values
            if isinstance(one, str | Implementation)
        ):
            item.add_marker(pytest.mark.nightly)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _place(item.path.relative_to(Path(__file__).parent)))


def _place(file: Path) -> int:
    """Return when it is begun: the longest first, then what launches, then all others."""
    name = file.with_suffix("").as_posix()
    if name in LONGEST:
        return LONGEST.index(name)
    return len(LONGEST) + (file.parts[0] not in LAUNCHING)
