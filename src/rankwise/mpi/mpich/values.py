"""What MPICH makes of the text that a control variable is set to.

By the generated `mpir_cvars.c` and `mpl/src/env/mpl_env.c`, and as 4.0.2 and 5.0.2 act: a whole number is decimal
digits with a sign before them; `4K`, `0x10` and a blank behind it end MPI_Init ("Unable to parse environment
variable"), and what does not fit an int of C is cut to its lowest bits. A choice is one of the names that its
description lists, in their own spelling; all else ends MPI_Init, too. Truth is one of the words below.

`mpivars` shows all three as MPI_INT, so that what any of them would take is taken for right here.
"""

from __future__ import annotations

import re

from rankwise.core.units import signed_number
from rankwise.core.vocabulary import Objection, nearest
from rankwise.mpi.mpich.library import Library

_TRUTH = frozenset({
    "YES", "yes", "TRUE", "true", "ON", "on", "1", "NO", "no", "FALSE", "false", "OFF", "off", "0",
})  # fmt: skip
_LISTED = re.compile(r"^(\w+) +- ", re.MULTILINE)
_CHOSEN = re.compile(r"Variable to select \w+ algorithm")
_WHOLE = re.compile(r"\s*[-+]?[0-9]*")
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1


def objection(name: str, contents: Library, value: str) -> Objection | None:
    """Return what is wrong with a value of this variable; None where nothing is, or is known."""
    if contents.types.get(name) != "MPI_INT":
        return None
    description = contents.descriptions.get(name, "")
    if _CHOSEN.match(description):
        is_listed = re.search(rf"{re.escape(value[:80])}\s+- ", description)
        return None if is_listed else _ends(name, value, nearest(value, _LISTED.findall(description)))
    if _WHOLE.fullmatch(value):
        number = signed_number(value.strip().removeprefix("+") or "0")
        fits = number is not None and _LEAST <= number <= _MOST
        return (
            None if fits else Objection(f"{name}: {value[:40]} does not fit an int and is cut to its lowest bits")
        )
    if value in _TRUTH or re.search(rf"\b{re.escape(value[:80])}\b", description):
        return None
    return _ends(name, value, _in_digits(value))


def _ends(name: str, value: str, remedy: str) -> Objection:
    return Objection(f"{name} cannot be '{value[:40]}': MPI_Init fails", remedy)


def _in_digits(value: str) -> str:
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*([kKmMgG]?)(?:i?[bB])?\s*", value)
    shifts = {"": 0, "k": 10, "m": 20, "g": 30}
    return f"write {int(match[1]) << shifts[match[2].lower()]}" if match else "write a whole number in digits"
