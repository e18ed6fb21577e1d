"""The gateway has every function that makes sense across sites, and refuses the rest by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankwise.artifacts.abi import gateway
from rankwise.artifacts.abi.standard import standard
from support.mpis import FOUND

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
DOCS = Path(__file__).parents[2] / "docs" / "joined-jobs.md"
WINDOWS = {f"Win_{name}" for name in (
    "allocate", "allocate_c", "allocate_shared", "allocate_shared_c", "create", "create_c", "create_dynamic",
)}  # fmt: skip
PARTITIONED = {"Psend_init", "Precv_init"}
NEW_PROCESSES = {"Comm_spawn", "Comm_spawn_multiple"}


def test_what_is_refused_is_this_and_no_more() -> None:
    assert gateway.refused(standard(FOUND)) == WINDOWS | PARTITIONED | NEW_PROCESSES | {"File_open"}


def test_a_thread_keeps_its_turn_in_no_function_of_a_library_that_may_wait() -> None:
    text = gateway.generated(standard(FOUND))["functions.c"]
    waiting = set(re.findall(r"table->(\w+) = wait_\w+;", text))
    assert {"Recv", "Send_c", "Ssend", "Waitany", "Probe", "Mrecv_c", "Bcast_c", "Comm_dup", "Win_fence",
            "Finalize", "Intercomm_merge", "Neighbor_alltoall", "Cart_sub"} <= waiting  # fmt: skip
    assert not {"Irecv", "Isend_c", "Test", "Iprobe", "Ibcast", "Bcast_init", "Comm_free", "Type_commit", "Pack_c",
                "Reduce_local", "Win_create_keyval", "Comm_idup", "Recv_init"} & waiting  # fmt: skip
    turns = set(re.findall(r"table->(\w+) = turn_\w+;", text))
    assert {"Recv", "Comm_rank", "Wait", "Finalize", "Comm_idup"} <= turns and "Init" not in turns


def test_the_docs_name_what_is_refused() -> None:
    said = DOCS.read_text().partition("## What there is not")[2]
    for name in ("RMA", "files", "spawn", "partitioned", "sessions"):
        assert re.search(name, said), name
