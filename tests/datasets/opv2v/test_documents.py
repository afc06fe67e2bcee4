"""The YAML file of a frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from vedette.datasets.instants import Instant
from vedette.datasets.opv2v.documents import format_document, read_document
from vedette.errors import FileFormatError, MissingDataError

POSE = "lidar_pose: [1, 2, 3, 0, 0, 0]\n"
VEHICLE = "location: [0, 0, 0], center: [0, 0, 1], extent: [2, 1, 1], angle: [0, 0, 0]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is None; expected keys and values"),
        ("- 1\n", "expected keys and values"),
        ("vehicles: {}\n", "lidar_pose is None; expected 6 finite numbers"),
        ("lidar_pose: [1, 2, 3, 0, 0]\n", r"lidar_pose is \[1, 2, 3, 0, 0\]; expected 6"),
        ("lidar_pose: [1, 2, 3, 0, 0, x]\n", "expected 6 finite numbers"),
        ("lidar_pose: [1, 2, 3, 0, 0, true]\n", "expected 6 finite numbers"),
        ("lidar_pose: [1, 2, 3, 0, 0, .nan]\n", "expected 6 finite numbers"),
        ("lidar_pose: [1, 2, 3, 0, 0, .inf]\n", "expected 6 finite numbers"),
        ("lidar_pose: [1, 2, 3e+12, 0, 0, 0]\n", "at most 1e"),
        (POSE + "vehicles: [1]\n", r"vehicles is \[1\]"),
        (POSE + "vehicles: {5: 1}\n", "vehicle 5 is 1"),
        (POSE + f"vehicles: {{x: {{{VEHICLE}}}}}\n", "the vehicle 'x'; expected a number as its id"),
        (POSE + "vehicles: {5: {center: [0, 0, 1], extent: [1, 1, 1]}}\n", "vehicle 5 location is None"),
        (
            POSE + f"vehicles: {{5: {{{VEHICLE}, object_class: boat}}}}\n",
            "object_class 'boat'; expected one of bus, car",
        ),
        (POSE + f"vehicles: {{5: {{{VEHICLE}, object_class: [1]}}}}\n", r"object_class \[1\]"),
        (POSE + f"vehicles: {{5: {{{VEHICLE}, speed: fast}}}}\n", "speed is"),
        (POSE + "camera0: {cords: [0, 0, 0, 0, 0, 0], intrinsic: [[1, 0], [0, 1]]}\n", "camera0 intrinsic"),
        (POSE + "camera0: {intrinsic: [[1, 0, 2], [0, 1, 2], [0, 0, 1]]}\n", "camera0 cords is None"),
        ("lidar_pose: [1, 2\n", "expected YAML"),
        ("a: &a [1]\nb: *a\n", "aliases"),
        ("lidar_pose: !!python/object/apply:os.getcwd []\n", "expected YAML"),
    ],
)
def test_malformed(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file, the key and what would be right."""
    path = tmp_path / "000068.yaml"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_document(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    """Named as what it is."""
    with pytest.raises(MissingDataError, match="no such frame file"):
        read_document(tmp_path / "000068.yaml")


def test_least_content(tmp_path: Path) -> None:
    """The LiDAR's pose alone is enough: a roadside recorder writes no more."""
    path = tmp_path / "000068.yaml"
    path.write_text(POSE)
    document = read_document(path)
    assert document.world_SE3_vehicle.translation.tolist() == [1.0, -2.0, 3.0]
    assert document.estimated_SE3_vehicle is document.world_SE3_vehicle
    assert (document.camera, document.vehicles, document.boxless_count, document.speed_m_s) == (None, (), 0, 0.0)


def test_keys_of_the_layout(make_instants: Callable[..., list[Instant]]) -> None:
    """What OpenCOOD and its relatives look for is there, in plain YAML: floats are floats, ids whole numbers."""
    (instant,) = make_instants(1)
    content = yaml.safe_load(format_document(instant.frames[0]))
    assert list(content) == [
        "lidar_pose", "true_ego_pos", "predicted_ego_pos", "ego_speed", "plan_trajectory", "camera0", "vehicles",
    ]  # fmt: skip
    assert content["ego_speed"] == pytest.approx(45.0)
    assert set(content["camera0"]) == {"cords", "extrinsic", "intrinsic"}
    assert list(content["vehicles"]) == [90, 91]
    bus = content["vehicles"][90]
    assert bus["extent"] == [5.75, 1.25, 1.6]
    assert bus["center"] == [0.0, 0.0, 1.6]
    assert bus["location"] == pytest.approx([20.0, 0.0, 0.0])
    assert all(isinstance(value, float) for value in (*bus["angle"], *content["lidar_pose"]))
