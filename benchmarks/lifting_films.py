"""Recordings as the benchmark of lifting needs them: sweeps, labels, and who is seen in every pixel; no pictures.

A world's frames cost a second each, and are kept on disk between runs. Of their sweeps only the points before the
camera are kept, with a margin for cameras that are turned a little.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vedette.datasets.source_spec import open_recording
from vedette.datasets.synth.camera.moment import Moments
from vedette.datasets.synth.camera.rays import View
from vedette.datasets.synth.recording import SynthRecording, WorldSensors, frame_time_s, world_of
from vedette.datasets.synth.rig import KITTI_RIG, world_SE3_velo
from vedette.datasets.synth.stage import Stage
from vedette.evaluation.objects import CameraObjects
from vedette.frames import Frame, Sweep
from vedette.geometry import SE3, NDArrayBool, NDArrayFloat32, NDArrayInt, PinholeCamera

MARGIN_PX = 500.0


@dataclass(frozen=True, eq=False)
class FilmFrame:
    """One frame.

    Args:
        frame: with a sweep, without an image.
        labels: of the frame.
        owners: ``(H,W) int64`` track id of the object in each pixel, 0 for none; None for recordings without masks.
    """

    frame: Frame
    labels: CameraObjects
    owners: NDArrayInt | None

    def masks(self, rows: NDArrayInt) -> NDArrayBool | None:
        """``(N,H,W)`` visible pixels of some of the labels; None for recordings without masks.

        Args:
            rows: of the labels.
        """
        if self.owners is None or self.labels.track_ids is None:
            return None
        return np.asarray(self.owners[None] == self.labels.track_ids[rows][:, None, None])


def film(source: str, cache: Path) -> Iterator[FilmFrame]:
    """The frames of a recording.

    Args:
        source: name of a recording; ``synth:SCENARIO:SEED:FIRST-LAST`` is made without pictures.
        cache: folder for the frames of worlds.
    """
    kind, _, rest = source.partition(":")
    if kind == "synth":
        yield from _world_film(rest, cache)
        return
    with closing(open_recording(source)) as recording:
        for item in recording:
            labels = recording.labels(item.index)
            if isinstance(item, Frame) and item.sweep is not None and labels is not None:
                yield FilmFrame(_without_image(item), labels, None)


def _without_image(frame: Frame) -> Frame:
    return Frame(frame.index, frame.source, frame.stamp_ns, frame.camera, frame.sweep, None, frame.world_SE3_ego)


def _world_film(rest: str, cache: Path) -> Iterator[FilmFrame]:
    scenario, seed, frames = rest.split(":")
    first, last = map(int, frames.split("-"))
    folder = cache / f"{scenario}-{seed}"
    maker = None
    for index in range(first, last + 1):
        path = folder / f"{index:04d}.npz"
        if not path.is_file():
            # what happens until a moment does not depend on how long the world lasts
            maker = maker or _Maker(scenario, int(seed), last)
            folder.mkdir(parents=True, exist_ok=True)
            maker.write(index, path)
        with np.load(path) as stored:
            yield _read(index, f"synth/{scenario}:{seed}", dict(stored))


class _Maker:
    """Makes the frames of a world."""

    def __init__(self, scenario: str, seed: int, last: int) -> None:
        world = world_of(scenario, seed, last + 1)
        sensors = WorldSensors(world)
        self._recording = SynthRecording(world, range(last + 1), seed, with_images=False, sensors=sensors)
        self._world, self._ego = world, world.connected_ids[0]
        self._moments = Moments(Stage(world))

    def write(self, index: int, path: Path) -> None:
        """Make a frame and store it."""
        frame, labels = self._recording.frame(index), self._recording.labels(index)
        assert isinstance(frame, Frame)
        assert frame.sweep is not None
        assert frame.world_SE3_ego is not None
        assert labels.track_ids is not None
        view = View(frame.camera, world_SE3_velo(self._world, self._ego, KITTI_RIG, frame_time_s(index)))
        moment = self._moments.at(frame_time_s(index), view, without=self._ego)
        owners = moment.owners_of(moment.cast_picture(view.rays(view.pixels()), view.size)).reshape(view.size)
        temporary = path.with_suffix(".part.npz")
        np.savez_compressed(
            temporary,
            points_velo=before_camera(frame.sweep.points_velo, frame.camera),
            stamps_ns=np.array([frame.stamp_ns, frame.sweep.start_ns, frame.sweep.end_ns]),
            pose=frame.world_SE3_ego.matrix,
            owners=owners.astype(np.int32),
            types=np.array(labels.types, dtype="U20"),
            truncation=labels.truncation,
            occlusion=labels.occlusion,
            alpha=labels.alpha,
            boxes_px=labels.boxes_px,
            boxes_cam=labels.boxes_cam,
            track_ids=labels.track_ids,
        )
        temporary.rename(path)


def _read(index: int, source: str, stored: dict[str, Any]) -> FilmFrame:
    stamp_ns, start_ns, end_ns = stored["stamps_ns"].tolist()
    pose = stored["pose"]
    sweep = Sweep(stored["points_velo"], start_ns, end_ns)
    frame = Frame(index, source, stamp_ns, KITTI_RIG.camera, sweep, None, SE3(pose[:3, :3], pose[:3, 3]))
    labels = CameraObjects(
        types=tuple(stored["types"].tolist()),
        **{key: stored[key] for key in ("truncation", "occlusion", "alpha", "boxes_px", "boxes_cam", "track_ids")},
    )
    return FilmFrame(frame, labels, stored["owners"].astype(np.int64))


def before_camera(points_velo: NDArrayFloat32, camera: PinholeCamera) -> NDArrayFloat32:
    """The points in the image and a margin around it.

    Args:
        points_velo: ``(N,4)``.
        camera: that looks.
    """
    u, v, depth = camera.projection_velo[:, :3] @ points_velo[:, :3].T + camera.projection_velo[:, 3:]
    near = depth > 0.3
    across = (u > -MARGIN_PX * depth) & (u < (camera.width_px + MARGIN_PX) * depth)
    down = (v > -MARGIN_PX * depth) & (v < (camera.height_px + MARGIN_PX) * depth)
    return np.ascontiguousarray(points_velo[near & across & down])
