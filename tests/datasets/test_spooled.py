"""Frames are made once, kept whole, and gone when the recording is closed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.spooled import SpooledRecording
from vedette.errors import DataError, InvalidFrameError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import BadFrame, CameraImage, Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3, PinholeCamera

CAMERA = PinholeCamera(np.array([[10.0, 0, 4, 0], [0, 10, 3, 0], [0, 0, 1, 0]]), SE3.identity(), 8, 6)


class Counted:
    """A recording of three frames, the second bad, that counts how often each is made."""

    name = "counted"
    time_base = TimeBase.RECORDED
    frame_count = 3
    missing_frame_count = 0
    problems = ("a problem",)

    def __init__(self) -> None:
        self.made: list[int] = []
        self.closed = False

    def __iter__(self) -> Iterator[FrameItem]:
        for index in range(3):
            self.made.append(index)
            yield self.item(index)

    def item(self, index: int) -> FrameItem:
        if index == 1:
            return BadFrame(1, self.name, 100, InvalidFrameError("broken"))
        points = np.random.default_rng(index).random((50, 4), dtype=np.float32)
        pixels = np.random.default_rng(index).integers(0, 255, (6, 8, 3)).astype(np.uint8)
        image = CameraImage(pixels, index * 100) if index == 0 else None
        return Frame(index, self.name, index * 100, CAMERA, Sweep(points, index, index + 5), image, SE3.from_yaw(0.1))

    def labels(self, frame_index: int) -> CameraObjects | None:
        return CameraObjects.empty(scored=False) if frame_index == 2 else None

    def close(self) -> None:
        self.closed = True


def same(a: FrameItem, b: FrameItem) -> bool:
    if isinstance(a, BadFrame) or isinstance(b, BadFrame):
        return isinstance(a, BadFrame) and isinstance(b, BadFrame) and a.index == b.index
    assert a.sweep is not None
    assert b.sweep is not None
    pixels = [None if one.image is None else one.image.pixels_bgr.tolist() for one in (a, b)]
    return (
        (a.index, a.stamp_ns, a.sweep.start_ns, a.sweep.end_ns)
        == (b.index, b.stamp_ns, b.sweep.start_ns, b.sweep.end_ns)
        and np.array_equal(a.sweep.points_velo, b.sweep.points_velo)
        and pixels[0] == pixels[1]
        and a.world_SE3_ego is not None
        and b.world_SE3_ego is not None
        and np.array_equal(a.world_SE3_ego.matrix, b.world_SE3_ego.matrix)
    )


def test_each_frame_is_made_once_and_comes_back_the_same() -> None:
    """However often, and from wherever, it is iterated."""
    source = Counted()
    spooled = SpooledRecording(source)
    first = next(iter(spooled))
    assert source.made == [0]
    for _ in range(2):
        items = list(spooled)
        assert all(same(item, source.item(index)) for index, item in enumerate(items))
    assert same(first, items[0])
    assert source.made == [0, 1, 2]
    spooled.close()
    assert source.closed


def test_what_the_recording_says_is_passed_on() -> None:
    """Name, times, counts, problems, labels."""
    spooled = SpooledRecording(Counted())
    assert (spooled.name, spooled.frame_count, spooled.missing_frame_count) == ("counted", 3, 0)
    assert spooled.time_base is TimeBase.RECORDED
    assert spooled.problems == ("a problem",)
    assert spooled.labels(1) is None
    assert spooled.labels(2) is not None
    spooled.close()


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the frame and the folder."""

    def full(path: Path, array: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    spooled = SpooledRecording(Counted())
    with pytest.raises(DataError, match=r"frame 0 cannot be kept in .*: No space left on device"):
        list(spooled)
    spooled.close()
