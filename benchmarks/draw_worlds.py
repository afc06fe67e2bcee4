"""The pictures of docs/world.md: one of every scenario, and one frame as camera, masks and LiDAR see it.

python benchmarks/draw_worlds.py docs/world
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.synth.camera import CameraSensor
from vedette.datasets.synth.recording import SynthRecording, frame_time_s, world_of
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.evaluation.objects import DONT_CARE
from vedette.frames import Frame
from vedette.geometry import NDArrayInt, NDArrayUInt8, bev_corners
from vedette.replay.report.pictures import BEV_SIDE_M, render_bev

SCENES = (
    "town:21:5", "rush-hour:1:30", "junction:1:30", "motorway:1:30", "car-park:1:50",
    "convoy:1:30", "crossing:1:36", "turn:0:8", "swap:0:20", "hidden-cyclist:0:45",
)  # fmt: skip
WIDTH_PX = 621
QUALITY = [cv2.IMWRITE_JPEG_QUALITY, 82]


def main() -> None:
    """Draw and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    pictures = [_named(*_taken(scene)) for scene in SCENES]
    rows = [np.concatenate(pictures[k : k + 2], axis=1) for k in range(0, len(pictures), 2)]
    cv2.imwrite(str(folder / "scenarios.jpg"), np.concatenate(rows), QUALITY)
    cv2.imwrite(str(folder / "sensors.jpg"), sensors(SCENES[0]), QUALITY)


def _taken(scene: str) -> tuple[str, NDArrayUInt8]:
    scenario, seed, index = scene.split(":")
    recording = SynthRecording(world_of(scenario, int(seed), int(index) + 1), range(int(index) + 1), int(seed))
    frame = recording.frame(int(index))
    assert isinstance(frame, Frame)
    assert frame.image is not None
    return scenario, frame.image.pixels_bgr


def _named(name: str, pixels_bgr: NDArrayUInt8) -> NDArrayUInt8:
    height_px = round(pixels_bgr.shape[0] * WIDTH_PX / pixels_bgr.shape[1])
    small = cv2.resize(pixels_bgr, (WIDTH_PX, height_px), interpolation=cv2.INTER_AREA)
    for colour, thickness in (((0, 0, 0), 5), ((255, 255, 255), 2)):
        cv2.putText(small, name, (10, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.65, colour, thickness, cv2.LINE_AA)
    return small.astype(np.uint8)


def sensors(scene: str) -> NDArrayUInt8:
    """One frame: the picture, whose every pixel is, and the sweep from above with the labelled boxes.

    Args:
        scene: scenario, seed and frame.
    """
    scenario, seed, index = scene.split(":")
    world = world_of(scenario, int(seed), int(index) + 1)
    recording = SynthRecording(world, range(int(index) + 1), int(seed), with_images=False)
    frame = recording.frame(int(index))
    assert isinstance(frame, Frame)
    assert frame.sweep is not None
    ego = world.connected_ids[0]
    picture = CameraSensor(world).picture(ego, frame_time_s(int(index)), KITTI_RIG, int(seed))
    above = cv2.cvtColor(render_bev(frame.sweep.points_velo), cv2.COLOR_GRAY2BGR)
    labels = recording.labels(frame.index)
    objects = labels.select([kind != DONT_CARE for kind in labels.types])
    boxes = detections_from_camera_objects(objects, frame.camera).boxes_velo
    px_per_m = above.shape[0] / (2 * BEV_SIDE_M)
    for corners in bev_corners(boxes):
        outline = np.stack([corners[:, 0], BEV_SIDE_M - corners[:, 1]], axis=1) * px_per_m
        cv2.polylines(above, [np.round(outline).astype(np.int32)], True, (40, 90, 220), 2, cv2.LINE_AA)
    parts = [picture.pixels_bgr, _coloured(picture.owners), above[above.shape[0] // 4 : -above.shape[0] // 4]]
    width_px = picture.pixels_bgr.shape[1]
    sized = [cv2.resize(part, (width_px, round(len(part) * width_px / part.shape[1]))) for part in parts]
    return np.concatenate(sized).astype(np.uint8)


def _coloured(owners: NDArrayInt) -> NDArrayUInt8:
    """A colour for every actor, black for nobody."""
    hues = np.where(owners > 0, (owners * 67) % 180, 0).astype(np.uint8)
    full = np.where(owners > 0, 220, 0).astype(np.uint8)
    return np.asarray(cv2.cvtColor(np.stack([hues, full, full], axis=-1), cv2.COLOR_HSV2BGR), dtype=np.uint8)


if __name__ == "__main__":
    main()
