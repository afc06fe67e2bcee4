"""A camera, or a video file that plays like one, through OpenCV."""

from __future__ import annotations

import math
import re
import threading
from collections import deque
from typing import Final

import cv2
import numpy as np

from vedette.clock import Clock
from vedette.errors import MissingDataError
from vedette.frames import CameraImage
from vedette.geometry import NDArrayUInt8
from vedette.paths import path_from_user

_KEPT_IMAGES: Final = 8
"""Images that wait to be taken, about 1.4 MB each; older ones are dropped."""
_RETRY_S: Final = 0.05
_DEFAULT_FPS: Final = 10.0
_JOIN_TIMEOUT_S: Final = 5.0


class CameraCapture:
    """Captures images in a thread of its own and stamps them on arrival.

    Args:
        device: a device number, or the path of a video file, which is played once at its own rate.
        clock: stamps the images.

    Raises:
        ConfigError: it is neither a number nor a path.
        MissingDataError: it cannot be opened.
    """

    def __init__(self, device: str, clock: Clock) -> None:
        self._is_file = not _is_number(device)
        self._clock = clock
        self._images: deque[CameraImage] = deque(maxlen=_KEPT_IMAGES)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self._capture = _open(device)
        self._thread = threading.Thread(target=self._capture_all, name="camera", daemon=True)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height that the device announces."""
        return (
            int(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
            int(self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
        )

    @property
    def ended(self) -> bool:
        """Whether the video file has been played to its end; a device never ends."""
        return self._ended.is_set()

    def start(self) -> None:
        """Begin to capture."""
        self._thread.start()

    def take(self) -> list[CameraImage]:
        """The images that came since the last call, oldest first."""
        if self._error is not None:
            raise self._error
        with self._lock:
            images = list(self._images)
            self._images.clear()
        return images

    def close(self) -> None:
        """Release the device."""
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join(_JOIN_TIMEOUT_S)
        if not self._thread.is_alive():  # a driver that hangs in a read would crash if it were released under it
            self._capture.release()

    def _capture_all(self) -> None:
        try:
            self._play() if self._is_file else self._grab()
        except BaseException as error:  # raised where the images are taken
            self._error = error
        self._ended.set()

    def _grab(self) -> None:
        while not self._closing.is_set():
            pixels = self._read()
            if pixels is None:  # unplugged or dozing: the silence rule of the source decides
                self._closing.wait(_RETRY_S)

    def _play(self) -> None:
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        period_ns = 1e9 / (fps if math.isfinite(fps) and fps > 0 else _DEFAULT_FPS)
        due_ns = float(self._clock.now_ns())
        while not self._closing.wait(max(0.0, (due_ns - self._clock.now_ns()) / 1e9)):
            if self._read() is None:
                return
            due_ns += period_ns

    def _read(self) -> NDArrayUInt8 | None:
        delivered, pixels = self._capture.read()
        if not delivered:
            return None
        image = CameraImage(np.asarray(pixels, dtype=np.uint8), self._clock.now_ns())
        with self._lock:
            self._images.append(image)
        return image.pixels_bgr


def _is_number(device: str) -> bool:
    return re.fullmatch(r"[0-9]{1,4}", device) is not None


def _open(device: str) -> cv2.VideoCapture:
    if _is_number(device):
        capture = cv2.VideoCapture(int(device))
        expected = "a camera's number, as in /dev/videoN"
    else:
        if not path_from_user(device).exists():
            raise MissingDataError(f"camera {device}: no such file; expected a device number or a video file")
        capture = cv2.VideoCapture(str(path_from_user(device)))
        expected = "a video file that OpenCV reads"
    if not capture.isOpened():
        capture.release()
        raise MissingDataError(f"camera {device} cannot be opened; expected {expected}")
    return capture
