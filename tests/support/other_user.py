"""Another ordinary user of this host, without an account, who runs lines of Python. Takes root."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BOB, EVE = 12345, 12346
_AS = "import os\nos.setgroups([])\nos.setgid({user})\nos.setuid({user})\nos.umask(0)\n"


def run_as(user: int, code: str, *arguments: object, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    """Run the lines with these words in sys.argv, in the root folder."""
    return subprocess.run(
        _line(user, code, *arguments), cwd="/", capture_output=True, text=True, timeout=seconds, check=False
    )


@contextmanager
def running_as(user: int, code: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """The same, ended when the caller is done."""
    with subprocess.Popen(
        _line(user, code, *arguments), cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _line(user: int, code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", _AS.format(user=user) + code, *map(str, arguments)]
