"""Packages and their cores are read from what hwloc writes; what has none is refused."""

from pathlib import Path

import pytest

from rankwise.analysis.map.topology import packages_of
from rankwise.core.errors import InputError

CORE = '<object type="Core"><object type="PU"/><object type="PU"/></object>'
HEADING = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">'
)


def written(folder: Path, *packages: int, kind: str = "Package") -> Path:
    """As hwloc nests them: a machine, packages, caches, cores, hardware threads."""
    of_each = (
        f'<object type="{kind}"><object type="L3Cache">{CORE * cores}</object></object>' for cores in packages
    )
    file = folder / "host.xml"
    file.write_text(f'{HEADING}<object type="Machine">{"".join(of_each)}</object></topology>\n')
    return file


@pytest.mark.parametrize("packages", [(1,), (4, 4), (6, 2, 8)])
@pytest.mark.parametrize("kind", ["Package", "Socket"])
def test_cores_are_counted_by_package(packages: tuple[int, ...], kind: str, tmp_path: Path) -> None:
    assert packages_of(written(tmp_path, *packages, kind=kind)) == packages


@pytest.mark.parametrize("text", ["", "<topology/>", "<topology><object type='Package'/></topology>", "\0"])
def test_what_is_no_topology(text: str, tmp_path: Path) -> None:
    file = tmp_path / "host.xml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"host\.xml"):
        packages_of(file)
    with pytest.raises(InputError, match="cannot read"):
        packages_of(tmp_path / "nothing.xml")
