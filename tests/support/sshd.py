"""Real OpenSSH servers on this host, each standing for a host of its own, run by whoever runs the tests."""

import contextlib
import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rankwise.core.network import Node, Topology
from rankwise.core.ports import free_port

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
_PRIVILEGE_SEPARATION = Path("/run/sshd")
"""Where sshd locks up its children as root: distributions make it when the host starts. It is left there."""
_CONFIG = """\
ListenAddress {address}
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
SetEnv PATH={bin}:/usr/local/bin:/usr/bin:/bin SHLVL=1
"""
"""SHLVL: bash leaves out the user's ~/.bashrc, which may write (pyenv does, where two shells start at once)."""
_CLIENT = """\
Host {name}
    Port {port}
    User {user}
    IdentityFile {folder}/key
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
    GlobalKnownHostsFile none
    HostKeyAlgorithms ssh-ed25519
"""
_LOOPBACK = "    HostName 127.0.0.1\n"


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
        (folder / "config").write_text(
            _CONFIG.format(address="127.0.0.1", port=port, folder=folder, bin=self.folder / "bin")
        )
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
        self.add_client_config(name, port)
        _wait_for_text(folder / "log", "Server listening")  # it, and not somebody else there

    def add_client_config(self, name: str, port: int) -> None:
        user = pwd.getpwuid(os.geteuid()).pw_name
        with (self.folder / "client").open("a") as client:
            client.write(_CLIENT.format(name=name, port=port, folder=self.folder, user=user) + _LOOPBACK)

    def stop(self, name: str) -> None:
        """As if the host's sshd had died."""
        server = self.running.pop(name)
        server.terminate()
        server.wait(10)

    @property
    def shell(self) -> str:
        return f"ssh -F {self.folder}/client"

    def add_to_path(self) -> Path:
        """Return a folder whose `ssh` leads to these servers by their names alone, also from one to another."""
        (bin_folder := self.folder / "bin").mkdir()
        (bin_folder / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.folder}/client "$@"\n')
        (bin_folder / "ssh").chmod(0o755)
        return bin_folder

    def topology(self, *names: str, slots: int = 2) -> Topology:
        nodes = tuple(Node(name, site="here", cores=slots, address=name) for name in names or self.ports)
        return Topology("servers", "ssh", sites=("here",), nodes=nodes, remote_shell=self.shell)


@contextlib.contextmanager
def servers(folder: Path, *names: str) -> Iterator[Servers]:
    """Servers of these names while within; nothing of them is left."""
    found = _prepared(folder)
    try:
        for name in names:
            found.start(name)
        yield found
    finally:
        for name in list(found.running):
            found.stop(name)


@contextlib.contextmanager
def servers_on_nodes(folder: Path, shell: str, *names: str) -> Iterator[Servers]:
    """One on each of these emulated nodes, which `shell -e NODE` leads to; they are reached from the nodes."""
    found = _prepared(folder)
    port = 2222
    _new_key(folder / "host_key")
    shutil.copy(folder / "key.pub", folder / "authorized_keys")
    config = _CONFIG.format(address="0.0.0.0", port=port, folder=folder, bin=folder / "bin")
    (folder / "known_hosts").write_text(f"* {(folder / 'host_key.pub').read_text()}")
    user = pwd.getpwuid(os.geteuid()).pw_name
    (folder / "client").write_text(_CLIENT.format(name="*", port=port, folder=folder, user=user))
    with contextlib.ExitStack() as stack:
        for name in names:
            # SetEnv: sshd clears its environment, and nodes of other testbeds have this name and /tmp too
            own = subprocess.check_output([shell, "-e", name, "sh", "-c", "echo $TMPDIR"], text=True, timeout=30)
            (folder / f"{name}.config").write_text(f"{config.rstrip()} TMPDIR={own.strip()}\n")
            argv = [shell, "-e", name, SSHD, "-D", "-e", "-f", str(folder / f"{name}.config")]
            log = stack.enter_context((folder / f"{name}.log").open("wb"))
            found.running[name] = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            found.ports[name] = port
            stack.callback(found.stop, name)
        for name in names:
            _wait_for_text(folder / f"{name}.log", "Server listening")
        yield found


def _prepared(folder: Path) -> Servers:
    if os.geteuid() == 0:
        _PRIVILEGE_SEPARATION.mkdir(mode=0o755, exist_ok=True)
    _new_key(folder / "key")
    return Servers(folder)


def _wait_for_text(log: Path, text: str) -> None:
    deadline = time.monotonic() + 40
    while text not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.02)


def _new_key(path: Path) -> None:
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)]
    subprocess.run(argv, check=True, timeout=20, stdin=subprocess.DEVNULL)
