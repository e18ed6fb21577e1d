"""McClements 2006: Open MPI, MPICH and LAM/MPI in nine benchmarks, and the same algorithm on every core."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.studies.base import Page, Results, Study
from rankwise.studies.mcclements2006.exhibits import tables
from rankwise.studies.mcclements2006.figures import charts
from rankwise.studies.mcclements2006.findings import Findings
from rankwise.studies.mcclements2006.likeness import NEAR
from rankwise.studies.mcclements2006.plan import RUNS
from rankwise.studies.mcclements2006.statements import statements
from rankwise.studies.papers import citation

CAVEATS = (
    "The paper's machines are gone. This host stands for Lomond, an emulated cluster of four nodes with Gigabit "
    "Ethernet for eScience and Scaliwag; its nodes share the cores of this host. Where there are more ranks than "
    "cores they take turns, and times are those of the scheduler too.",
    "MPICH 1, Sun MPI and MVAPICH are not measured. What the paper says of them, of InfiniBand and of installing "
    "is not among the statements; MPICH2 is today's MPICH. Intel MPI was not in the paper.",
    "The paper reads numbers off single runs of 1000 repetitions, as means. Here they are medians over launches "
    "with 95 % intervals: the extremes below six launches, which cover less; below three nothing is decided.",
    "The paper sets bandwidth of messages beside STREAM's copy, which counts what is read and what is written; a "
    "copy in memory is counted once here, as messages are. By STREAM's count it would be twice as far away.",
    "A curve looks like the schedule that is nearest in the logarithm of time, both measured in the same "
    f"launches; it looks like none that is more than {NEAR} times apart. Carrying out a schedule costs a little "
    "by itself, and what a library does below messages, as in shared memory, looks like none.",
    "MPICH reports which algorithm it uses by itself, by the selection that it carries, but for what it does in "
    "steps within hosts and between them. Open MPI lists its algorithms (MPI_T), but not which it takes; LAM/MPI "
    "and Intel MPI report neither.",
    "How Sendrecv is put together (Irecv and Send, or Irecv and Isend) cannot be read off a curve.",
)


def page(results: Mapping[str, Results]) -> Page:
    """Return everything that the study finds in these results."""
    findings = Findings(results)
    return Page(statements(findings), tables(findings), charts(findings), CAVEATS)


study = Study(
    name="mcclements2006",
    title="Open source MPI implementations compared, 2006 and today",
    summary="nine benchmarks in shared memory and on Gigabit Ethernet, and the same algorithm on every core",
    runs=RUNS,
    page=page,
    citation=citation("mcclements2006"),
)
