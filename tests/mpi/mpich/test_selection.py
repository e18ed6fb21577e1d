"""Selection files, asked as the library asks them, hold what was decided and the default everywhere else."""

import json
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.tuning import Choice, Decision, Rule
from rankwise.mpi.mpich import selection
from rankwise.mpi.mpich.selection import OPERATIONS, Tree, check, text, tuned

FOUR, FIVE = (4, 0, 2), (5, 0, 2)
NAMES = {
    (operation, algorithm): f"MPIR_{operation.capitalize()}_intra_{algorithm}"
    for operation in OPERATIONS
    for algorithm in ("here", "there", "smp", "reduce_scatter_allgather", "recursive_doubling")
}
PROGRAMS = ("parent", "flat")
WITHIN = ("node", "node_roots")


def found(name: str) -> Tree:
    return {f"algorithm={name}": {}}


DEFAULT: Tree = {
    "collective=bcast": {
        "comm_type=intra": {
            "comm_size<8": {
                "comm_hierarchy=parent": {"avg_msg_size<=0": found("nothing"), "avg_msg_size=any": found("tree")},
                "comm_hierarchy=any": {"avg_msg_size=any": found("few")},
            },
            "comm_size=pow2": {"avg_msg_size<=100": found("halves"), "avg_msg_size=any": found("long halves")},
            "comm_size=any": {"avg_msg_size<=100": found("odd"), "avg_msg_size=any": found("long odd")},
        },
        "comm_type=inter": found("between"),
    },
    "collective=allreduce": {
        "comm_type=intra": {
            "comm_hierarchy=parent": {"is_commutative=yes": found("hosts"), "is_commutative=no": found("order")},
            "comm_hierarchy=any": found("exchange"),
        },
        "comm_type=inter": found("between"),
    },
    "collective=alltoall": {
        "comm_type=intra": {
            "is_sendbuf_inplace=yes": found("replace"),
            "is_sendbuf_inplace=no": {
                "comm_size<8": {"avg_msg_size<=100": found("scattered"), "avg_msg_size=any": found("pairs")},
                "comm_size=any": found("many"),
            },
        },
        "comm_type=inter": found("between"),
    },
    "collective=allgather": {
        "comm_type=intra": {
            "comm_size=pow2": {"total_msg_size<100": found("double"), "total_msg_size=any": found("ring")},
            "comm_size=any": found("brucks"),
        },
        "comm_type=inter": found("between"),
    },
    "collective=scan": {"comm_hierarchy=parent": found("hosts"), "comm_hierarchy=any": found("line")},
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    operation: str
    ranks: int
    size: int = 0
    comm: str = "flat"
    in_place: bool = False
    commutative: bool = True
    built_in: bool = True
    within: bool = True


def holds(key: str, call: Call, version: tuple[int, ...], pruning: bool) -> bool:
    """What the library answers to a question; `comm_size<` it asks in two ways."""
    four = version < (5,)
    if key.endswith("=any"):
        return True
    for name, number in (
        ("avg_msg_size", call.size), ("total_msg_size", call.size * call.ranks), ("comm_size", call.ranks),
    ):  # fmt: skip
        if key.startswith(f"{name}<="):
            return number <= int(key.partition("<=")[2])
        if key.startswith(f"{name}<"):
            limit = int(key.partition("<")[2])
            return number < limit or (name == "comm_size" and number == limit and not pruning)
    if key.startswith("comm_avg_ppn<="):
        assert not four, "not asked of 4.x"
        return call.comm in PROGRAMS
    answers = {
        f"collective={call.operation}": True,
        "comm_type=intra": call.within,
        "comm_type=inter": not call.within,
        "comm_size=pow2": call.ranks & (call.ranks - 1) == 0,
        "comm_hierarchy=parent": call.comm == "parent",
        "comm_hierarchy=node": call.comm == "node" if four else call.comm != "parent",
        "comm_hierarchy=node_roots": call.comm == "node_roots" if four else call.comm != "parent",
        "is_sendbuf_inplace=yes": call.in_place,
        "is_sendbuf_inplace=no": not call.in_place,
        "is_commutative=yes": call.commutative,
        "is_commutative=no": not call.commutative,
        "is_op_built_in=yes": call.built_in,
        "is_op_built_in=no": not call.built_in,
        "count<pow2": call.size < 1 << (call.ranks.bit_length() - 1),
    }
    return answers.get(key, False)


def asked(tree: Tree, call: Call, version: tuple[int, ...], pruning: bool = True) -> str:
    """The leaf that a call comes to."""
    for key, below in tree.items():
        if key.startswith("algorithm="):
            return key
        still = pruning and key.startswith(("collective=", "comm_"))
        if holds(key, call, version, still):
            return asked(below, call, version, still)
    raise AssertionError(f"{call} comes to no algorithm")


def leaf(operation: str, choice: Choice) -> Tree:
    return found(NAMES[operation, choice.algorithm])


def chosen(call: Call, decisions: list[Decision]) -> str:
    """What was decided for a call, '' if nothing was."""
    for decision in decisions:
        if (decision.operation, decision.ranks) == (call.operation, call.ranks) and call.comm in PROGRAMS:
            algorithm = next(
                rule.choice.algorithm
                for rule in decision.rules
                if rule.up_to_bytes is None or call.size <= rule.up_to_bytes
            )
            enough = call.built_in and call.size >= 1 << (call.ranks.bit_length() - 1)
            fits = {"smp": call.comm == "parent", "reduce_scatter_allgather": enough}.get(algorithm, True)
            in_place = call.operation == "alltoall" and call.in_place
            ordered = call.operation == "allreduce" and not call.commutative
            if algorithm and call.within and fits and not in_place and not ordered:
                return f"algorithm={NAMES[call.operation, algorithm]}"
    return ""


@st.composite
def decisions_of(draw: st.DrawFn) -> list[Decision]:
    decided = []
    pairs = st.tuples(st.sampled_from(["bcast", "allreduce", "alltoall", "allgather", "scan"]), st.integers(2, 9))
    for operation, ranks in draw(st.lists(pairs, min_size=1, max_size=4, unique=True)):
        limits = sorted(draw(st.sets(st.integers(0, 200), max_size=3))) if OPERATIONS[operation].size else []
        names = ["", "here", "there"]
        names += {"allreduce": ["smp", "reduce_scatter_allgather"], "bcast": ["smp"]}.get(operation, [])
        choices = st.sampled_from(names).map(Choice)
        rules = tuple(Rule(limit, draw(choices)) for limit in [*limits, None])
        decided.append(Decision(operation, ranks, rules))
    return decided


calls = st.builds(
    Call, st.sampled_from(["bcast", "allreduce", "alltoall", "allgather", "scan"]), st.integers(1, 17),
    st.integers(0, 210), st.sampled_from(PROGRAMS + WITHIN), *(4 * [st.booleans()]),
)  # fmt: skip


@given(decisions_of(), st.lists(calls, min_size=1, max_size=20), st.sampled_from([FOUR, FIVE]))
def test_what_was_decided_holds_there_and_the_default_everywhere_else(
    decided: list[Decision], some: list[Call], version: tuple[int, ...]
) -> None:
    tree = json.loads(text(tuned(DEFAULT, decided, leaf, NAMES, version)))
    near = [
        replace(call, operation=one.operation, ranks=one.ranks, size=rule.up_to_bytes + more)
        for one in decided
        for rule in one.rules
        if rule.up_to_bytes is not None
        for more in (0, 1)
        for call in some[:3]
    ]
    for call in [*some, *near]:
        if call.operation == "scan" and not call.within:
            continue
        expected = chosen(call, decided) or asked(DEFAULT, call, version)
        assert asked(tree, call, version) == expected, call


@pytest.mark.parametrize("version", [FOUR, FIVE])
def test_where_the_default_is_kept_it_is_asked_when_it_was_before(version: tuple[int, ...]) -> None:
    """Fewer than 8 ranks are 8 as well, if that is asked at each call."""
    decision = Decision("bcast", 8, (Rule(50, Choice("here")), Rule(None, Choice())))
    tree = tuned(DEFAULT, [decision], leaf, NAMES, version)
    assert asked(tree, Call("bcast", 8, 50), version) == "algorithm=MPIR_Bcast_intra_here"
    assert asked(tree, Call("bcast", 8, 51), version) == "algorithm=halves"


def test_a_file_never_ends_where_a_page_of_memory_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    for bytes_of_page in range(1, 60):
        monkeypatch.setattr(selection, "_PAGE_BYTES", bytes_of_page + 1)
        assert len(text({"collective=bcast": found("tree")})) % (bytes_of_page + 1)


@pytest.mark.parametrize(
    ("decision", "word"),
    [
        (Decision("bcast", 1, (Rule(None, Choice("here")),)), "1 ranks"),
        (Decision("bcast", 4, ()), "largest"),
        (Decision("bcast", 4, (Rule(100, Choice("here")),)), "largest"),
        (Decision("bcast", 4, (Rule(None, Choice("here")), Rule(None, Choice("there")))), "sorted by size"),
        (
            Decision("bcast", 4, (Rule(9, Choice()), Rule(9, Choice("here")), Rule(None, Choice()))),
            "sorted by size",
        ),
        (
            Decision("bcast", 4, (Rule(9, Choice()), Rule(8, Choice("here")), Rule(None, Choice()))),
            "sorted by size",
        ),
        (Decision("bcast", 4, (Rule(2**31, Choice("here")), Rule(None, Choice()))), "2147483648"),
        (Decision("allgather", 4, (Rule(2**29, Choice("here")), Rule(None, Choice()))), "536870912"),
        (Decision("gather", 4, (Rule(9, Choice("here")), Rule(None, Choice()))), "gather"),
        (Decision("allgather", 3, (Rule(None, Choice("recursive_doubling")),)), "power of two"),
    ],
)
def test_what_a_file_cannot_express_is_refused(decision: Decision, word: str) -> None:
    with pytest.raises(InputError, match=word):
        check(decision, NAMES)


def test_what_a_file_can_express_is_not() -> None:
    check(Decision("allgather", 4, (Rule(2**29 - 1, Choice("recursive_doubling")), Rule(None, Choice()))), NAMES)
    check(Decision("gather", 4, (Rule(None, Choice("here")),)), NAMES)
