"""What a launcher, an MPI and a program printed: the cause of a failure in it, and the warnings of the MPI.

Each statement has a rank by what it says, not by its place: the first rule that matches it decides. A statement is
a line, or a whole message between two rulers, as Open MPI and LAM/MPI print them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rankwise.core.jobs import Outcome

PROTOCOL_START: Final = '{"rankwise":'
"""How lines begin that Rankwise's own programs print for Rankwise."""

HEAD_CHARACTERS: Final = 16384
TAIL_CHARACTERS: Final = 49152

_NOTHING, _ENDING, _OUTPUT, _ERROR, _CAUSE = range(5)
"""Says nothing; says how processes ended; is output like any other; names a failure; names its cause."""

_RULES: Final = tuple((rank, re.compile(pattern, re.IGNORECASE)) for rank, pattern in (
    # stack frames, addresses, and what stands around them
    (_NOTHING, r"\[0x[0-9a-f]+\]$|^#?\d+\s+0x[0-9a-f]+"),
    (_NOTHING, r"^=* ?backtrace|process received signal|end of error message|^signal code:|^failing at address"),
    (_NOTHING, r"^rank \(\d+, \w+\): ( - |call stack)"),
    (_NOTHING, r"^(MPI_|PMPI_)\w+\(.*\) failed$|^other MPI error"),
    # remarks of launchers that hold for every failure
    (_NOTHING, r"^(exit code: \d+|cleaning up remaining|you can ignore|this typically refers|please see the faq)"),
    (_NOTHING, r"^bad termination|^(rank \d+ )?pid \d+ running at|more process(es)? (has|have) sent help message"),
    (_NOTHING, r"set MCA parameter .* to 0 to see|^note: invoking mpi_abort|^reported by process"),
    (_NOTHING, r"^on communicator|^and potentially your mpi job|^MPI_ERRORS_ARE_FATAL|^type .* for usage"),
    (_NOTHING, r"^\d+ total process(es)? failed to start|did not invoke MPI_INIT before quitting"),
    (_NOTHING, r"^traceback \(most recent|^file \".*\", line \d+"),
    # both parent and child of Open MPI's launchers call setpgid: one that comes second is refused, harmlessly
    (_NOTHING, r"^plm:[rs]sh: warning: setpgid\(\d+,\d+\) failed in parent with errno=permission denied"),
    # how processes ended
    (_ENDING, r"^mpi_abort was invoked|^application called mpi_abort|^primary job\s+terminated normally"),
    (_ENDING, r"noticed that process rank \d+|detected that one or more processes|has exited due to process rank"),
    (_ENDING, r"^one of the processes started by mpirun|^killed by signal|exit string:|^signal: |^caught signal"),
    (_ENDING, r"^rankwise: .* ended with exit code|^terminated$|^aborted$|^killed$"),
    # figures: how large an error is
    (_OUTPUT, r"\berrors?\s*[:=]?\s*[-+]?\d*\.?\d+(e[-+]?\d+)?\b|\b(0|no) (errors?|failures?)\b"),
    # the statements of MPIs that lead to one that says more
    (_ERROR, r"error stack:$|argument matching returned error|error parsing|ucx function returned with failed"),
    (_ERROR, r"ORTE_ERROR_LOG|PMIX ERROR"),
    (_ERROR, r"^failed to (get the first|allocate)|out of memory$"),
    # the causes
    (_CAUSE, r"error while loading shared libraries|symbol lookup error|no such file or directory"),
    (_CAUSE, r"no space left|not enough|out of memory|cannot allocate|has more available memory|/dev/shm"),
    (_CAUSE, r"^what\(\):|^\w+(error|exception): |assertion|\bmust (be|not)\b"),
    (_CAUSE, r"permission denied|not permitted|not found|does not exist"),
    (_CAUSE, r"connect\(.*\) .*failed|failed to tcp connect|connection (refused|reset|timed out)|unreachable"),
    (_CAUSE, r"unrecognized|unknown option|invalid|illegal|undefined|mismatch"),
    (_CAUSE, r"\bMPI_ERR_\w+|error occurred in MPI_"),
    (_CAUSE, r"cannot|can't|could ?n[o']t|unable to|unsupported|not supported|no such|too (many|few|large|small)"),
    (_ERROR, r"error|fatal|abort|fail(ed|ure)|\bfault\b|exception|traceback|panic|segmentation|stop\b"),
))  # fmt: skip

_PREFIXES: Final = tuple(re.compile(pattern) for pattern in (
    r"^\[\d+\.\d+\]\s+\[[^\]]*\]\s+\S+\.\w+:\d+\s+UCX\s+[A-Z]+\s+",  # UCX's time, host and source
    r"^\[(mpiexec|proxy)[^\]]*\]\s+\w+ \([^)]*:\d+\): ",  # Hydra's process, function and source
    r"^\[[\w.-]+:\d+\s*(:\d+)*\]\s+",  # Open MPI's host and process
    r"^Abort\(-?\d+\) on node \d+ \(rank \d+ in comm \d+\): ",
    r"^\w+\(\d+\)\.*:\s*",  # the function and line of MPICH's error stack
    r"^(=|\*+)\s+",
))  # fmt: skip

_RULER: Final = re.compile(r"^(-{60,}|\*{60,})$")
_LONGEST_MESSAGE_LINES: Final = 200
_SIGNAL: Final = re.compile(r"\bsignal:? (?P<number>\d+)|^signal: [\w ]+ \((?P<its>\d+)\)", re.IGNORECASE)
_WARNING: Final = re.compile(
    r"\bUCX\s+(WARN|ERROR)\b|ORTE_ERROR_LOG|PMIX ERROR|^libfabric:\d+:.*(warn|error)|MPI startup\(\): .*warning"
    r"|^\[[\w.-]+:\d+\]\s.*(warning|not enough|failed|unable)",
    re.IGNORECASE,
)  # fmt: skip
_SIGNALS: Final = {
    4: "illegal instruction", 6: "aborted", 7: "bus error, as with a full /dev/shm", 8: "arithmetic error",
    9: "killed, as by the kernel when memory runs out", 11: "segmentation fault",
}  # fmt: skip
_OF_FAILURES: Final = (6, 9, 15)
"""What processes get that have said themselves what is wrong, and those beside them."""
_MOST_CAUSES: Final = 2
_LONGEST: Final = 400


def why_failed(outcome: Outcome, limit_seconds: float) -> str:
    """Return in one line why a launch did not end as it should."""
    if outcome.broken:
        return outcome.broken
    how = f"timed out after {limit_seconds:g} s" if outcome.timed_out else f"exit code {outcome.returncode}"
    return f"{how}: {cause(outcome.stdout, outcome.stderr, ended_by_us=outcome.timed_out) or 'no output'}"


def cause(stdout: str, stderr: str, *, ended_by_us: bool = False) -> str:
    """Return in one line what these outputs name as the cause of a failure; '' if they are empty.

    Where nothing names one, it is the signal that ended a process (not one of ours: `ended_by_us`) and the last
    line of output.
    """
    ranked: dict[int, list[str]] = {}
    for text in (stderr, stdout):
        for statement, _ in _messages(text):
            bare = _without_prefix(statement)
            known = ranked.setdefault(_rank(bare), [])
            if bare not in known:
                known.append(bare)
    endings = ranked.get(_ENDING, [])
    parts = (ranked.get(_CAUSE) or ranked.get(_ERROR, []))[:_MOST_CAUSES]
    signal = 0 if ended_by_us else _signal(endings)
    if signal and not (parts and signal in _OF_FAILURES):
        parts.append(f"signal {signal}" + (f" ({_SIGNALS[signal]})" if signal in _SIGNALS else ""))
    if not ranked.get(_CAUSE) and not ranked.get(_ERROR):
        parts += [f"last output: {message}" for message in ranked.get(_OUTPUT, [])[-1:]]
    parts = parts or endings[:1]
    return "; ".join(_shortened(part, _LONGEST // len(parts)) for part in parts)


def warnings(stdout: str, stderr: str) -> tuple[str, ...]:
    """Return what an MPI warned of in a launch, each warning once and in one line."""
    messages: dict[str, str] = {}
    for text in (stderr, stdout):
        for statement, framed in _messages(text):
            bare = _without_prefix(statement)
            if (framed or _WARNING.search(statement)) and _rank(bare) not in (_NOTHING, _ENDING):
                messages.setdefault(numberless(bare), bare)
    return tuple(messages.values())


def numberless(text: str) -> str:
    """Return a text by which messages are alike that differ in numbers alone: of processes, jobs and bytes."""
    return re.sub(r"\b[0-9a-f]*\d[0-9a-f]*\b", "#", text)


def kept(text: str) -> str:
    """Return what is kept of an output: without the lines for Rankwise, and no more than its beginning and end."""
    if PROTOCOL_START in text:
        text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(PROTOCOL_START))
    left_out = len(text) - HEAD_CHARACTERS - TAIL_CHARACTERS
    if left_out <= 0:
        return text
    notice = f"{left_out} characters left out; the first {HEAD_CHARACTERS} and the last {TAIL_CHARACTERS} are kept"
    return f"{text[:HEAD_CHARACTERS]}\n[rankwise: {notice}]\n{text[-TAIL_CHARACTERS:]}"


def _rank(statement: str) -> int:
    return next((rank for rank, rule in _RULES if rule.search(statement)), _OUTPUT)


def _without_prefix(statement: str) -> str:
    for prefix in _PREFIXES:
        statement = prefix.sub("", statement, count=1)
    return statement.strip(" =*|")


def _messages(text: str) -> Iterator[tuple[str, bool]]:
    """Each statement, and whether it is a message between two rulers. Lines without a letter or digit are none."""
    lines = [line.strip() for line in kept(text).replace("\0", "").splitlines()]
    place = 0
    while place < len(lines):
        end = _end_of_message(lines, place)
        message = " ".join(" ".join(lines[place + 1 : end]).split()) if end else lines[place]
        if any(map(str.isalnum, message)):
            yield message, bool(end)
        place = end + 1 if end else place + 1


def _end_of_message(lines: list[str], place: int) -> int:
    """The ruler that ends the message that begins with one at `place`; 0: none begins there."""
    if not _RULER.match(lines[place]):
        return 0
    nearest = range(place + 1, min(len(lines), place + _LONGEST_MESSAGE_LINES))
    end = next((number for number in nearest if lines[number] == lines[place]), 0)
    return end if end > place + 1 else 0


def _signal(endings: list[str]) -> int:
    """The signal that ended a process; others are ended after it by SIGKILL or SIGTERM. 0: none did."""
    numbers = [int(match["number"] or match["its"]) for ending in endings for match in _SIGNAL.finditer(ending)]
    return next((number for number in numbers if number not in (9, 15)), numbers[0] if numbers else 0)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
