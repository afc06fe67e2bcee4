"""The recent past: what each frame brought and the tracks after it, so that a late answer finds its place.

```
 frames     f        f+1       f+2      now
 evidence   e        e         e        e          kept
 tracks     T ─────► T ──────► T ─────► T          kept
            ▲
 answer ────┘  replaces T at f; f+1 ... now are done again from their evidence
```

Answers are kept with their frame, so that one that overtakes another changes nothing: the tracks depend on which
answers are there, not on the order in which they came.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from vedette.detections import Detections3D
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint

E = TypeVar("E")


@dataclass
class Moment(Generic[E]):
    """One frame of the past.

    Args:
        frame_index: of the frame.
        viewpoint: of the frame.
        evidence: what its own sensors brought.
        detected: by the device's own 3D detector, where that looked at it.
        answer: of the cloud about it, once that is there.
        tracks: after its evidence, before detections and answer.
    """

    frame_index: int
    viewpoint: Viewpoint
    evidence: E
    detected: Detections3D | None = None
    answer: Detections3D | None = None
    tracks: TrackSet = field(default_factory=TrackSet)


class History(Generic[E]):
    """A bounded buffer of moments, and the tracks as of the newest.

    Args:
        capacity: moments to keep. More lets later answers in, for memory: with a sweep's view about 0.5 MB each.
        advance: the tracks one moment on, given its evidence; a pure function.
        apply: a moment's tracks after its 3D detections and its answer, if it has any; a pure function.
    """

    def __init__(
        self,
        capacity: int,
        advance: Callable[[TrackSet, Moment[E]], TrackSet],
        apply: Callable[[Moment[E]], TrackSet],
    ) -> None:
        self._moments: deque[Moment[E]] = deque(maxlen=capacity)
        self._advance = advance
        self._apply = apply
        self._tracks = TrackSet()

    @property
    def tracks(self) -> TrackSet:
        """The tracks as of the newest moment, with every answer that has come."""
        return self._tracks

    def append(self, moment: Moment[E], tracks: TrackSet) -> None:
        """Take in the next frame.

        Args:
            moment: the frame.
            tracks: after its evidence; with its 3D detections they are the newest now.
        """
        moment.tracks = tracks
        self._moments.append(moment)
        self._tracks = self._apply(moment)

    def find(self, frame_index: int, stamp_ns: int) -> Moment[E] | None:
        """The moment of a frame, or None when it is not kept any more."""
        for moment in reversed(self._moments):
            if moment.frame_index == frame_index and moment.viewpoint.stamp_ns == stamp_ns:
                return moment
        return None

    def merge(self, moment: Moment[E], answer: Detections3D) -> None:
        """Apply an answer to its moment and do the later ones again.

        Args:
            moment: one that `find` gave.
            answer: boxes in the moment's velo frame.
        """
        moment.answer = answer
        later = False
        for each in self._moments:
            if later:
                each.tracks = self._advance(self._tracks, each)
            later = later or each is moment
            if later:
                self._tracks = self._apply(each)

    def forget(self) -> None:
        """Start over with nothing known."""
        self._moments.clear()
        self._tracks = TrackSet()
