"""Live sensors: a camera and a folder of arriving sweeps, as one source of frames."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import structlog

from vedette.clock import Clock
from vedette.config import LiveConfig
from vedette.datasets.kitti.calibration import KittiCalibration
from vedette.datasets.kitti.files import read_scan
from vedette.edge.sources.camera import CameraCapture
from vedette.edge.sources.pairing import Pairing
from vedette.edge.sources.sweep_folder import ArrivedSweep, SweepFolder
from vedette.errors import DataError, InvalidFrameError, SensorSilentError
from vedette.frames import BadFrame, CameraImage, Frame, FrameItem, Sweep, TimeBase

_POLL_S: Final = 0.01


class LiveSource:
    """Frames of a camera and a watched folder; times are those of arrival.

    A frame's index is the number of its sweep since the start: where sweeps are dropped, because they come faster than
    frames are taken, there is a gap.

    Args:
        device: of the camera: a device number or a video file; with a file, the source ends when it has been played.
        folder: where sweeps arrive.
        calibration: of the two.
        config: tolerance of the pairing, and what to do when a sensor falls silent.
        clock: stamps what arrives; the clock of the run.

    Raises:
        MissingDataError: camera or folder are not there.
    """

    def __init__(
        self, device: str, folder: Path, calibration: KittiCalibration, *, config: LiveConfig, clock: Clock
    ) -> None:
        self._folder = SweepFolder(folder)
        self._capture = CameraCapture(device, clock)
        self._camera = calibration.camera(self._capture.size_px)
        self._config = config
        self._clock = clock
        self._pairing = Pairing(round(config.pairing_tolerance_ms * 1e6))
        self._silence = _SilenceWatch(round(config.silence_timeout_s * 1e9))
        self._name = f"camera {Path(device).name} + lidar {folder.name}"
        self._sweeps_seen = 0
        self._last_stamp_ns = -1
        self._closing = threading.Event()
        self._log = structlog.get_logger().bind(source=self._name)

    @property
    def name(self) -> str:
        """The two sensors."""
        return self._name

    @property
    def time_base(self) -> TimeBase:
        """Arrival, by the wall clock."""
        return TimeBase.WALL_CLOCK

    @property
    def frame_count(self) -> int | None:
        """Not known beforehand."""
        return None

    def __iter__(self) -> Iterator[FrameItem]:
        """Deliver frames until the video file ends, a sensor falls silent, or the source is closed.

        Raises:
            SensorSilentError: nothing came from one of the sensors for too long, and the settings say to stop then.
            MissingDataError: the folder is gone.
        """
        self._capture.start()
        self._silence.start(self._clock.now_ns())
        while not self._closing.wait(_POLL_S):
            ended = self._capture.ended  # read before the last look, so that nothing that came until then is lost
            yield from self._look()
            if ended:
                return
            if self._config.on_silence == "stop":
                self._silence.check(self._clock.now_ns())

    def close(self) -> None:
        """Release the camera and end the iteration."""
        self._closing.set()
        self._capture.close()
        if self._pairing.dropped:
            self._log.warning("sweeps came faster than they were taken", dropped=self._pairing.dropped)

    def _look(self) -> Iterator[FrameItem]:
        for image in self._capture.take():
            self._silence.heard("camera", image.stamp_ns)
            self._pairing.add_image(image)
        for arrived in self._folder.poll(self._clock.now_ns()):
            self._silence.heard("lidar", arrived.stamp_ns)
            yield from self._add_sweep(arrived)
        paired = self._pairing.take(self._clock.now_ns())
        if paired is not None:
            yield self._frame(*paired)

    def _add_sweep(self, arrived: ArrivedSweep) -> Iterator[BadFrame]:
        index = self._sweeps_seen
        self._sweeps_seen += 1
        try:
            points = read_scan(arrived.path)
            self._pairing.add_sweep(index, Sweep(points, arrived.stamp_ns, arrived.stamp_ns))
        except OSError as error:
            fault = InvalidFrameError(f"{arrived.path} cannot be read: {error.strerror}")
            yield self._bad(index, arrived.stamp_ns, fault)
        except DataError as error:
            yield self._bad(index, arrived.stamp_ns, error)

    def _frame(self, index: int, sweep: Sweep, image: CameraImage | None) -> FrameItem:
        stamp_ns = sweep.end_ns if image is None else image.stamp_ns
        if stamp_ns <= self._last_stamp_ns:
            late_ms = (self._last_stamp_ns - stamp_ns) / 1e6
            return self._bad(index, stamp_ns, InvalidFrameError(f"captured {late_ms:.1f} ms before the last frame"))
        try:
            frame = Frame(index, self._name, stamp_ns, self._camera, sweep, image, world_SE3_ego=None)
        except InvalidFrameError as error:
            return self._bad(index, stamp_ns, error)
        self._last_stamp_ns = stamp_ns
        return frame

    def _bad(self, index: int, stamp_ns: int, error: DataError) -> BadFrame:
        """A frame in the place of one that cannot be used; never before the one delivered last."""
        self._last_stamp_ns = max(stamp_ns, self._last_stamp_ns + 1)
        return BadFrame(index, self._name, self._last_stamp_ns, error)


class _SilenceWatch:
    """Knows when each sensor was last heard."""

    def __init__(self, timeout_ns: int) -> None:
        self._timeout_ns = timeout_ns
        self._heard_ns: dict[str, int] = {}

    def start(self, now_ns: int) -> None:
        self._heard_ns = {"camera": now_ns, "lidar": now_ns}

    def heard(self, sensor: str, stamp_ns: int) -> None:
        self._heard_ns[sensor] = stamp_ns

    def check(self, now_ns: int) -> None:
        for sensor, heard_ns in self._heard_ns.items():
            silent_ns = now_ns - heard_ns
            if silent_ns > self._timeout_ns:
                raise SensorSilentError(
                    f"nothing from the {sensor} for {silent_ns / 1e9:.1f} s; expected something every"
                    f" {self._timeout_ns / 1e9:g} s (edge.live.silence_timeout_s; edge.live.on_silence: wait goes on)"
                )
