"""Each launcher gets the placement in its own format, and ours reads the rankfile back."""

from pathlib import Path

import pytest

from rankwise.analysis.map.writing import USES, WRITERS, Mapped, use
from rankwise.core.jobs import Host
from rankwise.measurement.placement import place

HOSTS = ("b", "a", "a", "b", "b")


def test_the_formats() -> None:
    mapped = Mapped(HOSTS, now=("a", "a", "b", "b", "b"))
    assert {name: writer(mapped) for name, writer in WRITERS.items()} == {
        "rankfile": "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=a slot=1\nrank 3=b slot=1\nrank 4=b slot=2\n",
        "machinefile": "b:1\na:2\nb:2\n",
        "schema": "# n0 is b\n# n1 is a\nn0 -np 1 PROGRAM\nn1 -np 1 PROGRAM\nn1 -np 1 PROGRAM\n"
        "n0 -np 1 PROGRAM\nn0 -np 1 PROGRAM\n",
        "slurm": "b\na\na\nb\nb\n",
        "permutation": "1\n2\n0\n3\n4\n",
    }
    assert set(USES) == set(WRITERS)


def test_each_says_how_it_is_used() -> None:
    mapped = Mapped(HOSTS)
    said = {form: use(form, mapped, Path("/x/{ranks}")) for form in USES}
    assert said["slurm"] == "SLURM_HOSTFILE=/x/{ranks} srun --distribution=arbitrary"
    assert said["rankfile"].startswith("mpirun --host b:3,a:2 --map-by rankfile:file=/x/{ranks} (")
    assert all("/x/{ranks}" in one and "FILE" not in one.replace("HOSTFILE", "") for one in said.values())


def test_a_schema_starts_the_program_that_was_recorded() -> None:
    assert WRITERS["schema"](Mapped(("a",), program=("./app", "cg"))) == "# n0 is a\nn0 -np 1 ./app cg\n"


@pytest.mark.parametrize("now", [HOSTS, ("a", "b", "a", "b", "b"), ("b", "b", "b", "a", "a")])
def test_a_permutation_brings_each_rank_to_its_host(now: tuple[str, ...]) -> None:
    ranks = [int(line) for line in WRITERS["permutation"](Mapped(HOSTS, now)).splitlines()]
    assert sorted(ranks) == list(range(len(HOSTS)))
    assert all(HOSTS[rank] == now[process] for process, rank in enumerate(ranks))


def test_a_rankfile_places_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    file.write_text(WRITERS["rankfile"](Mapped(HOSTS)))
    assert place(str(file), [Host("a", 2), Host("b", 3)], 5) == HOSTS
