"""The page about benchmarks names every benchmark that there is, and none that there is not."""

import re
from pathlib import Path

from support.real_harness import CSRC

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
OUR_OWN = re.compile("= (BASELINE|HARNESS|GUIDELINE),")
"""Mock-ups, raw TCP and what measures the harness itself have nothing to stand beside."""
COLLECTIVES = re.compile(r"are all there for each of these:\n\n(.*?)\n\n", re.DOTALL)


def listed() -> set[str]:
    """Names in the first column of the tables under headings about benchmarks."""
    text = PAGE.read_text()
    part = text[text.index("## Point-to-point") : text.index("## Not measured")]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    names = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    every_form = COLLECTIVES.search(text)
    assert every_form
    bases = set(re.findall(r"^\| `(\w+)`", every_form[1], re.MULTILINE))
    return names | {f"i{base}" for base in bases} | {f"{base}_persistent" for base in bases}


def test_every_benchmark_is_on_the_page() -> None:
    kernels = {path.stem: path.read_text() for path in CSRC.glob("kernels/*.c")}
    assert listed() == {name for name, text in kernels.items() if not OUR_OWN.search(text)}
