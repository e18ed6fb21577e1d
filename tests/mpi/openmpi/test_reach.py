"""A rule for few ranks acts inside operations on more, where Open MPI does these in steps: seen by messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mpi.openmpi.test_settings import FAMILY, compiled, job, loaded
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import Choice, Decision, Rule, Setting, Tuning
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, working

IDS = [one.id for one in FOUND if one.family == "openmpi"]
SIZE = 4096
LINEAR = Tuning(decisions=(Decision("bcast", 4, (Rule(None, Choice("basic_linear")),)),))
CHAIN = Tuning(decisions=(Decision("bcast", 4, (Rule(None, Choice("chain", fanout=1)),)),))
WITHOUT_HAN = Setting("han", "off")
pytestmark = [pytest.mark.mpi, needs_emulation]
Sent = tuple[tuple[int, ...], ...]
"""By rank: messages on communicators of 0, 1, 2... ranks."""
Measure = Callable[..., Sent]


@pytest.fixture(scope="module")
def testbed() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("nested", delay_seconds=2e-4)) as up:
        yield up


@pytest.fixture(scope="module", params=IDS)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Implementation, Path]:
    one = working(request.param)
    return one, compiled(one, "nested.c", tmp_path_factory.mktemp("nested"))


@pytest.fixture
def sent(real: tuple[Implementation, Path], testbed: EmulatedTestbed, tmp_path: Path) -> Measure:
    """Messages of a broadcast with a tuning, with ranks on these hosts."""
    one, program = real

    def of(tuning: Tuning, *hosts: str) -> Sent:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        environment: Environment = loaded(one, tuning, folder) if tuning != Tuning() else ()
        files = tuple(str(path) for path in folder.glob("*.conf"))
        asked = replace(job(program, len(hosts), [str(SIZE)], environment, hosts), start=testbed.process_start())
        outcome = testbed.run(FamilyLauncher().steps(one, replace(asked, files=files)), hosts, 60)
        assert outcome.returncode == 0, outcome.stdout + outcome.stderr
        found = dict(re.findall(rf"^sent {SIZE} (\d+): (.*)$", outcome.stdout, re.M))
        return tuple(tuple(map(int, found[str(rank)].split())) for rank in range(len(hosts)))

    return of


def takes_steps(one: Implementation) -> bool:
    """Whether HAN is on by default: from Open MPI 5 on."""
    return any((knob.name, knob.default) == ("han", "on") for knob in FAMILY.knobs(one))


TWO_NODES = ("a1",) * 4 + ("b1",) * 4
FOUR_NODES = ("a1", "a1", "a2", "a2", "b1", "b1", "b2", "b2")


def on_four(found: Sent) -> tuple[int, ...]:
    return tuple(of_rank[4] for of_rank in found)


@pytest.mark.parametrize(
    "hosts",
    [TWO_NODES, pytest.param(FOUR_NODES, marks=pytest.mark.nightly)],
    ids=["within nodes", "between nodes"],
)
def test_steps_of_so_many_ranks_follow_the_rule(
    real: tuple[Implementation, Path], sent: Measure, hosts: tuple[str, ...]
) -> None:
    default, linear, chain = (sent(tuning, *hosts) for tuning in (Tuning(), LINEAR, CHAIN))
    if not takes_steps(real[0]):
        assert default == linear == chain
        return
    assert sum(on_four(default)) > 0, "the operation has steps of four ranks"
    assert max(on_four(linear)) > max(on_four(chain)), "its first rank sends to all, or each to the next"


@pytest.mark.nightly
@pytest.mark.parametrize("hosts", [TWO_NODES, FOUR_NODES], ids=["within nodes", "between nodes"])
def test_without_steps_the_rule_is_for_its_own_communicators(
    real: tuple[Implementation, Path], sent: Measure, hosts: tuple[str, ...]
) -> None:
    off = Tuning((WITHOUT_HAN,) if takes_steps(real[0]) else ())
    assert sent(off, *hosts) == sent(replace(LINEAR, settings=off.settings), *hosts)
