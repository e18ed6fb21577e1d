"""Packages and their cores are read from what hwloc writes; what has none is refused."""

from pathlib import Path

import pytest

from rankwise.analysis.map.topology import packages_of
from rankwise.core.errors import InputError
from support.hwloc import lstopo, run_lstopo

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


def test_numa_nodes_stand_for_packages_that_are_not_told(tmp_path: Path) -> None:
    """In hwloc 1 they are around their cores, in hwloc 2 beside them."""
    file = tmp_path / "host.xml"
    memory, around = '<object type="NUMANode"/>', '<object type="NUMANode">{}</object>'
    for node in ('<object type="Group">' + memory + "{}</object>", around):
        nodes = node.format(CORE * 3) + node.format(CORE)
        file.write_text(f'{HEADING}<object type="Machine">{nodes}</object></topology>')
        assert packages_of(file) == (3, 1)


@pytest.mark.parametrize(
    ("synthetic", "packages"),
    [
        ("package:2 core:4 pu:2", (4, 4)),
        ("node:2 core:4 pu:1", (4, 4)),
        ("package:2 numa:2 l3:1 core:2 pu:1", (4, 4)),
        ("core:3 pu:2", (3,)),
    ],
)
def test_what_lstopo_writes_is_read(synthetic: str, packages: tuple[int, ...], tmp_path: Path) -> None:
    assert packages_of(lstopo(tmp_path / "host.xml", "-i", synthetic)) == packages


def test_this_host_has_the_cores_that_lstopo_tells(tmp_path: Path) -> None:
    found = packages_of(lstopo(tmp_path / "host.xml"))
    assert sum(found) == len(run_lstopo("--only", "core").splitlines())
