"""A host that does not see a profile's files gets copies: every rank reads the same rules, or ranks would part."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.core.tuning import Choice, Decision, Rule, Tuning
from rankwise.mpi.family import family_named
from rankwise.profiles.writing import write
from support.command_line import rankwise
from support.mpis import FOUND, by_day, working
from support.profiles import part, profile
from support.sshd import servers

RULES = {
    "openmpi": "OMPI_MCA_coll_tuned_dynamic_rules_filename",
    "mpich": "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
}
IDS = [one.id for one in FOUND if one.source == "pypi" and one.family in RULES]
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide a folder from a server"),
]


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    """A PATH whose ssh reaches `left` and `right`, of which the second sees neither the profile nor the cache."""
    (tmp_path / "hosts").write_text("left\nright\n")
    (hidden := tmp_path / "home").mkdir()
    (hidden / "here").touch()
    (tmp_path / "servers").mkdir()
    with servers(tmp_path / "servers", "left") as found:
        found.start("right", hidden=hidden)
        yield f"{found.add_to_path()}:{os.environ['PATH']}"


@pytest.mark.parametrize("implementation_id", by_day(IDS, "openmpi"))
def test_every_rank_reads_the_same_rules(implementation_id: str, tmp_path: Path, path: str) -> None:
    one = working(implementation_id)
    tuning = Tuning(decisions=(Decision("bcast", 2, (Rule(None, Choice("binomial")),)),))
    made = profile(part(one.id, family_named(one.family).native(one, tuning), tuning))
    folder = write(made, tmp_path / "home")
    (rules,) = (folder / one.id).glob("*algorithms.json" if one.family == "mpich" else "tuned-rules.*")
    who = f"[ -e {tmp_path}/home/here ] && who=left || who=right"
    show = f'{who}; echo "$who: $(cksum <"${RULES[one.family]}") ${RULES[one.family]}"; sleep 1'
    done = rankwise(
        "run", "--profile", str(folder), "--mpi", one.id, "-n", "2", "--hostfile", str(tmp_path / "hosts"),
        "--", "sh", "-c", show, home=tmp_path / "home", PATH=path, XDG_CACHE_HOME=str(tmp_path / "home/cache"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = dict(re.findall(r"(left|right): (\d+ \d+) /tmp/rankwise-", done.stdout))  # copies, on both
    assert set(found) == {"left", "right"}, done.stdout + done.stderr
    assert found["left"] == found["right"]
    assert found["left"].split()[1] == str(rules.stat().st_size)


EACH_NODE = {
    "openmpi": "mpiexec --allow-run-as-root --host left,right --map-by ppr:1:node",
    "mpich": "mpiexec -hosts left,right -ppn 1 -n 2",
}


@pytest.mark.parametrize("implementation_id", by_day(IDS, "mpich"))
def test_load_sh_says_which_node_lacks_the_files(implementation_id: str, tmp_path: Path, path: str) -> None:
    one = working(implementation_id)
    tuning = Tuning(decisions=(Decision("bcast", 2, (Rule(None, Choice("binomial")),)),))
    made = profile(part(one.id, family_named(one.family).native(one, tuning), tuning))
    for home, lacking in (("home", 1), ("everywhere", 0)):
        (tmp_path / home).mkdir(exist_ok=True)
        folder = write(made, tmp_path / home) / one.id
        environment = {
            **os.environ, **dict(one.environment), "PATH": f"{Path(one.mpiexec).parent}:{path}",
            "RANKWISE_CHECK": EACH_NODE[one.family],
        }  # fmt: skip
        done = subprocess.run(
            ["sh", "-c", '. "$0" && echo loaded', folder / "load.sh"], capture_output=True, text=True, timeout=60,
            check=False, env=environment,
        )  # fmt: skip
        assert done.stderr.count(f": {folder} is missing, or another") == lacking, done.stderr
        assert (done.stdout == "loaded\n") == (not lacking), done.stderr
