"""The simulator beside SimGrid's SMPI replay and LogGOPSim, on the same schedules, in one run, reading included.

    python benchmarks/simulator_beside_peers.py [--rounds 5] [--loggopsim FOLDER] [--smpi-replay PROGRAM]
        [--before PROGRAM] [--plot PAGE.html]

Peers are left out where they are not given. LogGOPSim: the folder with LogGOPSim and txt2bin (built with
stable_sort in place of sort; its own sort orders equal operations at random); it reads its binary, which
is written before. SMPI: Debian's libsimgrid-dev, and a program that calls smpi_replay_run(instance_id, rank, 0,
argv[1]), compiled with smpicxx; it reads a file for each rank. Rankwise reads the same trace in one file for
its first three columns, and LogGOPSim's file for the last one.

Processor seconds, not wall time, so that other work on the machine disturbs less; medians over rounds, and
messages a second of them. 125 MB/s NICs, 20 us, 1 us overheads, rendezvous from 64 KiB; all messages are flows
(--packet 0), except in the columns without contention. Tolerance 1e-6; of the halo, whose ranks start apart, 1e-3.
The most memory of rankwise-sim, looked at every 10 ms, is told over the messages: the file, what is read of it,
and what is under way.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import click
import plotly.graph_objects as go
from simulator_schedules import Schedule, all_to_all, halo, pairwise, permutations, ring, write_goal, write_trace

COSTS = {"L": 20e-6, "o_s": 1e-6, "o_r": 1e-6, "G": 8e-9}


@dataclass
class Measured:
    """What a run took, and what it said the schedule takes; None where it failed or was too slow."""

    cpu_seconds: float | None
    simulated_seconds: float | None = None
    simulation_only: float | None = None
    peak_bytes: int = 0


@dataclass
class Ended:
    """A command that ended: its processor seconds, what it printed, and the most memory that it was seen with."""

    cpu_seconds: float | None = None
    """None: it failed or was not done in time."""
    said: str = ""
    peak_bytes: int = 0


def platform(nodes: int, tolerance: float = 1e-6) -> str:
    """The platform file for rankwise-sim."""
    return json.dumps(
        {
            "format": "rankwise-platform 1",
            "sites": [{"name": "n", "nodes": nodes, "out": 125e6, "in": 125e6}],
            "classes": [{"name": "lan", "eager_below": 65536, "ranges": [COSTS]}],
            "same_node": "lan",
            "routes": [{"from": "n", "to": "n", "class": "lan"}],
            "model": {"name": "alpha-fair", "alpha": 1, "tolerance": tolerance},
        }
    )


def timed(argv: list[str], limit: float, folder: Path) -> Ended:
    """Run the command, and look at it now and then."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    end, peak = time.monotonic() + limit, 0
    with (folder / "said").open("w+") as out, (folder / "errors").open("w+") as errors:
        # A group of its own: smpirun is a script, and what it has started ends with it.
        with subprocess.Popen(argv, stdout=out, stderr=errors, cwd=folder, process_group=0) as process:
            try:
                while process.poll() is None and time.monotonic() < end:
                    peak = max(peak, memory_of(process.pid))
                    time.sleep(0.01)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        out.seek(0), errors.seek(0)
        said, told = out.read(), errors.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        click.echo(f"{argv[0]}: {told[-400:]}", err=True)
        return Ended()
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(used, said + told, peak)


def memory_of(process: int) -> int:
    """The most memory that the process has had, in bytes; 0: it has ended."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in text.splitlines() if line.startswith("VmHWM:")), 0)


def rankwise(program: str, file: str, model: str, *more: str) -> Callable[[Path, Schedule, float], Measured]:
    """Measures rankwise-sim on one of the files."""

    def measure(folder: Path, schedule: Schedule, limit: float) -> Measured:
        argv = [program, "--platform", "platform.json", "--job", file, "--model", model, *more]
        ended = timed(argv, limit, folder)
        if ended.cpu_seconds is None:
            return Measured(None)
        told = json.loads(ended.said)
        assert told["messages"] == schedule.messages
        return Measured(ended.cpu_seconds, told["total_seconds"], told["simulate_cpu_seconds"], ended.peak_bytes)

    return measure


def loggopsim(place: Path) -> Callable[[Path, Schedule, float], Measured]:
    """Measures LogGOPSim on its binary file."""

    def measure(folder: Path, schedule: Schedule, limit: float) -> Measured:
        del schedule
        words = ["-L", "20000", "-o", "1000", "-g", "0", "-G", "8", "-O", "0", "-S", "65535"]
        return Measured(timed([str(place / "LogGOPSim"), "-f", "goal.bin", *words], limit, folder).cpu_seconds)

    return measure


def smpi(program: Path) -> Callable[[Path, Schedule, float], Measured]:
    """Measures SMPI's replay."""

    def measure(folder: Path, schedule: Schedule, limit: float) -> Measured:
        argv = ["smpirun", "-np", str(schedule.ranks), "-platform", "platform.xml", "-hostfile", "hosts"]
        argv += ["-replay", "traces", str(program), "--log=smpi_replay.thresh:info"]
        ended = timed(argv, limit, folder)
        used = ended.cpu_seconds
        lines = [line for line in ended.said.splitlines() if "Simulation time" in line]
        return Measured(used if lines else None, float(lines[-1].split()[-1]) if lines else None)

    return measure


def write_files(schedule: Schedule, folder: Path, loggopsim_folder: Path | None, with_smpi: bool) -> None:
    """Write what the simulators read."""
    tolerance = 1e-3 if schedule.starts else 1e-6
    (folder / "platform.json").write_text(platform(schedule.ranks, tolerance))
    write_trace(schedule, folder / "trace")
    write_goal(schedule, folder / "goal")
    if loggopsim_folder is not None:
        argv = [str(loggopsim_folder / "txt2bin"), "-i", "goal", "-o", "goal.bin"]
        subprocess.run(argv, cwd=folder, check=True, capture_output=True)
    if not with_smpi:
        return
    (folder / "platform.xml").write_text(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n"
        f"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-{schedule.ranks - 1}' "
        "speed='1Gf' bw='125MBps' lat='10us'/></platform>\n"
    )
    (folder / "hosts").write_text("".join(f"n{rank}\n" for rank in range(schedule.ranks)))
    (folder / "traces").write_text("".join(f"trace{rank}\n" for rank in range(schedule.ranks)))
    parts: dict[str, list[str]] = {}
    with (folder / "trace").open() as lines:
        for line in lines:
            parts.setdefault(line.partition(" ")[0], []).append(line)
    for rank, own in parts.items():
        (folder / f"trace{rank}").write_text("".join(own))


def cell(runs: list[Measured], messages: int) -> str:
    """Messages a second, and in brackets the processor seconds."""
    known = [run.cpu_seconds for run in runs if run.cpu_seconds is not None]
    if not known:
        return "failed or too slow"
    used = max(median(known), 1e-3)
    only = [run.simulation_only for run in runs if run.simulation_only is not None]
    alone = f"; simulation alone {messages / max(median(only), 1e-4) / 1e6:.2g}M" if only else ""
    peak = max(run.peak_bytes for run in runs)
    memory = f"; {peak / messages:.0f} B a message" if peak else ""
    return f"{messages / used / 1e6:.3g}M ({used:.2f} s{alone}{memory})"


def broadcast(programs: dict[str, str], ranks: int, rounds: int, folder: Path) -> None:
    """A binomial broadcast of 1 KiB, generated and not read."""
    (folder / "platform.json").write_text(platform(ranks))
    request = {"operation": "bcast", "algorithm": "binomial", "ranks": ranks, "count": 1024}
    (folder / "request").write_text(json.dumps(request))
    told: dict[tuple[str, str], list[dict[str, float]]] = {}
    for _ in range(rounds):
        for model in ("alpha-fair", "none"):
            for name, program in programs.items():
                argv = [program, "--platform", "platform.json", "--job", "request", "--model", model]
                told.setdefault((model, name), []).append(json.loads(timed(argv, 300, folder).said))
    for (model, name), runs in told.items():
        used, only = (median(one[key] for one in runs) for key in ("cpu_seconds", "simulate_cpu_seconds"))
        click.echo(f"binomial bcast of {ranks} ranks, {model}{name}: {used:.2f} s, simulation alone {only:.2f} s")


def plot(columns: dict[str, list[tuple[int, float]]], path: Path) -> None:
    """Write a page on which processor seconds grow with the messages of a ring."""
    figure = go.Figure(
        [
            go.Scatter(x=[x for x, _ in points], y=[y for _, y in points], name=name)
            for name, points in columns.items()
        ]
    )
    figure.update_xaxes(type="log", title="messages of a ring of 1 KiB")
    figure.update_yaxes(type="log", title="processor seconds, reading included")
    figure.write_html(path)


@click.command()
@click.option("--rounds", default=5, show_default=True)
@click.option("--scale", default=1.0, show_default=True, help="Of the schedules' ranks.")
@click.option("--loggopsim", "loggopsim_folder", type=click.Path(path_type=Path))
@click.option("--smpi-replay", type=click.Path(path_type=Path))
@click.option("--before", type=click.Path(path_type=Path), help="Another build of rankwise-sim, measured beside.")
@click.option("--plot", "page", type=click.Path(path_type=Path), help="Write how time grows with size, as HTML.")
@click.option("--limit", default=300.0, show_default=True, help="Seconds of wall time for a run of a peer.")
def main(
    *,
    rounds: int,
    scale: float,
    loggopsim_folder: Path | None,
    smpi_replay: Path | None,
    before: Path | None,
    page: Path | None,
    limit: float,
) -> None:
    """Measure in rounds and print one table."""
    programs = {"": str(Path(sys.executable).with_name("rankwise-sim"))}
    if before is not None:
        programs[", before"] = str(before.resolve())
    columns = {}
    for name, program in programs.items():
        columns[f"alpha-fair{name}"] = rankwise(program, "trace", "alpha-fair", "--packet", "0")
        columns[f"max-min{name}"] = rankwise(program, "trace", "max-min", "--packet", "0")
        columns[f"contention-free{name}"] = rankwise(program, "trace", "none")
    if smpi_replay is not None:
        columns["SMPI"] = smpi(smpi_replay.resolve())
    if loggopsim_folder is not None:
        for name, program in programs.items():
            columns[f"contention-free, GOAL{name}"] = rankwise(program, "goal.bin", "none")
        columns["LogGOPSim"] = loggopsim(loggopsim_folder.resolve())
    most = max(int(1024 * scale), 8)
    schedules = [ring(most, 10, 1024), ring(most, 100, 1024), ring(most, 1000, 1024)]  # how time grows with size
    schedules += [pairwise(most, 200, 65536), permutations(most, 10, 1 << 20)]
    schedules.append(all_to_all(max(most // 4, 4), 1024))
    schedules.append(halo(max(round(16 * scale), 3), 1, 65536, apart_seconds=100e-6))
    growth: dict[str, list[tuple[int, float]]] = {column: [] for column in columns}
    click.echo("messages a second of processor time (processor seconds, reading included)")
    click.echo(f"| schedule | {' | '.join(columns)} |")
    click.echo("|---" * (len(columns) + 1) + "|")
    for schedule in schedules:
        with tempfile.TemporaryDirectory(prefix="rankwise-sim-") as name:
            folder = Path(name)
            write_files(schedule, folder, loggopsim_folder, smpi_replay is not None)
            runs: dict[str, list[Measured]] = {column: [] for column in columns}
            for _ in range(rounds):
                for column, measure in columns.items():
                    if runs[column] and runs[column][-1].cpu_seconds is None:
                        continue  # once is enough
                    runs[column].append(measure(folder, schedule, limit))
        cells = [cell(of_one, schedule.messages) for of_one in runs.values()]
        click.echo(f"| {schedule.name}, {schedule.size} B | {' | '.join(cells)} |")
        for column, of_one in runs.items():
            known = [run.cpu_seconds for run in of_one if run.cpu_seconds is not None]
            if schedule.name.startswith("ring") and known:
                growth[column].append((schedule.messages, median(known)))
        times = {column: of_one[0].simulated_seconds for column, of_one in runs.items()}
        click.echo(f"  simulated seconds: {times}", err=True)
    with tempfile.TemporaryDirectory(prefix="rankwise-sim-") as name:
        broadcast(programs, max(int(1_000_000 * scale), 8), rounds, Path(name))
    if page is not None:
        plot(growth, page)


if __name__ == "__main__":
    main()
