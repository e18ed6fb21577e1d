"""The installed command, run as a user runs it, with a home of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = Path(sys.executable).with_name("rankwise")


def environment(home: Path, **changes: str) -> dict[str, str]:
    """This process's variables, with the results under `home`; builds are shared with the user's cache."""
    return {**os.environ, "RANKWISE_STORE": str(home / "results.sqlite"), "COLUMNS": "80", **changes}


def rankwise(*words: str, home: Path, timeout: float = 100, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run(
        [str(COMMAND), *words], env=environment(home, **changes), cwd=home, capture_output=True, text=True,
        timeout=timeout, check=False,
    )  # fmt: skip


@contextmanager
def started(*words: str, home: Path, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """Start it and let it run; what still runs at the end is killed.

    Ctrl-C must reach it: where tests run in the background, SIGINT is ignored and that would be inherited.
    """
    with subprocess.Popen(
        ["env", "--default-signal=INT", str(COMMAND), *words], env=environment(home, **changes), cwd=home,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()
