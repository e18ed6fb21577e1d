"""`bench --verify` tells right data from wrong: by its table, its JSON and its exit code."""

import json
from pathlib import Path

import pytest

from support.command_line import rankwise
from support.mpis import FOUND
from support.real_harness import SPOILING

IDS = [one.id for one in FOUND if one.source == "pypi"]
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not IDS, reason="no MPI of PyPI here")]


def test_right_data_is_told_as_verified(tmp_path: Path) -> None:
    words = ["bench", "pingpong", "allreduce", "--verify", "-n", "2", "--sizes", "8,64K", "--launches", "1"]
    done = rankwise(*words, "--mpi", ",".join(IDS), "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["failed"] == []
    verified = {(one["implementation"], one["benchmark"], one["size_bytes"]) for one in told["verified"]}
    assert verified == {
        (mpi, name, size) for mpi in IDS for name in ("pingpong", "allreduce") for size in (8, 65536)
    }


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_byte_that_is_wrong_is_told_and_fails_the_command(options: tuple[str, ...], tmp_path: Path) -> None:
    kernels = tmp_path / "plugins" / "csrc" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "spoiling.c").write_text(SPOILING)
    words = ["bench", "bcast", "spoiling", "--verify", "-n", "2", "--sizes", "64", "--launches", "1"]
    done = rankwise(*words, "--mpi", IDS[0], *options, home=tmp_path, RANKWISE_PLUGINS=str(kernels.parents[1]))
    assert done.returncode == 1, done.stdout + done.stderr
    if options:
        told = json.loads(done.stdout)
        assert {one["cell"]["benchmark"]: one["kind"] for one in told["failed"]} == {"spoiling": "wrong data"}
        assert {one["benchmark"] for one in told["verified"]} == {"bcast"}
    else:
        assert "spoiling" in done.stdout and "wrong data" in done.stdout
