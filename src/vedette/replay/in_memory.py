"""A recording in memory: read and decoded once for many runs, at 3 MB a frame or so."""

from __future__ import annotations

from collections.abc import Iterator

from vedette.datasets.recording import Recording
from vedette.evaluation.objects import CameraObjects
from vedette.frames import FrameItem


class InMemoryRecording:
    """The frames and labels of another recording, which may be closed.

    Args:
        recording: read to its end at once.

    Raises:
        FileFormatError: a label file is not what it should be.
    """

    def __init__(self, recording: Recording) -> None:
        self.name = recording.name
        self.time_base = recording.time_base
        self.missing_frame_count = recording.missing_frame_count
        self.problems = recording.problems
        self._items = list(recording)
        self._labels = {item.index: recording.labels(item.index) for item in self._items}

    @property
    def frame_count(self) -> int:
        """Items there are."""
        return len(self._items)

    def __iter__(self) -> Iterator[FrameItem]:
        return iter(self._items)

    def labels(self, frame_index: int) -> CameraObjects | None:
        """The labels of a frame; None for one without.

        Args:
            frame_index: number in the recording.
        """
        return self._labels[frame_index]

    def close(self) -> None:
        """Nothing is open."""
