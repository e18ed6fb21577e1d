"""Hablot 2007: MPI between Rennes and Nancy on Grid'5000, before and after TCP and MPI are tuned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankwise.studies.base import Page, Results, Study
from rankwise.studies.hablot2007 import applications
from rankwise.studies.hablot2007.exhibits import charts, tables
from rankwise.studies.hablot2007.findings import Findings
from rankwise.studies.hablot2007.gains import gain_tables
from rankwise.studies.hablot2007.mpi_statements import aims
from rankwise.studies.hablot2007.npb import npb_statements, npb_tables
from rankwise.studies.hablot2007.plan import RUNS as BENCHMARK_RUNS
from rankwise.studies.hablot2007.ray2mesh import ray2mesh_statements, ray2mesh_tables
from rankwise.studies.hablot2007.statements import statements
from rankwise.studies.papers import citation, paper

RUNS = (*BENCHMARK_RUNS, *applications.RUNS)
CAVEATS = (
    "The testbed is emulated: hosts, kernel and TCP are today's, the network's rates and delays are the paper's. "
    "BIC, the congestion control of 2007, has become CUBIC.",
    "GridMPI and MPICH-Madeleine are no longer maintained and not measured. What the paper says of MPICH2 and "
    "Open MPI is set beside the MPICH and Open MPI of today; Intel MPI and LAM/MPI were not in the paper.",
    "As in the paper, a time is the best of many round trips: here of those of one launch, with the median over "
    "launches and its interval. Below six launches the interval is the extremes, which cover less than 95 %; "
    "below three nothing is decided.",
    "The paper's curves are drawn, not printed as numbers: of its figures 3, 5, 6, 7 and 9 only "
    "what its text states is shown beside ours, in grey.",
    "The paper set each MPI's threshold by hand, above its largest message of 64 MB. Here `rankwise tune` finds "
    "and validates it in each network, with sizes of up to 16 MiB; in the grid it may choose socket buffers "
    "and the transport as well.",
)
NOT_RUN = (
    "Table 2, figures 10 to 13, and tables 6 and 7 are left out, with all that the paper says of them: they need "
    "the runs of the NAS benchmarks and ray2mesh, which --quick does without."
)
GONE = (
    "{title}: the profile that was measured is gone, or has been replaced since. Its curves are shown, but "
    "not what it had set; leave run {run} out of --from to tune and measure again."
)


def page(results: Mapping[str, Results]) -> Page:
    """Return everything that the study finds in these results."""
    findings = Findings(results)
    gone = [
        GONE.format(title=run.title, run=results[run.label].run.id)
        for run in RUNS
        if run.tune and run.label in results and results[run.label].profile is None
    ]
    whole = Page(statements(findings), tables(findings), charts(findings), (*CAVEATS, *gone), aims(findings))
    return _with_applications(whole, results)


def _with_applications(page: Page, results: Mapping[str, Results]) -> Page:
    """The page with tables and statements of its applications, or with the word that they were left out."""
    if not any(run.label in results for run in applications.RUNS):
        return replace(page, caveats=(*page.caveats, NOT_RUN))
    return replace(
        page,
        statements=(*page.statements, *npb_statements(results), *ray2mesh_statements(results)),
        tables=(*page.tables, *npb_tables(results), *ray2mesh_tables(results), *gain_tables(results)),
        caveats=(*page.caveats, *applications.CAVEATS),
    )


study = Study(
    name="hablot2007",
    title="Comparison and tuning of MPI implementations in a grid context, 2007 and today",
    summary="latency, bandwidth and slow start between two sites 11.6 ms apart; applications",
    runs=RUNS,
    page=page,
    citation=citation("hablot2007"),
    addresses=tuple(paper("hablot2007")["addresses"]),
)
