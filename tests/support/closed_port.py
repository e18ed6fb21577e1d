"""A port where nobody listens, and nobody will."""

import contextlib
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def closed_port() -> Iterator[int]:
    """It is taken, without a listener: connections to it are refused."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        yield int(one.getsockname()[1])
