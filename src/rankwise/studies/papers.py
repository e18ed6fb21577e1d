"""What the papers published, from `papers.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def paper(name: str) -> dict[str, Any]:
    """Return the facts and figures of one paper, by the keys of the file. Raises KeyError for an unknown paper."""
    text = resources.files("rankwise.studies").joinpath("papers.toml").read_text(encoding="utf-8")
    facts: dict[str, Any] = tomllib.loads(text)[name]
    return facts


def citation(name: str) -> str:
    """Return `AUTHORS: TITLE. SOURCE`."""
    facts = paper(name)
    return f"{facts['authors']}: {facts['title']}. {facts['source']}"
