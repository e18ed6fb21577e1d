"""A schedule that is written and read again is the same one, and a file that is wrong is told by rank and step."""

import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.schedules import generator
from rankwise.schedules.fixed import FixedSchedule, fixed_of, proved
from rankwise.schedules.formats.goal import goal_of
from rankwise.schedules.formats.json_file import from_json, to_json
from rankwise.schedules.formats.msccl import from_msccl
from rankwise.schedules.formats.msccl_writing import to_msccl
from rankwise.schedules.formats.reading import read
from rankwise.schedules.formats.text import text_of
from rankwise.schedules.generator import RefusedError, schedules_of_file
from rankwise.schedules.model import NOWHERE, OPERATIONS, REDUCING, Kind, Memory, Place, Problem, Schedule, Step
from rankwise.schedules.prover import prove
from rankwise.schedules.written import Rank, schedule
from support.schedule_problems import made

ALGORITHMS = generator.algorithms()
every_algorithm = pytest.mark.parametrize("one", ALGORITHMS, ids=lambda one: one.id)


def fixed(operation: str, name: str, ranks: int, chunks: int, root: int = 0) -> FixedSchedule:
    problem = Problem(operation, ranks, root, chunks)
    return proved(fixed_of(generator.algorithm(operation, name), problem))[0]


@schedule("allreduce")
def ring(rank: Rank, ranks: int) -> None:
    rank.copy(rank.input[:], rank.output[:])
    for turn in range(2 * (ranks - 1)):
        rank.send((rank + 1) % ranks, rank.output[(rank - turn) % ranks])
        receive = rank.recv_reduce if turn < ranks - 1 else rank.receive
        receive((rank - 1) % ranks, rank.output[(rank - turn - 1) % ranks])


RING = proved(ring.fixed(3))[0]
TREE = fixed("bcast", "binomial", 5, 2, root=2)


@every_algorithm
def test_json_is_read_as_it_was_written(one: generator.Algorithm) -> None:
    problem = Problem(one.operation, 4, count=8)
    if made(one, problem):
        whole = fixed_of(one, problem)
        assert from_json(to_json(whole), "x.json") == whole


@every_algorithm
def test_msccl_is_read_as_what_does_the_same(one: generator.Algorithm) -> None:
    """Thread blocks put steps in an order that they had not: it must not be a circle."""
    problem = Problem(one.operation, 4, count=8)
    if not made(one, problem) or one.operation in {"barrier", "scan", "exscan"}:
        return
    again = from_msccl(to_msccl(fixed_of(one, problem)), "x.xml")
    assert (again.operation, again.ranks, again.chunks) == (one.operation, 4, 8)
    assert proved(again)[1].faults == ()


def in_another_order(one: Schedule, chance: Random) -> Schedule:
    """The same steps in another order: each behind those that it waits for, and messages in theirs."""
    left, placed, steps = list(range(len(one.steps))), dict[int, int](), list[Step]()
    while left:
        ready = [at for at in left if all(other in placed for other in one.steps[at].after)]
        number = chance.choice([at for at in ready if one.steps[at].peer < 0] or ready[:1])
        left.remove(number)
        placed[number] = len(steps)
        step = one.steps[number]
        steps.append(step._replace(after=tuple(sorted(placed[other] for other in step.after))))
    return replace(one, steps=tuple(steps))


def test_msccl_blocks_do_not_wait_for_one_another_in_a_circle() -> None:
    """The second copy of rank 0 may not wait for the first, which waits for what rank 1 sends after it."""
    out, other = Place(Memory.OUTPUT, 0), Place(Memory.OUTPUT, 1)
    first = (
        Step(Kind.RECEIVE, 1, 0, NOWHERE, other, 1),
        Step(Kind.COPY, -1, 0, other, Place(Memory.SCRATCH, 0), 1, (0,)),
        Step(Kind.COPY, -1, 0, NOWHERE, out, 1), Step(Kind.SEND, 1, 0, out, NOWHERE, 1, (2,)),
    )  # fmt: skip
    second = (
        Step(Kind.RECEIVE, 0, 0, NOWHERE, out, 1), Step(Kind.COPY, -1, 0, NOWHERE, other, 1, (0,)),
        Step(Kind.SEND, 0, 0, other, NOWHERE, 1, (1,)),
    )  # fmt: skip
    whole = FixedSchedule("allgather", 2, 0, 1, (Schedule(0, first, 1), Schedule(1, second)))
    assert proved(whole)[1].faults == ()
    assert proved(from_msccl(to_msccl(whole), "x.xml"))[1].faults == ()


@every_algorithm
@given(data=st.data())
@settings(max_examples=10)
def test_msccl_keeps_schedules_in_any_order(one: generator.Algorithm, data: st.DataObject) -> None:
    ranks, chunks = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 4))
    problem = Problem(one.operation, ranks, count=chunks)
    if not made(one, problem) or one.operation in {"barrier", "scan", "exscan"}:
        return
    chance = Random(data.draw(st.integers(0, 2**32)))
    whole = fixed_of(one, problem)
    mixed = replace(whole, schedules=tuple(in_another_order(rank, chance) for rank in whole.schedules))
    if proved(mixed)[1].right:
        assert proved(from_msccl(to_msccl(mixed), "x.xml"))[1].faults == ()


def test_goal() -> None:
    lines = goal_of(TREE.schedules, element_bytes=100).splitlines()
    assert lines[0] == "num_ranks 5"
    assert "l1: send 200b to 1 tag 0" in lines
    assert "l1: recv 200b from 2 tag 0" in lines
    assert "l2 requires l1" in lines
    assert lines.count("}") == 5
    signal = Step(Kind.SEND, 1, 0, NOWHERE, NOWHERE, 0)
    assert "l1: send 1b to 1 tag 0" in goal_of([Schedule(0, (signal,))], element_bytes=8)


@every_algorithm
@given(data=st.data())
def test_c_makes_of_a_file_what_is_right_for_any_count(
    one: generator.Algorithm, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ranks, chunks = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    problem = Problem(one.operation, ranks, count=chunks)
    if not made(one, problem):
        return
    whole, proof = proved(fixed_of(one, problem))
    assert proof.right
    path = tmp_path_factory.getbasetemp() / "schedule.txt"
    path.write_text(text_of(whole))
    count = data.draw(st.integers(0, 40)) * (chunks if whole.multiple else 1)
    turns = one.operation in {"bcast", "reduce"} and (whole.commutative or one.operation == "bcast")
    root = data.draw(st.integers(0, ranks - 1)) if turns else 0
    asked = Problem(
        one.operation, ranks, root, count, commutative=whole.commutative or one.operation not in REDUCING
    )
    found = prove(asked, schedules_of_file(path, asked))
    assert list(map(str, found.faults)) == []
    if count == chunks and root == 0:
        assert schedules_of_file(path, asked) == whole.schedules


def test_what_a_file_does_not_serve(tmp_path: Path) -> None:
    path = tmp_path / "ring.txt"
    path.write_text(text_of(RING))
    gather = tmp_path / "gather.txt"
    gather.write_text(text_of(fixed("gather", "linear", 3, 1, root=1)))
    assert not RING.multiple
    whole = tmp_path / "whole.txt"
    whole.write_text(text_of(fixed("allreduce", "ring", 3, 3)))
    for where, problem, told in (
        (path, Problem("bcast", 3), "for another operation"),
        (path, Problem("allreduce", 4), "another number of ranks"),
        (path, Problem("allreduce", 3, commutative=False), "does not keep the order of the ranks"),
        (whole, Problem("allreduce", 3, count=4), "counts that are multiples of its chunks"),
        (gather, Problem("gather", 3, root=2), "another root"),
        (gather, Problem("gather", 3, root=1, counts=(1, 2, 3)), "blocks of one length"),
    ):
        with pytest.raises(RefusedError, match=told):
            schedules_of_file(where, problem)


TEXT = text_of(RING)


@pytest.mark.parametrize(
    ("pattern", "by", "told"),
    [
        ("# rankwise schedule 1", "# rankwise schedule 2", "first line is not"),
        ("operation allreduce", "operation allred", "unknown operation 'allred'"),
        ("ranks 3", "ranks 0", "goes on with 'ranks'"),
        ("root 0", "root 3", "goes on with 'root'"),
        ("chunks 3", "chunks x", "goes on with 'chunks'"),
        ("send 1 ", "send 3 ", r"txt:\d+: a message needs a peer below 3"),
        ("copy input 0", "copy inputs 0", "a place is input, output or scratch"),
        ("copy input 0", "copy input 1", "step 0 of rank 0 is beyond the end"),
        ("copy input 0", "copy input 99999999999999999999", "no number of chunks behind 'input'"),
        ("copy input 0 output", "copy output 0 input", "step 0 of rank 0 writes to the input"),
        ("copy input 0 output 0 3", "copy input 1 output 0 2", "may be shorter: write 'multiple'"),
        ("after 0", "after 7", "can wait only for steps before it"),
        ("after 0", "behind 0", "write 'after'"),
        ("rank 0 scratch", "rank 1 scratch", "rank 0 comes next, of 3"),
        ("rank 0 scratch", "rank 0 skratch", "'rank' means nothing"),
        ("copy input", "kopy input", "'kopy' means nothing"),
        ("rank 2 .*", "", "the steps of rank 2 are missing"),
        ("rank 0 scratch 3\n", "", "a step stands before the line of its rank"),
        ("chunks 3", "chunks 3\0", "zero byte"),
    ],
)
def test_a_wrong_text(pattern: str, by: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "ring.txt"
    changed = re.sub(pattern, by.replace("\\", "\\\\"), TEXT, count=1, flags=re.DOTALL)
    assert changed != TEXT
    path.write_text(changed)
    with pytest.raises(InputError, match=told):
        schedules_of_file(path, RING.problem())


@given(seed=st.integers(0, 2**32), cuts=st.integers(1, 4))
def test_c_survives_any_text(seed: int, cuts: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It says what is wrong, or makes steps within the memories; it never crashes."""
    chance = Random(seed)
    text = TEXT
    for _ in range(cuts):
        at = chance.randrange(len(text))
        new = chance.choice(
            ["", " ", "\n", "9", "-1", "99999999999", "send", "after", "rank", "#", "scratch", "\xff"]
        )
        text = text[:at] + new + text[at + chance.randint(0, 5) :]
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(text.encode("latin-1"))
    problem = Problem("allreduce", 3, count=10)
    try:
        found = schedules_of_file(path, problem)
    except InputError as error:
        assert str(error)
        return
    faults = [str(fault) for fault in prove(problem, found).faults]
    assert not any("which has" in fault or "writes to INPUT" in fault for fault in faults), faults


WRONG_STEPS = [
    ("peer", None, "rank 1, step 2: a receive has peer and to"),
    ("peer", "two", "rank 1, step 2: Expected `int | null`, got `str` of 'peer'"),
    ("peer", -1, "rank 1, step 2: Expected `int` >= 0 of 'peer'"),
    ("do", "jump", "rank 1, step 2: Invalid enum value 'jump' of 'do'"),
    ("to", ["outptu", 0], "rank 1, step 2: Invalid enum value 'outptu'"),
    ("chunks", 1.5, "rank 1, step 2: Expected `int`, got `float` of 'chunks'"),
    ("colour", "red", "rank 1, step 2: Object contains unknown field `colour`"),
]


@pytest.mark.parametrize(("key", "value", "told"), WRONG_STEPS)
def test_a_wrong_step_in_json(key: str, value: object, told: str) -> None:
    raw = json.loads(to_json(RING))
    step = raw["schedules"][1]["steps"][2]
    assert step["do"] == "receive"
    step |= {key: value}
    with pytest.raises(InputError) as caught:
        from_json(json.dumps(raw), "mine.json")
    assert str(caught.value).startswith(f"mine.json: {told}")
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "x"}, "is not a schedule"),
        ({"version": 2}, "of version 2, and this Rankwise reads version 1"),
        ({"operation": "broadcast"}, "unknown operation 'broadcast'"),
        ({"ranks": 4}, "its schedules are not those of ranks 0 to 3"),
        ({"root": 3}, "its schedules are not"),
        ({"chunks": 0}, "Expected `int` >= 1"),
    ],
)
def test_a_wrong_head_in_json(change: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        from_json(json.dumps(json.loads(to_json(RING)) | change), "mine.json")


@given(
    st.recursive(
        st.one_of(st.none(), st.integers(), st.text(max_size=5), st.sampled_from(["send", "input", *OPERATIONS])),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["schedules", "steps", "rank", "do", "ranks", "operation"]), inner),
        ),
    )
)
def test_any_json(raw: object) -> None:
    head = {"format": "rankwise schedule", "version": 1, "operation": "bcast", "ranks": 1, "schedules": raw}
    for text in (json.dumps(raw), json.dumps(head), json.dumps(head)[:-3]):
        try:
            from_json(text, "x.json")
        except InputError as error:
            assert "x.json" in str(error)


def test_nested_json_is_refused() -> None:
    with pytest.raises(InputError):
        from_json("[" * 100000, "x.json")


MSCCL_IN_PLACE = """
<algo name="pair" nchunksperloop="2" nchannels="1" proto="LL" ngpus="2" inplace="1" coll="allreduce">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrcs" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrcs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
"""


STEP = '<step s="0" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}" cnt="1" depid="-1" deps="-1"/>'


def pair(coll: str, calls: str, chunks: str, receives: list[str], sends: list[str]) -> FixedSchedule:
    """A file of two GPUs that each receive in one thread block and send in another."""
    gpus = "".join(
        f'<gpu id="{rank}" {chunks} s_chunks="0"><tb id="0" send="-1" recv="{1 - rank}" chan="0">{receives[rank]}'
        f'</tb><tb id="1" send="{1 - rank}" recv="-1" chan="0">{sends[rank]}</tb></gpu>'
        for rank in (0, 1)
    )
    return from_msccl(f'<algo name="x" coll="{coll}" {calls} nchannels="1">{gpus}</algo>', "x.xml")


@pytest.mark.parametrize("calls", ['inplace="1"', 'inplace="1" outofplace="0"'])
def test_msccl_for_calls_in_place_alone(calls: str) -> None:
    """The input is a block of the output, or the output one of the input."""
    receives = [STEP.format("r", "o", -1, "o", 1 - rank) for rank in (0, 1)]
    sends = [STEP.format("s", "o", rank, "o", -1) for rank in (0, 1)]
    gather = pair("allgather", calls, 'i_chunks="0" o_chunks="2"', receives, sends)
    assert proved(gather)[1].faults == ()
    receives = [STEP.format("rrc", "i", rank, "i", rank) for rank in (0, 1)]
    sends = [STEP.format("s", "i", 1 - rank, "i", -1) for rank in (0, 1)]
    scatter = pair("reduce_scatter", calls, 'i_chunks="2" o_chunks="0"', receives, sends)
    assert proved(scatter)[1].faults == ()
    with pytest.raises(InputError, match="only reads"):
        pair("reduce_scatter", "", 'i_chunks="2" o_chunks="0"', receives, sends)


def test_msccl_for_calls_out_of_place_alone() -> None:
    """In place its output would overwrite the input that is still sent."""
    copy = STEP.format("cpy", "i", 0, "o", 0)
    receives = [copy + STEP.format("rrc", "o", 0, "o", 0)] * 2
    sends = [STEP.format("s", "i", 0, "i", 0)] * 2
    size = 'i_chunks="1" o_chunks="1"'
    assert proved(pair("allreduce", 'inplace="0"', size, receives, sends))[1].faults == ()
    assert proved(pair("allreduce", 'inplace="0" outofplace="1"', size, receives, sends))[1].faults == ()
    assert not proved(pair("allreduce", "", size, receives, sends))[1].right
    with pytest.raises(InputError, match="for no call"):
        pair("allreduce", 'inplace="0" outofplace="0"', size, receives, sends)


def test_msccl_in_place() -> None:
    found, proof = proved(from_msccl(MSCCL_IN_PLACE, "pair.xml"))
    assert proof.faults == ()
    assert (found.name, found.chunks, found.commutative, found.multiple) == ("pair", 2, True, False)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("<algo", "<algo ><", "is not XML"),
        ('coll="allreduce"', 'coll="all"', "expected an algo"),
        (
            'inplace="1" coll="allreduce"',
            'coll="alltoall"',
            "rank 0: it writes to the input, which alltoall only reads",
        ),
        ('gpu id="1"', 'gpu id="2"', "not numbered from 0 on"),
        ('type="rrcs"', 'type="rrxs"', "rank 0, tb 0, step 1: unknown type of step 'rrxs'"),
        ('srcbuf="i"', 'srcbuf="q"', "rank 0, tb 0, step 0: unknown buffer 'q'"),
        ('srcoff="0"', 'srcoff="-4"', 'rank 0, tb 0, step 0: srcoff="-4" is not a number'),
        ('depid="-1"', 'depid="0"', "rank 0, tb 0, step 0: it waits for a missing step"),
        ('depid="-1" deps="-1"', 'depid="0" deps="2"', "or for itself"),
        ('i_chunks="2"', 'i_chunks="0"', "rank 0: its i_chunks and o_chunks are less"),
        ('send="1"', 'send="-1"', 'rank 0, tb 0, step 0: send="-1" is not a number'),
    ],
)
def test_a_wrong_msccl_file(old: str, new: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        from_msccl(MSCCL_IN_PLACE.replace(old, new, 1), "x.xml")


@given(seed=st.integers(0, 2**32))
def test_any_msccl(seed: int) -> None:
    """Attributes of chance: read, and then proved wrong or right, or refused."""
    chance = Random(seed)
    tree = ElementTree.fromstring(MSCCL_IN_PLACE)
    for _ in range(chance.randint(1, 3)):
        element = chance.choice(list(tree.iter()))
        if element.attrib:
            name = chance.choice(list(element.attrib))
            element.set(
                name, chance.choice(["0", "1", "2", "-1", "x", "", "rrc", "s", "o", "i", "nop", "99", "9" * 30])
            )
    try:
        proved(from_msccl(ElementTree.tostring(tree, encoding="unicode"), "x.xml"))
    except InputError as error:
        assert "x.xml" in str(error)


def test_what_is_no_file_of_a_schedule(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"\xff\xfe")
    for path, told in ((tmp_path / "none.json", "file not found"), (tmp_path / "x.json", "is not a text file")):
        with pytest.raises(InputError, match=told):
            read(path)
    (tmp_path / "ring.json").write_text(to_json(RING))
    assert read(tmp_path / "ring.json", ranks=3) == replace(RING, commutative=False)
    with pytest.raises(InputError, match="of 3 ranks, not of 4"):
        read(tmp_path / "ring.json", ranks=4)
