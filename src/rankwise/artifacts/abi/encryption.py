"""The library that encrypts the connections of a joined job, by the OpenSSL that is installed."""

from __future__ import annotations

from pathlib import Path

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.abi import libraries
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.overlay import SOURCES
from rankwise.core.errors import BuildError, HostError

FOLDER = SOURCES / "encryption"
LIBRARY = "rankwise-encryption.so"
_OF_OPENSSL = ("openssl/", "-lssl", "-lcrypto")
"""What the compiler or the linker names if it misses OpenSSL."""


def build() -> Path:
    """Return the path of the library, compiled if need be.

    Raises HostError if OpenSSL's headers or the C compiler are not there, or the cache cannot be written,
    BuildError.
    """
    made = Artifact(
        LIBRARY, tuple(sorted(FOLDER.glob("*.c"))), "shared object", (FOLDER,), libraries.FLAGS,
        ("-lssl", "-lcrypto", "-Wl,-z,defs"),
    )  # fmt: skip
    try:
        return builder.build(made, compiler.of_host())
    except BuildError as error:
        if not any(name in error.output for name in _OF_OPENSSL):
            raise
        raise HostError(
            "--encrypt needs OpenSSL 1.1.1 or later with its headers, which are not here", "apt install libssl-dev"
        ) from error
