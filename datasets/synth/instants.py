"""All connected vehicles of a world at once, as a collaboration service would hear of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from vedette.classes import VEHICLES
from vedette.datasets.instants import ConnectedFrame, Instant, LabelledVehicle
from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.labels import FAR_M
from vedette.datasets.synth.lidar import OPV2V_64
from vedette.datasets.synth.navigation import VELO_SE3_IMU, velocity_m_s
from vedette.datasets.synth.recording import SensorSetup, SynthRecording, WorldSensors, frame_time_s, stamp_ns
from vedette.datasets.synth.rig import KITTI_RIG, SensorRig, world_SE3_velo
from vedette.datasets.synth.world import World
from vedette.frames import BadFrame
from vedette.geometry import SE3, NDArrayFloat, PinholeCamera

_PROJECTION: Final = np.array([[335.64, 0.0, 400.0, 0.0], [0.0, 335.64, 300.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
OPV2V_SETUP: Final = SensorSetup(
    SensorRig(
        SE3(np.eye(3), np.array([-0.1, 0.0, 1.93])),
        PinholeCamera(_PROJECTION, KITTI_RIG.camera.cam_SE3_velo, 800, 600),
    ),
    OPV2V_64,
)
"""OPV2V's vehicles: a LiDAR 1.93 m above the road, and a camera of 800x600 with a field of view of 100 degrees."""


def synth_instants(
    world: World, frame_range: range, seed: int, *, with_images: bool = True, setup: SensorSetup = OPV2V_SETUP
) -> Iterator[Instant]:
    """All connected vehicles' frames, instant by instant, made as they are asked for.

    Args:
        world: long enough for the last frame.
        frame_range: numbers of the instants, from 0 on, step 1.
        seed: of the sensors' noise.
        with_images: False leaves out the pictures, which take most of the time.
        setup: what every connected vehicle carries.

    Raises:
        ConfigError: frames that the world does not reach.
        MissingPackageError: Open3D is not installed.
    """
    sensors = WorldSensors(world, setup)
    recordings = {
        actor_id: SynthRecording(world, frame_range, seed, actor_id, with_images, sensors=sensors)
        for actor_id in world.connected_ids
    }
    return (_instant(world, setup, recordings, index) for index in frame_range)


def _instant(world: World, setup: SensorSetup, recordings: dict[int, SynthRecording], index: int) -> Instant:
    frames: list[ConnectedFrame] = []
    bad_frames: dict[int, BadFrame] = {}
    for actor_id, recording in recordings.items():
        frame = recording.frame(index)
        if isinstance(frame, BadFrame):
            bad_frames[actor_id] = frame
            continue
        pose = world_SE3_velo(world, actor_id, setup.rig, frame_time_s(index))
        estimated = recording.navigation(index).world_SE3_imu.compose(VELO_SE3_IMU.inverse())
        motion = world.by_id[actor_id].motion
        frames.append(
            ConnectedFrame(
                actor_id,
                replace(frame, world_SE3_ego=pose),
                motion.pose(frame_time_s(index)),
                estimated.compose(setup.rig.actor_SE3_velo.inverse()),
                float(np.linalg.norm(velocity_m_s(motion, frame_time_s(index)))),
                _vehicles_around(world, actor_id, pose.translation, frame_time_s(index)),
            )
        )
    return Instant(index, stamp_ns(index), tuple(frames), bad_frames)


def _vehicles_around(world: World, actor_id: int, sensor_m: NDArrayFloat, t_s: float) -> tuple[LabelledVehicle, ...]:
    others = [
        _labelled(actor, t_s) for actor in world.actors if actor.actor_id != actor_id and actor.object_class in VEHICLES
    ]
    return tuple(other for other in others if np.linalg.norm(other.world_SE3_box.translation - sensor_m) <= FAR_M)


def _labelled(actor: Actor, t_s: float) -> LabelledVehicle:
    size_m = actor.shape.size_m
    centre = SE3(np.eye(3), np.array([0.0, 0.0, size_m[2] / 2]))
    return LabelledVehicle(
        actor.actor_id,
        actor.object_class,
        actor.motion.pose(t_s).compose(centre),
        size_m,
        float(np.linalg.norm(velocity_m_s(actor.motion, t_s))),
    )
