"""What killed jobs left in /dev/shm goes; what a process has, other users' files, and other names stay."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from rankwise.mpi.family import families
from rankwise.workflows import abi, leftovers
from support.abi import compiled, needs_compiler, prepare
from support.command_line import rankwise, started
from support.mpis import FOUND
from support.ordinary_user import needs_root
from support.other_user import BOB

NAMES = ("mpich_shm_1b3675d1_0", "sm_segment.vm.0.ff510001.0", "vader_segment.vm.0.63920001.1")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_no_process_has_goes(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(bytes(4096))
    assert leftovers.clear_shared_memory(tmp_path) == [tmp_path / name]
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("how", ["open", "mapped"])
def test_a_file_that_a_process_has_stays(how: str, tmp_path: Path) -> None:
    file = tmp_path / NAMES[0]
    file.write_bytes(bytes(4096))
    code = (
        f"import mmap, sys, time\nfile = open({str(file)!r}, 'r+b')\n"
        + ("place = mmap.mmap(file.fileno(), 4096)\nfile.close()\n" if how == "mapped" else "")
        + "print('has it', flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert leftovers.clear_shared_memory(tmp_path) == [] and file.exists()
        child.kill()
        child.wait(10)
    assert leftovers.clear_shared_memory(tmp_path) == [file]


def test_one_that_this_process_has_mapped_stays(tmp_path: Path) -> None:
    file = tmp_path / NAMES[0]
    file.write_bytes(bytes(4096))
    with file.open("r+b") as stream, mmap.mmap(stream.fileno(), 4096):
        assert leftovers.clear_shared_memory(tmp_path) == []


def test_other_names_links_and_folders_stay(tmp_path: Path) -> None:
    (tmp_path / "psm2_shm.1").write_bytes(bytes(9))
    (tmp_path / "mpich_shm_2").mkdir()
    (tmp_path / "mpich_shm_3").symlink_to("psm2_shm.1")
    assert leftovers.clear_shared_memory(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 3


@needs_root
def test_files_of_other_users_stay(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes(bytes(9))
        os.chown(tmp_path / name, BOB, BOB)
    assert leftovers.clear_shared_memory(tmp_path) == []


@pytest.mark.mpi
@needs_compiler
@pytest.mark.timeout(300)
@pytest.mark.parametrize("family", ["mpich-5", "openmpi-5"])
def test_what_a_killed_job_left_is_found_by_the_next_verb(family: str, tmp_path: Path) -> None:
    """Its ranks are killed too, so that no library cleans up."""
    prepare(family)
    one = next(one for one in FOUND if one.id.startswith(family))
    line = ["run", "--mpi", one.id, "--abi", "-n", "2", "--", str(compiled("joined_where")), "wait"]
    with started(*line, home=tmp_path) as job:
        assert job.stdout is not None
        job.stdout.readline()
        job.stdout.readline()
        all_of_it = [psutil.Process(job.pid), *psutil.Process(job.pid).children(recursive=True)]
        mapped = {
            Path(part.path) for one in all_of_it if one.name() == "joined_where"
            for part in one.memory_maps(grouped=False) if part.path.startswith("/dev/shm/")
        }  # fmt: skip
        patterns = {pattern for known in families().values() for pattern in known.shared_memory}
        files = {one for one in mapped if any(one.match(pattern) for pattern in patterns)}
        assert files
        rankwise("runs", home=tmp_path)
        assert all(one.exists() for one in files), "those of a job that runs stay"
        for one in all_of_it:
            one.suspend()
        for one in all_of_it:
            one.kill()
        psutil.wait_procs(all_of_it, 10)
    rankwise("runs", home=tmp_path)
    assert not any(one.exists() for one in files)


def test_published_names_stay() -> None:
    """They are those of jobs that run."""
    (folder := abi.names_folder()).mkdir(exist_ok=True)
    (folder / "kept.port").write_text("rankwise:")
    try:
        leftovers.clear()
        assert (folder / "kept.port").exists()
    finally:
        (folder / "kept.port").unlink(missing_ok=True)
