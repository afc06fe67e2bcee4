"""What the agent publishes for a frame, and the seam that takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vedette.detections import Detections3D
from vedette.geometry import NDArrayFloat, NDArrayInt


@dataclass(frozen=True)
class Publication:
    """Boxes for one capture time. Never rewritten: a better answer later is a new publication.

    Args:
        frame_index: frame number in the recording.
        stamp_ns: time the boxes speak about: the frame's capture, or of a forecast the next capture to be expected.
        publish_ns: when they were published.
        basis_stamp_ns: capture time of the newest sensor data they were computed from; equal to ``stamp_ns`` when
            they come from the frame's own image or sweep, earlier when they were propagated.
        detections: the boxes, velo frame at ``stamp_ns``.
        track_ids: ``(N,) int64`` identity over time, -1 where there is none.
        rungs: N names of the step that made each box (for example ``two-faces``, ``predicted``, ``anchor``).
        velocities_world_mps: ``(N,2)`` x, y velocity over ground in m/s along the world axes, or along the ego axes at
            ``stamp_ns`` when the source has no odometry; NaN where it is not known.
        forecast: whether the boxes are what the next frame should show, said before it is there; it is then no answer
            to the frame of `frame_index`, the newest at the time.

    Raises:
        ValueError: the parallel arrays differ in length.
    """

    frame_index: int
    stamp_ns: int
    publish_ns: int
    basis_stamp_ns: int
    detections: Detections3D
    track_ids: NDArrayInt
    rungs: tuple[str, ...]
    velocities_world_mps: NDArrayFloat
    forecast: bool = False

    def __post_init__(self) -> None:
        count = len(self.detections)
        if self.track_ids.shape != (count,) or len(self.rungs) != count:
            raise ValueError(f"{count} boxes with {len(self.track_ids)} track ids and {len(self.rungs)} rungs")
        if self.velocities_world_mps.shape != (count, 2):
            raise ValueError(f"velocities have shape {self.velocities_world_mps.shape}; expected ({count}, 2)")

    @classmethod
    def empty(cls, frame_index: int, stamp_ns: int, publish_ns: int, basis_stamp_ns: int) -> Publication:
        """A publication that says: nothing seen."""
        none = np.zeros(0, np.int64)
        return cls(frame_index, stamp_ns, publish_ns, basis_stamp_ns, Detections3D.empty(), none, (), np.zeros((0, 2)))

    @property
    def own(self) -> bool:
        """Whether the boxes come from the frame's own image or sweep."""
        return self.basis_stamp_ns == self.stamp_ns

    @property
    def latency_ns(self) -> int:
        """From capture to publication."""
        return self.publish_ns - self.stamp_ns

    @property
    def age_ns(self) -> int:
        """From the capture of the newest data used to publication."""
        return self.publish_ns - self.basis_stamp_ns


class Sink(Protocol):
    """Takes publications: standard output, a file, a viewer."""

    def publish(self, publication: Publication) -> None:
        """Take one publication; must not block the agent."""
        ...

    def close(self) -> None:
        """Write out what is pending."""
        ...


class NullSink:
    """Takes publications and does nothing with them."""

    def publish(self, publication: Publication) -> None:
        """Ignore it."""

    def close(self) -> None:
        """Nothing is pending."""
