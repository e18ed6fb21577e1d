"""The functions that an implementation declares, read from its own mpi.h: what wraps it wraps just these."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from rankwise.artifacts import compiler
from rankwise.core.errors import BuildError
from rankwise.core.records import Implementation

READ_SECONDS = 60.0
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
_DECLARATION = re.compile(r"([A-Za-z_][\w\s*]*?[\s*])(P?MPIX?_\w+)\s*\(([^;{}]*?)\)\s*;")
_PARAMETER = re.compile(r"(?P<type>.*?[\s*])(?P<name>[A-Za-z_]\w*)\s*(?P<array>(\[[^\]]*\]\s*)*)$", re.DOTALL)
_TYPE_WORDS = {"int", "char", "long", "double", "void", "unsigned", "const"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function: `const int` `recvcounts` `[]`."""

    type: str
    name: str
    array: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.name}{self.array}".replace("* ", "*").rstrip()


@dataclass(frozen=True, slots=True)
class Function:
    """A declared function. `...` is a parameter without a name."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...] = ()

    @property
    def signature(self) -> str:
        """The parameters as C declares them."""
        return ", ".join(map(str, self.parameters)) or "void"


@cache
def declared(implementation: Implementation) -> dict[str, Function]:
    """Return the functions of `implementation` that have a PMPI twin, under their MPI names, in its order.

    Raises BuildError if its compiler cannot read mpi.h, or if nothing is declared there.
    """
    outcome = compiler.of_text(implementation, "#include <mpi.h>\n", "-E", "-P", limit_seconds=READ_SECONDS)
    functions = read(outcome.stdout) if outcome.returncode == 0 and not outcome.timed_out else {}
    if not functions:
        raise BuildError(
            f"{implementation.id}: its mpi.h cannot be read", outcome.command, outcome.stdout + outcome.stderr,
            f"`rankwise mpis` says whether {implementation.id} works at all",
        )  # fmt: skip
    return functions


def read(text: str) -> dict[str, Function]:
    """Return the functions with a PMPI twin that this preprocessed text declares."""
    functions = {}
    for returns, name, parameters in _DECLARATION.findall(_ATTRIBUTE.sub(" ", text)):
        result = " ".join(word for word in returns.split() if word not in {"extern", "__extension__"})
        if "typedef" not in result.split():
            functions[name] = Function(name, result, _parameters(parameters))
    return {name: function for name, function in functions.items() if "P" + name in functions}


def _parameters(text: str) -> tuple[Parameter, ...]:
    if text.strip() in {"", "void"}:
        return ()
    return tuple(_parameter(parameter.strip(), number) for number, parameter in enumerate(text.split(",")))


def _parameter(text: str, number: int) -> Parameter:
    """One parameter; one that has no name (LAM/MPI's have none) is called by its number."""
    if text == "...":
        return Parameter("...", "")
    match = _PARAMETER.match(text)
    if match and match["name"] not in _TYPE_WORDS and not re.fullmatch(r"(const\s+)?", match["type"]):
        return Parameter(" ".join(match["type"].split()), match["name"], match["array"].strip())
    bare, _, array = text.partition("[")
    return Parameter(" ".join(bare.split()), f"argument{number}", f"[{array}" if array else "")
