"""A setting of the hosts acts on messages that it can hold back, and on no others."""

from __future__ import annotations

import pytest

from rankwise.analysis.host_settings.reach import reaches
from rankwise.core.host_settings import CONGESTION_CONTROL, SLOW_START_AFTER_IDLE, TCP_RMEM, TCP_WMEM

BEFORE = ((TCP_RMEM, "4096 131072 524288"), (TCP_WMEM, "4096 16384 524288"))
LIMITS = ((TCP_RMEM, "4096 131072 16777216"),)
LONG, SHORT = 2.5e6, 7e3  # bytes on the way: 20 ms at 500 Mbit/s, 30 us at 1 Gbit/s


@pytest.mark.parametrize(
    ("size_bytes", "product", "acts"),
    [(1, LONG, False), (98304, LONG, False), (12 << 20, LONG, True), (12 << 20, SHORT, False)],
)
def test_limits_of_buffers_act_on_large_messages_over_long_paths(
    size_bytes: int, product: float, acts: bool
) -> None:
    assert reaches(LIMITS, BEFORE, product, size_bytes) is acts


def test_other_settings_act_on_more() -> None:
    idle, control = ((SLOW_START_AFTER_IDLE, "0"),), ((CONGESTION_CONTROL, "bbr"),)
    assert reaches(control, BEFORE, SHORT, 1) and reaches((*LIMITS, *control), BEFORE, SHORT, 1)
    assert reaches(idle, BEFORE, LONG, 98304) and not reaches(idle, BEFORE, LONG, 1)
    assert not reaches(idle, BEFORE, SHORT, 98304) and not reaches((), BEFORE, LONG, 12 << 20)
