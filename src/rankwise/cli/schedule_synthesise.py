"""`rankwise schedule synthesise`: a schedule for one network, found and proved."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import RANK, SIZE, Ranks, json_option
from rankwise.cli.screen import Screen
from rankwise.workflows import synthesis, testbeds

_SHOWN = 8


@click.command(
    "synthesise",
    epilog="\b\nExamples:\n  rankwise schedule synthesise allreduce --testbed cluster --size 1M -o a.json\n"
    "  rankwise schedule synthesise bcast --sites 3,2,1 --size 64K\n"
    "  rankwise schedule synthesise allreduce --platform two.toml -n 16\n"
    "  rankwise schedule synthesise allgather -n 16 --size 4K --json",
)
@click.argument("operation", type=click.Choice(synthesis.OPERATIONS), metavar="OPERATION")
@click.option("--size", "size_bytes", type=SIZE, default="1M", show_default=True,
              help="Size of the message, or of a rank's block (alltoall: of a pair's).")  # fmt: skip
@click.option("--testbed", default="", metavar="NAME|FILE", shell_complete=testbeds.complete_any,
              help="The network: a preset, a TOML file, or a testbed that is up.")  # fmt: skip
@click.option("--platform", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="The network: a platform that `rankwise fit` has measured.")  # fmt: skip
@click.option("--sites", default="", metavar="LAYOUT",
              help="The network: 2x8 (sites x ranks), 2x4x2 (sites x nodes x ranks), 3,2,1.")  # fmt: skip
@click.option("-n", "ranks", type=Ranks(), help="Number of ranks.  [default: one a node]")
@click.option("--root", type=RANK, default=0, show_default=True, help="Root rank, where there is one.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="File to write: JSON if its name ends in .json, or else the text that launches "
                   "read.")  # fmt: skip
@json_option
def synthesise_command(
    operation: str, size_bytes: int, testbed: str, platform: Path | None, sites: str, ranks: int | None, root: int,
    output: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Find a schedule for one network: trees or routes built chunk by chunk, or the best of all algorithms.

    OPERATION is bcast, reduce, allreduce, allgather, reduce_scatter, gather, scatter or alltoall.

    The result is proved right, and by the estimate no algorithm of Rankwise is faster. The estimate is a small
    simulation with shared links and interfaces, without loss and congestion control.
    """
    request = synthesis.SynthesisRequest(operation, size_bytes, testbed, sites, ranks or 0, root, platform)
    proved = synthesis.synthesise(request, Screen())
    tried = proved.synthesis.tried
    if output:
        synthesis.write(proved, output)
    lines = [
        f"{operation} on {proved.schedule.ranks} ranks: {tried[0].name}, {tried[0].chunks} chunks",
        *(
            f"  {candidate.seconds * 1e3:10.3f} ms  {candidate.chunks:4d} chunks  {candidate.name}"
            for candidate in tried[:_SHOWN]
        ),
        f"{len(tried)} were tried; times are estimates. The schedule is proved.",
        f"written to {output}" if output else "-o FILE writes it",
    ]
    print_answer({"best": tried[0], "tried": tried, "file": output}, lines, as_json=as_json)
