"""Small scenes for the metrics: an object at (x, z) has a 3D box there and a 2D box of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from vedette.evaluation.objects import CameraObjects, ScoredFrame


def row(x: float = 0.0, z: float = 20.0, **changes: Any) -> dict[str, Any]:
    """One object: a car 4 m long, 1.6 m wide and 1.5 m high, 50 px tall in the image."""
    left = 1000.0 + 40.0 * x
    values = {
        "type": "Car",
        "truncation": 0.0,
        "occlusion": 0,
        "alpha": 0.0,
        "px": (left, 100.0, left + 100.0, 150.0),
        "cam": (x, 1.5, z, 1.5, 1.6, 4.0, 0.0),
        "score": 0.9,
    }
    assert changes.keys() <= values.keys()
    return values | changes


def region(px: tuple[float, float, float, float]) -> dict[str, Any]:
    """A DontCare region, with the placeholders that KITTI writes."""
    cam = (-1000.0, -1000.0, -1000.0, -1.0, -1.0, -1.0, -10.0)
    return row(type="DontCare", truncation=-1.0, occlusion=-1, alpha=-10.0, px=px, cam=cam)


def objects(rows: list[Mapping[str, Any]], *, scored: bool) -> CameraObjects:
    """The rows as parallel arrays."""
    if not rows:
        return CameraObjects.empty(scored=scored)
    return CameraObjects(
        types=tuple(one["type"] for one in rows),
        truncation=np.array([one["truncation"] for one in rows], np.float64),
        occlusion=np.array([one["occlusion"] for one in rows], np.int64),
        alpha=np.array([one["alpha"] for one in rows], np.float64),
        boxes_px=np.array([one["px"] for one in rows], np.float64),
        boxes_cam=np.array([one["cam"] for one in rows], np.float64),
        scores=np.array([one["score"] for one in rows], np.float64) if scored else None,
    )


def frame(labels: list[Mapping[str, Any]], detections: list[Mapping[str, Any]]) -> ScoredFrame:
    """One frame of labels and detections."""
    return ScoredFrame(objects(labels, scored=False), objects(detections, scored=True))


@pytest.fixture(name="row", scope="session")
def row_fixture() -> Callable[..., dict[str, Any]]:
    return row


@pytest.fixture(name="region", scope="session")
def region_fixture() -> Callable[..., dict[str, Any]]:
    return region


@pytest.fixture(name="objects", scope="session")
def objects_fixture() -> Callable[..., CameraObjects]:
    return objects


@pytest.fixture(name="frame", scope="session")
def frame_fixture() -> Callable[..., ScoredFrame]:
    return frame
