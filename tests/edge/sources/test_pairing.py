"""Which image belongs to which sweep."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.sources.pairing import Pairing
from vedette.frames import CameraImage, Sweep

MS = 1_000_000


def image(stamp_ms: int) -> CameraImage:
    return CameraImage(np.zeros((2, 3, 3), np.uint8), stamp_ms * MS)


def sweep(end_ms: int) -> Sweep:
    return Sweep(np.full((1, 4), 0.5, np.float32), end_ms * MS, end_ms * MS)


@pytest.mark.parametrize(
    ("images_ms", "now_ms", "expected_ms"),
    [
        ([], 100, "wait"),  # an image may still come
        ([], 149, "wait"),
        ([], 150, None),  # not within the tolerance any more
        ([90], 110, "wait"),  # a nearer one may come
        ([90], 150, 90),  # none came
        ([90, 105], 110, 105),
        ([90, 115], 116, 90),
        ([90, 110], 111, 90),  # equally near: the earlier
        ([100], 100, 100),
        ([40], 200, None),  # too far
        ([50], 200, 50),  # just near enough
        ([151], 151, None),
        ([10, 20, 30, 95, 130], 131, 95),
    ],
)
def test_nearest_image_within_the_tolerance(images_ms: list[int], now_ms: int, expected_ms: int | str | None) -> None:
    """A sweep of 100 ms with a tolerance of 50 ms takes the nearest image as soon as no better one can come."""
    pairing = Pairing(50 * MS)
    for stamp_ms in images_ms:
        pairing.add_image(image(stamp_ms))
    pairing.add_sweep(0, sweep(100))
    paired = pairing.take(now_ms * MS)
    if expected_ms == "wait":
        assert paired is None
        return
    assert paired is not None
    index, taken_sweep, taken = paired
    assert (index, taken_sweep.end_ns) == (0, 100 * MS)
    assert (None if taken is None else taken.stamp_ns // MS) == expected_ms
    assert pairing.take(now_ms * MS) is None


def test_an_image_is_used_once() -> None:
    """Two sweeps near one image: the first takes it, the second has none, and older images are gone as well."""
    pairing = Pairing(50 * MS)
    for stamp_ms in (80, 101):
        pairing.add_image(image(stamp_ms))
    pairing.add_sweep(0, sweep(100))
    first = pairing.take(101 * MS)
    assert first is not None
    assert first[2] is not None
    pairing.add_sweep(1, sweep(110))
    second = pairing.take(200 * MS)
    assert second is not None
    assert second[2] is None


def test_newest_sweep_wins() -> None:
    """Of sweeps that come before they could be paired, only the last is delivered, and the others are counted."""
    pairing = Pairing(50 * MS)
    for index in range(3):
        pairing.add_sweep(index, sweep(100 + index))
    paired = pairing.take(500 * MS)
    assert paired is not None
    assert paired[0] == 2
    assert pairing.dropped == 2


def test_images_are_bounded() -> None:
    """A camera without a LiDAR does not fill the memory: the newest images stay."""
    pairing = Pairing(50 * MS)
    for stamp_ms in range(1000):
        pairing.add_image(image(stamp_ms))
    pairing.add_sweep(0, sweep(985))
    paired = pairing.take(1000 * MS)
    assert paired is not None
    assert paired[2] is not None
    assert paired[2].stamp_ns == 992 * MS
