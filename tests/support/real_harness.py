"""The measuring harness itself under one MPI: built with plug-in benchmarks that misbehave, and read."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import rankwise
from rankwise.artifacts import builder, harness
from rankwise.artifacts.builder import Artifact
from support.mpis import FOUND

CSRC = Path(rankwise.__file__).parent / "csrc"
LAUNCH_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}

SPOILING = """
#include "kernel.h"
static void run(Cell *c)
{
    MPI_Bcast(c->rank == c->root ? c->send : c->receive, c->count, c->type, c->root, c->comm);
    if (c->rank == 1 && c->repetition == 2)
        c->receive[5] ^= 1;
}
KERNEL(spoiling) = {
    .category = COLLECTIVE, .description = "spoils a byte", .data = &broadcast_data, .run = run};
"""
HANGING = """
#include "kernel.h"
static void run(Cell *c)
{
    MPI_Recv(c->receive, c->count, c->type, c->rank, TAG + 1, c->comm, MPI_STATUS_IGNORE);
}
KERNEL(hanging) = {
    .category = COLLECTIVE, .description = "never ends", .data = &broadcast_data, .run = run};
"""
REFUSING = """
#include "kernel.h"
static void setup(Cell *c)
{
    if (c->rank == 1)
        fail_cell(c, "rank %d has no such device", c->rank);
}
static void run(Cell *c) { MPI_Barrier(c->comm); }
KERNEL(refusing) = {.category = HARNESS, .description = "fails on one rank", .run = run, .setup = setup};
"""
ERRING = """
#include "kernel.h"
static void run(Cell *c)
{
    MPI_Send(c->send, c->count, c->type, c->ranks + 5, TAG, c->comm);
}
KERNEL(erring) = {
    .category = COLLECTIVE, .description = "sends to nobody", .data = &broadcast_data, .run = run};
"""
HALTING = """
#define _GNU_SOURCE
#include "kernel.h"
#include <time.h>
static int sent;
static void setup(Cell *c)
{
    (void)c;
    sent = 0;
}
static void run(Cell *c)
{
    const struct timespec a_while = {.tv_nsec = 60000000};
    if (c->leads && sent++ == 3)
        nanosleep(&a_while, NULL);
    if (c->leads)
        MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
    else
        MPI_Recv(c->receive, c->count, c->type, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
}
KERNEL(halting) = {
    .category = POINT_TO_POINT, .description = "halts before its fourth message", .data = &one_way_data,
    .run = run, .setup = setup, .pairing = ENDS, .streamed = true, .moves = 1, .min_ranks = 2};
"""
PLUG_INS = {
    "spoiling": SPOILING, "hanging": HANGING, "refusing": REFUSING, "erring": ERRING, "halting": HALTING
}  # fmt: skip


WARNINGS = (
    "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes"
)  # fmt: skip
"""What every C file is compiled with here; a user's own build must not fail for a warning, and has none of it."""
SANITIZED = ("-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
HEADERS = tuple(CSRC / name for name in harness.HEADERS)
PARTS = harness.PARTS
INCLUDES = tuple(f"-I{folder}" for folder in HEADERS)


def build(
    *more: Path, compiler: str = "mpicc", flags: tuple[str, ...] = ("-O2",), libraries: tuple[str, ...] = ()
) -> Path:
    """Return the harness with its kernels and these files of C; what was compiled before is not compiled again."""
    own = [path for name in PARTS for path in sorted(CSRC.glob(f"{name}/*.c"))]
    program = Artifact(
        "harness", (*own, *more), "program", HEADERS, (*WARNINGS, *flags), (*libraries, "-lm", "-pthread")
    )
    in_path = replace(FOUND[0], id=f"{compiler}-in-path", mpicc=str(shutil.which(compiler)), environment=())
    return builder.build(program, in_path)


def launched(
    program: Path, *arguments: str, ranks: int, around: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a harness by the mpiexec in PATH; `around` are words before it, of a program that starts it."""
    argv = ["mpiexec", "-n", str(ranks), *around, str(program), "--yield", "--limit", "60", *arguments]
    environment = {**os.environ, **LAUNCH_ENVIRONMENT}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, timeout=90)


def records(done: subprocess.CompletedProcess[str], kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"rankwise":')]
    return [line for line in lines if line["rankwise"] == kind]


def samples(done: subprocess.CompletedProcess[str]) -> np.ndarray[Any, Any]:
    (series,) = records(done, "series")
    return np.array(series["samples_seconds"])


def listed(harness: Path) -> dict[str, dict[str, Any]]:
    done = subprocess.run([harness, "--list"], capture_output=True, text=True, check=True)
    (record,) = records(done, "list")
    return {benchmark["name"]: benchmark for benchmark in record["benchmarks"]}


def symbols(binary: Path) -> set[tuple[str, str]]:
    """Return what `nm` says of an object file or library: names and their kinds, in upper case what others see.

    Constants with addresses, which the loader writes before the program begins, are of kind r as others are.
    """
    (found,) = symbols_of_each([binary])
    return found


def symbols_of_each(binaries: Sequence[Path]) -> list[set[tuple[str, str]]]:
    """Return the symbols of each of these files, which one `nm` reads."""
    done = subprocess.run(["nm", "--format=sysv", *binaries], capture_output=True, text=True, check=True)
    _, *parts = re.split(r"^Symbols from .*:$", done.stdout, flags=re.MULTILINE)
    assert len(parts) == len(binaries)
    tables = [[[word.strip() for word in line.split("|")] for line in part.splitlines()] for part in parts]
    return [
        {(row[0], "r" if row[6].startswith(".data.rel.ro") else row[2]) for row in rows if len(row) == 7}
        for rows in tables
    ]
