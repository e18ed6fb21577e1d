"""Every example does what it says, as it stands, with real MPIs and real networks."""

import os
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

from support.emulated import needs_emulation

EXAMPLES = Path(__file__).parents[2] / "examples"
TOLD = {  # script: its arguments, and what it prints
    "compare_two": (["8s"], "mpich-5.0.2 is "),
    "network_in_a_box": ([], "north-1 says north-1"),
    "is_the_data_right": ([], "have the right data, 0 failed"),
    "every_sample": (["5s"], "from launch to launch"),
    "consistent_with_itself": (["8s"], "allreduce ≤ reduce + bcast: "),
    "own_algorithm": ([], "16 ranks: right"),
}
NOTEBOOK = EXAMPLES / "first_steps.ipynb"
pytestmark = [pytest.mark.mpi, needs_emulation]


def test_none_is_left_out() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(TOLD)
    assert list(EXAMPLES.glob("*.ipynb")) == [NOTEBOOK]


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.nightly if n else ()) for n, one in enumerate(TOLD)]
)
def test_a_script(name: str, tmp_path: Path) -> None:
    arguments, told = TOLD[name]
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "RANKWISE_STORE": str(tmp_path / "results.sqlite")}, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert told in done.stdout


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "default::UserWarning")
@pytest.mark.nightly
def test_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_STORE", str(tmp_path / "results.sqlite"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert "<table>" in outputs[0][0].data["text/html"], "a result shows itself"
    assert "pingpong" in outputs[1][0].data["text/html"]
    assert "('" in outputs[2][0].text
