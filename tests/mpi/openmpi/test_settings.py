"""Open MPI's settings act in real runs where they should, and nowhere else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Job
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import FOLDER, Choice, Decision, Native, Rule, Setting, Tuning
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.mpi.openmpi import settings
from rankwise.mpi.openmpi.parameters import VARIABLE, installation
from rankwise.mpi.openmpi.settings import HAN_RULES_FILE, JSON_RULES_FILE, RULES_FILE
from rankwise.profiles.loading import place
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, working
from support.ompi_info import example

FAMILY = family_named("openmpi")
IDS = [one.id for one in FOUND if one.family == "openmpi"]


def tuning_of(**values: str) -> Tuning:
    return Tuning(tuple(Setting(name.replace("_", "-"), value) for name, value in values.items()))


def written(tuning: Tuning, *without: str) -> dict[str, str]:
    """The parameters that variables set, without what names files."""
    found = settings.native(example(*without), tuning).environment
    assert all(name.startswith(VARIABLE) for name, _ in found)
    return {name.removeprefix(VARIABLE): value for name, value in found if FOLDER not in value}


def test_knobs_are_those_that_the_installation_has() -> None:
    knobs = {one.name: one for one in settings.knobs(example())}
    assert list(knobs) == [
        "eager-threshold", "eager-threshold-shm", "socket-buffers", "tcp-connections", "transport",
        "yielding", "han", "adapt",
    ]  # fmt: skip
    assert knobs["eager-threshold"].native == ("btl_tcp_eager_limit",)
    assert knobs["eager-threshold-shm"].most == 4194304 // 8
    assert knobs["transport"].values == ("auto", "tcp", "shm+tcp", "ucx")
    assert {name: one.default for name, one in knobs.items()} == {
        "eager-threshold": "65536", "eager-threshold-shm": "4096", "socket-buffers": "auto",
        "tcp-connections": "1",
        "transport": "auto", "yielding": "off", "han": "on", "adapt": "off",
    }  # fmt: skip
    less = settings.knobs(example("btl_tcp_links", "coll_han_priority", "pml:ucx", "btl_sm_eager_limit"))
    assert [one.name for one in less] == ["eager-threshold", "socket-buffers", "transport", "yielding", "adapt"]
    assert less[2].values == ("auto", "tcp")


def test_settings_are_variables_and_nothing_of_this_host() -> None:
    """The parameter files that are read anyway are those of wherever it is loaded."""
    native = settings.native(example(), tuning_of(eager_threshold="1048576", socket_buffers="65536"))
    assert native == Native(environment=(
        ("OMPI_MCA_btl_tcp_eager_limit", "1048576"), ("OMPI_MCA_btl_tcp_sndbuf", "65536"),
        ("OMPI_MCA_btl_tcp_rcvbuf", "65536"),
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("tuning", "parameters"),
    [
        (tuning_of(socket_buffers="auto"), {"btl_tcp_sndbuf": "0", "btl_tcp_rcvbuf": "0"}),
        (tuning_of(transport="auto"), {}),
        (tuning_of(transport="shm+tcp"), {"pml": "ob1", "btl": "self,sm,tcp"}),
        (tuning_of(yielding="on", han="off"), {"mpi_yield_when_idle": "1", "coll_han_priority": "0"}),
        (tuning_of(tcp_connections="2", han="on"), {"btl_tcp_links": "2", "coll_han_priority": "35"}),
    ],
)
def test_each_value_in_open_mpis_words(tuning: Tuning, parameters: dict[str, str]) -> None:
    assert written(tuning) == parameters


BCAST = (Decision("bcast", 4, (Rule(None, Choice("pipeline")),)),)


def test_decisions_are_rules_files_named_where_a_copy_on_another_host_can_be_named_instead() -> None:
    native = settings.native(example(), Tuning(decisions=BCAST))
    files, variables = dict(native.files), dict(native.environment)
    assert variables["OMPI_MCA_coll_tuned_dynamic_rules_filename"] == f"{FOLDER}/{RULES_FILE}"
    assert variables["OMPI_MCA_coll_han_dynamic_rules_filename"] == f"{FOLDER}/{HAN_RULES_FILE}"
    assert FOLDER not in "".join(files.values())
    assert list(files) == [RULES_FILE, HAN_RULES_FILE]
    assert written(Tuning(decisions=BCAST)) == {
        "coll_tuned_use_dynamic_rules": "1", "coll_han_use_dynamic_file_rules": "1",
    }  # fmt: skip
    for tuning, without in (
        (Tuning((Setting("han", "off"),), BCAST), ()),
        (Tuning(decisions=BCAST), ("coll_han_priority",)),
    ):
        assert [name for name, _ in settings.native(example(*without), tuning).files] == [RULES_FILE]


@pytest.mark.parametrize(
    ("version", "file"),
    [("4.1.4", RULES_FILE), ("5.0.11", RULES_FILE), ("6.0.0", JSON_RULES_FILE), ("10.0", JSON_RULES_FILE)],
)
def test_rules_are_json_from_version_6_on(version: str, file: str) -> None:
    native = settings.native(replace(example(), version=version), Tuning(decisions=BCAST))
    assert native.files[0][0] == file
    assert native.files[0][1].startswith("{") == file.endswith(".json")
    assert dict(native.environment)["OMPI_MCA_coll_tuned_dynamic_rules_filename"] == f"{FOLDER}/{file}"


@pytest.mark.parametrize(
    ("tuning", "words"),
    [
        (tuning_of(eager_threshold="1000"), "eager-threshold = 1000: not a number from 1024 to"),
        (tuning_of(eager_threshold="64K"), "eager-threshold = 64K"),
        (tuning_of(tcp_connections="auto"), "tcp-connections = auto"),
        (tuning_of(yielding="yes"), "unknown value of yielding 'yes'"),
        (
            Tuning((Setting("tcp-connections", "1"), Setting("tcp-connections", "2"))),
            "tcp-connections is set twice",
        ),
    ],
)
def test_values_that_a_knob_has_not_are_refused(tuning: Tuning, words: str) -> None:
    with pytest.raises(InputError, match=words):
        written(tuning)


def test_a_knob_that_this_version_lacks_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        written(tuning_of(eager_threshold_shm="8192"), "btl_sm_eager_limit")
    assert "did you mean eager-threshold?" in caught.value.remedy


def test_what_rank_0_prints_is_evidence() -> None:
    output = "\n".join(
        f"[a:1] {name}={value} (default)"
        for name, value in {
            "btl_tcp_eager_limit": "777", "btl_tcp_sndbuf": "0", "btl_tcp_rcvbuf": "0", "pml": "ob1",
            "btl": "self,tcp", "mpi_yield_when_idle": "true", "coll_han_priority": "0",
            "coll_tuned_priority": "30",
            "coll_tuned_use_dynamic_rules": "true", "coll_tuned_dynamic_rules_filename": "/p/rules",
        }.items()
    )  # fmt: skip
    assert dict(settings.read_back(example(), output).in_force) == {
        "eager-threshold": "777", "socket-buffers": "auto", "transport": "tcp", "yielding": "on", "han": "off",
        "rules-file": "/p/rules",
    }  # fmt: skip
    assert settings.read_back(example(), "nothing of it").in_force == ()


# What follows starts real ranks.

SWITCH = 1000
"""Bytes: the last size of the first choice."""
CHOICES = {
    "allgather": ("bruck", "ring"),
    "allreduce": ("recursive_doubling", "ring"),
    "alltoall": ("modified_bruck", "pairwise"),
    "bcast": ("basic_linear", "pipeline"),
    "reduce": ("linear", "pipeline"),
    "reduce_scatter": ("recursive_halving", "ring"),
    "reduce_scatter_block": ("butterfly", "recursive_halving"),
}
"""Two algorithms each whose messages go to other ranks, at 4 and at 5 of them."""
ALIKE = {("reduce_scatter_block", 4)}
"""But here both send to the same ranks."""
SAME_AT_ALL_SIZES = {"exscan": "recursive_doubling", "gather": "binomial", "scatter": "binomial"}
"""Not what Open MPI takes by itself for so few ranks."""
OPERATIONS = [*CHOICES, *SAME_AT_ALL_SIZES]
Pattern = dict[tuple[str, int], tuple[str, ...]]
"""How many messages each rank sent to each, by operation and size."""


@pytest.fixture(scope="module", params=IDS)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Implementation, Path]:
    """An Open MPI, and the program that counts messages."""
    one = working(request.param)
    return one, compiled(one, "traffic.c", tmp_path_factory.mktemp("traffic"))


def compiled(one: Implementation, source: str, folder: Path) -> Path:
    program = folder / "program"
    argv = [one.mpicc, "-O1", str(Path(__file__).with_name(source)), "-o", str(program), "-ldl"]
    built = process.run(argv, 60, environment=one.environment)
    assert built.returncode == 0, built.stderr
    return program


def job(
    program: Path, ranks: int, words: Sequence[str], environment: Environment = (), hosts: Sequence[str] = ()
) -> Job:
    return Job((str(program), *words), ranks, ranks > 2, tuple(hosts), environment=environment)


def run(one: Implementation, job: Job) -> str:
    outcome = process.run_steps(FamilyLauncher().steps(one, job), 60)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome.stdout + outcome.stderr


def asked(operations: Sequence[str] = OPERATIONS, sizes: Sequence[int] = (SWITCH, SWITCH + 1)) -> list[str]:
    return [word for operation in operations for size in sizes for word in (operation, str(size))]


def pattern(output: str) -> Pattern:
    found: dict[tuple[str, int], dict[int, str]] = {}
    for operation, size, rank, counts in re.findall(r"^sent (\w+) (\d+) (\d+): (.*)$", output, re.M):
        found.setdefault((operation, int(size)), {})[int(rank)] = counts
    return {key: tuple(by_rank[rank] for rank in sorted(by_rank)) for key, by_rank in found.items()}


def forced(one: Implementation, names: dict[str, str]) -> Environment:
    """One algorithm for all sizes, by the parameters for that and no file."""
    known = installation(one).parameters
    choices = {op: known[f"coll_tuned_{op}_algorithm"].choices for op in names}
    numbers = {op: next(number for number, name in choices[op] if name == names[op]) for op in names}
    return (
        ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
        ("OMPI_MCA_coll_han_priority", "0"),
        *((f"OMPI_MCA_coll_tuned_{op}_algorithm", number) for op, number in numbers.items()),
    )


def decided(*ranks: int) -> Tuning:
    rules = {
        op: (Rule(SWITCH, Choice(below)), Rule(None, Choice(above))) for op, (below, above) in CHOICES.items()
    }
    same = {op: (Rule(None, Choice(name)),) for op, name in SAME_AT_ALL_SIZES.items()}
    return Tuning(decisions=tuple(Decision(op, n, which) for op, which in (rules | same).items() for n in ranks))


def loaded(one: Implementation, tuning: Tuning, folder: Path, *more: Native) -> Environment:
    environment = place(FAMILY.native(one, tuning), folder).environment
    return (*environment, *(pair for native in more for pair in native.environment))


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [pytest.param(4, marks=pytest.mark.nightly), 5])
def test_rules_switch_at_the_byte_that_was_asked_for(
    real: tuple[Implementation, Path], ranks: int, tmp_path: Path
) -> None:
    one, program = real
    below, above = (
        pattern(run(one, job(program, ranks, asked(), forced(one, {
            op: names[which] for op, names in CHOICES.items()
        } | SAME_AT_ALL_SIZES))))
        for which in (0, 1)
    )  # fmt: skip
    seen = pattern(run(one, job(program, ranks, asked(), loaded(one, decided(4, 5), tmp_path))))
    assert len(seen) == 2 * len(OPERATIONS)
    for operation, size in seen:
        expected, other = (below, above) if size <= SWITCH else (above, below)
        assert seen[operation, size] == expected[operation, size], operation
        if operation in CHOICES and (operation, ranks) not in ALIKE:
            assert expected[operation, size] != other[operation, size], operation


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [3, pytest.param(5, marks=pytest.mark.nightly)])
def test_other_numbers_of_ranks_keep_the_default(
    real: tuple[Implementation, Path], ranks: int, tmp_path: Path
) -> None:
    one, program = real
    tuned = run(one, job(program, ranks, asked(), loaded(one, decided(4), tmp_path)))
    assert pattern(tuned) == pattern(run(one, job(program, ranks, asked())))


@pytest.mark.mpi
def test_values_in_force_are_told(real: tuple[Implementation, Path], tmp_path: Path) -> None:
    one, program = real
    tuning = Tuning(
        (Setting("eager-threshold", "123456"), Setting("socket-buffers", "65536"), Setting("transport", "tcp")),
        BCAST,
    )
    output = run(one, job(program, 2, ["bcast", "8"], loaded(one, tuning, tmp_path, FAMILY.reporting(one))))
    evidence = dict(FAMILY.read_back(one, output).in_force)
    assert evidence["eager-threshold"] == "123456"
    assert evidence["socket-buffers"] == "65536"
    assert evidence["transport"] == "tcp"
    assert evidence["rules-file"] == str(tmp_path / RULES_FILE)
    default = dict(
        FAMILY.read_back(
            one, run(one, job(program, 2, ["bcast", "8"], FAMILY.reporting(one).environment))
        ).in_force
    )
    assert default == {knob.name: knob.default for knob in FAMILY.knobs(one)}


@pytest.mark.mpi
def test_algorithms_that_are_offered_keep_the_order_of_operands(
    real: tuple[Implementation, Path], tmp_path: Path
) -> None:
    one, _ = real
    program = compiled(one, "order.c", tmp_path)
    reductions = ("allreduce", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block")
    offered = {op: [algorithm.name for algorithm in FAMILY.algorithms(one)[op]] for op in reductions}
    assert all(len(names) > 1 for names in offered.values())
    for turn in range(max(map(len, offered.values()))):
        chosen = {op: names[turn] for op, names in offered.items() if turn < len(names)}
        tuning = Tuning(decisions=tuple(Decision(op, 4, (Rule(None, Choice(chosen[op])),)) for op in chosen))
        said = run(one, job(program, 4, list(chosen), loaded(one, tuning, tmp_path / str(turn))))
        assert said.split("end")[0].split() == [word for op in chosen for word in ("right", op)], chosen


@pytest.fixture(scope="module")
def duo() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("ompiduo", delay_seconds=2e-4)) as testbed:
        yield testbed


@pytest.mark.mpi
@needs_emulation
def test_every_rank_of_every_host_loads_variables_and_files_beside_the_users_own(
    real: tuple[Implementation, Path], duo: EmulatedTestbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, program = real
    own = tmp_path / "home" / ".openmpi" / "mca-params.conf"
    own.parent.mkdir(parents=True)
    own.write_text("btl_tcp_links = 2\n")
    alike = {"reduce_scatter_block"}  # both of its algorithms send to the same ranks on 4 ranks
    names = {op: above for op, (_, above) in CHOICES.items() if op not in alike}
    words = ["value", "btl_tcp_eager_limit", "value", "btl_tcp_links", *asked(list(names))]
    tuning = Tuning((Setting("eager-threshold", "123456"),), decided(4).decisions)

    def over_hosts(environment: Environment, *hosts: str) -> str:
        files = tuple(str(path) for path in tmp_path.glob("*.conf"))
        placed = replace(job(program, len(hosts), words, environment, hosts), start=duo.process_start())
        outcome = duo.run(FamilyLauncher().steps(one, replace(placed, files=files)), hosts, 60)
        assert outcome.returncode == 0, outcome.stdout + outcome.stderr
        return outcome.stdout

    four, three = ("a1", "a1", "b1", "b1"), ("a1", "a1", "b1")
    expected, default = pattern(over_hosts(forced(one, names), *four)), pattern(over_hosts((), *three))
    with monkeypatch.context() as patch:
        patch.setenv("HOME", str(tmp_path / "home"))
        environment = loaded(one, tuning, tmp_path)
        output = over_hosts(environment, *four)
        assert pattern(over_hosts(environment, *three)) == default
    assert len(re.findall(r"^value btl_tcp_eager_limit \d: 123456$", output, re.M)) == 4
    assert len(re.findall(r"^value btl_tcp_links \d: 2$", output, re.M)) == 4
    seen = pattern(output)
    for operation in names:
        assert seen[operation, SWITCH + 1] == expected[operation, SWITCH + 1], operation
        assert seen[operation, SWITCH] != expected[operation, SWITCH], operation
