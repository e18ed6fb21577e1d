"""What is begun is done before a signal interrupts."""

import signal

import pytest

from rankwise.core import signals
from rankwise.core.errors import InterruptedRun


def test_signals_wait_until_what_was_begun_is_done() -> None:
    done = []
    with signals.stop_on_signals(), pytest.raises(InterruptedRun), signals.signals_wait():
        signal.raise_signal(signal.SIGTERM)
        done.append("all of it")
    assert done == ["all of it"]
