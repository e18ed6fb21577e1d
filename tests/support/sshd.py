"""Real OpenSSH servers on this host, each standing for a host of its own, run by whoever runs the tests."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rankwise.core.network import Node, Topology

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
_PRIVILEGE_SEPARATION = Path("/run/sshd")
_CONFIG = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PidFile none
MaxStartups 100
"""
_CLIENT = """\
Host {name}
    HostName 127.0.0.1
    Port {port}
    User {user}
    IdentityFile {folder}/key
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
    GlobalKnownHostsFile none
    HostKeyAlgorithms ssh-ed25519
"""


@dataclass
class Servers:
    """The servers that run, by the name of the host that each stands for; `topology()` leads to them all."""

    folder: Path
    ports: dict[str, int] = field(default_factory=dict)
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, hidden: Path | None = None) -> None:
        """Start one; `hidden` is a folder that its users see empty (as root only)."""
        folder = self.folder / name
        folder.mkdir()
        port = free_port()
        _new_key(folder / "host_key")
        shutil.copy(self.folder / "key.pub", folder / "authorized_keys")
        (folder / "config").write_text(_CONFIG.format(port=port, folder=folder))
        argv = [SSHD, "-D", "-e", "-f", str(folder / "config")]
        if hidden is not None:
            inside = 'mount -t tmpfs none "$0" && exec "$@"'
            argv = ["unshare", "--mount", "sh", "-c", inside, str(hidden), *argv]
        with (folder / "log").open("wb") as log:
            self.running[name] = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.ports[name] = port
        public = " ".join((folder / "host_key.pub").read_text().split()[:2])
        with (self.folder / "known_hosts").open("a") as known:
            known.write(f"[127.0.0.1]:{port} {public}\n")
        self.add_client_words(name, port)
        _wait_for(port, self.running[name], folder / "log")

    def add_client_words(self, name: str, port: int) -> None:
        user = pwd.getpwuid(os.geteuid()).pw_name
        with (self.folder / "client").open("a") as client:
            client.write(_CLIENT.format(name=name, port=port, folder=self.folder, user=user))

    def stop(self, name: str) -> None:
        """As if the host's sshd had died."""
        server = self.running.pop(name)
        server.terminate()
        server.wait(10)

    @property
    def shell(self) -> str:
        return f"ssh -F {self.folder}/client"

    def topology(self, *names: str, slots: int = 2) -> Topology:
        nodes = tuple(Node(name, site="here", cores=slots, address=name) for name in names or self.ports)
        return Topology("servers", "ssh", sites=("here",), nodes=nodes, remote_shell=self.shell)


@contextlib.contextmanager
def servers(folder: Path, *names: str) -> Iterator[Servers]:
    """Servers of these names while within; nothing of them is left."""
    made_folder = False
    if os.geteuid() == 0 and not _PRIVILEGE_SEPARATION.exists():
        _PRIVILEGE_SEPARATION.mkdir(mode=0o755)
        made_folder = True
    found = Servers(folder)
    _new_key(folder / "key")
    try:
        for name in names:
            found.start(name)
        yield found
    finally:
        for name in list(found.running):
            found.stop(name)
        if made_folder:
            _PRIVILEGE_SEPARATION.rmdir()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _new_key(path: Path) -> None:
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)]
    subprocess.run(argv, check=True, timeout=20, stdin=subprocess.DEVNULL)


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise AssertionError(f"sshd does not listen: {log.read_text()}")
