"""A world as a recording: one connected vehicle's frames, made as they are asked for.

Frame i is taken 0.1 + i/10 seconds after the world's beginning: a sweep needs half a turn before its stamp. On the
calendar, worlds begin at noon of the first of January 2026, UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from vedette.datasets.navigation import NavigationFix
from vedette.datasets.synth.camera import CameraSensor
from vedette.datasets.synth.labels import Observer, kitti_objects
from vedette.datasets.synth.lidar import HDL_64E, LidarModel, LidarSensor
from vedette.datasets.synth.navigation import RTK_INS, VELO_SE3_IMU, NavigationGrade, Navigator
from vedette.datasets.synth.rig import KITTI_RIG, SensorRig
from vedette.datasets.synth.scenarios import LONGEST_S, build_world
from vedette.datasets.synth.stage import Stage
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError, InvalidFrameError, MissingDataError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import BadFrame, CameraImage, Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3

FRAME_RATE_HZ: Final = 10
BEGINNING_NS: Final = 1_767_268_800_000_000_000
"""2026-01-01 12:00:00 UTC, when worlds begin."""
MAX_FRAMES: Final = int(LONGEST_S * FRAME_RATE_HZ) - 1
"""Of the longest world."""

_PERIOD_NS: Final = 1_000_000_000 // FRAME_RATE_HZ
_NAVIGATION_SEED: Final = 0x6E61
"""Tells the random numbers of the GNSS/IMU unit from those of the other sensors."""


def frame_time_s(index: int) -> float:
    """When a frame is taken.

    Args:
        index: its number, from 0.

    Returns:
        Seconds since the world's beginning.
    """
    return (index + 1) / FRAME_RATE_HZ


def stamp_ns(index: int) -> int:
    """When a frame is taken, on the calendar.

    Args:
        index: its number, from 0.

    Returns:
        UTC nanoseconds.
    """
    return BEGINNING_NS + (index + 1) * _PERIOD_NS


@dataclass(frozen=True, eq=False)
class SensorSetup:
    """What a connected vehicle carries.

    Args:
        rig: where LiDAR and camera sit, and the camera's calibration.
        lidar: which LiDAR.
        grade: which GNSS/IMU unit.
    """

    rig: SensorRig = KITTI_RIG
    lidar: LidarModel = HDL_64E
    grade: NavigationGrade = RTK_INS


KITTI_SETUP: Final = SensorSetup()
"""KITTI's platform."""


class WorldSensors:
    """The sensors of one world; recordings of its vehicles can share them, since the scene behind them is large.

    Args:
        world: to look at.
        setup: of the vehicles.

    Raises:
        MissingPackageError: Open3D is not installed.
    """

    def __init__(self, world: World, setup: SensorSetup = KITTI_SETUP) -> None:
        self.world: Final = world
        self.setup: Final = setup
        self._stage = Stage(world)
        self.lidar: Final = LidarSensor(world, setup.lidar, self._stage)
        self.observer: Final = Observer(world, self._stage)

    @cached_property
    def camera(self) -> CameraSensor:
        """Made when the first picture is wanted."""
        return CameraSensor(self.world, self._stage)


class SynthRecording:
    """One connected vehicle's recording; frames are made while iterating, always the same ones.

    Args:
        world: long enough for the last frame.
        frame_range: numbers of the frames to deliver, from 0 on, step 1.
        seed: of the sensors' noise.
        actor_id: the vehicle; None for the first connected one.
        with_images: False leaves out the pictures, which take most of the time.
        sensors: of the same world; None makes those of KITTI's platform.

    Raises:
        ConfigError: frames that the world does not reach, or a vehicle that is not connected.
        MissingPackageError: Open3D is not installed.
    """

    def __init__(
        self,
        world: World,
        frame_range: range,
        seed: int,
        actor_id: int | None = None,
        with_images: bool = True,
        *,
        sensors: WorldSensors | None = None,
    ) -> None:
        _check_range(world, frame_range)
        self._actor_id: Final = _connected(world, actor_id)
        self._world: Final = world
        self._frame_range: Final = frame_range
        self._seed: Final = seed
        self._with_images: Final = with_images
        self._sensors: Final = sensors or WorldSensors(world)
        self._rig: Final = self._sensors.setup.rig
        self._navigator: Final = _navigator(self._sensors, self._actor_id, seed, frame_range.stop)
        self._labels: dict[int, CameraObjects] = {}
        self._closed = False

    @property
    def name(self) -> str:
        """Name of the recording, as reports show it."""
        vehicle = "" if self._actor_id == self._world.connected_ids[0] else f"/{self._actor_id}"
        return f"synth/{self._world.name}:{self._frame_range.start}-{self._frame_range.stop - 1}{vehicle}"

    @property
    def time_base(self) -> TimeBase:
        """Capture times are those of the world."""
        return TimeBase.RECORDED

    @property
    def frame_count(self) -> int:
        """Number of items iterating yields."""
        return len(self._frame_range)

    @property
    def frames(self) -> range:
        """Numbers of the frames."""
        return self._frame_range

    @property
    def missing_frame_count(self) -> int:
        """None is ever missing."""
        return 0

    @property
    def problems(self) -> tuple[str, ...]:
        """There are none."""
        return ()

    @property
    def velo_SE3_imu(self) -> SE3:
        """Where the GNSS/IMU unit sits, seen from the LiDAR."""
        return VELO_SE3_IMU

    def __iter__(self) -> Iterator[FrameItem]:
        """Make the frames one by one."""
        if self._closed:
            raise MissingDataError(f"{self.name} is closed; open the recording again to read it")
        return (self.frame(index) for index in self._frame_range)

    def frame(self, index: int) -> FrameItem:
        """Make one frame.

        Args:
            index: its number, one of the range.

        Returns:
            The frame; a `BadFrame` where the sweep met nothing at all.
        """
        time_ns = stamp_ns(index)
        scan = self._sensors.lidar.scan(self._actor_id, frame_time_s(index), self._rig, self._seed)
        try:
            sweep = Sweep(scan.points_velo, time_ns - _PERIOD_NS // 2, time_ns + _PERIOD_NS // 2)
        except InvalidFrameError as error:
            return BadFrame(index, self.name, time_ns, error)
        pose = self.navigation(index).world_SE3_imu.compose(VELO_SE3_IMU.inverse())
        return Frame(index, self.name, time_ns, self._rig.camera, sweep, self._image(index), pose)

    def labels(self, frame_index: int) -> CameraObjects:
        """The labels of a frame, read off the world's geometry.

        Args:
            frame_index: the frame's number.

        Raises:
            ConfigError: not a frame of this recording.
        """
        if frame_index not in self._frame_range:
            raise ConfigError(f"{self.name}: labels of frame {frame_index}; expected one of its frames")
        if frame_index not in self._labels:
            time_s = frame_time_s(frame_index)
            observed = self._sensors.observer.observe(self._actor_id, time_s, self._rig, scan=None)
            self._labels[frame_index] = kitti_objects(observed, self._rig.camera)
        return self._labels[frame_index]

    def navigation(self, frame_index: int) -> NavigationFix:
        """What the vehicle's GNSS/IMU unit says at a frame.

        Args:
            frame_index: the frame's number.
        """
        return self._navigator.fix(frame_index, frame_time_s(frame_index))

    def close(self) -> None:
        """Refuse further iteration."""
        self._closed = True

    def _image(self, index: int) -> CameraImage | None:
        if not self._with_images:
            return None
        picture = self._sensors.camera.picture(self._actor_id, frame_time_s(index), self._rig, self._seed)
        return CameraImage(picture.pixels_bgr, stamp_ns(index))


def world_of(scenario: str, seed: int, frame_count: int, vehicles: int | None = None) -> World:
    """Build a world that lasts for a number of frames.

    Args:
        scenario: its name.
        seed: of the world, 0 or more.
        frame_count: from frame 0 on, 1 to `MAX_FRAMES`.
        vehicles: connected vehicles, where the scenario leaves their number open; None for its own choice.

    Raises:
        ConfigError: no such scenario, or one of the numbers is not possible.
    """
    if not 1 <= frame_count <= MAX_FRAMES:
        raise ConfigError(f"scenario {scenario}: {frame_count} frames; expected 1 to {MAX_FRAMES}")
    # the last frame's sweep ends half a turn before the next frame
    return build_world(scenario, seed, frame_time_s(frame_count), vehicles=vehicles)


def open_synth(scenario: str, seed: int = 0, first: int = 0, last: int = 99) -> SynthRecording:
    """Build a world and follow its first connected vehicle.

    Args:
        scenario: its name.
        seed: of the world and of the sensors' noise.
        first: number of the first frame.
        last: number of the last frame, inclusive.

    Raises:
        ConfigError: no such scenario, or frames in the wrong order or too many.
        MissingPackageError: Open3D is not installed.
    """
    if not 0 <= first <= last:
        raise ConfigError(f"scenario {scenario}: frames {first}-{last}; expected FIRST-LAST, FIRST not after LAST")
    return SynthRecording(world_of(scenario, seed, last + 1), range(first, last + 1), seed)


def _check_range(world: World, frames: range) -> None:
    # half a turn must fit after the last stamp; a billionth forgives the rounding of decimal fractions
    count = min(int(world.duration_s * FRAME_RATE_HZ - 0.5 + 1e-9), MAX_FRAMES)
    if not frames or frames.step != 1 or frames.start < 0 or frames.stop > count:
        met = f"frames {frames.start} to {frames.stop - 1}"
        raise ConfigError(f"world {world.name}: {met}; expected successive ones within 0-{count - 1}")


def _connected(world: World, actor_id: int | None) -> int:
    if actor_id is None:
        return world.connected_ids[0]
    if actor_id not in world.connected_ids:
        raise ConfigError(
            f"world {world.name}: vehicle {actor_id} has no sensors; expected one of {list(world.connected_ids)}"
        )
    return actor_id


def _navigator(sensors: WorldSensors, actor_id: int, seed: int, frame_count: int) -> Navigator:
    return Navigator(
        sensors.world.by_id[actor_id].motion,
        sensors.setup.rig.actor_SE3_velo.compose(VELO_SE3_IMU),
        sensors.setup.grade,
        np.random.default_rng([seed, actor_id, _NAVIGATION_SEED]),
        frame_count=frame_count,
        period_s=1 / FRAME_RATE_HZ,
    )
