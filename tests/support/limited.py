"""Runs many command lines in one process that may take no more than so much memory."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MORE_BYTES = 2 << 30
"""Beside what the process takes once it has loaded its libraries."""


def run_limited(lines: Sequence[Sequence[str]], folder: Path) -> list[tuple[int, str]]:
    """Return the exit code of each, and all that it printed."""
    variables = {
        **os.environ, "RANKWISE_STORE": str(folder / "results.sqlite"), "XDG_DATA_HOME": str(folder / "data"),
        "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, __file__], input=json.dumps(lines), env=variables, cwd=folder, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    return [(code, words) for code, words in json.loads(done.stdout)]


def _main() -> None:
    import scipy.sparse  # noqa: F401, PLC0415 - what it takes is not the command's

    from rankwise.cli import main  # noqa: PLC0415

    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MORE_BYTES, resource.RLIM_INFINITY))
    found = []
    for line in json.load(sys.stdin):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = main.run(line)
        found.append((code, printed.getvalue()))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    _main()
