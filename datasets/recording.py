"""The seam of recorded data: a source of frames that can be replayed and may carry labels."""

from __future__ import annotations

from typing import Protocol

from vedette.evaluation.objects import CameraObjects
from vedette.frames import FrameSource


class Recording(FrameSource, Protocol):
    """Frames on disk, in order of capture; iterating again starts over."""

    @property
    def missing_frame_count(self) -> int:
        """Frames that the recording's timestamps speak of but that are not delivered, not even as a `BadFrame`."""
        ...

    @property
    def problems(self) -> tuple[str, ...]:
        """What the recording lacks without becoming unusable, one sentence each, for people."""
        ...

    def labels(self, frame_index: int) -> CameraObjects | None:
        """The labels of a frame.

        Args:
            frame_index: `Frame.index`, the number in the recording.

        Returns:
            The labelled objects, none of them where nothing is labelled; None for a frame without labels.

        Raises:
            FileFormatError: the label file is not what its place in the layout says.
        """
        ...
