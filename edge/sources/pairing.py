"""Which image belongs to which sweep.

Sweeps set the rhythm: each makes one frame, with the image nearest in time.

    images   i   i   i   i   i   i        a sweep waits for the first image after it, but not longer than the
    sweeps     s           s              tolerance; then it takes the nearest image within the tolerance, or none
"""

from __future__ import annotations

from collections import deque
from typing import Final

from vedette.frames import CameraImage, Sweep

_KEPT_IMAGES: Final = 8


class Pairing:
    """Pairs sweeps and images as they arrive; bounded: one waiting sweep, some images.

    Args:
        tolerance_ns: an image farther than this from a sweep does not belong to it. Larger pairs what a slower camera
            has, but boxes of moving objects then lie beside their points.
    """

    def __init__(self, tolerance_ns: int) -> None:
        self._tolerance_ns = tolerance_ns
        self._images: deque[CameraImage] = deque(maxlen=_KEPT_IMAGES)
        self._waiting: tuple[int, Sweep] | None = None
        self._dropped = 0

    @property
    def dropped(self) -> int:
        """Sweeps that a newer one pushed out before they could be paired."""
        return self._dropped

    def add_image(self, image: CameraImage) -> None:
        """Offer an image, in order of time; when there are too many, the oldest goes."""
        self._images.append(image)

    def add_sweep(self, index: int, sweep: Sweep) -> None:
        """Offer a sweep, in order of time; newest wins where one still waits.

        Args:
            index: its number.
            sweep: its ``end_ns`` is what images are compared with.
        """
        self._dropped += self._waiting is not None
        self._waiting = (index, sweep)

    def take(self, now_ns: int) -> tuple[int, Sweep, CameraImage | None] | None:
        """The waiting sweep with its image, once no better one can come; None before."""
        if self._waiting is None:
            return None
        index, sweep = self._waiting
        overtaken = bool(self._images) and self._images[-1].stamp_ns >= sweep.end_ns
        if not overtaken and now_ns - sweep.end_ns < self._tolerance_ns:
            return None
        self._waiting = None
        return index, sweep, self._take_nearest(sweep.end_ns)

    def _take_nearest(self, stamp_ns: int) -> CameraImage | None:
        nearest = min(self._images, key=lambda image: abs(image.stamp_ns - stamp_ns), default=None)
        if nearest is None or abs(nearest.stamp_ns - stamp_ns) > self._tolerance_ns:
            return None
        # an image is used once, and none older than it afterwards, so that frames stay in order of time
        self._images = deque((i for i in self._images if i.stamp_ns > nearest.stamp_ns), maxlen=_KEPT_IMAGES)
        return nearest
