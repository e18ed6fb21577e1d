"""MPICH 3, 4 and 5."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rankwise.core.jobs import Job
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import Algorithm, Candidate, Choice, ChoiceScope, Knob, Native, ReadBack, Tuning
from rankwise.core.units import version_numbers
from rankwise.core.vocabulary import Objection, Vocabulary
from rankwise.mpi import preload
from rankwise.mpi.family import Ask, blocks
from rankwise.mpi.hydra import Hydra, Yielding
from rankwise.mpi.mpich import algorithms, defaults, nonblocking, settings, switching, values
from rankwise.mpi.mpich.library import library

_VERSION = re.compile(r"for MPICH version (\S+)")
_UCX_LANES = re.compile(r"(inter-node )?(?:ep_cfg\[\d+\]: |cfg#\d+ )tag\(([^)]*)\)")
_OFI_PROVIDER = re.compile(r"^\s*provider: (\S+)", re.MULTILINE)
_OBEYS_RANKMAP = (5, 0, 2)


class Mpich(Hydra):
    """MPICH goes over UCX or libfabric."""

    name = "mpich"
    title = "MPICH"
    wheels = ("mpich",)
    compilers = ("mpicc", "mpicc.mpich")
    launchers = ("mpiexec", "mpiexec.hydra", "mpirun")
    debian_packages = ("mpich", "libmpich-dev")
    variables = ("MPIR_", "MPICH_", "UCX_", "FI_")
    shared_memory = ("mpich_shm_*",)
    probe_environment = (("MPIR_CVAR_DEBUG_SUMMARY", "1"), ("UCX_LOG_LEVEL", "info"))

    def identify(self, compiler: Path, ask: Ask) -> str:
        """Read the version from `mpicc -v`, which says it before it calls the C compiler."""
        match = _VERSION.search(ask(compiler, "-v"))
        return match[1] if match else ""

    def transports(self, output: str) -> tuple[str, ...]:
        """Return its own shared memory, else the lanes of UCX's endpoints, or libfabric's provider.

        Where it has shared memory of its own, ranks of one host use that, and UCX's lanes between them lie idle.
        """
        own_memory = "MPIDI_POSIX" in output
        lanes = [
            lane.partition("/")[0]
            for between_hosts, tag in _UCX_LANES.findall(output)
            if between_hosts or not own_memory
            for lane in tag.split()
        ]
        names = ["shm/posix"] if own_memory else []
        names += [f"ucx/{lane}" for lane in lanes if lane != "self"]
        names += [f"ofi/{provider}" for provider in _OFI_PROVIDER.findall(output)]
        return tuple(dict.fromkeys(names))

    def yielding(self, implementation: Implementation, environment: Environment) -> Yielding:
        """Preload our idle.c: MPICH's own switch for this (POLLS_BEFORE_YIELD) changes nothing."""
        library = preload.build(Path(__file__).with_name("idle.c"), implementation)
        return Yielding("idle.c", preload.loading(library, environment), (library,))

    def placement(self, implementation: Implementation, job: Job) -> list[str]:
        """Name hosts with their numbers of ranks, taken again from the first when ranks are left over.

        Other orders need a map from rank to host, which Hydra obeys from 5.0.2 on. Before that a host is named
        again, which starts a second proxy there; without PMI_SUBVERSION the library would then take the two for
        different hosts, with it the ranks compare their hosts' names.
        """
        turn = _turn(job.hosts)
        if turn:
            return ["-hosts", _counted(turn)]
        if _numbers(implementation.version) >= _OBEYS_RANKMAP:
            names = list(dict.fromkeys(job.hosts))
            rank_map = ",".join(str(names.index(host)) for host in job.hosts)
            return ["-hosts", ",".join(names), "-rankmap", rank_map]
        return ["-hosts", _counted(blocks(job.hosts)), "-genv", "PMI_SUBVERSION", "0"]

    def knobs(self, implementation: Implementation) -> tuple[Knob, ...]:
        """Return thresholds, socket buffers and transports, where they act. Raises HostError."""
        return settings.knobs(implementation)

    def algorithms(self, implementation: Implementation) -> Mapping[str, tuple[Algorithm, ...]]:
        """Return them as the library itself lists them. Raises HostError."""
        return {**algorithms.algorithms(implementation), **nonblocking.algorithms(implementation)}

    def default_algorithm(
        self, implementation: Implementation, operation: str, size_bytes: int, hosts: Sequence[str]
    ) -> str:
        """Return what the selection that the library carries comes to. Raises HostError."""
        return defaults.default_algorithm(library(implementation), operation, size_bytes, hosts)

    def choice_scope(self, implementation: Implementation, operation: str) -> ChoiceScope:
        """Return `by size` only where all ranks see the same size."""
        return "one for all sizes" if operation in nonblocking.OPERATIONS else algorithms.choice_scope(operation)

    def candidate(self, implementation: Implementation, operation: str, choice: Choice) -> Candidate | None:
        """Return control variables. Raises InputError, HostError."""
        return switching.candidate(implementation, operation, choice)

    def native(self, implementation: Implementation, tuning: Tuning) -> Native:
        """Return variables and selection files. Raises InputError, HostError."""
        return settings.native(implementation, tuning)

    def vocabulary(self, implementation: Implementation) -> Vocabulary:
        """Return its control variables, and the names that its selection files may give. Raises HostError."""
        contents = library(implementation)
        layers = {
            self.title: contents.algorithms,
            f"{self.title} CH4": contents.compositions,
            f"{self.title} POSIX": contents.within_host,
            f"{self.title} collectives": [key.partition("=")[2] for key in contents.selection],
        }
        names = {layer: {name: name for name in known} for layer, known in layers.items() if known}
        variables: dict[str, tuple[str, ...]] = dict.fromkeys(contents.variables, ())

        def objection(name: str, value: str) -> Objection | None:
            return values.objection(name, contents, value)

        return Vocabulary(implementation.id, self.name, implementation.version, names, variables, objection)

    def reporting(self, implementation: Implementation) -> Native:
        """Return the variables that make MPICH and UCX print what they found."""
        return Native(environment=settings.REPORTING)

    def read_back(self, implementation: Implementation, output: str) -> ReadBack:
        """Return the values that they found."""
        return settings.read_back(output)


def _turn(hosts: Sequence[str]) -> list[tuple[str, int]]:
    """The blocks, each on another host, that give `hosts` when repeated; empty if there are none."""
    turn: list[tuple[str, int]] = []
    for host, ranks in blocks(hosts):
        if any(host == earlier for earlier, _ in turn):
            break
        turn.append((host, ranks))
    once = [host for host, ranks in turn for _ in range(ranks)]
    again = itertools.islice(itertools.cycle(once), len(hosts))
    return turn if list(again) == list(hosts) else []


def _counted(ranks_of_hosts: Sequence[tuple[str, int]]) -> str:
    return ",".join(f"{host}:{ranks}" for host, ranks in ranks_of_hosts)


def _numbers(version: str) -> tuple[int, ...]:
    return version_numbers(version)[:3]
