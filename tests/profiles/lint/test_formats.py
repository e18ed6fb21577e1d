"""Whatever a settings file holds, it is read or refused with a line, and never a traceback."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.openmpi.versions import published
from rankwise.profiles.lint.findings import Known, UnreadableError
from rankwise.profiles.lint.formats import FORMATS, LONGEST_LINE, findings
from rankwise.profiles.lint.json_lines import parse

KNOWN = Known((
    *published(),
    Vocabulary("mpich-5.0.2", "mpich", "5.0.2", {"MPICH": {"MPIR_A": "MPIR_A"}}, {"MPIR_CVAR_X": ()}),
    Vocabulary("intelmpi-2021", "intelmpi", "2021", {"bcast": {"0": "p0", "1": "p1"}}),
))  # fmt: skip
SAMPLES = {
    "overlay-table": "# rankwise overlay 1\nbcast ranks=2-64 bytes=1M- lanes:lanes=4,segment=32K\nbcast native\n",
    "mpich-json": '{"collective=bcast": {"comm_size<=8": {"algorithm=MPIR_A": {}},\n'
    '"comm_size=any": {"algorithm=MPIR_A": {}}}}',
    "openmpi-json": '{"rule_file_version": 3, "module": "tuned", "collectives": {"bcast": [{"comm_size_min": 4,\n'
    '"rules": [{"msg_size_min": 0, "msg_size_max": "inf", "alg": "binomial", "seg_size": 0}]}]}}',
    "openmpi-han": "# ours\n1\n7 1 2\n2\n1 1\n0 han\n4 2\n0 han\n65536 tuned\n",
    "openmpi-rules": "rule-file-version-2\n1 # one\n7\n1\n4\n2\n0 6 0 0 4\n1024 3 0 0\n",
    "environment": "export I_MPI_ADJUST_BCAST='1:0-1023;0:1024-4096'\nset -e\nOMPI_MCA_btl=tcp\n",
    "openmpi-parameters": "# mine\nbtl = self,tcp\nbtl_tcp_links = 2\n",
}
PIECES = (
    "",
    "4K",
    "-1",
    "inf",
    "9" * 40,
    "{",
    "}",
    "[",
    "]",
    '"',
    ":",
    ",",
    "=",
    "@",
    ";",
    "\n",
    "#",
    "\0",
    "é",
    "null",
    "1e999",
)


def check(text: str, name: str) -> None:
    try:
        found = list(findings(text, KNOWN, name))
    except UnreadableError as error:
        assert 1 <= error.line <= text.count("\n") + 1
        return
    assert all(1 <= one.line <= text.count("\n") + 1 and one.message for one in found)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_without_mistakes_has_no_findings_and_is_recognised(name: str) -> None:
    assert list(findings(SAMPLES[name], KNOWN)) == list(findings(SAMPLES[name], KNOWN, name)) == []
    assert next(key for key, form in FORMATS.items() if form.recognises(SAMPLES[name])) == name


@pytest.mark.parametrize("text", ["", "\n", "Hello, world", "\0\1\2", "<xml/>"])
def test_what_is_in_no_format_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        list(findings(text, KNOWN))


def test_a_file_of_comments_alone_sets_nothing() -> None:
    assert list(findings("# mca-params.conf\n#\n\n  # btl = tcp\n", KNOWN)) == []


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("<platform/>", "XML"), ("# OSU MPI Latency Test v7.5\n0 1.0\n", "OSU"), ("num_ranks 2\n", "GOAL"),
        ("\ufffd\ufffd\0", "binary"),
    ],
)  # fmt: skip
def test_another_format_is_named(text: str, looks: str) -> None:
    with pytest.raises(UnreadableError, match=looks):
        list(findings(text, KNOWN))


@pytest.mark.parametrize("name", ["", *FORMATS])
@pytest.mark.parametrize("piece", ["7 ", "A=1 ", "{", "[1,", "/*", '"'])
def test_one_long_line(name: str, piece: str) -> None:
    check(piece * 9999, name)
    with pytest.raises(UnreadableError, match="the line is longer") as caught:
        list(findings("# x\n" + piece * (LONGEST_LINE + 1), KNOWN, name))
    assert caught.value.line == 2


@pytest.mark.parametrize("name", ["openmpi-rules", "openmpi-han"])
def test_a_count_of_a_billion_ends_with_the_file(name: str) -> None:
    for text in ("1000000000\n0 1\n", "1\n0\n1000000000\n4\n1\n0 1 0 0\n", "1\n0\n1\n4\n1000000000\n0 1\n"):
        check(text, name)


@pytest.mark.parametrize("name", ["", *FORMATS])
@given(data=st.binary(max_size=200))
def test_any_bytes(name: str, data: bytes) -> None:
    check(data.decode("utf-8", "replace"), name)


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_a_sample_with_other_pieces(name: str, data: st.DataObject) -> None:
    text = SAMPLES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.text(max_size=4)) + text[end:]
    check(text, name)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(_values, st.sampled_from([None, 1]))
def test_json_is_read_as_json(value: object, indent: int | None) -> None:
    def plain(node: object) -> object:
        if node.is_object:  # type: ignore[attr-defined]
            return {key: plain(below) for key, below in node.entries}  # type: ignore[attr-defined]
        return [plain(one) for one in node.items] if node.is_list else node.value  # type: ignore[attr-defined]

    assert plain(parse(json.dumps(value, indent=indent))) == value


@given(_values)
def test_any_json_where_rules_are_expected(value: object) -> None:
    text = json.dumps(value)
    check(text, "openmpi-json")
    check(text, "mpich-json")
    check(f'{{"rule_file_version": 3, "module": "tuned", "collectives": {{"bcast": {text}}}}}', "openmpi-json")
    check(f'{{"collective=bcast": {text}}}', "mpich-json")


def test_nesting_is_bounded() -> None:
    for text in ("[" * 5000, '{"a":' * 5000, '{"collective=a":' * 5000):
        with pytest.raises(UnreadableError, match="nested more than"):
            parse(text)
