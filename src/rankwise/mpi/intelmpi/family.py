"""Intel MPI 2019 and later."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rankwise.core.jobs import Job
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import Algorithm, Candidate, Choice, ChoiceScope, Knob, Native, ReadBack, Tuning
from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi import preload
from rankwise.mpi.family import Ask
from rankwise.mpi.hydra import Hydra, Yielding
from rankwise.mpi.intelmpi import settings, switching

_COMPILER = re.compile(r"Intel\(R\) MPI Library (\S+)")
_LAUNCHER = re.compile(r"Intel\(R\) MPI Library.*Version (\S+)")
_PROVIDER = re.compile(r"libfabric provider: (\S+)")
_UNPINNED = ("I_MPI_PIN", "0")
_OWN_LIBFABRIC = "I_MPI_OFI_LIBRARY_INTERNAL"
_NO = ("0", "no", "off", "disable")
_LIBRARY_FOLDERS = ("opt/mpi/libfabric/lib", "libfabric/lib", "lib/release", "lib")
_PROVIDER_FOLDERS = ("opt/mpi/libfabric/lib/prov", "libfabric/lib/prov", "lib/prov", "lib")


class IntelMpi(Hydra):
    """Intel MPI does shared memory by itself, everything else through libfabric."""

    name = "intelmpi"
    title = "Intel MPI"
    wheels = ("impi-devel", "impi-rt")
    launchers = ("mpiexec.hydra", "mpiexec")
    shell_options = ("-bootstrap", "-bootstrap-exec")
    variables = ("I_MPI_", "FI_", "UCX_")
    probe_environment = (("I_MPI_DEBUG", "5"),)

    def identify(self, compiler: Path, ask: Ask) -> str:
        """Read the version from `mpicc -v`; the launcher knows the last digit too."""
        match = _COMPILER.search(ask(compiler, "-v"))
        if not match:
            return ""
        launcher = self.launcher(compiler)
        exact = _LAUNCHER.search(ask(launcher, "--version")) if launcher else None
        return exact[1] if exact else match[1]

    def environment(self, prefix: Path) -> Environment:
        """Return what the vendor's `vars.sh` sets: its prefix, and where its own libfabric and providers are.

        Wrappers carry a place-holder for the prefix: without I_MPI_ROOT mpicc finds no mpi.h. Without the
        folders Intel MPI takes whatever libfabric the system has, and with it another provider.
        """
        root = ("I_MPI_ROOT", str(prefix))
        if os.environ.get(_OWN_LIBFABRIC, "").lower() in _NO:
            return (root,)
        users = os.environ.get("LD_LIBRARY_PATH", "").split(":")
        own = [str(folder) for name in _LIBRARY_FOLDERS if (folder := prefix / name).is_dir()]
        if not own:
            return (root,)
        folders = [folder for folder in dict.fromkeys([*users, *own]) if folder]  # a user's own choice stays first
        return root, ("LD_LIBRARY_PATH", ":".join(folders)), *_providers(prefix)

    def transports(self, output: str) -> tuple[str, ...]:
        """Return the libfabric provider; where none is loaded on one host, only shared memory is left."""
        providers = [f"ofi/{provider}" for provider in _PROVIDER.findall(output)]
        shared = ["shm"] if "tuning_" in output and "shm" in output else []
        return tuple(dict.fromkeys([*shared, *providers]))

    def yielding(self, implementation: Implementation, environment: Environment) -> Yielding:
        """Unpin the ranks and preload our idle.c: between hosts they never yield; I_MPI_THREAD_YIELD=3 hangs."""
        library = preload.build(Path(__file__).with_name("idle.c"), implementation)
        unpinned = (_UNPINNED, *preload.loading(library, environment))
        return Yielding(f"{'='.join(_UNPINNED)}, idle.c", unpinned, (library,))

    def placement(self, implementation: Implementation, job: Job) -> list[str]:
        """Place one rank for each mention of a host: `host:ranks` is not read, but a host may come again.

        Hosts may be parts of one machine: each would pin its first rank to the same core, hence no pinning.
        """
        unpinned = [] if job.oversubscribed else ["-genv", *_UNPINNED]
        return ["-hosts", ",".join(job.hosts), "-ppn", "1", *unpinned]

    def knobs(self, implementation: Implementation) -> tuple[Knob, ...]:
        """Return what of this version can be set."""
        return settings.knobs(implementation)

    def algorithms(self, implementation: Implementation) -> Mapping[str, tuple[Algorithm, ...]]:
        """Return its presets. Raises HostError where impi_info does not answer."""
        return settings.algorithms(implementation)

    def choice_scope(self, implementation: Implementation, operation: str) -> ChoiceScope:
        """Return `complete`: for a size that it leaves out a table takes the nearest entry, not the default."""
        return "complete"

    def most_by_size(self, size_bytes: int) -> int:
        """Return how many presets have a size of their own close below this one."""
        return switching.most_by_size(size_bytes)

    def candidates_by_size(
        self, implementation: Implementation, operation: str, ranks: int, sizes_bytes: Sequence[int],
        choices: Sequence[Choice],
    ) -> tuple[Native, tuple[Candidate, ...]]:  # fmt: skip
        """Return candidates a few bytes apart, and a table of presets. Raises InputError."""
        return switching.candidates_by_size(implementation, operation, ranks, sizes_bytes, choices)

    def native(self, implementation: Implementation, tuning: Tuning) -> Native:
        """Return `tuning` as variables. Raises InputError for what this version does not have."""
        return settings.native(implementation, tuning)

    def vocabulary(self, implementation: Implementation) -> Vocabulary:
        """Return the presets of each operation. Raises HostError where impi_info does not answer."""
        presets = {
            operation: {algorithm.native: algorithm.name for algorithm in known}
            for operation, known in settings.algorithms(implementation).items()
        }
        return Vocabulary(implementation.id, self.name, implementation.version, presets)

    def reporting(self, implementation: Implementation) -> Native:
        """Make rank 0 report the provider, the eager limit and its variables."""
        return Native(environment=settings.REPORTING)

    def read_back(self, implementation: Implementation, output: str) -> ReadBack:
        """Return the provider, the eager limit and the variables in force."""
        return settings.read_back(output)


def _providers(prefix: Path) -> Environment:
    """The folder of its own providers, where the user has named none."""
    if os.environ.get("FI_PROVIDER_PATH"):
        return ()
    folders = (prefix / name for name in _PROVIDER_FOLDERS)
    return tuple(("FI_PROVIDER_PATH", str(folder)) for folder in folders if list(folder.glob("*-fi.so")))[:1]
