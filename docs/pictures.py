"""Draw the two pictures of the README from a stored run: `docs/pictures.py STORE [RUN]`."""

from __future__ import annotations

import io
import re
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright
from rich.console import Console
from rich.terminal_theme import MONOKAI

from rankwise.workflows import compare

PICTURES = Path(__file__).parent / "pictures"
COLUMNS = 80
PAGE_PIXELS: ViewportSize = {"width": 1100, "height": 900}


def main(store: str, run: str = "") -> None:
    """Write answer.svg and page.png."""
    result = compare.load(int(run) if run else None, Path(store))
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for part in result.parts():
        console.print(part)
    PICTURES.mkdir(exist_ok=True)
    svg = console.export_svg(title="rankwise compare", theme=MONOKAI)
    without_fonts = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # they lie on other hosts
    (PICTURES / "answer.svg").write_text(without_fonts, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=PAGE_PIXELS)
        page.goto(result.report(Path(folder) / "page.html").as_uri())
        page.screenshot(path=PICTURES / "page.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
