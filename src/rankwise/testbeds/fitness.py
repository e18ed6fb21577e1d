"""Is this host fit to measure on? One small function a question, each answering with findings and a remedy."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator

import psutil

from rankwise.core import paths, units
from rankwise.testbeds import host, launch_needs
from rankwise.testbeds.finding import Finding


def examine(ranks: int, largest_bytes: int, tuned: Collection[str] = ()) -> list[Finding]:
    """Return all findings for `ranks` ranks and messages of up to `largest_bytes`. Takes a second.

    `tuned` are variables of the caller that set an MPI.
    """
    questions: tuple[Callable[[], Iterator[Finding]], ...] = (
        lambda: _cores(ranks), _quiet, _governor, _timer, lambda: _memory(ranks, largest_bytes), _tcp, _compiler,
        _disk, lambda: _tuned(tuned), lambda: launch_needs.of_this_host(ranks),
    )  # fmt: skip
    return [finding for question in questions for finding in question()]


def _cores(ranks: int) -> Iterator[Finding]:
    cores = host.usable_cores()
    if ranks > cores:
        yield Finding(
            "cores", "bad", f"{ranks} ranks on {cores} cores: ranks wait for one another's time slices",
            f"measure with -n {cores}, or accept it: launches are marked oversubscribed",
        )  # fmt: skip
    else:
        yield Finding("cores", "ok", f"{cores} cores for {ranks} ranks")
    if "hypervisor" in host.cpu_field("flags").split():
        yield Finding(
            "virtual machine", "note", "this is a virtual machine: other VMs add noise",
            "do not compare absolute times between runs",
        )  # fmt: skip


def _quiet() -> Iterator[Finding]:
    before, seconds = psutil.cpu_times(), _seconds_by_process()
    time.sleep(1.0)
    after = psutil.cpu_times()
    total = (sum(after) - sum(before)) or 1.0
    busy = 1.0 - (after.idle - before.idle) / total
    steal = (after.steal - before.steal) / total
    answer = f"load {os.getloadavg()[0]:.2f}; in the last second {busy:.0%} busy, {steal:.1%} steal time"
    if busy > 0.25:
        busiest = _busiest_since(seconds)
        yield Finding("quiet", "bad", answer + (f"; most of it: {busiest}" if busiest else ""), "stop it, or wait")
    elif steal > 0.01:
        yield Finding("quiet", "note", answer, "repeat at another hour, or give more --time")
    else:
        yield Finding("quiet", "ok", answer)


def _seconds_by_process() -> dict[tuple[int, str], float]:
    """CPU time of every process, by (pid, name)."""
    return {
        (process.pid, process.info["name"]): sum(process.info["cpu_times"][:2])
        for process in psutil.process_iter(["name", "cpu_times"])
        if process.info["cpu_times"] is not None
    }


def _busiest_since(before: dict[tuple[int, str], float]) -> str:
    used = [(seconds - before.get(key, seconds), key) for key, seconds in _seconds_by_process().items()]
    return ", ".join(
        f"{name} (pid {pid})" for seconds, (pid, name) in sorted(used, reverse=True)[:2] if seconds > 0.1
    )


def _governor() -> Iterator[Finding]:
    governors = host.governors()
    if not governors:
        yield Finding("governor", "note", "no CPU frequency governor is reported (usual in virtual machines)")
    elif governors == {"performance"}:
        yield Finding("governor", "ok", "performance on every core")
    else:
        yield Finding(
            "governor", "bad", f"{', '.join(sorted(governors))}: clock rates change during measurements",
            "sudo cpupower frequency-set --governor performance",
        )  # fmt: skip


def _timer() -> Iterator[Finding]:
    resolution = time.clock_getres(time.CLOCK_MONOTONIC)
    started = time.perf_counter()
    for _ in range(10000):
        time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    cost = (time.perf_counter() - started) / 10000
    source = host.read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource") or "unknown"
    answer = (
        f"clock source {source}, resolution {units.format_time(resolution)}, "
        f"a call from Python {units.format_time(cost)}"
    )
    if source in ("hpet", "acpi_pm", "refined-jiffies") or resolution > 1e-6:
        yield Finding("timer", "bad", answer, "boot with clocksource=tsc, if the processor's is stable")
    else:
        yield Finding("timer", "ok", answer)


def _memory(ranks: int, largest_bytes: int) -> Iterator[Finding]:
    available = psutil.virtual_memory().available
    # An all-to-all holds a block from and for each rank, on every rank; MPIs buffer about as much again.
    needed = 4 * ranks * ranks * largest_bytes
    answer = (
        f"{units.format_size(available)} free; all-to-all of {units.format_size(largest_bytes)} at {ranks} ranks "
        f"needs about {units.format_size(needed)}"
    )
    if needed > available:
        yield Finding("memory", "bad", answer, "give a smaller upper end: --sizes 1:256K")
    else:
        yield Finding("memory", "ok", answer)


def _tcp() -> Iterator[Finding]:
    control = host.read_text("/proc/sys/net/ipv4/tcp_congestion_control") or "unknown"
    limits = [host.read_text(f"/proc/sys/net/ipv4/tcp_{name}").split()[-1:] for name in ("rmem", "wmem")]
    texts = [units.format_size(int(limit[0])) if limit else "unknown" for limit in limits]
    yield Finding("tcp", "ok", f"congestion control {control}; buffers up to {texts[0]} in, {texts[1]} out")


def _compiler() -> Iterator[Finding]:
    if any(shutil.which(name) for name in ("gcc", "cc", "clang", "icx")):
        yield Finding("compiler", "ok", "a C compiler is there")
    else:
        yield Finding(
            "compiler", "bad", "no C compiler: mpicc cannot build the benchmarks", "sudo apt install gcc"
        )


def _disk() -> Iterator[Finding]:
    for name, folder in (("results", paths.data_folder()), ("build cache", paths.cache_folder())):
        existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
        free = shutil.disk_usage(existing).free
        if not os.access(existing, os.W_OK):
            yield Finding(
                name, "bad", f"{existing} cannot be written",
                "set XDG_DATA_HOME and XDG_CACHE_HOME to folders that can",
            )  # fmt: skip
        elif free < 200 << 20:
            yield Finding(
                name, "bad", f"only {units.format_size(free)} free at {existing}", "free some space there"
            )
        else:
            yield Finding(name, "ok", f"{units.format_size(free)} free at {existing}")


def _tuned(names: Collection[str]) -> Iterator[Finding]:
    if names:
        yield Finding(
            "tuning", "note", f"set in this shell, and so in every launch: {', '.join(names)}",
            "unset them to see each implementation's own defaults",
        )  # fmt: skip
