"""Profiles in the terminal: six implementations, long names and long words fit eighty columns."""

from io import StringIO

from rich.console import Console, RenderableType

from rankwise.core.tuning import Tuning
from rankwise.profiles.checking import Check, host_check
from rankwise.profiles.differences import differences
from rankwise.report.profiles import check_table, difference_table, profile_list
from support.profiles import part, profile

INTEL = part("intelmpi-2021.18.1")


def shown(table: RenderableType) -> str:
    file = StringIO()
    Console(file=file, width=80, highlight=False).print(table)
    text = file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    return text


def test_names_are_never_broken() -> None:
    text = shown(
        check_table([
            host_check(INTEL, "net.ipv4.tcp_congestion_control", "cubic", "reno"),
            Check("mpich-5.0.2", "reduce_scatter at 16 ranks", "7 rules", "", "cannot be read back"),
        ])
    )  # fmt: skip
    for words in ("intelmpi-2021.18.1", "net.ipv4.tcp_congestion_control", "cannot be read back", "mpich-5.0.2"):
        assert words in text
    assert "intelmpi-2021.18.1" in shown(profile_list({"grid5000-2007-tuned": profile(INTEL)}))


def test_a_reason_that_all_checks_share_is_told_once() -> None:
    why = "the run on 2 ranks failed: " + 5 * "so it went "
    text = shown(check_table([Check("a-1", name, "1", why, "not in force") for name in ("x", "y", "z")]))
    assert text.count("see below") == 3
    assert text.count("failed") == 1


def test_what_looks_like_markup_is_text() -> None:
    assert "[red]" in shown(check_table([Check("a-1", "x", "[red]", "[/]", "in force")]))


def test_differences_stand_below_their_implementation() -> None:
    text = shown(difference_table("wan", "lan", differences(profile(INTEL), profile(part(tuning=Tuning())))))
    lines = text.splitlines()
    assert lines[1].strip() == "intelmpi-2021.18.1"
    assert lines[2].split() == ["tuned", "at", "all", "yes", "no"]
    assert "do the same" in shown(difference_table("wan", "lan", ()))
