"""Profiles made by hand, and by Hypothesis from the records' own annotations."""

from __future__ import annotations

from hypothesis import strategies as st

from rankwise.core.results import Gain, Verdict, VerdictWord
from rankwise.core.tuning import (
    FOLDER,
    Choice,
    Decision,
    Native,
    Part,
    Profile,
    Reason,
    Rule,
    Setting,
    Tuning,
)  # fmt: skip
from support.emulated import two_sites
from support.stored import every_field, topologies

RMEM = "net.ipv4.tcp_rmem"
TUNING = Tuning(
    (Setting("eager-threshold", "33554432"), Setting("transport", "tcp")),
    (Decision("bcast", 4, (Rule(4096, Choice("binomial")), Rule(None, Choice("pipeline", 65536, 2)))),),
    ((RMEM, "4096 131072 16777216"),),
)
CONF = f"btl_tcp_eager_limit = 33554432\ncoll_tuned_dynamic_rules_filename = {FOLDER}/rules.conf\n"
RULES = "1 # one operation\n7 # bcast\n"
NATIVE = Native(
    (("mca-params.conf", CONF), ("rules.conf", RULES)),
    (("OMPI_MCA_mca_base_param_files", f"{FOLDER}/mca-params.conf"), ("ODD", 'a "b" $c [d] \\')),
    ("--mca", "btl", "tcp,self"),
)


def verdict(size_bytes: int, word: VerdictWord, ratio: float, benchmark: str = "bcast") -> Verdict:
    return Verdict(
        benchmark, size_bytes, 4, "default", "wan", ratio, ratio * 0.9, ratio * 1.1, 1e-3, word,
        0.02, 0.02 * ratio, (12, 12), placement="across-sites",
    )  # fmt: skip


VERDICTS = (
    verdict(1024, "equivalent", 1.01),
    verdict(4096, "equivalent", 0.99),
    verdict(65536, "faster", 0.5),
    verdict(1048576, "faster", 0.64),
)


def part(
    implementation: str = "openmpi-5.0.11", native: Native = NATIVE, tuning: Tuning = TUNING, family: str = ""
) -> Part:
    own, _, version = implementation.partition("-")
    return Part(
        implementation, family or own, version, tuning, native,
        reasons=(Reason("eager-threshold", "No handshake up to 32 MiB: 19 ms, not 26 ms.", "32 MiB a pair"),),
        verification=(Reason("eager-threshold", "ompi_info says 33554432"),),
        verdicts=VERDICTS, launches=120, exhaustive_launches=4000,
    )  # fmt: skip


def profile(*parts: Part, name: str = "wan") -> Profile:
    """With one part, for Open MPI, if none is given."""
    return Profile(
        name,
        "duo",
        two_sites(),
        1.7e9,
        "rankwise tune --testbed duo --name 'w a n'",
        "0.4",
        (7, 8),
        parts or (part(),),
    )


def _tuples(record: type, **given: st.SearchStrategy) -> st.SearchStrategy:  # type: ignore[type-arg]
    return st.lists(every_field(record, **given), max_size=3).map(tuple)


names = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,8}", fullmatch=True)
_choices = every_field(Choice)
_rules = st.lists(st.builds(Rule, st.none() | st.integers(0), _choices), max_size=3).map(tuple)
_tunings = st.builds(
    Tuning,
    _tuples(Setting),
    st.lists(st.builds(Decision, st.text(), st.integers(), _rules), max_size=3).map(tuple),
)
_natives = st.builds(
    Native, st.lists(st.tuples(names, st.text()), max_size=3).map(tuple),
    st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple), st.lists(st.text(), max_size=3).map(tuple),
)  # fmt: skip
_parts = every_field(
    Part, implementation=names, tuning=_tunings, native=_natives, reasons=_tuples(Reason),
    verification=_tuples(Reason), verdicts=_tuples(Verdict), gain=st.none() | every_field(Gain),
)  # fmt: skip
profiles = every_field(
    Profile, topology=st.none() | topologies, runs=st.lists(st.integers(), max_size=3).map(tuple),
    parts=st.lists(_parts, max_size=2).map(tuple),
)  # fmt: skip
