"""What a shell is told to ask each family for is what its installations answer; a plug-in brings its own words."""

import os
import subprocess
from pathlib import Path

import pytest

from rankwise.mpi.family import families
from rankwise.profiles import texts
from rankwise.profiles.family_words import FamilyWords, shell_patterns, tcl_pattern, words_of
from support.mpis import FOUND
from support.profiles import part, profile


def asked(words: FamilyWords, version: str, said: str) -> bool:
    told = f'said=$({said} | tr -s " \t\n" " ")'
    script = f'{told}; case "$said " in {shell_patterns(words, version)}) exit 0;; esac; exit 1'
    environment = {**os.environ, "LD_LIBRARY_PATH": ""}
    return subprocess.run(["sh", "-c", script], env=environment, timeout=30, check=False).returncode == 0


@pytest.mark.mpi
@pytest.mark.parametrize("one", FOUND, ids=lambda one: one.id)
def test_an_installation_says_its_version_and_no_other(one) -> None:  # type: ignore[no-untyped-def]
    words = words_of(one.family)
    command = words.asked.replace("${MPIEXEC:-mpiexec}", one.mpiexec)
    command = command.replace("laminfo", str(Path(one.mpicc).with_name("laminfo")))
    assert asked(words, one.version, f"{command} 2>&1 </dev/null")
    assert not asked(words, one.version[:-1], f"{command} 2>&1 </dev/null")
    assert not asked(words, f"{one.version}1", f"{command} 2>&1 </dev/null")


def test_every_family_has_words() -> None:
    for name in families():
        words = words_of(name)
        assert words.title and words.asked and words.says and words.readme.strip().startswith("- **")
        assert all("{version}" in one for one in words.says)


def test_patterns_are_literal() -> None:
    words = FamilyWords(says=("A* [b] {version}",))
    assert shell_patterns(words, "1.2") == "*'A* [b] 1.2'[!0-9A-Za-z.]*"
    assert tcl_pattern(words, "1.2") == r"A\* \[b\] 1\.2[^0-9A-Za-z.]"


def test_a_plug_ins_family_brings_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_PLUGINS", str(tmp_path))
    (tmp_path / "mpi/nompi").mkdir(parents=True)
    assert words_of("nompi") == FamilyWords()
    (tmp_path / "mpi/nompi/profile.toml").write_text('title = "No MPI"\nreadme = "- **No MPI** is quiet."\n')
    text = texts.readme(profile(part("nompi-1")), tmp_path)
    assert "- **No MPI** is quiet." in text and "Open MPI" not in text


def test_a_family_without_words_is_loaded_unchecked(tmp_path: Path) -> None:
    files = texts.all_files(profile(part("nompi-1")), tmp_path)
    assert "case" not in files["nompi-1/load.sh"].split("_rankwise_set()")[0]
