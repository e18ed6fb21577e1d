"""What implementations tell of their own algorithms, for studies that set them beside schedules."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.core.errors import HostError, InputError
from rankwise.core.records import Implementation, Plan
from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.measurement.placement import place
from rankwise.mpi.family import family_named
from rankwise.studies.base import Study, StudyRun, Told
from rankwise.testbeds import description
from rankwise.testbeds.base import make


def told(
    study: Study, run: StudyRun, implementations: Sequence[Implementation], plan: Plan
) -> dict[tuple[str, str], Told]:
    """Return it by implementation and operation, for the operations that are measured beside schedules."""
    operations = sorted({operation_of(name) for name in run.benchmarks if is_schedule(name)})
    if not operations:
        return {}
    testbed = make(study.topology(run, description.load(run.testbed)))
    hosts = place(run.placement, testbed.hosts(), run.ranks)
    sizes = sorted({cell.size_bytes for cell in plan.cells})
    return {(one.id, name): _told(one, name, sizes, hosts) for one in implementations for name in operations}


def _told(implementation: Implementation, operation: str, sizes: Sequence[int], hosts: Sequence[str]) -> Told:
    """Nothing where the installation is gone, or not of this host."""
    try:
        family = family_named(implementation.family)
        known = {one.name for one in family.algorithms(implementation).get(operation, ())}
        known |= set(family.vocabulary(implementation).algorithms.get(operation, {}).values())
        default = {size: family.default_algorithm(implementation, operation, size, hosts) for size in sizes}
    except (HostError, InputError):
        return Told()
    return Told(default, frozenset(known))
