"""What Open MPI makes of the text that a parameter is set to.

By `opal/mca/base/mca_base_var.c` and `mca_base_var_enum.c`, and as the `ompi_info` of 4.1.4 and 5.0.11 shows it:

    whole numbers   C's strtoull with base 0 (`10`, `0x10`, `-5`); then k, m or g, of either case, and all else is
                    dropped: `4KB` is 4096, `64 K` is 64, `12abc` is 12, `abc` is 0
    enumerations    one of the numbers, or one of the names in either case; all else is refused
    levels          those of `..._verbose`: a name, or any number
    flags           names with commas between, or a number
    truth           true, t, enabled, yes, y, false, f, disabled, no, n, in small letters, or a whole number

A whole number that the type of its parameter cannot hold is refused as well. What is refused leaves the default in
force, with a message (`help-mca-var.txt`); a bad level of a framework ends MPI_Init.
"""

from __future__ import annotations

import re

from rankwise.core.vocabulary import Objection, nearest
from rankwise.mpi.openmpi.parameters import Parameter

_NUMBER = re.compile(r"\s*([-+]?)(0[xX][0-9a-fA-F]+|[0-9]+)([kKmMgG]?)(.*)", re.DOTALL)
_WHOLE = re.compile(r"\s*[-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+)")
_REAL = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+|inf|nan)", re.IGNORECASE)
_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30}
_RANGES = {"int": (-(1 << 31), (1 << 31) - 1), "unsigned_int": (0, (1 << 32) - 1)}
_WHOLE_TYPES = frozenset({*_RANGES, "size_t", "long", "unsigned_long", "unsigned_long_long", "uint64_t"})
_TRUTH = frozenset({"true", "t", "enabled", "yes", "y", "false", "f", "disabled", "no", "n"})
_COMMENT = re.compile(r"\s#")
_COMMENT_REMEDY = "put the comment on a line of its own: behind a value it belongs to the value"
_FEWEST_FLAGS = 3
_MOST_DIGITS = 40


def objection(name: str, parameter: Parameter, value: str) -> Objection | None:
    """Return what is wrong with a value of the parameter of this name; None where nothing is, or is known."""
    if not value:
        return None
    if parameter.choices and parameter.type != "bool":
        return _of_choices(name, parameter, value)
    if parameter.type == "bool":
        right = value.lstrip() in _TRUTH or _WHOLE.fullmatch(value)
        return None if right else _refused(name, value, "write true or false")
    if parameter.type == "double":
        return None if _REAL.match(value) else _taken(name, value, 0, "write a number")
    if parameter.type == "string" and _COMMENT.search(value):
        return Objection(f"{name}: Open MPI takes '{value[:40]}' with what looks like a comment", _COMMENT_REMEDY)
    return _of_number(name, parameter.type, value) if parameter.type in _WHOLE_TYPES else None


def _of_choices(name: str, parameter: Parameter, value: str) -> Objection | None:
    numbers = {number for number, _ in parameter.choices}
    names = {choice.casefold() for _, choice in parameter.choices}
    if names <= {"auto", *_TRUTH} and value in _TRUTH:
        return None
    if _WHOLE.fullmatch(value):
        if {"debug", "max"} <= names or _are_flags(numbers) or len(value) > _MOST_DIGITS:
            return None
        if str(_whole(value)) in numbers:
            return None
    elif _names(value, numbers) <= names:
        return None
    return _refused(name, value, nearest(value, [choice for _, choice in parameter.choices]))


def _names(value: str, numbers: set[str]) -> set[str]:
    """The names that a value consists of: several with commas between where they are flags."""
    return {name.strip().casefold() for name in (value.split(",") if _are_flags(numbers) else [value])}


def _are_flags(numbers: set[str]) -> bool:
    values = [int(number) for number in numbers if number.isdecimal()]
    return len(values) >= _FEWEST_FLAGS and all(value and not value & (value - 1) for value in values)


def _of_number(name: str, kind: str, value: str) -> Objection | None:
    match = _NUMBER.match(value)
    if match is None:
        return _taken(name, value, 0, "write a whole number")
    if len(value) > _MOST_DIGITS and len(match[2]) > _MOST_DIGITS:
        return _refused(name, value, "write a smaller number")
    number = _whole(match[1] + match[2]) << _SHIFTS[match[3].lower()]
    least, most = _RANGES.get(kind, (0, (1 << 64) - 1))
    if not least <= number <= most:
        return Objection(f"{name} cannot be {value[:40]}: not from {least} to {most}", "write a number within")
    rest = match[4].strip()
    if rest.startswith("#") or (match[3] and rest.casefold() in ("", "b", "ib")) or not rest:
        return None
    return _taken(name, value, number, f"write {number << _shift_behind(rest)}")


def _shift_behind(rest: str) -> int:
    """Of a unit that a blank parts from its number, and Open MPI drops."""
    unit = re.fullmatch(r"([kmg])(?:i?b)?", rest, re.IGNORECASE)
    return _SHIFTS[unit[1].lower()] if unit else 0


def _whole(text: str) -> int:
    """As C reads it with base 0; a leading 0 means octal digits, which end at an 8."""
    digits = text.strip().lstrip("+-")
    if digits[:2] in ("0x", "0X"):
        number = int(digits, 16)
    elif digits.startswith("0"):
        octal = re.match(r"0[0-7]*", digits)
        number = int(octal[0], 8) if octal else 0
    else:
        number = int(digits)
    return -number if "-" in text else number


def _refused(name: str, value: str, remedy: str) -> Objection:
    remedy = _COMMENT_REMEDY if _COMMENT.search(value) else remedy
    return Objection(f"{name} cannot be '{value[:40]}': Open MPI refuses it", remedy)


def _taken(name: str, value: str, number: int, remedy: str) -> Objection:
    return Objection(f"{name}: Open MPI takes '{value[:40]}' for {number}", remedy)
