"""What does `rankwise tune` find, in how many launches and how much time, beside another version of Rankwise?

    python benchmarks/tune_beside_before.py OTHER/bin/rankwise mpich-5 [--rounds 3] [--time 5m] [--other-time 14m]

Both versions tune the same MPI for the same operations and ranks, in turn. Then `rankwise compare` of this version
measures both profiles beside the default, at sizes that neither search begins with. Each rule that a version has
kept is a line of its own.
"""

import json
import math
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from rankwise.core.errors import InputError
from rankwise.core.tuning import Choice
from rankwise.profiles import profile_file
from rankwise.profiles.words import decision_words
from rankwise.store.store import Store

OURS = Path(sys.executable).with_name("rankwise")
LIMIT_SECONDS = 7200.0


@click.command()
@click.argument("other", type=click.Path(exists=True, path_type=Path))
@click.argument("name")
@click.option("--rounds", default=3, show_default=True)
@click.option("--time", "budget", default="5m", show_default=True)
@click.option("--other-time", default="", help="The other version's time, if it is to have another one.")
@click.option("--no-schedules", is_flag=True, help="Let this version try native algorithms alone.")
@click.option("--operations", default="bcast,allreduce", show_default=True)
@click.option("--ranks", default="4", show_default=True)
@click.option("--sizes", default="1K,32K,1M", show_default=True)
@click.option("--held-out", default="3000,100000,400000", show_default=True)
@click.option("--compare-time", default="1m", show_default=True)
@click.option("--testbed", default="", help="This host if there is none.")
def main(
    *, other: Path, name: str, rounds: int, budget: str, other_time: str, no_schedules: bool, operations: str,
    ranks: str, sizes: str, held_out: str, compare_time: str, testbed: str,
) -> None:  # fmt: skip
    """Tune in turn, compare, and print what both have taken and gained."""
    where = ["--testbed", testbed] if testbed else []
    tuning = [name, "--for", operations, "-n", ranks, "--sizes", sizes, *where]
    own = {
        "other": (other, ["--time", other_time or budget]),
        "ours": (OURS, ["--time", budget, *(["--no-schedules"] if no_schedules else [])]),
    }
    comparing = [name, "--bench", operations, "-n", ranks, "--sizes", held_out, "--time", compare_time, *where]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for whose in random.sample(list(own), 2):
                program, words = own[whose]
                taken = _tune(program, [*tuning, *words], f"{whose}-{number}", Path(folder))
                print(f"round {number} {whose:>5}: {taken}", flush=True)
                for line in _kept(Path(folder) / f"{whose}-{number}"):
                    print(f"round {number} {whose:>5} kept {line}", flush=True)
            print(f"round {number}: {_compared(comparing, number, Path(folder))}", flush=True)


def _run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False, cwd=folder)


def _tune(program: Path, arguments: list[str], profile: str, folder: Path) -> str:
    store, began = folder / f"{profile}.sqlite", time.monotonic()
    more = ["--name", profile, "--to", str(folder), "--store", str(store), "-q"]
    done = _run([str(program), "tune", *arguments, *more], folder)
    if done.returncode:
        return f"exit code {done.returncode}: {done.stderr[-300:]}"
    seconds = time.monotonic() - began
    with Store(store) as opened:  # what an older version wrote is brought up to date
        runs = {run.kind: 0 for run in opened.runs()}
        for run in opened.runs():
            runs[run.kind] += run.launches
    launches = ", ".join(f"{count} launches of the {kind}" for kind, count in runs.items())
    return f"{seconds:.0f} s, {launches}"


def _kept(profile: Path) -> Iterator[str]:
    """Each setting and each rule of a profile, in words; nothing is said of what is as by default."""
    try:
        parts = profile_file.read(profile).profile.parts
    except InputError as error:  # the other version wrote none, or one that this one cannot read
        yield f"is not known: {error}"
        return
    for part in parts:
        yield from (f"{one.knob} {one.value}" for one in part.tuning.settings)
        for decision in part.tuning.decisions:
            for (sizes, words), rule in zip(decision_words(decision), decision.rules, strict=True):
                if rule.choice != Choice():
                    yield f"{decision.operation} on {decision.ranks} ranks, {sizes}: {words}"
    if not any(part.tuning.settings or part.tuning.decisions for part in parts):
        yield "nothing"


def _compared(arguments: list[str], number: int, folder: Path) -> str:
    """The geometric mean of each profile's times over the default's, and in how many cells it is slower."""
    profiles = [folder / f"{whose}-{number}" for whose in ("other", "ours")]
    words = [word for one in ("default", *map(str, profiles)) for word in ("--profile", one)]
    store = ["--store", str(folder / f"compare-{number}.sqlite"), "--report", str(folder / "page.html"), "--json"]
    done = _run([str(OURS), "compare", *arguments, *words, *store], folder)
    if not done.stdout:
        return f"exit code {done.returncode}: {done.stderr[-300:]}"
    found = json.loads(done.stdout)["verdicts"]
    said = []
    for one in profiles:
        own = [verdict for verdict in found if verdict["candidate"].endswith(one.name)]
        mean = math.exp(np.mean([math.log(verdict["ratio"]) for verdict in own])) if own else math.nan
        count = {word: sum(verdict["verdict"] == word for verdict in own) for word in ("faster", "slower")}
        said.append(
            f"{one.name}: {mean:.2f} times the default's time in the mean of {len(own)} cells, "
            f"{count['faster']} faster, {count['slower']} slower"
        )
    return "; ".join(said)


if __name__ == "__main__":
    main()
