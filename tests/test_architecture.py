"""Layers, folders, files and dependencies are those of ARCHITECTURE.md; nothing is registered in two places."""

import ast
import re
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import click
import pytest

from rankwise.cli.main import rankwise
from rankwise.core import registry
from rankwise.mpi.family import families
from rankwise.studies.base import studies
from rankwise.testbeds.base import kinds

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rankwise"
TEXT = re.sub(r"```.*?```", "", (ROOT / "ARCHITECTURE.md").read_text(), flags=re.DOTALL)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
PACKAGES = {name for name in FOLDERS if (PACKAGE / name / "__init__.py").exists()}
QUOTED = re.compile(r"`([^`\n]+)`")
SOURCES = {path: path.read_text() for path in PACKAGE.rglob("*.py")}


@cache
def trees() -> dict[Path, ast.Module]:
    """Of each file of the package."""
    return {path: ast.parse(text) for path, text in SOURCES.items()}


def table(heading: str) -> list[list[str]]:
    """Return the rows of the table whose first column has this heading, without heading and rule."""
    rows = TEXT[TEXT.index(f"| {heading} |") :].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[2:]]


def texts(pattern: str) -> set[str]:
    """What the files of the package give as names of this sort: the group of the pattern."""
    return {found for text in SOURCES.values() for found in re.findall(pattern, text, re.MULTILINE)}


# Layers


def contract(kind: str) -> dict[str, list[str]]:
    """The one import-linter contract of this type."""
    (found,) = (one for one in PROJECT["tool"]["importlinter"]["contracts"] if one["type"] == kind)
    return found  # type: ignore[no-any-return]


def siblings(layer: str) -> set[str]:
    """The packages of a layer, which are independent of one another."""
    return {name.strip().removeprefix("rankwise.") for name in layer.split("|")}


def test_every_package_has_a_layer() -> None:
    layered = set().union(*map(siblings, contract("layers")["layers"]))
    assert layered == PACKAGES


# Folders and files


def test_the_table_has_every_folder_and_no_other() -> None:
    told = [QUOTED.fullmatch(row[0]) for row in table("folder")]
    assert all(told)
    names = [found[1].rstrip("/") for found in told if found]
    assert sorted(names) == sorted({*FOLDERS, "native"})


def test_folders_within_a_folder_are_where_its_row_says() -> None:
    for row in table("folder"):
        folder = row[0].strip("`/")
        parent = ROOT / folder if folder == "native" else PACKAGE / folder
        for name in QUOTED.findall(" ".join(row[1:])):
            if name.endswith("/"):
                assert (parent / name).is_dir(), f"{folder}: {name}"


def test_every_file_and_folder_that_the_text_names_is_there() -> None:
    """A path has a slash within, or an ending that files have."""
    named = [name for name in QUOTED.findall(TEXT) if re.fullmatch(r"[\w./]+", name)]
    paths = [name for name in named if "/" in name.rstrip("/") or re.search(r"\.(py|h|c|md|toml)$", name)]
    assert len(paths) >= 5
    for name in paths:
        places = [ROOT / name, PACKAGE / name, *PACKAGE.rglob(name)]
        assert any(place.exists() for place in places), name


def test_every_folder_of_plug_ins_is_documented() -> None:
    calls = texts(r'registry\.(?:modules_of\(".+?", |plugin_folders\()"(.+?)"')
    assert len(calls) > 3
    for text in (TEXT, registry.__doc__ or ""):
        assert {f"`{name}/`" for name in calls} <= set(re.findall(r"`[\w/]+/`", text))


# Dependencies


def distribution(requirement: str) -> str:
    """The name that a requirement begins with."""
    return re.split(r"[^A-Za-z0-9_.-]", requirement)[0].lower()


def test_every_dependency_is_explained_and_every_one_explained_is_a_dependency() -> None:
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    asked = [
        *PROJECT["build-system"]["requires"],
        *project["dependencies"],
        *(one for all in extras.values() for one in all),
    ]
    of_system = set(re.findall(r'^need (\S+) "', (ROOT / "tools" / "test-packages").read_text(), re.MULTILINE))
    of_system |= {name.removeprefix("run-") for name in of_system}
    names = re.split(r"[,;] ", ", ".join(re.sub(r" \(.*?\)", "", row[0]) for row in table("library")))
    told = {name.lower() for name in names}
    assert told - of_system == set(map(distribution, asked))
    for row in table("library"):
        for extra in re.findall(r"\(extra `(\w+)`\)", row[0]):
            assert [distribution(one) for one in extras[extra]] == [row[0].partition(" ")[0]]


def imported() -> set[str]:
    """The top-level modules that the package imports anywhere."""
    found = set()
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add((node.module or "").partition(".")[0])
    return found


def test_the_package_imports_its_dependencies_and_no_other_library() -> None:
    project = PROJECT["project"]
    asked = {distribution(one) for one in project["dependencies"]}
    asked |= {distribution(one) for name in ("parquet", "frame") for one in project["optional-dependencies"][name]}
    homes = packages_distributions()
    used = {home.lower() for module in imported() if module in homes for home in homes[module]} - {"rankwise"}
    assert used | {"pip"} == asked, "pip is started, not imported"


# One place for each thing


NAMES = {
    "benchmarks": {path.stem for path in (PACKAGE / "csrc" / "kernels").glob("*.c")},
    "families": set(families()),
    "kinds of testbeds": set(kinds()),
    "presets": {path.stem for path in PACKAGE.rglob("presets/*.toml")},
    "studies": set(studies()),
    "verbs": set(rankwise.list_commands(click.Context(rankwise))),
}


@cache
def collections() -> list[tuple[Path, set[str]]]:
    """Every tuple, list, set and dictionary that is written out in the package, with the names in it."""
    found = []
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
                items = node.keys if isinstance(node, ast.Dict) else node.elts
                found.append((path, {str(one.value) for one in items if isinstance(one, ast.Constant)}))
    return found


@pytest.mark.parametrize("sort", NAMES)
def test_nothing_is_registered_in_a_second_place(sort: str) -> None:
    """A list that has more than half of the names would have to be edited with every new one."""
    names = NAMES[sort]
    assert len(names) > 1
    second = {
        str(path.relative_to(PACKAGE)): sorted(found & names)
        for path, found in collections()
        if len(found & names) > max(1, len(names) / 2)
    }
    assert second == {}


def test_no_build_file_names_one_of_our_files() -> None:
    own = {path.name for path in PACKAGE.rglob("*.[cp]*") if path.suffix in (".c", ".py")} - {"__init__.py"}
    for name in ("CMakeLists.txt", "Makefile", "pyproject.toml"):
        assert set(re.findall(r"[\w-]+\.(?:c|py)\b", (ROOT / name).read_text())) & own == set()


def test_no_file_of_the_harness_names_a_benchmark() -> None:
    harness = "".join(path.read_text() for path in (PACKAGE / "csrc" / "harness").glob("*.[ch]"))
    ours = {"barrier", "fan_out"}  # a way to start a repetition as well, and a parameter of schedules
    benchmarks = NAMES["benchmarks"] - ours
    assert set(re.findall(r'"(\w+)"', harness)) & benchmarks == set()
