"""From a sweep to detections, with a network whose answer is known."""

import hashlib

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.errors import ModelCardError, ModelLoadError
from vedette.frames import Sweep
from vedette.geometry import SE3, PinholeCamera
from vedette.models.cards import card_as_yaml
from vedette.models.pillars import PillarsDetector
from vedette.models.pillars.features import pillarise
from vedette.models.pillars.grid import AnswerGrid
from vedette.models.pillars.ground import USUAL_HEIGHT_M
from vedette.models.pillars.network import PillarsNetwork
from vedette.models.preparing import prepare

COARSE, FINE = AnswerGrid(2), AnswerGrid(1)


@pytest.fixture
def camera():
    """Looks along x, 90 degrees wide, 60 high."""
    cam_R_velo = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    projection = np.array([[100.0, 0.0, 100.0, 0.0], [0.0, 100.0, 58.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    return PinholeCamera(projection, SE3(cam_R_velo, np.zeros(3)), 200, 116)


def answer(grid=COARSE, **peaks):
    """Heat of the given height for each of the classes at (9.92, 0.32), and usual cars everywhere."""
    heat = np.zeros((4, grid.rows, grid.columns), np.float32)
    for name, score in peaks.items():
        heat[["car", "van", "pedestrian", "cyclist"].index(name), 128 // grid.stride, 31 // grid.stride] = score
    regression = np.zeros((10, grid.rows, grid.columns), np.float32)
    regression[[7, 9]] = 1.0
    return heat, regression


@pytest.fixture
def one_car():
    """Heat of one car."""
    return answer(car=0.75)


def sweep(*rows):
    return Sweep(np.array(rows, np.float32), 0, 0)


def test_the_registry_gives_the_family_its_detector(registry_with, one_car, camera):
    """And the network's map becomes a car."""
    detector = registry_with(*one_car).load_detector3d("tiny-pillars")
    assert isinstance(detector, PillarsDetector)
    assert detector.name == "tiny-pillars@1"
    found = detector.detect(sweep([10, 0, 0, 0.5]), camera)
    np.testing.assert_allclose(found.boxes_velo, [[9.92, 0.32, -1.0, 3.9, 1.63, 1.53, 0.0]], atol=1e-6)
    np.testing.assert_allclose(found.scores, [0.75], atol=1e-7)
    np.testing.assert_array_equal(found.class_ids, [int(ObjectClass.CAR)])


@pytest.mark.parametrize(
    "place",
    [
        pytest.param([-10, 0, 0, 0.5], id="behind"),
        pytest.param([10, 20, 0, 0.5], id="beside the view"),
        pytest.param([10, 0, 9, 0.5], id="above the view"),
        pytest.param([90, 0, 0, 0.5], id="in view, beyond the grid"),
    ],
)
def test_a_sweep_with_nothing_to_look_at_gives_nothing(registry_with, one_car, camera, place):
    """The network is not even run: this one finds a car at any rate."""
    detector = registry_with(*one_car).load_detector3d("tiny-pillars")
    assert len(detector.detect(sweep(place), camera)) == 0


def test_points_outside_the_view_are_not_used(registry_with, one_car, camera, monkeypatch):
    """Neither in training nor in service does the network get them."""
    seen = []
    whole = PillarsNetwork.run
    monkeypatch.setattr(PillarsNetwork, "run", lambda self, pillars: (seen.append(pillars), whole(self, pillars))[1])
    detector = registry_with(*one_car).load_detector3d("tiny-pillars")
    detector.detect(sweep([10, 0, 0, 0.5], [10, 20, 0, 0.5], [10, -20, 0, 0.5]), camera)
    np.testing.assert_array_equal(seen[-1].features, pillarise(np.array([[10, 0, 0]], np.float32)).features)


@pytest.mark.parametrize("grid", [COARSE, FINE])
def test_both_answer_grids_are_understood(registry_with, camera, grid):
    """(10.08, 0.16) in the fine one."""
    detector = registry_with(*answer(grid, car=0.75)).load_detector3d("tiny-pillars")
    found = detector.detect(sweep([10, 0, 0, 0.5]), camera)
    x, y = (9.92, 0.32) if grid == COARSE else (10.08, 0.16)
    np.testing.assert_allclose(found.boxes_velo[:, :2], [[x, y]], atol=1e-6)


def test_people_may_stand_in_vehicles_but_no_one_is_two(registry_with, camera):
    """Of car and van the van, of pedestrian and cyclist the cyclist."""
    heat = answer(car=0.5, van=0.6, pedestrian=0.3, cyclist=0.4)
    found = registry_with(*heat).load_detector3d("tiny-pillars").detect(sweep([10, 0, 0, 0.5]), camera)
    np.testing.assert_array_equal(found.class_ids, [int(ObjectClass.VAN), int(ObjectClass.CYCLIST)])


def test_the_sweep_is_put_level_and_boxes_come_back_on_the_road(registry_with, one_car, camera, monkeypatch):
    """A road half a metre lower than usual that rises by 1 in 50: what the network sees is level, at the usual height;
    its car, at -1 m in the level sweep, stands 0.5 m lower and 0.2 m higher."""
    seen = []
    whole = PillarsNetwork.run
    monkeypatch.setattr(PillarsNetwork, "run", lambda self, pillars: (seen.append(pillars), whole(self, pillars))[1])
    x, y = np.meshgrid(np.linspace(3, 38, 120), np.linspace(-2.5, 2.5, 60))
    road = np.column_stack([x.ravel(), y.ravel(), 0.02 * x.ravel() - USUAL_HEIGHT_M - 0.5, np.zeros(x.size)])
    detector = registry_with(*one_car).load_detector3d("tiny-pillars")
    found = detector.detect(Sweep(road.astype(np.float32), 0, 0), camera)
    np.testing.assert_allclose(
        seen[-1].features[:, 2], 1.0 - USUAL_HEIGHT_M, atol=0.02
    )  # the import's frame came before
    np.testing.assert_allclose(found.boxes_velo[0, 2], -1.0 - 0.5 + 0.02 * 9.92, atol=0.02)


def test_preparing_runs_it(registry_with, one_car):
    """On a point ahead."""
    assert prepare(registry_with(*one_car), "tiny-pillars").label == "tiny-pillars@1"


def test_a_card_without_a_class_of_ours_is_refused(registry_with, one_car, tmp_path):
    """It could never find anything."""
    registry = registry_with(*one_car)
    card = registry.store.find("tiny-pillars").card
    wrong = card.model_copy(update={"classes": ("none", "none", "DontCare", "background"), "version": "2"})
    (tmp_path / "wrong.yaml").write_text(card_as_yaml(wrong), encoding="utf-8")
    with pytest.raises(ModelCardError, match="none of its classes"):
        registry.import_file(tmp_path / "tiny.onnx", card=tmp_path / "wrong.yaml")


def test_a_card_with_another_number_of_classes_is_refused(registry_with, one_car, tmp_path):
    """The model has four heat maps; a card that speaks of two classes would be believed in vain."""
    registry = registry_with(*one_car)
    card = registry.store.find("tiny-pillars").card
    wrong = card.model_copy(update={"classes": ("Car", "Van"), "version": "2"})
    (tmp_path / "wrong.yaml").write_text(card_as_yaml(wrong), encoding="utf-8")
    with pytest.raises(ModelLoadError, match="family pillars with 2 classes has inputs and outputs"):
        registry.import_file(tmp_path / "tiny.onnx", card=tmp_path / "wrong.yaml")
    assert card.sha256 == hashlib.sha256((tmp_path / "tiny.onnx").read_bytes()).hexdigest()
