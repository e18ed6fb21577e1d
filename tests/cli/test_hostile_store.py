"""A store may come from anybody: nothing that stands in it reaches the terminal or the page raw."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Literal, get_origin, get_type_hints

import pytest

from rankwise.core import network, records
from rankwise.store.store import Store
from support import stored
from support.command_line import BY_DAY
from support.limited import run_limited

ESCAPE = "\x1b[31m\x9b2J\u202e\x07"
RAW = re.compile("[\x1b\x9b\u202e\x07]")
READERS = (
    "runs", "runs --long", "runs --json", "show RUN", "show RUN --json", "show RUN --launch all",
    "show RUN --launch 1", "report RUN -o PAGE", "report RUN --json -o PAGE", "report RUN --beside 2 -o PAGE",
    "export RUN",
    "export RUN --format jsonl --medians", "export RUN --format osu", "export RUN --format imb",
    "export RUN --rows timelines", "export RUN --rows links", "export RUN --rows output",
    "guidelines --from RUN --report PAGE", "fit --from RUN -o PAGE", "study miguel-alonso2005 --from RUN",
    "compare --resume", "tune openmpi --for bcast --resume RUN", "guidelines --resume", "fit --resume RUN",
    "predict pattern flows.txt --testbed two-clusters --compare-with RUN", "resume RUN --time 1s",
    "delete RUN --yes",
)  # fmt: skip
"""Every verb that reads a stored run; what measures finds none of its implementations here."""
pytestmark = pytest.mark.timeout(600 if BY_DAY else 7200)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs with all that a store can have: of benchmarks, with a network, a configuration, interrupted."""
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    with Store(path) as opened:
        stored.measured(opened, topology=stored.TOPOLOGY, make=stored.networked_launch)
        stored.configured(opened)
        run_id = stored.begin(opened)
        launch = replace(stored.make_launch(), stdout="said", stderr="warned", reason="", status="finished")
        opened.add_launch(run_id, launch)
        opened.add_launch(run_id, replace(stored.make_launch(1, status="failed"), reason="exit code 1"))
        opened.finish_run(run_id, "interrupted", "Ctrl-C")
    return path


def text_columns(path: Path) -> Iterator[tuple[str, str]]:
    with sqlite3.connect(path) as opened:
        tables = [row[0] for row in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            if not table.startswith("sqlite_"):
                for column in opened.execute(f"PRAGMA table_info({table})").fetchall():
                    if column[2] == "TEXT":
                        yield table, column[1]


FEW_WORDS = {
    name
    for module in (records, network)
    for record in vars(module).values()
    if isinstance(record, type) and is_dataclass(record)
    for name, hint in get_type_hints(record).items()
    if get_origin(hint) is Literal
}
"""Columns that allow a few words alone: with others a store is damaged."""
READ_AGAIN = {"seed", "content", "request", "result", "label"}
"""Columns with a number or JSON, and the name of what is measured as it is (`default`): the same."""
READ_ALL = {line for line in READERS if line.startswith(("runs", "show", "report RUN -o", "export"))}


def with_escapes(path: Path, columns: list[tuple[str, str]], to: Path) -> Path:
    """A copy with an escape sequence at the end of each text in these columns, where the store allows any text."""
    shutil.copy(path, to)
    opened = sqlite3.connect(to)
    opened.execute("PRAGMA foreign_keys = OFF")
    for table, column in columns:
        try:
            opened.execute(f"UPDATE {table} SET {column} = {column} || ? WHERE {column} != ''", (ESCAPE,))
        except sqlite3.IntegrityError:
            continue
    opened.commit()
    opened.close()
    return to


def test_nothing_of_a_store_is_printed_raw(store: Path, tmp_path: Path) -> None:
    columns = sorted(set(text_columns(store)))
    free = [one for one in columns if one[1] not in FEW_WORDS | READ_AGAIN]
    assert len(free) > 60
    tried = [free, *([one] for one in columns if not BY_DAY)]
    (tmp_path / "flows.txt").write_text("0 1 8 0\n")
    lines, pages, places = [], [], []
    for some in tried:
        for run in (1, 2, 3):
            for line in READERS:
                number = len(lines)
                page = tmp_path / f"{number}.html"
                where = with_escapes(store, some, tmp_path / f"{number}.sqlite")
                words = line.replace("RUN", str(run)).replace("PAGE", str(page)).split()
                lines.append([*words, "--store", str(where)])
                pages.append(page)
                places.append((some, run, line))
    for (some, run, line), page, (code, printed) in zip(places, pages, run_limited(lines, tmp_path), strict=True):
        place = f"{some[0] if len(some) == 1 else 'all columns'}, run {run}: {line}\n"
        assert code in (0, 1, 2, 3), place + printed
        assert code in (0, 1) or some != free or run != 1 or line not in READ_ALL, place + printed
        assert not RAW.search(printed), place + printed
        assert not page.exists() or not RAW.search(page.read_text(errors="replace")), place
