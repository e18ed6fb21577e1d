"""Runs commands as an ordinary user, who may open /dev/net/tun or not, and where this host lacks something.

Takes root.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from rankwise.core import paths
from rankwise.core.native_programs import program
from support.command_line import environment

NOBODY = 65534
_AS_NOBODY = """
set -e; umask 022
tun=$1 shown=$2 hidden=$3; shift 3
spare=$(mktemp -d); mount -t tmpfs none "$spare"
mknod -m "$tun" "$spare/tun" c 10 200; mount --bind "$spare/tun" /dev/net/tun
for path in $shown; do mkdir -p "$spare$path"; mount --bind "$path" "$spare$path"; done
for path in $hidden; do mount --rbind "$spare$path" "$path"; done
umount -l "$spare"; rmdir "$spare"
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
"""


@contextmanager
def folder_of(uid: int) -> Iterator[Path]:
    """A new folder of this user's that others can reach, which pytest's are not."""
    with tempfile.TemporaryDirectory(prefix="rankwise-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        os.chown(folder, uid, uid)
        yield folder


def as_ordinary_user(
    *argv: str, home: Path, tun_mode: str = "666", limit_seconds: float = 110
) -> subprocess.CompletedProcess[str]:
    """Run it as `nobody` in the folder `home`, with a /dev/net/tun of this mode, in a mount namespace of its own.

    Python and this checkout may lie where only root can go (/root): such folders are replaced, in that
    namespace, by ones that hold nothing but these.
    """
    tree = [Path(sys.base_prefix), Path(sys.prefix), Path(__file__).parents[2], program("rankwise-nodes").parent]
    shown = [str(path.resolve()) for path in tree if _first_private_folder(path)]
    hidden = sorted({str(_first_private_folder(Path(path))) for path in shown})
    variables = [f"HOME={home}", f"PATH={os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE=1"]
    native = os.environ.get("RANKWISE_NATIVE", "")
    return subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", _AS_NOBODY, "sh", tun_mode,
         " ".join(shown), " ".join(hidden), "env", "-i", "-C", str(home), *variables,
         *([f"RANKWISE_NATIVE={native}"] if native else []), *argv],
        capture_output=True, text=True, timeout=limit_seconds, check=False,
    )  # fmt: skip


def without_user_namespaces(*argv: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run it where no user namespace can be made: in one that allows none within, without capabilities."""
    drop = "setpriv --bounding-set=-all --inh-caps=-all"
    return _in_namespaces(
        "--user --map-root-user", "echo 0 >/proc/sys/user/max_user_namespaces", [*drop.split(), *argv], home
    )


def with_few_namespaces(kind: str, most: int, *argv: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run it where only so many namespaces of this kind (net, pid, ...) can be made."""
    return _in_namespaces(
        "--user --map-root-user", f"echo {most} >/proc/sys/user/max_{kind}_namespaces", argv, home
    )


def without_tun(*argv: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run it where there is no /dev/net/tun."""
    return _in_namespaces("--mount --propagation private", "mount -t tmpfs none /dev/net", argv, home)


def with_runtime_folder(mount_options: str, *argv: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run it where the folder of running testbeds is a tmpfs with these options."""
    mount = f"mount -t tmpfs -o {mount_options} none {paths.runtime_folder()}"
    return _in_namespaces("--mount --propagation private", mount, argv, home)


def _in_namespaces(
    namespaces: str, first: str, argv: Sequence[str], home: Path | None
) -> subprocess.CompletedProcess[str]:
    """Run it in new namespaces, after a line of shell there."""
    return subprocess.run(
        ["unshare", *namespaces.split(), "sh", "-c", f'{first} && exec "$@"', "sh", *argv], cwd=home,
        env=environment(home) if home else None, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def _first_private_folder(path: Path) -> Path | None:
    """The first folder on the way there that other users may not enter."""
    return next((one for one in reversed(path.resolve().parents) if not one.stat().st_mode & 0o001), None)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be tried as root")
