"""The camera: pixels worked out by hand, and image boxes against a general polytope intersection and KITTI's labels."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection

from vedette.geometry import SE3, PinholeCamera, boxes_velo_from_cam, corners, iou_2d

AXES = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
P2 = np.array([[700.0, 0.0, 600.0, 70.0], [0.0, 700.0, 180.0, 7.0], [0.0, 0.0, 1.0, 0.0]])


def camera(projection: np.ndarray = P2, width: int = 1201, height: int = 361) -> PinholeCamera:
    """A camera 0.3 m before and 0.1 m below the LiDAR."""
    return PinholeCamera(projection, SE3(AXES, np.array([0.0, -0.1, -0.3])), width, height)


def test_project_by_hand() -> None:
    """7 m ahead of the reference camera, 1 m right and 2 m down: P's fourth column shifts by 0.1 m and 0.01 m."""
    uv, depth_m = camera().project_cam([1.0, 2.0, 7.0])
    np.testing.assert_allclose(uv, [600 + 700 * 1.1 / 7, 180 + 700 * 2.01 / 7])
    assert depth_m == 7.0


def test_velo_chain_and_further_columns() -> None:
    """The same point seen from the LiDAR, intensity ignored, float32 accepted."""
    uv, depth_m = camera().project_velo(np.array([[7.3, -1.0, -2.1, 0.5]], dtype=np.float32))
    np.testing.assert_allclose(uv, [[600 + 700 * 1.1 / 7, 180 + 700 * 2.01 / 7]], rtol=1e-6)
    np.testing.assert_allclose(depth_m, [7.0], rtol=1e-6)


def test_a_sweep_longer_than_a_block_is_projected_alike() -> None:
    """Any number of points and any leading shape give what each point gives alone."""
    points = np.random.default_rng(0).uniform(-50, 50, (4, 9000, 3))
    uv, depth_m = camera().project_velo(points)
    alone, alone_m = camera().project_velo(points[2, 7000])
    np.testing.assert_allclose(uv[2, 7000], alone)
    np.testing.assert_allclose(depth_m[2, 7000], alone_m)
    assert uv.shape == (4, 9000, 2)
    assert camera().project_velo(np.zeros((0, 4)))[0].shape == (0, 2)


def test_behind_and_beside_have_no_pixel() -> None:
    """Depth zero and below give NaN, as does NaN itself."""
    uv, depth_m = camera().project_cam([[0, 0, -5], [1, 1, 0], [np.nan, 0, 1], [0, 0, np.nan]])
    assert np.isnan(uv[[0, 1, 3]]).all()
    np.testing.assert_array_equal(depth_m[:2], [-5, 0])
    assert not camera().in_image(uv, depth_m).any()


@pytest.mark.parametrize(
    ("uv", "depth_m", "inside"),
    [
        ((0, 0), 1.0, True),
        ((1200, 360), 1.0, True),
        ((1200.01, 10), 1.0, False),
        ((10, 360.01), 1.0, False),
        ((-0.01, 10), 1.0, False),
        ((10, -0.01), 1.0, False),
        ((10, 10), 0.0, False),
        ((np.nan, 10), 1.0, False),
    ],
)
def test_in_image(uv: tuple[float, float], depth_m: float, inside: bool) -> None:
    """The outermost pixel centres belong to the image."""
    assert camera().in_image(uv, depth_m) == inside


def test_intrinsics() -> None:
    """P's own numbers."""
    cam = camera()
    assert (cam.fx, cam.fy, cam.cx, cam.cy) == (700.0, 700.0, 600.0, 180.0)


@pytest.mark.parametrize(
    ("projection", "size", "words"),
    [
        (np.eye(3), (10, 10), "expected shape"),
        (P2 * np.nan, (10, 10), "finite"),
        (P2 * 2, (10, 10), "third row"),
        (P2 * np.array([[-1], [1], [1]]), (10, 10), "focal"),
        (P2, (0, 10), "image size"),
        (P2, (10, -1), "image size"),
        (P2, (2**32 - 1, 10), "at most 65535 px"),
        (P2 + np.array([[0, 0, 0, 1e308], [0] * 4, [0] * 4]), (10, 10), "elements of at most"),
    ],
)
def test_refuses_what_is_no_camera(projection: np.ndarray, size: tuple[int, int], words: str) -> None:
    """The message names what is wrong."""
    with pytest.raises(ValueError, match=words):
        camera(projection, *size)


@pytest.mark.parametrize("points", [3.0, np.zeros((2, 2))])
def test_refuses_points_of_another_shape(points: np.ndarray) -> None:
    """Points have three coordinates."""
    with pytest.raises(ValueError, match="points: expected shape"):
        camera().project_cam(points)


def reference_bounds(cam: PinholeCamera, box: np.ndarray) -> np.ndarray | None:
    """Bounds of box and frustum intersected as half-spaces `a @ x + b <= 0` by scipy; None where they do not meet."""
    axes = SE3.from_yaw(box[6]).rotation.T
    faces = [
        [*(s * axis), -s * axis @ box[:3] - size / 2]
        for axis, size in zip(axes, box[3:6], strict=True)
        for s in (1, -1)
    ]
    u, v, depth = cam.projection @ cam.cam_SE3_velo.matrix
    right, bottom = cam.width_px - 1, cam.height_px - 1
    near = -depth + np.array([0, 0, 0, 0.1])
    planes = np.array([*faces, near, -u, -v, u - right * depth, v - bottom * depth])
    planes /= np.linalg.norm(planes[:, :3], axis=1)[:, None]
    ball = linprog(
        [0, 0, 0, -1],
        np.column_stack([planes[:, :3], np.ones(11)]),
        -planes[:, 3],
        bounds=[(None, None)] * 3 + [(0, None)],
    )
    if not ball.success or ball.x[3] < 1e-6:
        return None
    vertices = HalfspaceIntersection(planes, ball.x[:3]).intersections
    uv = vertices @ np.array([u, v])[:, :3].T + np.array([u, v])[:, 3]
    uv /= (vertices @ depth[:3] + depth[3])[:, None]
    return np.concatenate([uv.min(axis=0), uv.max(axis=0)])


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2.0, 6.0, 40.0]))
def test_image_boxes_equal_a_polytope_intersection(seed: int, reach_m: float) -> None:
    """Boxes before, beside, around and behind the camera: the bounds of what the frustum holds of them."""
    rng = np.random.default_rng(seed)
    box = np.concatenate(
        [rng.uniform(-reach_m, reach_m, 3) * [1, 1, 0.3], rng.uniform(0.5, 6, 3), rng.uniform(-3, 3, 1)]
    )
    expected = reference_bounds(camera(), box)
    boxes_px, _, visible = camera().project_boxes(box[None])
    if expected is not None:
        assert visible[0]
        np.testing.assert_allclose(boxes_px[0], expected, atol=1e-4)
    elif visible[0]:
        # the two disagree only on slivers, thinner than the reference resolves
        assert (boxes_px[0, 2:] - boxes_px[0, :2]).min() < 0.1


@given(st.floats(8, 60), st.floats(-0.3, 0.3), st.floats(-4, 4))
def test_box_wholly_in_view_is_bounded_by_its_corners(x: float, slope: float, yaw: float) -> None:
    """Where nothing is cut, clipped and unclipped are the bounds of the eight projected corners."""
    box = np.array([[x, slope * x, -0.6, 4.0, 1.8, 1.5, yaw]])
    uv, _ = camera().project_velo(corners(box)[0])
    boxes_px, unclipped_px, visible = camera().project_boxes(box)
    assert visible[0]
    np.testing.assert_allclose(unclipped_px[0], [*uv.min(axis=0), *uv.max(axis=0)])
    np.testing.assert_allclose(boxes_px[0], np.clip(unclipped_px[0], 0, [1200, 360, 1200, 360]))


def test_box_beside_the_camera_is_cut_at_the_near_plane() -> None:
    """A wall on the left, from behind the camera to 10 m ahead, ends where its far end is seen, not mirrored."""
    wall = np.array([[0.3, 2.1, -0.1, 20.0, 2.0, 1.0, 0.0]])
    boxes_px, unclipped_px, visible = camera().project_boxes(wall)
    # nearest side: 1.1 m left, P shifts by 0.1 m; far end at depth 10 m, near plane at 0.1 m
    assert visible[0]
    assert unclipped_px[0, 2] == pytest.approx(600 - 700 * 1.0 / 10)
    assert unclipped_px[0, 0] == pytest.approx(600 - 700 * 3.0 / 0.1)
    # the left border sees the wall's side at a depth of 7/6 m, where its edges are past the image above and below
    np.testing.assert_allclose(boxes_px[0], [0, 0, 530, 360], atol=1e-9)


def test_image_shows_less_than_the_bounds_would_say() -> None:
    """A low kerb beside the camera: where the image begins it is low; its bounds outside the image do not count."""
    kerb = np.array([[5.3, 2.1, -2.0, 10.0, 2.0, 0.2, 0.0]])
    boxes_px, unclipped_px, _ = camera().project_boxes(kerb)
    # top edge 1.8 m below the camera (P: 0.01 m), leaves the image at the bottom at depth 700 * 1.81 / 180
    depth_m = 700 * 1.81 / 180
    far_left = 600 - 700 * 3.0 / depth_m
    assert boxes_px[0, 0] == pytest.approx(far_left)
    assert unclipped_px[0, 0] < 0


def test_box_around_the_camera_fills_the_image() -> None:
    """From inside a box every pixel shows it, though no edge of it may be in view."""
    around = np.array([[0.0, 0.0, 0.0, 200.0, 200.0, 200.0, 0.2]])
    boxes_px, _, visible = camera().project_boxes(around)
    assert visible[0]
    np.testing.assert_array_equal(boxes_px[0], [0, 0, 1200, 360])


@pytest.mark.parametrize(
    ("centre", "unclipped_known"), [((-10, 0, 0), False), ((20, 60, 0), True), ((20, 0, 30), True), ((-4, 0, 0), False)]
)
def test_out_of_view(centre: tuple[float, float, float], unclipped_known: bool) -> None:
    """Behind or past the image: not visible, no box; unclipped only if before the near plane."""
    boxes_px, unclipped_px, visible = camera().project_boxes([[*centre, 4.0, 2.0, 1.5, 0.3]])
    assert not visible[0]
    assert np.isnan(boxes_px).all()
    assert np.isfinite(unclipped_px).all() == unclipped_known


def test_no_boxes() -> None:
    """No boxes in, no boxes out."""
    boxes_px, unclipped_px, visible = camera().project_boxes(np.zeros((0, 7)))
    assert (boxes_px.shape, unclipped_px.shape, visible.shape) == ((0, 4), (0, 4), (0,))


def calibration(path: Path) -> dict[str, np.ndarray]:
    """KITTI's object calibration as name to numbers."""
    lines = (line.split(":") for line in path.read_text().splitlines() if ":" in line)
    return {name: np.array(numbers.split(), dtype=float) for name, numbers in lines}


@pytest.mark.shared
def test_labelled_image_boxes_are_those_of_the_labelled_3d_boxes(kitti_root: Path) -> None:
    """KITTI's hand-checked image boxes of vehicles, truncated ones above all, match the projections of its 3D boxes."""
    training, ious, truncated = kitti_root / "object" / "training", [], []
    for image in sorted((training / "image_2").glob("*.png")):
        numbers = calibration(training / "calib" / f"{image.stem}.txt")
        to_reference = SE3.from_matrix(numbers["Tr_velo_to_cam"].reshape(3, 4))
        cam_SE3_velo = SE3.from_matrix(numbers["R0_rect"].reshape(3, 3)).compose(to_reference)
        width, height = struct.unpack(">II", image.read_bytes()[16:24])
        cam = PinholeCamera(numbers["P2"].reshape(3, 4), cam_SE3_velo, width, height)
        for line in (training / "label_2" / f"{image.stem}.txt").read_text().splitlines():
            name, *values = line.split()
            if name not in {"Car", "Van", "Truck"}:
                continue
            label = np.array(values, dtype=float)
            box = boxes_velo_from_cam(cam_SE3_velo, label[None, [10, 11, 12, 7, 8, 9, 13]])
            ious.append(iou_2d(cam.project_boxes(box)[0], label[None, 3:7])[0, 0])
            truncated.append(label[0] > 0.1)
    assert len(ious) > 100
    assert np.median(ious) > 0.97
    assert np.median(np.array(ious)[truncated]) > 0.97
