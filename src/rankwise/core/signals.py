"""When signals may interrupt: they wait where something is half done, and stop a run in order elsewhere."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

from rankwise.core.errors import InterruptedRun


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
    """Within: SIGINT, SIGTERM and SIGHUP wait until the end: what is started is also written down.

    Only the main thread is ever interrupted by a signal, and needs this.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    previous = {number: signal.signal(number, lambda number, _frame: came.append(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@contextlib.contextmanager
def stop_on_signals() -> Iterator[None]:
    """Within: SIGTERM and SIGHUP raise InterruptedRun, as Ctrl-C raises KeyboardInterrupt."""

    def stop(number: int, _frame: object) -> None:
        raise InterruptedRun(f"stopped by {signal.Signals(number).name}")

    previous = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
