"""What an installation of Open MPI says of itself: parameters with values and choices, and components."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.records import Environment, Implementation
from rankwise.core.units import signed_number

PARAMETERS_FILE = "mca-params.conf"
VARIABLE = "OMPI_MCA_"
"""How the name begins of the variable for a parameter."""
LIMIT_SECONDS = 20.0
_EVERYTHING = ("--param", "all", "all", "--level", "9", "--parsable")
_SHOWN = re.compile(r"^\[[^\]]*\] (\w+)=(.*) \((?:default|environment|file|override|command|api|dynamic)[^\n]*\)$")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter is one of MCA. `value` is what a run has that sets nothing: the user's own files count."""

    value: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """(number, name) where Open MPI enumerates them."""
    writable: bool = False
    """At run time, by MPI_T."""
    help: str = ""
    type: str = ""
    """`int`, `size_t`, `bool`, `string`...; '' where `ompi_info` names none."""


@dataclass(frozen=True, slots=True)
class Installation:
    """An installation is what `ompi_info` lists."""

    version: str
    parameters: Mapping[str, Parameter]
    components: frozenset[str]
    """`btl tcp`, `pml ucx`..."""

    @property
    def major(self) -> int:
        """The first number of the version."""
        return int(re.match(r"\d*", self.version)[0] or 0)  # type: ignore[index]

    def value(self, name: str, otherwise: str = "") -> str:
        """Return the parameter's value, or `otherwise` where this installation does not have it."""
        return self.parameters[name].value if name in self.parameters else otherwise

    def number(self, name: str, otherwise: int = 0) -> int:
        """Return the same of a parameter that is a whole number."""
        value = signed_number(self.value(name))
        return otherwise if value is None else value


def installation(implementation: Implementation) -> Installation:
    """Return what this installation can be told; asked once. Raises HostError without its `ompi_info`."""
    home = os.environ.get("HOME", "")  # where the user's own parameters are
    return _asked(implementation.mpicc, implementation.version, implementation.environment, home)


@functools.cache
def _asked(mpicc: str, version: str, environment: Environment, _home: str) -> Installation:
    compiler = Path(mpicc)
    names = ("ompi_info" + "".join(compiler.suffixes), "ompi_info")
    tool = next((path for path in map(compiler.with_name, names) if path.is_file()), None)
    if tool is None:
        raise HostError(f"no ompi_info beside {mpicc}: it lists the tunable parameters", "apt install openmpi-bin")
    outcome = process.run((str(tool), *_EVERYTHING), LIMIT_SECONDS, environment=environment)
    parsed = parse(outcome.stdout.splitlines())
    if parsed.version != version:
        said = f"is of version {parsed.version}" if parsed.version else "reports no version"
        raise HostError(f"{tool} {said}, and {mpicc} of {version}", f"try it: {outcome.command}")
    return parsed


def parse(lines: Iterable[str]) -> Installation:
    """Read `mca:FRAMEWORK:COMPONENT:param:NAME:FIELD:TEXT` and `...:version:"component:VERSION"` lines."""
    values: dict[str, str] = {}
    choices: dict[str, list[tuple[str, str]]] = {}
    helps: dict[str, str] = {}
    types: dict[str, str] = {}
    writable: set[str] = set()
    components: set[str] = set()
    version = ""
    for line in lines:
        match line.split(":", 6):
            case ["mca", _, _, "param", name, "value", *rest]:
                values[name] = ":".join(rest).strip('"')
            case ["mca", _, _, "param", name, "enumerator", rest]:
                _, number, choice = rest.split(":", 2)
                choices.setdefault(name, []).append((number, choice))
            case ["mca", _, _, "param", name, "help", rest]:
                helps[name] = rest
            case ["mca", _, _, "param", name, "type", kind]:
                types[name] = kind
            case ["mca", _, _, "param", name, "status", "writeable"]:
                writable.add(name)
            case ["mca", framework, component, "version", '"component', release, *_]:
                components.add(f"{framework} {component}")
                version = version or release.strip('"')
    parameters = {
        name: Parameter(
            value, tuple(choices.get(name, ())), name in writable, helps.get(name, ""), types.get(name, "")
        )
        for name, value in values.items()
    }
    return Installation(version, parameters, frozenset(components))


def shown(output: str) -> dict[str, str]:
    """Return the values in force, from what a run with `mpi_show_mca_params` has said for all ranks."""
    matches = (_SHOWN.match(line) for line in output.splitlines())
    return {match[1]: match[2] for match in matches if match}


def users_file(caller: Mapping[str, str]) -> dict[Path, dict[str, str]]:
    """Return what `~/.openmpi/mca-params.conf` of whoever has the environment `caller` sets."""
    file = Path(caller.get("HOME", "/"), ".openmpi", PARAMETERS_FILE)
    return {file: file_variables(file)}


def file_variables(file: Path) -> dict[str, str]:
    """Return the lines `name = value` of a parameter file, names as variables; {} if it cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = [line.partition("#")[0].partition("=") for line in lines]
    return {VARIABLE + name.strip(): value.strip() for name, equals, value in pairs if equals}
