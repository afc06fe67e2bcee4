"""Content of frames is checked once, when a value is made."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.errors import InvalidFrameError
from vedette.frames import MAX_RANGE_M, MAX_SWEEP_POINTS, CameraImage, Frame, Sweep
from vedette.geometry import SE3, PinholeCamera


def camera(width_px: int = 40, height_px: int = 20) -> PinholeCamera:
    projection = np.array([[10.0, 0.0, 20.0, 0.0], [0.0, 10.0, 10.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    cam_R_velo = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    return PinholeCamera(projection, SE3(cam_R_velo, np.zeros(3)), width_px, height_px)


def points(*rows: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32).reshape(-1, 4)


GOOD = points((1.0, 2.0, 3.0, 0.5))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (GOOD.astype(np.float64), "float64"),
        (GOOD[:, :3], r"\(1, 3\)"),
        (points(), "0 points"),
        (np.zeros((MAX_SWEEP_POINTS + 1, 4), np.float32), "1000001 points"),
        (points((np.nan, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0)), "1 points that are not finite"),
        (points((0.0, np.inf, 0.0, 0.0)), "1 points that are not finite"),
        (points((0.0, 0.0, 0.0, np.nan)), "1 points that are not finite"),
        (points((-MAX_RANGE_M - 1.0, 0.0, 0.0, 0.0)), "501 m"),
        (points((0.0, 0.0, 0.0, 1.01)), "intensity"),
        (points((0.0, 0.0, 0.0, -0.01)), "intensity"),
    ],
)
def test_bad_sweeps_are_refused(values: np.ndarray, message: str) -> None:
    """The error says what was met."""
    with pytest.raises(InvalidFrameError, match=message):
        Sweep(values, 0, 0)


@pytest.mark.parametrize("values", [GOOD, points((MAX_RANGE_M, -MAX_RANGE_M, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0))])
def test_sweeps_at_the_limits_are_taken(values: np.ndarray) -> None:
    """One point, the largest range, and both ends of intensity are legal."""
    assert len(Sweep(values, 5, 5)) == len(values)


def test_sweep_cannot_end_before_it_starts() -> None:
    """Swapped start and end are an error, not a negative duration later."""
    with pytest.raises(InvalidFrameError, match="1 ns before it starts"):
        Sweep(GOOD, 2, 1)


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((20, 40), np.uint8),
        np.zeros((20, 40, 4), np.uint8),
        np.zeros((0, 40, 3), np.uint8),
        np.zeros((20, 40, 3), np.float32),
    ],
    ids=["grey", "alpha", "empty", "float"],
)
def test_bad_images_are_refused(pixels: np.ndarray) -> None:
    """Only three-channel bytes are a picture."""
    with pytest.raises(InvalidFrameError, match="expected"):
        CameraImage(pixels, 0)


def test_image_of_another_size_than_calibrated_is_refused() -> None:
    """The message names the frame and both sizes."""
    image = CameraImage(np.zeros((20, 41, 3), np.uint8), 0)
    with pytest.raises(InvalidFrameError, match="drive frame 7: image is 41x20; expected 40x20"):
        Frame(7, "drive", 0, camera(), None, image, None)


def test_frame_without_any_data_is_refused() -> None:
    """A frame stands for something that was captured."""
    with pytest.raises(InvalidFrameError, match="neither sweep nor image"):
        Frame(7, "drive", 0, camera(), None, None, None)


@pytest.mark.parametrize(("sweep_end_ns", "ready_ns"), [(None, 100), (90, 100), (150, 150)])
def test_frame_is_ready_when_its_last_part_is(sweep_end_ns: int | None, ready_ns: int) -> None:
    """The end of the sweep counts where it comes after the picture."""
    sweep = None if sweep_end_ns is None else Sweep(GOOD, 50, sweep_end_ns)
    image = CameraImage(np.zeros((20, 40, 3), np.uint8), 100)
    assert Frame(0, "drive", 100, camera(), sweep, image, None).ready_ns == ready_ns
