"""Records as plain values, which JSON can hold."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return results and other records, nested too, arrays and paths as plain values; what is not finite is None.

    A result has its own `to_dict`; of other dataclasses all fields are taken.
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: plain(element) for key, element in value.items()}
    if isinstance(value, list | tuple | np.ndarray | Iterator):
        return [plain(element) for element in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value
