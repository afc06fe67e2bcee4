"""The published models on real images and scans."""

import numpy as np
import pytest

from vedette.classes import VEHICLES, ObjectClass
from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.source_spec import open_recording
from vedette.errors import ModelLoadError
from vedette.frames import CameraImage, Sweep
from vedette.geometry import iou_2d, iou_3d
from vedette.models.cards import card_as_yaml
from vedette.models.point_gnn.detector import points_in_view
from vedette.models.point_gnn.graph import build_graph
from vedette.models.point_gnn.network import PointGnnNetwork
from vedette.models.registry import ModelRegistry

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def registry(weights_dir, tmp_path_factory):
    """The four known files, imported without cards."""
    folder = tmp_path_factory.mktemp("models")
    registry = ModelRegistry(folder, packaged=folder / "none")
    for file in ("nanodet_plus_m_1.5x_384x640", "yolox_nano_416", "deeplab_cityscapes_slim_513", "point_gnn_car_T1"):
        registry.import_file(weights_dir / f"{file}.onnx")
    return registry


@pytest.fixture(scope="module")
def street(kitti_root):
    """Frame 0 of tracking sequence 0001: seven labelled cars."""
    recording = open_recording(f"kitti-tracking:{kitti_root}:0001:0-0")
    return next(iter(recording)), recording.labels(0)


@pytest.fixture(scope="module")
def crossing(kitti_root):
    """Frame 0 of tracking sequence 0000: a van, a cyclist, a pedestrian, all well visible."""
    recording = open_recording(f"kitti-tracking:{kitti_root}:0000:0-0")
    return next(iter(recording)), recording.labels(0)


def test_a_card_with_another_number_of_classes_is_refused(registry, weights_dir, tmp_path):
    """The network gives four probabilities a keypoint; a card that speaks of three would be believed in vain."""
    card = registry.store.find("point-gnn-car").card.model_copy(update={"classes": ("background", "Car", "DontCare")})
    (tmp_path / "card.yaml").write_text(card_as_yaml(card), encoding="utf-8")
    with pytest.raises(ModelLoadError, match=r"and 4 classes; the card says .* 3 classes"):
        ModelRegistry(tmp_path / "models").import_file(
            weights_dir / "point_gnn_car_T1.onnx", card=tmp_path / "card.yaml"
        )


def test_known_files_need_no_card(registry):
    """All four are there under their names."""
    assert [card.name for card in registry.list()] == [
        "deeplab-cityscapes",
        "nanodet-plus",
        "point-gnn-car",
        "yolox-nano",
    ]


@pytest.mark.parametrize(("name", "least"), [("nanodet-plus", 3), ("yolox-nano", 2)])
def test_a_2d_detector_finds_van_cyclist_and_pedestrian(registry, crossing, name, least):
    """At IoU 0.3 with the label, which is the projection of a roomy 3D box. YOLOX-Nano may miss one."""
    frame, labels = crossing
    found = registry.load_detector2d(name, 0.3).detect(frame.image)
    kinds = {
        "Van": {int(c) for c in VEHICLES},
        "Cyclist": {int(ObjectClass.CYCLIST)},
        "Pedestrian": {int(ObjectClass.PEDESTRIAN)},
    }
    overlaps = iou_2d(labels.boxes_px, found.boxes_px)
    hits = [
        (overlaps[row][np.isin(found.class_ids, list(kinds[kind]))] > 0.3).any()
        for row, kind in enumerate(labels.types)
        if kind in kinds
    ]
    assert len(hits) == 3
    assert sum(hits) >= least


@pytest.mark.parametrize("name", ["nanodet-plus", "yolox-nano"])
def test_a_2d_detector_takes_any_image_size_and_sees_nothing_in_grey(registry, name):
    """Neither a tiny nor a tall image is an error."""
    detector = registry.load_detector2d(name, 0.4)
    for size in ((1, 1), (7, 300), (600, 30)):
        assert len(detector.detect(CameraImage(np.full((*size, 3), 128, np.uint8), 0))) == 0


def test_masks_lie_on_the_objects(registry, crossing):
    """The van fills most of its box but not all."""
    frame, labels = crossing
    found = registry.load_detector2d("nanodet-plus", 0.4, mask_model="deeplab-cityscapes").detect(frame.image)
    van = labels.types.index("Van")
    best = int(iou_2d(labels.boxes_px, found.boxes_px)[van].argmax())
    x1, y1, x2, y2 = found.boxes_px[best]
    share = found.masks[best].sum() / ((x2 - x1) * (y2 - y1))
    assert 0.6 < share < 0.98
    assert found.masks.shape[1:] == frame.image.pixels_bgr.shape[:2]


def test_point_gnn_finds_the_labelled_cars(registry, street):
    """Six of the seven cars at 3D IoU 0.5; the seventh is out of sight of the laser."""
    frame, labels = street
    found = registry.load_detector3d("point-gnn-car").detect(frame.sweep, frame.camera)
    cars = detections_from_camera_objects(labels, frame.camera)
    cars = cars.select(cars.class_ids == ObjectClass.CAR)
    good = found.select(found.scores >= 0.5)
    assert (iou_3d(cars.boxes_velo, good.boxes_velo).max(axis=1) > 0.5).sum() >= 6
    assert (np.diff(found.scores) <= 0).all()


def test_point_gnn_gives_the_same_twice(registry, street):
    """Bit for bit, also from a second session."""
    frame, _ = street
    first = registry.load_detector3d("point-gnn-car").detect(frame.sweep, frame.camera)
    second = registry.load_detector3d("point-gnn-car").detect(frame.sweep, frame.camera)
    np.testing.assert_array_equal(first.boxes_velo, second.boxes_velo)
    np.testing.assert_array_equal(first.scores, second.scores)


@pytest.mark.parametrize("name", ["nanodet-plus", "yolox-nano"])
def test_2d_detectors_give_the_same_twice(registry, crossing, name):
    """Bit for bit."""
    first, second = (registry.load_detector2d(name, 0.4).detect(crossing[0].image) for _ in range(2))
    np.testing.assert_array_equal(first.boxes_px, second.boxes_px)
    np.testing.assert_array_equal(first.scores, second.scores)


def test_point_gnn_in_parts_equals_point_gnn_whole(registry, street):
    """Every tenth point keeps the whole network quick."""
    frame, _ = street
    thin = Sweep(frame.sweep.points_velo[::10].copy(), frame.sweep.start_ns, frame.sweep.end_ns)
    points = points_in_view(thin, frame.camera)
    graph = build_graph(points[:, :3])
    model = registry.open("point-gnn-car", "detect3d")
    whole = model.run(
        {
            "reflectance": points[:, 3:].copy(),
            "xyz": points[:, :3].copy(),
            "keypoint": graph.keypoints,
            "pool_src": graph.pool_points,
            "pool_dst": graph.pool_keypoints,
            "edge_src": graph.edge_sources,
            "edge_dst": graph.edge_targets,
        }
    )
    parts = PointGnnNetwork(model).run(points, graph)
    np.testing.assert_allclose(parts[0], whole[0], atol=1e-6)
    np.testing.assert_allclose(parts[1], whole[1], atol=1e-5)


@pytest.mark.parametrize(
    "points",
    [
        pytest.param([[-10, 0, 0, 0.5]], id="behind the camera"),
        pytest.param([[10, 50, 0, 0.5]], id="beside the view"),
        pytest.param([[10, 0, 0, 0.5]], id="one point in view"),
        pytest.param([[10, 0, 0, 0.5]] * 50, id="one place many times"),
    ],
)
def test_point_gnn_sees_nothing_where_there_is_nothing(registry, street, points):
    """No points in view, or hardly any, is not an error."""
    sweep = Sweep(np.array(points, np.float32), 0, 0)
    assert len(registry.load_detector3d("point-gnn-car").detect(sweep, street[0].camera)) == 0
