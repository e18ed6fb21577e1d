"""Whatever another site's process sends ends well or with a reason: nothing it says makes the reader crash."""

from __future__ import annotations

import base64
import os
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.abi import gateway
from rankwise.artifacts.abi.standard import standard
from support.abi import needs_compiler
from support.mpis import FOUND
from support.real_harness import SANITIZED, WARNINGS

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(400)]
HEADER = struct.Struct("<4i4Q")
EAGER, ASKS, GRANTS, DATA, CREDIT, ENDS, ABORTS = range(1, 8)
LONG, CREDIT_BYTES = 64 << 10, 4 << 20
ABORTED = "MPI_Abort\n"
"""What the stub of the library says: another site may call it."""
REASONS = (
    "a message that makes no sense came from rank 1, site there",
    "lost the connection to rank 1, site there",
)


class Stream(bytes):
    """Frames that show as a call that makes them again: those of an example may be megabytes, mostly of zeros."""

    def __repr__(self) -> str:
        return f"unpacked({base64.b85encode(zlib.compress(self, 9)).decode()!r})"


def unpacked(text: str) -> Stream:
    return Stream(zlib.decompress(base64.b85decode(text)))


def together(frames: list[bytes]) -> Stream:
    return Stream(b"".join(frames))


def frame(
    kind: int, *, context: int = 0, source: int = 1, tag: int = 1, length: int = 0, sender: int = 0,
    receiver: int = 0, data: bytes = b"", follows: int | None = None,
) -> bytes:  # fmt: skip
    """A header (csrc/gateway/wire/wire.h) and what follows it, which it says truly unless `follows` is given."""
    return (
        HEADER.pack(
            kind, context, source, tag, length, len(data) if follows is None else follows, sender, receiver
        )
        + data
    )


def turn(one: bytes) -> bytes:
    """The same frame of a machine of the other order of bytes."""
    other = ">4i4Q" if sys.byteorder == "little" else "<4i4Q"
    return struct.pack(other, *HEADER.unpack_from(one)) + one[HEADER.size :]


def message(tag: int, length: int) -> bytes:
    return frame(EAGER, tag=tag, length=length, data=bytes(length))


def announced(tag: int, length: int, at_once: int) -> bytes:
    return frame(ASKS, tag=tag, length=length, data=bytes(min(length, at_once)))


NUMBERS = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 80, LONG, LONG + 1, 100_000, CREDIT_BYTES,
                           1 << 31, 1 << 62, (1 << 63) - 1, (1 << 64) - 49, (1 << 64) - 1])  # fmt: skip
SMALL = st.sampled_from([*range(-3, 9), 1 << 20, (1 << 20) + 1, 1 << 22, (1 << 31) - 1, -(1 << 31)])
FRAMES = st.builds(
    frame, st.integers(1, 5) | SMALL, context=st.just(0) | SMALL, source=st.just(1) | SMALL,
    tag=st.integers(1, 8) | SMALL, length=NUMBERS, sender=NUMBERS, receiver=NUMBERS, follows=st.none() | NUMBERS,
    data=st.binary(max_size=40) | st.integers(0, 2000).map(bytes),
)  # fmt: skip
RIGHT = st.builds(message, st.integers(1, 8), st.integers(0, 200) | st.just(LONG))
ASKED = st.builds(announced, st.integers(1, 8), NUMBERS, st.integers(0, 300) | st.just(LONG))
GRANTED = st.sampled_from([frame(GRANTS, sender=number) for number in range(9)])
STREAMS = st.lists(RIGHT | ASKED | GRANTED | FRAMES, max_size=30).map(together)


@pytest.fixture(scope="module")
def reader() -> Path:
    """The gateway with a stub below, under the sanitizers; it compiles without a warning."""
    made = gateway.artifact(standard(FOUND))
    source = Path(__file__).with_name("wire_reader.c")
    flags = (*WARNINGS, *(flag for flag in made.flags if not flag.startswith("-O")), *SANITIZED)
    program = replace(
        made, name="wire-reader", kind="program", sources=(*made.sources, source), flags=flags,
        libraries=("-ldl", "-lm", "-pthread"),
    )  # fmt: skip
    return builder.build(program, compiler.of_host(), limit_seconds=300)


def read(reader: Path, stream: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}
    return subprocess.run(
        [reader, *options], input=stream, capture_output=True, check=False, timeout=60, env=environment
    )


def assert_well(done: subprocess.CompletedProcess[bytes]) -> None:
    said = done.stderr.decode(errors="replace")
    assert done.returncode in {0, 1}, said


def test_what_is_right_is_taken(reader: Path) -> None:
    stream = message(1, LONG) + message(2, 10) + message(3, 80) + message(4, 80)
    stream += announced(8, 90_000, LONG) + frame(DATA, receiver=4, data=bytes(90_000 - LONG))
    stream += frame(ASKS, tag=7, length=10) + frame(DATA, receiver=7, data=bytes(10))
    stream += frame(GRANTS, sender=5) + frame(GRANTS, sender=6) + frame(ENDS)
    done = read(reader, stream)
    assert (done.returncode, done.stderr) == (0, b"")


def test_headers_of_the_other_order_of_bytes_are_taken(reader: Path) -> None:
    right = [message(1, 5), frame(ASKS, tag=8, length=10), frame(DATA, receiver=4, data=bytes(10)), frame(ENDS)]
    turned = b"".join(turn(one) for one in right)
    done = read(reader, turned, "turned")
    assert (done.returncode, done.stderr) == (0, b"")
    assert read(reader, turned).returncode == 1


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(frame(0), id="no such kind"),
        pytest.param(frame(EAGER, length=10), id="at once and not all of it"),
        pytest.param(frame(EAGER, length=CREDIT_BYTES, follows=CREDIT_BYTES), id="too long to come at once"),
        pytest.param(announced(1, 10, 10) + frame(DATA, receiver=0), id="the rest of what has come"),
        pytest.param(frame(ASKS, tag=1, length=10, data=bytes(11)), id="more than the message has"),
        pytest.param(announced(9, CREDIT_BYTES + 1, CREDIT_BYTES), id="more at once than its credit"),
        pytest.param(frame(EAGER, source=0), id="in the name of another rank"),
        pytest.param(frame(EAGER, tag=-1), id="no such tag"),
        pytest.param(frame(ASKS, tag=4, length=(1 << 64) - 1), id="longer than any memory"),
        pytest.param(frame(GRANTS, sender=0), id="a place for what is no send"),
        pytest.param(frame(GRANTS, sender=5) * 2, id="a place twice"),
        pytest.param(frame(DATA, data=bytes(10), receiver=7), id="data that nobody asked for"),
        pytest.param(
            announced(7, 10, 4) + frame(DATA, receiver=7, data=bytes(7)), id="more data than announced"
        ),
        pytest.param(frame(CREDIT, length=CREDIT_BYTES + 1), id="credit that was not used"),
        pytest.param(message(9, LONG) * 65, id="more than its credit"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(reader: Path, stream: bytes) -> None:
    done = read(reader, stream + frame(ENDS))
    assert done.returncode == 1
    assert REASONS[0] in done.stderr.decode()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(b"")
@example(b"GET / HTTP/1.1\r\nHost: nancy\r\n\r\n" * 4)
@given(STREAMS)
def test_frames_of_any_kind(reader: Path, stream: bytes) -> None:
    assert_well(read(reader, stream))


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=4000))
def test_garbage(reader: Path, stream: bytes) -> None:
    assert_well(read(reader, stream))


def test_a_long_stream_shows_in_a_few_words() -> None:
    stream = together([message(1, LONG)] * 40)
    assert len(repr(stream)) < 8000 and eval(repr(stream)) == stream


@pytest.mark.nightly
@pytest.mark.timeout(7200)  # at 0.05 s each on a host that is free
@settings(max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(RIGHT | ASKED | GRANTED | FRAMES, min_size=30, max_size=100).map(together))
def test_many_frames(reader: Path, stream: bytes) -> None:
    assert_well(read(reader, stream))
