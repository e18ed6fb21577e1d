"""Algorithms are compiled once, plug-ins are found beside ours, and C is told of a problem what was asked."""

from pathlib import Path

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.schedules import generator
from rankwise.schedules.generator import RefusedError
from rankwise.schedules.model import OPERATIONS, Network, Place, Problem
from rankwise.schedules.prover import prove

PLUGIN = """
#include "algorithm.h"

static const char *objection(const Problem *p)
{
    return p->network && p->network->sites > 2 ? "it knows two sites" : NULL;
}

static void generate(Schedule *s, const Problem *p)
{
    const double delay = p->network && p->network->delay_seconds ? p->network->delay_seconds[1] : 0;
    add_scratch(s, site_of(p->network, p->rank) * 1000000 + (int64_t)(delay * 1000) * 1000 +
                   p->segment * 100 + p->fan_out * 10 + p->lanes);
    if (p->rank == p->root)
        for (int r = 0; r < p->ranks; r++)
            if (r != p->root)
                add_send(s, r, 0, broadcast_place(p), p->count, NO_STEP);
    if (p->rank != p->root)
        add_receive(s, p->root, 0, broadcast_place(p), p->count, NO_STEP);
}

ALGORITHM(mine, BCAST) = {
    .description = "of a plug-in",
    .generate = generate,
    .segmented = true,
    .objection = objection,
};
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> generator.Algorithm:
    (tmp_path / "csrc" / "schedules").mkdir(parents=True)
    (tmp_path / "csrc" / "schedules" / "bcast_mine.c").write_text(PLUGIN)
    monkeypatch.setenv("RANKWISE_PLUGINS", str(tmp_path))
    return generator.algorithm("bcast", "mine")


def test_an_algorithm_of_a_plug_in(plugin: generator.Algorithm) -> None:
    assert (plugin.id, plugin.description, plugin.segmented, plugin.fans) == (
        "bcast.mine",
        "of a plug-in",
        True,
        False,
    )
    problem = Problem("bcast", 5, root=3, count=2)
    assert prove(problem, generator.schedules(plugin, problem)).right
    assert "bcast.binomial" in {one.id for one in generator.algorithms()}


def test_c_is_told_what_was_asked(plugin: generator.Algorithm) -> None:
    network = Network(((0, 1, 1),), ((0.0, 0.005), (0.005, 0.0)))
    problem = Problem("bcast", 3, segment=3, fan_out=4, lanes=5, network=network)
    assert [one.scratch for one in generator.schedules(plugin, problem)] == [5345, 1005345, 1005345]
    with pytest.raises(RefusedError, match="it knows two sites"):
        generator.schedules(plugin, Problem("bcast", 3, network=Network(((0, 1, 2),))))


def test_a_plug_in_is_gone_with_its_folder() -> None:
    with pytest.raises(UnknownNameError):
        generator.algorithm("bcast", "mine")


def test_they_stand_in_the_order_of_the_operations() -> None:
    found = [(OPERATIONS.index(one.operation), one.name) for one in generator.algorithms()]
    assert found == sorted(found)
    assert len(set(found)) == len(found)


def test_every_rank_of_a_v_variant_knows_what_a_program_would_tell_it() -> None:
    """In a gatherv only the root knows the lengths of all blocks."""
    problem = Problem("gather", 4, root=1, counts=(3, 0, 2, 5))
    root = generator.schedule(generator.algorithm("gather", "linear"), problem, 1)
    assert {(step.peer, step.target.offset, step.length) for step in root.steps if step.peer >= 0} == {
        (0, 0, 3), (2, 3, 2), (3, 5, 5),
    }  # fmt: skip
    other = generator.schedule(generator.algorithm("gather", "linear"), problem, 3)
    assert [(step.peer, step.source, step.length) for step in other.steps] == [(1, Place(0, 0), 5)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (lambda: Problem("bcast", 0), "root of 0 ranks"),
        (lambda: Problem("bcast", 4, root=4), "rank 4 cannot be the root"),
        (lambda: Problem("bcast", 4, count=-1), "negative"),
        (lambda: Problem("gather", 3, counts=(1, 2)), "2 counts for gather on 3 ranks"),
        (lambda: Problem("bcast", 2, counts=(1, 2)), "2 counts for bcast"),
        (lambda: Problem("alltoall", 2, matrix=((1, 2), (3,))), "does not fit"),
        (lambda: Problem("bcast", 2, network=Network(((0, 0, 1),))), "the network has 3 ranks, the operation 2"),
        (lambda: Problem("brodcast", 2), "unknown operation"),
    ],
)
def test_a_problem_that_makes_no_sense(problem: type[Problem], told: str) -> None:
    with pytest.raises(InputError, match=told):
        problem()  # type: ignore[call-arg]
