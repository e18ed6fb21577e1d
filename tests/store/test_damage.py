"""A damaged store never ends in a traceback: what cannot be read is a StoreError with a remedy."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankwise.core.errors import InputError, StoreError
from rankwise.store.export import Table
from rankwise.store.store import Store
from support import stored

SOUND = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON"
_values = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(max_size=6), st.binary(max_size=20),
    st.sampled_from(["{", "[]", "1e999", "\0", b"\xff" * 9, b""]),
)  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of everything."""
    path = tmp_path_factory.mktemp("sound") / "results.sqlite"
    with Store(path) as store:
        run_id = stored.measured(store, launches=4, topology=stored.TOPOLOGY)
        store.add_launch(run_id, stored.networked_launch(5))
        store.add_paths(run_id, stored.PATHS)
    return path


@contextlib.contextmanager
def only_our_errors() -> Iterator[None]:
    try:
        yield
    except InputError:  # a run, or the whole file, is not there any more
        pass
    except StoreError as error:
        assert error.remedy


def read_everything(path: Path) -> None:
    """Reads all that can be read, each by itself."""
    with only_our_errors(), Store(path, create=False) as store:
        for run in store.runs():
            for read in (
                store.run, store.request, store.result, store.plan, store.baseline, store.spent_seconds,
                store.implementations, store.benchmarks, store.facts, store.configurations, store.launches,
                store.failures, store.notices, store.topology, store.paths,
            ):  # fmt: skip
                with only_our_errors():
                    read(run.id)
            with only_our_errors():
                list(Table(store, run.id).launches())


def columns(path: Path) -> list[tuple[str, str]]:
    with contextlib.closing(sqlite3.connect(path)) as opened:
        tables = [row[0] for row in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [
            (table, row[1])
            for table in tables
            if not table.startswith("sqlite_")
            for row in opened.execute(f"PRAGMA table_info({table})")
        ]


@pytest.mark.parametrize(
    ("value", "said"), [(b"\0" * 13, "13 bytes"), ("text", "str instead of bytes"), (7, "int instead of bytes")]
)
def test_a_damaged_blob_of_samples_is_named_with_its_remedy(
    value: object, said: str, sound: Path, tmp_path: Path
) -> None:
    path = tmp_path / "results.sqlite"
    path.write_bytes(sound.read_bytes())
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as opened:
        opened.execute("UPDATE series SET samples_seconds = ? WHERE rowid = 2", [value])
    with Store(path) as store, pytest.raises(StoreError, match=said) as caught:
        store.launches(1)
    assert str(path) in str(caught.value)
    assert ".recover" in caught.value.remedy


def test_names_in_the_schema_that_are_no_text(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    path.write_bytes(sound.read_bytes().replace(b"owner_host TEXT", b"owner_\x80ost TEXT"))
    with pytest.raises(StoreError) as caught, Store(path) as store:
        store.runs()
    assert ".recover" in caught.value.remedy


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), value=_values)
def test_any_value_in_any_column(data: st.DataObject, value: object, sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    path.write_bytes(sound.read_bytes())
    table, column = data.draw(st.sampled_from(columns(path)))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as opened:
        for statement in SOUND.split(";"):
            opened.execute(statement)
        with contextlib.suppress(sqlite3.IntegrityError):
            opened.execute(f'UPDATE {table} SET "{column}" = ?', [value])
    read_everything(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=64)), max_size=4),
    kept=st.just(1.0) | st.floats(0, 1),
)
def test_any_bytes_in_the_file_and_any_length(
    changes: list[tuple[float, bytes]], kept: float, sound: Path, tmp_path: Path
) -> None:
    path = tmp_path / "results.sqlite"
    content = bytearray(sound.read_bytes())
    size = len(content)
    for at, piece in changes:
        start = int(at * size)
        content[start : start + len(piece)] = piece
    path.write_bytes(content[: int(kept * size)])
    read_everything(path)
