"""The relays of a joined job whose sites cannot see one another: one a site, on the host of its first rank."""

from __future__ import annotations

import contextlib
import secrets
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.core import private
from rankwise.core.errors import HostError
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.core.native_programs import program
from rankwise.core.ports import free_port
from rankwise.testbeds.base import TestbedKind

_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Relays:
    """Where relays are to listen, how they are started, and the files of this host that they read."""

    places: tuple[tuple[str, int], ...] = ()
    """Host and port of each site's, empty for a job without relays."""
    commands: tuple[Command, ...] = ()
    files: tuple[str, ...] = ()


@contextlib.contextmanager
def relays_of(testbed: TestbedKind, sites: Sequence[str], hosts: Sequence[str], job_key: str) -> Iterator[Relays]:
    """Yield the relays of these sites, which are to run on these hosts; their new key exists as long.

    Raises HostError if the program is not there.
    """
    relay = _program()
    with private.secret(f"{secrets.token_hex(_KEY_BYTES)}\n{job_key}\n") as key:
        places = tuple((host, free_port()) for host in hosts)
        commands = []
        for number, (_, port) in enumerate(places):
            arguments = [str(relay), "--sites", ",".join(sites), "--site", str(number), "--port", str(port),
                         "--key", str(key), "--until-eof", "yes"]  # fmt: skip
            for other, (host, at) in enumerate(places[:number]):
                arguments += ["--peer", f"{other}={host}:{at}"]
            commands.append(_on(testbed, hosts[number], arguments))
        yield Relays(places, tuple(commands), (str(relay), str(key)))


def at_home(testbed: TestbedKind, steps: LaunchSteps, host: str) -> LaunchSteps:
    """Return the steps with the launcher on this host: what it starts has to reach it.

    A launcher that needs steps before it (LAM/MPI) stays where these are run, on the job's first host.
    """
    shell = testbed.remote_shell()
    if not shell or steps.before:
        return steps
    variables = [f"{name}={value}" for name, value in steps.main.environment]
    line = shlex.join(["env", *variables, *steps.main.argv])
    return replace(
        steps, main=Command((shell, host, f"cd {shlex.quote(str(Path.cwd()))} 2>/dev/null; exec {line}"))
    )


def _on(testbed: TestbedKind, host: str, arguments: Sequence[str]) -> Command:
    shell = testbed.remote_shell()
    return Command((shell, host, f"exec {shlex.join(arguments)}") if shell else tuple(arguments))


def _program() -> Path:
    try:
        return program("rankwise-relay")
    except HostError as error:
        raise HostError(
            "rankwise-relay is not installed: OpenSSL 3 was not found when Rankwise was installed",
            "install OpenSSL's headers (Debian: libssl-dev), and Rankwise again",
        ) from error
