"""What stands before a block's title and belongs to it: a launcher's line, and what a benchmark prints first."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rankwise.core.units import whole_number

MEASURED = re.compile(r"# Measured by Rankwise: (?P<variant>.{1,300}) on (?P<ranks>[0-9]{1,18}) processes;")
"""Before each block that `--format osu|imb` writes."""
_LAUNCHER = re.compile(
    r"(?:^|[\s/;&|])(?P<name>mpirun|mpiexec|mpiexec\.hydra|mpirun_rsh|orterun|prterun|srun|jsrun|lrun|aprun|ibrun)"
    r"(?P<words>\s.*)"
)
_RANKS = re.compile(r"\s(?:-n|-np|--np|--ntasks|--nrs)[ =]?([0-9]{1,18})(?=\s)")
_TASKS = re.compile(r"\s(?:-a|--tasks_per_rs)[ =]?([0-9]{1,18})(?=\s)")
_THREADS = re.compile(r"# Number of (?P<side>Sender|Receiver) threads: (?P<count>[0-9]{1,6})")


@dataclass(slots=True)
class Before:
    """Settings that the lines since the last block give for the next one."""

    launched: int = 0
    """Ranks by the launcher's line; 0: there is none."""
    variant: str = ""
    """By Rankwise's own line, ..."""
    measured: int = 0
    """... and the ranks of it."""
    senders: int = 0
    receivers: int = 0
    """Threads of osu_latency_mt."""

    def take(self, line: str) -> bool:
        """Return whether the line is of this kind, after which no row of the last block can follow."""
        if own := MEASURED.match(line):
            self.variant, self.measured = own["variant"], int(own["ranks"])
            return True
        if threads := _THREADS.match(line):
            if threads["side"] == "Sender":
                self.senders = int(threads["count"])
            else:
                self.receivers = int(threads["count"])
            return True
        launcher = _LAUNCHER.search(line) if not line.startswith("#") else None
        ranks = _RANKS.search(f"{launcher['words']} ") if launcher else None
        if not launcher or not ranks:
            return False
        tasks = _TASKS.search(f"{launcher['words']} ") if launcher["name"] == "jsrun" else None
        self.launched = int(ranks[1]) * (whole_number(tasks[1]) or 1 if tasks else 1)
        return True
