"""What Open MPI makes of the values of its parameters, as its own ompi_info shows it."""

import os
import subprocess
from pathlib import Path

import pytest

from rankwise.mpi.openmpi.parameters import Parameter, parse
from rankwise.mpi.openmpi.values import objection
from support.mpis import FOUND

WHOLE = ("int", "unsigned_int", "size_t", "unsigned_long")
FLAGS = Parameter("send", (("1", "send"), ("2", "put"), ("4", "get"), ("8", "inplace")), type="unsigned_int")
CHOICES = Parameter("ignore", (("0", "ignore"), ("1", "linear"), ("2", "binomial")), type="int")
LEVELS = Parameter("error", (("-1", "none"), ("0", "error"), ("80", "debug"), ("100", "max")), type="int")
AUTO = Parameter("auto", (("-1", "auto"), ("0", "false"), ("1", "true")), type="int")
TRUTH = Parameter("false", (("0", "false"), ("1", "true")), type="bool")


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("value", ["0", "10", "0x10", "010", "4K", "4k", "4KB", "1g", "3 # three", ""])
def test_whole_numbers(kind: str, value: str) -> None:
    assert objection("x", Parameter(type=kind), value) is None


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize(
    ("value", "taken"), [("abc", "0"), ("64 K", "64"), ("12abc", "12"), ('"20"', "0"), ("5.5", "5")]
)
def test_whole_numbers_that_are_taken_for_others(kind: str, value: str, taken: str) -> None:
    found = objection("x", Parameter(type=kind), value)
    assert found is not None and found.message.endswith(f" for {taken}")


def test_the_remedy_keeps_the_unit() -> None:
    found = objection("x", Parameter(type="int"), "64 K")
    assert found is not None and found.remedy == "write 65536"


@pytest.mark.parametrize(
    ("kind", "value", "right"),
    [
        ("int", "-5", True), ("unsigned_int", "-5", False), ("int", "2147483648", False), ("int", "2g", False),
        ("unsigned_int", "4294967295", True), ("unsigned_int", "4g", False), ("size_t", "64g", True),
        ("size_t", "9" * 30, False), ("size_t", "9" * 4000, False), ("double", "1.5", True),
        ("double", "x", False), ("string", "eth0 # c", False), ("string", "any, text=1", True), ("", "x", True),
    ],
)  # fmt: skip
def test_ranges_and_other_types(kind: str, value: str, right: bool) -> None:
    assert (objection("x", Parameter(type=kind), value) is None) == right


@pytest.mark.parametrize(
    ("parameter", "value", "right"),
    [
        (CHOICES, "BINOMIAL", True), (CHOICES, "2", True), (CHOICES, "0x2", True), (CHOICES, "3", False),
        (CHOICES, "binomal", False), (CHOICES, "2 # two", False), (CHOICES, "linear,binomial", False),
        (FLAGS, "send,get", True), (FLAGS, "77", True), (FLAGS, "send,gte", False),
        (LEVELS, "33", True), (LEVELS, "debug", True), (LEVELS, "loud", False),
        (AUTO, "auto", True), (AUTO, "yes", True), (AUTO, "maybe", False),
        (TRUTH, "yes", True), (TRUTH, "7", True), (TRUTH, "TRUE", False), (TRUTH, "on", False),
        (TRUTH, "1 # x", False),
    ],
)  # fmt: skip
def test_choices(parameter: Parameter, value: str, right: bool) -> None:
    assert (objection("x", parameter, value) is None) == right


def test_the_nearest_choice_is_the_remedy() -> None:
    found = objection("x", CHOICES, "binomal")
    assert found is not None and "binomial" in found.remedy


TRIED = {
    "btl_tcp_sndbuf": "4K", "btl_tcp_rcvbuf": "abc", "btl_tcp_links": "0x10", "btl_tcp_eager_limit": "64 K",
    "btl_tcp_max_send_size": "12abc", "btl_tcp_rndv_eager_limit": "128k", "btl_tcp_exclusivity": "-5",
    "coll_tuned_init_tree_fanout": "-5", "coll_tuned_priority": '"20"', "coll_tuned_bcast_algorithm": "BINOMIAL",
    "coll_tuned_allreduce_algorithm": "rabenseifer", "coll_tuned_reduce_algorithm": "0x5",
    "mpi_param_check": "yes", "coll_base_verbose": "33", "coll_tuned_gather_algorithm": "1 # linear",
}  # fmt: skip
_SAME = {"0x10": "16", "4K": "4096", "128k": "131072", "BINOMIAL": "binomial", "0x5": "binomial", "yes": "true"}


@pytest.mark.mpi
@pytest.mark.nightly
@pytest.mark.parametrize("one", [one for one in FOUND if one.family == "openmpi"], ids=lambda one: one.id)
def test_ompi_info_itself_gives_the_same_answer(one, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A value is right where `ompi_info` shows it in force."""
    lines = "".join(f"{name} = {value}\n" for name, value in TRIED.items())
    (tmp_path / "a.conf").write_text(lines)
    tool = next(
        path for path in Path(one.mpicc).parent.glob("ompi_info*")
        if path.suffix == Path(one.mpicc).suffix or path.name == "ompi_info"
    )  # fmt: skip
    environment = {**os.environ, **dict(one.environment)}
    argv = [str(tool), "--param", "all", "all", "--level", "9", "--parsable"]
    known = parse(
        subprocess.run(argv, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    )
    environment["OMPI_MCA_mca_base_param_files"] = str(tmp_path / "a.conf")
    told = parse(
        subprocess.run(argv, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    )
    for name, value in TRIED.items():
        parameter = known.parameters[name]
        is_right = told.parameters[name].value in (value, _SAME.get(value))
        if {"debug", "max"} <= {choice for _, choice in parameter.choices}:
            is_right = told.parameters[name].value != parameter.value
        assert (objection(name, parameter, value) is None) == is_right, (name, told.parameters[name].value)
