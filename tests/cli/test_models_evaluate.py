"""`vedette models evaluate`, on a recording made here with a detector that is told what to say."""

import json
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from vedette.classes import ObjectClass
from vedette.cli.image_trial import with_people_of
from vedette.cli.models import app
from vedette.detections import Detections2D, Detections3D
from vedette.errors import ConfigError, MissingDataError
from vedette.models.registry import ModelRegistry
from vedette.models.store import ModelStore

CLOUD = np.random.default_rng(0).uniform(-1, 1, (200, 4)).astype(np.float32)
CLOUD[:, :3] = CLOUD[:, :3] * [1.9, 0.7, 0.7] + [15.0, 0.0, -0.98]
CLOUD[:, 3] = 0.5
PROJECTION = "700 0 600 0 0 700 180 0 0 0 1 0"
# bottom centre in the camera frame: x right 0, y down 1.73, z ahead 15; along the line of sight
LABEL = "Car 0 0 -1.57 560 180 640 260 1.5 1.6 4.0 0 1.73 15 -1.5708"


class Oracle:
    """Finds one car straight ahead in every sweep unless it is blind, and remembers how often it was asked."""

    def __init__(self, name):
        self.name = name
        self.asked = 0
        self.points = []
        self.cars = 0 if name.startswith("blind") else 1

    def detect(self, sweep, camera):
        self.asked += 1
        self.points.append(len(sweep))
        box = np.array([[15.0, 0.0, -0.98, 4.0, 1.6, 1.5, 0.0]])
        return Detections3D(
            box[: self.cars], np.array([0.9])[: self.cars], np.array([int(ObjectClass.CAR)])[: self.cars]
        )


@pytest.fixture
def oracles(monkeypatch):
    """Every model is one; those whose name begins with seg or eye are for other tasks."""
    loaded = {}

    def find(_, name):
        task = {"seg": "segment", "eye": "detect2d"}.get(name[:3], "detect3d")
        return SimpleNamespace(card=SimpleNamespace(label=name, task=task, labels="kitti", classes=("Car",)))

    monkeypatch.setattr(ModelRegistry, "load_detector3d", lambda _, name: loaded.setdefault(name, Oracle(name)))
    monkeypatch.setattr(ModelStore, "find", find)
    return loaded


@pytest.fixture
def tracking(tmp_path):
    """Two frames of KITTI's tracking layout: a car straight ahead; the third sweep is cut short."""
    root = tmp_path / "kitti" / "tracking" / "training"
    for part in ("velodyne/0000", "calib", "label_02"):
        (root / part).mkdir(parents=True)
    for index in range(3):
        (root / f"velodyne/0000/{index:06d}.bin").write_bytes(CLOUD.tobytes()[: None if index < 2 else 30])
    rows = [f"P{k}: {PROJECTION}" for k in range(4)]
    rows += ["R_rect 1 0 0 0 1 0 0 0 1", "Tr_velo_cam 0 -1 0 0 0 0 -1 0 1 0 0 0", "Tr_imu_velo 1 0 0 0 0 1 0 0 0 0 1 0"]
    (root / "calib/0000.txt").write_text("\n".join(rows) + "\n")
    (root / "label_02/0000.txt").write_text("".join(f"{index} 1 {LABEL}\n" for index in range(3)))
    return f"kitti-tracking:{tmp_path / 'kitti'}:0000"


@pytest.fixture
def objects_kitti(tmp_path):
    """Frames 14, 217 and 2270 of KITTI's object layout: the same car straight ahead; 14 has no labels."""
    root = tmp_path / "kitti" / "object" / "training"
    for part in ("velodyne", "calib", "label_2"):
        (root / part).mkdir(parents=True)
    rows = [f"P{k}: {PROJECTION}" for k in range(4)]
    rows += [
        "R0_rect: 1 0 0 0 1 0 0 0 1",
        "Tr_velo_to_cam: 0 -1 0 0 0 0 -1 0 1 0 0 0",
        "Tr_imu_to_velo: 1 0 0 0 0 1 0 0 0 0 1 0",
    ]
    for index in (14, 217, 2270):
        (root / f"velodyne/{index:06d}.bin").write_bytes(CLOUD.tobytes())
        (root / f"calib/{index:06d}.txt").write_text("\n".join(rows) + "\n")
        if index != 14:
            (root / f"label_2/{index:06d}.txt").write_text(f"{LABEL}\n")
    return f"kitti-object:{tmp_path / 'kitti'}"


class Eye:
    """Sees one car where it is labelled, and, when looking for what is faint, a second one."""

    def __init__(self, name, score_threshold):
        self.name = name
        self.boxes = np.array([[560.0, 180.0, 640.0, 260.0], [100.0, 180.0, 180.0, 260.0]])
        self.count = 1 if score_threshold > 0.3 else 2

    def detect(self, image):
        chosen = slice(self.count)
        return Detections2D(
            self.boxes[chosen], np.array([0.9, 0.3])[chosen], np.array([int(ObjectClass.CAR)] * 2)[chosen]
        )


@pytest.fixture
def eyes(monkeypatch, oracles):
    """Every 2D model is one."""
    loaded = []

    def load(_, name, score_threshold, mask_model=None):
        loaded.append((name, score_threshold, mask_model))
        return Eye(name, score_threshold)

    monkeypatch.setattr(ModelRegistry, "load_detector2d", load)
    return loaded


@pytest.fixture
def pictures(objects_kitti, tmp_path):
    """The same frames, 217 with a picture."""
    (tmp_path / "kitti/object/training/image_2").mkdir()
    picture = cv2.imencode(".png", np.zeros((375, 1242, 3), np.uint8))[1]
    (tmp_path / "kitti/object/training/image_2/000217.png").write_bytes(picture.tobytes())
    return objects_kitti


def run(*arguments):
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments), "--resamples", "3"])


def test_figures_counts_and_times_are_written(oracles, tracking, tmp_path):
    """Both whole frames are found; the broken one is set aside and said so."""
    result = run("some", "--data", tracking, "--json", tmp_path / "out.json")
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["command"] == "models evaluate"
    (figures,) = document["runs"]
    assert (figures["frames"], figures["frames_set_aside"], figures["drives"]) == (2, 1, 1)
    assert figures["f1.car.3d.0.5.r50"] == 100.0
    assert figures["false_boxes_per_frame"] == 0.0
    assert figures["labels.car.points.100-"] == 2
    assert figures["interval95.f1.car.3d.0.5.r50"] is None  # one drive
    assert figures["interval95_draws.f1.car.3d.0.5.r50"] == 0
    assert figures["f1.cyclist.3d.0.5.r50"] is None  # the model does not know any
    assert figures["detect_ms.p50"] >= 0
    assert document["config"]["recalls"] == [0.85, 0.88]
    assert "less than half lies in one DontCare region" in " ".join(result.output.split())
    assert "1 set aside" in " ".join(result.output.split())
    assert oracles["some"].asked == 2


def test_a_recall_that_is_not_reached_has_a_dash(oracles, tracking):
    """A row left out would read as if nobody had asked."""
    result = run("blind", "--data", tracking, "--recall", "0.7")
    assert [line.split()[1:4] for line in result.output.splitlines() if "recall0.7" in line] == [
        ["false_boxes_per_frame.car.recall0.7", "│", "-"]
    ]


def test_several_models_stand_side_by_side(oracles, tracking, tmp_path):
    """One finds the car, one does not; a recall that is never reached gives no figure, and the best one is told."""
    result = run("some", "blind", "--data", tracking, "--recall", "0.9", "--json", tmp_path / "out.json")
    assert result.exit_code == 0, result.output
    seeing, blind = json.loads((tmp_path / "out.json").read_text())["runs"]
    assert (seeing["model"], blind["model"]) == ("some", "blind")
    assert (seeing["false_boxes_per_frame.car.recall0.9"], seeing["best_recall.car"]) == (0.0, 100.0)
    assert (blind["false_boxes_per_frame.car.recall0.9"], blind["best_recall.car"]) == (None, 0.0)
    row = next(line for line in result.output.splitlines() if "f1.car.3d.0.5.r50" in line)
    assert "100.00" in row
    assert "0.00" in row


def test_what_several_models_find_on_folds_of_their_own_is_pooled(oracles, objects_kitti, tmp_path):
    """Frames 2270 and 217 are of folds 0 and 1, frame 14 too but not labelled; each goes to the model of its fold."""
    arguments = ("fold{fold}", "--data", objects_kitti, "--folds", "0,1", "--json", tmp_path / "out.json")
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    (figures,) = json.loads((tmp_path / "out.json").read_text())["runs"]
    assert {name: oracle.asked for name, oracle in oracles.items()} == {"fold0": 1, "fold1": 1}
    assert (figures["frames"], figures["frames_set_aside"], figures["drives"]) == (2, 1, 2)
    # with drives that are alike there is no doubt
    assert figures["interval95.f1.car.3d.0.5.r50"] == [100.0, 100.0]
    assert figures["interval95_draws.f1.car.3d.0.5.r50"] == 3


def test_2d_detectors_are_judged_in_the_image(eyes, pictures, tmp_path):
    """The false alarm is too faint for use, so that F1 is whole; frames without a picture are set aside."""
    result = run("eye", "eye+some-masks", "--data", pictures, "--json", tmp_path / "out.json")
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "out.json").read_text())
    plain, masked = document["runs"]
    assert (plain["frames"], plain["frames_set_aside"], plain["drives"]) == (1, 2, 1)
    assert plain["f1.car.2d.0.5"] == plain["f1.car.2d.0.5.h80-"] == 100.0
    assert plain["f1.car.2d.0.5.h40-80"] is None
    assert plain["best_cut.car.2d.0.5"] > 0.3
    assert masked["model"] == "eye+some-masks"
    assert set(eyes) == {("eye", 0.4, None), ("eye", 0.05, None), ("eye", 0.4, "some-masks")}
    assert "F1 in the image" in result.output
    assert document["config"]["definitions"].keys() == {"ap", "f1", "intervals", "time"}


def test_people_of_faint_boxes_are_those_that_are_used():
    """A sure pedestrian whom a faint bicycle makes a rider remains one; a faint car remains."""
    car, walker, rider = (int(one) for one in (ObjectClass.CAR, ObjectClass.PEDESTRIAN, ObjectClass.CYCLIST))
    boxes = np.array([[0.0, 0.0, 9.0, 9.0], [20.0, 0.0, 25.0, 9.0]])
    faint = Detections2D(boxes, np.array([0.1, 0.9]), np.array([car, rider]))
    used = Detections2D(boxes[1:], np.array([0.9]), np.array([walker]))
    joined = with_people_of(faint, used)
    assert joined.class_ids.tolist() == [car, walker]
    assert joined.scores.tolist() == [0.1, 0.9]


def test_sources_are_pooled(oracles, tracking, tmp_path):
    """Twice the same is twice as many frames."""
    run("some", "--data", tracking, "--data", tracking, "--json", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["runs"][0]["frames"] == 4


def test_sweeps_are_joined_where_poses_are_known(oracles, tracking, tmp_path):
    """A vehicle that stands still, in the recording; without its GPS and IMU nothing is joined, and that is said."""
    run("some", "--data", tracking, "--sweeps", "2", "--json", tmp_path / "without.json")
    assert json.loads((tmp_path / "without.json").read_text())["runs"][0]["frames_of_joined_sweeps"] == 0
    (tmp_path / "kitti/tracking/training/oxts").mkdir()
    oxts = " ".join(["49.0", "8.4", "112", *["0"] * 27])
    (tmp_path / "kitti/tracking/training/oxts/0000.txt").write_text(f"{oxts}\n" * 3)
    result = run("some", "--data", tracking, "--sweeps", "2", "--json", tmp_path / "with.json")
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "with.json").read_text())
    assert document["config"]["sweeps"] == 2
    assert document["runs"][0]["frames_of_joined_sweeps"] == 1
    assert oracles["some"].points == [200, 200, 200, 400]
    assert "In 1 of them sweeps were joined" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("some", "--folds", "1;2"), "folds '1;2': expected numbers from 0 to 4"),
        (("some", "--folds", "5"), "folds '5': expected numbers from 0 to 4"),
        (("some", "--folds", "0"), "folds '0': only kitti-object sources have them; given: kitti-tracking:"),
        (("seg",), "seg is a model for segment; expected a detector"),
        (("some", "eye"), "eye is a model for detect2d; expected one for detect3d, as some is"),
        (("some-{fold}",), "of no fold"),
    ],
)
def test_what_cannot_be_is_said_so(oracles, tracking, arguments, message):
    """Folds are numbers, and only the object benchmark's frames have one."""
    result = run(*arguments, "--data", tracking)
    assert isinstance(result.exception, ConfigError)
    assert message in str(result.exception)


def test_frames_that_are_all_set_aside_are_an_error(eyes, objects_kitti):
    """None has a picture."""
    result = run("eye", "--data", objects_kitti)
    assert isinstance(result.exception, MissingDataError)
    assert "3 frames were set aside" in str(result.exception)
