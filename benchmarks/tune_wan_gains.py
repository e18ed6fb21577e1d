"""Does `rankwise tune` find, and keep, what TCP's limits cost on networks drawn at random?

    python benchmarks/tune_wan_gains.py --to FOLDER [--seed 1] [--networks 6] [--time 5m] [MPI ...]

Two sites of two nodes; one-way delay 5 to 100 ms, rate 50 to 1000 Mbit/s, and TCP limits 256 KiB to 2 MiB are
drawn, each uniform. Each MPI is tuned for `p2p` on each network. Then a ping-pong of our own making
(tune_wan_gains.c), started by `rankwise run` with the profile, and raw TCP on the same network with limits of
64 MiB take turns. A result is stored in FOLDER as it comes; a network and MPI that have one are not tuned again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import click

from rankwise.mpi.select import working
from rankwise.profiles import profile_file

SOURCE = Path(__file__).with_suffix(".c")
RANKWISE = Path(sys.executable).with_name("rankwise")
LARGE = "64 MiB"
LEAST_BYTES, MOST_BYTES, PRODUCTS = 16 << 20, 64 << 20, 4
"""Messages are so many times what is on the way both ways on a full path, within these bounds."""
TARGET = 0.8
LIMIT_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Network:
    """What was drawn."""

    delay_ms: float
    rate_mbits: float
    limit_kib: int

    @property
    def message_bytes(self) -> int:
        """What is sent to and fro."""
        product = self.rate_mbits * 1e6 * 2 * self.delay_ms / 1e3 / 8
        return min(max(1 << math.ceil(math.log2(PRODUCTS * product)), LEAST_BYTES), MOST_BYTES)

    def text(self, limit: str = "") -> str:
        """Return the testbed, with these limits or its own."""
        most = limit or f"{self.limit_kib} KiB"
        return (
            f'description = "two sites, {self.delay_ms} ms, {self.rate_mbits} Mbit/s, TCP limits of {most}"\n'
            f'[nic]\nrate = "1 Gbit/s"\ndelay = "5 us"\n'
            f'[tcp]\nrmem = ["4 KiB", "128 KiB", "{most}"]\nwmem = ["4 KiB", "16 KiB", "{most}"]\n'
            "[site.north]\nnodes = 2\n[site.south]\nnodes = 2\n"
            f'[[link]]\nbetween = ["north", "south"]\ndelay = "{self.delay_ms} ms"\n'
            f'rate = "{self.rate_mbits} Mbit/s"\n'
        )


@click.command()
@click.argument("names", nargs=-1)
@click.option("--to", "folder", type=click.Path(file_okay=False, path_type=Path), required=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--networks", default=6, show_default=True)
@click.option("--only", default="", help="Only these networks, counted from 0: 0,2.")
@click.option("--time", "budget", default="5m", show_default=True)
@click.option("--turns", default=3, show_default=True, help="Launches of either side.")
@click.option("--rounds", default=5, show_default=True, help="Messages there and back of a launch.")
@click.option("--lock", type=click.Path(dir_okay=False, path_type=Path), help="Held while the two are compared.")
def main(
    *, names: tuple[str, ...], folder: Path, seed: int, networks: int, only: str, budget: str, turns: int,
    rounds: int, lock: Path | None,
) -> None:  # fmt: skip
    """Tune the MPIs on the networks of a seed, compare, and print what each reaches of raw TCP."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw(seed, networks)
    print(f"seed {seed}")
    wanted = [int(one) for one in only.split(",") if one] or range(networks)
    reached = []
    for number in wanted:
        network = drawn[number]
        testbed, large = folder / f"network-{seed}-{number}.toml", folder / f"network-{seed}-{number}-large.toml"
        testbed.write_text(network.text())
        large.write_text(network.text(LARGE))
        for name in names or ("openmpi-5", "mpich-5", "intelmpi"):
            stored = folder / f"{seed}-{number}-{name}.json"
            if not stored.exists():
                place = folder / f"{seed}-{number}-{name}"
                place.mkdir(exist_ok=True)
                tuning = place / "tuned.json"
                if not tuning.exists():
                    tuning.write_text(json.dumps(tuned(name, testbed.resolve(), budget, place)))
                taken = json.loads(tuning.read_text())
                with held(lock):
                    compared = beside_tcp(name, network, testbed, large, place, turns, rounds)
                stored.write_text(json.dumps({**asdict(network), "mpi": name, **taken, **compared}))
            found = json.loads(stored.read_text())
            reached.append(found["share"])
            print(
                f"network {number}: {network.delay_ms} ms, {network.rate_mbits} Mbit/s, {network.limit_kib} KiB; "
                f"{name}: tuned in {found['seconds']:.0f} s, {found['kept'] or 'nothing kept'}; "
                f"{found['mpi_mbits']:.0f} of {found['tcp_mbits']:.0f} Mbit/s, {found['share']:.3f}",
                flush=True,
            )
    print(f"{sum(one >= TARGET for one in reached)} of {len(reached)} reach {TARGET:.0%} of raw TCP")


def draw(seed: int, networks: int) -> list[Network]:
    """Return the networks of a seed: the first ones are the same, however many there are."""
    chance = random.Random(seed)

    return [
        Network(
            round(chance.uniform(5, 100), 1), float(round(chance.uniform(50, 1000))),
            round(chance.uniform(256, 2048)),
        )
        for _ in range(networks)
    ]  # fmt: skip


def tuned(name: str, testbed: Path, budget: str, place: Path) -> dict[str, object]:
    """Tune, and return what it took and what is kept."""
    began = time.monotonic()
    words = ["tune", name, "--for", "p2p", "--time", budget, "--testbed", str(testbed), "--name", "wan", "--force"]
    done = called([*words, "--to", str(place), "--store", str(place / "results.sqlite")], place)
    seconds = time.monotonic() - began
    (place / "tune.txt").write_text(done.stdout + done.stderr)
    kept = ", ".join(kept_by(place / "wan")) if (place / "wan").exists() else ""
    return {"seconds": seconds, "exit": done.returncode, "kept": kept}


def kept_by(profile: Path) -> Iterator[str]:
    """Yield what a profile sets."""
    for part in profile_file.read(profile).profile.parts:
        yield from (f"{one.knob}={one.value}" for one in part.tuning.settings)
        yield from (f"{key}={value}" for key, value in part.tuning.host_settings)


def beside_tcp(  # noqa: PLR0917
    name: str, network: Network, testbed: Path, large: Path, place: Path, turns: int, rounds: int
) -> dict[str, object]:
    """Return what the MPI with its profile and raw TCP with large limits carry, in turn."""
    program, size = compiled(name, place), str(network.message_bytes)
    profile = ["--profile", str(place / "wan")] if (place / "wan").exists() else []
    ours: list[float] = []
    raw: list[float] = []
    for _ in range(turns):
        store = ["--store", str(place / "raw.sqlite")]
        words = ["bench", "tcp_pingpong", "--mpi", name, "--sizes", size, "--launches", "1", "--json"]
        done = called([*words, "--testbed", str(large.resolve()), *store], place)
        raw.append(json.loads(done.stdout)["cells"][0]["median_seconds"])
        run = ["run", "-n", "2", "--mpi", name, "--testbed", str(testbed.resolve()), "--placement", "across-sites"]
        done = called([*run, *profile, "--", str(program), size, str(rounds)], place)
        ours.append(float(done.stdout.split("one way ")[1].split()[0]))
    bits = 8 * network.message_bytes / 1e6
    return {
        "bytes": network.message_bytes, "mpi_seconds": ours, "tcp_seconds": raw, "mpi_mbits": bits / median(ours),
        "tcp_mbits": bits / median(raw), "share": median(raw) / median(ours),
    }  # fmt: skip


def compiled(name: str, place: Path) -> Path:
    """The ping-pong, built for this MPI."""
    (one, *_), _ = working([name])
    program = place / "pingpong"
    words = [one.mpicc, "-O2", "-o", str(program), str(SOURCE)]
    subprocess.run(words, check=True, env={**os.environ, **dict(one.environment)})
    return program.resolve()


def called(words: list[str], place: Path) -> subprocess.CompletedProcess[str]:
    """Run `rankwise`."""
    return subprocess.run(
        [str(RANKWISE), *words], cwd=place, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )


@contextlib.contextmanager
def held(lock: Path | None) -> Iterator[None]:
    """Hold a lock that others heed, while something is timed."""
    if lock is None:
        yield
        return
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    main()
