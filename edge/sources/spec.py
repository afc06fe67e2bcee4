"""What a source on the command line means."""

from __future__ import annotations

import re
from typing import Final

from vedette.clock import Clock
from vedette.config import LiveConfig
from vedette.datasets.kitti.calibration import read_calibration
from vedette.datasets.recording import Recording
from vedette.datasets.source_spec import open_recording
from vedette.datasets.spooled import SpooledRecording
from vedette.edge.sources.live import LiveSource
from vedette.errors import ConfigError, MissingDataError
from vedette.frames import FrameSource
from vedette.paths import path_from_user

_LIVE: Final = re.compile(r"camera:(?P<device>.+?)\+lidar:(?P<folder>.+?)(?:\+calib:(?P<calibration>.+))?")


def open_source(spec: str, *, live: LiveConfig, clock: Clock) -> FrameSource:
    """Open recorded data or live sensors.

    Args:
        spec: ``camera:DEV_OR_FILE+lidar:DIR[+calib:FILE]``, or a recording as `open_recording` takes it. Without FILE
            the calibration is DIR/calib.txt; it is written in KITTI's dialect of the object or the tracking layout.
        live: settings of live sensors.
        clock: stamps what arrives from live sensors; recordings bring their own times.

    Raises:
        ConfigError: the spec is malformed.
        MissingDataError: what it names is not there.
        FileFormatError: the calibration is not one.
    """
    if not spec.startswith("camera:"):
        return _ready(open_recording(spec))
    match = _LIVE.fullmatch(spec)
    if match is None:
        raise ConfigError(f"source {spec!r}: expected camera:DEV_OR_FILE+lidar:DIR[+calib:FILE]")
    folder = path_from_user(match["folder"])
    path = path_from_user(match["calibration"] or folder / "calib.txt")
    if not path.is_file():
        raise MissingDataError(
            f"no calibration of camera and LiDAR: {path} is not a file; give one in KITTI's dialect with +calib:FILE"
        )
    return LiveSource(match["device"], folder, read_calibration(path), config=live, clock=clock)


def _ready(recording: Recording) -> Recording:
    """Frames that take longer to make than to capture are made before the first is published."""
    if isinstance(recording, SpooledRecording):
        recording.make_all()
    return recording
