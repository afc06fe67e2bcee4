"""One object over time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.track import TrackSet, boxes_velo
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

EGO_MPS = 27.0
AZIMUTH = np.deg2rad(30.0)
# a twelfth of a turn of 0.1 s after the sensor looked ahead
LAG_S = 0.1 / 12


@pytest.fixture
def viewpoint(street):
    """Driving, with a sensor that looks ahead at the capture time."""
    return Viewpoint(0, SE3.identity(), street.camera, np.array([EGO_MPS, 0.0]), (-0.05, 0.05))


@pytest.mark.parametrize("speed_mps", [EGO_MPS, 0.0, -EGO_MPS])
def test_where_the_sweep_shows_it(street, viewpoint, speed_mps):
    """What keeps our pace is shown where it is; what stands or comes is nearer by the time the sensor looks left."""
    place = 20.0 * np.array([np.cos(AZIMUTH), np.sin(AZIMUTH)])
    still = Viewpoint(0, SE3.identity(), street.camera)
    told = street.answer(street.box(*place))
    (track,) = apply_answer(TrackSet(), 0, still, told, AnchorRules(0.5, 0.5, None))[0].tracks
    mean = track.motion.mean.copy()
    mean[2:4] = speed_mps, 0.0
    driving = replace(track, motion=replace(track.motion, mean=mean))
    shift_m = LAG_S * (speed_mps - EGO_MPS)
    assert driving.apparent_velo(viewpoint)[:2] == pytest.approx(place + np.array([shift_m, 0.0]))
    assert driving.hint(viewpoint).xy_velo == pytest.approx(place + np.array([shift_m, 0.0]))
    assert boxes_velo([driving], viewpoint)[0, :2] == pytest.approx(place)
