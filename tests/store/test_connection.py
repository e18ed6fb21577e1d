"""Files that are no store, stores of other versions, full and read-only disks, locks: a clear error each."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rankwise.core.errors import InputError, StoreError
from rankwise.core.records import CellFailure
from rankwise.store.connection import SCHEMA_VERSION
from rankwise.store.store import Store
from support import stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(path, isolation_level=None)
    try:
        yield opened
    finally:
        opened.close()


def schema(path: Path) -> tuple[int, list[tuple[str, str]]]:
    with raw(path) as opened:
        version = opened.execute("PRAGMA user_version").fetchone()[0]
        return version, opened.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


def test_a_new_store_in_a_new_folder_has_the_newest_version(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "results.sqlite"
    with Store(path) as store:
        assert store.runs() == []
    assert schema(path)[0] == SCHEMA_VERSION


def test_a_store_of_version_0_is_brought_to_the_newest(path: Path, tmp_path: Path) -> None:
    path.touch()
    Store(path).close()
    Store(tmp_path / "fresh.sqlite").close()
    assert schema(path) == schema(tmp_path / "fresh.sqlite")


@pytest.mark.parametrize("version", [1, SCHEMA_VERSION + 5])
def test_a_store_of_another_version_is_refused_and_left_as_it_is(path: Path, version: int) -> None:
    Store(path).close()
    with raw(path) as opened:
        opened.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"schema {version}, not {SCHEMA_VERSION}") as caught:
        Store(path)
    assert caught.value.exit_code == 3 and "--store" in caught.value.remedy
    assert path.read_bytes() == before


def test_the_database_of_another_program_is_refused_and_left_as_it_is(path: Path) -> None:
    with raw(path) as opened:
        opened.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="database of another program"):
        Store(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_text("benchmark,seconds\n" * 100)
    with pytest.raises(StoreError, match=r"cannot open the store .*: file is not a database") as caught:
        Store(path)
    assert caught.value.remedy


def test_a_corrupt_store_is_an_error_with_the_way_to_save_it(path: Path) -> None:
    with Store(path) as store:
        run_id = stored.measured(store, launches=30)
    content = bytearray(path.read_bytes())
    content[len(content) // 3 :] = os.urandom(len(content) - len(content) // 3)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="malformed") as caught, Store(path) as store:
        store.launches(run_id)
    assert ".recover" in caught.value.remedy


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="unable to open database file") as caught:
        Store(tmp_path)
    assert "--store" in caught.value.remedy


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot make the folder of the store"):
        Store(tmp_path / "file" / "results.sqlite")


def test_a_reading_verb_makes_no_file(path: Path) -> None:
    with pytest.raises(InputError, match="no results are stored in") as caught:
        Store(path, create=False)
    assert "rankwise compare" in caught.value.remedy
    assert not path.exists()


def test_a_path_with_characters_that_mean_something_in_a_uri(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=ro#b %41.sqlite"
    with Store(path) as store:
        stored.measured(store)
    assert path.exists()


def test_a_lock_that_is_not_given_back_is_an_error(path: Path) -> None:
    Store(path).close()
    with Store(path, busy_seconds=0.1) as store, raw(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="database is locked") as caught:
            stored.begin(store)
        assert "another process" in caught.value.remedy
        other.execute("ROLLBACK")
        assert stored.begin(store) == 1


def test_several_processes_may_create_one_store(path: Path) -> None:
    script = (
        f"from pathlib import Path; from rankwise.store.store import Store; Store(Path({str(path)!r})).close()"
    )
    children = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    assert schema(path)[0] == SCHEMA_VERSION


def test_a_write_holds_the_lock_from_its_first_read(path: Path) -> None:
    with Store(path) as store, Store(path, busy_seconds=0) as other:
        run_id = stored.begin(store)

        def failures() -> Iterator[CellFailure]:
            with pytest.raises(StoreError, match="locked"):
                other.add_failures(run_id, [])
            yield from stored.make_launch().failures

        store.add_failures(run_id, failures())
        assert len(store.failures(run_id)) == 1


def test_an_interrupted_transaction_leaves_nothing(path: Path) -> None:
    with Store(path) as store:
        run_id = stored.begin(store)

        def failures() -> Iterator[CellFailure]:
            yield from stored.make_launch().failures
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.add_failures(run_id, failures())
        assert store.failures(run_id) == ()
        store.add_launch(run_id, stored.make_launch())


# Disks that are full or read-only: a small file system of one's own, so that root meets the limit as well.


def in_own_mounts(mounting: str, script: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a mount namespace after the shell command `mounting`; skip where this is not allowed."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    tests = Path(stored.__file__).parents[1]
    start = f"import sys; sys.path.insert(0, {str(tests)!r})\n"
    try:
        done = subprocess.run(
            [*unshare, "sh", "-c", f'{mounting} || exit 77; exec "$0" -c "$1"', sys.executable, start + script],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
    except FileNotFoundError:
        pytest.skip("unshare is not installed")
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")
    return done


FULL_DISK = """
from pathlib import Path
from rankwise.core.errors import StoreError
from rankwise.store.store import Store
from support import stored

path = Path({folder!r}) / "results.sqlite"
with Store(path) as store:
    run_id = stored.begin(store)
    stored_launches = 0
    try:
        while True:
            store.add_launch(run_id, stored.make_launch(stored_launches, repetitions=1000))
            stored_launches += 1
    except StoreError as error:
        print(error, error.remedy, sep="\\n")
    assert stored_launches > 3
    # the same store, still open, and then anew
    assert store.run().launches == stored_launches
with Store(path) as store:
    expected = [stored.make_launch(number, repetitions=1000) for number in range(stored_launches)]
    assert stored.plain(store.launches(run_id)) == stored.plain(expected)
"""


def test_on_a_full_disk_what_was_measured_stays_stored(tmp_path: Path) -> None:
    mounting = f"mount -t tmpfs -o size=800k none {tmp_path}"
    done = in_own_mounts(mounting, FULL_DISK.format(folder=str(tmp_path)))
    assert done.returncode == 0, done.stderr
    message, remedy = done.stdout.splitlines()
    assert message.endswith("database or disk is full")
    assert message.startswith("cannot write to the store")
    assert "free some disk space" in remedy


READ_ONLY = """
from pathlib import Path
from rankwise.core.errors import StoreError
from rankwise.store.store import Store
from support import stored

folder = Path({folder!r})
with Store(folder / "results.sqlite", create=False) as store:
    assert store.run(1).launches == 3 and len(store.launches(1)) == 3
    for attempt, argument in ((stored.begin, store), (Store, folder / "new.sqlite"), (Store, folder / "a" / "b")):
        try:
            attempt(argument)
        except StoreError as error:
            print(error, "/", error.remedy)
"""


def test_in_a_read_only_folder_results_can_be_read_but_not_added(tmp_path: Path) -> None:
    with Store(tmp_path / "results.sqlite") as store:
        stored.measured(store)
    mounting = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,ro,bind {tmp_path}"
    done = in_own_mounts(mounting, READ_ONLY.format(folder=str(tmp_path)))
    assert done.returncode == 0, done.stderr
    write, create, folder = done.stdout.splitlines()
    assert "attempt to write a readonly database / make the file and its folder writable" in write
    assert "unable to open database file / check that its folder exists and is writable" in create
    assert "cannot make the folder of the store" in folder
    assert "Read-only file system" in folder
