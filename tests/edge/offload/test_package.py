"""Which points of a sweep are sent."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.offload.package import Package, View, usual_package
from vedette.errors import InvalidFrameError, UnknownCodecError
from vedette.frames import Sweep

# of the conftest's camera: u = 600 - 700 y / x, v = 180 - 700 z / x; 1242 x 375 px
AHEAD = [10.0, 0.0, 0.0, 0.1]  # at 600, 180
LEFT = [10.0, 5.0, -1.0, 0.2]  # at 250, 250
RIGHT = [20.0, -10.0, 0.0, 0.3]  # at 950, 180
ASIDE = [10.0, 9.0, 0.0, 0.4]  # at -30
BEHIND = [-10.0, 0.0, 0.0, 0.5]
SWEEP = Sweep(np.array([AHEAD, LEFT, BEHIND, RIGHT, ASIDE], np.float32), 5, 7)


@pytest.mark.parametrize(
    ("package", "intensities"),
    [
        pytest.param(Package(View.WHOLE, "raw"), [0.1, 0.2, 0.5, 0.3, 0.4], id="all around"),
        pytest.param(Package(View.CAMERA, "raw"), [0.1, 0.2, 0.3], id="what the camera sees"),
        pytest.param(Package(View.REGIONS, "raw", np.array([[900.0, 100, 1000, 200]])), [0.3], id="one region"),
        pytest.param(
            Package(View.REGIONS, "raw", np.array([[900.0, 100, 1000, 200], [550, 0, 650, 375], [590, 90, 960, 190]])),
            [0.1, 0.3],
            id="regions that overlap count points once",
        ),
        pytest.param(
            Package(View.REGIONS, "raw", np.array([[-500.0, 240, 260, 260]])), [0.2], id="a region beyond the border"
        ),
    ],
)
def test_points_of_each_view(camera, package: Package, intensities: list[float]) -> None:
    """In their order, with the sweep's times."""
    packed = package.pack(SWEEP, camera)
    assert packed.points_velo[:, 3].tolist() == pytest.approx(intensities)
    assert (packed.start_ns, packed.end_ns) == (5, 7)


@pytest.mark.parametrize(
    ("package", "points"),
    [
        (Package(View.REGIONS, "raw", np.array([[0.0, 0, 10, 10]])), [AHEAD]),
        (Package(View.CAMERA, "raw"), [BEHIND]),
    ],
)
def test_nothing_to_send_is_an_error(camera, package: Package, points: list[list[float]]) -> None:
    """A request without points is none."""
    with pytest.raises(InvalidFrameError, match="none of the 1 points"):
        package.pack(Sweep(np.array(points, np.float32), 0, 0), camera)


@pytest.mark.parametrize(
    ("view", "regions"),
    [(View.CAMERA, np.ones((1, 4))), (View.REGIONS, None), (View.REGIONS, np.zeros((0, 4)))],
)
def test_regions_and_their_view_belong_together(view: View, regions: np.ndarray | None) -> None:
    """One without the other is a defect."""
    with pytest.raises(ValueError, match="expected both or neither"):
        Package(view, "raw", regions)


def test_what_the_settings_say() -> None:
    """The camera's view or all, and a codec that is known."""
    assert usual_package("raw", camera_view_only=True) == Package(View.CAMERA, "raw")
    assert usual_package("polar", camera_view_only=False) == Package(View.WHOLE, "polar")
    with pytest.raises(UnknownCodecError):
        usual_package("zip", camera_view_only=True)
