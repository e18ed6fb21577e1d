"""Every reason why this host is a bad place to measure on is found, with its remedy."""

import pytest

from rankwise.testbeds import fitness, host


def findings(ranks: int = 2, largest_bytes: int = 1 << 20) -> dict[str, fitness.Finding]:
    return {finding.question: finding for finding in fitness.examine(ranks, largest_bytes)}


def test_every_question_is_answered() -> None:
    found = findings()
    assert {"cores", "quiet", "governor", "timer", "memory", "tcp", "compiler", "results", "build cache"} <= set(
        found
    )
    assert all(finding.remedy for finding in found.values() if finding.level == "bad")


def test_more_ranks_than_cores_is_bad_and_says_how_many_fit() -> None:
    finding = findings(ranks=host.usable_cores() + 1)["cores"]
    assert finding.level == "bad"
    assert f"-n {host.usable_cores()}" in finding.remedy


def test_more_memory_than_there_is_is_bad() -> None:
    assert findings(ranks=64, largest_bytes=1 << 34)["memory"].level == "bad"


def test_no_compiler_is_bad_with_the_command_that_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    finding = findings()["compiler"]
    assert (finding.level, "apt install gcc" in finding.remedy) == ("bad", True)


def test_settings_left_in_the_shell_are_noted() -> None:
    found = {one.question: one for one in fitness.examine(1, 1, ("OMPI_MCA_btl",))}
    assert "OMPI_MCA_btl" in found["tuning"].answer
    assert "tuning" not in findings()


@pytest.mark.parametrize(
    ("governors", "level"), [({"performance"}, "ok"), ({"powersave"}, "bad"), (set(), "note")]
)
def test_governors(monkeypatch: pytest.MonkeyPatch, governors: set[str], level: str) -> None:
    monkeypatch.setattr(host, "governors", lambda: governors)
    assert findings()["governor"].level == level
