"""Starts `rankwise-nodes`, which supervises a testbed, and tells why one would not come up."""

from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import EXIT_INPUT, HostError, InputError
from rankwise.core.native_programs import program

READY_LIMIT_SECONDS = 30.0
_REMEDY = "try: "
"""How the programs begin a line that says what to do."""


def command() -> list[str]:
    """Return the programs that it takes. Raises HostError if one is missing."""
    nodes, link, shell = (str(program(name)) for name in ("rankwise-nodes", "rankwise-link", "rankwise-rsh"))
    return [nodes, "--link", link, "--rsh", shell]


def start(argv: list[str], folder: Path, attached: bool) -> subprocess.Popen[bytes]:
    """Start it over `folder`/network. Until it is ready it ends with this thread, later only if `attached`."""
    whole = [*argv, str(folder / "network"), "--folder", str(folder), *(["--attached"] if attached else [])]
    # not marked: what ends the processes of a launch must not end the testbed that it runs on
    environment = {name: value for name, value in os.environ.items() if name != process.MARK}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            whole, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=environment, cwd="/",
            start_new_session=True, preexec_fn=process.die_with_parent,  # noqa: PLW1509 - one prctl, no lock taken
        )  # fmt: skip


def wait_until_ready(child: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until the network works. Raises InputError or HostError with the programs' words if it never will."""
    assert child.stdout is not None
    with child.stdout as said:
        ready, _, _ = select.select([said], [], [], READY_LIMIT_SECONDS)
        if not ready:
            raise HostError(
                f"the testbed was not ready within {READY_LIMIT_SECONDS:.0f} s", "check the load of this host"
            )
        if said.readline().startswith(b"ready"):
            return
    code = child.wait(READY_LIMIT_SECONDS)
    message, remedy = _last_words(folder)
    if not message:  # nor could it write why, perhaps
        message = f"rankwise-nodes ended with exit code {code} without a message"
        remedy = remedy or f"check for free disk space: df {folder.parent}"
    kind = InputError if code == EXIT_INPUT else HostError
    raise kind(f"cannot bring the testbed up: {message}", remedy)


def _last_words(folder: Path) -> tuple[str, str]:
    """What the programs said, and what they propose."""
    lines = (folder / "log").read_text(errors="replace").splitlines()
    proposed = [line.removeprefix(_REMEDY) for line in lines if line.startswith(_REMEDY)]
    said = [line for line in lines if line and not line.startswith(_REMEDY)]
    return "; ".join(said), "; ".join(proposed)
