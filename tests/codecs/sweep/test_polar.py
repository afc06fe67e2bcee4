"""The codec `polar`: its format against a second reader of it, its refusals, and what real sweeps cost."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vedette.codecs.sweep import EncodedSweep, PolarCodec, crop_to_camera
from vedette.codecs.sweep.planes import compress
from vedette.datasets.source_spec import open_recording
from vedette.errors import CodecError, CorruptBlobError
from vedette.frames import MAX_SWEEP_POINTS, Frame, Sweep

HEADER_BYTES = 6


def sweep_of(points: list[list[float]]) -> Sweep:
    return Sweep(np.array(points, np.float32), 1, 2)


def walls(count: int = 500, seed: int = 0) -> Sweep:
    """Eight rings of returns on walls of random distance, and a few points from anywhere between them."""
    random = np.random.default_rng(seed)
    azimuth = np.linspace(0.0, 16 * np.pi, count, endpoint=False)
    range_m = np.repeat(random.uniform(3.0, 80.0, count // 20 + 1), 20)[:count] + random.normal(0, 0.02, count)
    points = np.stack([range_m * np.cos(azimuth), range_m * np.sin(azimuth), -0.1 * range_m, 0 * azimuth], axis=1)
    points[::17] = random.uniform([-500, -500, -500, 0], [500, 500, 500, 1], points[::17].shape)
    return Sweep(points.astype(np.float32), 10, 110)


def content_of(encoded: EncodedSweep) -> bytes:
    return zstandard.ZstdDecompressor().decompress(encoded.data[HEADER_BYTES:])


def read_by_the_book(encoded: EncodedSweep) -> NDArray[np.float64]:
    """A second reader, written from the format's description in Python's whole numbers and fractions; slow."""
    exponent, rings, *widths = encoded.data[0], encoded.data[1] + 1, *encoded.data[2:6]
    content, count = content_of(encoded), encoded.point_count

    def take(number_bytes: int, numbers: int) -> list[int]:
        nonlocal content
        planes = [content[byte * numbers : (byte + 1) * numbers] for byte in range(number_bytes)]
        content = content[number_bytes * numbers :]
        return [sum(plane[i] << 8 * byte for byte, plane in enumerate(planes)) for i in range(numbers)]

    def signed(value: int) -> int:
        return (value + 2**31) % 2**32 - 2**31

    counts, *parameters = ([signed(value) for value in take(4, rings)] for _ in range(5))
    ring_of = [ring for ring, points in enumerate(counts) for _ in range(points)]
    rows = []
    for width in widths:
        total, row = 0, []
        for zigzag in take(width, count):
            total = signed(total + (zigzag >> 1 if zigzag % 2 == 0 else -(zigzag >> 1) - 1))
            row.append(total)
        rows.append(row)
    points = []
    for ring, column, *steps, intensity in zip(ring_of, *rows, content, strict=True):
        offset, sideways, upward, slope = (row[ring] for row in parameters)
        forward, across, up = (number << (15 - exponent) for number in steps)
        quarter, beyond = divmod(column + 500, 1000)
        angle = (beyond - 500) * 2 * math.pi / 4000
        per_part = round((1 + math.tan(angle) ** 2) * 2**24 * 2 * math.pi / 4000 / 256)
        tangent = round(math.tan(angle) * 2**24) + per_part * offset
        across += round(Fraction(forward * tangent + sideways * round(2**24 / math.cos(angle)), 2**24))
        up += upward + round(Fraction(slope * round(math.sqrt(forward**2 + across**2)), 2**20))
        x, y = [(forward, across), (-across, forward), (-forward, -across), (across, -forward)][quarter % 4]
        place = [max(-500.0, min(500.0, value / 2**15)) for value in (x, y, up)]
        points.append([*place, np.float32(intensity) / np.float32(255)])
    return np.array(points)


@pytest.mark.parametrize("exponent", [0, 7, 12])
def test_a_second_reader_reads_the_same_bit_for_bit(exponent: int) -> None:
    """Whole numbers in float64 give what whole numbers of any size give."""
    encoded = PolarCodec(exponent).encode(walls(700))
    np.testing.assert_array_equal(PolarCodec().decode(encoded), read_by_the_book(encoded))


def test_a_blob_by_hand() -> None:
    """Two rings, of three points and one, written from the format's description.

    The first is level at 0.5 m; its points are in columns 0, 1000 and 500: along x, along y, and between the two, where
    the quarter around y begins with a ray at -45 degrees to it. The last is 3 steps across (to -x) and one step down.
    The second ring's point is between x and y likewise, but half a column to the left, and its height is -r / 4.
    """
    ring_rows = [[3, 1], [0, 128], [0, 0], [1 << 14, 0], [0, -(1 << 18)]]
    ring_planes = b"".join(np.array(row, "<i4").view(np.uint8).reshape(-1, 4).T.tobytes() for row in ring_rows)
    columns = bytes.fromhex("00 d0 e7 00  00 07 03 00")  # 0, +1000, -500, +0
    forward = bytes.fromhex("00 00 00 00  01 01 00 00")  # 128, +128, 0, 0
    across, up = bytes.fromhex("00 00 06 05"), bytes.fromhex("00 00 01 02")  # 0, 0, +3, -3; 0, 0, -1, +1
    content = [ring_planes, columns, forward, across, up, bytes([0, 51, 255, 102])]
    blob = EncodedSweep("polar", 1, 4, bytes([7, 1, 2, 2, 1, 1]) + compress(content))
    east = 2 * math.tan((500 - 0.5) * 2 * math.pi / 4000)
    expected = [
        [1, 0, 0.5, 0],
        [0, 2, 0.5, 0.2],
        [2 - 3 / 128, 2, 0.5 - 1 / 128, 1],
        [east, 2, -math.hypot(east, 2) / 4, 0.4],
    ]
    np.testing.assert_allclose(PolarCodec().decode(blob), expected, rtol=0, atol=2**-14)


def test_the_bound_is_as_documented() -> None:
    """1/256 m at the default step, and the bound is reached, not only kept."""
    codec = PolarCodec()
    assert codec.max_position_error_m == 1 / 256
    decoded = codec.decode(codec.encode(sweep_of([[1 / 256, 0, 0, 0]])))
    assert abs(decoded[0, 0] - 1 / 256) == 1 / 256


def test_every_step_is_read_by_every_codec() -> None:
    """The step travels in the blob."""
    encoded = PolarCodec(12).encode(walls())
    np.testing.assert_array_equal(PolarCodec(0).decode(encoded), PolarCodec(12).decode(encoded))


@pytest.mark.parametrize("exponent", [-1, 13])
def test_a_step_out_of_range_is_refused(exponent: int) -> None:
    """Beyond 2**-12 m float32 could no longer hold the grid over the whole range."""
    with pytest.raises(CodecError, match="expected 0 to 12"):
        PolarCodec(exponent)


@pytest.mark.parametrize("seed", range(3))
def test_random_points_cost_little_more_than_on_a_grid(seed: int) -> None:
    """Nothing to rely on: coordinates of 14, 14 and 9 bits (128 m and 4 m at 1/128 m) and 8 of intensity, and a few."""
    random = np.random.default_rng(seed)
    points = random.uniform([-64, -64, -2, 0], [64, 64, 2, 1], (20_000, 4)).astype(np.float32)
    size = len(PolarCodec().encode(Sweep(points, 0, 0)).data)
    assert size * 8 / 20_000 < 14 + 14 + 9 + 8 + 5


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0, 10_000), value=st.integers(1, 255))
def test_a_changed_byte_is_noticed_or_harmless(place: int, value: int) -> None:
    """Header, frame and checksum: a flipped byte gives our error, or (the step in the header) a sweep."""
    encoded = PolarCodec().encode(walls())
    data = bytearray(encoded.data)
    data[place % len(data)] ^= value
    try:
        points = PolarCodec().decode(dataclasses.replace(encoded, data=bytes(data)))
    except CorruptBlobError:
        return
    assert points.shape == (500, 4)


@settings(max_examples=300, deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=5))
def test_a_changed_content_is_noticed_or_harmless(changes: list[tuple[int, int]]) -> None:
    """Ring tables and numbers of a writer that means harm, under a checksum that is right."""
    encoded = PolarCodec().encode(walls())
    content = bytearray(content_of(encoded))
    for place, value in changes:
        # Every other change falls into the rings' table, which is small.
        content[place // 2 % (8 * 20 if place % 2 else len(content))] = value
    data = encoded.data[:HEADER_BYTES] + compress([bytes(content)])
    try:
        points = PolarCodec().decode(dataclasses.replace(encoded, data=data))
    except CorruptBlobError:
        return
    assert points.shape == (500, 4)
    assert np.abs(points[:, :3]).max() <= 500


def blob(counts: list[int], column: int = 0, forward: int = 0, widths: bytes = bytes([4, 4, 1, 1])) -> EncodedSweep:
    """Two points in rings of the given sizes, both at a column and so many steps forward."""
    table = np.array([counts] + [[0] * len(counts)] * 4, "<i4")
    planes = table.view(np.uint8).reshape(5, -1, 4).transpose(0, 2, 1).tobytes()
    numbers = b"".join(
        np.array([2 * value, 0], "<u4").view(np.uint8).reshape(2, 4).T.tobytes() for value in (column, forward)
    )
    header = bytes([7, len(counts) - 1]) + widths
    return EncodedSweep("polar", 1, 2, header + compress([planes, numbers, bytes(6)]))


@pytest.mark.parametrize(
    ("encoded", "cause"),
    [
        pytest.param(blob([1]), "1 in all; .* 2 in all", id="a point without a ring"),
        pytest.param(blob([1, 2]), "3 in all; .* 2 in all", id="a ring without its points"),
        pytest.param(blob([2, 0]), "rings of 0 points", id="an empty ring"),
        pytest.param(blob([3, -1]), "rings of -1 points", id="a ring of less than nothing"),
        pytest.param(blob([2**31 - 1] * 2), "4294967294 in all", id="sums beyond 32 bits"),
        pytest.param(blob([2], column=16_001), "a column beyond 16000", id="a head that turned too far"),
        pytest.param(blob([2], column=2**31 - 1), "a column beyond 16000", id="a head that turned without end"),
        pytest.param(blob([2], forward=500 * 128 + 1), "a point at 500.01 m", id="a point out of reach"),
        pytest.param(blob([2], widths=bytes([4, 4, 1, 5])), "numbers of 4, 4, 1, 5 bytes", id="numbers too wide"),
        pytest.param(blob([2], widths=bytes([0, 4, 1, 1])), "numbers of 0, 4, 1, 1 bytes", id="numbers of no width"),
        pytest.param(blob([2], widths=bytes([4, 4, 1, 2])), "unpacks to 42 bytes; expected 44", id="another size"),
    ],
)
def test_blobs_that_contradict_themselves_are_refused(encoded: EncodedSweep, cause: str) -> None:
    """Each before anything is made of what it says."""
    with pytest.raises(CorruptBlobError, match=cause):
        PolarCodec().decode(encoded)


def test_the_farthest_that_is_read() -> None:
    """Just within the two limits."""
    points = PolarCodec().decode(blob([2], column=16_000, forward=500 * 128))
    np.testing.assert_array_equal(points, [[500, 0, 0, 0]] * 2)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    """A small frame that would unpack to 1 GB."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj(size=1 << 30)
    megabyte = bytes(1 << 20)
    bomb = b"".join(compressor.compress(megabyte) for _ in range(1024)) + compressor.flush()
    assert len(bomb) < 200_000
    with pytest.raises(CorruptBlobError, match="unpacks to 1073741824 bytes; expected 720"):
        PolarCodec().decode(EncodedSweep("polar", 1, 100, bytes([7, 0, 2, 2, 1, 1]) + bomb))


def test_the_largest_sweep() -> None:
    """A million points, in rings and out of order."""
    random = np.random.default_rng(0)
    points = random.uniform([-500, -500, -500, 0], [500, 500, 500, 1], (MAX_SWEEP_POINTS, 4)).astype(np.float32)
    points = points[np.argsort(np.arctan2(-points[:, 1], -points[:, 0]))]
    decoded = PolarCodec().decode(PolarCodec().encode(Sweep(points, 0, 0)))
    assert np.abs(decoded[:, :3].astype(np.float64) - points[:, :3]).max() <= 1 / 256


@pytest.mark.shared
@pytest.mark.parametrize(("sequence", "whole", "view"), [("0000", 272_757, 50_604), ("0001", 232_153, 41_878)])
def test_real_sweeps_take_a_quarter_less_than_differences_on_a_grid(
    kitti_root: Path, sequence: str, whole: int, view: int
) -> None:
    """Against the bytes that the codec before took for the first scan of two drives, at the same bound."""
    recording = open_recording(f"kitti-tracking:{kitti_root}:{sequence}:0-0")
    (frame,) = (item for item in recording if isinstance(item, Frame))
    assert frame.sweep is not None
    for sweep, before in ((frame.sweep, whole), (crop_to_camera(frame.sweep, frame.camera), view)):
        encoded = PolarCodec().encode(sweep)
        assert len(encoded.data) < 0.75 * before
        error = np.abs(PolarCodec().decode(encoded).astype(np.float64) - sweep.points_velo)
        assert error[:, :3].max() <= 1 / 256
        assert error[:, 3].max() <= 1 / 510 + 2**-23
