"""Every sweep codec: round trips within its stated bound, and refusal of what it did not write."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vedette.codecs.sweep import (
    SWEEP_CODEC_NAMES,
    EncodedSweep,
    PlanarCodec,
    RawCodec,
    SweepCodec,
    decode_sweep,
    sweep_codec,
)
from vedette.errors import CodecError, CorruptBlobError, InvalidFrameError, UnknownCodecError
from vedette.frames import MAX_RANGE_M, MAX_SWEEP_POINTS, Sweep

CODECS = [RawCodec(), PlanarCodec(), PlanarCodec(0), PlanarCodec(12)]
each_codec = pytest.mark.parametrize("codec", CODECS, ids=lambda codec: f"{codec.name}-{codec.max_position_error_m:g}")


def sweep_of(points: list[list[float]]) -> Sweep:
    return Sweep(np.array(points, np.float32), 1, 2)


def spinning_sweep(count: int = 5000, seed: int = 0) -> Sweep:
    """Rings of returns on walls of random distance, as a LiDAR delivers them."""
    random = np.random.default_rng(seed)
    azimuth = np.linspace(0.0, 8 * np.pi, count)
    range_m = np.repeat(random.uniform(3.0, 80.0, count // 50), 50) + random.normal(0, 0.02, count)
    points = np.stack(
        [range_m * np.cos(azimuth), range_m * np.sin(azimuth), np.full(count, -1.6), random.uniform(0, 1, count)],
        axis=1,
    )
    return Sweep(points.astype(np.float32), 10, 110)


def assert_within_bounds(codec: SweepCodec, sweep: Sweep) -> None:
    decoded = codec.decode(codec.encode(sweep)).astype(np.float64)
    error = np.abs(decoded - sweep.points_velo.astype(np.float64))
    assert decoded.shape == sweep.points_velo.shape
    assert error[:, :3].max() <= codec.max_position_error_m
    assert error[:, 3].max() <= codec.max_intensity_error


@each_codec
@pytest.mark.parametrize(
    "points",
    [
        pytest.param([[0, 0, 0, 0]], id="one point at the origin"),
        pytest.param([[MAX_RANGE_M] * 3 + [1], [-MAX_RANGE_M] * 3 + [0]], id="the corners of the range"),
        pytest.param([[255.99, 0, 0, 1], [-255.99, 0, 0, 0]], id="a difference that wraps in 16 bits"),
        pytest.param([[256.0, 0, 0, 1]], id="just beyond 16 bits at 1/128 m"),
        pytest.param([[1 / 256, -1 / 256, 3 / 256, 0.5]], id="halfway between grid points"),
        pytest.param([[1e-30, -1e-30, 0, 1e-30]], id="next to nothing"),
    ],
)
def test_edge_cases_come_back_within_the_bound(codec: SweepCodec, points: list[list[float]]) -> None:
    """Extremes of range, difference and intensity."""
    assert_within_bounds(codec, sweep_of(points))


@each_codec
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_sweep_comes_back_within_the_bound(codec: SweepCodec, data: st.DataObject) -> None:
    """The stated bounds hold for whatever a sweep may hold."""
    count = data.draw(st.integers(1, 40))
    reach = st.floats(-MAX_RANGE_M, MAX_RANGE_M, width=32)
    position = data.draw(hnp.arrays(np.float32, (count, 3), elements=reach))
    intensity = data.draw(hnp.arrays(np.float32, (count, 1), elements=st.floats(0, 1, width=32)))
    assert_within_bounds(codec, Sweep(np.hstack([position, intensity]), 0, 0))


@each_codec
def test_a_long_sweep_comes_back_in_order(codec: SweepCodec) -> None:
    """Thousands of points, each within the bound of the one at its place."""
    assert_within_bounds(codec, spinning_sweep())


def test_raw_is_exact() -> None:
    """Not a bit differs."""
    sweep = spinning_sweep()
    assert RawCodec().decode(RawCodec().encode(sweep)).tobytes() == sweep.points_velo.tobytes()


def test_planar_bound_is_as_documented() -> None:
    """1/256 m at the default step, and the bound is reached, not only kept."""
    codec = PlanarCodec()
    assert codec.max_position_error_m == 1 / 256
    decoded = codec.decode(codec.encode(sweep_of([[1 / 256, 0, 0, 0]])))
    assert abs(decoded[0, 0] - 1 / 256) == 1 / 256


def test_planar_is_idempotent() -> None:
    """What was decoded once is on the grid and comes back exactly."""
    codec = PlanarCodec()
    once = codec.decode(codec.encode(spinning_sweep()))
    twice = codec.decode(codec.encode(Sweep(once, 0, 0)))
    np.testing.assert_array_equal(once, twice)


def test_planar_blob_is_the_documented_format() -> None:
    """Two points written by hand from the format's description."""
    encoded = PlanarCodec().encode(sweep_of([[1.0, 0.0, -1.0, 1.0], [1.0078125, 0.0, -1.0078125, 0.0]]))
    assert encoded.data[:2] == bytes([2, 7])
    low = bytes([0, 2]) + bytes([0, 0]) + bytes([255, 1])  # x: 128 -> 256, +1 -> 2; z: -128 -> 255, -1 -> 1
    high = bytes([1, 0]) + bytes([0, 0]) + bytes([0, 0])
    assert zstandard.ZstdDecompressor().decompress(encoded.data[2:]) == low + high + bytes([255, 0])


def test_planar_is_much_smaller_than_raw() -> None:
    """A sweep of walls takes less than a third."""
    sweep = spinning_sweep()
    assert len(PlanarCodec().encode(sweep).data) < len(RawCodec().encode(sweep).data) / 3


@pytest.mark.parametrize("exponent", [-1, 13])
def test_planar_refuses_a_step_out_of_range(exponent: int) -> None:
    """Beyond 2**-12 m float32 could no longer hold the grid over the whole range."""
    with pytest.raises(CodecError, match="expected 0 to 12"):
        PlanarCodec(exponent)


def corrupted(encoded: EncodedSweep, data: bytes) -> EncodedSweep:
    return dataclasses.replace(encoded, data=data)


@each_codec
@pytest.mark.parametrize("kept", [0, 1, 2, 3, 10, -1])
def test_truncated_blobs_are_refused(codec: SweepCodec, kept: int) -> None:
    """At every kind of place: nothing, inside the header, inside the frame, before the last byte."""
    encoded = codec.encode(spinning_sweep(500))
    with pytest.raises(CorruptBlobError):
        codec.decode(corrupted(encoded, encoded.data[:kept]))


@each_codec
def test_surplus_bytes_are_refused(codec: SweepCodec) -> None:
    """Nothing may hide behind the blob."""
    encoded = codec.encode(spinning_sweep(500))
    with pytest.raises(CorruptBlobError):
        codec.decode(corrupted(encoded, encoded.data + b"\0"))


@each_codec
@pytest.mark.parametrize("count", [1, 499, 501, MAX_SWEEP_POINTS])
def test_another_point_count_is_refused(codec: SweepCodec, count: int) -> None:
    """The count beside the blob and the blob must agree."""
    encoded = codec.encode(spinning_sweep(500))
    with pytest.raises(CorruptBlobError, match="expected"):
        codec.decode(dataclasses.replace(encoded, point_count=count))


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0, 10_000), value=st.integers(1, 255))
def test_a_changed_byte_is_noticed_or_harmless(place: int, value: int) -> None:
    """Header, frame and checksum: a flipped byte gives our error, or (the step in the header) a sweep."""
    encoded = PlanarCodec().encode(spinning_sweep(500))
    data = bytearray(encoded.data)
    data[place % len(data)] ^= value
    try:
        points = PlanarCodec().decode(corrupted(encoded, bytes(data)))
    except CorruptBlobError:
        return
    assert points.shape == (500, 4)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=300), name=st.sampled_from(SWEEP_CODEC_NAMES), count=st.integers(1, 20))
def test_garbage_gives_our_errors_only(data: bytes, name: str, count: int) -> None:
    """Random bytes never get past the codec but as a sweep."""
    try:
        sweep = decode_sweep(EncodedSweep(name, 1, count, data), 0, 1)
    except (CorruptBlobError, InvalidFrameError):
        return
    assert len(sweep) == count


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    """A small frame that would unpack to 1 GB."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj(size=1 << 30)
    megabyte = bytes(1 << 20)
    bomb = b"".join(compressor.compress(megabyte) for _ in range(1024)) + compressor.flush()
    assert len(bomb) < 200_000
    with pytest.raises(CorruptBlobError, match="unpacks to 1073741824 bytes; expected 700"):
        PlanarCodec().decode(EncodedSweep("planar", 1, 100, bytes([2, 7]) + bomb))


def test_a_frame_that_hides_its_size_is_refused() -> None:
    """Without a size in the header, unpacking would have to be trusted."""
    frame = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(700))
    with pytest.raises(CorruptBlobError, match="expected 700"):
        PlanarCodec().decode(EncodedSweep("planar", 1, 100, bytes([2, 7]) + frame))


@pytest.mark.parametrize("count", [0, MAX_SWEEP_POINTS + 1])
def test_point_counts_out_of_range_are_refused(count: int) -> None:
    """Before anything looks at the blob."""
    with pytest.raises(CorruptBlobError, match="expected 1 to"):
        EncodedSweep("raw", 1, count, b"")


def test_unknown_names_and_versions_say_what_is_known() -> None:
    """The message lists what this build has."""
    with pytest.raises(UnknownCodecError, match="expected one of planar, raw"):
        sweep_codec("draco")
    with pytest.raises(UnknownCodecError, match="reads version 1"):
        decode_sweep(EncodedSweep("planar", 2, 1, b""), 0, 0)


@pytest.mark.parametrize("value", [np.nan, np.inf, 501.0])
def test_raw_blobs_with_impossible_points_are_refused(value: float) -> None:
    """A blob of the right size still has to hold a sweep."""
    points = np.array([[value, 0, 0, 0]], "<f4")
    with pytest.raises(InvalidFrameError):
        decode_sweep(EncodedSweep("raw", 1, 1, points.tobytes()), 0, 0)


def test_decoding_keeps_the_times() -> None:
    """They travel beside the blob."""
    decoded = decode_sweep(sweep_codec("planar").encode(spinning_sweep()), 10, 110)
    assert (decoded.start_ns, decoded.end_ns) == (10, 110)


@pytest.mark.shared
def test_real_sweeps_come_back_within_the_bound_and_small(kitti_root: Path) -> None:
    """Under 20 bits a point on a KITTI scan, which a synthetic one does not prove."""
    path = next(iter(sorted((kitti_root / "tracking" / "velodyne" / "0001").glob("*.bin"))))
    sweep = Sweep(np.fromfile(path, np.float32).reshape(-1, 4), 0, 0)
    assert_within_bounds(PlanarCodec(), sweep)
    assert len(PlanarCodec().encode(sweep).data) * 8 / len(sweep) < 20
