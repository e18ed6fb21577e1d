"""Each launcher gets the placement in its own format, and ours reads the rankfile back."""

from pathlib import Path

from rankwise.analysis.map.writing import USES, WRITERS
from rankwise.core.jobs import Host
from rankwise.measurement.placement import place

HOSTS = ("b", "a", "a", "b", "b")


def test_the_formats() -> None:
    written = {name: writer(HOSTS) for name, writer in WRITERS.items()}
    assert written == {
        "rankfile": "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=a slot=1\nrank 3=b slot=1\nrank 4=b slot=2\n",
        "machinefile": "b:1\na:2\nb:2\n",
        "schema": "# n0 is b\n# n1 is a\nn0 -np 1 PROGRAM\nn1 -np 1 PROGRAM\nn1 -np 1 PROGRAM\n"
        "n0 -np 1 PROGRAM\nn0 -np 1 PROGRAM\n",
        "slurm": "b\na\na\nb\nb\n",
        "permutation": "0\n3\n4\n1\n2\n",
    }
    assert set(USES) == set(WRITERS)


def test_a_rankfile_places_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    file.write_text(WRITERS["rankfile"](HOSTS))
    assert place(str(file), [Host("a", 2), Host("b", 3)], 5) == HOSTS
