"""What a profile's files say of an MPI family where Rankwise is not: `profile.toml` in the family's folder."""

from __future__ import annotations

import re
import shlex
import tomllib
from dataclasses import dataclass

from rankwise.core import registry
from rankwise.core.tuning import Part

FILE = "profile.toml"
_VERSION = "{version}"
_NO_MORE_DIGITS = "0-9A-Za-z."


@dataclass(frozen=True, slots=True)
class FamilyWords:
    """Family words are what a shell needs to know of a family; everything empty for one that has no such file."""

    title: str = ""
    asked: str = ""
    """A command of the shell that prints the version of the installation in PATH."""
    says: tuple[str, ...] = ()
    """What it prints: one of these, with the part's version in place of `{version}`, spaces squeezed."""
    srun: str = ""
    """How Slurm starts its ranks."""
    each_node: str = ""
    """How a program is started once on each node of a job."""
    users_file: str = ""
    """A file below the home of the user with settings of the user's own ..."""
    users_prefix: str = ""
    """... that have no such prefix there, which the variables for the same have."""
    forward: tuple[str, ...] = ()
    """Arguments of mpiexec that pass on the variable `{name}`, where it passes on those of its own MPI alone."""
    readme: str = ""
    """Paragraphs of the README on what overrules a profile and shows what is in force, in Markdown."""


def words_of(family: str) -> FamilyWords:
    """Return the words of the family of this name."""
    text = registry.text_beside("rankwise.mpi", "mpi", family, FILE)
    table = tomllib.loads(text)
    lists = {name: tuple(table.get(name, ())) for name in ("says", "forward")}
    return FamilyWords(**{**table, **lists})


def shell_patterns(family: FamilyWords, version: str) -> str:
    """Return the patterns of a `case` that matches what this version says, followed by a blank."""
    return "|".join(f"*{shlex.quote(text)}[!{_NO_MORE_DIGITS}]*" for text in _said(family, version))


def tcl_pattern(family: FamilyWords, version: str) -> str:
    """Return the regular expression of Tcl that matches the same."""
    literal = [re.sub(r"([^A-Za-z0-9 ])", r"\\\1", text) for text in _said(family, version)]
    return "|".join(f"{text}[^{_NO_MORE_DIGITS}]" for text in literal)


def titled(part: Part) -> str:
    """Return the part's implementation as people write it: `Open MPI 5.0.11`."""
    return f"{words_of(part.family).title or part.family} {part.version}"


def _said(family: FamilyWords, version: str) -> list[str]:
    return [text.replace(_VERSION, version) for text in family.says]
