"""Messages of bad command lines, with their exit codes, are those in messages.txt; `make golden` rewrites it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from rankwise.cli import main

GOLDEN = Path(__file__).with_name("messages.txt")
LINES = """
comprae
compare --time soon
compare --testbed cluster --hostfile hosts
compare --hostfile none
compare --hostfile empty
compare --metric '(x)'
compare --higher-is-better -- true
compare --sizes 1 -- true
compare --
compare --encrypt
bench
bench pingpong --threads many
bench pingpong --root top
delete all
export --rows links --medians
export --format parquet
fit --from 1 --resume 2
guidelines --from 1 --resume 2
import text
map none --testbed cluster
map text --testbed cluster
map matrix.csv --testbed cluster --distances 10:1
map matrix.csv --testbed cluster --pin zero
map matrix.csv --testbed cluster --platform p.toml
mpis install mvapich
mpis remove openmpi-0.0
platform show none.toml
platform import text
predict pattern text
predict pattern text --testbed local
predict pattern text --testbed cluster --what-if wan.rate=fast
predict trace text@nodes=3-1 --testbed cluster
profile show none
report 7
resume
run
run -n 2 -- ./none
run --overlay none.table -n 2 -- ./none
run --reproducible -n 2 -- true
runs --store text
schedule show allreduce ring --sites 2y8
schedule verify none.py
schedule synthesise allreduce
schedule synthesise allreduce -n 4 --size 0
show 7
study no-such
study hablot2007 --only no-such --quick
testbed show none.toml
testbed show wrong.toml
testbed show empty
testbed down
trace
trace import none.otf2
tune --for none.csv
tune --for p2p,everything
"""
FILES = {
    "text": "this is text\n",
    "empty": "",
    "matrix.csv": "0 1\n1 0\n",
    "wrong.toml": '[site.a]\nnodes = 2\n[site.b]\n[[link]]\nbetween = ["a", "c"]\n',
}


def test_messages(
    pytestconfig: pytest.Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("RANKWISE_STORE", raising=False)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    told = ""
    for line in LINES.strip().splitlines():
        code = main.run(shlex.split(line))
        assert code in (2, 3), line
        told += f"$ rankwise {line}\n{capfd.readouterr().err.replace(str(tmp_path), 'HERE')}exit code {code}\n\n"
    if pytestconfig.getoption("rewrite_golden"):
        GOLDEN.write_text(told)
    assert told == GOLDEN.read_text()
