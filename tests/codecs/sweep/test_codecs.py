"""Every sweep codec: round trips within its stated bound, and refusal of what it did not write."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vedette.codecs.sweep import (
    SWEEP_CODEC_NAMES,
    EncodedSweep,
    PolarCodec,
    RawCodec,
    SweepCodec,
    decode_sweep,
    sweep_codec,
)
from vedette.errors import CorruptBlobError, InvalidFrameError, UnknownCodecError
from vedette.frames import MAX_RANGE_M, MAX_SWEEP_POINTS, Sweep

CODECS = [RawCodec(), PolarCodec(), PolarCodec(0), PolarCodec(12)]
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
    encoded = codec.encode(sweep)
    decoded = decode_sweep(encoded, sweep.start_ns, sweep.end_ns).points_velo.astype(np.float64)
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
        pytest.param([[9, 0, MAX_RANGE_M, 0], [9, 0, 499.99, 0]], id="a step from the mean is out of range"),
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
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 5000))
def test_any_order_of_any_part_of_a_sweep_comes_back(codec: SweepCodec, seed: int, count: int) -> None:
    """A sensor's order is worth bytes and asked of nobody: points left out, stretches cut and swapped, all shuffled."""
    random = np.random.default_rng(seed)
    points = spinning_sweep(5000, seed).points_velo
    kept = np.sort(random.choice(len(points), count, replace=False))
    stretches = np.array_split(kept, int(random.integers(1, 400)))
    random.shuffle(stretches)
    assert_within_bounds(codec, Sweep(points[np.concatenate(stretches)], 0, 0))
    assert_within_bounds(codec, Sweep(random.permutation(points[kept]), 0, 0))


@each_codec
def test_a_long_sweep_comes_back_in_order(codec: SweepCodec) -> None:
    """Thousands of points, each within the bound of the one at its place."""
    assert_within_bounds(codec, spinning_sweep())


def test_raw_is_exact() -> None:
    """Not a bit differs."""
    sweep = spinning_sweep()
    assert RawCodec().decode(RawCodec().encode(sweep)).tobytes() == sweep.points_velo.tobytes()


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
@given(data=st.binary(max_size=300), name=st.sampled_from(SWEEP_CODEC_NAMES), count=st.integers(1, 20))
def test_garbage_gives_our_errors_only(data: bytes, name: str, count: int) -> None:
    """Random bytes never get past the codec but as a sweep."""
    try:
        sweep = decode_sweep(EncodedSweep(name, 1, count, data), 0, 1)
    except (CorruptBlobError, InvalidFrameError):
        return
    assert len(sweep) == count


@pytest.mark.parametrize("count", [0, MAX_SWEEP_POINTS + 1])
def test_point_counts_out_of_range_are_refused(count: int) -> None:
    """Before anything looks at the blob."""
    with pytest.raises(CorruptBlobError, match="expected 1 to"):
        EncodedSweep("raw", 1, count, b"")


def test_unknown_names_and_versions_say_what_is_known() -> None:
    """The message lists what this build has."""
    with pytest.raises(UnknownCodecError, match="expected one of polar, raw"):
        sweep_codec("draco")
    with pytest.raises(UnknownCodecError, match="reads version 1"):
        decode_sweep(EncodedSweep("polar", 2, 1, b""), 0, 0)


@pytest.mark.parametrize("value", [np.nan, np.inf, 501.0])
def test_raw_blobs_with_impossible_points_are_refused(value: float) -> None:
    """A blob of the right size still has to hold a sweep."""
    points = np.array([[value, 0, 0, 0]], "<f4")
    with pytest.raises(InvalidFrameError):
        decode_sweep(EncodedSweep("raw", 1, 1, points.tobytes()), 0, 0)


def test_decoding_keeps_the_times() -> None:
    """They travel beside the blob."""
    decoded = decode_sweep(sweep_codec("polar").encode(spinning_sweep()), 10, 110)
    assert (decoded.start_ns, decoded.end_ns) == (10, 110)
