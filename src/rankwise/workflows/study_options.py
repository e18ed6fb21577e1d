"""What a study is asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """What a study was asked for: stored with its run, so that it can go on."""

    name: str
    quick: bool
    profiles: str
    """The folder that the profiles of runs that tune go into."""
    time_budget_seconds: float | None = None
    """For all of it; None: the study's own."""
    implementations: tuple[str, ...] = ()
    """None: all that work; in a quick study the newest version of each family."""
    prefixes: tuple[str, ...] = ()
    stored: tuple[int, ...] = ()
    """Runs to take, to finish, or searches to go on with."""
    only: tuple[str, ...] = ()
    """Labels of the runs that are measured if they are missing; none: all."""
    class_name: str = ""
    """Of applications that come in classes; '': as the study has it."""
    verify_first: bool = True
    """Look whether data are right before anything is timed; in a quick study before the first run."""


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """What `study` was asked for, and the run that it goes on with."""

    options: StudyOptions
    command_line: str
    run: int = 0
    """The study's own run if it goes on; 0: begin one."""
