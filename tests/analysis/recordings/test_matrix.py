"""A communication matrix is read from all its formats alike, and what is none is refused with file and line."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.map.matrix import CommunicationMatrix
from rankwise.analysis.recordings.base import read as read_recording
from rankwise.analysis.recordings.matrix import parse
from rankwise.core.errors import InputError

SENT = np.array([[0, 5, 0, 1], [7, 0, 0, 0], [0, 2, 0, 3], [0, 0, 9, 0]])
LIST = "".join(f"{i},{j},{SENT[i, j]}\n" for i, j in zip(*np.nonzero(SENT), strict=True))
FORMS = {
    "list": LIST,
    "list with heading and messages": "from,to,bytes,messages\n" + LIST.replace("\n", ",1\n"),
    "list as a trace is exported": "from,to,messages,bytes\n"
    + "".join(f"{i},{j},8,{SENT[i, j]}\n" for i, j in zip(*np.nonzero(SENT), strict=True)),
    "list with headings in another order": "bytes,messages,from,to\n"
    + "".join(f"{SENT[i, j]},8,{i},{j}\n" for i, j in zip(*np.nonzero(SENT), strict=True)),
    "list with capital headings": "From,To,Messages,Bytes\n"
    + "".join(f"{i},{j},8,{SENT[i, j]}\n" for i, j in zip(*np.nonzero(SENT), strict=True)),
    "list as a spreadsheet saves it": "\ufeffsrc;DST;bytes\r\n" + LIST.replace(",", ";"),
    "list between bars": '"source"|"dest"|"bytes"\n' + LIST.replace(",", "|"),
    "MatrixMarket": f"%%MatrixMarket matrix coordinate integer general\n4 4 {np.count_nonzero(SENT)}\n"
    + "".join(f"{i + 1} {j + 1} {SENT[i, j]}\n" for i, j in zip(*np.nonzero(SENT), strict=True)),
    "MatrixMarket with remarks": "%%MatrixMarket matrix array real general\n% bytes\n4 4\n"
    + "".join(f"{sent:.1f}\n" for sent in SENT.T.flatten()),
    "table": "\n".join(",".join(map(str, row)) for row in SENT),
    "table of words and remarks": "# bytes\n" + "\n".join(" ".join(map(str, row)) for row in SENT) + "\n\n",
    "monitoring": "".join(
        f"E\t{i}\t{j}\t{SENT[i, j]} bytes\t1 msgs sent\t1,0,0\n" for i, j in zip(*np.nonzero(SENT), strict=True)
    ),
}


def read_matrix(file: Path) -> CommunicationMatrix:
    return read_recording(file).need_traffic().matrix


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_all_formats_say_the_same(text: str, tmp_path: Path) -> None:
    file = tmp_path / "matrix"
    file.write_text(text)
    read = read_matrix(file)
    assert read.ranks == 4
    assert np.array_equal(read.sent_bytes.toarray(), SENT)
    assert np.array_equal(read.weights().toarray(), SENT + SENT.T)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no line"),
        ("from,to,bytes\n", "no rows"),
        ("0,1,-5\n", "line 1: '-5' is not a number of bytes"),
        ("0,1,inf\n", "line 1: 'inf'"),
        ("0,x,5\n1,0,2\n", "line 1: not rank numbers: '0,x'"),
        ("1 2 3 4 5\n1 2 3 4 5\n", "line 1: a table of 2 ranks"),
        ("1 2 3 4\n4 5 6 7\n", "line 1: 2 lines of four numbers without a header"),
        ("0,99999999,1\n", "ranks"),
        ("0 3 100\n1 4 200\n2 5 300\n", "line 1: 3 lines of 3 numbers may be a list or a table"),
        ("From,To,Volume\n0,1,5\n1,0,2\n2,0,9\n", "its columns are from, to, volume"),
        ("rank,peer,bytes\n0,1,5\n1,0,2\n", "its columns are rank, peer, bytes"),
        ("from,from,to,bytes\n0,1,5,3\n", "its columns are from, from, to, bytes"),
        ("%%MatrixMarket matrix coordinate real general\n4 4 1\n5 1 2\n", "Line 3"),
        ("%%MatrixMarket matrix coordinate real general\n4 4 1000000000\n1 1 2\n", "1000000000 entries"),
        ("%%MatrixMarket matrix coordinate pattern general\n4 4 1\n1 1\n", "kind pattern"),
        ("%%MatrixMarket matrix coordinate real general\n4 3 1\n1 1 2\n", "4 x 3"),
        ("%%MatrixMarket matrix coordinate real general\n4 4 1\n1 1 -2\n", "not numbers of bytes"),
        ("%%MatrixMarket matrix\n", "MatrixMarket"),
        ("%%MatrixMarket matrix " + "x" * 1000, "line 1: .* is not a MatrixMarket header"),
        ("0" * (1 << 22) + "0", "line 1: more than"),
        ("from,to,bytes,messages\n0,1,5\n1,0,5\n2,0,5\n", "line 2: the header has 4 columns"),
    ],
)
def test_what_is_no_matrix_is_refused(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "matrix"
    with pytest.raises(InputError, match=words):
        parse(text, file)


@pytest.mark.parametrize("heading", ["from,to,bytes", "from,to,messages,bytes"])
def test_a_list_of_as_many_lines_as_columns_is_no_table_if_its_heading_says_so(
    heading: str, tmp_path: Path
) -> None:
    columns = heading.count(",") + 1
    lines = [",".join([f"{rank}", f"{rank + 5}", *["7"] * (columns - 3), "100"]) for rank in range(columns)]
    (tmp_path / "matrix").write_text("\n".join([heading, *lines]))
    read = read_matrix(tmp_path / "matrix")
    assert read.ranks == columns + 5
    assert np.array_equal(read.sent_bytes.toarray(), 100 * np.eye(read.ranks, k=5))


def test_a_table_of_three_ranks_has_zeros_where_they_send_to_themselves(tmp_path: Path) -> None:
    (tmp_path / "matrix").write_text("0 100 5\n7 0 200\n300 9 0\n")
    assert read_matrix(tmp_path / "matrix").sent_bytes.toarray().tolist() == [
        [0, 100, 5],
        [7, 0, 200],
        [300, 9, 0],
    ]
    (tmp_path / "matrix").write_text("1 2 70000\n0 1 70000\n2 0 70000\n")
    assert read_matrix(tmp_path / "matrix").sent_bytes.toarray().tolist() == [
        [0, 70000, 0],
        [0, 0, 70000],
        [70000, 0, 0],
    ]


@given(st.text(alphabet="0123456789,. -\nEx#\t", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = parse(text, Path("matrix"))
    except InputError:
        return
    assert read.sent_bytes.shape == (read.ranks, read.ranks)
    assert np.all(read.sent_bytes.data >= 0)
