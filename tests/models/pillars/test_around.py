"""The full circle, with a network that finds every post and says which way it is seen."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vedette.classes import ObjectClass
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.errors import ModelError
from vedette.frames import Sweep
from vedette.geometry import wrap_pi
from vedette.models.camera_view import in_view
from vedette.models.pillars import FullCircleDetector, PillarsDetector
from vedette.models.pillars.around import TRAINED_VIEW, VIEWS, joined
from vedette.models.pillars.decode import Found
from vedette.models.pillars.grid import AnswerGrid
from vedette.models.pillars.network import PillarsNetwork

FINE = AnswerGrid(1)
POST_SCORE = 0.8


def post(azimuth_rad, range_m, height_m=0.0):
    """A point, a car's middle above the ground."""
    return [range_m * np.cos(azimuth_rad), range_m * np.sin(azimuth_rad), -1.0 + height_m, 0.5]


def find_posts(self, pillars):
    """A car in every pillar, its middle on the first point, its front away from the sensor; the nearer the surer."""
    heat = np.zeros((4, FINE.cells), np.float32)
    code = np.zeros((10, FINE.cells), np.float32)
    first = np.searchsorted(pillars.slots // 4, np.arange(len(pillars.cells)))
    quarter = pillars.slots[first] % 4
    row, column = np.divmod(pillars.cells, FINE.columns)
    off = (np.column_stack([quarter % 2, quarter // 2]) - 0.5 + pillars.features[first, :2]) / 2
    x, y = (column + 0.5 + off[:, 0]) * 0.32, (row + 0.5 + off[:, 1] - 128) * 0.32
    yaw = np.arctan2(y, x)
    heat[0, pillars.cells] = POST_SCORE - np.hypot(x, y) / 1000
    zeros = np.zeros(len(x))
    angles = [np.sin(2 * yaw), np.cos(2 * yaw), np.sin(yaw), np.cos(yaw)]
    code[:, pillars.cells] = [off[:, 0], off[:, 1], pillars.features[first, 2], zeros, zeros, zeros, *angles]
    return heat.reshape(4, FINE.rows, FINE.columns), code.reshape(10, FINE.rows, FINE.columns)


@pytest.fixture
def detector(registry_with, monkeypatch):
    """A detector whose network is that."""
    monkeypatch.setattr(PillarsNetwork, "run", find_posts)
    maps = np.zeros((4, FINE.rows, FINE.columns), np.float32), np.zeros((10, FINE.rows, FINE.columns), np.float32)
    return registry_with(*maps).load_detector3d("tiny-pillars")


def sweep_of(posts):
    return Sweep(np.array(posts, np.float32), 0, 0)


def test_views_are_those_of_training():
    """What samples of the world are cut by is what the views are cut by."""
    camera = KITTI_RIG.camera
    np.testing.assert_array_equal(TRAINED_VIEW.projection, camera.projection)
    np.testing.assert_array_equal(TRAINED_VIEW.cam_SE3_velo.matrix, camera.cam_SE3_velo.matrix)
    assert (TRAINED_VIEW.width_px, TRAINED_VIEW.height_px) == (camera.width_px, camera.height_px)


def test_the_first_view_is_ahead_as_the_camera_sees_it():
    """Not a point more or less."""
    points = np.random.default_rng(0).uniform(-30, 30, (5000, 4)).astype(np.float32)
    np.testing.assert_array_equal(VIEWS[0].points(points), points[in_view(points, KITTI_RIG.camera), :3])


@pytest.mark.parametrize("number", range(len(VIEWS)))
def test_views_look_along_x(number):
    """What lies in the view's direction comes straight ahead, what lies to its left at its left."""
    yaw = number * 2 * np.pi / len(VIEWS)
    points = np.array([post(yaw, 20.0), post(yaw + 0.3, 20.0), post(yaw + np.pi, 20.0)], np.float32)
    expected = [post(0.0, 20.0)[:3], post(0.3, 20.0)[:3]]
    np.testing.assert_allclose(VIEWS[number].points(points), expected, atol=1e-5)


@pytest.mark.parametrize("range_m", [4.0, 10.0, 70.0])
def test_every_direction_is_in_a_view_and_seams_in_two(range_m):
    """All around, a degree at a time; nowhere are there three."""
    ring = np.array([post(np.deg2rad(azimuth), range_m, 0.8) for azimuth in range(360)], np.float32)
    times = sum(in_view(ring, view.camera).astype(int) for view in VIEWS)
    assert set(times.tolist()) == {1, 2}
    seams = [36, 108, 180, 252, 324]
    assert (times[seams] == 2).all()


@given(azimuth_deg=st.floats(-180, 180), range_m=st.floats(6, 65))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_post_anywhere_is_found_once_where_it_stands(detector, azimuth_deg, range_m):
    """Also where two views see it; heading away from the sensor, which two views would tell in two frames."""
    azimuth = np.deg2rad(azimuth_deg)
    found = detector.detect_around(sweep_of([post(azimuth, range_m)]))
    assert len(found) == 1
    np.testing.assert_allclose(found.boxes_velo[0, :3], post(azimuth, range_m)[:3], atol=2e-3)
    assert abs(wrap_pi(found.boxes_velo[0, 6] - azimuth)) < 2e-3
    assert found.class_ids.tolist() == [int(ObjectClass.CAR)]


def test_a_ring_of_posts_is_found_whole_best_first(detector):
    """Every 10 degrees at 30 m, a little farther each: none twice, none lost."""
    posts = [post(np.deg2rad(azimuth), 30 + 0.1 * number) for number, azimuth in enumerate(range(5, 365, 10))]
    found = detector.detect_around(sweep_of(posts))
    np.testing.assert_allclose(found.boxes_velo[:, :2], np.array(posts)[:, :2], atol=2e-3)
    assert (np.diff(found.scores) < 0).all()


def car(azimuth_deg, range_m, yaw_deg=0.0, size=(4.0, 1.8, 1.5)):
    azimuth = np.deg2rad(azimuth_deg)
    return [range_m * np.cos(azimuth), range_m * np.sin(azimuth), -1.0, *size, np.deg2rad(yaw_deg)]


def found_in_views(*rows):
    """What the views say, each row a view, a box in its frame, its score and its channel."""
    of_view = [[row[1:] for row in rows if row[0] == number] for number in range(len(VIEWS))]
    return [
        Found(
            np.array([box for box, _, _ in said], float).reshape(-1, 7),
            np.array([score for _, score, _ in said], float),
            np.array([channel for *_, channel in said], np.int64),
        )
        for said in of_view
    ]


PERSON = (0.8, 0.8, 1.7)


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        pytest.param(
            [(1, car(-35, 8), 0.5, 0), (0, car(36.6, 8.5), 0.9, 0)], [0.5], id="whose sector it is, is believed"
        ),
        pytest.param([(1, car(-35, 8), 0.5, 0), (0, car(38, 8, size=PERSON), 0.9, 2)], [0.5], id="of whatever class"),
        pytest.param([(0, car(38, 8), 0.9, 0)], [0.9], id="a stray that is alone"),
        pytest.param([(0, car(37, 8), 0.9, 0), (1, car(-37, 8), 0.8, 0)], [0.9, 0.8], id="each leaves it to the other"),
        pytest.param(
            [(0, car(10, 8), 0.9, 0), (0, car(12, 8), 0.8, 2)], [0.9, 0.8], id="within a sector nobody strays"
        ),
        pytest.param([(0, car(38, 8), 0.9, 0), (1, car(-30, 20), 0.8, 0)], [0.9, 0.8], id="another object"),
    ],
)
def test_on_a_seam_the_view_in_whose_sector_it_stands_is_believed(rows, kept):
    """Views 0 and 1 meet at 36 degrees, which is -36 in view 1."""
    np.testing.assert_allclose(joined(found_in_views(*rows)).scores, kept)


def test_boxes_are_turned_back():
    """View 2 looks to 144 degrees."""
    (box,) = joined(found_in_views((2, car(10, 20, 40), 0.9, 0))).boxes_velo
    np.testing.assert_allclose(box, [*car(154, 20)[:6], np.deg2rad(184 - 360)], atol=1e-9)


def test_ahead_it_is_what_the_camera_sees(detector):
    """By default that is all that is looked at."""
    posts = sweep_of([post(0.2, 20.0), post(2.5, 20.0)])
    ahead = detector.detect(posts, KITTI_RIG.camera)
    around = detector.detect_around(posts)
    assert (len(ahead), len(around)) == (1, 2)
    np.testing.assert_array_equal(around.boxes_velo[0], ahead.boxes_velo[0])


def test_nothing_around_gives_nothing(detector):
    """All of it straight above."""
    assert len(detector.detect_around(sweep_of([[0.5, 0.0, 30.0, 0.5]]))) == 0


def test_the_registry_gives_it_on_request(registry_with, monkeypatch):
    """As a detector like any other."""
    monkeypatch.setattr(PillarsNetwork, "run", find_posts)
    maps = np.zeros((4, FINE.rows, FINE.columns), np.float32), np.zeros((10, FINE.rows, FINE.columns), np.float32)
    registry = registry_with(*maps)
    assert isinstance(registry.load_detector3d("tiny-pillars"), PillarsDetector)
    everywhere = registry.load_detector3d("tiny-pillars", full_circle=True)
    assert isinstance(everywhere, FullCircleDetector)
    assert everywhere.name == "tiny-pillars@1"
    assert len(everywhere.detect(sweep_of([post(0.2, 20.0), post(2.5, 20.0)]), KITTI_RIG.camera)) == 2


def test_other_families_cannot(registry_with, monkeypatch):
    """They would look ahead five times."""
    maps = np.zeros((4, FINE.rows, FINE.columns), np.float32), np.zeros((10, FINE.rows, FINE.columns), np.float32)
    registry = registry_with(*maps)

    class Ahead:
        name = "ahead@1"

    monkeypatch.setattr("vedette.models.registry._detector3d", lambda model: Ahead())
    with pytest.raises(ModelError, match="ahead@1: reads what the camera sees"):
        registry.load_detector3d("tiny-pillars", full_circle=True)
