"""Protects: every quantity is read as what it says, or refused; figures print as people write them."""

import itertools
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core import units
from rankwise.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("0", 0), ("64", 64), ("64B", 64), ("4K", 4096), ("4KiB", 4096), ("1m", 1 << 20), (" 2 GB ", 2 << 30)],
)
def test_sizes_are_binary(text: str, size_bytes: int) -> None:
    assert units.parse_size_bytes(text) == size_bytes


@pytest.mark.parametrize("text", ["", "K", "4T", "-1", "1.5K", "4 4", "0x10"])
def test_what_is_no_size_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(InputError) as caught:
        units.parse_size_bytes(text)
    assert caught.value.remedy


def test_ranges_contain_both_ends() -> None:
    assert units.parse_sizes_bytes("1:64") == (1, 4, 16, 64)
    assert units.parse_sizes_bytes("1:100") == (1, 4, 16, 64, 100)
    assert units.parse_sizes_bytes("0:4:2,1K") == (0, 1, 2, 4, 1024)


@pytest.mark.parametrize("text", ["4:1", "1:4:1", "1:2:3:4", "1,,2"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        units.parse_sizes_bytes(text)


@given(st.integers(0, 1 << 20), st.integers(0, 1 << 30), st.integers(2, 16))
def test_a_range_ascends_by_at_most_its_factor(low: int, more: int, factor: int) -> None:
    sizes = units.parse_sizes_bytes(f"{low}:{low + more}:{factor}")
    assert sizes[0] == low
    assert sizes[-1] == low + more
    assert all(small < large <= max(1, small) * factor for small, large in itertools.pairwise(sizes))


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("3m", 180), ("1h30m", 5400), ("250ms", 0.25), ("1m 5s", 65)]
)
def test_durations(text: str, seconds: float) -> None:
    assert units.parse_duration_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "3x", "m3", "0s", "-3s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        units.parse_duration_seconds(text)


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 B"), (1023, "1023 B"), (65537, "65537 B"), (65536, "64 KiB"), (3 << 30, "3 GiB")]
)
def test_sizes_are_never_rounded(size: int, words: str) -> None:
    assert units.exact_size(size) == words


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1.234e-6, "1.23 us"),
        (0.9997e-3, "1 ms"),
        (1234.5, "1234 s"),
        (5e-10, "0.5 ns"),
        (0.0035, "3.5 ms"),
        (2.05, "2.05 s"),
        (float("nan"), "-"),
    ],
)
def test_times_read_well(seconds: float, text: str) -> None:
    assert units.format_time(seconds) == text


@given(st.floats(1e-9, 900.0))
def test_a_printed_time_is_within_its_three_digits(seconds: float) -> None:
    number, unit = units.format_time(seconds).split()
    factor = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[unit]
    assert float(number) * factor == pytest.approx(seconds, rel=0.006)


def test_other_quantities_read_well() -> None:
    assert units.format_size(1536) == "1.5 KiB"
    assert units.format_size(3) == "3 B"
    assert units.format_bandwidth(12.5e9) == "12.5 GB/s"
    assert units.format_bandwidth(940e6 / 8) == "118 MB/s"
    assert units.format_duration(200) == "3 min 20 s"
    assert units.format_duration(3900) == "1 h 05 min"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("11.6ms", 0.0116), ("5.8 ms", 0.0058), ("50us", 5e-5), ("20 µs", 2e-5), (" 300 ns ", 3e-7), ("0 s", 0.0)],
)
def test_delays(text: str, seconds: float) -> None:
    assert units.parse_delay_seconds(text) == seconds


@pytest.mark.parametrize(
    ("text", "bits_per_second"),
    [("1 Gbit/s", 1e9), ("622 Mbit/s", 622e6), ("2.4Gbps", 2.4e9), ("56 kbit/s", 56e3), ("9 bit/s", 9.0)],
)
def test_rates_are_decimal(text: str, bits_per_second: float) -> None:
    assert units.parse_rate_bits_per_second(text) == bits_per_second


@pytest.mark.parametrize(("text", "share"), [("0.01 %", 1e-4), ("1e-4", 1e-4), ("0", 0.0), ("100%", 1.0)])
def test_shares(text: str, share: float) -> None:
    assert units.parse_share(text) == pytest.approx(share)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        *((units.parse_delay_seconds, text) for text in ("", "5", "-5 ms", "5 m", "1h", "1 s 5 ms", "1e3 s")),
        *(
            (units.parse_rate_bits_per_second, text)
            for text in ("", "1", "1 Gbit", "1 GB/s", "-1 bit/s", "1 mbit/s")
        ),
        *((units.parse_share, text) for text in ("", "2", "101 %", "-0.1", "1 percent")),
    ],
)
def test_what_is_no_quantity_of_a_network_is_refused(parse: Callable[[str], float], text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert caught.value.remedy


@given(st.floats(1.0, 1e13))
def test_a_printed_rate_is_read_as_the_same(bits_per_second: float) -> None:
    again = units.parse_rate_bits_per_second(units.format_rate(bits_per_second))
    assert again == pytest.approx(bits_per_second, rel=0.0006)


def test_quantities_of_a_network_read_well() -> None:
    assert units.format_rate(1e9) == "1 Gbit/s"
    assert units.format_rate(542.5e6) == "542.5 Mbit/s"
    assert units.format_rate(999.99e6) == "1 Gbit/s"
    assert units.format_rate(0) == "unlimited"
    assert units.format_rate(float("nan")) == units.format_share(float("nan")) == "-"
    assert units.format_share(0.0001) == "0.01 %"


PARSERS: list[Callable[[str], object]] = [
    units.parse_size_bytes, units.parse_sizes_bytes, units.parse_duration_seconds, units.parse_delay_seconds,
    units.parse_rate_bits_per_second, units.parse_share,
]  # fmt: skip
NUMBERS = st.sampled_from(
    ["9" * 5000, "0" * 5000 + "1", "٣", "²", "𝟜", "inf", "nan", "-1", "1e400", "1e-400", "1e" + "9" * 5000, "0",
     "1.5", "9" * 400 + ".5", "1e5", "1:" + "9" * 5000, "0:" + "9" * 18, "1:2:" + "9" * 5000]
)  # fmt: skip
UNITS = st.sampled_from(["", "K", "GiB", "ms", " s", "us", "h", " Gbit/s", "Tbps", "%", " ns"])


@given(st.builds("{}{}".format, NUMBERS, UNITS) | st.text(max_size=12))
def test_any_text_is_a_finite_quantity_or_refused_in_a_short_sentence(text: str) -> None:
    for parse in PARSERS:
        try:
            found = parse(text)
        except InputError as error:
            assert error.remedy
            assert len(str(error)) < 200
        else:
            values = found if isinstance(found, tuple) else (found,)
            assert all(0 <= value < 1 << 63 and math.isfinite(value) for value in values)


@pytest.mark.parametrize("text", ["٣", "𝟜", "²", "४K"])
def test_digits_of_other_scripts_are_no_numbers(text: str) -> None:
    for parse in PARSERS:
        for unit in ("", " s", " Gbit/s", "%"):
            with pytest.raises(InputError):
                parse(text + unit)
